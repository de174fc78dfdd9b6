//! `reprise batch`: several studies, out of one purse.
//!
//! Each study has a folder of its own below the batch's. What is finished there
//! is passed over, what stopped is resumed, and what is missing is begun, so that
//! the same command goes on with a batch that was interrupted. What earlier
//! processes spent in these folders counts.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

use crate::app;
use crate::app::commons::Commons;
use crate::domain::stage::Stage;
use crate::domain::usage::{MicroDollars, Usage};
use crate::effects::ports::Nobody;
use crate::effects::spent;
use crate::engine::archive::Archive;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::watch::{Unwatched, Watch};
use crate::model::layers::purse::Purse;
use crate::policy::limits::{Budget, Caps, Scope, Used};
use crate::report::{format, gather};
use crate::run::decide::{self, Next};
use crate::run::elapsed::Clocks;
use crate::run::event::Record;
use crate::run::state::State;
use crate::settings::Settings;

use super::args::BatchArgs;
use super::asked::{self, ChoiceArgs};
use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::progress::Progress;
use super::run::{self, Going};
use super::score::table::Table;

/// One study of the batch and its run.
struct Planned {
    study: String,
    folder: PathBuf,
    request: RunRequest,
    /// What the run had come to before; `None` for one that begins.
    before: Option<Before>,
}

/// What is known of a run that had begun.
struct Before {
    purse: Arc<Purse>,
    stages: Vec<Stage>,
    finished: bool,
}

/// What one study came to.
#[derive(Debug, Serialize)]
struct Row {
    study: String,
    folder: PathBuf,
    status: &'static str,
    exit_code: u8,
    /// Whether it had been finished before this process.
    passed_over: bool,
    verdict: Option<String>,
    /// What stopped or failed it.
    detail: Option<String>,
    usage: Usage,
    money: Option<MicroDollars>,
    clocks: Clocks,
}

/// Runs every study of a batch as far as it goes.
pub async fn batch(settings: &Settings, printer: Printer, args: BatchArgs) -> Result<Status, Failure> {
    let caps = args.choice.together()?;
    if caps.seconds.is_some() {
        return Err(Failure::usage(
            "--max-time batch=...: time is counted for each run; cap it with `run=` or for a stage",
        ));
    }
    let commons = Arc::new(Commons::with_caps(caps));
    let planned = plan(settings, &args, &commons).await?;
    let (cancel, watcher) = run::until_stopped();
    let turns = Arc::new(Semaphore::new(args.parallel as usize));
    let mut going = JoinSet::new();
    for (place, one) in planned.into_iter().enumerate() {
        let (settings, commons, cancel) = (settings.clone(), commons.clone(), cancel.clone());
        let (turns, quiet) = (turns.clone(), args.quiet);
        going.spawn(async move {
            let _turn = tokio::select! {
                () = cancel.cancelled() => None,
                turn = turns.acquire_owned() => turn.ok(),
            };
            (
                place,
                one.carry(&settings, printer, &commons, (cancel, quiet)).await,
            )
        });
    }
    let mut rows = Vec::new();
    while let Some(ended) = going.join_next().await {
        rows.push(ended.map_err(|error| {
            Failure::new(
                Status::Infrastructure,
                format!("a run of the batch broke off: {error}"),
            )
        })?);
    }
    watcher.abort();
    rows.sort_by_key(|(place, _)| *place);
    let rows: Vec<Row> = rows.into_iter().map(|(_, row)| row).collect();
    tell(printer, &args, &rows)?;
    Ok(gravest(&rows))
}

/// The runs of the batch; everything that can be refused is refused here, before
/// anything is paid for.
async fn plan(settings: &Settings, args: &BatchArgs, commons: &Commons) -> Result<Vec<Planned>, Failure> {
    let mut taken = BTreeSet::new();
    let mut planned = Vec::new();
    for path in &args.studies {
        let study = asked::study(path)?;
        let name = format!("{}-{}", asked::plain(study.id()), args.choice.setting());
        if !taken.insert(name.clone()) {
            return Err(Failure::usage(format!(
                "{} would share the folder {name} with another study of this batch: give each study once",
                path.display()
            )));
        }
        let folder = args.out.join(&name);
        if folder.join("run.json").exists() {
            planned.push(again(settings, &args.choice, (study.id(), &folder), commons)?);
            continue;
        }
        let request = args.choice.request(settings, &study, (&name, &folder)).await?;
        let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
        app::minds::minds_of(settings, commons, &request, &unwatched)?;
        asked::ensure_runnable(settings, &study, &request).await?;
        planned.push(Planned {
            study: study.id().to_owned(),
            folder,
            request,
            before: None,
        });
    }
    Ok(planned)
}

/// A run that had begun, with what it spent taken out of the pool.
fn again(
    settings: &Settings,
    choice: &ChoiceArgs,
    (study, folder): (&str, &Path),
    commons: &Commons,
) -> Result<Planned, Failure> {
    let at = RunFolder::at(folder).map_err(|error| EngineError::io(folder, error))?;
    let mut request = RunRequest::load(&at.request())?;
    let other = choice.model.as_ref().filter(|model| **model != request.model);
    if let Some(model) = other {
        return Err(Failure::usage(format!(
            "{} was begun with {}, and cannot go on with {model}: choose another --out",
            folder.display(),
            request.model
        )));
    }
    request.budget = request.budget.overlaid(&caps_of_run(choice));
    request.allow_unpriced |= choice.budget.allow_unpriced;
    let state = if at.journal().exists() {
        Archive::open(at)?.state
    } else {
        State::default()
    };
    let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
    let minds = app::minds::minds_of(settings, commons, &request, &unwatched)?;
    for (stage, one) in &state.stages {
        spent::reopen(&minds.purse, &minds.purses, *stage, one);
    }
    Ok(Planned {
        study: study.to_owned(),
        folder: folder.to_owned(),
        request,
        before: Some(Before {
            purse: minds.purse,
            stages: state.stages.keys().copied().collect(),
            finished: decide::next(&state, true) == Next::Done,
        }),
    })
}

/// The caps that were typed, but for those of the batch.
fn caps_of_run(choice: &ChoiceArgs) -> Budget {
    let mut caps = choice.budget.caps();
    *caps.at(Scope::Batch) = Caps::default();
    caps
}

impl Planned {
    async fn carry(
        self,
        settings: &Settings,
        printer: Printer,
        commons: &Commons,
        (cancel, quiet): (CancellationToken, bool),
    ) -> Row {
        let (study, place) = (self.study.clone(), self.folder.clone());
        let passed_over = self.before.as_ref().is_some_and(|before| before.finished);
        let ended = if passed_over {
            Ok(())
        } else if cancel.is_cancelled() {
            return Row::unfinished(study, place, Status::Interrupted, None);
        } else {
            self.go(settings, printer, commons, (cancel.clone(), quiet)).await
        };
        match (ended, summary(&place)) {
            (Ok(()), Ok((archive, status))) => {
                let status = match status {
                    // A run that could go on was stopped by whoever stopped the batch.
                    Standing::Open if cancel.is_cancelled() => Status::Interrupted,
                    Standing::Open => Status::AwaitingApproval,
                    Standing::Ended(status) => status,
                };
                Row::of((study, place), &archive, status, passed_over)
            }
            (Err(failure), _) | (_, Err(failure)) => {
                Row::unfinished(study, place, failure.status, Some(failure.message))
            }
        }
    }

    /// Begins the run, or goes on with it.
    async fn go(
        self,
        settings: &Settings,
        printer: Printer,
        commons: &Commons,
        (cancel, quiet): (CancellationToken, bool),
    ) -> Result<(), Failure> {
        let folder = match &self.before {
            Some(_) => RunFolder::at(&self.folder).map_err(|error| EngineError::io(&self.folder, error))?,
            None => asked::create(&self.folder)?,
        };
        match &self.before {
            Some(_) => self.request.update(&folder.request(), folder.path())?,
            None => self.request.save(&folder.request())?,
        }
        let progress = Progress::named(printer, quiet, &self.study);
        let watch: Arc<dyn Watch> = Arc::new(Counted {
            inner: progress,
            before: Mutex::new(self.before),
        });
        let going = Going {
            commons,
            person: Arc::new(Nobody),
            cancel,
        };
        run::carry_on(settings, folder, self.request, &watch, going)
            .await
            .map(|_| ())
    }
}

/// Gives back what a resumed run had taken out of the pool, once it has taken it
/// out by itself: its first event comes after that.
struct Counted {
    inner: Progress,
    before: Mutex<Option<Before>>,
}

impl Watch for Counted {
    fn recorded(&self, record: &Record, state: &State) {
        let before = self.before.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let Some(before) = before {
            for stage in before.stages {
                before.purse.open(stage, Used::default());
            }
        }
        self.inner.recorded(record, state);
    }

    fn line(&self, text: &str) {
        self.inner.line(text);
    }

    fn wants_streams(&self) -> bool {
        self.inner.wants_streams()
    }

    fn waiting(&self, left: Duration, why: &str) {
        self.inner.waiting(left, why);
    }
}

/// How far a run's journal says that it is.
enum Standing {
    Ended(Status),
    Open,
}

fn summary(folder: &Path) -> Result<(Archive, Standing), Failure> {
    let at = RunFolder::at(folder).map_err(|error| EngineError::io(folder, error))?;
    let archive = Archive::open(at)?;
    let state = &archive.state;
    let standing = if state.verdict.is_some() || state.halted.is_some() {
        Standing::Ended(run::ended(state))
    } else {
        Standing::Open
    };
    Ok((archive, standing))
}

impl Row {
    fn of((study, folder): (String, PathBuf), run: &Archive, status: Status, passed_over: bool) -> Self {
        let state = &run.state;
        Self {
            study,
            folder,
            status: status.meaning(),
            exit_code: status.code(),
            passed_over,
            verdict: state.verdict.as_ref().map(|verdict| verdict.outcome.to_string()),
            detail: decide::failed_stage(state)
                .map(|(stage, cause, detail)| format!("{stage} ({cause}): {detail}")),
            usage: state.usage(),
            money: gather::money(run, state.stages.values()),
            clocks: state.elapsed.clocks(),
        }
    }

    fn unfinished(study: String, folder: PathBuf, status: Status, detail: Option<String>) -> Self {
        Self {
            study,
            folder,
            status: status.meaning(),
            exit_code: status.code(),
            passed_over: false,
            verdict: None,
            detail,
            usage: Usage::default(),
            money: None,
            clocks: Clocks::default(),
        }
    }
}

fn tell(printer: Printer, args: &BatchArgs, rows: &[Row]) -> Result<(), Failure> {
    let usage = rows.iter().fold(Usage::default(), |sum, row| sum + row.usage);
    let money: Option<MicroDollars> = (rows.iter().filter(|row| row.usage != Usage::default()))
        .map(|row| row.money)
        .sum();
    if args.json {
        return printer
            .json(&serde_json::json!({ "runs": rows, "total": { "usage": usage, "money": money } }));
    }
    let mut table = Table::new(["study", "status", "verdict", "tokens", "cost", "time"]);
    let cost =
        |money: Option<MicroDollars>| money.map_or_else(|| "unknown".to_owned(), |money| money.to_string());
    for row in rows {
        table.row([
            printable(&row.study),
            if row.passed_over {
                format!("{} (before)", row.status)
            } else {
                row.status.to_owned()
            },
            row.verdict.clone().unwrap_or_else(|| "–".to_owned()),
            format::count(row.usage.total()),
            cost(row.money),
            format::duration(row.clocks.wall_ms),
        ]);
    }
    table.row([
        "total".to_owned(),
        format!("{} runs", rows.len()),
        String::new(),
        format::count(usage.total()),
        cost(money),
        String::new(),
    ]);
    for line in table.lines() {
        printer.line(line);
    }
    for row in rows {
        if let Some(detail) = &row.detail {
            printer.line(format!(
                "{}: {}",
                styled(paint::STRONG, printable(&row.study)),
                printable(detail)
            ));
        }
    }
    if rows
        .iter()
        .any(|row| row.exit_code == Status::AwaitingApproval.code())
    {
        printer.line("`reprise approve` answers what a run waits on; the same batch then goes on.");
    }
    Ok(())
}

/// What the batch as a whole ended with: what most needs somebody to act.
fn gravest(rows: &[Row]) -> Status {
    const GRAVITY: [Status; 8] = [
        Status::Interrupted,
        Status::Infrastructure,
        Status::Usage,
        Status::Limit,
        Status::AwaitingApproval,
        Status::StudyInvalid,
        Status::StageFailed,
        Status::Differs,
    ];
    GRAVITY
        .into_iter()
        .find(|status| rows.iter().any(|row| row.exit_code == status.code()))
        .unwrap_or(Status::Done)
}
