//! Gradings in the benchmark's own files.
//!
//! Those files have no word for a field that could not be marked: it is left
//! out of them, and stands as `unscored` in `scores.json`.

use std::collections::BTreeSet;

use serde_json::{Map, Value, json};

use crate::grading::judge::grade::{By, FieldGrade, Grading};
use crate::grading::judge::mark::{Given, Mark};
use crate::scoring::aggregate::grading::{EXECUTE_HALVES, GradedStage};
use crate::scoring::checkpoints::checkpoint::Checkpoint;

/// The shape of the stage's grading file; `None` where nothing has a mark.
pub fn in_released_shape(grading: &Grading) -> Option<Value> {
    let marked: Vec<&FieldGrade> = grading
        .fields
        .iter()
        .filter(|field| field.mark != Mark::Unscored)
        .collect();
    if marked.is_empty() {
        return None;
    }
    if grading.stage != GradedStage::Execute {
        let members = marked.iter().map(|field| (field.path.clone(), item(field)));
        return Some(Value::Object(members.collect::<Map<_, _>>()));
    }
    let mut halves = Map::new();
    halves.insert("stage".to_owned(), json!("execute"));
    for (half, _) in EXECUTE_HALVES {
        let mut aspects = Map::new();
        for checkpoint in Checkpoint::all().filter(|one| one.half() == half) {
            if let Some(field) = marked.iter().find(|field| field.path == checkpoint.key()) {
                let aspect = aspects.entry(checkpoint.aspect()).or_insert_with(|| json!({}));
                aspect[checkpoint.key()] = item(field);
            }
        }
        halves.insert(half.to_owned(), Value::Object(aspects));
    }
    Some(Value::Object(halves))
}

/// The fields of the stage's grading file that code decided, by path from its outermost key.
pub fn decided_by_code(grading: &Grading) -> BTreeSet<String> {
    let decided = grading.fields.iter().filter(|field| field.by == By::Code);
    decided
        .map(|field| {
            let checkpoint = Checkpoint::all().find(|one| one.key() == field.path);
            match checkpoint.filter(|_| grading.stage == GradedStage::Execute) {
                Some(one) => format!("{}.{}.{}", one.half(), one.aspect(), one.key()),
                None => field.path.clone(),
            }
        })
        .collect()
}

/// The score and explanation of the marking that decided; between two, of the
/// nearest. The released aggregation reads any number, so half a mark stays one.
fn item(field: &FieldGrade) -> Value {
    let away = |given: &&Given| match (given.mark.score(), field.mark.score()) {
        (Some(one), Some(median)) => Some((one - median).abs()),
        (None, None) if given.mark == field.mark => Some(0.0),
        _ => None,
    };
    let near = field
        .given
        .iter()
        .filter_map(|given| Some((away(&given)?, given)));
    let decided = near.min_by(|(one, _), (other, _)| one.total_cmp(other));
    json!({
        "score": field.mark,
        "explanation": decided.map_or("", |(_, given)| given.explanation.as_str()),
    })
}
