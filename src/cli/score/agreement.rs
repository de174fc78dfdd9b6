//! `reprise score agreement`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::json;
use walkdir::WalkDir;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::finding::Interval;
use crate::engine::error::EngineError;
use crate::engine::put;
use crate::report::scorecard::agreement_page;
use crate::report::scorecard::together::Alike;
use crate::scoring::aggregate::grading::GradedStage;
use crate::scoring::agreement::compared::{Compared, Resampling};
use crate::scoring::agreement::gradings::{Marks, pair};
use crate::scoring::agreement::measures::{Agreement, Rates};
use crate::scoring::agreement::table::{Rating, Table};
use crate::scoring::proportion::Proportion;

use super::args::AgreementArgs;
use super::lexical::{self, Lexical};
use super::table::percent;
use super::{input, table};

/// Two gradings by stage.
#[derive(Default)]
struct Pairs {
    stages: BTreeMap<String, (Marks, Marks)>,
    problems: Vec<String>,
}

/// Says how far two gradings agree.
pub fn agreement(printer: Printer, args: &AgreementArgs) -> Result<Status, Failure> {
    let (names, mut pairs) = read(args)?;
    for (marks, name) in pairs
        .stages
        .values()
        .flat_map(|(first, second)| [(first, &names[0]), (second, &names[1])])
    {
        let said = marks.problems.iter().map(|problem| format!("{name}: {problem}."));
        pairs.problems.extend(said);
    }
    let mut compared = Vec::new();
    for (stage, (first, second)) in &pairs.stages {
        let ratings = pair(first, second);
        let resampling = Resampling {
            resamples: args.resamples,
            seed: args.seed,
        };
        let categories = categories(stage, &ratings, args.highest);
        match Compared::of(stage, &ratings, categories, resampling) {
            Ok((one, off)) => {
                compared.push(one);
                if off > 0 {
                    let way_out = match GradedStage::all().any(|known| known.name() == stage) {
                        true => "",
                        false => "; `--highest` sets another end of the scale",
                    };
                    pairs.problems.push(format!(
                        "{stage}: {off} items have a mark above {} and are left out{way_out}.",
                        categories - 1
                    ));
                }
            }
            Err(problem) => pairs.problems.push(format!("{stage}: {problem}")),
        }
    }
    let lexical = match &args.studies {
        Some(studies) => lexical::columns(args, studies, &names, &mut pairs.problems)?,
        None => Vec::new(),
    };
    for problem in &pairs.problems {
        printer.note(problem);
    }
    if compared.iter().all(|one| one.agreement.table.n() == 0) {
        return Err(Failure::usage(format!(
            "{} and {} have marked no item in common, so nothing can be compared",
            names[0], names[1]
        )));
    }
    if let Some(path) = &args.html {
        let alike: Vec<Alike> = (compared.iter().cloned())
            .map(|compared| Alike {
                first: names[0].clone(),
                second: names[1].clone(),
                compared,
            })
            .collect();
        let page = agreement_page::render(&alike)
            .map_err(|error| EngineError::Unusable(format!("the page cannot be written: {error}")))?;
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        put::replace(path, page.as_bytes(), parent.unwrap_or(Path::new(".")))?;
    }
    if args.json {
        printer.json(&json!({
            "format": "reprise-score-agreement/1",
            "first": names[0],
            "second": names[1],
            "stages": compared,
            "lexical": lexical,
            "problems": pairs.problems,
        }))?;
        return Ok(Status::Done);
    }
    for line in lines(&names, &compared, &lexical) {
        printer.line(line);
    }
    Ok(Status::Done)
}

/// 0 and 1 of checkpoints, 0 to 3 of fields; of other files 0 to what the
/// command line says, or the one of these that their marks fit.
fn categories(stage: &str, ratings: &[Rating], highest: Option<u8>) -> usize {
    let graded = GradedStage::all().find(|one| one.name() == stage);
    match graded {
        Some(GradedStage::Execute) => 2,
        Some(_) => 4,
        None => {
            let marks = ratings.iter().flat_map(|one| [one.judge, one.human]).flatten();
            let fitting = if marks.max() <= Some(1) { 1 } else { 3 };
            usize::from(highest.unwrap_or(fitting)) + 1
        }
    }
}

fn read(args: &AgreementArgs) -> Result<([String; 2], Pairs), Failure> {
    let mut pairs = Pairs::default();
    match (args.gradings.as_slice(), args.judges.as_slice()) {
        ([root], [first, second]) => {
            below(root, [first, second], &mut pairs)?;
            Ok(([first.clone(), second.clone()], pairs))
        }
        ([first, second], []) => {
            if first.is_dir() && second.is_dir() {
                folders([first, second], &mut pairs)?;
            } else {
                let marks = (file(first)?, file(second)?);
                pairs
                    .stages
                    .insert(stage_of(first).unwrap_or("all").to_owned(), marks);
            }
            Ok(([first.display().to_string(), second.display().to_string()], pairs))
        }
        _ => Err(Failure::usage(
            "give two gradings, or one folder and the two judges below it with `--judges A,B`",
        )),
    }
}

/// The gradings of two judges of the same runs, in `.../evals/JUDGE/`.
fn below(root: &Path, judges: [&String; 2], pairs: &mut Pairs) -> Result<(), Failure> {
    for path in gradings(root) {
        let of = |judge: &str| {
            let folder = path.parent()?;
            folder.ends_with(Path::new("evals").join(judge)).then_some(folder)
        };
        let counterpart = |folder: &Path, judge: &str| {
            let name = path.file_name().unwrap_or_default();
            folder.with_file_name(judge).join(name)
        };
        if let Some(folder) = of(judges[0]) {
            let other = counterpart(folder, judges[1]);
            if other.is_file() {
                add(&path, &other, &paper(folder), pairs)?;
            } else {
                pairs.problems.push(alone(&path, judges[1]));
            }
        } else if let Some(folder) = of(judges[1])
            && !counterpart(folder, judges[0]).is_file()
        {
            pairs.problems.push(alone(&path, judges[0]));
        }
    }
    Ok(())
}

/// A grading that only one of the two has.
fn alone(path: &Path, other: impl std::fmt::Display) -> String {
    format!(
        "{} has no counterpart of {other} and is left out.",
        path.display()
    )
}

/// The study of a folder `STUDY/MODEL/evals/JUDGE` or `RUN/evals/JUDGE`.
pub fn paper(folder: &Path) -> String {
    let mut above = folder.ancestors().skip(2);
    let run = above.next();
    let own = run.filter(|run| run.join("run.json").is_file()).or(above.next());
    own.and_then(Path::file_name)
        .map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

fn folders(both: [&Path; 2], pairs: &mut Pairs) -> Result<(), Failure> {
    for path in gradings(both[0]) {
        let inside = path.strip_prefix(both[0]).unwrap_or(&path);
        let other = both[1].join(inside);
        let paper = inside
            .parent()
            .map_or_else(String::new, |folder| folder.display().to_string());
        if other.is_file() {
            add(&path, &other, &paper, pairs)?;
        } else {
            pairs.problems.push(alone(&path, both[1].display()));
        }
    }
    for path in gradings(both[1]) {
        let inside = path.strip_prefix(both[1]).unwrap_or(&path);
        if !both[0].join(inside).is_file() {
            pairs.problems.push(alone(&path, both[0].display()));
        }
    }
    Ok(())
}

fn add(first: &Path, second: &Path, paper: &str, pairs: &mut Pairs) -> Result<(), Failure> {
    let stage = stage_of(first).unwrap_or("all").to_owned();
    let (one, other) = pairs.stages.entry(stage).or_default();
    // Runs of one paper have the same fields, so each run's are kept apart by name.
    let take = |marks: &mut Marks, path: &Path| -> Result<(), Failure> {
        let mut own = Marks::default();
        own.add_json(paper, &input::read(path)?);
        let run = first.parent().unwrap_or(first).display();
        let keyed = own
            .items
            .into_iter()
            .map(|((paper, field), mark)| ((paper, format!("{run} {field}")), mark));
        marks.items.extend(keyed);
        let named = own
            .problems
            .into_iter()
            .map(|problem| format!("{}: {problem}", path.display()));
        marks.problems.extend(named);
        Ok(())
    };
    take(one, first)?;
    take(other, second)
}

fn file(path: &Path) -> Result<Marks, Failure> {
    let bytes = input::read(path)?;
    let mut marks = Marks::default();
    if path
        .extension()
        .is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
    {
        marks
            .add_csv(&bytes)
            .map_err(|problem| Failure::usage(format!("{}: {problem}", path.display())))?;
    } else {
        marks.add_json("", &bytes);
    }
    Ok(marks)
}

/// Every grading below a folder, in order.
pub fn gradings(root: &Path) -> Vec<PathBuf> {
    WalkDir::new(root)
        .sort_by_file_name()
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .map(walkdir::DirEntry::into_path)
        .filter(|path| stage_of(path).is_some())
        .collect()
}

fn stage_of(path: &Path) -> Option<&'static str> {
    let name = path.file_name()?.to_string_lossy();
    let stage = GradedStage::all().find(|stage| stage.file_name() == name)?;
    Some(stage.name())
}

fn lines(names: &[String; 2], compared: &[Compared], lexical: &[Lexical]) -> Vec<String> {
    let mut lines = vec![format!("{} against {}", names[0], names[1])];
    for one in compared.iter().filter(|one| one.agreement.table.n() > 0) {
        let (all, within) = (&one.agreement, &one.intervals);
        lines.push(format!(
            "{}: {} items of {} papers, {} marked by one alone",
            one.stage,
            all.table.n(),
            within.papers,
            all.table.unpaired
        ));
        let share = |of: Proportion| of.share().map_or_else(|| "–".to_owned(), percent);
        lines.push(format!(
            "  exact {} %{}, within one {} %",
            share(all.exact),
            in_percent(within.exact),
            share(all.within_one)
        ));
        for (name, value, interval) in [
            ("bias (first minus second)", all.bias, within.bias),
            ("quadratic kappa", all.quadratic_kappa, within.quadratic_kappa),
            (
                "Krippendorff's alpha (ordinal)",
                all.ordinal_alpha,
                within.ordinal_alpha,
            ),
            ("Spearman", all.spearman, within.spearman),
            ("Kendall's tau-b", all.kendall, within.kendall),
        ] {
            lines.push(format!("  {name} {}{}", decimal(value), range(interval)));
        }
        lines.extend(rates(all));
        lines.extend(confusion(&all.table));
    }
    for column in lexical {
        lines.push(format!(
            "extract, ROUGE-L F1 by field against {}: {} items, Spearman {}{}, Kendall's tau-b {}{}",
            column.judge,
            column.items,
            decimal(column.spearman),
            range(column.intervals.spearman),
            decimal(column.kendall),
            range(column.intervals.kendall)
        ));
    }
    lines.push("Intervals are 95 %, from resampling whole papers.".to_owned());
    lines
}

/// Of two-valued marks, how the first judges what the second passes and fails:
/// its rates of true positives and negatives where the second is right.
fn rates(agreement: &Agreement) -> Option<String> {
    let Rates {
        true_positive: passed,
        true_negative: failed,
    } = agreement.rates?;
    Some(format!(
        "  the first passes {passed} of what the second passes{}, and fails {failed} of what it fails{}",
        in_percent(passed.wilson()),
        in_percent(failed.wilson())
    ))
}

fn confusion(counts: &Table) -> Vec<String> {
    let mut shown = table::Table::default();
    let marks = (0..counts.categories()).map(|mark| mark.to_string());
    shown.row(["  first \\ second".to_owned()].into_iter().chain(marks));
    for (mark, row) in counts.counts().iter().enumerate() {
        let cells = row.iter().map(u64::to_string);
        shown.row([format!("  {mark}")].into_iter().chain(cells));
    }
    shown.lines()
}

fn decimal(value: Option<f64>) -> String {
    value.map_or_else(|| "not defined".to_owned(), |value| format!("{value:.3}"))
}

fn range(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |one| {
        format!(" [{:.3}, {:.3}]", one.lower, one.upper)
    })
}

fn in_percent(interval: Option<Interval>) -> String {
    interval.map_or_else(String::new, |one| {
        format!(" [{}, {}]", percent(one.lower), percent(one.upper))
    })
}
