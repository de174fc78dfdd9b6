//! The request for gradings of runs, and the parts that grading them shares.

use crate::catalog::rubrics::load::Rubrics;
use crate::documents::helper::Helper;
use crate::domain::sampling::Sampling;
use crate::grading::scorecard::judged::Judging;
use crate::model::capabilities::Capabilities;
use crate::model::name::is_recording;
use crate::policy::limits::Caps;
use crate::tools::registry::Registry;

use super::judge_source::JudgeSource;

/// The request for gradings: judges, repeats and orders of fields.
#[derive(Debug, Clone, Default)]
pub struct GradingRequest {
    /// Models that grade, by name; none: code alone.
    pub judges: Vec<String>,
    /// Judges whose earlier marks are left out.
    pub dropped: Vec<String>,
    /// How often each judge grades the same.
    pub repeats: u32,
    /// Changes the orders of fields; a judge that takes a seed has it as its own.
    pub seed: Option<u64>,
    /// For judges that take one.
    pub temperature: Option<f64>,
    /// True if plans are marked 0 to 3 instead of 0 or 3.
    pub graded_design: bool,
    /// True if judges are asked for floors and ceilings too.
    pub baselines: bool,
    /// What one judge may spend on one run.
    pub caps: Caps,
}

impl GradingRequest {
    /// The settings that a judge is told besides its questions; one that chooses its own
    /// temperature is told none.
    pub fn sampling(&self, judge: &str, known: &Capabilities) -> Sampling {
        if is_recording(judge) {
            return Sampling::default();
        }
        Sampling {
            temperature: self.temperature.filter(|_| known.temperature != Some(false)),
            seed: self.seed,
            ..Sampling::default()
        }
    }
}

/// The parts that grading shares between runs.
#[derive(Clone)]
pub struct GradingSetup<'a> {
    pub rubrics: Rubrics,
    pub registry: Registry,
    pub helper: Helper,
    pub judges: &'a dyn JudgeSource,
}

impl GradingSetup<'_> {
    /// How a judge is asked.
    pub fn judging(&self, request: &GradingRequest) -> Judging<'_> {
        Judging {
            rubrics: &self.rubrics,
            helper: &self.helper,
            registry: &self.registry,
            repeats: request.repeats,
            seed: request.seed.unwrap_or_default(),
            graded_design: request.graded_design,
            baselines: request.baselines,
        }
    }
}
