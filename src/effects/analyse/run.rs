//! The steps of `run_analysis`.

use std::fs;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::execution::{Ending, Environment, Tier};
use crate::domain::plan::EntryPoint;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::engine::variants::registered;
use crate::policy::limits::Reached;
use crate::run::event::{CallRef, Event, ExecutionFinished, ExecutionStarted, Work};
use crate::sandbox::contract::{Execution, Sandbox, SandboxError};
use crate::sandbox::inside;

use super::ado::{self, ShownAdo};
use super::analysed::Analysed;
use super::ask::{AskResult, approved_now, ask};
use super::available::AvailablePrograms;
use super::build::{Built, build, built_badly};
use super::declared::{self, FoundPlan, PlanRefusal, PlanText};
use super::declared_variant::RunnableVariant;
use super::outputs::NamedOutputs;
use super::rescue::FailedCommand;
use super::rules::{CodeRules, Declared};
use super::variants::{self, VariantCopy};
use super::wanted::ExecutionRequest;
use super::{
    apart, command, heartbeat, left, network, observe, outputs, rescue, rescue_words, stata_end,
    workspace_files,
};
use crate::effects::context::Effects;
use crate::effects::dated_lock::{self, SettledLock};
use crate::effects::helpers;
use crate::effects::interrupted;
use crate::effects::lock_wish::LockWish;
use crate::effects::time_left;

/// Builds, asks, runs and tells; each step only if the journal lacks it.
///
/// # Errors
/// A run without a sandbox, a fault of the machine or the network, or a journal that cannot be written.
pub async fn run(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    reason: &str,
    cancel: &CancellationToken,
) -> Result<Analysed, EngineError> {
    let hurry = effects.hurry.token();
    let cut = cancel.child_token();
    let stepping = steps(effects, session, at, reason, &cut);
    let (done, is_hurried) = left::unless_hurried(hurry, &cut, stepping).await;
    let analysed = match done {
        // What ran and could not be taken in before the stop has not run.
        Err(EngineError::Stopped(spent)) => {
            interrupted::close(effects, session).await?;
            spent.map_or(Analysed::Interrupted, Analysed::OutOfTime)
        }
        done => done?,
    };
    match analysed {
        Analysed::Interrupted if is_hurried && !cancel.is_cancelled() => left_behind(effects, session, at),
        analysed => Ok(analysed),
    }
}

/// What a call came to that was left: its main analysis stands where that had been carried out.
fn left_behind(effects: &Effects, session: &Session, at: CallRef) -> Result<Analysed, EngineError> {
    let tier = effects.ports.sandbox.as_ref().map(|sandbox| sandbox.tier());
    let found = tier
        .map(|tier| read_declared(effects, session, at.stage, tier))
        .transpose()?;
    let Some(FoundPlan::Runnable(declared)) = found else {
        return Ok(left::before_anything());
    };
    match next_entry(session, at, &declared, None) {
        Some(due) if due.variant.is_none() => left::told(session, at, &declared),
        _ => {
            variants::clear(session)?;
            observe::executions(session, at, &declared).map(Analysed::Observed)
        }
    }
}

async fn steps(
    effects: &mut Effects,
    session: &mut Session,
    at: CallRef,
    reason: &str,
    cancel: &CancellationToken,
) -> Result<Analysed, EngineError> {
    let Some(sandbox) = effects.ports.sandbox.clone() else {
        return Err(EngineError::Unusable(
            "this run was started without a sandbox".to_owned(),
        ));
    };
    let mut gone = false;
    let mut copy: Option<VariantCopy> = None;
    loop {
        let declared = match read_declared(effects, session, at.stage, sandbox.tier())? {
            FoundPlan::Runnable(declared) => *declared,
            // What has run is told, whatever it did to the plan or to its own script.
            FoundPlan::Refused(why) => {
                return observe::unfollowed(session, at, &why.to_string()).map(Analysed::Observed);
            }
        };
        let wish = LockWish::of_plan(&declared.environment);
        let declared = match dated_lock::settle(effects, session, at, &wish, cancel).await? {
            SettledLock::None => declared,
            SettledLock::Interrupted => return Ok(Analysed::Interrupted),
            SettledLock::Made(lock) => match declared.held_to(*lock) {
                Ok(declared) => declared,
                Err(why) => {
                    return observe::unfollowed(session, at, &why.to_string()).map(Analysed::Observed);
                }
            },
        };
        session.begin(Work::Build);
        // A base image may have to be fetched for it.
        let resolved = tokio::select! {
            () = cancel.cancelled() => return Ok(Analysed::Interrupted),
            resolved = sandbox.resolve(&declared.environment) => resolved,
        };
        let resolved = match resolved {
            Ok(digest) => digest,
            Err(failure) => return built_badly(session, at, sandbox.as_ref(), &declared, failure, 0),
        };
        let told = |session: &Session| {
            variants::clear(session)?;
            observe::executions(session, at, &declared).map(Analysed::Observed)
        };
        let Some(due) = next_entry(session, at, &declared, copy.as_ref()) else {
            return told(session);
        };
        helpers::stage(session)?;
        if due.index == 0 && due.variant.is_none() {
            helpers::clear_results(session)?;
        }
        let named = effects.ports.ado.as_deref();
        let ado = ado::lay_out(&session.folder, &declared, sandbox.tier(), named)?;
        let Some(hosts) = network::hosts(effects, session, at, cancel).await? else {
            return Ok(Analysed::Parked);
        };
        let wanted = ExecutionRequest {
            declared: &declared,
            environment: resolved,
            hosts: &hosts,
            ado: ado.as_ref(),
        };
        match ask(effects, session, at, reason, wanted, cancel).await? {
            AskResult::Go(digest) => {
                let finished = session.state.executions.finished_in(at);
                if due.variant.is_none() && effects.hurry.leaves(at, finished) {
                    return left::told(session, at, &declared);
                }
                let time = match time_left::compute(effects.ports.account.budget(), session, at.stage) {
                    Ok(time) => time,
                    Err(spent) => return Ok(Analysed::OutOfTime(spent)),
                };
                let cut = cancel.child_token();
                let building = build(session, at, sandbox.as_ref(), &declared, resolved, &cut);
                let (built, spent) = time_left::within(time, &cut, building).await;
                let environment = match (built?, spent) {
                    (Built::Ready(environment), _) => environment,
                    (Built::End(Analysed::Interrupted), Some(spent)) => {
                        return Ok(Analysed::OutOfTime(spent));
                    }
                    (Built::End(Analysed::Observed(_)), _) if due.variant.is_some() => return told(session),
                    (Built::End(analysed), _) => return Ok(analysed),
                };
                // Making an environment takes long enough for anything to change.
                if environment.built || approved_now(effects, session, at, wanted, cancel).await? != digest {
                    continue;
                }
                if let Some(variant) = due.variant.filter(|_| due.index == 0) {
                    // The copy of the variant before goes first: both stand in one place.
                    drop(copy.take());
                    let (folder, name) = (session.folder.clone(), variant.name.clone());
                    let make = move |cancel: &CancellationToken| VariantCopy::make(&folder, name, cancel);
                    copy = Some(apart::within_time(effects, session, at.stage, cancel, make).await?);
                }
                let workspace = match (due.variant, &copy) {
                    (Some(_), Some(copy)) => copy.path().to_owned(),
                    _ => session.folder.workspace(),
                };
                let entry = Entry {
                    at,
                    due,
                    digest,
                    hosts: &hosts,
                    ado: ado.as_ref(),
                    workspace,
                };
                match execute(effects, session, sandbox.as_ref(), entry, &environment, cancel).await? {
                    Ran::Finished => {}
                    Ran::Interrupted => {
                        session.begin(Work::Execution);
                        return Ok(Analysed::Interrupted);
                    }
                    Ran::OutOfTime(spent) => return Ok(Analysed::OutOfTime(spent)),
                    // Made again once; whoever removes it twice means it.
                    Ran::Gone(error) if gone => return Err(error.into()),
                    Ran::Gone(_) => {
                        gone = true;
                        session.line("The environment was removed since it was made: making it again.");
                    }
                }
            }
            AskResult::AskAgain => {}
            // The main analysis stands whatever is thought of its variants.
            AskResult::End(Analysed::Observed(_) | Analysed::Cancelled(_)) if due.variant.is_some() => {
                return told(session);
            }
            AskResult::End(analysed) => return Ok(analysed),
        }
    }
}

/// A command that is to run.
#[derive(Clone, Copy)]
struct DueCommand<'a> {
    index: u32,
    entry: &'a EntryPoint,
    /// The variant that it is of; none of the main analysis.
    variant: Option<&'a RunnableVariant>,
}

/// The first entry that has not run, unless an earlier one failed; those of variants
/// after all of the main analysis.
fn next_entry<'a>(
    session: &Session,
    at: CallRef,
    declared: &'a Declared,
    copy: Option<&VariantCopy>,
) -> Option<DueCommand<'a>> {
    for (index, entry) in (0..).zip(&declared.plan.0) {
        match session
            .state
            .executions
            .finished(at, index)
            .and_then(|one| one.finished.as_ref())
        {
            None => {
                return Some(DueCommand {
                    index,
                    entry,
                    variant: None,
                });
            }
            Some(finished) if !finished.ending.ok() => return None,
            Some(_) => {}
        }
    }
    variants::next(session, at, &declared.variants, copy).map(|due| DueCommand {
        index: due.index,
        entry: due.entry,
        variant: Some(due.variant),
    })
}

/// The plan of a stage that has commands executed, as it stands in the workspace, with what may be run of it.
///
/// # Errors
/// A stage that names no plan, a plan that cannot be read, or a registered variant that the store lacks.
pub fn read_declared(
    effects: &Effects,
    session: &Session,
    stage: Stage,
    tier: Tier,
) -> Result<FoundPlan, EngineError> {
    let Some(file) = effects.ports.catalog.plan_of(stage) else {
        return Err(EngineError::Unusable(format!(
            "{stage} has commands executed, and {stage}/stage.toml names no `plan` that says which"
        )));
    };
    let path = session.folder.workspace().join(file);
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            return Ok(FoundPlan::Refused(PlanRefusal::Absent(file.to_owned())));
        }
        Err(error) => return Err(EngineError::io(&path, error)),
    };
    let present = workspace_files::paths(&session.folder.workspace(), WorkspacePath::WORK)?;
    let code = session
        .state
        .started
        .as_ref()
        .map(|started| started.code.clone())
        .unwrap_or_default();
    let registered = registered(&session.state, session.store.as_ref())?;
    let rules = CodeRules {
        mode: effects.request.code_mode,
        access: effects.request.code_access,
        code: &code,
        present: &present,
        offer: AvailablePrograms {
            tier,
            images: &effects.ports.images,
            installed: &inside::is_installed,
        },
        variants: &registered,
        lock: effects.request.lock.as_deref(),
    };
    Ok(declared::read(PlanText { file, text: &text }, rules).into())
}

/// One command with what it runs under.
struct Entry<'a> {
    at: CallRef,
    due: DueCommand<'a>,
    /// The approval that it runs under.
    digest: Digest,
    /// The hosts that it may reach.
    hosts: &'a [String],
    /// The ado-files that Stata is shown.
    ado: Option<&'a ShownAdo>,
    /// The run's own workspace, or a variant's copy of it.
    workspace: PathBuf,
}

/// The outcome of running one entry.
enum Ran {
    Finished,
    Interrupted,
    /// The run's time was up before it ended, or before it began.
    OutOfTime(Reached),
    /// Nothing ran: the environment was removed since it was made.
    Gone(SandboxError),
}

/// Runs one entry.
async fn execute(
    effects: &mut Effects,
    session: &mut Session,
    sandbox: &dyn Sandbox,
    Entry {
        at,
        due,
        digest,
        hosts,
        ado,
        workspace,
    }: Entry<'_>,
    environment: &Environment,
    cancel: &CancellationToken,
) -> Result<Ran, EngineError> {
    let time = match time_left::compute(effects.ports.account.budget(), session, at.stage) {
        Ok(time) => time,
        Err(spent) => return Ok(Ran::OutOfTime(spent)),
    };
    let entry = due.entry;
    let (own, copy) = (session.folder.workspace(), due.variant.map(|_| workspace.clone()));
    let look = move |cancel: &CancellationToken| {
        let before = workspace_files::snapshot(&own, WorkspacePath::WORK, cancel)?;
        let found = match copy {
            None => before.files.clone(),
            Some(copy) => workspace_files::list(&copy, WorkspacePath::WORK, cancel)?.files,
        };
        Ok((before, found))
    };
    let (before, found) = apart::within_time(effects, session, at.stage, cancel, look).await?;
    let id = session.state.executions.next_id();
    let command = command::command(entry, session.state.r_defaults());
    let before_json = serde_json::to_vec(&before)
        .map_err(|error| EngineError::Unusable(format!("the file list cannot be written: {error}")))?;
    session.record(Event::ExecutionStarted(Box::new(ExecutionStarted {
        id,
        at,
        entry: due.index,
        variant: due.variant.map(|variant| variant.name.clone()),
        path: entry.path.clone(),
        command: command.clone(),
        digest,
        before: session.keep(&before_json)?,
    })))?;
    let streams = session.folder.streams();
    fs::create_dir_all(&streams).map_err(|error| EngineError::io(&streams, error))?;
    let mut variables = due
        .variant
        .map(|variant| variant.variables.clone())
        .unwrap_or_default();
    variables.extend(helpers::variables(session, &workspace, sandbox.tier()));
    let execution = Execution {
        run: session.folder.owner(&effects.request.run),
        environment: environment.clone(),
        command,
        workspace: workspace.clone(),
        directory: command::work()?,
        writable: vec![command::work()?],
        watched: watched(session)?,
        variables,
        limits: effects.request.limits,
        hosts: hosts.to_vec(),
        gateway: None,
        beside: None,
        ado: ado.map(|shown| shown.folder.clone()),
        beneath: None,
        lasting: false,
        stdout: streams.join(format!("{id}.stdout")),
        stderr: streams.join(format!("{id}.stderr")),
    };
    session.line(&match due.variant {
        None => format!("Running {} in the sandbox.", entry.path),
        Some(variant) => format!(
            "Running {} in the sandbox, as the variant {}.",
            entry.path, variant.name
        ),
    });
    let cut = cancel.child_token();
    let running = sandbox.execute(&execution, &cut);
    let watched = heartbeat::beside(session.watch(), &execution, heartbeat::BEAT, running);
    let (ended, spent) = time_left::within(time, &cut, watched).await;
    let ended = match ended {
        Ok(ended) if ended.ending == Ending::Cancelled => {
            interrupted::close(effects, session).await?;
            return Ok(spent.map_or(Ran::Interrupted, Ran::OutOfTime));
        }
        Ok(ended) => ended,
        Err(SandboxError::NoProgram(program)) => {
            fs::write(
                &execution.stderr,
                format!("{program}: not installed in this sandbox\n"),
            )
            .and_then(|()| fs::write(&execution.stdout, ""))
            .map_err(|error| EngineError::io(&streams, error))?;
            no_program()
        }
        Err(error @ SandboxError::EnvironmentGone(_)) => {
            interrupted::close(effects, session).await?;
            return Ok(Ran::Gone(error));
        }
        Err(error) => {
            // A sandbox that is lost cannot be swept either: resuming closes what stays open.
            let _closed = interrupted::close(effects, session).await;
            return Err(error.into());
        }
    };
    let mut notes = ended.notes;
    let left = workspace.clone();
    let take_in = move |cancel: &CancellationToken| {
        workspace_files::open_up(&left, WorkspacePath::WORK);
        let removed = workspace_files::remove_odd(&left, WorkspacePath::WORK)?;
        let after = workspace_files::list(&left, WorkspacePath::WORK, cancel)?;
        Ok((
            removed,
            workspace_files::changed(&found, &after.files),
            after.unread,
        ))
    };
    let taken_in = apart::within_time(effects, session, at.stage, cancel, take_in).await;
    let (removed, written, unread) = taken_in?;
    notes.extend(removed);
    outputs::keep(session, &workspace, &written)?;
    let NamedOutputs {
        outputs,
        further,
        unnamed,
    } = outputs::name(session, written)?;
    let mut opened = ended.opened;
    // What it made itself and nobody names, it need not be named to have opened.
    opened.files.retain(|path| !unnamed.contains(path));
    let read = |path: &PathBuf| fs::read(path).map_err(|error| EngineError::io(path, error));
    let (stdout, mut stderr) = (read(&execution.stdout)?, read(&execution.stderr)?);
    let folder = workspace.join(WorkspacePath::WORK);
    let script = command::script(entry);
    let logged = stata_end::read(ended.ending, entry.interpreter, Path::new(&script), &folder);
    stderr.extend(logged.error.iter().flat_map(|error| error.bytes()));
    let rescue = match logged.ending.ok() {
        true => None,
        false => {
            let failed = FailedCommand {
                execution: &execution,
                path: &entry.path,
                stdout: &stdout,
                stderr: &stderr,
            };
            rescue::findings(session, sandbox, failed, cancel).await?
        }
    };
    if let Some(line) = rescue.as_ref().and_then(|found| rescue_words::line(id, found)) {
        session.line(&line);
    }
    let finished = ExecutionFinished {
        id,
        ending: logged.ending,
        stdout: session.keep(&stdout)?,
        stderr: session.keep(&stderr)?,
        stdout_bytes: ended.stdout_bytes,
        stderr_bytes: ended.stderr_bytes,
        opened,
        outputs,
        further,
        unread,
        wall_ms: u64::try_from(ended.wall.as_millis()).unwrap_or(u64::MAX),
        peak_memory: ended.peak_memory,
        notes,
        rescue,
    };
    session.record(Event::ExecutionFinished(Box::new(finished)))?;
    fs::remove_dir_all(&streams).map_err(|error| EngineError::io(&streams, error))?;
    Ok(Ran::Finished)
}

/// The exit status that a shell gives for a program that is not there.
fn no_program() -> crate::sandbox::contract::Ended {
    crate::sandbox::contract::Ended {
        ending: Ending::Exited(127),
        stdout_bytes: 0,
        stderr_bytes: 0,
        opened: Default::default(),
        wall: Default::default(),
        peak_memory: None,
        notes: Vec::new(),
    }
}

fn watched(session: &Session) -> Result<Vec<WorkspacePath>, EngineError> {
    workspace_files::data_folders(session)
        .into_iter()
        .chain([WorkspacePath::WORK.to_owned()])
        .map(|folder| {
            folder
                .parse()
                .map_err(|error| EngineError::Unusable(format!("{error}")))
        })
        .collect()
}
