//! Gradings in the benchmark's own files.
//!
//! A field that could not be marked is left out of them, and stands as `unscored` in
//! `scores.json`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::grading::judge::grade::{FieldGrade, GradedBy, Grading};
use crate::grading::judge::mark::{Given, Mark};
use crate::scoring::released::grading_file::{self, MarkedField, path_in_file};

/// The shape of the stage's grading file; `None` where nothing has a mark.
pub fn in_released_shape(grading: &Grading) -> Option<Value> {
    let marked = grading.fields.iter().filter(|field| field.mark != Mark::Unscored);
    let marked: Vec<MarkedField> = marked.map(marked_field).collect();
    (!marked.is_empty()).then(|| grading_file::in_released_shape(grading.stage, &marked))
}

/// The fields of the stage's grading file that code decided, by path from its outermost key.
pub fn decided_by_code(grading: &Grading) -> BTreeSet<String> {
    let decided = grading.fields.iter().filter(|field| field.by == GradedBy::Code);
    decided
        .map(|field| path_in_file(grading.stage, &field.path))
        .collect()
}

/// The score and explanation of the marking that decided; between two, of the
/// nearest. The released aggregation reads any number, so half a mark stays one.
fn marked_field(field: &FieldGrade) -> MarkedField {
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
    MarkedField {
        path: field.path.clone(),
        score: json!(field.mark),
        explanation: decided.map_or_else(String::new, |(_, given)| given.explanation.clone()),
    }
}
