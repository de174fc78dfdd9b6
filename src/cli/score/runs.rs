//! `reprise score RUN|DIR...`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use walkdir::WalkDir;

use crate::app::{self, Commons, Wanted};
use crate::catalog::rubrics::load::Rubrics;
use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, styled};
use crate::documents::helper::Helper;
use crate::domain::finding::Interval;
use crate::engine::archive::Archive;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::engine::put;
use crate::engine::watch::{Unwatched, Watch};
use crate::model::capabilities::Table as Models;
use crate::model::layers::kept::Kept;
use crate::model::recording::recorder::Recorder;
use crate::report::gather;
use crate::report::scorecard::card::{Cost, JudgeCard, Scorecard};
use crate::report::scorecard::judged::{Judging, Subject, by_code, by_judge};
use crate::report::scorecard::together::{Together, between};
use crate::report::scorecard::{code, files, page};
use crate::scoring::judge::family::kinship;
use crate::scoring::judge::mark::Mark;
use crate::scoring::judge::question::Line;
use crate::scoring::outcome::Label;
use crate::settings::Settings;
use crate::study::gold::Gold;
use crate::study::open::Study;
use crate::tools::registry::Registry;

use super::args::{DesignScale, RunsArgs};
use super::table::{Table, percent, percent_or_dash};

/// The name of what code decides, among the judges.
const CODE: &str = "code";
/// A judge's answers as they came, and as a recording that can be replayed.
const CALLS: &str = "calls.jsonl";
const RECORDING: &str = "recording.json";

/// What grading shares between runs.
struct Kit {
    rubrics: Rubrics,
    registry: Registry,
    helper: Helper,
    commons: Commons,
}

/// Grades runs, and writes what each says into its folder.
pub async fn runs(settings: &Settings, printer: Printer, args: &RunsArgs) -> Result<Status, Failure> {
    let (registry, helper) = app::graders()?;
    let kit = Kit {
        rubrics: Rubrics::load(args.rubrics_dir.as_deref()).map_err(EngineError::from)?,
        registry,
        helper,
        commons: Commons::default(),
    };
    let mut cards: Vec<Scorecard> = Vec::new();
    let mut folders: Vec<RunFolder> = Vec::new();
    let mut problems = Vec::new();
    for path in found(&args.dirs)? {
        match score(settings, args, &kit, &path).await {
            Ok((folder, card)) => {
                for warning in &card.warnings {
                    printer.note(format!("{}: {warning}", path.display()));
                }
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

async fn score(
    settings: &Settings,
    args: &RunsArgs,
    kit: &Kit,
    path: &Path,
) -> Result<(RunFolder, Scorecard), Failure> {
    let folder =
        RunFolder::at(path).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))?;
    let run = Archive::open(folder.clone())?;
    let gold = Study::open(&run.request.study)
        .and_then(|study| Gold::open(&study))
        .map_err(|error| format!("the study's references could not be read: {error}"));
    let mut card = code::card(&run, &gold)?;
    let planned_data = gather::planned_data(&run)?;
    let subject = Subject {
        run: &run,
        gold: &gold,
        planned_data: &planned_data,
    };
    let judging = Judging {
        rubrics: &kit.rubrics,
        helper: &kit.helper,
        registry: &kit.registry,
        repeats: args.repeats,
        graded_design: args.design_scale == DesignScale::Graded,
        baselines: args.baselines,
    };
    if args.judge.is_empty() {
        let stages = by_code(&subject, &judging).await?;
        let own = files::make_folder(&folder, CODE)?;
        let (compat, corrected) = files::write_gradings(&own, &stages)?;
        card.judges.push(JudgeCard {
            judge: CODE.to_owned(),
            folder: files::folder_name(CODE),
            stages,
            compat,
            corrected,
            cost: Cost::default(),
        });
    }
    for judge in &args.judge {
        card.warnings.extend(kinship(judge, &card.model));
        if is_recording(judge) {
            card.warnings.push(format!(
                "The marks of {judge} come from a recording, which says nothing about any agent."
            ));
        }
        let graded = one_judge(settings, (args, &kit.commons), judge, &subject, &judging).await?;
        card.judges.push(graded);
    }
    card.between = between(&card.judges);
    files::write_scores(&folder, &card)?;
    Ok((folder, card))
}

async fn one_judge(
    settings: &Settings,
    (args, commons): (&RunsArgs, &Commons),
    judge: &str,
    subject: &Subject<'_>,
    judging: &Judging<'_>,
) -> Result<JudgeCard, Failure> {
    let run = subject.run;
    let watch: Arc<dyn Watch> = Arc::new(Unwatched);
    let wanted = Wanted::unbounded(&run.request.study, judge);
    let served = app::minds(settings, commons, wanted, &watch)?.model;
    let own = files::make_folder(&run.folder, judge)?;
    // A recording is its own memory, and keeping its answers would hide that it has changed.
    let kept = match judge.starts_with("recorded:") {
        true => None,
        false => Some(Arc::new(
            Kept::open(served.clone(), &own.join(CALLS), args.judge_tokens).map_err(EngineError::from)?,
        )),
    };
    let recorder = match &kept {
        Some(kept) => Recorder::new(kept.clone()),
        None => Recorder::new(served),
    };
    let mut line = Line::new(&recorder);
    let stages = by_judge(&mut line, subject, judging).await?;
    let (calls, usage) = (line.calls, line.usage);
    if let Some(kept) = kept {
        let recording = recorder.recording().map_err(EngineError::from)?;
        recording.write(&own.join(RECORDING)).map_err(EngineError::from)?;
        drop(kept);
    }
    let (compat, corrected) = files::write_gradings(&own, &stages)?;
    let price = Models::built_in().map_err(EngineError::from)?.of(judge).price;
    Ok(JudgeCard {
        judge: judge.to_owned(),
        folder: files::folder_name(judge),
        stages,
        compat,
        corrected,
        cost: Cost {
            calls,
            usage,
            money: price.map(|price| price.cost(usage)),
        },
    })
}

fn is_recording(judge: &str) -> bool {
    judge.starts_with("recorded:") || judge.starts_with("scripted:")
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

fn show(printer: Printer, card: &Scorecard) {
    printer.line(format!(
        "{} {} {}",
        styled(paint::STRONG, &card.study),
        card.model,
        card.setting
    ));
    let outcome = &card.outcome;
    let verdict = outcome
        .verdict
        .map_or_else(|| "no verdict".to_owned(), |verdict| verdict.to_string());
    let label = match (outcome.label, outcome.right) {
        (Some(_), Some(true)) => "as the human label says",
        (Some(_), _) => "not as the human label says",
        (None, _) => "the study has no label",
    };
    printer.line(format!("  verdict: {verdict} ({label})"));
    for headline in &card.headlines {
        let value = match headline.value {
            Some(value) => format!(
                "{} of {} (n = {})",
                percent(value),
                percent(headline.max),
                headline.n
            ),
            None => format!("unscored: {}", headline.note),
        };
        let interval = headline.interval.map_or_else(String::new, |one| {
            format!(", 95 % [{}, {}]", percent(one.lower), percent(one.upper))
        });
        let baseline = headline.baseline.as_ref().map_or_else(String::new, |baseline| {
            format!(", trivial baseline {}", percent(baseline.value))
        });
        printer.line(format!("  {}: {value}{interval}{baseline}", headline.label));
    }
    for judge in &card.judges {
        show_judge(printer, judge);
    }
    for one in &card.between {
        let kappa = one
            .agreement
            .quadratic_kappa
            .map_or_else(|| "not defined".to_owned(), |kappa| format!("{kappa:.3}"));
        printer.line(format!(
            "  {} and {} on {}: exact {}, quadratic kappa {kappa}",
            one.first, one.second, one.stage, one.agreement.exact
        ));
    }
}

fn show_judge(printer: Printer, judge: &JudgeCard) {
    let heading = if judge.judge == CODE {
        "checkpoints by code".to_owned()
    } else {
        format!("judge {}", judge.judge)
    };
    let mut table = Table::new([
        &heading,
        "score",
        "95 % from",
        "to",
        "stated",
        "floor",
        "ceiling",
        "marked",
        "flips",
    ]);
    let mut said = Vec::new();
    for stage in &judge.stages {
        if let Some(why) = &stage.unscored {
            table.row([stage.stage.to_string(), "unscored".to_owned()]);
            said.push(format!("  {} is unscored: {why}.", stage.stage));
        }
        for one in &stage.against {
            let figures = &one.figures;
            let bound = |of: fn(&Interval) -> f64| percent_or_dash(figures.interval.as_ref().map(of));
            table.row([
                format!("{} ({})", stage.stage, one.reference),
                figures.score.map_or_else(|| "unscored".to_owned(), percent),
                bound(|interval| interval.lower),
                bound(|interval| interval.upper),
                percent_or_dash(figures.stated),
                percent_or_dash(stage.floor),
                percent_or_dash(stage.ceiling),
                figures.coverage.to_string(),
                if figures.flips.of == 0 {
                    "–".to_owned()
                } else {
                    figures.flips.to_string()
                },
            ]);
            let reasons = one
                .grading
                .fields
                .iter()
                .filter(|field| field.mark == Mark::Unscored);
            said.extend(reasons.take(3).filter_map(|field| {
                let given = field.given.first()?;
                Some(format!(
                    "  {} {} is unscored: {}",
                    stage.stage, field.path, given.explanation
                ))
            }));
        }
        said.extend(
            stage
                .notes
                .iter()
                .map(|note| format!("  {}: {note}", stage.stage)),
        );
    }
    for line in table
        .lines()
        .into_iter()
        .map(|line| format!("  {line}"))
        .chain(said)
    {
        printer.line(line);
    }
}

fn show_together(printer: Printer, together: &Together) {
    for one in &together.outcomes {
        let score = &one.score;
        let range = score.accuracy_interval.map_or_else(String::new, |interval| {
            format!(" [{}, {}]", percent(interval.lower), percent(interval.upper))
        });
        let baseline = score.baseline.map_or_else(String::new, |baseline| {
            let answer = match baseline.answer {
                Label::Met => "met",
                Label::Unmet => "unmet",
            };
            format!("; always `{answer}` {}", baseline.accuracy)
        });
        printer.line(format!(
            "{}: verdicts as labelled {}{range}{baseline}; {} undecided",
            one.model,
            score.accuracy,
            score.labelled_met.undecided + score.labelled_unmet.undecided
        ));
    }
}
