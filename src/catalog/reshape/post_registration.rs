//! Forms of `post_registration.json`, the references of the benchmark among them.

use serde_json::{Value, json};

use super::moves::{Deviations, Object, adopt, members, note, object, rename, wrap};
use crate::catalog::fault::AnswerDeviationKind;
use crate::catalog::fit::plain;
use crate::domain::number_text;

/// Other names of a result's parts, as programs and people write them.
const NAMES: [(&str, &str); 8] = [
    ("se", "standard_error"),
    ("std_error", "standard_error"),
    ("test_statistic", "statistic"),
    ("degrees_of_freedom", "df"),
    ("sample_size", "n"),
    ("N", "n"),
    ("sides", "tails"),
    ("page", "location"),
];

pub(super) fn reshape(root: &mut Object, deviations: &mut Deviations) {
    const PARTS: [&str; 5] = ["claim", "data", "method", "results", "metadata"];
    const ROOT: &str = "original_study";
    wrap(root, ROOT, &PARTS, deviations);
    adopt(root, ROOT, &PARTS, deviations);
    let Some(study) = object(root, ROOT) else { return };
    if let Some(Value::Object(nameless)) = study.remove("") {
        for (key, value) in nameless {
            study.entry(key).or_insert(value);
        }
        note(
            deviations,
            "/original_study/",
            AnswerDeviationKind::Moved,
            "Parts stand under an empty key.",
        );
    }
    if let Some(claim) = object(study, "claim") {
        let path = "/original_study/claim";
        rename(claim, path, "hypothesis", "hypotheses", deviations);
        rename(
            claim,
            path,
            "hypothesis_location",
            "hypotheses_location",
            deviations,
        );
    }
    if let Some(Value::Array(parts)) = study.get("data")
        && parts.iter().all(Value::is_object)
    {
        let merged = merged(parts);
        study.insert("data".to_owned(), merged);
        note(
            deviations,
            "/original_study/data",
            AnswerDeviationKind::Type,
            "Several data sets are given as a list; their fields are joined.",
        );
    }
    let Some(results) = object(study, "results") else {
        return;
    };
    if !results.contains_key("numerical_results") && results.contains_key("value") {
        let summary = results.remove("summary");
        let mut inline = std::mem::take(results);
        inline
            .entry("outcome_name")
            .or_insert_with(|| "focal result".into());
        results.extend(summary.map(|text| ("summary".to_owned(), text)));
        results.insert("numerical_results".to_owned(), json!([inline]));
        note(
            deviations,
            "/original_study/results",
            AnswerDeviationKind::Moved,
            "One result stands directly under `results`.",
        );
    }
    for (index, result) in members(results, "numerical_results").into_iter().enumerate() {
        let path = format!("/original_study/results/numerical_results/{index}");
        for (from, to) in NAMES {
            rename(result, &path, from, to, deviations);
        }
        let path = format!("{path}/confidence_interval");
        if let Some(given) = result.get_mut("confidence_interval") {
            bounds(given, &path, deviations);
        }
    }
}

/// Objects as one: the texts of each key joined with `; `.
fn merged(parts: &[Value]) -> Value {
    let mut whole = Object::new();
    for (key, value) in parts.iter().filter_map(Value::as_object).flatten() {
        match whole.get_mut(key) {
            Some(before) => *before = Value::String(format!("{}; {}", plain(before), plain(value))),
            None => drop(whole.insert(key.clone(), value.clone())),
        }
    }
    Value::Object(whole)
}

/// An interval given as a text or a pair, as an object with two bounds.
fn bounds(given: &mut Value, path: &str, deviations: &mut Deviations) {
    let read = match &*given {
        Value::String(text) => match number_text::interval(text) {
            Some(interval) => {
                json!({"lower": interval.lower, "upper": interval.upper, "level": interval.level * 100.0})
            }
            None if number_text::is_absent(text) => json!({}),
            // An unreadable text is kept, in the place where a reader looks first.
            None => json!({"lower": text}),
        },
        Value::Array(pair) if pair.len() == 2 => json!({"lower": pair[0], "upper": pair[1]}),
        _ => return,
    };
    *given = read;
    note(
        deviations,
        path,
        AnswerDeviationKind::Type,
        "An interval is not given as an object with `lower` and `upper`.",
    );
}
