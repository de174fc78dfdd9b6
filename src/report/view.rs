//! The whole picture of a run, folded from its journal.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::execution::Tier;
use crate::domain::finding::Finding;
use crate::domain::grade::Grade;
use crate::run::elapsed::Clocks;
use crate::run::event::{Record, RunStarted};
use crate::run::state::State;
use crate::scoring::grounding::line::Line;
use crate::verdict::trace::WrittenNumber;
use crate::verdict::variant::{VariantResult, VariantSummary};

use super::acts::ActView;
use super::approvals::Approvals;
use super::citation::{citation, replayed};
use super::deviation_view::DeviationView;
use super::evidence::{Evidence, PlanDeviation, StatisticFlag, Trace};
use super::executions::{BuildView, ExecutionView, starts};
use super::files::OpenedFiles;
use super::lock_view::LockView;
use super::narrative::Narrative;
use super::notes::{Known, Notes};
use super::probe_view::ProbeView;
use super::scores::Scores;
use super::searched;
use super::spending::Spending;
use super::stage_view::{StageView, stages, total};
use super::standing_words::stopped;
use super::study_kind::StudyKindView;
use super::text::{LoadContent, Loader};
use super::timeline::{Shares, between};
use super::transcript::StageTranscript;
use super::verdict::VerdictView;
use crate::grading::criteria::line::RuleDecision;
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::criteria::table::Criteria;

/// A complete and deterministic picture of a run, as far as its journal goes.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct View {
    /// How the run was asked for; absent before its first event.
    pub run: Option<RunStarted>,
    pub study_kind: StudyKindView,
    /// Where the plan was registered before it was carried out, as a person says.
    #[serde(default)]
    pub registration: Option<String>,
    /// The sandbox that confined the executions, from the last build.
    pub tier: Option<Tier>,
    pub started_at: Option<Timestamp>,
    /// The time of the journal's last event.
    pub last_at: Option<Timestamp>,
    pub wall_ms: u64,
    /// The wall clock in its parts.
    pub clocks: Clocks,
    /// Events folded.
    pub events: u64,
    pub resumed: u32,
    /// Why the run has no result, and the command that resumes it.
    #[serde(default)]
    pub stopped: Option<String>,
    /// What answered in a model's place, in a sentence, if a recording did.
    #[serde(default)]
    pub replayed: Option<String>,
    pub verdict: VerdictView,
    /// The variants of the main analysis, which decide nothing.
    #[serde(default)]
    pub variants: Vec<VariantResult>,
    #[serde(default)]
    pub variant_summary: Option<VariantSummary>,
    /// What the grader of another track than replication said.
    #[serde(default)]
    pub grade: Option<GradeView>,
    /// The track's name, if it is not replication.
    #[serde(default)]
    pub track: Option<String>,
    pub findings: Findings,
    /// What the stages' answers say.
    #[serde(default)]
    pub narrative: Narrative,
    /// How the run is cited.
    #[serde(default)]
    pub citation: Option<String>,
    /// Absent if a study has no estimate.
    pub criteria: Option<Criteria>,
    pub stages: Vec<StageView>,
    pub time: Shares,
    pub builds: Vec<BuildView>,
    /// The lock that its environments were held to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lock: Option<LockView>,
    pub executions: Vec<ExecutionView>,
    /// Acts in the task's environment.
    #[serde(default)]
    pub acts: Vec<ActView>,
    /// The result of running the code again on changed data.
    #[serde(default)]
    pub probes: Option<ProbeView>,
    pub approvals: Approvals,
    pub files: OpenedFiles,
    pub deviations: Vec<PlanDeviation>,
    pub deviation_table: Vec<DeviationView>,
    pub scores: Scores,
    pub grounding: Option<Vec<Line>>,
    pub flags: Option<Vec<StatisticFlag>>,
    pub costs: Spending,
    /// The limits of this run, in whole sentences.
    pub notes: Vec<String>,
    /// What this run does not show, in whole sentences.
    #[serde(default)]
    pub unknown: Vec<String>,
    pub transcript: Vec<StageTranscript>,
}

/// The grade of a task that is no replication.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GradeView {
    /// In one line, with its coverage.
    pub line: String,
    #[serde(flatten)]
    pub grade: Grade,
}

impl GradeView {
    fn from_grade(grade: &Grade) -> Self {
        Self {
            line: grade.line(),
            grade: grade.clone(),
        }
    }
}

/// The findings that are compared, with the sources of their numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    pub original: Option<Finding>,
    pub replication: Option<Finding>,
    /// Further findings of the replication, the focal one left out.
    pub others: Vec<Finding>,
    pub scale: ScaleRelation,
    pub traces: Vec<Trace>,
}

impl View {
    /// Folds a journal, whole or cut anywhere, into a picture; never fails.
    ///
    /// `load` reads stored contents. What it cannot read, and an event that
    /// cannot follow the ones before it, become notes.
    pub fn build(records: &[Record], load: LoadContent<'_>, evidence: &Evidence) -> Self {
        let (state, records, impossible) = fold(records);
        let loader = Loader::new(load);
        let started_at = starts(records);
        let executions: Vec<_> = state
            .executions
            .iter()
            .enumerate()
            .map(|(number, one)| {
                let later = state.executions.iter().skip(number + 1);
                ExecutionView::new(one, later, started_at.get(&one.started.id).copied(), &loader)
            })
            .collect();
        let files = OpenedFiles::new(&evidence.planned_data, &executions);
        let scores = Scores::from_evidence(evidence);
        let known = Known {
            state: &state,
            records,
            evidence,
            executions: &executions,
            files: &files,
        };
        let Notes {
            limits: mut notes,
            mut unknown,
        } = known.notes();
        notes.extend(searched::notes(&state, &loader));
        let stages = stages(&state, records, evidence);
        let approvals = Approvals::from_gate(&state.gate, records, &loader);
        let transcript = state
            .stages
            .iter()
            .map(|(stage, one)| StageTranscript::new(*stage, one, &loader))
            .collect();
        let acts = state.stages.iter();
        let acts = acts
            .flat_map(|(stage, one)| ActView::of_stage(*stage, one, &loader))
            .collect();
        let lock = state.lock().and_then(|lock| LockView::read(lock, &loader));
        unknown.extend(loader.unread());
        unknown.extend(impossible);
        let (first, last) = (records.first(), records.last());
        Self {
            study_kind: StudyKindView::from_state(&state),
            registration: state.registration.clone(),
            tier: state.builds.last().map(|build| build.tier),
            started_at: first.map(|record| record.at),
            last_at: last.map(|record| record.at),
            wall_ms: first
                .zip(last)
                .map_or(0, |(first, last)| between(first.at, last.at)),
            clocks: state.elapsed.clocks(),
            events: state.seq,
            resumed: state.resumed,
            stopped: stopped(&state, records, evidence.place.as_deref().unwrap_or("RUN")),
            replayed: replayed(&state),
            verdict: VerdictView::new(
                &state,
                evidence.conclusion.as_deref(),
                evidence.recomputed.as_ref(),
            ),
            variants: evidence
                .variants
                .as_ref()
                .map(|variants| variants.results.clone())
                .unwrap_or_default(),
            variant_summary: evidence
                .variants
                .as_ref()
                .and_then(|variants| variants.summary.clone()),
            grade: state.grade.as_ref().map(GradeView::from_grade),
            track: Some(state.track())
                .filter(|track| !track.is_replication())
                .map(|track| track.track.clone()),
            findings: Findings::from_evidence(evidence),
            narrative: evidence.narrative.clone(),
            citation: citation(&state, first),
            criteria: criteria(&state, evidence),
            time: total(&stages),
            stages,
            builds: state.builds.iter().map(BuildView::from_state).collect(),
            lock,
            executions,
            acts,
            probes: evidence
                .probes
                .as_ref()
                .map(|summary| ProbeView::new(summary, state.verdict.as_ref())),
            approvals,
            files,
            deviations: evidence.deviations.clone(),
            deviation_table: DeviationView::table(&evidence.deviation_table),
            scores,
            grounding: evidence.grounding.clone(),
            flags: evidence.flags.clone(),
            costs: Spending::sum(state.stages.values().map(Spending::from_stage)).costing(evidence.money),
            notes,
            unknown,
            transcript,
            run: state.started,
        }
    }
}

/// The state, the records that led to it, and why the fold stopped before the end.
fn fold(records: &[Record]) -> (State, &[Record], Option<String>) {
    let mut state = State::default();
    for (position, record) in records.iter().enumerate() {
        if let Err(error) = state.apply(record) {
            let note = format!(
                "The journal does not make sense from event {} on, and this report ends before it: {error}.",
                record.seq
            );
            return (state, &records[..position], Some(note));
        }
    }
    (state, records, None)
}

fn criteria(state: &State, evidence: &Evidence) -> Option<Criteria> {
    let verdict = state.verdict.as_ref();
    let decided = RuleDecision {
        criterion: verdict.and_then(|verdict| verdict.criterion.as_deref()),
        outcome: verdict.map(|verdict| verdict.outcome),
        reason: verdict.map(|verdict| verdict.reason.as_str()),
    };
    let (original, replication) = (evidence.original.as_ref(), evidence.replication.as_ref());
    let sesoi = evidence.sesoi.as_ref();
    let found = Criteria::assess(original, replication, &evidence.scale, sesoi, decided)?;
    Some(match evidence.is_original_unclaimed {
        true => found.without_power(),
        false => found,
    })
}

impl Findings {
    fn from_evidence(evidence: &Evidence) -> Self {
        Self {
            original: evidence.original.clone(),
            replication: evidence.replication.clone(),
            others: evidence
                .findings
                .iter()
                .filter(|finding| {
                    let focal = evidence.replication.as_ref();
                    focal.is_none_or(|focal| !is_again(finding, focal))
                })
                .cloned()
                .collect(),
            scale: evidence.scale.clone(),
            traces: evidence.traces.clone(),
        }
    }
}

/// True if a reported finding is the focal one, with its numbers rounded or left out.
fn is_again(reported: &Finding, focal: &Finding) -> bool {
    let rounds = |reported: Option<f64>, found: Option<f64>| match (reported, found) {
        (Some(reported), Some(found)) => {
            WrittenNumber::from_value(reported).is_some_and(|written| written.is_of(found))
        }
        (reported, _) => reported.is_none(),
    };
    let exact = |finding: &Finding| finding.p_value.map(|p| p.value);
    reported == focal
        || (reported.name == focal.name
            && rounds(reported.estimate, focal.estimate)
            && rounds(reported.standard_error, focal.standard_error)
            && rounds(exact(reported), exact(focal))
            && (reported.n.is_none() || reported.n == focal.n)
            && reported.interval.is_none_or(|interval| {
                focal.interval.is_some_and(|found| {
                    rounds(Some(interval.lower), Some(found.lower))
                        && rounds(Some(interval.upper), Some(found.upper))
                        && interval.level == found.level
                })
            }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Interval;

    #[test]
    fn a_rounded_report_of_the_focal_finding_is_that_finding() {
        let with = |estimate, lower, upper| Finding {
            name: "income".to_owned(),
            estimate: Some(estimate),
            interval: Some(Interval {
                lower,
                upper,
                level: 0.95,
            }),
            ..Finding::default()
        };
        let focal = with(0.001_361_17, 0.000_916_288, 0.001_806_05);
        assert!(is_again(&with(0.001_36, 0.000_92, 0.001_81), &focal));
        assert!(!is_again(&with(0.001_36, 0.000_92, 0.002_81), &focal));
        assert!(!is_again(&with(0.001_46, 0.000_92, 0.001_81), &focal));
    }
}
