//! The JSON Schemas (2020-12) of the agent answers and of `study.toml`, generated from their types.

use std::sync::LazyLock;

use schemars::JsonSchema;
use serde_json::{Map, Value};

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::artifacts::search_results::SearchResults;
use crate::domain::json_schema::inline_schema;
use crate::domain::replication;
use crate::domain::result_line::ResultLine;
use crate::domain::stage::Stage;
use crate::study::manifest::Manifest;

static ALL: LazyLock<Vec<(Stage, Value)>> = LazyLock::new(|| {
    vec![
        (Stage::EXTRACT, generate::<PostRegistration>()),
        (Stage::SEARCH, generate::<SearchResults>()),
        (Stage::DESIGN, generate::<ReplicationInfo>()),
        (Stage::EXECUTE, generate::<ExecutionResults>()),
        (Stage::INTERPRET, generate::<InterpretResults>()),
    ]
});

static RESULT_LINE: LazyLock<Value> = LazyLock::new(generate::<ResultLine>);

static STUDY: LazyLock<Value> = LazyLock::new(generate::<Manifest>);

/// Every schema, by its name: the answer's file name without `.json`, that of one line of
/// the results file, and that of `study.toml`.
pub fn all() -> Vec<(&'static str, &'static Value)> {
    ALL.iter()
        .map(|(stage, schema)| (name(*stage), schema))
        .chain([("result_line", &*RESULT_LINE), ("study", &*STUDY)])
        .collect()
}

/// The name of a stage's schema.
pub fn name(stage: Stage) -> &'static str {
    let artifact = replication::artifact(stage);
    artifact.strip_suffix(".json").unwrap_or(artifact)
}

/// The schema of the answer of one of replication's stages, without references; `null`
/// for any other.
pub fn for_stage(stage: Stage) -> &'static Value {
    ALL.iter()
        .find(|(one, _)| *one == stage)
        .map_or(&Value::Null, |(_, schema)| schema)
}

/// The keys of a stage's answer, by JSON pointer, that a prompt does not show: the engine fills
/// them in, or a page explains them ([`crate::catalog::criterion_page`]).
pub fn left_out(stage: Stage) -> &'static [&'static str] {
    match stage {
        Stage::EXTRACT => &["/original_study/claim/hypotheses"],
        Stage::DESIGN => &[
            "/replication_study/criterion/null",
            "/replication_study/criterion/test",
            "/replication_study/criterion/greater",
            "/replication_study/criterion/contrast",
            "/replication_study/criterion/minus",
            "/replication_study/criterion/margin",
            "/replication_study/criterion/all",
            "/replication_study/criterion/any",
            "/replication_study/criterion/also_reported",
            "/replication_study/criterion/parameters",
            "/replication_study/criterion/original",
            "/replication_study/criterion/observations",
            "/replication_study/criterion/shared_observations",
            "/replication_study/criterion/quantities",
            "/replication_study/docker_specs/volumes",
        ],
        _ => &[],
    }
}

fn generate<T: JsonSchema>() -> Value {
    let mut schema = inline_schema::<T>();
    tidy(&mut schema);
    schema
}

/// Closes the objects whose keys are known, and drops defaults, which repeat
/// what the types say.
fn tidy(schema: &mut Value) {
    let Value::Object(map) = schema else { return };
    map.remove("default");
    if let Some(Value::Object(properties)) = map.get_mut("properties") {
        properties.values_mut().for_each(tidy);
        map.insert("additionalProperties".to_owned(), Value::Bool(false));
    }
    for key in ["items", "additionalProperties"] {
        if let Some(part) = map.get_mut(key) {
            tidy(part);
        }
    }
    if let Some(Value::Array(choices)) = map.get_mut("anyOf") {
        choices.iter_mut().for_each(tidy);
    }
    one_enumeration(map);
}

/// Writes `oneOf` of constants, of which some are documented, as one `enum`.
fn one_enumeration(map: &mut Map<String, Value>) {
    let Some(Value::Array(choices)) = map.get("oneOf") else {
        return;
    };
    let constants: Option<Vec<Vec<Value>>> = choices
        .iter()
        .map(|choice| match (choice.get("const"), choice.get("enum")) {
            (Some(one), _) => Some(vec![one.clone()]),
            (None, Some(Value::Array(several))) => Some(several.clone()),
            _ => None,
        })
        .collect();
    if let Some(constants) = constants {
        let constants = constants.concat();
        map.remove("oneOf");
        map.insert("type".to_owned(), "string".into());
        map.insert("enum".to_owned(), constants.into());
    }
}
