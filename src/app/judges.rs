//! The judges of this machine's settings.

use std::sync::Arc;

use crate::engine::error::EngineError;
use crate::engine::watch::{Unwatched, Watch};
use crate::grading::scored_run::judge_source::{JudgeSource, NamedJudge};
use crate::model::access::Access;
use crate::model::capabilities::Capabilities;
use crate::model::chat::ChatModel;
use crate::model::layers::spend_account::SharedBudget;
use crate::settings::Settings;

use super::models::{ModelChoice, models};
use super::process_shared::ProcessShared;

/// Models as judges, with the keys, addresses and prices that the settings give.
pub struct Judges<'a> {
    pub settings: &'a Settings,
    pub shared: &'a ProcessShared,
}

impl JudgeSource for Judges<'_> {
    fn capabilities(&self, judge: &str) -> Result<Capabilities, EngineError> {
        Ok(Access::open(self.settings)?.capabilities(judge))
    }

    fn model(&self, judge: NamedJudge<'_>) -> Result<Arc<dyn ChatModel>, EngineError> {
        let watch: Arc<dyn Watch> = Arc::new(Unwatched);
        let wanted = ModelChoice {
            sampling: judge.sampling,
            ..ModelChoice::unbounded(judge.study, judge.name)
        };
        Ok(models(self.settings, self.shared, wanted, &watch)?.model)
    }

    fn pool(&self) -> Arc<SharedBudget> {
        self.shared.pool.clone()
    }
}
