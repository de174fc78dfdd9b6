//! Scores as one HTML page that needs nothing else.

use minijinja::value::Value;
use minijinja::{Environment, context};

use crate::report::evidence::Evidence;
use crate::report::html::forest::Forest;
use crate::report::sanitize;
use crate::report::template::{TemplateError, environment, value};
use crate::report::text::nothing_stored;
use crate::report::view::View;

use super::heat::{anchor, heat};
use super::naming::Names;
use crate::grading::scorecard::card::Scorecard;
use crate::grading::scorecard::fields_to_review::FieldsToReview;
use crate::grading::scorecard::together::Together;

const TEMPLATES: [(&str, &str); 8] = [
    ("scores_page.html", include_str!("../templates/scores_page.html")),
    ("scores_run.html", include_str!("../templates/scores_run.html")),
    (
        "scores_judge.html",
        include_str!("../templates/scores_judge.html"),
    ),
    (
        "scores_alike.html",
        include_str!("../templates/scores_alike.html"),
    ),
    ("scores_look.html", include_str!("../templates/scores_look.html")),
    ("forest.html", include_str!("../templates/forest.html")),
    ("criteria.html", include_str!("../templates/criteria.html")),
    (
        "scores_macros.html",
        include_str!("../templates/scores_macros.html"),
    ),
];

/// Runs with their scores as one self-contained page.
///
/// # Errors
/// A template that does not fit a scorecard.
pub fn render(cards: &[Scorecard]) -> Result<String, TemplateError> {
    let environment = pages(Names::from_cards(cards))?;
    let runs: Vec<Value> = (cards.iter().enumerate())
        .map(|(at, card)| {
            context! {
                card => value(card),
                forest => value(forest(card)),
                look => value(FieldsToReview::from_card(card)),
                anchor => anchor(at),
            }
        })
        .collect();
    let page = environment.get_template("scores_page.html")?.render(context! {
        runs => runs,
        heat => value(heat(cards)),
        together => value(Together::from_cards(cards)),
        style => style(),
    })?;
    Ok(page)
}

/// The templates of scores with their filters, of which one shortens names.
///
/// # Errors
/// A template that does not parse.
pub fn pages(names: Names) -> Result<Environment<'static>, TemplateError> {
    let mut environment = environment()?;
    environment.add_filter("prose", |text: &str| {
        Value::from_safe_string(sanitize::html_prose(text))
    });
    environment.add_filter("percent", |share: f64| format!("{:.1}", 100.0 * share));
    environment.add_filter("across", |share: f64| {
        format!("{:.2}", 100.0 * share.clamp(0.0, 1.0))
    });
    environment.add_filter("model", move |name: &str| names.short(name).to_owned());
    environment.add_filter("aspect", aspect);
    environment.add_filter("path", |path: &str| Value::from_safe_string(breakable(path)));
    environment.add_filter("hundredths", |value: Option<f64>| {
        value.map_or_else(|| "–".to_owned(), hundredths)
    });
    for (name, source) in TEMPLATES {
        environment.add_template(name, source)?;
    }
    Ok(environment)
}

/// An aspect's key as words; one of the released keys is misspelt.
fn aspect(key: &str) -> String {
    key.replace("dependecy", "dependency").replace(['_', '-'], " ")
}

/// A field's path, which may be broken behind its dots and underscores.
fn breakable(path: &str) -> String {
    sanitize::html(path).replace('.', ".<wbr>").replace('_', "_<wbr>")
}

/// A coefficient with two decimals and the minus sign of the other numbers.
fn hundredths(value: f64) -> String {
    let text = format!("{value:.2}");
    match text.strip_prefix('-') {
        Some("0.00") => "0.00".to_owned(),
        Some(size) => format!("−{size}"),
        None => text,
    }
}

/// The style sheet of such pages.
pub fn style() -> Value {
    let styles = [
        include_str!("../templates/style.css"),
        include_str!("../templates/scores.css"),
    ];
    Value::from_safe_string(styles.concat())
}

/// The plot of the report, of these findings alone.
fn forest(card: &Scorecard) -> Option<Forest> {
    let evidence = Evidence {
        original: card.original.clone(),
        replication: card.replication.clone(),
        scale: card.scale.clone(),
        ..Evidence::default()
    };
    Forest::from_view(&View::build(&[], &nothing_stored, &evidence))
}
