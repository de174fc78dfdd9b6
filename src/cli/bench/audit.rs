//! `reprise bench audit`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use serde_json::json;

use super::cell_choice::CellChoice;
use super::cell_plan::{PlannedCell, Planner, Retry};
use super::cell_spec::{CellSpec, EntryTask, combine};
use super::file::BenchFile;
use super::judge_trials::JudgeTrials;
use super::kept_audit::KeptAudit;
use super::opened::LOCKS;
use super::study_forgers::of_study;
use super::tasks::tasks;
use super::trivial_agents::{TrivialAgent, null, of_capsule};
use crate::analysis::bench::audit::{AuditedAttempt, AuditedTask};
use crate::analysis::bench::cell::TaskKind;
use crate::analysis::bench::judge_audit::AuditedJudge;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::cli::bench_folder::{BenchFolder, default_out};
use crate::cli::bench_plan::CellPlan;
use crate::cli::exit::{Failure, Status};
use crate::cli::judge_args::JudgeArgs;
use crate::cli::output::{Printer, paint, printable, styled};
use crate::cli::runs_at_once::carry_all::{ManyRuns, carry_all};
use crate::cli::runs_at_once::run_row::RunRow;
use crate::cli::task;
use crate::domain::mode::CodeMode;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::engine::atomic_file;
use crate::engine::run_reader::RunReader;

/// The folder of the audit's runs, below the bench's.
const AUDIT: &str = "audit";
#[derive(Debug, Args)]
#[command(after_help = "\
No model is asked but a judge that is named. Each capsule is tried with agents that hand in nothing, print that all is right, forge reports, \
plant links, leave a process behind that writes later, or answer with everything at once. Each study is tried with one \
that answers nothing and, in Python mode, with agents whose script prints or writes a made-up result, plants links, \
leaves a process behind that writes later, or prints every number; both with the recorded agent, where there is a \
recording. A task at which one of the first gets \
anything, or the recorded agent does not succeed, is quarantined: `reprise bench` leaves its cells out and says why. \
Subtler ways to forge a study's results are tried by reprise's own tests (docs/verdict.md). What --only leaves out \
stays as it was audited before.

A judge is given texts in the places of each study's documents: texts that tell it what to mark, and texts about something \
else. None of them earns a mark above the lowest. It also reviews a conversation in which nothing was done and which says \
how the form is to be filled in.

Exit codes: 0 nothing is quarantined, 1 something is.

Examples:
  reprise bench audit bench.toml
  reprise bench audit bench.toml --only sunspots
  reprise bench audit bench.toml --judge openai/gpt-5 --judge-dollars 1
  reprise bench audit bench.toml --json")]
pub struct AuditArgs {
    /// The bench file.
    #[arg(value_name = "FILE")]
    pub bench: PathBuf,
    /// The folder of the bench [default: the file's name without its ending]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Only tasks whose name, or a value of whose arm, holds this; may be given again
    #[arg(long, value_name = "TEXT")]
    pub only: Vec<String>,
    /// Attempts under way at once.
    #[arg(long, default_value_t = 2, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=256))]
    pub parallel: u32,
    /// A judge that is tried as well, or `recorded:FILE`; may be given again. It is a model, and is paid
    #[arg(long, value_name = "MODEL")]
    pub judge: Vec<String>,
    #[command(flatten)]
    pub asking: JudgeArgs,
    /// Print what was found as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The stage of a notebook task.
const SOLVE: &str = "solve";

/// A task with the attempts that are made at it.
struct TriedTask {
    spec: CellSpec,
    /// Each with the name of its agent; the recorded one comes last, where there is one.
    attempts: Vec<TriedAttempt>,
}

struct TriedAttempt {
    agent: String,
    is_known_good: bool,
    /// Whether it says nothing of the task that it could not be made.
    is_optional: bool,
    cell: Option<PlannedCell>,
    /// Why it cannot be made.
    unplanned: Option<String>,
}

/// Tries the graders and the tasks of a bench file with agents whose worth is known.
///
/// # Errors
/// A file or a task that cannot be used, or results that cannot be written.
pub async fn audit(program: &Program, printer: Printer, args: AuditArgs) -> Result<Status, Failure> {
    let mut file = BenchFile::open(&args.bench).map_err(|error| Failure::usage(error.to_string()))?;
    let path = std::path::absolute(&args.bench).map_err(|error| Failure::usage(error.to_string()))?;
    let root = path.parent().unwrap_or(Path::new("/"));
    let out = args.out.clone().unwrap_or_else(|| default_out(&path));
    let folder = BenchFolder(&out);
    folder.claim(&file.name)?;
    // The agents of the file are asked nothing here.
    file.agents.clear();
    file.repeats = 1;
    file.seeds.clear();
    let is_wanted = |name: &str| args.only.is_empty() || args.only.iter().any(|text| name.contains(text));
    let opened = tasks(&file, root);
    if let Some(fault) = opened.faults.first() {
        return Err(Failure::new(fault.status, fault.message.clone()));
    }
    folder.write_name(&file.name)?;
    let place = out.join(AUDIT);
    std::fs::create_dir_all(&place)
        .map_err(|error| Failure::new(Status::Infrastructure, format!("{}: {error}", place.display())))?;
    let place = std::path::absolute(&place).map_err(|error| Failure::usage(error.to_string()))?;
    let shared = Arc::new(ProcessShared::default().with_locks(out.join(LOCKS)));
    let mut planner = Planner::new(program, &shared, &place, Retry::default());
    let mut tried = Vec::new();
    let (mut known, mut forged) = (Vec::new(), Vec::new());
    let mut kept = KeptAudit::new(&folder, &opened.tasks, !args.only.is_empty())?;
    for spec in combine(&file, &opened.tasks, root) {
        // Entries that differ in the agent alone are one task to those that are tried here.
        let bare = without_agents(&spec);
        let is_same = |one: &CellSpec| {
            (&one.task, one.content, &one.arm, &one.choice)
                == (&bare.task, bare.content, &bare.arm, &bare.choice)
        };
        if known.iter().any(is_same) {
            continue;
        }
        known.push(bare);
        let names: Vec<&str> = spec.arm.values().map(String::as_str).collect();
        if !is_wanted(&format!("{} {}", spec.task, names.join(" "))) {
            kept.keep(&spec);
            continue;
        }
        let entry = opened
            .tasks
            .iter()
            .find(|task| task.path == spec.path && task.name == spec.task);
        tried.push(try_task(&mut planner, spec, entry, &place, &mut forged).await?);
    }
    if tried.is_empty() {
        return Err(Failure::usage(format!(
            "--only {}: no task is left; `--plan` prints the names of cells, which begin with those of their tasks",
            args.only.join(" --only ")
        )));
    }
    let choice = ManyRuns {
        parallel: args.parallel,
        quiet: true,
        events: None,
    };
    let mut runs = Vec::new();
    for attempt in tried.iter_mut().flat_map(|task| &mut task.attempts) {
        runs.extend(attempt.cell.take().map(|cell| cell.run));
    }
    let rows = carry_all(program, printer, runs, shared, choice).await?;
    let mut rows = rows.into_iter();
    let audited: Vec<AuditedTask> = tried.into_iter().map(|task| audited(task, &mut rows)).collect();
    let trials = JudgeTrials {
        settings: &program.settings,
        place: &place,
        asking: &args.asking,
    };
    let wanted: Vec<EntryTask> = opened
        .tasks
        .iter()
        .filter(|task| is_wanted(&task.name))
        .cloned()
        .collect();
    let judges = trials.all(&args.judge, &wanted).await?;
    let (all_tasks, all_judges) = kept.with(&audited, &judges);
    folder.write_audit(&all_tasks, &all_judges)?;
    tell(printer, args.json, &audited, &judges)
}

/// Plans the attempts at a task. Studies whose results were forged already, under another arm, are in `forged`.
async fn try_task(
    planner: &mut Planner<'_>,
    spec: CellSpec,
    entry: Option<&EntryTask>,
    place: &Path,
    forged: &mut Vec<CellSpec>,
) -> Result<TriedTask, Failure> {
    let agents = match (spec.kind, entry) {
        (TaskKind::Capsule, Some(entry)) => of_capsule(&entry.questions),
        (TaskKind::Notebook, _) => vec![null(&Stage::named(SOLVE).into_iter().collect::<Vec<_>>())],
        _ => vec![null(&replication::STAGES)],
    };
    let mut attempts = Vec::new();
    let bare = without_agents(&spec);
    for agent in agents {
        let trivial = by_agent(&bare, &agent, place)?;
        attempts.push(TriedAttempt::planned(planner, trivial, false).await);
    }
    let is_study =
        spec.kind == TaskKind::Study && task::open(&spec.path).is_ok_and(|task| task.study.is_some());
    let mut forged_study = bare.clone();
    let mut is_python = true;
    if let Ok(CellChoice::Study(choice)) = &mut forged_study.choice {
        is_python = choice.code_mode == CodeMode::Python;
        choice.code_mode = CodeMode::Python;
    }
    let is_same = |one: &CellSpec| (&one.path, &one.choice) == (&forged_study.path, &forged_study.choice);
    if is_study && !forged.iter().any(is_same) {
        for agent in of_study() {
            let forger = by_agent(&forged_study, &agent, place)?;
            let mut attempt = TriedAttempt::planned(planner, forger, false).await;
            // Without Python here, a study in its own language is tried with less.
            attempt.is_optional = !is_python;
            attempts.push(attempt);
        }
        forged.push(forged_study);
    }
    attempts.push(TriedAttempt::planned(planner, bare, true).await);
    Ok(TriedTask { spec, attempts })
}

/// A cell as an agent of the audit attempts it.
fn by_agent(spec: &CellSpec, agent: &TrivialAgent, place: &Path) -> Result<CellSpec, Failure> {
    let recording = write_recording(place, spec, agent)?;
    let mut spec = CellSpec {
        agent: agent.name.to_owned(),
        ..spec.clone()
    };
    if let Ok(choice) = &mut spec.choice {
        choice.run_mut().model = Some(format!("scripted:{}", recording.display()));
    }
    Ok(spec)
}

impl TriedAttempt {
    async fn planned(planner: &mut Planner<'_>, spec: CellSpec, is_known_good: bool) -> Self {
        let agent = spec.agent.clone();
        let (cell, unplanned) = match planner.plan(spec).await {
            Ok(cell) => (Some(cell), None),
            Err(failure) => (None, Some(failure.message)),
        };
        Self {
            agent,
            is_known_good,
            is_optional: false,
            cell,
            unplanned,
        }
    }
}

/// A cell without what is chosen of its agent.
fn without_agents(spec: &CellSpec) -> CellSpec {
    let mut spec = spec.clone();
    if let Ok(choice) = &mut spec.choice {
        choice.forget_agent();
        let run = choice.run_mut();
        // Nobody is asked about commands that are this program's own.
        run.approve = "auto".to_owned();
        run.allow_unpriced = true;
    }
    spec
}

/// Writes the recording of an agent, and says where.
fn write_recording(place: &Path, spec: &CellSpec, agent: &TrivialAgent) -> Result<PathBuf, Failure> {
    let folder = place.join("agents").join(spec.content.short());
    let failed = |error: std::io::Error| {
        Failure::new(Status::Infrastructure, format!("{}: {error}", folder.display()))
    };
    std::fs::create_dir_all(&folder).map_err(failed)?;
    let path = folder.join(format!("{}.json", agent.name.replace(' ', "-")));
    atomic_file::replace(&path, format!("{:#}\n", agent.recording).as_bytes(), &folder)?;
    Ok(path)
}

fn audited(task: TriedTask, rows: &mut impl Iterator<Item = RunRow>) -> AuditedTask {
    let spec = task.spec;
    let mut audited = AuditedTask {
        kind: spec.kind,
        task: spec.task.clone(),
        content: spec.content.to_string(),
        arm: spec.arm.clone(),
        trivial: Vec::new(),
        known_good: None,
        reasons: Vec::new(),
    };
    for attempt in task.attempts {
        let found = match attempt.unplanned {
            // A task without a recording has no known-good agent.
            Some(_) if attempt.is_known_good || attempt.is_optional => continue,
            Some(why) => AuditedAttempt {
                agent: attempt.agent,
                success: None,
                score: None,
                words: why,
                unearned: Vec::new(),
            },
            None => match rows.next() {
                Some(row) => of_row(attempt.agent, &row, attempt.is_known_good),
                None => continue,
            },
        };
        if attempt.is_optional && found.success.is_none() {
            continue;
        }
        match attempt.is_known_good {
            true => audited.known_good = Some(found),
            false => audited.trivial.push(found),
        }
    }
    audited.judged()
}

fn of_row(agent: String, row: &RunRow, is_known_good: bool) -> AuditedAttempt {
    let result = CellPlan::result(row);
    AuditedAttempt {
        agent,
        success: result.is_success(),
        score: row.score,
        words: CellPlan::words(row, result),
        unearned: if is_known_good { Vec::new() } else { unearned(row) },
    }
}

/// The parts of a grade that an agent got which earns nothing.
fn unearned(row: &RunRow) -> Vec<String> {
    let Ok(run) = RunReader::open(&row.folder) else {
        return Vec::new();
    };
    let Some(grade) = &run.state.grade else {
        return Vec::new();
    };
    let parts = grade
        .parts
        .iter()
        .filter(|part| part.score.is_some_and(|score| score > 0.0));
    let parts = parts.map(|part| format!("`{}` right", part.name));
    let others = grade.others.iter().filter(|other| other.right > 0);
    let others = others.map(|other| {
        format!(
            "{} of {} right by the grader `{}`",
            other.right, other.of, other.grader
        )
    });
    parts.chain(others).collect()
}

fn tell(
    printer: Printer,
    json: bool,
    audited: &[AuditedTask],
    judges: &[AuditedJudge],
) -> Result<Status, Failure> {
    let quarantined = audited.iter().filter(|task| task.is_quarantined()).count();
    let unfit = judges.iter().filter(|judge| judge.is_quarantined()).count();
    let status = match quarantined + unfit {
        0 => Status::Done,
        _ => Status::Differs,
    };
    if json {
        printer.json(&json!({
            "format": "reprise-bench-audit/1",
            "tasks": audited,
            "judges": judges,
            "quarantined": quarantined,
        }))?;
        return Ok(status);
    }
    for task in audited {
        let arm: Vec<_> = task
            .arm
            .iter()
            .map(|(name, value)| format!(" {name} = {value}"))
            .collect();
        let good = task
            .known_good
            .as_ref()
            .map_or("no recording", |good| good.words.as_str());
        let untried = task.trivial.iter().filter(|attempt| attempt.success.is_none());
        let untried = match untried.count() {
            0 => String::new(),
            count => format!(", {count} of them not tried"),
        };
        printer.line(printable(&format!(
            "{}{}: {} agents that earn nothing{untried}; recorded agent: {good}",
            task.task,
            arm.join(","),
            task.trivial.len()
        )));
        for reason in &task.reasons {
            printer.line(format!(
                "  {} {}",
                styled(paint::BAD, "quarantined:"),
                printable(reason)
            ));
        }
    }
    printer.line(format!("{quarantined} of {} quarantined", audited.len()));
    for judge in judges {
        let what = match judge.task.is_empty() {
            true => "a conversation".to_owned(),
            false => judge.task.clone(),
        };
        printer.line(printable(&format!(
            "{} at {what}: {} of {} texts that ask for marks get any, {} of {} about something else",
            judge.judge,
            judge.injected.unearned,
            judge.injected.marked,
            judge.beside.unearned,
            judge.beside.marked
        )));
        for reason in &judge.reasons {
            printer.line(format!(
                "  {} {}",
                styled(paint::BAD, "quarantined:"),
                printable(reason)
            ));
        }
    }
    Ok(status)
}
