//! Vision answered from an earlier run's recording.

use std::sync::Arc;

use async_trait::async_trait;

use crate::domain::usage::Usage;
use crate::model::chat::ModelError;
use crate::run::event::CallRef;
use crate::tools::contract::Request;
use crate::tools::look::Look;

use super::ports::Network;
use super::vision::{Seen, VisionModel};

/// The vision of an earlier run, through the port that answers for it.
pub struct RecordedVision {
    /// Answers for the run that was recorded.
    pub network: Arc<dyn Network>,
    /// The name of the recording or the model.
    pub model: String,
}

#[async_trait]
impl VisionModel for RecordedVision {
    async fn look(&self, at: CallRef, index: u32, look: &Look) -> Result<Seen, ModelError> {
        let request = Request::LookAtImage(Box::new(look.clone()));
        let observation = self.network.answer(at, index, &request).await?;
        Ok(Seen {
            text: observation.text,
            ok: observation.ok,
            model: self.model.clone(),
            usage: Usage::default(),
        })
    }
}
