//! `reprise capsule report`.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::fs;
use std::path::PathBuf;

use clap::Args;
use serde_json::json;

use crate::analysis::capsule::attempt::CapsuleAttempt;
use crate::analysis::capsule::summary::{AgentSummary, summaries};
use crate::capsule::task_file::TaskFile;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::engine::runs;
use crate::report::capsule::attempts_page::{self, AttemptsView};
use crate::report::capsule::from_runs::{self, AttemptRun, STRICT};
use crate::report::capsule::task_page;

#[derive(Debug, Args)]
#[command(after_help = "\
Writes a page for each task and one for all attempts. They hold the gold answers: keep them out of what an agent can \
read. An attempt whose machine failed is unscored; one that reached its limit counts with what it had handed in.

Examples:
  reprise capsule report runs/ --out pages/
  reprise capsule report runs/capsule-* --json")]
pub struct ReportArgs {
    /// The runs' folders, or folders that hold runs.
    #[arg(required = true, value_name = "RUN")]
    pub dirs: Vec<PathBuf>,
    /// The folder that the pages are written into; it is made where there is none
    #[arg(long, value_name = "DIR", default_value = "capsule-pages")]
    pub out: PathBuf,
    /// Print the figures as JSON, and write no page.
    #[arg(long)]
    pub json: bool,
}

/// Sums attempts up.
///
/// # Errors
/// A run or a task file that cannot be read, or a page that cannot be written.
pub fn report(printer: Printer, args: &ReportArgs) -> Result<Status, Failure> {
    let runs = runs::opened(&args.dirs)?;
    let mut files = BTreeMap::new();
    for run in &runs {
        let Some(capsule) = &run.request.capsule else {
            continue;
        };
        let path = run.request.study.join(&capsule.tasks);
        if let Entry::Vacant(vacant) = files.entry(path) {
            let file = TaskFile::open(vacant.key())
                .map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
            vacant.insert(file);
        }
    }
    let mut attempts = Vec::new();
    let mut repeats = BTreeMap::<String, usize>::new();
    for run in &runs {
        let (Some(capsule), Some(started)) = (&run.request.capsule, &run.state.started) else {
            continue;
        };
        let file = files.get(&run.request.study.join(&capsule.tasks));
        let (Some(terms), Some(task)) = (&started.capsule, file.and_then(|file| file.get(&capsule.id)))
        else {
            return Err(Failure::new(
                Status::StudyInvalid,
                format!(
                    "{}: its task file no longer holds {}",
                    run.folder.path().display(),
                    capsule.id
                ),
            ));
        };
        let agent = from_runs::agent(run);
        let count = repeats
            .entry(format!("{agent} {} {}", terms.id, terms.level))
            .or_default();
        *count += 1;
        let name = match *count {
            1 => agent,
            count => format!("{agent}, attempt {count}"),
        };
        attempts.push(AttemptRun::new(name, run, terms, task));
    }
    if attempts.is_empty() {
        return Err(Failure::usage(
            "none of these folders is an attempt at a capsule: `reprise capsule run` makes one",
        ));
    }
    let figures: Vec<CapsuleAttempt> = attempts.iter().map(from_runs::attempt).collect();
    let summed = summaries(&figures);
    if args.json {
        printer.json(&json!({ "attempts": figures, "agents": summed }))?;
        return Ok(Status::Done);
    }
    for agent in &summed {
        tell(printer, agent);
    }
    write(
        args,
        &attempts,
        figures,
        files.values().map(|file| file.tasks.len() as u64).sum(),
    )?;
    printer.line(format!("pages: {}", args.out.join("index.html").display()));
    Ok(Status::Done)
}

fn tell(printer: Printer, agent: &AgentSummary) {
    let share = |name: &str, share: crate::analysis::capsule::accuracy::CountedShare| {
        let Some(value) = share.share() else {
            return format!("{name} none");
        };
        let interval = share.interval.map_or_else(String::new, |interval| {
            format!(", 95 % interval {:.3} to {:.3}", interval.lower, interval.upper)
        });
        format!(
            "{name} {value:.3} ({} of {}{interval})",
            share.count.hits, share.count.of
        )
    };
    printer.line(styled(paint::STRONG, printable(&agent.agent)));
    printer.line(format!("  {}", share("attempts solved", agent.accuracy.attempts)));
    printer.line(format!(
        "  {}",
        share("questions right", agent.accuracy.questions)
    ));
    let unscored: usize = agent.unscored.values().sum();
    if unscored > 0 {
        printer.line(format!("  unscored: {unscored} of {}", agent.attempts));
    }
}

fn write(
    args: &ReportArgs,
    attempts: &[AttemptRun<'_>],
    figures: Vec<CapsuleAttempt>,
    tasks_in_file: u64,
) -> Result<(), Failure> {
    let io = |path: &std::path::Path, error: std::io::Error| {
        Failure::new(Status::Infrastructure, format!("{}: {error}", path.display()))
    };
    let unwritten = |error: &dyn std::fmt::Display| Failure::new(Status::Infrastructure, error.to_string());
    fs::create_dir_all(&args.out).map_err(|error| io(&args.out, error))?;
    for view in from_runs::tasks(attempts) {
        let id = attempts
            .iter()
            .find(|one| one.terms.id.as_str() == view.task)
            .map(|one| &one.terms.id);
        let Some(id) = id else { continue };
        let page = task_page::render(&view).map_err(|error| unwritten(&error))?;
        let path = args.out.join(attempts_page::page_name(id, view.level));
        fs::write(&path, page).map_err(|error| io(&path, error))?;
    }
    let view = AttemptsView {
        title: "Attempts at capsules".to_owned(),
        grader: STRICT.to_owned(),
        tasks_in_file: Some(tasks_in_file),
        attempts: figures,
        has_task_pages: true,
    };
    let page = attempts_page::render(&view).map_err(|error| unwritten(&error))?;
    let path = args.out.join("index.html");
    fs::write(&path, page).map_err(|error| io(&path, error))
}
