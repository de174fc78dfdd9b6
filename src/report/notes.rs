//! The limits of a run and its gaps, in whole sentences.

use std::collections::BTreeSet;

use crate::domain::execution::Tier;
use crate::domain::mode::CodeAccess;
use crate::domain::probe::ProbeVerdict;
use crate::domain::refit::Refit;
use crate::domain::scale::Scale;
use crate::domain::stage::Stage;
use crate::model::name::{CLIENT, UNMETERED};
use crate::run::event::{Event, Record, StageEnd};
use crate::run::state::State;
use crate::study::check::is_pdf;
use crate::verdict::judged::capital;
use crate::verdict::one_scale::OneScale;

use super::evidence::Evidence;
use super::executions::{CommandEnding, ExecutionView};
use super::files::OpenedFiles;
use super::probe_view::ProbeView;
use crate::domain::format;
use crate::environment::rescue::shim;
use crate::grading::criteria::both_estimates::is_of_ratios;
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::criteria::shared_axis::settled;

/// The sources of the notes.
pub struct Known<'a> {
    pub state: &'a State,
    pub records: &'a [Record],
    pub evidence: &'a Evidence,
    pub executions: &'a [ExecutionView],
    pub files: &'a OpenedFiles,
}

/// The notes on a run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Notes {
    /// What is known to limit it.
    pub limits: Vec<String>,
    /// What it could have shown and does not.
    pub unknown: Vec<String>,
}

impl Known<'_> {
    /// Every limit and every gap of this run that its journal and evidence show.
    pub fn notes(&self) -> Notes {
        let mut notes = Notes::default();
        self.course(&mut notes.limits);
        self.sandbox(&mut notes);
        self.mends(&mut notes.limits);
        self.data(&mut notes);
        self.probes(&mut notes);
        if self.is_replication() {
            self.numbers(&mut notes);
        }
        self.costs(&mut notes);
        notes
    }

    /// False for a task of another track, which has no original.
    fn is_replication(&self) -> bool {
        self.state.track().is_replication()
    }

    /// R's old defaults, and fixes of old code, each given once.
    fn mends(&self, notes: &mut Vec<String>) {
        if self.state.r_defaults().is_some() {
            notes.push(format!(
                "R scripts ran with the defaults of R before 4.0 and the sampler of R before 3.6, as the study asks. {}",
                shim::NOT_REACHED
            ));
        }
        for execution in self.executions {
            let rescue = execution.rescue.as_ref();
            if let Some(note) = rescue.and_then(|rescue| rescue.note(execution.path.as_str()))
                && !notes.contains(&note)
            {
                notes.push(note);
            }
        }
    }

    fn course(&self, notes: &mut Vec<String>) {
        let resumed = u64::from(self.state.resumed);
        if resumed > 0 {
            notes.push(format!(
                "The run was resumed {}.",
                times(resumed, "once", "times")
            ));
        }
        for record in self.records {
            if let Event::Resumed(resumption) = &record.event
                && !resumption.note.trim().is_empty()
            {
                notes.push(format!("When the run was resumed: {}", resumption.note));
            }
        }
        if let Some(started) = &self.state.started {
            let track = started.settings.track();
            let asked = track.range(started.settings.stages).iter();
            let missing: Vec<_> = asked
                .map(|place| place.stage)
                .filter(|stage| !self.state.stages.contains_key(stage))
                .map(|stage| stage.to_string())
                .collect();
            if !missing.is_empty() {
                notes.push(format!("Stages that did not begin: {}.", missing.join(", ")));
            }
            let left_out: Vec<_> = track
                .stages()
                .filter(|stage| !started.settings.covers(*stage))
                .map(|stage| stage.to_string())
                .collect();
            if !left_out.is_empty() {
                notes.push(format!(
                    "Stages that were not asked for: {}.",
                    left_out.join(", ")
                ));
            }
            for line in &started.left_out {
                notes.push(format!("Left out of the workspace: {line}"));
            }
            if started.settings.code_access == CodeAccess::DataOnly {
                for file in started.data.iter().filter(|file| is_pdf(&file.path)) {
                    notes.push(match started.code_searched {
                        true => format!(
                            "{} was searched for analysis code. Code in a picture of a page is not found.",
                            file.path
                        ),
                        false => format!(
                            "{} may contain code as text. The agent could read it, although the run was to use data only.",
                            file.path
                        ),
                    });
                }
            }
        }
        if let Some(StageEnd::Failed { cause, detail }) = self.state.end_of(Stage::SEARCH) {
            notes.push(format!(
                "The search for data ended early ({cause}: {detail}), so the run used the bundled data alone."
            ));
        }
    }

    fn sandbox(&self, notes: &mut Notes) {
        for line in &self.state.session_notes {
            notes.limits.push(line.clone());
        }
        let tiers: BTreeSet<_> = self
            .state
            .builds
            .iter()
            .map(|build| tier_limits(build.tier))
            .collect();
        notes.limits.extend(tiers.into_iter().map(str::to_owned));
        let said: BTreeSet<_> = self
            .executions
            .iter()
            .flat_map(|execution| &execution.notes)
            .collect();
        notes
            .limits
            .extend(said.into_iter().map(|note| format!("From the sandbox: {note}")));
        for asked in &self.evidence.not_honoured {
            notes
                .limits
                .push(format!("The plan asked for {asked}, which was not granted."));
        }
        for execution in self.executions {
            if execution.became == CommandEnding::Interrupted {
                notes.unknown.push(format!(
                    "Execution {} ({}) was interrupted, and what it printed is lost.",
                    execution.id, execution.path
                ));
            }
            let dropped = (execution.stdout_bytes + execution.stderr_bytes)
                .saturating_sub(execution.stdout.size + execution.stderr.size);
            if dropped > 0 {
                notes.limits.push(format!(
                    "Execution {} printed {} more than was kept.",
                    execution.id,
                    format::bytes(dropped)
                ));
            }
        }
    }

    fn data(&self, notes: &mut Notes) {
        if self.files.executions == 0 {
            return;
        }
        if !self.files.complete {
            notes.unknown.push(
                "The record of opened files may have gaps: a file that is not in it may still have been read."
                    .to_owned(),
            );
        }
        let unread = self
            .files
            .planned
            .iter()
            .filter(|file| file.opened.is_empty())
            .count();
        if unread > 0 {
            let list = match self.files.complete {
                true => &mut notes.limits,
                false => &mut notes.unknown,
            };
            list.push(format!(
                "{} that the plan names {} not seen to be opened.",
                format::counted(unread, "data file", "data files"),
                format::plural(unread, "was", "were")
            ));
        }
    }

    fn probes(&self, notes: &mut Notes) {
        if let Some(summary) = &self.evidence.probes {
            // The verdict has what the probes leave open, and every misreading among its doubts.
            let is_verdict = self.state.verdict.is_some();
            if matches!(summary.verdict, ProbeVerdict::Undecided { .. }) && !is_verdict {
                let view = ProbeView::new(summary, None);
                notes.unknown.push(format!("{}.", view.verdict));
            }
            if !is_verdict {
                let details = summary.misreadings.iter().map(|one| &one.detail);
                notes
                    .limits
                    .extend(details.map(|detail| format!("{}.", capital(detail))));
            }
            let agrees = match &summary.refit {
                Some(refit @ Refit::Agrees { .. }) => Some(refit.sentence()),
                _ => None,
            };
            let limits = summary.notes.iter().filter(|note| agrees.as_ref() != Some(note));
            notes.limits.extend(limits.cloned());
        }
    }

    fn numbers(&self, notes: &mut Notes) {
        let untraced = self
            .evidence
            .traces
            .iter()
            .filter(|trace| trace.found_at.is_none())
            .count();
        if untraced > 0 {
            notes.unknown.push(format!(
                "{} of {} reported numbers {} not in the output of an execution.",
                untraced,
                self.evidence.traces.len(),
                format::plural(untraced, "is", "are")
            ));
        }
        if self.evidence.replication.is_some() && self.evidence.traces.is_empty() {
            notes.unknown.push(
                "The report of the stage execute gives no number that could be looked up in the output."
                    .to_owned(),
            );
        }
        notes.limits.extend(self.evidence.source_note.clone());
        if self.evidence.original.is_none() {
            notes
                .unknown
                .push("The original's finding is not known in numbers.".to_owned());
        }
        notes.unknown.extend(self.units());
        if self.evidence.flags.is_none() {
            notes
                .unknown
                .push("The statistics of the paper were not checked for consistency.".to_owned());
        }
        let unread = &self.evidence.paper_notes;
        notes.unknown.extend(
            unread
                .iter()
                .map(|note| format!("About the original paper: {note}")),
        );
        if self.evidence.grounding.is_none() {
            notes
                .unknown
                .push("The extracted quotations and numbers were not looked up in the paper.".to_owned());
        }
    }

    /// That two estimates may be in different units, if nothing says so and their sizes are alike.
    fn units(&self) -> Option<String> {
        let (original, replication) = (
            self.evidence.original.as_ref()?,
            self.evidence.replication.as_ref()?,
        );
        let criterion = self
            .state
            .verdict
            .as_ref()
            .and_then(|verdict| verdict.criterion.as_deref());
        let planned = criterion.and_then(|criterion| criterion.scale);
        let on_one = OneScale::new(Some(original), Some(replication), planned);
        let has_unit = criterion.is_some_and(|criterion| {
            criterion.is_on_same_observations()
                || !criterion.parameters.unit.is_empty()
                || planned == Some(Scale::Correlation)
        });
        let units = settled(
            on_one.original.as_ref(),
            on_one.replication.as_ref(),
            &self.evidence.scale,
        );
        let is_known = has_unit || is_of_ratios(&on_one) || on_one.apart.is_some();
        (units == ScaleRelation::Unknown && !is_known).then(|| {
            "Neither the plan nor the extraction states whether both estimates are in the same unit. They are compared \
             as if they were."
                .to_owned()
        })
    }

    fn costs(&self, notes: &mut Notes) {
        if self.evidence.has_table_prices {
            notes.limits.push(
                "The run did not record its prices: costs use the prices in this program's table of models."
                    .to_owned(),
            );
        }
        let estimated = self.state.usage().estimated;
        if estimated > 0 {
            notes.limits.push(format!(
                "{} tokens are estimates, because the provider did not count them. The costs include them.",
                format::count(estimated)
            ));
        }
        let started = self.state.started.as_ref();
        if started.is_some_and(|started| started.settings.model == CLIENT) {
            notes.unknown.push(format!("The run is {UNMETERED}."));
        } else if self.evidence.money.is_none() {
            notes.unknown.push(
                "The price of the model calls is not known, so costs are given in tokens only.".to_owned(),
            );
        }
    }
}

/// The limits of a tier by its nature.
fn tier_limits(tier: Tier) -> &'static str {
    match tier {
        Tier::Docker => {
            "Code ran in a container. It shares the host's kernel, and the image may differ from the one that the original authors used."
        }
        Tier::Namespaces => {
            "Code ran in Linux namespaces without a container image, with the interpreters and system libraries of the host."
        }
        Tier::Landlock => {
            "Code ran under Landlock without namespaces. It sees the host's paths and uses the host's interpreters and system libraries."
        }
    }
}

fn times(count: u64, once: &str, many: &str) -> String {
    if count == 1 {
        once.to_owned()
    } else {
        format!("{count} {many}")
    }
}
