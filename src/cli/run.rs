//! `reprise run`.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;

use crate::app;
use crate::app::by_hand::GivenWork;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::domain::stage::Stage;
use crate::engine::choice::study::StudyChoice;
use crate::engine::watch::{Unwatched, Watch};
use crate::model::name::HUMAN;

use super::agent_args::TypedProgramArgs;
use super::attended_run::{self, AttendedBy};
use super::budget;
use super::chosen_agent::ensure_recordable;
use super::dry_run::{self, PlannedRun};
use super::exit::{Failure, Status};
use super::output::Printer;
use super::run_options::ChoiceArgs;
use super::signing::SignArgs;
use super::{estimate, introduction, run_folder, run_request, study_request, task};

#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  reprise run studies/duncan-1961 --approve auto
  reprise run studies/mine --model openai/gpt-5 --max-cost 5
  reprise run studies/mine --model openai/gpt-5 --dry-run
  reprise run studies/mine --model human

`reprise run --help-all` lists every option.",
    after_long_help = "\
Examples:
  reprise run studies/duncan-1961 --approve auto
  reprise run studies/crime-1993 --code-mode native --approve ask
  reprise run studies/duncan-1961 --model openai/gpt-5 --stages extract..design
  reprise run studies/duncan-1961 --approve policy:approvals.toml --json
  reprise run studies/mine --model openai/gpt-5 --dry-run
  reprise run studies/mine --model human
  reprise run studies/mine --plan replication_info.json --code scripts/
  reprise run studies/mine --model openai/gpt-5 --agent codex --approve ask
  reprise run studies/mine --model openai/gpt-5 --agent claim-only
  reprise run studies/mine --model openai/gpt-5 --agent command --agent-files my-agent/ --approve auto \
    -- python3 /agent/agent.py

A program that is the agent (`--agent`) carries the stages design and execute, each in a sandbox of its own and on a \
copy of the workspace. In design that copy has codebooks and facts on the columns, and no row of the data, unless \
--agent-data is given. Behind execute the engine runs the plan itself, under an approval of its own; where that fails \
the program is started again and told. It finds its task, the model's address and a key of this run alone in its \
environment, as in `reprise capsule run`."
)]
pub struct RunArgs {
    /// The folder of a study, or of another task, which holds a `task.toml`.
    pub study: PathBuf,
    #[command(flatten)]
    pub choice: ChoiceArgs,
    /// A plan of your own, as `replication_info.json` or as the form of the stage design: the
    /// run begins there, by hand, and goes on with your code
    #[arg(long, value_name = "FILE", help_heading = "By hand")]
    pub plan: Option<PathBuf>,
    /// A folder of scripts of yours, which are laid below `work/`
    #[arg(long, value_name = "DIR", help_heading = "By hand")]
    pub code: Option<PathBuf>,
    /// The run's folder; it must not exist [default: runs/STUDY-SETTING-TIME]
    #[arg(long)]
    pub out: Option<PathBuf>,
    /// Write the session into this file, or under this name into the study's
    /// recordings/, for `--model recorded:...`.
    #[arg(long, value_name = "FILE|NAME", help_heading = "Record")]
    pub record: Option<String>,
    /// Say what would be begun, with what it may cost, and begin nothing
    #[arg(long)]
    pub dry_run: bool,
    #[command(flatten)]
    pub program: TypedProgramArgs,
    #[command(flatten)]
    pub sign: SignArgs,
    /// Print nothing while it goes.
    #[arg(long, short)]
    pub quiet: bool,
    /// Print the result as JSON.
    #[arg(long)]
    pub json: bool,
}

/// Checks what is given of a run that is made by hand, and chooses the model that this calls for.
fn given(given: GivenWork, choice: &mut StudyChoice) -> Result<GivenWork, Failure> {
    if given.is_nothing() {
        return Ok(given);
    }
    let model = choice.run.model.get_or_insert_with(|| HUMAN.to_owned());
    if model != HUMAN {
        return Err(Failure::usage(format!(
            "--plan and --code are for runs by hand, and {model} writes its own: leave --model out"
        )));
    }
    if given.plan.is_some() {
        choice.stages = choice.stages.beginning_with(Stage::DESIGN);
    }
    given.check()?;
    Ok(given)
}

/// Starts a run and carries it as far as it goes.
///
/// # Errors
/// A study or a request that cannot be used, or a run that cannot be carried on.
pub async fn run(program: &Program, printer: Printer, args: RunArgs) -> Result<Status, Failure> {
    let mut choice = args.choice.choice(args.program);
    let work = GivenWork {
        plan: args.plan,
        code: args.code,
    };
    let given = given(work, &mut choice)?;
    let signing = args.sign.open()?;
    budget::refuse_batch(&run_request::together(&choice.run)?)?;
    let settings = &program.settings;
    let task = study_request::open(&choice, &args.study)?;
    let name = run_folder::run_name(settings, &task, choice.setting());
    let folder = match &args.out {
        Some(folder) => folder.clone(),
        None => run_folder::free(&name),
    };
    let record = args
        .record
        .as_deref()
        .map(|to| app::session_recording::place(&task.root, to));
    let mut request = study_request::request(program, &choice, &task, &name, &folder).await?;
    ensure_recordable(&request, args.record.as_deref())?;
    request.record = record.transpose()?;
    let unwatched: Arc<dyn Watch> = Arc::new(Unwatched);
    let models = app::models::models_of(settings, &ProcessShared::default(), &request, &unwatched)?;
    let stages: Vec<Stage> = (study_request::catalog(program, &choice, &task)?.track())
        .range(request.stages)
        .iter()
        .map(|place| place.stage)
        .collect();
    let estimate = (task.study.as_ref()).filter(|_| models.is_live).map(|study| {
        let paper = app::toolset::paper_tokens(study);
        estimate::words(&stages, paper, models.account.price(), &request.budget)
    });
    if args.dry_run {
        task::ensure_runnable(program, &task, &request).await?;
        let planned = PlannedRun {
            task: &task,
            request: &request,
            stages: &stages,
            folder: &folder,
            estimate,
        };
        return dry_run::tell(printer, &planned, args.json);
    }
    if models.is_live && !args.quiet {
        if let Some(said) = estimate {
            printer.note(said);
        }
        let searching = request.search.as_ref();
        let hosted = searching.and_then(|name| Some((name, models.accounts.get(name)?)));
        if let Some((name, _)) = hosted.filter(|(_, account)| account.fee(1).is_none()) {
            printer.note(estimate::uncounted(name));
        }
    }
    task::ensure_runnable(program, &task, &request).await?;
    let folder = run_folder::create(&folder)?;
    given.lay_out(&folder)?;
    request.save(&folder.request())?;
    if !args.quiet {
        introduction::tell(printer, &task.root, &request.model);
    }
    let person = AttendedBy {
        quiet: args.quiet,
        json: args.json,
        signing,
    };
    attended_run::carry(program, printer, folder, request, person).await
}
