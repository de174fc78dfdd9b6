//! The judging of cells whose runs are over: what `reprise score RUN --judge MODEL` does, under the caps of the cell and
//! of all.

use std::path::Path;

use futures::StreamExt as _;
use tokio_util::sync::CancellationToken;

use super::allotment::{least, left_of};
use super::cell_judge::PlannedJudging;
use crate::app;
use crate::app::judges::Judges;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::catalog::rubrics::load::Rubrics;
use crate::cli::exit::{Failure, Status};
use crate::cli::judged_run::{JudgedRun, RunJudge};
use crate::cli::output::{Printer, printable};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::cli::score_pages::write_own;
use crate::effects::spent;
use crate::engine::error::EngineError;
use crate::engine::run_reader::RunReader;
use crate::grading::scored_run::grading_request::GradingSetup;
use crate::grading::scored_run::scored::score;
use crate::model::access::Access;
use crate::policy::limits::{Caps, Used};

/// The process that judges cells.
pub struct CellJudges<'a> {
    pub program: &'a Program,
    pub printer: Printer,
    pub shared: &'a ProcessShared,
    /// Cells that are judged at once.
    pub parallel: usize,
    pub quiet: bool,
}

/// A run that was judged, as far as that went.
struct Judged {
    judged: JudgedRun,
    unjudged: Option<Status>,
}

impl CellJudges<'_> {
    /// Has each cell judged whose run is over and whose judge has not said all. A judge that fails leaves its row
    /// without marks, and the others go on.
    ///
    /// # Errors
    /// Rubrics, tools or tables of models that judges cannot be asked with.
    pub async fn judge(
        &self,
        planned: &[Option<PlannedJudging>],
        rows: &mut [RunRow],
        cancel: &CancellationToken,
    ) -> Result<(), Failure> {
        if planned.iter().all(Option::is_none) {
            return Ok(());
        }
        let (registry, helper) = app::toolset::graders(&self.program.settings)?;
        let judges = self.judges(self.shared);
        let setup = GradingSetup {
            rubrics: Rubrics::load(None).map_err(EngineError::from)?,
            registry,
            helper,
            judges: &judges,
        };
        let setup = &setup;
        let access = &Access::open(&self.program.settings).map_err(EngineError::from)?;
        let wanted = planned.iter().zip(rows.iter()).enumerate();
        let wanted = wanted.filter_map(|(at, (judging, row))| Some((at, judging.as_ref()?, row)));
        let judged: Vec<(usize, Option<Judged>)> = futures::stream::iter(wanted)
            .map(|(at, judging, row)| async move {
                (at, self.judge_one(setup, access, judging, row, cancel).await)
            })
            .buffer_unordered(self.parallel.max(1))
            .collect()
            .await;
        for (at, judged) in judged {
            if let (Some(row), Some(judged)) = (rows.get_mut(at), judged) {
                row.judged = Some(judged.judged);
                row.unjudged = judged.unjudged;
            }
        }
        Ok(())
    }

    fn judges<'b>(&'b self, shared: &'b ProcessShared) -> Judges<'b> {
        Judges {
            settings: &self.program.settings,
            shared,
        }
    }

    /// `None` where there is nothing to be judged yet.
    async fn judge_one(
        &self,
        setup: &GradingSetup<'_>,
        access: &Access<'_>,
        planned: &PlannedJudging,
        row: &RunRow,
        cancel: &CancellationToken,
    ) -> Option<Judged> {
        let judge = &planned.of.judge;
        let run = RunReader::open(&row.folder)
            .ok()
            .filter(|run| run.state.is_finished())?;
        let before = match JudgedRun::read(&run, judge) {
            Ok(before) => before,
            Err(error) => {
                let failure = Failure::from(error);
                return Some(Judged {
                    judged: JudgedRun {
                        lacks: Some(failure.message),
                        ..JudgedRun::default()
                    },
                    unjudged: Some(failure.status),
                });
            }
        };
        if before.is_whole {
            return Some(Judged {
                judged: before,
                unjudged: None,
            });
        }
        let of_run = spent::of_journal(&run.state, |model| access.capabilities(model).price);
        drop(run);
        if !self.quiet && !cancel.is_cancelled() {
            self.printer.note(printable(&format!(
                "{}: {} marks its run",
                row.study, judge.model
            )));
        }
        let mut request = planned.of.request.clone();
        request.caps = left(request.caps, &planned.of_run, of_run);
        // Cells of agents with caps of their own pay out of another pool.
        let shared = planned.shared.as_deref().unwrap_or(self.shared);
        let shared = shared.going_on(planned.set_aside);
        let judges = self.judges(&shared);
        let setup = GradingSetup {
            judges: &judges,
            ..setup.clone()
        };
        let scored = tokio::select! {
            biased;
            () = cancel.cancelled() => None,
            scored = score(&request, &setup, &row.folder) => Some(scored),
        };
        let error = match scored {
            Some(Ok(scored)) => write_own(&scored.card, &scored.folder).err(),
            Some(Err(error)) => Some(Failure::from(error)),
            None => None,
        };
        let judged = read(&row.folder, judge).unwrap_or(before);
        let unjudged = match (&error, cancel.is_cancelled()) {
            _ if judged.is_whole && error.is_none() => None,
            (_, true) => Some(Status::Interrupted),
            (Some(failure), _) => Some(failure.status),
            (None, _) if judged.is_at_cap => Some(Status::Limit),
            (None, _) => Some(Status::Infrastructure),
        };
        let judged = match error {
            Some(failure) => JudgedRun {
                lacks: Some(failure.message),
                ..judged
            },
            None => judged,
        };
        if let (Some(why), false) = (judged.lacks.as_ref().filter(|_| unjudged.is_some()), self.quiet) {
            self.printer.note(printable(&format!("{}: {why}", row.study)));
        }
        Some(Judged { judged, unjudged })
    }
}

fn read(folder: &Path, judge: &RunJudge) -> Option<JudgedRun> {
    let run = RunReader::open(folder).ok()?;
    JudgedRun::read(&run, judge).ok()
}

/// The caps on a judge: its own, and what the run left of the cell's tokens and money.
fn left(own: Caps, of_cell: &Caps, spent: Used) -> Caps {
    let of_cell = Caps {
        tokens: of_cell.tokens,
        money: of_cell.money,
        ..Caps::default()
    };
    least(&own, &left_of(&of_cell, &spent))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::usage::MicroDollars;

    #[test]
    fn a_judge_has_what_the_run_left_and_no_more_than_its_own_caps() {
        let caps = |tokens: Option<u64>, money: Option<u64>| Caps {
            tokens,
            money: money.map(MicroDollars),
            ..Caps::default()
        };
        let spent = Used {
            tokens: 70,
            money: MicroDollars(500),
            ..Used::default()
        };
        for (own, of_cell, expected) in [
            (caps(None, None), caps(None, None), caps(None, None)),
            (
                caps(Some(50), None),
                caps(Some(100), Some(600)),
                caps(Some(30), Some(100)),
            ),
            (
                caps(Some(20), Some(7)),
                caps(Some(100), Some(600)),
                caps(Some(20), Some(7)),
            ),
            (caps(None, None), caps(Some(60), None), caps(Some(0), None)),
        ] {
            assert_eq!(left(own, &of_cell, spent), expected);
        }
    }
}
