//! `reprise notebook grade`.

use std::path::PathBuf;

use serde::Serialize;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, one_line, paint, styled};
use crate::cli::text_table::TextTable;
use crate::domain::format;
use crate::notebook::history::step::HistorySource;
use crate::notebook::task::NotebookTask;
use crate::scoring::notebook::grade::{NotebookGrade, grade as graded};
use crate::scoring::notebook::metric::MetricScore;
use crate::scoring::notebook::mode::GradingMode;
use crate::scoring::notebook::summary::{
    CountedTask, GradedAttempt, MetricMean, NotebookMeans, SetMeans, by_set,
};

use super::args::GradeArgs;
use super::attempts::{AttemptFile, UnreadAttempt, attempt, found};
use super::opened::{OpenedFile, opened};

/// The grade of an attempt by a mode.
#[derive(Serialize)]
struct AttemptGrade<'a> {
    run: PathBuf,
    task: &'a str,
    source: HistorySource,
    mode: GradingMode,
    #[serde(flatten)]
    grade: NotebookGrade,
    #[serde(skip)]
    of: &'a NotebookTask,
}

/// The means of a mode.
#[derive(Serialize)]
struct ModeMeans {
    mode: GradingMode,
    sets: Vec<SetMeans>,
}

/// Grades attempts.
///
/// # Errors
/// Task files or arguments that cannot be used.
pub fn grade(printer: Printer, args: &GradeArgs) -> Result<Status, Failure> {
    let modes = modes(args)?;
    let files = opened(&args.tasks)?;
    if let Some(name) = &args.task {
        task(&files, name).ok_or_else(|| Failure::usage(format!("--task {name}: no task file has it")))?;
    }
    let mut unread = Vec::new();
    let mut grades = Vec::new();
    for path in found(&args.runs) {
        let read = path
            .and_then(attempt)
            .and_then(|attempt| at_task(&files, args, attempt));
        match read {
            Ok((attempt, task)) => grades.extend(modes.iter().map(|mode| AttemptGrade {
                run: attempt.path.clone(),
                task: &task.id,
                source: attempt.history.source,
                mode: *mode,
                grade: graded(&task.gold, &attempt.history.steps, *mode),
                of: task,
            })),
            Err(one) => unread.push(one),
        }
    }
    let means: Vec<ModeMeans> = modes.iter().map(|mode| means(*mode, &grades, &files)).collect();
    if args.json {
        let unread = unread
            .iter()
            .map(|one| serde_json::json!({ "run": one.path, "why": one.why }));
        printer.json(&serde_json::json!({
            "format": "reprise-notebook-grades/1",
            "grades": grades,
            "means": means,
            "ungraded": unread.collect::<Vec<_>>(),
        }))?;
    } else {
        tell(printer, &grades, &means, &unread);
    }
    Ok(match unread.is_empty() {
        true => Status::Done,
        false => Status::Usage,
    })
}

fn modes(args: &GradeArgs) -> Result<Vec<GradingMode>, Failure> {
    let Some(share) = args.relative else {
        return Ok(args.mode.clone());
    };
    if !(share.is_finite() && share >= 0.0) {
        return Err(Failure::usage(format!(
            "--relative {share}: a share of the gold is asked for, such as 0.05"
        )));
    }
    let is_gold = |mode: &GradingMode| matches!(mode, GradingMode::Gold { .. });
    if !args.mode.iter().any(is_gold) {
        return Err(Failure::usage(
            "--relative is of the mode `gold` alone: add `--mode gold`",
        ));
    }
    let relative = |mode: &GradingMode| match mode {
        GradingMode::Gold { .. } => GradingMode::Gold {
            relative: Some(share),
        },
        other => *other,
    };
    Ok(args.mode.iter().map(relative).collect())
}

fn task<'a>(files: &'a [OpenedFile], name: &str) -> Option<&'a NotebookTask> {
    files.iter().find_map(|one| one.file.get(name))
}

/// The task that an attempt is at.
fn at_task<'a>(
    files: &'a [OpenedFile],
    args: &GradeArgs,
    attempt: AttemptFile,
) -> Result<(AttemptFile, &'a NotebookTask), UnreadAttempt> {
    let mut names: Vec<&str> = args.task.as_deref().into_iter().collect();
    if names.is_empty() {
        names.extend(attempt.names.iter().map(String::as_str));
    }
    let known = names.iter().find_map(|name| task(files, name));
    let why = match names.is_empty() {
        true => "nothing names its task: add --task".to_owned(),
        false => format!(
            "no task file has `{}`; --task names another",
            names.join("` or `")
        ),
    };
    match known {
        Some(task) => Ok((attempt, task)),
        None => Err(UnreadAttempt {
            path: attempt.path,
            why,
        }),
    }
}

fn means(mode: GradingMode, grades: &[AttemptGrade<'_>], files: &[OpenedFile]) -> ModeMeans {
    let counted: Vec<CountedTask> = (files.iter().flat_map(|one| &one.file.tasks))
        .map(|task| CountedTask {
            set: task.set,
            category: task.category,
        })
        .collect();
    let attempts: Vec<GradedAttempt<'_>> = (grades.iter().filter(|one| one.mode == mode))
        .map(|one| GradedAttempt {
            task: one.task,
            set: one.of.set,
            category: one.of.category,
            grade: &one.grade,
        })
        .collect();
    ModeMeans {
        mode,
        sets: by_set(&attempts, &counted),
    }
}

fn tell(printer: Printer, grades: &[AttemptGrade<'_>], means: &[ModeMeans], unread: &[UnreadAttempt]) {
    let mut table = TextTable::new(["task", "mode", "submitted", "answer", "landmarks", "script", ""]);
    let score = |score: &MetricScore| {
        score
            .value()
            .map_or_else(|| "–".to_owned(), |value| format!("{value:.3}"))
    };
    for one in grades {
        table.row([
            one_line(one.task),
            one.mode.to_string(),
            one.grade
                .submitted
                .map_or("–", |submitted| if submitted { "yes" } else { "no" })
                .to_owned(),
            score(&one.grade.output_match),
            score(&one.grade.landmarks),
            score(&one.grade.entry_point),
            changed(&one.grade),
        ]);
    }
    for (number, line) in table.with_text_columns(3).lines().into_iter().enumerate() {
        match number {
            0 => printer.line(styled(paint::STRONG, line)),
            _ => printer.line(line),
        }
    }
    for mode in means {
        for set in &mode.sets {
            tell_means(printer, &format!("{}, {}", mode.mode, set.set), &set.means);
            for (category, means) in &set.by_category {
                tell_means(printer, &format!("{}, {}, {category}", mode.mode, set.set), means);
            }
        }
    }
    for one in unread {
        printer.line(format!(
            "{} {}: {}",
            styled(paint::BAD, "not graded"),
            one_line(&one.path.display().to_string()),
            one_line(&one.why)
        ));
    }
}

/// What a mode changed, in a few words.
fn changed(grade: &NotebookGrade) -> String {
    let words = grade.changed.iter().map(|one| {
        let published = match &one.published {
            MetricScore::Scored(value) => format!("{value:.3}"),
            MetricScore::Unscored(reason) => reason.kind().to_owned(),
        };
        let name = match one.metric {
            "output_match" => "answer",
            "entry_point" => "script",
            other => other,
        };
        format!("{name} {published} as published")
    });
    words.collect::<Vec<_>>().join(", ")
}

fn tell_means(printer: Printer, what: &str, means: &NotebookMeans) {
    let metric = |name: &str, mean: &MetricMean| match (mean.mean, mean.interval) {
        (Some(value), Some(interval)) => format!(
            "{name} {:.1} % (n = {}, 95 % interval {:.1} to {:.1})",
            100.0 * value,
            mean.n,
            100.0 * interval.lower,
            100.0 * interval.upper
        ),
        _ => format!("{name} – (n = 0)"),
    };
    printer.line(format!(
        "{}: {}; {}; {}; {}, at {} of {}{}",
        styled(paint::STRONG, what),
        metric("answer", &means.output_match),
        metric("landmarks", &means.landmarks),
        metric("script", &means.entry_point),
        format::counted(means.attempts, "attempt", "attempts"),
        format::counted(means.tasks, "task", "tasks"),
        means.tasks_in_files,
        match means.tasks < means.tasks_in_files {
            true => ": not to be held against a mean of all of them",
            false => "",
        }
    ));
}
