//! The forms of a stage's answer.

use serde_json::Value;

use super::moves::Deviations;
use super::{execution_results, post_registration, replication_info, search_results};
use crate::domain::stage::Stage;

/// Brings the parts of a stage's answer to their places.
pub fn reshape(stage: Stage, value: Value, deviations: &mut Deviations) -> Value {
    let Value::Object(mut root) = value else {
        return value;
    };
    match stage {
        Stage::EXTRACT => post_registration::reshape(&mut root, deviations),
        Stage::SEARCH => search_results::reshape(&mut root, deviations),
        Stage::DESIGN => replication_info::reshape(&mut root, deviations),
        Stage::EXECUTE => execution_results::reshape(&mut root, deviations),
        _ => {}
    }
    Value::Object(root)
}
