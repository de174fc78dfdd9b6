//! `reprise score RUN|DIR...`.

use std::collections::BTreeSet;
use std::io::IsTerminal as _;
use std::path::{Path, PathBuf};

use serde_json::json;

use crate::app;
use crate::app::judges::Judges;
use crate::app::process_shared::ProcessShared;
use crate::catalog::rubrics::load::Rubrics;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::cli::score_pages::{rendered, write_own};
use crate::cli::signals::until_stopped;
use crate::engine::atomic_file;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::grading::discovery::run_discovery;
use crate::grading::scorecard::card::Scorecard;
use crate::grading::scorecard::together::Together;
use crate::grading::scored_run::grading_request::{GradingRequest, GradingSetup};
use crate::grading::scored_run::scored::score;
use crate::settings::Settings;

use super::args::RunsArgs;
use super::show::{show, show_together};

/// Runs below the named folders that are scored without a question.
const MANY: usize = 20;
/// Runs that are named one by one.
const NAMED: usize = 3;

/// The graded runs, as far as grading got.
#[derive(Default)]
struct Graded {
    cards: Vec<Scorecard>,
    folders: Vec<RunFolder>,
    problems: Vec<String>,
    /// Judges that were left out as asked.
    gone: BTreeSet<String>,
    has_silent: bool,
}

/// Grades runs, and writes what each says into its folder.
///
/// # Errors
/// Places without a run, or no run that could be scored.
pub async fn runs(settings: &Settings, printer: Printer, args: &RunsArgs) -> Result<Status, Failure> {
    let request = args.grading()?;
    let found = run_discovery::runs(&args.dirs)?;
    let is_watched = std::io::stdin().is_terminal() && std::io::stderr().is_terminal();
    if let Some(line) = announced(&found.folders, is_watched && !args.yes)? {
        printer.note(line);
    }
    let mut graded = Graded {
        problems: found.problems,
        ..Graded::default()
    };
    let (cancel, watcher) = until_stopped();
    let ended = tokio::select! {
        biased;
        () = cancel.cancelled() => None,
        ended = grade(settings, printer, args, &request, &found.folders, &mut graded) => Some(ended),
    };
    watcher.abort();
    let Some(ended) = ended else {
        printer.note(format!(
            "Stopped after {} of {} runs. What judges have answered is kept in evals/ of each run: the same command goes on \
             from there, and asks nothing twice.",
            graded.cards.len(),
            found.folders.len()
        ));
        return Ok(Status::Interrupted);
    };
    ended?;
    told(printer, args, graded)
}

/// The announcement of many runs, or why they want a word first.
fn announced(runs: &[PathBuf], asks: bool) -> Result<Option<String>, Failure> {
    let named = |most: usize| {
        let shown: Vec<String> = runs
            .iter()
            .take(most)
            .map(|run| run.display().to_string())
            .collect();
        match runs.len().saturating_sub(most) {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    };
    if asks && runs.len() > MANY {
        return Err(Failure::usage(format!(
            "{} runs were found, more than {MANY}: {}; give `--yes` to score them all and to write evals/, scores.json and \
             scores.html into each",
            runs.len(),
            named(MANY)
        )));
    }
    Ok((runs.len() > 1).then(|| {
        format!(
            "{} runs are scored, and evals/, scores.json and scores.html are written into each: {}.",
            runs.len(),
            named(NAMED)
        )
    }))
}

async fn grade(
    settings: &Settings,
    printer: Printer,
    args: &RunsArgs,
    request: &GradingRequest,
    places: &[PathBuf],
    graded: &mut Graded,
) -> Result<(), Failure> {
    let (registry, helper) = app::toolset::graders(settings)?;
    let shared = ProcessShared::default();
    let judges = Judges {
        settings,
        shared: &shared,
    };
    let setup = GradingSetup {
        rubrics: Rubrics::load(args.rubrics_dir.as_deref()).map_err(EngineError::from)?,
        registry,
        helper,
        judges: &judges,
    };
    for path in places {
        // What code decides waits for nothing, and a signal is looked for here.
        tokio::task::yield_now().await;
        match score(request, &setup, path).await.map_err(Failure::from) {
            Ok(scored) => {
                for warning in &scored.card.warnings {
                    printer.note(format!("{}: {warning}", path.display()));
                }
                graded.gone.extend(scored.left_out);
                graded.has_silent |= scored.has_silent;
                graded.folders.push(scored.folder);
                graded.cards.push(scored.card);
            }
            // A wrong judge is wrong for every run.
            Err(failure)
                if failure.status == Status::Usage && args.dirs.len() == 1 && !args.judge.is_empty() =>
            {
                return Err(failure);
            }
            Err(failure) => graded.problems.push(format!("{}: {failure}", path.display())),
        }
    }
    Ok(())
}

/// Prints the figures and writes the pages; a page that cannot be written takes
/// no figure away.
fn told(printer: Printer, args: &RunsArgs, graded: Graded) -> Result<Status, Failure> {
    let Graded {
        cards,
        folders,
        mut problems,
        gone,
        has_silent,
    } = graded;
    for judge in args.drop_judge.iter().filter(|judge| !gone.contains(*judge)) {
        let known: BTreeSet<&str> = (cards.iter().flat_map(|card| &card.judges))
            .map(|judge| judge.judge.as_str())
            .collect();
        problems.push(format!(
            "No run has marks of {judge}, so there was nothing to leave out; the judges are: {}.",
            known.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
    if cards.is_empty() {
        for problem in &problems {
            printer.note(problem);
        }
        return Err(Failure::usage(format!(
            "no run could be scored: {}",
            problems.join("; ")
        )));
    }
    let mut status = match has_silent {
        true => Status::Infrastructure,
        false => Status::Done,
    };
    let html = match write_page(args, &cards, &folders) {
        Ok(html) => html,
        Err(failure) => {
            problems.push(format!("The page is not written: {failure}."));
            status = failure.status;
            None
        }
    };
    for problem in &problems {
        printer.note(problem);
    }
    let together = Together::from_cards(&cards);
    if args.json {
        printer.json(&json!({
            "format": "reprise-scores/1", "runs": cards, "together": together, "problems": problems, "page": html,
        }))?;
    } else {
        for card in &cards {
            show(printer, card);
        }
        show_together(printer, &together);
        if let Some(html) = html {
            printer.line(html.display());
        }
    }
    Ok(status)
}

/// Writes the page of each run, and the one of all of them where there is a place for it.
fn write_page(
    args: &RunsArgs,
    cards: &[Scorecard],
    folders: &[RunFolder],
) -> Result<Option<PathBuf>, Failure> {
    for (card, folder) in cards.iter().zip(folders) {
        write_own(card, folder)?;
    }
    let path = match (&args.html, args.dirs.as_slice(), folders) {
        (Some(path), _, _) => path.clone(),
        (None, _, [only]) => return Ok(Some(only.path().join("scores.html"))),
        (None, [dir], _) => dir.join("scores.html"),
        _ => return Ok(None),
    };
    let parent = path
        .parent()
        .filter(|parent| !parent.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    atomic_file::replace(&path, rendered(cards)?.as_bytes(), parent)?;
    Ok(Some(path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_runs_are_announced_and_very_many_want_a_word() {
        let runs = |count: usize| {
            (0..count)
                .map(|at| PathBuf::from(format!("r/{at}")))
                .collect::<Vec<_>>()
        };
        assert_eq!(announced(&runs(1), true).unwrap(), None);
        let five = announced(&runs(5), true).unwrap().unwrap();
        assert!(
            five.starts_with("5 runs are scored") && five.ends_with("r/0, r/1, r/2 and 2 more."),
            "{five}"
        );
        assert!(announced(&runs(MANY), true).is_ok());
        let asked = announced(&runs(MANY + 1), true).unwrap_err();
        assert!(
            asked.message.contains("21 runs were found") && asked.message.contains("`--yes`"),
            "{asked}"
        );
        // A script, or a word, goes on.
        assert!(announced(&runs(MANY + 1), false).unwrap().is_some());
    }
}
