//! `reprise capsule grade`.

use std::collections::HashMap;
use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::capsule::task_file::{CapsuleId, TaskFile};
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, printable, styled};
use crate::cli::text_table::TextTable;
use crate::domain::format;
use crate::scoring::capsule::report_file::Report;
use crate::scoring::capsule::strict::{self, GradedAnswer};
use crate::scoring::released::capsule::grade;
use crate::scoring::released::capsule::tallies::{Aliases, GraderName, Tallies};
use crate::scoring::released::capsule::value::{NotJson, PythonValue};
use crate::statistics::proportion::Proportion;

use super::args::{GradeArgs, GraderChoice};
use super::list::opened;
use crate::cli::capsule_attempt::named_task::named_task;

/// The largest report, in bytes: no agent's answers come near.
const LARGEST: u64 = 32 << 20;

/// The grade of a task's answers by one grader.
#[derive(Debug, Serialize)]
struct GradedTask {
    report: PathBuf,
    task: String,
    grader: String,
    #[serde(flatten)]
    outcome: Outcome,
}

/// A grade, or why there is none.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Outcome {
    Graded {
        #[serde(flatten)]
        tallies: Tallies,
        solved: bool,
        /// Each answer; of our own grader alone.
        #[serde(skip_serializing_if = "Option::is_none")]
        answers: Option<Vec<GradedAnswer>>,
    },
    Raised {
        raised: String,
    },
}

/// A report that holds nothing to be graded.
#[derive(Debug, Serialize)]
struct Ungraded {
    report: PathBuf,
    #[serde(skip_serializing_if = "Option::is_none")]
    task: Option<String>,
    reason: String,
}

/// Answers to a task that the file has.
struct Submission {
    report: PathBuf,
    id: CapsuleId,
    answers: PythonValue,
}

/// Grades reports.
///
/// # Errors
/// A task file or aliases that cannot be used, or a task that the file does not have.
pub fn grade(printer: Printer, args: &GradeArgs) -> Result<Status, Failure> {
    let tasks = opened(printer, &args.tasks, &args.passphrase)?;
    let aliases = args
        .aliases
        .as_deref()
        .map(aliases)
        .transpose()?
        .unwrap_or_default();
    let named = args
        .task
        .as_deref()
        .map(|name| named_task(&tasks, &args.tasks, name))
        .transpose()?
        .map(|task| &task.id);
    let graders = match args.grader.as_slice() {
        [] => vec![
            GraderChoice::Published(GraderName::Original),
            GraderChoice::Strict,
        ],
        some => some.to_vec(),
    };
    let mut ungraded = Vec::new();
    let mut submissions = Vec::new();
    for report in &args.reports {
        match read(report) {
            Ok(found) => sort(&tasks, report, found, named, &mut submissions, &mut ungraded),
            Err(reason) => ungraded.push(Ungraded {
                report: report.clone(),
                task: None,
                reason,
            }),
        }
    }
    let mut graded = Vec::new();
    let mut golds = HashMap::new();
    for submission in &submissions {
        let gold = golds
            .entry(&submission.id)
            .or_insert_with(|| PythonValue::parse(gold_of(&tasks, &submission.id)));
        for grader in &graders {
            graded.push(one(gold, &aliases, submission, *grader));
        }
    }
    if args.json {
        let accuracy: Vec<_> = graders.iter().map(|grader| summary(*grader, &graded)).collect();
        printer.json(&serde_json::json!({
            "format": "reprise-capsule-grades/1",
            "tasks_in_file": tasks.tasks.len(),
            "grades": graded,
            "accuracy": accuracy,
            "ungraded": ungraded,
        }))?;
    } else {
        tell(printer, &tasks, &graders, &graded, &ungraded);
    }
    Ok(match ungraded.is_empty() {
        true => Status::Done,
        false => Status::Usage,
    })
}

fn aliases(path: &Path) -> Result<Aliases, Failure> {
    let unusable = |error: String| Failure::usage(format!("--aliases {}: {error}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    toml::from_str(&text).map_err(|error| unusable(error.to_string()))
}

fn read(path: &Path) -> Result<Report, String> {
    let mut bytes = Vec::new();
    let file = fs::File::open(path).map_err(|error| error.to_string())?;
    file.take(LARGEST + 1)
        .read_to_end(&mut bytes)
        .map_err(|error| error.to_string())?;
    if bytes.len() as u64 > LARGEST {
        return Err(format!(
            "it is larger than {LARGEST} bytes, and no report of answers is"
        ));
    }
    let text = String::from_utf8(bytes).map_err(|_| "it is no text in UTF-8".to_owned())?;
    Report::parse(&text).map_err(|fault| fault.to_string())
}

/// Sorts answers by task; those that name none, or one that is not in the file, are told.
fn sort(
    tasks: &TaskFile,
    report: &Path,
    found: Report,
    named: Option<&CapsuleId>,
    submissions: &mut Vec<Submission>,
    ungraded: &mut Vec<Ungraded>,
) {
    let submission = |id: CapsuleId, answers: PythonValue| Submission {
        report: report.to_owned(),
        id,
        answers,
    };
    match found {
        Report::Unnamed(answers) => match named.cloned().or_else(|| in_path(report)) {
            Some(id) if tasks.get(&id).is_some() => submissions.push(submission(id, answers)),
            Some(id) => ungraded.push(Ungraded {
                report: report.to_owned(),
                task: Some(id.to_string()),
                reason: "the task file has no such task".to_owned(),
            }),
            None => ungraded.push(Ungraded {
                report: report.to_owned(),
                task: None,
                reason: "it names no task, and neither does its path: name it with --task".to_owned(),
            }),
        },
        Report::ByTask(all) => {
            for (name, answers) in all {
                match CapsuleId::parse(&name).filter(|id| tasks.get(id).is_some()) {
                    Some(id) => submissions.push(submission(id, answers)),
                    None => ungraded.push(Ungraded {
                        report: report.to_owned(),
                        task: Some(name),
                        reason: "the task file has no such task".to_owned(),
                    }),
                }
            }
        }
    }
}

/// The task that a folder or the file itself is named after, the innermost first.
fn in_path(report: &Path) -> Option<CapsuleId> {
    let components: Vec<_> = report.components().collect();
    components.iter().rev().find_map(|part| {
        let text = part.as_os_str().to_str()?;
        let at = text.find("capsule-")?;
        CapsuleId::parse(text.get(at..at + "capsule-0000000".len())?)
    })
}

fn gold_of<'a>(tasks: &'a TaskFile, id: &CapsuleId) -> &'a str {
    tasks.get(id).map(|task| task.gold.json()).unwrap_or_default()
}

fn one(
    gold: &Result<PythonValue, NotJson>,
    aliases: &Aliases,
    submission: &Submission,
    grader: GraderChoice,
) -> GradedTask {
    let outcome = match gold {
        Err(fault) => Outcome::Raised {
            raised: format!("the gold is no JSON: {fault}"),
        },
        Ok(gold) => match grader {
            GraderChoice::Published(grader) => {
                match grade::grade(grader, submission.id.as_str(), gold, &submission.answers, aliases) {
                    Ok(tallies) => Outcome::Graded {
                        solved: tallies.solves(grader),
                        tallies,
                        answers: None,
                    },
                    Err(error) => Outcome::Raised {
                        raised: error.to_string(),
                    },
                }
            }
            GraderChoice::Strict => match strict::grade(gold, &unwrapped(&submission.answers)) {
                Some(answers) => Outcome::Graded {
                    tallies: strict::tallies(&answers),
                    solved: strict::solves(&answers),
                    answers: Some(answers),
                },
                None => Outcome::Raised {
                    raised: "the gold is no list of runs, each with answers by question".to_owned(),
                },
            },
        },
    };
    GradedTask {
        report: submission.report.clone(),
        task: submission.id.to_string(),
        grader: grader.to_string(),
        outcome,
    }
}

/// Answers out of a harness's wrapping, for our own grader.
fn unwrapped(answers: &PythonValue) -> PythonValue {
    grade::unwrapped(answers).unwrap_or_else(|| answers.clone())
}

/// The tasks that a grader takes for solved.
#[derive(Debug, Serialize)]
struct Accuracy {
    grader: String,
    tasks: Proportion,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<crate::domain::finding::Interval>,
    written: Proportion,
    figures: Proportion,
}

fn summary(grader: GraderChoice, graded: &[GradedTask]) -> Accuracy {
    let grader = grader.to_string();
    let of_grader: Vec<_> = graded.iter().filter(|one| one.grader == grader).collect();
    let sum = |of: fn(&Tallies) -> u32| {
        let tallies = of_grader.iter().filter_map(|one| match &one.outcome {
            Outcome::Graded { tallies, .. } => Some(u64::from(of(tallies))),
            Outcome::Raised { .. } => None,
        });
        tallies.sum::<u64>()
    };
    let tasks = Proportion::count(
        of_grader
            .iter()
            .map(|one| matches!(one.outcome, Outcome::Graded { solved: true, .. })),
    );
    Accuracy {
        interval: tasks.wilson(),
        tasks,
        written: Proportion {
            hits: sum(|tallies| tallies.correct_written_answers),
            of: sum(|tallies| tallies.total_written_questions),
        },
        figures: Proportion {
            hits: sum(|tallies| tallies.correct_vision_answers),
            of: sum(|tallies| tallies.total_vision_questions),
        },
        grader,
    }
}

fn tell(
    printer: Printer,
    tasks: &TaskFile,
    graders: &[GraderChoice],
    graded: &[GradedTask],
    ungraded: &[Ungraded],
) {
    let mut table = TextTable::new(["task", "grader", "solved", "written", "figures", ""]);
    let of = |hits: u32, of: u32| {
        if of == 0 {
            "–".to_owned()
        } else {
            format!("{hits}/{of}")
        }
    };
    for one in graded {
        let cells = match &one.outcome {
            Outcome::Graded { tallies, solved, .. } => [
                if *solved { "yes" } else { "no" }.to_owned(),
                of(tallies.correct_written_answers, tallies.total_written_questions),
                of(tallies.correct_vision_answers, tallies.total_vision_questions),
                String::new(),
            ],
            Outcome::Raised { raised } => ["–".to_owned(), "–".to_owned(), "–".to_owned(), printable(raised)],
        };
        table.row([one.task.clone(), one.grader.clone()].into_iter().chain(cells));
    }
    for (number, line) in table.with_text_columns(2).lines().into_iter().enumerate() {
        match number {
            0 => printer.line(styled(paint::STRONG, line)),
            _ => printer.line(line),
        }
    }
    for grader in graders {
        let found = summary(*grader, graded);
        let interval = found.interval.map_or_else(String::new, |interval| {
            format!(
                " (95 % interval {} to {})",
                percent(interval.lower),
                percent(interval.upper)
            )
        });
        printer.line(format!(
            "{grader}: {} of {} tasks solved{interval}, of {} in the file; written {}/{}, figures {}/{}",
            found.tasks.hits,
            found.tasks.of,
            format::count(tasks.tasks.len()),
            found.written.hits,
            found.written.of,
            found.figures.hits,
            found.figures.of
        ));
    }
    for one in ungraded {
        let task = one
            .task
            .as_ref()
            .map_or_else(String::new, |task| format!(" {}", printable(task)));
        printer.line(format!(
            "{} {}{task}: {}",
            styled(paint::BAD, "not graded"),
            printable(&one.report.display().to_string()),
            printable(&one.reason)
        ));
    }
}

fn percent(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
