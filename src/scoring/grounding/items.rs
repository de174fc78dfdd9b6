//! The parts of a post-registration that can be looked up.

use std::collections::BTreeSet;

use serde_json::Value;

use super::figures::{Figure, figures, is_label};
use super::number::Company;
use super::typography::{plain, topics};
use crate::domain::excerpt;

/// Bytes around a number in a text that belong to it.
const AROUND: usize = 160;

/// A number of a post-registration.
#[derive(Debug, Clone)]
pub struct Asked {
    pub field: String,
    pub text: String,
    pub figure: Figure,
    pub company: Company,
    pub supports: Option<String>,
}

/// A text of a post-registration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    pub field: String,
    pub text: String,
}

/// Everything that can be looked up.
#[derive(Debug, Default)]
pub struct Items {
    pub locations: Vec<Text>,
    /// Texts that may hold quotations.
    pub texts: Vec<Text>,
    pub numbers: Vec<Asked>,
}

/// Takes a post-registration apart, whether it is in canonical form or not.
pub fn items(registered: &Value) -> Items {
    let study = registered.get("original_study").unwrap_or(registered);
    let mut items = Items::default();
    let mut leaves = Vec::new();
    collect(study, String::new(), &mut leaves);
    for (field, value) in leaves {
        if field.starts_with("metadata") || field.contains("canary") {
            continue;
        }
        if field.ends_with("_location") || field.ends_with(".location") {
            items.locations.push(Text { field, text: value });
            continue;
        }
        if field.contains("numerical_results") && is_figure_field(&field) {
            continue;
        }
        in_text(&field, &value, &mut items.numbers);
        items.texts.push(Text { field, text: value });
    }
    let results = study
        .pointer("/results/numerical_results")
        .and_then(Value::as_array);
    for (at, result) in results.into_iter().flatten().enumerate() {
        let first = items.numbers.len();
        in_result(at, result, study, &mut items.numbers);
        let (texts, own) = items.numbers.split_at_mut(first);
        // What a result's unit or note says belongs to the result's numbers.
        let prefix = format!("results.numerical_results[{at}].");
        for asked in texts.iter_mut().filter(|asked| asked.field.starts_with(&prefix)) {
            asked.company.figures.extend(own.iter().map(|other| other.figure));
        }
    }
    items
}

/// True if a field of a result holds a number and nothing else.
pub fn is_figure_field(field: &str) -> bool {
    [
        "value",
        "lower",
        "upper",
        "level",
        "p_value",
        "effect_size",
        "statistical_significance",
        "direction",
        "standard_error",
    ]
    .iter()
    .any(|name| field.ends_with(&format!(".{name}")))
}

/// Every text and number with its path.
fn collect(value: &Value, path: String, leaves: &mut Vec<(String, String)>) {
    match value {
        Value::Object(members) => {
            for (key, member) in members {
                let path = if path.is_empty() {
                    key.clone()
                } else {
                    format!("{path}.{key}")
                };
                collect(member, path, leaves);
            }
        }
        Value::Array(members) => {
            for (at, member) in members.iter().enumerate() {
                collect(member, format!("{path}[{at}]"), leaves);
            }
        }
        Value::String(text) if !text.trim().is_empty() => leaves.push((path, text.clone())),
        Value::Number(number) => leaves.push((path, number.to_string())),
        _ => {}
    }
}

/// The numbers of a text, each in the company of those around it.
fn in_text(field: &str, text: &str, numbers: &mut Vec<Asked>) {
    let text = without_addresses(&plain(text));
    let all: Vec<Figure> = figures(&text)
        .into_iter()
        .filter(|figure| !is_label(&text, figure))
        .collect();
    for figure in &all {
        let near =
            |other: &&Figure| other.start != figure.start && other.start.abs_diff(figure.start) < AROUND;
        let around = slice(&text, figure.start.saturating_sub(AROUND), figure.end + AROUND);
        numbers.push(Asked {
            field: field.to_owned(),
            text: text[figure.start..figure.end].to_owned() + if figure.percent { " %" } else { "" },
            figure: *figure,
            company: Company {
                topics: topics(around).into_iter().collect(),
                figures: all.iter().filter(near).copied().collect(),
                pages: BTreeSet::new(),
            },
            supports: Some(
                excerpt::words_between(&text, figure.start.saturating_sub(70), figure.end + 50)
                    .replace('\n', " "),
            ),
        });
    }
}

/// The numbers of one result, each in the company of the others and of the claim's.
fn in_result(at: usize, result: &Value, study: &Value, numbers: &mut Vec<Asked>) {
    let word = |pointer: &str| match result.pointer(pointer) {
        Some(Value::String(text)) => plain(text),
        Some(Value::Number(number)) => number.to_string(),
        _ => String::new(),
    };
    let study_text = |pointer: &str| {
        study
            .pointer(pointer)
            .and_then(Value::as_str)
            .map(plain)
            .unwrap_or_default()
    };
    let unit = word("/unit");
    let claim = [study_text("/claim/statement"), study_text("/results/summary")].join("\n");
    let mut own: Vec<(String, String, Figure)> = Vec::new();
    for (pointer, name) in [
        ("/value", "value"),
        ("/standard_error", "standard_error"),
        ("/effect_size", "effect_size"),
        ("/confidence_interval/lower", "confidence_interval.lower"),
        ("/confidence_interval/upper", "confidence_interval.upper"),
        ("/p_value", "p_value"),
    ] {
        let text = word(pointer);
        for mut figure in figures(&text)
            .into_iter()
            .filter(|figure| !is_label(&text, figure))
        {
            figure.percent |=
                name == "value" && (unit.contains('%') || unit.to_lowercase().contains("percent"));
            let written = text[figure.start..figure.end].to_owned();
            let written = if figure.bound {
                format!("< {written}")
            } else {
                written
            };
            own.push((name.to_owned(), written, figure));
        }
    }
    let named = word("/outcome_name");
    let mut words: BTreeSet<String> = topics(&named).into_iter().collect();
    words.extend(topics(&study_text("/method/independent_variables")));
    words.extend(topics(&claim));
    let companions: Vec<Figure> = figures(&claim)
        .into_iter()
        .filter(|figure| !is_label(&claim, figure))
        .collect();
    for (name, text, figure) in &own {
        let others = own
            .iter()
            .map(|(_, _, other)| *other)
            .chain(companions.iter().copied());
        numbers.push(Asked {
            field: format!("results.numerical_results[{at}].{name}"),
            text: text.clone(),
            figure: *figure,
            company: Company {
                topics: words.clone(),
                figures: others.collect(),
                pages: BTreeSet::new(),
            },
            supports: Some(named.clone()),
        });
    }
}

/// Text in which the words of links and DOIs are blanks.
fn without_addresses(text: &str) -> String {
    text.split_inclusive(char::is_whitespace)
        .map(|word| {
            if word.contains("://")
                || word.contains("doi")
                || word.starts_with("10.") && word.contains('/')
                || word.contains("www.")
            {
                word.chars()
                    .map(|c| if c.is_whitespace() { c } else { ' ' })
                    .collect()
            } else {
                word.to_owned()
            }
        })
        .collect()
}

/// A part of a text, its ends moved to whole characters.
fn slice(text: &str, start: usize, end: usize) -> &str {
    excerpt::between(text, start, end).trim()
}
