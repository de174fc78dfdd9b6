//! `reprise score failures`.

use std::collections::{BTreeMap, HashSet};
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use walkdir::WalkDir;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::failure::FailureCause;
use crate::engine::folder::RunFolder;
use crate::engine::run_reader::RunReader;
use crate::grading::causes;
use crate::scoring::failed_calls::{LoggedCall, by_tool, read_calls};
use crate::scoring::failures::{Breakdown, is_log};
use crate::scoring::released::failures::read_log;

use super::args::{FailuresArgs, FailuresMode};
use super::input;
use super::table::Table;

/// The failures of one source.
struct Counted {
    name: String,
    breakdown: Breakdown,
    /// Whether it is a released log.
    is_log: bool,
    /// Tool results that were read; `None` where only errors are seen.
    calls: Option<Vec<LoggedCall>>,
}

/// Counts failures by class, in runs and in released logs.
pub fn failures(printer: Printer, args: &FailuresArgs) -> Result<Status, Failure> {
    let mut counted = Vec::new();
    let mut problems = Vec::new();
    let mut known = HashSet::new();
    for path in &args.paths {
        for source in sources(path)? {
            let (Source::Run(place) | Source::Log(place)) = &source;
            let whole = fs::canonicalize(place).unwrap_or_else(|_| place.clone());
            if !known.insert(whole) {
                problems.push(format!(
                    "{} is given more than once and counts once.",
                    place.display()
                ));
                continue;
            }
            match count(path, &source, args.mode) {
                Ok(one) => counted.push(one),
                Err(failure) => problems.push(match &source {
                    Source::Run(place) => format!("{}: {}", place.display(), failure.message),
                    Source::Log(_) => failure.message,
                }),
            }
        }
    }
    if counted.is_empty()
        && let Some(first) = problems.first()
    {
        return Err(Failure::usage(first.clone()));
    }
    for problem in &problems {
        printer.note(problem);
    }
    let total = Breakdown::of(counted.iter().flat_map(|one| {
        let each = one.breakdown.by_cause.iter();
        each.flat_map(|(cause, count)| std::iter::repeat_n(*cause, usize::try_from(*count).unwrap_or(0)))
    }));
    if args.json {
        printer.json(&json!({
            "format": "reprise-score-failures/1",
            "mode": match args.mode { FailuresMode::Compat => "compat", FailuresMode::Corrected => "corrected" },
            "sources": counted.iter().map(source_json).collect::<Vec<_>>(),
            "total": total,
            "agents_interval": total.agents.wilson(),
            "problems": problems,
        }))?;
        return Ok(Status::Done);
    }
    for line in lines(&counted, &total, args.mode) {
        printer.line(line);
    }
    Ok(Status::Done)
}

/// A run, or a log file.
enum Source {
    Run(PathBuf),
    Log(PathBuf),
}

/// The runs and the execution logs at a path and below it.
fn sources(path: &Path) -> Result<Vec<Source>, Failure> {
    if path.is_file() {
        return Ok(vec![Source::Log(path.to_owned())]);
    }
    let mut found = Vec::new();
    let mut walk = WalkDir::new(path).sort_by_file_name().into_iter();
    while let Some(entry) = walk.next() {
        let Ok(entry) = entry else { continue };
        let name = entry.file_name().to_string_lossy();
        if entry.file_type().is_dir() && entry.path().join("run.json").is_file() {
            found.push(Source::Run(entry.path().to_owned()));
            walk.skip_current_dir();
        } else if entry.file_type().is_file() && name.starts_with("execute") && name.ends_with(".log") {
            found.push(Source::Log(entry.path().to_owned()));
        }
    }
    if found.is_empty() {
        return Err(Failure::usage(format!(
            "{} holds neither a run nor an execution log (`execute*.log`)",
            path.display()
        )));
    }
    Ok(found)
}

fn count(root: &Path, source: &Source, mode: FailuresMode) -> Result<Counted, Failure> {
    match source {
        Source::Run(path) => {
            let folder = RunFolder::at(path).map_err(|error| Failure::usage(error.to_string()))?;
            let run = RunReader::open(folder)?;
            let causes = causes::of(&run)?;
            Ok(Counted {
                name: shown(root, path),
                breakdown: Breakdown::of(causes),
                is_log: false,
                calls: None,
            })
        }
        Source::Log(path) => {
            let bytes = input::read(path)?;
            // Python drops what is not UTF-8, so the counts agree with the released ones.
            let log: String = bytes.utf8_chunks().map(|chunk| chunk.valid()).collect();
            if !is_log(&log) {
                return Err(Failure::usage(format!(
                    "{} is no agent's log: it has no `--- Turn` and no line that begins with a time such as \
                     `2026-02-03 21:13:24,820 - `. Give an execution log, or a run.",
                    path.display()
                )));
            }
            let name = shown(root, path);
            Ok(match mode {
                FailuresMode::Compat => Counted {
                    name,
                    breakdown: Breakdown::of(read_log(&log).into_iter().map(|error| error.cause)),
                    is_log: true,
                    calls: None,
                },
                FailuresMode::Corrected => {
                    let calls = read_calls(&log);
                    let causes = calls.iter().filter_map(|call| Some(call.failure.as_ref()?.cause));
                    Counted {
                        name,
                        breakdown: Breakdown::of(causes),
                        is_log: true,
                        calls: Some(calls),
                    }
                }
            })
        }
    }
}

/// A path as it is told apart from the others below the one that was given.
fn shown(root: &Path, path: &Path) -> String {
    match path.strip_prefix(root) {
        Ok(inside) if !inside.as_os_str().is_empty() => inside.display().to_string(),
        _ => path.display().to_string(),
    }
}

fn source_json(one: &Counted) -> Value {
    let tools = one.calls.as_ref().map(|calls| {
        let tools = by_tool(calls).into_iter();
        let tools: BTreeMap<String, Value> = tools
            .map(|(tool, (calls, failed))| (tool, json!({"calls": calls, "failed": failed})))
            .collect();
        tools
    });
    json!({"source": one.name, "failures": one.breakdown, "tools": tools})
}

/// The classes of the paper's Table 5, then the ones that are not the agent's
/// or not in it.
const CLASSES: [FailureCause; 6] = [
    FailureCause::Setup,
    FailureCause::InputData,
    FailureCause::Implementation,
    FailureCause::ResultExtraction,
    FailureCause::Timeout,
    FailureCause::Infrastructure,
];

fn lines(counted: &[Counted], total: &Breakdown, mode: FailuresMode) -> Vec<String> {
    let mut table = Table::new([
        "source",
        "setup",
        "input data",
        "implement.",
        "results",
        "timeout",
        "infrastr.",
        "other",
        "all",
        "calls",
    ]);
    let mut add = |name: &str, breakdown: &Breakdown, calls: Option<usize>| {
        let count = |cause: &FailureCause| breakdown.by_cause.get(cause).copied().unwrap_or(0);
        let known: u64 = CLASSES.iter().map(count).sum();
        let mut cells = vec![name.to_owned()];
        cells.extend(CLASSES.iter().map(|cause| count(cause).to_string()));
        cells.push((breakdown.agents.of - known).to_string());
        cells.push(breakdown.agents.of.to_string());
        cells.push(calls.map_or_else(|| "–".to_owned(), |calls| calls.to_string()));
        table.row(cells);
    };
    for one in counted {
        add(&one.name, &one.breakdown, one.calls.as_ref().map(Vec::len));
    }
    let calls: Option<usize> = counted.iter().map(|one| one.calls.as_ref().map(Vec::len)).sum();
    add("total", total, calls);
    let mut lines = table.lines();
    if mode == FailuresMode::Compat && counted.iter().any(|one| one.is_log) {
        lines.push(
            "Logs are counted by the released rules, which see the text style of log alone; `--mode corrected` \
             reads both styles."
                .to_owned(),
        );
    }
    lines
}
