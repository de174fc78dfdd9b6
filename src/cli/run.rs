//! `reprise run`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use crate::app;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::domain::stage::Stage;
use crate::domain::verdict::Verdict;
use crate::effects::context::Effects;
use crate::effects::ports::Person;
use crate::engine::dispatch::{self, EngineStop};
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::session::Session;
use crate::engine::variants;
use crate::engine::watch::{Unwatched, Watch};
use crate::policy::limits::Caps;
use crate::report::verdict_line;
use crate::run::decide::{self, StageFailure};
use crate::run::state::State;
use crate::verdict::figure::{figure, p_figure};

use super::asked::ChoiceArgs;
use super::exit::{Failure, Status};
use super::output::{Printer, one_line, paint, printable, styled};
use super::progress::Progress;
use super::stop_signals::StopSignals;
use super::terminal::Terminal;
use super::{asked, estimate, record};

#[derive(Debug, Args)]
#[command(after_help = "\
Examples:
  reprise run studies/duncan-1961 --approve auto
  reprise run studies/crime-1993 --code-mode native --approve ask
  reprise run studies/duncan-1961 --model openai/gpt-5 --stages extract..design
  reprise run studies/duncan-1961 --approve policy:approvals.toml --json")]
pub struct RunArgs {
    /// The folder of a study, or of another task, which holds a `task.toml`.
    pub study: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    /// The run's folder; it must not exist [default: runs/STUDY-SETTING-TIME]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the session into this file, or under this name into the study's
    /// recordings/, for `--model recorded:...`.
    #[arg(long, value_name = "FILE|NAME")]
    pub record: Option<String>,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Starts a run and carries it as far as it goes.
///
/// # Errors
/// A study or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    if args.choice.together()? != Caps::default() {
        return Err(Failure::usage(
            "a cap of `batch=` holds for the runs of `reprise batch`: cap the run",
        ));
    }
    let settings = &program.settings;
    let task = asked::task(&args.study)?;
    let name = asked::run_name(settings, &task, args.choice.setting());
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => free_folder(&name),
    };
    let record = args.record.as_deref().map(|to| record::place(&task.root, to));
    let mut request = args.choice.request(program, &task, &name, &folder).await?;
    request.record = record.transpose()?;
    let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
    let models = app::models::models_of(settings, &ProcessShared::default(), &request, &unwatched)?;
    if models.is_live && !args.quiet {
        if let Some(study) = &task.study {
            let paper = app::toolset::paper_tokens(study);
            let catalog = args.choice.catalog(program, &task)?;
            let stages: Vec<Stage> = catalog
                .track()
                .range(request.stages)
                .iter()
                .map(|place| place.stage)
                .collect();
            let said = estimate::words(&stages, paper, models.account.price(), &request.budget);
            printer.note(said);
        }
        let searching = request.search.as_ref();
        let hosted = searching.and_then(|name| Some((name, models.accounts.get(name)?)));
        if let Some((name, _)) = hosted.filter(|(_, account)| account.fee(1).is_none()) {
            printer.note(estimate::uncounted(name));
        }
    }
    asked::ensure_runnable(program, &task, &request).await?;
    let folder = asked::create(&folder)?;
    request.save(&folder.request())?;
    let shown = Shown {
        quiet: args.quiet,
        json: args.json,
    };
    carry(program, printer, folder, request, shown).await
}

/// The choice of what is printed of a run.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    pub quiet: bool,
    pub json: bool,
}

/// The things that a run goes on with besides its request.
pub struct Going<'a> {
    pub shared: &'a ProcessShared,
    pub person: Arc<dyn Person>,
    /// Ends it, to be resumed.
    pub cancel: CancellationToken,
}

/// Carries a run on from wherever its journal is, and says what it came to.
///
/// # Errors
/// A run that cannot be carried on.
pub async fn carry(
    program: &Program,
    printer: Printer,
    folder: RunFolder,
    request: RunRequest,
    shown: Shown,
) -> Result<Status, Failure> {
    let progress = Arc::new(Progress::new(printer, shown.quiet));
    let watch: Arc<dyn Watch> = progress.clone();
    let (cancel, watcher) = until_stopped();
    let going = Going {
        shared: &ProcessShared::default(),
        person: Arc::new(Terminal { printer }),
        cancel,
    };
    let carried = carry_on(program, folder, request, &watch, going).await;
    watcher.abort();
    progress.finish();
    let (session, stop) = carried?;
    let status = status(&session, stop);
    tell(printer, &session, stop, status, shown.json)?;
    Ok(status)
}

/// Carries a run on, with its recording and its report.
///
/// # Errors
/// A run that cannot be carried on, or whose recording cannot be written.
pub async fn carry_on(
    program: &Program,
    folder: RunFolder,
    request: RunRequest,
    watch: &Arc<dyn Watch>,
    going: Going<'_>,
) -> Result<(Session, EngineStop), Failure> {
    let to = request.record.clone();
    let result = drive(program, folder.clone(), request, watch, going).await;
    if let Some(to) = to {
        // Whatever stopped it, what there is of the session is kept.
        let recorded = record::write(program, &folder, &to);
        if result.is_ok() {
            recorded?;
        }
    }
    let (session, stop) = result?;
    if session.state.is_finished() || stop == EngineStop::Halted {
        super::report::write_all(&session.folder)?;
    }
    Ok((session, stop))
}

async fn drive(
    program: &Program,
    folder: RunFolder,
    request: RunRequest,
    watch: &Arc<dyn Watch>,
    going: Going<'_>,
) -> Result<(Session, EngineStop), Failure> {
    let settings = &program.settings;
    let mut session = app::run::session(settings, folder, watch.clone())?;
    if session.state.is_finished() {
        return Ok((session, EngineStop::Finished));
    }
    let models = app::models::models_of(settings, going.shared, &request, watch)?;
    let mut effects = app::run::effects(program, request, models, going.person).await?;
    let stop = dispatch::drive(&mut session, &mut effects, &going.cancel).await?;
    Ok((session, stop))
}

/// Drives until the end or Ctrl-C.
///
/// # Errors
/// A journal, a store, a model or a sandbox that fails.
pub async fn drive_session(session: &mut Session, effects: &mut Effects) -> Result<EngineStop, Failure> {
    let (cancel, watcher) = until_stopped();
    let stop = dispatch::drive(session, effects, &cancel).await;
    watcher.abort();
    Ok(stop?)
}

/// The token that Ctrl-C cancels, as do a request to end and a hangup, and the task that waits
/// for them.
pub fn until_stopped() -> (CancellationToken, JoinHandle<()>) {
    let cancel = CancellationToken::new();
    let on_signal = cancel.clone();
    // From here on, whenever the task is first looked at.
    let mut signals = StopSignals::listen();
    let watcher = tokio::spawn(async move {
        if signals.received().await {
            on_signal.cancel();
        }
    });
    (cancel, watcher)
}

/// The folder that no other run of this second has taken.
fn free_folder(name: &str) -> PathBuf {
    let first = Path::new("runs").join(name);
    let later = (2..).map(|number| Path::new("runs").join(format!("{name}-{number}")));
    std::iter::once(first.clone())
        .chain(later)
        .find(|folder| !folder.exists())
        .unwrap_or(first)
}

fn status(session: &Session, stop: EngineStop) -> Status {
    match stop {
        EngineStop::AwaitingApproval => Status::AwaitingApproval,
        EngineStop::Interrupted => Status::Interrupted,
        EngineStop::Halted | EngineStop::Finished => ended(&session.state),
    }
}

/// The status of a run that is over, or that stopped where it is.
pub fn ended(state: &State) -> Status {
    decide::failed_stage(state).map_or(Status::Done, |failed| Status::from_cause(failed.cause))
}

fn tell(
    printer: Printer,
    session: &Session,
    stop: EngineStop,
    status: Status,
    json: bool,
) -> Result<(), Failure> {
    let folder = session.folder.path();
    if json {
        let state = &session.state;
        return printer.json(&json!({
            "run": state.started.as_ref().map(|started| started.run.clone()),
            "folder": folder,
            "status": status.meaning(),
            "exit_code": status.code(),
            "verdict": state.verdict,
            "grade": state.grade,
            "failed_stage": decide::failed_stage(state).map(|failed| {
                json!({ "stage": failed.stage, "cause": failed.cause, "detail": failed.detail })
            }),
            "waiting_for": state.open_questions().into_iter().map(|asked| {
                json!({ "id": asked.id.to_string(), "asking": asked.asking, "summary": asked.summary })
            }).collect::<Vec<_>>(),
            "usage": state.usage(),
        }));
    }
    let name = shown(folder);
    match stop {
        EngineStop::AwaitingApproval => {
            for asked in session.state.open_questions() {
                printer.line(format!(
                    "{} waits for an answer: {}",
                    asked.id,
                    one_line(&asked.summary)
                ));
            }
            printer.line(format!(
                "`reprise show {name}` shows what; `reprise approve {name}`, then `reprise resume {name}`."
            ));
        }
        EngineStop::Interrupted => printer.line(format!(
            "Interrupted; nothing is lost: `reprise resume {name}` goes on."
        )),
        EngineStop::Halted => {
            if let Some(StageFailure { stage, cause, detail }) = decide::failed_stage(&session.state) {
                printer.line(format!(
                    "stopped in the stage {stage} ({cause}): {}",
                    printable(detail)
                ));
            }
            printer.line(format!(
                "What there is so far is kept; `reprise resume {name}` goes on. Report: {}",
                shown(&session.folder.report("html"))
            ));
        }
        EngineStop::Finished => {
            let partial = session
                .state
                .started
                .as_ref()
                .map(|started| started.settings.stages)
                .filter(|stages| session.state.track().is_before_result(stages.to));
            let failed = decide::failed_stage(&session.state).is_some();
            if let Some(stages) = partial.filter(|_| !failed) {
                printer.line(format!(
                    "done: {stages}; without the execute stage there is no verdict"
                ));
            } else if let Some(grade) = &session.state.grade {
                printer.line(printable(&grade.line()));
                for part in &grade.parts {
                    let score = part.score.map_or_else(|| "unscored".to_owned(), figure);
                    printer.line(format!(
                        "{}: {score}; {}",
                        printable(&part.name),
                        printable(&part.detail)
                    ));
                }
            } else if let Some(verdict) = &session.state.verdict {
                let line = printable(&verdict_line::line(verdict));
                let words = verdict.outcome.words();
                let rest = line.strip_prefix(words).unwrap_or_default();
                printer.line(format!("{}{rest}", styled(paint::STRONG, words)));
                if verdict.is_disputed() {
                    let agent = verdict.agent.map_or("nothing", |agent| agent.words());
                    printer.line(format!("the agent concluded otherwise: {agent}"));
                }
                if let Some(finding) = &verdict.finding {
                    printer.line(format!("replication: {}", printable(&figures(finding))));
                }
                if let Some(words) = grounds(verdict) {
                    printer.line(words);
                }
                if let Some(variants) = variants::gather(&session.state, session.store.as_ref())? {
                    printer.line(format!("variants: {}", variants.line()));
                }
            }
            if let Some(StageFailure { stage, cause, detail }) = decide::failed_stage(&session.state) {
                printer.line(format!("stage {stage} failed ({cause}): {}", printable(detail)));
            }
            printer.line(format!("report: {}", shown(&session.folder.report("html"))));
        }
    }
    Ok(())
}

/// Where the numbers come from, and how much speaks against them.
fn grounds(verdict: &Verdict) -> Option<String> {
    let source = verdict
        .source
        .map(|source| format!("numbers: {}", source.words()));
    let (all, deciding) = (
        verdict.doubts.len(),
        verdict.doubts.iter().filter(|doubt| doubt.decides).count(),
    );
    // The one that decides alone is in the line above.
    let doubts = match (all - deciding, deciding) {
        (0, 0 | 1) => None,
        (1, 0) => Some("1 doubt stands beside the verdict".to_owned()),
        (beside, 0) => Some(format!("{beside} doubts stand beside the verdict")),
        (_, 1) => Some(format!("{all} doubts, of which one decides")),
        (_, deciding) => Some(format!("{all} doubts, of which {deciding} decide")),
    };
    let parts: Vec<String> = source.into_iter().chain(doubts).collect();
    (!parts.is_empty()).then(|| parts.join("; "))
}

fn figures(finding: &crate::domain::finding::Finding) -> String {
    let mut parts = vec![finding.name.clone()];
    if let Some(estimate) = finding.estimate {
        parts.push(format!("estimate {}", figure(estimate)));
    }
    if let Some(error) = finding.standard_error {
        parts.push(format!("SE {}", figure(error)));
    }
    if let Some(p_value) = finding.p_value {
        parts.push(format!("p {}", p_figure(p_value)));
    }
    if let Some(df) = finding.df {
        parts.push(format!("df = {}", figure(df)));
    }
    if let Some(n) = finding.n {
        parts.push(format!("n = {n}"));
    }
    parts.join(", ")
}

/// A path as short as the current folder allows.
fn shown(path: &Path) -> String {
    let short = std::env::current_dir()
        .ok()
        .and_then(|here| path.strip_prefix(here).ok().map(PathBuf::from));
    short.unwrap_or_else(|| path.to_owned()).display().to_string()
}
