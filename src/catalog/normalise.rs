//! An agent's answer, read leniently into its one canonical shape.

use jsonschema::{ValidationError, error::ValidationErrorKind};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::artifacts::search_results::SearchResults;
use crate::catalog::fault::{AnswerDeviation, AnswerDeviationKind, AnswerFault};
use crate::catalog::reshape::stage::reshape;
use crate::catalog::{fit, schemas};
use crate::domain::excerpt;
use crate::domain::replication;
use crate::domain::stage::Stage;

/// The most faults that are collected.
const MOST_FAULTS: usize = 100;

/// Reads a stage's answer: moves misplaced parts, converts what can be
/// converted without loss, and validates the rest against the stage's schema.
///
/// The canonical value has every known key, in the order of the schema; its
/// deviations are what had to be changed on the way. Normalising a canonical
/// value again changes nothing.
///
/// # Errors
/// What is missing or cannot be made what the schema asks for, each with its place; and a stage whose
/// answer has no type.
pub fn normalise(stage: Stage, value: Value) -> Result<(Value, Vec<AnswerDeviation>), Vec<AnswerFault>> {
    match stage {
        Stage::EXTRACT => canonical::<PostRegistration>(stage, value),
        Stage::SEARCH => canonical::<SearchResults>(stage, value),
        Stage::DESIGN => canonical::<ReplicationInfo>(stage, value),
        Stage::EXECUTE => canonical::<ExecutionResults>(stage, value),
        Stage::INTERPRET => canonical::<InterpretResults>(stage, value),
        other => Err(vec![AnswerFault::new(
            "",
            format!("the answer of the stage {other} has no type"),
            "a stage whose folder holds a schema.json, or one of replication's",
        )]),
    }
}

/// Reads the answer of a stage with a schema of its own: what can be converted without
/// loss is, and the rest is validated.
///
/// # Errors
/// What the schema refuses.
pub fn by_schema(schema: &Value, value: Value) -> Result<(Value, Vec<AnswerDeviation>), Vec<AnswerFault>> {
    let mut deviations = Vec::new();
    let fitted = fit::fit(schema, value, &mut deviations);
    let faults = faults(schema, &fitted);
    if faults.is_empty() {
        Ok((fitted, deviations))
    } else {
        Err(faults)
    }
}

/// Reads a canonical value, or one that can be made so, as its type.
///
/// # Errors
/// What is missing or cannot be made what the type asks for, each with its place; and a stage whose
/// answer has no type.
pub fn read<T: DeserializeOwned>(stage: Stage, value: Value) -> Result<T, Vec<AnswerFault>> {
    let (canonical, _) = normalise(stage, value)?;
    serde_json::from_value(canonical).map_err(unreadable)
}

fn canonical<T: DeserializeOwned + Serialize>(
    stage: Stage,
    value: Value,
) -> Result<(Value, Vec<AnswerDeviation>), Vec<AnswerFault>> {
    if !value.is_object() {
        return Err(vec![AnswerFault::new(
            "",
            format!("the answer is {}", kind(&value)),
            format!("one JSON object in the shape of {}", replication::artifact(stage)),
        )]);
    }
    let schema = schemas::for_stage(stage);
    let mut deviations = Vec::new();
    let reshaped = reshape(stage, value, &mut deviations);
    let fitted = fit::fit(schema, reshaped, &mut deviations);
    let faults = faults(schema, &fitted);
    if !faults.is_empty() {
        return Err(faults);
    }
    let typed: T = serde_json::from_value(fitted).map_err(unreadable)?;
    let canonical = serde_json::to_value(&typed).map_err(unreadable)?;
    // An optional field may be left out or empty; only one with a value of its own is missing.
    let has_value = |value: &Value| match value {
        Value::Null => false,
        Value::String(text) => !text.is_empty(),
        Value::Array(members) => !members.is_empty(),
        Value::Object(members) => !members.is_empty(),
        _ => true,
    };
    let wanted = |one: &AnswerDeviation| {
        one.kind != AnswerDeviationKind::MissingKey || canonical.pointer(&one.path).is_some_and(has_value)
    };
    deviations.retain(wanted);
    Ok((canonical, deviations))
}

fn unreadable(error: serde_json::Error) -> Vec<AnswerFault> {
    vec![AnswerFault::new(
        "",
        error.to_string(),
        "an answer in the shape of its schema",
    )]
}

/// What a schema refuses of a value, in words.
pub fn faults(schema: &Value, value: &Value) -> Vec<AnswerFault> {
    let validator = match jsonschema::draft202012::new(schema) {
        Ok(validator) => validator,
        Err(error) => {
            return vec![AnswerFault::new(
                "",
                format!("the schema cannot be used: {error}"),
                "a valid schema",
            )];
        }
    };
    validator
        .iter_errors(value)
        .take(MOST_FAULTS)
        .map(|error| in_words(schema, &error))
        .collect()
}

fn in_words(schema: &Value, error: &ValidationError<'_>) -> AnswerFault {
    let path = error.instance_path().as_str();
    let rule = schema
        .pointer(error.schema_path().as_str())
        .map(short)
        .unwrap_or_default();
    match error.kind() {
        ValidationErrorKind::Required { property } => AnswerFault::new(
            path,
            format!("the key {property} is missing"),
            format!("an object with the key {property}"),
        ),
        ValidationErrorKind::Type { .. } => AnswerFault::new(
            path,
            format!("{} stands here", kind(error.instance())),
            format!("a value of type {rule}"),
        ),
        ValidationErrorKind::Enum { .. } => AnswerFault::new(
            path,
            format!("{} is not one of the choices", short(error.instance())),
            format!("one of {rule}"),
        ),
        ValidationErrorKind::AnyOf { context } => {
            // The branch for null says nothing; the other one says what is wrong.
            let inner = context
                .iter()
                .filter(|branch| {
                    branch
                        .iter()
                        .all(|one| !one.schema_path().as_str().ends_with("/1/type"))
                })
                .flatten()
                .next();
            match inner {
                Some(inner) => in_words(schema, inner),
                None => AnswerFault::new(path, format!("{} does not fit", kind(error.instance())), rule),
            }
        }
        _ => AnswerFault::new(
            path,
            format!("{} does not fit", short(error.instance())),
            format!("{} {rule}", error.kind().keyword()),
        ),
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}

fn short(value: &Value) -> String {
    excerpt::with_size(&value.to_string(), 120)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misfit_is_named_by_place_and_expectation() {
        let faults = normalise(
            Stage::SEARCH,
            json!({"urls": [{"name": "x"}, "https://example.org"], "missing": []}),
        )
        .unwrap_err();
        let message = faults.iter().map(ToString::to_string).collect::<String>();
        assert!(
            message.contains("/urls/0: the key \"url\" is missing"),
            "{message}"
        );
        assert!(message.contains("/urls/1: a text stands here"), "{message}");
        assert!(normalise(Stage::SEARCH, json!([])).is_err());
    }

    #[test]
    fn a_bad_criterion_is_refused_with_its_choices() {
        let faults = normalise(
            Stage::DESIGN,
            json!({"replication_study": {"criterion": {
                "focal_term": "x", "direction": "sideways", "alpha": 0.05, "two_sided": true}}}),
        )
        .unwrap_err();
        let message = faults.iter().map(ToString::to_string).collect::<String>();
        assert!(
            message.contains("sideways") && message.contains("positive"),
            "{message}"
        );
    }

    #[test]
    fn unknown_keys_are_kept_and_reported() {
        let (canonical, deviations) = normalise(
            Stage::SEARCH,
            json!({"urls": [{"url": "https://example.org", "score": 3}], "mood": "good"}),
        )
        .unwrap();
        assert_eq!(canonical["extra"]["mood"], "good");
        assert_eq!(canonical["urls"][0]["extra"]["score"], 3);
        let unknown = deviations
            .iter()
            .filter(|one| one.kind == AnswerDeviationKind::UnknownKey);
        assert_eq!(unknown.count(), 2);
    }

    #[test]
    fn an_empty_optional_field_is_not_missing() {
        let plan = json!({"replication_study": {
            "entry_points": null,
            "criterion": {"focal_term": "x", "direction": "positive", "alpha": "0.05", "two_sided": true}}});
        let (canonical, deviations) = normalise(Stage::DESIGN, plan).unwrap();
        let left_out = "/replication_study/criterion/parameters";
        assert_eq!(canonical.pointer(left_out), None);
        assert!(
            deviations.iter().all(|one| one.path != left_out),
            "{deviations:?}"
        );
        let places: Vec<&str> = deviations.iter().map(|one| one.path.as_str()).collect();
        for empty in ["/replication_study/entry_points", "/replication_study/hypothesis"] {
            assert!(!places.contains(&empty), "{places:?}");
        }
        assert!(
            places.contains(&"/replication_study/criterion/alpha"),
            "{places:?}"
        );
    }
}
