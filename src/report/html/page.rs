//! The page itself.

use minijinja::context;
use minijinja::value::{Serde, Value};

use crate::domain::excerpt;
use crate::domain::format;
use crate::report::sanitize;
use crate::report::template::{TemplateError, environment, value};
use crate::report::text::{SHOWN, Text};
use crate::report::variant_table::VariantTable;
use crate::report::view::View;

use super::forest::Forest;
use super::gantt::Gantt;
use super::strip::Strip;

const TEMPLATES: [(&str, &str); 17] = [
    ("report.html", include_str!("../templates/report.html")),
    ("macros.html", include_str!("../templates/macros.html")),
    ("verdict.html", include_str!("../templates/verdict.html")),
    ("grade.html", include_str!("../templates/grade.html")),
    ("session.html", include_str!("../templates/session.html")),
    ("variants.html", include_str!("../templates/variants.html")),
    ("glance.html", include_str!("../templates/glance.html")),
    ("forest.html", include_str!("../templates/forest.html")),
    ("criteria.html", include_str!("../templates/criteria.html")),
    ("findings.html", include_str!("../templates/findings.html")),
    ("stages.html", include_str!("../templates/stages.html")),
    ("work.html", include_str!("../templates/work.html")),
    ("approvals.html", include_str!("../templates/approvals.html")),
    ("scores.html", include_str!("../templates/scores.html")),
    ("narrative.html", include_str!("../templates/narrative.html")),
    ("transcript.html", include_str!("../templates/transcript.html")),
    ("provenance.html", include_str!("../templates/provenance.html")),
];

/// The view as one self-contained page.
///
/// # Errors
/// A template that does not fit the view.
pub fn render(view: &View) -> Result<String, TemplateError> {
    let mut environment = environment()?;
    environment.add_filter("block", |text: Serde<Text>| {
        Value::from_safe_string(block(&text.0))
    });
    environment.add_filter("prose", |text: &str| {
        Value::from_safe_string(sanitize::html_prose(text))
    });
    environment.add_filter("diff", |text: &str| Value::from_safe_string(diff(text)));
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    let style = include_str!("../templates/style.css");
    let page = environment.get_template("report.html")?.render(context! {
        view => value(view),
        forest => value(Forest::from_view(view)),
        strip => value(Strip::from_view(view)),
        variants => value(VariantTable::from_view(view)),
        gantt => value(Gantt::from_view(view)),
        style => Value::from_safe_string(style.to_owned()),
    })?;
    Ok(page)
}

/// The beginning of a text, with a line that says how much is missing.
fn block(text: &Text) -> String {
    let shown = excerpt::first_bytes(&text.text, SHOWN);
    let left_out = text
        .omitted
        .saturating_add((text.text.len() - shown.len()) as u64);
    let mut out = if shown.trim().is_empty() && left_out == 0 {
        "<p class=\"quiet\">empty</p>".to_owned()
    } else {
        format!("<pre tabindex=\"0\">{}</pre>", sanitize::html(shown))
    };
    if left_out > 0 {
        out.push_str(&format!(
            "<p class=\"cut\">The first {} of {} are shown.</p>",
            format::bytes(shown.len() as u64),
            format::bytes(text.size)
        ));
    }
    out
}

/// A unified diff with its lines told apart.
fn diff(text: &str) -> String {
    let shown = excerpt::first_bytes(text, SHOWN * 4);
    let mut out = String::from("<pre class=\"diff\" tabindex=\"0\">");
    for line in shown.lines() {
        let class = match line.as_bytes() {
            [b'+', b'+', b'+', ..] | [b'-', b'-', b'-', ..] => "file",
            [b'@', b'@', ..] => "hunk",
            [b'+', ..] => "added",
            [b'-', ..] => "removed",
            _ => "same",
        };
        out.push_str(&format!(
            "<span class=\"{class}\">{}\n</span>",
            sanitize::html(line)
        ));
    }
    out.push_str("</pre>");
    if shown.len() < text.len() {
        out.push_str(&format!(
            "<p class=\"cut\">The first {} of {} are shown.</p>",
            format::bytes(shown.len() as u64),
            format::bytes(text.len() as u64)
        ));
    }
    out
}
