//! `reprise replay`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use crate::analysis::differences::{self, Side};
use crate::app;
use crate::app::program::Program;
use crate::app::run_models::RunModels;
use crate::artifacts::content;
use crate::domain::content::Content;
use crate::domain::ids::RunId;
use crate::effects::hurry::Hurry;
use crate::effects::replaying::Replayed;
use crate::engine::dispatch::EngineStop;
use crate::engine::folder::RunFolder;
use crate::engine::request::SandboxChoice;
use crate::engine::run_reader::RunReader;
use crate::engine::watch::Watch;
use crate::model::name::HUMAN;
use crate::policy::limits::Budget;

use super::attended_run;
use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::progress::Progress;
use super::terminal::Terminal;

#[derive(Debug, Args)]
#[command(after_help = "Example:\n  reprise replay runs/duncan-1961-python-20261121-185700 --out /tmp/again")]
pub struct ReplayArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// The study's folder, where it has moved.
    #[arg(long)]
    pub study: Option<PathBuf>,
    /// Where the replay is kept [default: a temporary folder that is removed]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Where code runs.
    #[arg(long, value_enum)]
    pub sandbox: Option<SandboxChoice>,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the differences as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Executes a run again without its model, and shows what differs.
///
/// # Errors
/// A run that cannot be read or has not begun, or a replay that cannot be carried out.
pub async fn replay(program: &Program, printer: Printer, args: ReplayArgs) -> Result<Status, Failure> {
    let before = RunReader::open(&args.dir)?;
    if before.state.started.is_none() {
        return Err(Failure::usage(format!(
            "{} has not begun: there is nothing to replay",
            args.dir.display()
        )));
    }
    let mut request = before.request.clone();
    if let Some(study) = args.study {
        request.study = study;
    }
    if let Some(sandbox) = args.sandbox {
        request.sandbox = sandbox;
    }
    // Nothing is paid for twice, so nothing has to be capped.
    request.budget = Budget::default();
    request.record = None;
    if let Some(capsule) = &mut request.capsule {
        // What lay beneath an episode went with its server.
        capsule.beneath = None;
    }
    request.run = RunId::new(format!("{}-replay-{}", request.run, rand::random::<u32>()));
    let io = |error: std::io::Error| Failure::new(Status::Infrastructure, error.to_string());
    let temporary = tempfile::tempdir().map_err(io)?;
    let path = args
        .out
        .clone()
        .unwrap_or_else(|| temporary.path().join("replay"));
    if path.read_dir().is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Failure::usage(format!(
            "{} exists and is not empty: choose another --out",
            path.display()
        )));
    }
    std::fs::create_dir_all(&path).map_err(io)?;
    let folder = RunFolder::at(&path)?;
    request.save(&folder.request())?;

    let progress = Arc::new(Progress::new(printer, args.quiet));
    let watch: Arc<dyn Watch> = progress.clone();
    let mut session = app::run::session(&program.settings, folder.clone(), watch, None)?;
    let replayed = Arc::new(Replayed::new(
        before,
        Arc::new(Terminal::new(printer, &program.settings, HUMAN)),
    ));
    let mut models = RunModels::free(replayed.clone(), replayed.clone());
    models.indexes = Some(replayed.clone());
    models.program = app::program_model::of_replay(replayed.run())?;
    let mut effects = app::run::effects(program, request, models, replayed.clone()).await?;
    effects.hurry = Arc::new(Hurry::of_replay(&replayed.run().state));
    let ended = attended_run::drive(&mut session, &mut effects).await;
    progress.finish();
    // A conversation that took another course is a difference, not an error.
    let cut_short = match ended {
        Ok(EngineStop::Interrupted) => return Ok(Status::Interrupted),
        Ok(EngineStop::AwaitingApproval) => {
            Some("the replay needs an approval that the run does not hold".to_owned())
        }
        Ok(EngineStop::Halted) => session.state.halted.as_ref().map(|halted| halted.detail.clone()),
        Ok(EngineStop::Finished) => None,
        Err(failure) if failure.status == Status::Usage => Some(failure.message),
        Err(failure) => return Err(failure),
    };
    drop(session);
    let after = RunReader::read(folder)?;
    let before = replayed.run();
    let differences = differences::between(
        &Side {
            state: &before.state,
            load: &|name| text(before, name),
        },
        &Side {
            state: &after.state,
            load: &|name| text(&after, name),
        },
    );
    if args.json {
        printer.json(&json!({ "same": differences.is_empty() && cut_short.is_none(), "cut_short": cut_short, "differences": differences }))?;
    } else {
        for difference in &differences {
            printer.line(format!(
                "{}: {}",
                styled(paint::STRONG, printable(&difference.place)),
                difference.what
            ));
            for line in difference.detail.lines() {
                printer.line(format!("    {}", printable(line)));
            }
        }
        if let Some(reason) = &cut_short {
            printer.line(format!("The replay stopped early: {}", printable(reason)));
        }
        let turns = || before.state.stages.values().flat_map(|stage| &stage.turns);
        let calls: usize = turns().map(|turn| turn.results.len()).sum();
        let asked = match turns().filter(|turn| turn.program.is_some()).count() {
            0 => String::new(),
            count => format!("{count} calls of the program, "),
        };
        let executions = before
            .state
            .executions
            .iter()
            .chain(before.state.executions.variants())
            .filter(|execution| execution.finished.is_some())
            .count();
        printer.line(match differences.len() {
            0 if cut_short.is_none() => {
                format!("Nothing differs: {asked}{calls} tool calls, {executions} executions and every answer are the same.")
            }
            count => format!("{count} differences in {asked}{calls} tool calls and {executions} executions."),
        });
    }
    Ok(if differences.is_empty() && cut_short.is_none() {
        Status::Done
    } else {
        Status::Differs
    })
}

fn text(run: &RunReader, name: &Content) -> String {
    match content::load(name, &run.store) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) => format!("(cannot be read: {error})"),
    }
}
