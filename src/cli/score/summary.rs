//! `reprise score summary`.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::{Printer, paint, styled};
use crate::scoring::aggregate::grading::{GradedStage, Gradings};
use crate::scoring::aggregate::origin::{self, Origin};
use crate::scoring::aggregate::summary::{Summary, mean};
use crate::scoring::aggregate::{compat, corrected};

use super::args::{SummaryArgs, SummaryMode};
use super::input;
use super::shared_out::shared_out;
use super::table::{Table, percent_or_dash};

/// The summary that the benchmark's own aggregator writes beside its gradings.
const STORED: &str = "eval_summary.json";
/// The stages of a summary, as the tables name them.
const STAGES: [&str; 5] = [
    "extract",
    "design",
    "execute_design",
    "execute_execute",
    "interpret",
];

/// The gradings of one run by one judge.
#[derive(Debug, Serialize)]
struct Graded {
    folder: String,
    summary: Summary,
    /// Mean of the execution's halves.
    execute: Option<f64>,
    /// How a stored summary differs; `None` where none is stored.
    stale: Option<Vec<String>>,
    #[serde(skip)]
    group: String,
}

/// All of them, as they are printed.
#[derive(Serialize)]
struct Printed<'a> {
    format: &'static str,
    mode: &'static str,
    gradings: &'a [Graded],
    groups: Vec<Value>,
}

/// Sums up gradings that a judge has written.
pub fn summary(printer: Printer, args: &SummaryArgs) -> Result<Status, Failure> {
    let graded = shared_out(&folders(&args.dir)?, |folder| grade(&args.dir, folder, args.mode));
    let graded = graded.into_iter().collect::<Result<Vec<Graded>, Failure>>()?;
    let stale = graded
        .iter()
        .filter(|one| one.stale.as_ref().is_some_and(|all| !all.is_empty()));
    let stale = stale.count();
    if args.json {
        printer.json(&Printed {
            format: "reprise-score-summary/1",
            mode: match args.mode {
                SummaryMode::Compat => "compat",
                SummaryMode::Corrected => "corrected",
            },
            gradings: &graded,
            groups: groups(&graded)
                .iter()
                .map(|(name, members)| group_json(name, members))
                .collect(),
        })?;
    } else {
        for line in lines(&graded) {
            printer.line(line);
        }
    }
    Ok(if stale > 0 { Status::Differs } else { Status::Done })
}

/// Every folder that holds a grading, in order.
fn folders(root: &Path) -> Result<Vec<PathBuf>, Failure> {
    if !root.is_dir() {
        return Err(Failure::usage(format!(
            "{} is not a folder: give one that holds gradings such as {}",
            root.display(),
            GradedStage::Extract.file_name()
        )));
    }
    let mut found: Vec<PathBuf> = WalkDir::new(root)
        .into_iter()
        .flatten()
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy();
            entry.file_type().is_file() && GradedStage::all().any(|stage| stage.file_name() == name)
        })
        .filter_map(|entry| Some(entry.path().parent()?.to_owned()))
        .collect();
    found.sort();
    found.dedup();
    if found.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds no grading: none of the files {} is in it or below it",
            root.display(),
            GradedStage::all()
                .map(GradedStage::file_name)
                .collect::<Vec<_>>()
                .join(", ")
        )));
    }
    Ok(found)
}

fn grade(root: &Path, folder: &Path, mode: SummaryMode) -> Result<Graded, Failure> {
    let files: Vec<io::Result<Option<Vec<u8>>>> = GradedStage::all()
        .map(|stage| input::read_if_there(&folder.join(stage.file_name())))
        .collect();
    let mut gradings = Gradings::default();
    for (stage, file) in GradedStage::all().zip(&files) {
        if let Ok(Some(bytes)) = file {
            gradings.put(stage, bytes);
        }
    }
    let (strays, odd) = strays(folder, &gradings)?;
    if mode == SummaryMode::Corrected {
        for (stage, _) in &strays {
            gradings.leave_out(*stage);
        }
    }
    let as_released = compat::summarise(&gradings);
    let stale = match input::read_if_there(&folder.join(STORED)) {
        Ok(None) => None,
        Ok(Some(bytes)) => Some(match serde_json::from_slice::<Value>(&bytes) {
            Ok(stored) => as_released.differences(&stored),
            Err(error) => vec![format!("`{STORED}` is not JSON ({error}).")],
        }),
        Err(error) => Some(vec![format!("`{STORED}` cannot be read ({error}).")]),
    };
    let mut summary = match mode {
        SummaryMode::Compat => as_released,
        SummaryMode::Corrected => corrected::summarise(&gradings),
    };
    summary.problems.extend(odd);
    summary.problems.extend(strays.into_iter().map(|(_, why)| why));
    for (stage, file) in GradedStage::all().zip(&files) {
        let why = match file {
            Ok(Some(_)) => continue,
            Ok(None) => "is missing".to_owned(),
            Err(error) => format!("cannot be read ({error})"),
        };
        summary.problems.push(format!(
            "`{}` {why}, so {stage} is not scored.",
            stage.file_name()
        ));
    }
    let shown = folder.strip_prefix(root).unwrap_or(folder);
    let name = if shown.as_os_str().is_empty() {
        folder
    } else {
        shown
    };
    Ok(Graded {
        folder: name.display().to_string(),
        execute: summary.execute(),
        summary,
        stale,
        group: group(folder),
    })
}

/// Gradings of elsewhere, by stage, with the reason.
type Strays = Vec<(GradedStage, String)>;

/// The gradings that are not of the run whose folder they lie in, and what is
/// wrong with the file that says so.
fn strays(folder: &Path, gradings: &Gradings<'_>) -> Result<(Strays, Option<String>), Failure> {
    let path = folder.join(origin::FILE);
    if !path.is_file() {
        return Ok((Vec::new(), None));
    }
    let origin: Origin = match serde_json::from_slice(&input::read(&path)?) {
        Ok(origin) => origin,
        Err(error) => {
            let odd = format!(
                "`{}` cannot be read ({error}), so it is not known which run the gradings are of.",
                origin::FILE
            );
            return Ok((Vec::new(), Some(odd)));
        }
    };
    let run = folder
        .ancestors()
        .map(|above| above.join("run.json"))
        .find(|request| request.is_file())
        .and_then(|request| input::read(&request).ok())
        .and_then(|bytes| serde_json::from_slice::<Value>(&bytes).ok())
        .and_then(|request| Some(request.get("run")?.as_str()?.to_owned()));
    Ok((origin.strays(run.as_deref(), gradings), None))
}

/// What the folder's gradings are averaged with: its path without the study,
/// in the benchmark's layout `SETTING/STUDY/MODEL/evals/JUDGE`.
fn group(folder: &Path) -> String {
    let parts: Vec<_> = folder.iter().map(|part| part.to_string_lossy()).collect();
    match parts.as_slice() {
        [.., setting, _, model, evals, judge] if evals == "evals" => {
            format!("{setting} {model}, judged by {judge}")
        }
        _ => "all".to_owned(),
    }
}

fn groups(graded: &[Graded]) -> BTreeMap<&str, Vec<&Graded>> {
    let mut groups: BTreeMap<&str, Vec<&Graded>> = BTreeMap::new();
    for one in graded {
        groups.entry(&one.group).or_default().push(one);
    }
    groups
}

/// The mean of a stage over the gradings that have it, and how many have.
fn average(members: &[&Graded], of: impl Fn(&Graded) -> Option<f64>) -> (Option<f64>, usize) {
    let scores: Vec<f64> = members.iter().filter_map(|one| of(one)).collect();
    (mean(&scores), scores.len())
}

fn score(one: &Graded, stage: &str) -> Option<f64> {
    one.summary.stage(stage).and_then(|stage| stage.average)
}

fn group_json(name: &str, members: &[&Graded]) -> Value {
    let stages = STAGES.iter().map(|stage| {
        let (mean, n) = average(members, |one| score(one, stage));
        ((*stage).to_owned(), json!({"mean": mean, "n": n}))
    });
    let (mean, n) = average(members, |one| one.execute);
    let execute = ("execute".to_owned(), json!({"mean": mean, "n": n}));
    json!({
        "group": name,
        "gradings": members.len(),
        "stages": stages.chain([execute]).collect::<serde_json::Map<_, _>>(),
    })
}

fn lines(graded: &[Graded]) -> Vec<String> {
    let mut table = Table::new([
        "grading",
        "extract",
        "design",
        "exec. design",
        "exec. run",
        "interpret",
    ]);
    for one in graded {
        let scores = STAGES.map(|stage| percent_or_dash(score(one, stage)));
        table.row([one.folder.clone()].into_iter().chain(scores));
    }
    let mut lines = table.lines();
    for one in graded {
        let folder = styled(paint::STRONG, &one.folder);
        for problem in &one.summary.problems {
            lines.push(format!("{folder}: {problem}"));
        }
        for change in &one.summary.changes {
            lines.push(format!("{folder}: {change}"));
        }
        for difference in one.stale.iter().flatten() {
            lines.push(format!("{folder}: {} {difference}", styled(paint::BAD, "stale:")));
        }
    }
    let stored = graded.iter().filter(|one| one.stale.is_some()).count();
    let same = graded
        .iter()
        .filter(|one| one.stale.as_ref().is_some_and(Vec::is_empty))
        .count();
    lines.push(format!(
        "{same} of {stored} stored summaries are what their gradings give (within 1e-12)."
    ));
    let mut means = Table::new(["mean (n)", "extract", "design", "execute", "interpret"]);
    for (name, members) in groups(graded) {
        let cell = |(mean, n): (Option<f64>, usize)| format!("{} ({n})", percent_or_dash(mean));
        let stage = |stage| cell(average(&members, |one| score(one, stage)));
        let execute = cell(average(&members, |one| one.execute));
        means.row([
            name.to_owned(),
            stage("extract"),
            stage("design"),
            execute,
            stage("interpret"),
        ]);
    }
    lines.extend(means.lines());
    lines
}
