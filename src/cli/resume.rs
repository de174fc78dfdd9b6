//! `reprise resume`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::app;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::domain::track::StageSelection;
use crate::engine::folder::RunFolder;
use crate::engine::request::{LostSession, RunRequest};
use crate::engine::run_reader::RunReader;
use crate::engine::watch::{Unwatched, Watch};
use crate::model::name::{CLIENT, HUMAN};
use crate::policy::scope::Scope;

use super::attended_run::{self, AttendedBy};
use super::budget::{self, BudgetArgs};
use super::exit::{Failure, Status};
use super::output::Printer;
use super::run_options::ProbeArgs;
use super::run_request;
use super::sampling::SamplingArgs;
use super::signing::SignArgs;

#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  reprise resume RUN
  reprise resume RUN --max-cost 8
  reprise resume RUN --approve auto

`reprise resume --help-all` lists every option.",
    after_long_help = "\
Caps, an effort and a temperature that are given take the place of the run's own.

Examples:
  reprise resume runs/duncan-1961-python-20261121-185700
  reprise resume RUN --max-cost 8
  reprise resume RUN --approve auto
  reprise resume RUN --model human
  reprise resume RUN --stages ..interpret --registration https://osf.io/abcde"
)]
pub struct ResumeArgs {
    /// The run's folder.
    pub dir: PathBuf,
    /// Go on to a later stage than the run was begun for, such as `..interpret`
    #[arg(long, value_name = "..TO")]
    pub stages: Option<StageSelection>,
    /// The address or DOI at which the plan was registered, for the report
    #[arg(long, value_name = "URL", requires = "stages", help_heading = "Record")]
    pub registration: Option<String>,
    /// Who approves from here on: `ask`, `auto`, `deny` or `policy:FILE`; what has been decided stands.
    #[arg(long)]
    pub approve: Option<String>,
    /// `human`: you take the place of the run's model, and fill in forms from here on
    #[arg(long, value_name = "human", value_parser = [HUMAN])]
    pub model: Option<String>,
    /// Where the session of an attempt at a capsule is gone: run its commands again, or close the attempt,
    /// unscored [default: as it was asked for]
    #[arg(long, value_enum, help_heading = "Execution")]
    pub lost_session: Option<LostSession>,
    #[command(flatten)]
    pub sampling: SamplingArgs,
    #[command(flatten)]
    pub probe: ProbeArgs,
    #[command(flatten)]
    pub budget: BudgetArgs,
    /// Write the session into this file, or under this name into the study's recordings/.
    #[arg(long, value_name = "FILE|NAME", help_heading = "Record")]
    pub record: Option<String>,
    #[command(flatten)]
    pub sign: SignArgs,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Asks for later stages than the run was begun for.
fn extend(folder: &RunFolder, request: &mut RunRequest, stages: StageSelection) -> Result<(), Failure> {
    let run = RunReader::read(folder.clone())?;
    let track = run.state.track();
    let asked = stages.beginning_with(request.stages.from).within(track);
    let asked = asked.map_err(|problem| Failure::usage(format!("--stages: {problem}")))?;
    if asked == request.stages {
        return Ok(());
    }
    let name = folder.path().display();
    let before = request.stages;
    if asked.from != before.from || !track.is_before(before.to, asked.to) {
        return Err(Failure::usage(format!(
            "--stages {asked}: the run in {name} was begun for {before}; it can go on to a later stage, and a \
             run of other stages is another run"
        )));
    }
    if !run.state.can_extend(asked) {
        return Err(Failure::usage(format!(
            "--stages {asked}: the run in {name} has not come to the end of {before} yet; `reprise resume {name}` \
             goes on there first"
        )));
    }
    request.stages = asked;
    Ok(())
}

/// Refuses a registration of a plan that was made with the data in reach.
fn ensure_registrable(folder: &RunFolder, registration: Option<&str>) -> Result<(), Failure> {
    let Some(place) = registration else {
        return Ok(());
    };
    match RunReader::read(folder.clone())?.state.is_planned_with_data() {
        false => Ok(()),
        true => Err(Failure::usage(format!(
            "--registration {place}: the plan of the run in {} was made by a program with the data in reach (--agent-data), \
             and never counts as preregistered: leave --registration out",
            folder.path().display()
        ))),
    }
}

/// Goes on with a run from wherever its journal is.
///
/// # Errors
/// A folder without a run, or a run that cannot be carried on.
pub async fn resume(program: &Program, printer: Printer, args: ResumeArgs) -> Result<Status, Failure> {
    let folder = RunFolder::find(&args.dir)?;
    let signing = args.sign.open()?;
    budget::refuse_batch(&args.budget.caps().caps(Scope::Batch))?;
    let mut request = RunRequest::load(&folder.request())?;
    if request.model == CLIENT {
        return Err(Failure::usage(format!(
            "the run in {} is a client's: `reprise agents mcp TASK_FILE --out {0}` goes on with it",
            folder.path().display()
        )));
    }
    let before = request.clone();
    request.budget = request.budget.overlaid(&args.budget.caps());
    budget::check_again(program, &args.budget, &request)?;
    request.sampling = request.sampling.overlaid(args.sampling.sampling());
    request.patience = request.patience.overlaid(args.sampling.patience());
    request.allow_unpriced |= args.budget.allow_unpriced;
    if let Some(stages) = args.stages {
        extend(&folder, &mut request, stages)?;
        ensure_registrable(&folder, args.registration.as_deref())?;
        request.registration = args.registration.or(request.registration);
    }
    if let Some(text) = &args.approve {
        request.approve = run_request::approve(text)?;
        app::run::approver(&request.approve)?;
    }
    if let Some(model) = args.model {
        request.model = model;
    }
    if let Some(lost) = args.lost_session {
        let Some(asked) = request.lost_session_mut() else {
            return Err(Failure::usage(format!(
                "--lost-session: the run in {} is no attempt at a capsule or a notebook task, and has no session",
                folder.path().display()
            )));
        };
        *asked = lost;
    }
    request.probe = args.probe.over(request.probe);
    if let Some(to) = &args.record {
        request.record = Some(app::session_recording::place(&request.study, to)?);
    }
    if request.sampling != before.sampling {
        // What the model refuses is not kept.
        let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
        app::models::models_of(&program.settings, &ProcessShared::default(), &request, &unwatched)?;
    }
    if request != before {
        request.update(&folder.request(), folder.path())?;
    }
    let person = AttendedBy {
        quiet: args.quiet,
        json: args.json,
        signing,
    };
    attended_run::carry(program, printer, folder, request, person).await
}
