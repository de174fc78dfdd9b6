//! `reprise score RUN|DIR...`.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::json;
use walkdir::WalkDir;

use crate::app;
use crate::app::commons::Commons;
use crate::catalog::rubrics::load::Rubrics;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::put;
use crate::report::scorecard::card::Scorecard;
use crate::report::scorecard::page;
use crate::report::scorecard::together::Together;
use crate::settings::Settings;

use super::args::RunsArgs;
use super::one_run::{Kit, Scored, score};
use super::show::{show, show_together};

/// Grades runs, and writes what each says into its folder.
pub async fn runs(settings: &Settings, printer: Printer, args: &RunsArgs) -> Result<Status, Failure> {
    if let Some(both) = args.judge.iter().find(|judge| args.drop_judge.contains(judge)) {
        return Err(Failure::usage(format!(
            "{both} is to grade and to be left out: give it either with --judge or with --drop-judge"
        )));
    }
    let (registry, helper) = app::kit::graders(settings)?;
    let kit = Kit {
        rubrics: Rubrics::load(args.rubrics_dir.as_deref()).map_err(EngineError::from)?,
        registry,
        helper,
        commons: Commons::default(),
    };
    let mut cards: Vec<Scorecard> = Vec::new();
    let mut folders: Vec<RunFolder> = Vec::new();
    let mut problems = Vec::new();
    let mut gone = BTreeSet::new();
    for path in found(&args.dirs)? {
        match score(settings, args, &kit, &path).await {
            Ok(Scored {
                folder,
                card,
                left_out,
            }) => {
                for warning in &card.warnings {
                    printer.note(format!("{}: {warning}", path.display()));
                }
                gone.extend(left_out);
                folders.push(folder);
                cards.push(card);
            }
            // A wrong judge is wrong for every run.
            Err(failure)
                if failure.status == Status::Usage && args.dirs.len() == 1 && !args.judge.is_empty() =>
            {
                return Err(failure);
            }
            Err(failure) => problems.push(format!("{}: {failure}", path.display())),
        }
    }
    for judge in args.drop_judge.iter().filter(|judge| !gone.contains(*judge)) {
        let known: BTreeSet<&str> = (cards.iter().flat_map(|card| &card.judges))
            .map(|judge| judge.judge.as_str())
            .collect();
        problems.push(format!(
            "No run has marks of {judge}, so there was nothing to leave out; the judges are: {}.",
            known.into_iter().collect::<Vec<_>>().join(", ")
        ));
    }
    for problem in &problems {
        printer.note(problem);
    }
    if cards.is_empty() {
        return Err(Failure::usage(format!(
            "no run could be scored: {}",
            problems.join("; ")
        )));
    }
    let html = write_page(args, &cards, &folders)?;
    let together = Together::of(&cards);
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
    Ok(Status::Done)
}

/// The runs at the given places and below them, in order.
fn found(dirs: &[PathBuf]) -> Result<Vec<PathBuf>, Failure> {
    let mut runs = Vec::new();
    for dir in dirs {
        let before = runs.len();
        let mut walk = WalkDir::new(dir).max_depth(6).sort_by_file_name().into_iter();
        while let Some(entry) = walk.next() {
            let Ok(entry) = entry else { continue };
            if entry.file_type().is_dir() && entry.path().join("run.json").is_file() {
                runs.push(entry.path().to_owned());
                walk.skip_current_dir();
            }
        }
        if runs.len() == before {
            return Err(Failure::usage(format!(
                "{} holds no run: none of its folders has a run.json; `reprise run STUDY --out DIR` makes one",
                dir.display()
            )));
        }
    }
    Ok(runs)
}

/// Writes the page of each run, and the one of all of them where there is a place for it.
fn write_page(
    args: &RunsArgs,
    cards: &[Scorecard],
    folders: &[RunFolder],
) -> Result<Option<PathBuf>, Failure> {
    let render = |cards: &[Scorecard]| {
        page::render(cards).map_err(|error| {
            Failure::from(EngineError::Unusable(format!(
                "the page cannot be written: {error}"
            )))
        })
    };
    for (card, folder) in cards.iter().zip(folders) {
        let page = render(std::slice::from_ref(card))?;
        put::replace(&folder.path().join("scores.html"), page.as_bytes(), folder.path())?;
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
    put::replace(&path, render(cards)?.as_bytes(), parent)?;
    Ok(Some(path))
}
