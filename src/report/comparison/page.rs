//! A comparison as one HTML page that needs nothing else.

use minijinja::context;
use minijinja::value::Value;

use super::paired::Paired;
use crate::analysis::parity::comparison::Comparison;
use crate::report::sanitize;
use crate::report::template::{TemplateError, environment, value};

/// Pairs and unpaired findings that the page lists.
const LISTED: usize = 500;

/// The heading above the comparison.
#[derive(Debug, Clone, Copy)]
pub struct Heading<'a> {
    pub study: &'a str,
    pub title: &'a str,
    pub claim: &'a str,
}

/// The comparison as one self-contained page.
///
/// # Errors
/// A template that does not fit the comparison.
pub fn render(comparison: &Comparison, heading: Heading<'_>) -> Result<String, TemplateError> {
    let mut environment = environment()?;
    environment.add_filter("prose", |text: &str| {
        Value::from_safe_string(sanitize::html_prose(text))
    });
    for (name, source) in [
        ("comparison.html", include_str!("../templates/comparison.html")),
        ("paired.html", include_str!("../templates/paired.html")),
    ] {
        environment.add_template(name, source)?;
    }
    let mut shown = comparison.clone();
    shown.pairs.truncate(LISTED);
    shown.unpaired.truncate(LISTED);
    shown.reasons.clear();
    let rows: Vec<Value> = shown
        .pairs
        .iter()
        .map(|pair| {
            context! {
                pair => value(pair),
                agrees => pair.agrees(),
                difference => pair.relative_difference.map(super::table::percent),
            }
        })
        .collect();
    let page = environment.get_template("comparison.html")?.render(context! {
        it => value(&shown),
        rows => rows,
        total => comparison.pairs.len(),
        unpaired => comparison.unpaired.len(),
        agreeing => comparison.pairs.iter().filter(|pair| pair.agrees()).count(),
        judgement => comparison.comparability.words(),
        outcomes => [comparison.first.verdict.outcome.words(), comparison.second.verdict.outcome.words()],
        study => heading.study,
        title => heading.title,
        claim => heading.claim,
        plot => value(Paired::from_comparison(comparison)),
        style => Value::from_safe_string(include_str!("../templates/style.css").to_owned()),
    })?;
    Ok(page)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Finding;

    const HEADING: Heading<'static> = Heading {
        study: "s",
        title: "<b>t</b>",
        claim: "c",
    };

    #[test]
    fn text_of_others_is_shown_and_not_obeyed() {
        let mut comparison = super::super::table::tests::comparison();
        let hostile = "<script>alert(1)</script>\u{1b}[2J\u{202e}";
        comparison.pairs[0].first.name = hostile.to_owned();
        comparison.unpaired[0].finding = Finding {
            name: hostile.to_owned(),
            ..Finding::default()
        };
        comparison.sentences.push(format!("N of `{hostile}` is 1."));
        comparison.first.model = hostile.to_owned();
        let page = render(&comparison, HEADING).unwrap();
        assert!(!page.contains("<script") && !page.contains("<b>t") && !page.contains('\u{1b}'));
        assert!(!page.contains('\u{202e}') && page.contains("&lt;script&gt;"));
    }

    #[test]
    fn each_number_says_which_it_is_where_columns_have_no_heads() {
        let page = render(&super::super::table::tests::comparison(), HEADING).unwrap();
        let start = page.find("<table class=\"versus\">").unwrap();
        let table = &page[start..start + page[start..].find("</table>").unwrap()];
        let pairs = super::super::table::tests::comparison().pairs.len();
        for label in ["Estimate", "SE", "p", "N"] {
            let labelled = format!("data-label=\"{label}\"");
            assert_eq!(table.matches(&labelled).count(), 2 * pairs, "{label}");
        }
        assert!(
            !page.contains("<table>"),
            "a table would be as wide as its columns"
        );
    }

    #[test]
    fn a_page_has_a_hard_cap() {
        let mut comparison = super::super::table::tests::comparison();
        comparison.pairs = vec![comparison.pairs[0].clone(); 10_000];
        comparison.unpaired = vec![comparison.unpaired[0].clone(); 10_000];
        let page = render(&comparison, HEADING).unwrap();
        assert!(page.len() < 1 << 20, "{} bytes", page.len());
        assert!(page.contains("9,500 further pairs") && page.contains("9,500 more"));
    }
}
