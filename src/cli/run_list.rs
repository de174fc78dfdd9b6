//! The table of runs that a folder holds.

use std::path::PathBuf;

use jiff::Timestamp;
use serde::Serialize;

use crate::domain::format;
use crate::domain::mode::Setting;
use crate::domain::usage::MicroDollars;
use crate::domain::verdict::Outcome;
use crate::engine::run_reader::RunReader;
use crate::report::money;

use super::exit::{Failure, Status};
use super::output::{Printer, paint, printable, styled};
use super::run_standing;
use super::text_table::TextTable;

/// A run in a list.
#[derive(Debug, Serialize)]
struct ListedRun {
    folder: PathBuf,
    #[serde(flatten)]
    found: Found,
}

/// The content of a run's folder.
#[derive(Debug, Serialize)]
#[serde(untagged)]
enum Found {
    Run(Box<Summary>),
    /// It cannot be read, and why.
    Unreadable {
        error: String,
    },
}

/// A run in a few words and numbers.
#[derive(Debug, Serialize)]
struct Summary {
    run: String,
    /// Absent of a run that has not begun.
    study: Option<String>,
    /// The setting of a replication, or the track of another task.
    setting: String,
    model: String,
    started: Option<Timestamp>,
    standing: &'static str,
    /// Questions that wait for an answer.
    questions: usize,
    verdict: Option<Outcome>,
    tokens: u64,
    money: Option<MicroDollars>,
    wall_ms: u64,
}

impl Summary {
    fn new(run: &RunReader) -> Self {
        let (state, request) = (&run.state, &run.request);
        let track = state.track();
        Self {
            run: request.run.to_string(),
            study: state.started.as_ref().map(|started| started.study.clone()),
            setting: match track.is_replication() {
                true => Setting::new(request.code_mode, request.code_access).to_string(),
                false => track.track.clone(),
            },
            model: run_standing::model(run),
            started: run.records.first().map(|record| record.at),
            standing: run_standing::words(state),
            questions: state.open_questions().len(),
            verdict: state.verdict.as_ref().map(|verdict| verdict.outcome),
            tokens: state.usage().total(),
            money: money::money(run, state.stages.values()),
            wall_ms: state.elapsed.clocks().wall_ms,
        }
    }
}

/// Prints the runs in these folders, the ones that cannot be read with the reason.
///
/// # Errors
/// Rows that JSON cannot hold.
pub fn tell(printer: Printer, folders: Vec<PathBuf>, json: bool) -> Result<Status, Failure> {
    let runs: Vec<ListedRun> = folders.into_iter().map(read).collect();
    if json {
        printer.json(&serde_json::json!({ "runs": runs }))?;
        return Ok(Status::Done);
    }
    let mut table = TextTable::new([
        "run", "study", "setting", "model", "standing", "verdict", "tokens", "cost", "time",
    ]);
    let dash = || "–".to_owned();
    for run in &runs {
        let Found::Run(found) = &run.found else {
            continue;
        };
        table.row([
            printable(&run.folder.display().to_string()),
            found.study.as_deref().map_or_else(dash, printable),
            found.setting.clone(),
            printable(&found.model),
            found.standing.to_owned(),
            found.verdict.map_or_else(dash, |verdict| verdict.to_string()),
            format::count(found.tokens),
            found
                .money
                .map_or_else(|| "unknown".to_owned(), |money| money.to_string()),
            format::duration(found.wall_ms),
        ]);
    }
    let lines = table.with_text_columns(6).lines();
    for (number, line) in lines.into_iter().enumerate() {
        match number {
            0 => printer.line(styled(paint::STRONG, line)),
            _ => printer.line(line),
        }
    }
    let mut waiting = 0;
    for run in &runs {
        match &run.found {
            Found::Run(found) => waiting += usize::from(found.questions > 0),
            Found::Unreadable { error } => printer.line(format!(
                "{} {}: {}",
                styled(paint::BAD, "unreadable"),
                printable(&run.folder.display().to_string()),
                printable(error)
            )),
        }
    }
    printer.line(format::counted(runs.len(), "run", "runs"));
    if waiting > 0 {
        let (runs, wait) = (
            format::counted(waiting, "run", "runs"),
            format::plural(waiting, "waits", "wait"),
        );
        printer.line(format!(
            "{runs} {wait} for an answer: `reprise show RUN` shows for which, `reprise approve RUN` gives it."
        ));
    }
    Ok(Status::Done)
}

fn read(folder: PathBuf) -> ListedRun {
    let found = match RunReader::open(&folder) {
        Ok(run) => Found::Run(Box::new(Summary::new(&run))),
        Err(error) => Found::Unreadable {
            error: Failure::from(error).message,
        },
    };
    ListedRun { folder, found }
}
