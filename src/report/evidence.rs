//! The evidence of a report beyond its journal: read from artifacts, files on disk
//! and scores by whoever calls.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::domain::finding::Finding;
use crate::domain::ids::ExecutionId;
use crate::domain::probe::ProbeSummary;
use crate::domain::stage::Stage;
use crate::domain::usage::MicroDollars;
use crate::domain::verdict::Verdict;
use crate::engine::variants::Variants;
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::score_line::{Headline, ScoreLine};
use crate::scoring::grounding::line::Line;
use crate::study::reference::Sesoi;
use crate::verdict::deviation::Deviation;

use super::narrative::Narrative;

/// Everything that a report is given in addition to the journal; each part may be absent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evidence {
    /// The probes of whether the result comes from the data, where that was probed.
    pub probes: Option<ProbeSummary>,
    /// The variants beside the main result, where any is registered.
    pub variants: Option<Variants>,
    /// The name of the run's folder.
    pub place: Option<String>,
    /// What the stages' answers say.
    pub narrative: Narrative,
    /// The original's focal finding.
    pub original: Option<Finding>,
    /// True if none of these is a figure of the claim.
    pub is_original_unclaimed: bool,
    /// The replication's focal finding, the one the rule is applied to.
    pub replication: Option<Finding>,
    /// Every finding that the replication reports, the focal one included or not.
    pub findings: Vec<Finding>,
    pub scale: ScaleRelation,
    /// The smallest effect that matters, as the study has it.
    pub sesoi: Option<Sesoi>,
    /// A sentence on published figures that are not the run's own copy.
    pub source_note: Option<String>,
    /// A sentence on references that have changed since the run began.
    pub references_note: Option<String>,
    pub traces: Vec<Trace>,
    /// Data files that the plan names, as the plan writes them.
    pub planned_data: Vec<String>,
    pub deviations: Vec<PlanDeviation>,
    /// The deviations from the plan, row by row.
    pub deviation_table: Vec<Deviation>,
    /// The plan's requests of the sandbox that were not granted, each in words.
    pub not_honoured: Vec<String>,
    /// The verdict by the rules of this version, where it was asked for.
    pub recomputed: Option<Verdict>,
    /// The agent's conclusion in its own words.
    pub conclusion: Option<String>,
    pub headlines: Vec<Headline>,
    pub scores: Vec<ScoreLine>,
    /// How the quotations, locations and numbers of the post-registration stand in
    /// the paper; `None`: not looked up.
    pub grounding: Option<Vec<Line>>,
    /// The parts of the paper that could not be read, in sentences.
    pub paper_notes: Vec<String>,
    /// Reported statistics that do not fit together; `None`: not checked.
    pub flags: Option<Vec<StatisticFlag>>,
    /// The cost of the model calls, where prices are known.
    pub money: Option<MicroDollars>,
    /// The same by stage.
    pub stage_money: BTreeMap<Stage, MicroDollars>,
    /// True where the journal lacks a price, and the one of the program's table was taken.
    pub has_table_prices: bool,
}

/// A reported number, and where an execution printed it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trace {
    /// The finding, or the field of the report, that the number belongs to.
    pub finding: String,
    /// The number as reported.
    pub number: String,
    /// `None` flags a number that no execution printed.
    pub found_at: Option<FoundAt>,
}

/// An output stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    /// Its name.
    pub fn words(self) -> &'static str {
        match self {
            Self::Stdout => "stdout",
            Self::Stderr => "stderr",
        }
    }
}

/// A line of an execution's output.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FoundAt {
    pub execution: ExecutionId,
    pub stream: Stream,
    /// Counted from 1.
    pub line: u64,
    pub text: String,
}

/// A file that was changed after the plan was fixed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlanDeviation {
    pub file: String,
    /// A unified diff.
    pub diff: String,
}

/// Reported statistics that do not fit together.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct StatisticFlag {
    /// The finding or field.
    pub subject: String,
    /// The misfit, in one sentence with the numbers.
    pub detail: String,
    /// Whether the original paper prints it; else the extraction does.
    #[serde(default)]
    pub in_paper: bool,
}
