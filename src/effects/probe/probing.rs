//! Probes from the first to the last, wherever they are kept.

use std::pin::pin;
use std::sync::Arc;

use futures::stream;
use futures::{FutureExt as _, StreamExt as _};
use tokio_util::sync::CancellationToken;

use crate::catalog::artifacts::replication_info::PlannedMethod;
use crate::documents::helper::Helper;
use crate::domain::criterion::Criterion;
use crate::domain::data_table::DataTable;
use crate::domain::finding::Finding;
use crate::domain::probe::{ProbeKind, ProbeRun, ProbeSummary, ProbeVerdict, Trial};
use crate::domain::refit::Refit;
use crate::engine::error::EngineError;
use crate::engine::watch::Watch;
use crate::sandbox::removal;
use crate::verdict::probe::case::{Case, FocalColumn, Part, digest_of_numbers};
use crate::verdict::probe::{judgement, literal, missing_data, schedule};

use super::copies::{self, Copies};
use super::focal::FocalReader;
use super::material::ProbeMaterial;
use super::probe_time::{ProbeTime, ProbeTimer};
use super::sub_run_context::SubRunContext;
use super::table_file::TableFile;
use super::trial::{self, Prepared};
use super::{column, levels, outcome, scratch};

/// Sub-runs side by side at most: each may take the memory of an execution.
const WIDEST: usize = 4;

/// A result that is to be probed.
pub struct Subject {
    pub material: ProbeMaterial,
    pub reader: FocalReader,
    pub null: f64,
    pub criterion: Criterion,
    pub method: PlannedMethod,
    /// The groups whose means decide.
    pub groups: Vec<String>,
    /// The level of a two-sided test that decides; `None` where another test does.
    pub level: Option<f64>,
    /// The tables that the code opened.
    pub tables: Vec<DataTable>,
    /// The planned model, if it was fitted again.
    pub refit: Refit,
    /// The groups to which the focal predictor was assigned.
    pub assigned: Option<String>,
}

/// A result that is probed, and the tables that it was made from.
struct ProbedCase {
    case: Case,
    tables: Vec<TableFile>,
}

/// The probing of one run: its places, bounds and readers.
pub struct Probing {
    pub place: SubRunContext,
    pub subject: Subject,
    pub documents: Helper,
    pub watch: Arc<dyn Watch>,
    pub time: ProbeTime,
}

/// Takes down each sub-run as it ends.
pub type Note<'a> = &'a mut (dyn FnMut(&ProbeRun) -> Result<(), EngineError> + Send);

impl Probing {
    /// Makes the sub-runs that `made` lacks, and judges all. `Ok(None)` says that it
    /// was told to stop.
    ///
    /// # Errors
    /// A scratch folder that cannot be made, a sandbox that fails, files that cannot be copied, or what
    /// `note` fails with.
    pub async fn carry(
        &self,
        made: &[ProbeRun],
        note: Note<'_>,
        cancel: &CancellationToken,
    ) -> Result<Option<ProbeSummary>, EngineError> {
        let _gone_at_the_end = scratch::Scratch::make(self.place.folder.clone())?;
        let probed = self.case();
        let case = &probed.case;
        let mut runs = made.to_vec();
        let mut time = self.time;
        let mut timer = ProbeTimer::start(time);
        let mut late = false;
        loop {
            let wanted = schedule::next(case, &runs);
            if wanted.is_empty() || late {
                break;
            }
            let before = runs.len();
            late = self
                .round(&probed, &wanted, &mut runs, note, &timer, cancel)
                .await?;
            if cancel.is_cancelled() {
                return Ok(None);
            }
            if late && !timer.is_past_end() && !schedule::next(case, &runs).is_empty() && time.open_spare() {
                late = false;
                timer = timer.again(time);
                continue;
            }
            if runs.len() == before && !late {
                return Err(EngineError::Unusable(
                    "the sandbox ended every probe by itself: `reprise resume --no-probe` goes on without them".to_owned(),
                ));
            }
        }
        Ok(Some(self.summary(probed.case, runs, late.then_some(time))))
    }

    /// What is probed, and the tables that it was made from.
    fn case(&self) -> ProbedCase {
        let Subject {
            material,
            reader,
            null,
            criterion,
            method,
            groups,
            level,
            refit,
            assigned,
            ..
        } = &self.subject;
        let tables: Vec<TableFile> = material
            .opened
            .iter()
            .filter_map(|path| TableFile::read(path, &self.place.workspace, &self.documents))
            .collect();
        let headers: Vec<String> = tables
            .iter()
            .flat_map(|table| table.columns.iter().cloned())
            .collect();
        let column = if material.opened.is_empty() {
            FocalColumn::Absent("the code opened no data file".to_owned())
        } else {
            column::find(&criterion.focal_term, &method.independent_variables, &headers)
        };
        let mut planned = outcome::planned(criterion, method, &column, &tables);
        planned.refit = Some(refit.clone());
        planned.assigned.clone_from(assigned);
        if !reader.focal.groups.is_empty() {
            planned.levels =
                levels::measure(&self.place.workspace, &tables, &column, planned.outcome.as_ref());
        }
        let literal = |finding: &Finding| {
            material.code.iter().find_map(|code| {
                literal::find(&code.text, code.language, finding)
                    .map(|found| format!("{}: {found}", code.path))
            })
        };
        let case = Case {
            focal: reader.focal.clone(),
            null: *null,
            numbers: digest_of_numbers(&material.results, &material.stdout),
            column,
            planned,
            literal: literal(&reader.focal),
            further: reader
                .further
                .iter()
                .map(|finding| Part {
                    finding: finding.clone(),
                    literal: literal(finding),
                })
                .collect(),
            groups: groups.clone(),
            level: *level,
        };
        ProbedCase { case, tables }
    }

    /// Makes the wanted sub-runs side by side; true when the time was up.
    async fn round(
        &self,
        probed: &ProbedCase,
        wanted: &[Trial],
        runs: &mut Vec<ProbeRun>,
        note: Note<'_>,
        timer: &ProbeTimer,
        cancel: &CancellationToken,
    ) -> Result<bool, EngineError> {
        let cut = cancel.child_token();
        {
            let mut trials = pin!(self.trials(probed, wanted, runs, note, &cut));
            tokio::select! {
                made = &mut trials => made?,
                () = timer.is_up() => {
                    // What is under way ends before its folder goes.
                    cut.cancel();
                    trials.await?;
                }
            }
        }
        Ok(cut.is_cancelled() || timer.was_up())
    }

    async fn trials(
        &self,
        probed: &ProbedCase,
        wanted: &[Trial],
        runs: &mut Vec<ProbeRun>,
        note: Note<'_>,
        cut: &CancellationToken,
    ) -> Result<(), EngineError> {
        let changing: Vec<Trial> = wanted
            .iter()
            .copied()
            .filter(|trial| trial.kind.changes_content())
            .collect();
        let copies = copies::make(&self.place, &probed.tables, &probed.case, &changing, cut).await?;
        let Some(copies) = copies else { return Ok(()) };
        let stop = cut.child_token();
        let (material, reader) = (&self.subject.material, &self.subject.reader);
        let mut jobs = Vec::new();
        for trial in wanted {
            let prepared = Prepared {
                trial: *trial,
                copy: copies.get(trial),
            };
            jobs.push(trial::run(&self.place, material, reader, prepared, &stop).boxed());
        }
        let mut ended = stream::iter(jobs).buffered(width());
        let mut failed = None;
        while let Some(run) = ended.next().await {
            // What is under way ends before its folder goes.
            match run {
                Ok(Some(run)) if failed.is_none() && !stop.is_cancelled() => {
                    self.watch.alive(&progress(run.trial, wanted));
                    if let Err(error) = note(&run) {
                        failed = Some(error);
                        stop.cancel();
                        continue;
                    }
                    runs.push(run);
                    if missing_data::appears_without(runs).is_some() {
                        stop.cancel();
                    }
                }
                Ok(_) => {}
                Err(error) => {
                    failed = failed.or(Some(error));
                    stop.cancel();
                }
            }
        }
        drop(ended);
        self.remove(&copies);
        failed.map_or(Ok(()), Err)
    }

    fn remove(&self, copies: &Copies) {
        for copy in copies.values().flatten() {
            // What stays goes with the folder at the end.
            let _ = removal::remove(&copy.folder);
        }
    }

    /// What the sub-runs say; `over` is the time that was up before all were made.
    fn summary(&self, case: Case, runs: Vec<ProbeRun>, over: Option<ProbeTime>) -> ProbeSummary {
        let judged = judgement::judge(&case, &runs);
        let (mut verdict, mut notes) = (judged.verdict, judged.notes);
        if let Some(time) = over.filter(|_| !schedule::next(&case, &runs).is_empty()) {
            let up = time.up();
            match &mut verdict {
                ProbeVerdict::Undecided { why } => *why = format!("{up}; {why}"),
                _ => notes.push(format!("Not everything was probed: {up}.")),
            }
        }
        let columns: Vec<&str> = case
            .column
            .name()
            .into_iter()
            .chain(case.planned.parts.iter().map(String::as_str))
            .collect();
        let permuted = runs.iter().any(|run| run.trial.kind == ProbeKind::Outcome);
        ProbeSummary {
            verdict,
            column: (!columns.is_empty()).then(|| columns.join(", ")),
            outcome: case
                .planned
                .outcome
                .filter(|_| permuted)
                .map(|outcome| outcome.name),
            misreadings: judged.misreadings,
            focal: Some(case.focal),
            seed: self.place.seed,
            runs,
            unchanged_within: judged.unchanged_within,
            tables: self.subject.tables.clone(),
            unrepeatable: false,
            refit: Some(self.subject.refit.clone()),
            notes,
        }
    }
}

/// Sub-runs side by side: one a core.
pub fn width() -> usize {
    std::thread::available_parallelism()
        .map_or(1, usize::from)
        .min(WIDEST)
}

fn progress(trial: Trial, wanted: &[Trial]) -> String {
    let of = |kind: ProbeKind| {
        let same = wanted.iter().filter(|one| one.kind == kind);
        same.map(|one| one.repetition).max().unwrap_or(trial.repetition)
    };
    format!("{} {} of {}", trial.kind, trial.repetition, of(trial.kind))
}
