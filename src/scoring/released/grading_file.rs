//! The benchmark's files of gradings, `*_llm_eval.json`.
//!
//! Those files have no word for a field that could not be marked: it is left out of them.

use serde_json::{Map, Value, json};

use crate::scoring::aggregate::grading::{EXECUTE_HALVES, GradedStage};
use crate::scoring::checkpoints::checkpoint::Checkpoint;

/// One field with its mark.
#[derive(Debug, Clone, PartialEq)]
pub struct MarkedField {
    /// As [`crate::scoring::aggregate::schema`] has it; of an execution the checkpoint's key.
    pub path: String,
    /// A number or `NA`.
    pub score: Value,
    pub explanation: String,
}

/// A stage's grading as its file has it.
pub fn in_released_shape(stage: GradedStage, fields: &[MarkedField]) -> Value {
    if stage != GradedStage::Execute {
        let members = fields.iter().map(|field| (field.path.clone(), item(field)));
        return Value::Object(members.collect::<Map<_, _>>());
    }
    let mut halves = Map::new();
    halves.insert("stage".to_owned(), json!("execute"));
    for (half, _) in EXECUTE_HALVES {
        let mut aspects = Map::new();
        for checkpoint in Checkpoint::all().filter(|one| one.half() == half) {
            if let Some(field) = fields.iter().find(|field| field.path == checkpoint.key()) {
                let aspect = aspects.entry(checkpoint.aspect()).or_insert_with(|| json!({}));
                aspect[checkpoint.key()] = item(field);
            }
        }
        halves.insert(half.to_owned(), Value::Object(aspects));
    }
    Value::Object(halves)
}

/// A field's path from the outermost key of its file.
pub fn path_in_file(stage: GradedStage, path: &str) -> String {
    let checkpoint = Checkpoint::all().find(|one| one.key() == path);
    match checkpoint.filter(|_| stage == GradedStage::Execute) {
        Some(one) => format!("{}.{}.{}", one.half(), one.aspect(), one.key()),
        None => path.to_owned(),
    }
}

fn item(field: &MarkedField) -> Value {
    json!({"score": field.score, "explanation": field.explanation})
}
