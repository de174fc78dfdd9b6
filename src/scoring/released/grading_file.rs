//! The benchmark's files of gradings, `*_llm_eval.json`.
//!
//! Those files have no word for a field that could not be marked: it is left out of them.

use serde_json::{Map, Value, json};

use crate::scoring::aggregate::grading::GradedStage;

/// A checkpoint of the execution, as its file has it.
struct CheckpointKey {
    half: &'static str,
    aspect: &'static str,
    key: &'static str,
}

const fn checkpoint(half: &'static str, aspect: &'static str, key: &'static str) -> CheckpointKey {
    CheckpointKey { half, aspect, key }
}

/// The checkpoints in the order of the file, in its spelling.
const CHECKPOINTS: [CheckpointKey; 10] = [
    checkpoint("evaluate_design", "environment", "1.1.1"),
    checkpoint("evaluate_design", "environment", "1.1.2"),
    checkpoint("evaluate_design", "dependecy", "1.2"),
    checkpoint("evaluate_design", "file_system", "1.3.1"),
    checkpoint("evaluate_design", "file_system", "1.3.2"),
    checkpoint("evaluate_design", "file_system", "1.3.3"),
    checkpoint("execute", "code_execution", "2.1.1"),
    checkpoint("execute", "code_execution", "2.2.2"),
    checkpoint("execute", "execution_report", "2.3.1"),
    checkpoint("execute", "execution_report", "2.3.2"),
];

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
    for half in ["evaluate_design", "execute"] {
        let mut aspects = Map::new();
        for checkpoint in CHECKPOINTS.iter().filter(|one| one.half == half) {
            if let Some(field) = fields.iter().find(|field| field.path == checkpoint.key) {
                let aspect = aspects.entry(checkpoint.aspect).or_insert_with(|| json!({}));
                aspect[checkpoint.key] = item(field);
            }
        }
        halves.insert(half.to_owned(), Value::Object(aspects));
    }
    Value::Object(halves)
}

/// A field's path from the outermost key of its file.
pub fn path_in_file(stage: GradedStage, path: &str) -> String {
    let checkpoint = CHECKPOINTS.iter().find(|one| one.key == path);
    match checkpoint.filter(|_| stage == GradedStage::Execute) {
        Some(one) => format!("{}.{}.{}", one.half, one.aspect, one.key),
        None => path.to_owned(),
    }
}

fn item(field: &MarkedField) -> Value {
    json!({"score": field.score, "explanation": field.explanation})
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scoring::checkpoints::checkpoint::Checkpoint;

    #[test]
    fn the_file_has_the_checkpoints_that_we_decide() {
        let keys = CHECKPOINTS.iter().map(|one| (one.half, one.aspect, one.key));
        let ours = Checkpoint::all().map(|one| (one.half(), one.aspect(), one.key()));
        assert!(keys.eq(ours));
    }
}
