//! The choices that runs of every track have.

use std::path::PathBuf;

use crate::domain::answer_patience::AnswerPatience;
use crate::domain::execution::Limits;
use crate::domain::sampling::Sampling;
use crate::engine::request::SandboxChoice;
use crate::policy::limits::Budget;

use super::agent::AgentChoice;
use super::lock::LockChoice;

/// The choices of a run that do not depend on its track.
#[derive(Debug, Clone, PartialEq)]
pub struct RunChoice {
    /// The task's own recording if none is named.
    pub model: Option<String>,
    pub sampling: Sampling,
    /// How long answers are waited for.
    pub patience: AnswerPatience,
    /// `ask`, `auto`, `deny` or `policy:FILE`.
    pub approve: String,
    pub sandbox: SandboxChoice,
    pub limits: Limits,
    /// Hosts that code may reach, each by its name.
    pub hosts: Vec<String>,
    /// The model that looks at pictures, in place of the run's own.
    pub vision_model: Option<String>,
    /// A folder whose stage definitions replace the built-in ones.
    pub stages_dir: Option<PathBuf>,
    pub lock: LockChoice,
    pub budget: Budget,
    /// Whether a model without a known price may be asked.
    pub allow_unpriced: bool,
    pub agent: AgentChoice,
}

impl RunChoice {
    /// A run of which nothing but the limits is chosen.
    pub fn new(limits: Limits) -> Self {
        Self {
            model: None,
            sampling: Sampling::default(),
            patience: AnswerPatience::default(),
            approve: "ask".to_owned(),
            sandbox: SandboxChoice::Auto,
            limits,
            hosts: Vec::new(),
            vision_model: None,
            stages_dir: None,
            lock: LockChoice::default(),
            budget: Budget::default(),
            allow_unpriced: false,
            agent: AgentChoice::default(),
        }
    }
}
