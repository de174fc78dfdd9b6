//! The choices of a run of a study.

use crate::domain::claim_wording::ClaimWording;
use crate::domain::execution::Limits;
use crate::domain::mode::{CodeAccess, CodeMode, Setting};
use crate::domain::probe::ProbeSettings;
use crate::domain::track::StageSelection;
use crate::engine::request::MendChoice;

use super::run::RunChoice;

/// The choices of a run of a study.
#[derive(Debug, Clone, PartialEq)]
pub struct StudyChoice {
    pub run: RunChoice,
    pub code_mode: CodeMode,
    pub code_access: CodeAccess,
    pub stages: StageSelection,
    /// The search engine of the search stage; that of the environment if none is named.
    pub search: Option<String>,
    pub wording: ClaimWording,
    pub mend: MendChoice,
    /// `None`: the result is not probed.
    pub probe: Option<ProbeSettings>,
    /// The stages that a third-party agent carries.
    pub agent_stages: Option<StageSelection>,
    /// Whether that agent sees the data before the plan is carried out.
    pub agent_data: bool,
}

impl Default for StudyChoice {
    fn default() -> Self {
        Self {
            run: RunChoice::new(Limits::default()),
            code_mode: CodeMode::Python,
            code_access: CodeAccess::Code,
            stages: StageSelection::default(),
            search: None,
            wording: ClaimWording::AsGiven,
            mend: MendChoice::default(),
            probe: Some(ProbeSettings { seconds: None }),
            agent_stages: None,
            agent_data: false,
        }
    }
}

impl StudyChoice {
    /// The setting of the three that is chosen.
    pub fn setting(&self) -> Setting {
        Setting::new(self.code_mode, self.code_access)
    }
}
