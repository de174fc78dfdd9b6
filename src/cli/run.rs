//! `reprise run`.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use tokio_util::sync::CancellationToken;

use crate::app::{self, Commons};
use crate::domain::digest::Digest;
use crate::domain::execution::{Limits, Tier};
use crate::domain::ids::RunId;
use crate::domain::mode::Setting;
use crate::domain::plan::Interpreter;
use crate::domain::stage::Stage;
use crate::effects::analyse::available::{self, Offer};
use crate::effects::performer::Effects;
use crate::engine::dispatch::{self, Stop};
use crate::engine::folder::RunFolder;
use crate::engine::request::{Approve, FORMAT, PolicyText, RunRequest};
use crate::engine::session::Session;
use crate::engine::watch::{Unwatched, Watch};
use crate::run::decide;
use crate::sandbox::inside;
use crate::settings::Settings;
use crate::study::kind::Kind;
use crate::study::open::Study;

use super::args::RunArgs;
use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::progress::Progress;
use super::terminal::Terminal;
use super::{budget, estimate, record};

/// Starts a run and carries it as far as it goes.
pub async fn run(settings: &Settings, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    let study =
        Study::open(&args.study).map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
    let setting = Setting::of(args.code_mode, args.code_access);
    let approve = approve(&args.approve)?;
    app::approver(&approve)?;
    let name = run_name(settings, study.id(), setting);
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => free_folder(&name),
    };
    let model = match &args.model {
        Some(model) => model.clone(),
        None => default_model(study.root(), setting)?,
    };
    let budget = budget::of(&approve, &args.budget)?;
    let record = args.record.as_deref().map(|to| record::place(study.root(), to));
    let search = app::search_name(settings, args.search.as_deref(), &model)?;
    let request = RunRequest {
        format: FORMAT,
        run: run_id(&name, &folder),
        study: fs::canonicalize(&args.study).unwrap_or(args.study),
        model,
        sampling: args.sampling.sampling(),
        code_mode: args.code_mode,
        code_access: args.code_access,
        stages: args.stages,
        approve,
        sandbox: app::settled(settings, args.sandbox).await,
        limits: Limits {
            seconds: args.limits.time_limit,
            memory: args.limits.memory_limit << 20,
            processes: args.limits.process_limit,
            ..Limits::default()
        },
        hosts: args.hosts,
        budget,
        allow_unpriced: args.budget.allow_unpriced,
        record: record.transpose()?,
        search: search.map(|name| name.to_string()),
        vision_model: args.vision_model,
        stages_dir: args.stages_dir,
    };
    let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
    let minds = app::minds_of(settings, &Commons::default(), &request, &unwatched)?;
    if minds.is_live && !args.quiet {
        let paper = app::paper_tokens(&study);
        let said = estimate::words(request.stages, paper, minds.purse.price(), &request.budget);
        printer.note(said);
    }
    let sandbox = app::sandbox_for(settings, &request).await?;
    if let Some(sandbox) = sandbox
        && setting == Setting::Native
    {
        // Data that are not there are the study's to mend, whatever could run its scripts.
        study
            .ensure_usable_data()
            .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
        native(settings, &study, sandbox.tier())?;
    }
    let folder = create(&folder)?;
    request.save(&folder.request())?;
    let shown = Shown {
        quiet: args.quiet,
        json: args.json,
    };
    carry(settings, printer, folder, request, shown).await
}

/// What is printed of a run.
#[derive(Debug, Clone, Copy)]
pub struct Shown {
    pub quiet: bool,
    pub json: bool,
}

/// Carries a run on from wherever its journal is.
pub async fn carry(
    settings: &Settings,
    printer: Printer,
    folder: RunFolder,
    request: RunRequest,
    shown: Shown,
) -> Result<Status, Failure> {
    let progress = Arc::new(Progress::new(printer, shown.quiet));
    let watch: Arc<dyn Watch> = progress.clone();
    let to = request.record.clone();
    let result = drive(settings, printer, folder.clone(), request, &watch).await;
    progress.finish();
    if let Some(to) = to {
        // Whatever stopped it, what there is of the session is kept.
        let recorded = record::write(settings, &folder, &to);
        if result.is_ok() {
            recorded?;
        }
    }
    let (session, stop) = result?;
    let status = status(&session, stop);
    if session.state.verdict.is_some() || stop == Stop::Halted {
        super::report::write_all(&session.folder)?;
    }
    tell(printer, &session, stop, status, shown.json)?;
    Ok(status)
}

async fn drive(
    settings: &Settings,
    printer: Printer,
    folder: RunFolder,
    request: RunRequest,
    watch: &Arc<dyn Watch>,
) -> Result<(Session, Stop), Failure> {
    let mut session = app::session(settings, folder, watch.clone())?;
    if session.state.verdict.is_some() {
        return Ok((session, Stop::Finished));
    }
    let minds = app::minds_of(settings, &Commons::default(), &request, watch)?;
    let mut effects = app::effects(settings, request, minds, Arc::new(Terminal { printer })).await?;
    let stop = drive_session(&mut session, &mut effects).await?;
    Ok((session, stop))
}

/// Drives until the end or Ctrl-C.
pub async fn drive_session(session: &mut Session, effects: &mut Effects) -> Result<Stop, Failure> {
    let cancel = CancellationToken::new();
    let signal = cancel.clone();
    let watcher = tokio::spawn(async move {
        if stop_signal().await {
            signal.cancel();
        }
    });
    let stop = dispatch::drive(session, effects, &cancel).await;
    watcher.abort();
    Ok(stop?)
}

async fn stop_signal() -> bool {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut terminate) = signal(SignalKind::terminate()) else {
        return tokio::signal::ctrl_c().await.is_ok();
    };
    tokio::select! {
        found = tokio::signal::ctrl_c() => found.is_ok(),
        found = terminate.recv() => found.is_some(),
    }
}

fn run_name(settings: &Settings, study: &str, setting: Setting) -> String {
    let time = app::clock(settings).now().strftime("%Y%m%d-%H%M%S").to_string();
    let study: String = study
        .chars()
        .map(|character| {
            if character.is_ascii_alphanumeric() || character == '-' {
                character
            } else {
                '-'
            }
        })
        .take(60)
        .collect();
    format!("{study}-{setting}-{time}")
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

/// Unlike every other run's on this machine, since no two have one folder.
fn run_id(name: &str, folder: &Path) -> RunId {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let place = Digest::of(folder.as_os_str().as_encoded_bytes()).short();
    RunId::new(format!("{name}-{}", &place[..6]))
}

/// The study's recording for a setting, where it has one.
fn default_model(study: &Path, setting: Setting) -> Result<String, Failure> {
    if app::recording_path(study, setting.name()).is_file() {
        return Ok(format!("recorded:{setting}"));
    }
    Err(Failure::usage(format!(
        "name a model with --model, such as openai/gpt-5: {} has no recording for the setting {setting}",
        study.display()
    )))
}

/// Refuses native mode where none of the study's scripts can run here, before
/// anything is paid for.
fn native(settings: &Settings, study: &Study, tier: Tier) -> Result<(), Failure> {
    let images = settings.images();
    let offer = Offer {
        tier,
        images: &images,
        installed: &inside::is_installed,
    };
    let mut missing = None;
    for file in study.of_kind(Kind::Code) {
        let Ok(interpreter) = Interpreter::of(&file.path) else {
            continue;
        };
        match available::missing(interpreter, file.path.as_str(), offer) {
            None => return Ok(()),
            Some(sentence) => missing = missing.or(Some(sentence)),
        }
    }
    let reason = missing.unwrap_or_else(|| {
        format!(
            "{} has no script that could be run, so native mode has nothing to run.",
            study.root().display()
        )
    });
    Err(Failure::new(
        Status::StudyInvalid,
        format!("{reason} Else choose `--code-mode python` or `--code-access data-only`."),
    ))
}

fn approve(text: &str) -> Result<Approve, Failure> {
    match text {
        "ask" => Ok(Approve::Ask),
        "auto" => Ok(Approve::Auto),
        "deny" => Ok(Approve::Deny),
        _ => match text.strip_prefix("policy:") {
            Some(file) => {
                let text = fs::read_to_string(file)
                    .map_err(|error| Failure::usage(format!("--approve: {file}: {error}")))?;
                Ok(Approve::Policy(PolicyText {
                    name: file.to_owned(),
                    text,
                }))
            }
            None => Err(Failure::usage(format!(
                "--approve {text}: expected ask, auto, deny or policy:FILE"
            ))),
        },
    }
}

/// Makes the run's folder; one that is there already is somebody's run.
fn create(path: &Path) -> Result<RunFolder, Failure> {
    let io =
        |error: std::io::Error| Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()));
    let occupied = path.read_dir().is_ok_and(|mut entries| entries.next().is_some());
    if occupied {
        let way_out = if path.join("run.json").exists() {
            "`reprise resume` goes on with it"
        } else {
            "choose another --out"
        };
        return Err(Failure::usage(format!(
            "{} exists and is not empty: {way_out}",
            path.display()
        )));
    }
    fs::create_dir_all(path).map_err(io)?;
    RunFolder::at(path).map_err(io)
}

fn status(session: &Session, stop: Stop) -> Status {
    match stop {
        Stop::AwaitingApproval => Status::AwaitingApproval,
        Stop::Interrupted => Status::Interrupted,
        Stop::Halted | Stop::Finished => {
            decide::failed_stage(&session.state).map_or(Status::Done, |(_, cause, _)| Status::of_cause(cause))
        }
    }
}

fn tell(printer: Printer, session: &Session, stop: Stop, status: Status, json: bool) -> Result<(), Failure> {
    let folder = session.folder.path();
    if json {
        let state = &session.state;
        return printer.json(&json!({
            "run": state.started.as_ref().map(|started| started.run.clone()),
            "folder": folder,
            "status": status.meaning(),
            "exit_code": status.code(),
            "verdict": state.verdict,
            "failed_stage": decide::failed_stage(state).map(|(stage, cause, detail)| {
                json!({ "stage": stage, "cause": cause, "detail": detail })
            }),
            "waiting_for": state.open_questions().into_iter().map(|asked| {
                json!({ "id": asked.id.to_string(), "asking": asked.asking, "summary": asked.summary })
            }).collect::<Vec<_>>(),
            "usage": state.usage(),
        }));
    }
    let name = shown(folder);
    match stop {
        Stop::AwaitingApproval => {
            for asked in session.state.open_questions() {
                printer.line(format!(
                    "{} waits for an answer: {}",
                    asked.id,
                    printable(&asked.summary)
                ));
            }
            printer.line(format!(
                "`reprise show {name}` shows what; `reprise approve {name}`, then `reprise resume {name}`."
            ));
        }
        Stop::Interrupted => printer.line(format!(
            "Interrupted; nothing is lost: `reprise resume {name}` goes on."
        )),
        Stop::Halted => {
            if let Some((stage, cause, detail)) = decide::failed_stage(&session.state) {
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
        Stop::Finished => {
            let partial = session
                .state
                .started
                .as_ref()
                .map(|started| started.settings.stages)
                .filter(|stages| !stages.contains(Stage::Execute));
            let failed = decide::failed_stage(&session.state).is_some();
            if let Some(stages) = partial.filter(|_| !failed) {
                printer.line(format!(
                    "done: {stages}; without the execute stage there is no verdict"
                ));
            } else if let Some(verdict) = &session.state.verdict {
                printer.line(format!(
                    "{}: {}",
                    styled(paint::STRONG, verdict.outcome),
                    printable(&verdict.reason)
                ));
                if verdict.is_disputed() {
                    let agent = verdict.agent.map_or("nothing", |agent| agent.words());
                    printer.line(format!("the agent concluded otherwise: {agent}"));
                }
                if let Some(finding) = &verdict.finding {
                    printer.line(format!("replication: {}", printable(&figures(finding))));
                }
            }
            if let Some((stage, cause, detail)) = decide::failed_stage(&session.state) {
                printer.line(format!("stage {stage} failed ({cause}): {}", printable(detail)));
            }
            printer.line(format!("report: {}", shown(&session.folder.report("html"))));
        }
    }
    Ok(())
}

fn figures(finding: &crate::domain::finding::Finding) -> String {
    let mut parts = vec![finding.name.clone()];
    if let Some(estimate) = finding.estimate {
        parts.push(format!("estimate {estimate}"));
    }
    if let Some(error) = finding.standard_error {
        parts.push(format!("SE {error}"));
    }
    if let Some(p_value) = finding.p_value {
        parts.push(format!("p {p_value}"));
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
