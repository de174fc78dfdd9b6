//! Recordings in the place of a model and of the network.

use std::sync::Arc;

use serde_json::json;

use crate::effects::ports::Network;
use crate::model::chat::ModelError;
use crate::model::recording::recorded::RecordedModel;
use crate::run::event::CallRef;
use crate::tools::contract::{Observation, Request};
use crate::tools::look_at_image;

use super::run_models::RunModels;

/// What recordings call a check of proposed addresses.
const CHECK: &str = "check_addresses";

/// A recording as the network.
struct RecordedNetwork(Arc<RecordedModel>);

#[async_trait::async_trait]
impl Network for RecordedNetwork {
    fn is_live(&self) -> bool {
        false
    }

    fn sees(&self) -> Option<bool> {
        Some(self.0.offers(look_at_image::NAME))
    }

    async fn answer(&self, at: CallRef, index: u32, request: &Request) -> Result<Observation, ModelError> {
        if let Some(result) = self.0.network_at(at.stage, at.turn, at.call) {
            return Ok(observed(result.value, result.failed));
        }
        let (tool, arguments) = match request {
            Request::WebSearch { query, .. } => ("web_search", json!({ "query": query })),
            Request::FetchPage { url } => ("fetch_page", json!({ "url": url })),
            // Recordings made before a review, or without the web, hold none.
            Request::CheckAddresses { .. }
                if self.0.network_tool(at.stage, index as usize) != Some(CHECK) =>
            {
                return Ok(Observation::bad("The recording holds no review of this answer."));
            }
            Request::CheckAddresses { urls, .. } => (CHECK, json!({ "urls": urls })),
            Request::LookAtImage(look) => (look_at_image::NAME, look.arguments()),
            Request::RunAnalysis { .. } | Request::Act { .. } | Request::AskPerson { .. } => {
                return Err(ModelError::Misconfigured(
                    "this is no request to the network".to_owned(),
                ));
            }
        };
        let result = self
            .0
            .network_answer(at.stage, index as usize, tool, &arguments)?;
        Ok(observed(result, false))
    }
}

/// What a recorded answer of the network tells the model.
fn observed(result: serde_json::Value, failed: bool) -> Observation {
    let text = match result {
        serde_json::Value::String(text) => text,
        other => serde_json::to_string_pretty(&other).unwrap_or_default(),
    };
    if failed {
        Observation::bad(text)
    } else {
        Observation::good(text)
    }
}

/// Wraps a recording, already opened for replay or to be refreshed.
pub fn recorded(model: Arc<RecordedModel>) -> RunModels {
    RunModels::free(model.clone(), Arc::new(RecordedNetwork(model)))
}
