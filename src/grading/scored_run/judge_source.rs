//! The source of judges by their names.

use std::path::Path;
use std::sync::Arc;

use crate::domain::sampling::Sampling;
use crate::engine::error::EngineError;
use crate::model::capabilities::Capabilities;
use crate::model::chat::ChatModel;
use crate::model::layers::spend_account::SharedBudget;

/// A judge as it is named.
#[derive(Debug, Clone, Copy)]
pub struct NamedJudge<'a> {
    /// The full name, such as `openai/gpt-5` or `recorded:NAME`.
    pub name: &'a str,
    /// The study, where `recorded:NAME` is looked for.
    pub study: &'a Path,
    pub sampling: Sampling,
}

/// The models that can grade.
pub trait JudgeSource: Send + Sync {
    /// What is known of a judge, its price included.
    ///
    /// # Errors
    /// A table of models or a keyring that cannot be used.
    fn capabilities(&self, judge: &str) -> Result<Capabilities, EngineError>;

    /// The judge, ready to be asked; nothing caps what it spends.
    ///
    /// # Errors
    /// A name that is none, a recording that cannot be opened, or a key that is absent.
    fn model(&self, judge: NamedJudge<'_>) -> Result<Arc<dyn ChatModel>, EngineError>;

    /// What all judges of this process may spend together.
    fn pool(&self) -> Arc<SharedBudget>;
}
