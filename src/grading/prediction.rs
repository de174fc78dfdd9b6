//! The verdict that a run of the claim-only track said.

use crate::artifacts::content;
use crate::artifacts::store::Store;
use crate::domain::claim_only::{PredictedVerdict, Prediction};
use crate::engine::error::EngineError;
use crate::run::state::State;
use crate::scoring::outcome::RunVerdict;

/// The prediction that a run came to; `None` where it came to none.
///
/// # Errors
/// An artifact that cannot be read, or that is no prediction.
pub fn prediction(state: &State, store: &dyn Store) -> Result<Option<Prediction>, EngineError> {
    let stage = state.track().result_stage();
    let Some(artifact) = stage.and_then(|stage| state.stages.get(&stage)?.artifact()) else {
        return Ok(None);
    };
    let bytes = content::load(artifact, store)?;
    let read = serde_json::from_slice(&bytes);
    let unusable = |error| EngineError::Unusable(format!("the prediction cannot be read: {error}"));
    Ok(Some(read.map_err(unusable)?))
}

/// A prediction, as verdicts are compared with labels.
pub fn verdict(predicted: PredictedVerdict) -> RunVerdict {
    match predicted {
        PredictedVerdict::Met => RunVerdict::Met,
        PredictedVerdict::Unmet => RunVerdict::Unmet,
    }
}
