//! The standing of several runs while they go: counts, rate, waits, money and time left.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::{Value, json};

use crate::cli::exit::{Failure, Status};
use crate::cli::output::Printer;
use crate::domain::format;
use crate::domain::usage::MicroDollars;
use crate::model::layers::spend_account::SharedBudget;

use super::live_table::{LiveTable, RunUnderWay, lines};
use super::run_row::RunRow;

/// The time between two pictures of a table.
const PICTURE: Duration = Duration::from_millis(250);
/// The time between two lines for people.
const LINE: Duration = Duration::from_secs(15);

/// A file that events of several runs are appended to, a JSON line each.
#[derive(Debug)]
pub struct EventsFile(Mutex<File>);

impl EventsFile {
    /// Opens a file to append to.
    ///
    /// # Errors
    /// A place that cannot be written.
    pub fn open(path: &Path) -> Result<Self, Failure> {
        let file = OpenOptions::new().create(true).append(true).open(path);
        let file = file.map_err(|error| Failure::usage(format!("--events {}: {error}", path.display())))?;
        Ok(Self(Mutex::new(file)))
    }

    fn write(&self, event: &Value) {
        let mut file = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // A reader that is gone stops no run.
        let _best_effort = file.write_all(format!("{event}\n").as_bytes());
    }
}

/// The counts of several runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct BoardCounts {
    pub runs: usize,
    pub ended: usize,
    /// Of those that ended: by what is no success of the program, such as a failed stage.
    pub not_done: usize,
    pub under_way: usize,
    /// Of those under way: left alone by their provider for a while.
    pub waiting: usize,
    /// Runs a minute, of those that went here.
    pub per_minute: Option<f64>,
    pub spent_micro_dollars: u64,
    pub seconds: f64,
    pub seconds_left: Option<f64>,
}

impl BoardCounts {
    /// In one line.
    pub fn line(&self) -> String {
        let mut parts = vec![format!("{} of {} ended", self.ended, self.runs)];
        if self.not_done > 0 {
            parts.push(format!("{} of them not to their end", self.not_done));
        }
        parts.push(format!("{} under way", self.under_way));
        if self.waiting > 0 {
            parts.push(format!("{} waiting for a provider", self.waiting));
        }
        parts.extend(self.per_minute.map(|rate| format!("{rate:.1} a minute")));
        if self.spent_micro_dollars > 0 {
            parts.push(format!("{} spent", MicroDollars(self.spent_micro_dollars)));
        }
        let left = self
            .seconds_left
            .map(|left| format::duration((left * 1e3) as u64));
        parts.extend(left.map(|left| format!("about {left} left")));
        parts.join(", ")
    }
}

/// Counts and places of runs that change while they go.
#[derive(Debug, Default)]
struct Standing {
    under_way: BTreeMap<usize, BegunRun>,
    waiting: BTreeSet<usize>,
    ended: usize,
    passed_over: usize,
    not_done: usize,
}

/// A run that has its turn.
#[derive(Debug)]
struct BegunRun {
    name: String,
    at: Instant,
}

/// The place of one run on a board.
#[derive(Clone)]
pub struct BoardPlace {
    pub board: Arc<RunsBoard>,
    pub place: usize,
}

/// The board of several runs.
pub struct RunsBoard {
    printer: Printer,
    runs: usize,
    quiet: bool,
    /// Where several runs go and somebody watches at a terminal.
    table: Option<LiveTable>,
    events: Option<Arc<EventsFile>>,
    pool: Arc<SharedBudget>,
    began: Instant,
    standing: Mutex<Standing>,
}

impl RunsBoard {
    pub fn new(
        printer: Printer,
        runs: usize,
        quiet: bool,
        events: Option<Arc<EventsFile>>,
        pool: Arc<SharedBudget>,
    ) -> Self {
        Self {
            printer,
            runs,
            quiet,
            table: (!quiet && runs > 1).then(LiveTable::on_terminal).flatten(),
            events,
            pool,
            began: Instant::now(),
            standing: Mutex::default(),
        }
    }

    /// A run has a turn.
    pub fn begins(&self, place: usize, name: &str) {
        let begun = BegunRun {
            name: name.to_owned(),
            at: Instant::now(),
        };
        self.change(|standing| _ = standing.under_way.insert(place, begun));
        self.draw();
        self.tell(&json!({ "event": "began", "run": name }));
    }

    /// A provider is left alone for so long; with nothing left it is asked again.
    pub fn waits(&self, place: usize, name: &str, left: Duration, why: &str) {
        let is_waiting = !left.is_zero();
        let mut changed = false;
        self.change(|standing| {
            changed = match is_waiting {
                true => standing.waiting.insert(place),
                false => standing.waiting.remove(&place),
            };
        });
        if changed && is_waiting {
            self.tell(&json!({ "event": "waits", "run": name, "seconds": left.as_secs_f64(), "why": why }));
        }
    }

    /// A run is over, or stopped.
    pub fn ends(&self, place: usize, row: &RunRow) {
        self.change(|standing| {
            standing.under_way.remove(&place);
            standing.waiting.remove(&place);
            standing.ended += 1;
            standing.passed_over += usize::from(row.passed_over);
            standing.not_done += usize::from(row.exit_code != Status::Done.code());
        });
        self.tell(
            &json!({ "event": "ended", "run": row.study, "folder": row.folder, "status": row.status,
            "exit_code": row.exit_code, "passed_over": row.passed_over, "detail": row.detail,
            "counts": self.counts() }),
        );
    }

    /// Says every while how things stand, as a table or in lines; ends with whoever waits for it.
    pub async fn say(&self) {
        let mut said = Instant::now();
        loop {
            self.draw();
            let pause = if self.table.is_some() { PICTURE } else { LINE };
            tokio::time::sleep(pause).await;
            if said.elapsed() < LINE {
                continue;
            }
            said = Instant::now();
            let counts = self.counts();
            if !self.quiet && self.runs > 1 && self.table.is_none() {
                self.printer.note(counts.line());
            }
            self.tell(&json!({ "event": "counts", "counts": counts }));
        }
    }

    /// Whether a table stands in the place of lines.
    pub fn is_table(&self) -> bool {
        self.table.is_some()
    }

    /// Takes the table away.
    pub fn end(&self) {
        if let Some(table) = &self.table {
            table.clear();
        }
    }

    fn draw(&self) {
        let Some(table) = &self.table else { return };
        let runs: Vec<RunUnderWay> = {
            let standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
            let runs = standing.under_way.iter().map(|(place, begun)| RunUnderWay {
                name: begun.name.clone(),
                time: begun.at.elapsed(),
                is_waiting: standing.waiting.contains(place),
            });
            runs.collect()
        };
        table.show(&lines(&runs, self.counts().line()));
    }

    /// How things stand.
    pub fn counts(&self) -> BoardCounts {
        let standing = self.standing.lock().unwrap_or_else(PoisonError::into_inner);
        let seconds = self.began.elapsed().as_secs_f64();
        counts(&standing, self.runs, seconds, self.pool.used().money)
    }

    fn change(&self, change: impl FnOnce(&mut Standing)) {
        change(&mut self.standing.lock().unwrap_or_else(PoisonError::into_inner));
    }

    fn tell(&self, event: &Value) {
        if let Some(events) = &self.events {
            let mut event = event.clone();
            event["at"] = json!(jiff::Timestamp::now());
            events.write(&event);
        }
    }
}

fn counts(standing: &Standing, runs: usize, seconds: f64, spent: MicroDollars) -> BoardCounts {
    // What was over before says nothing of how fast the others go.
    let went = standing.ended - standing.passed_over;
    let per_minute = (went > 0 && seconds > 0.0).then(|| went as f64 / seconds * 60.0);
    let left = runs.saturating_sub(standing.ended);
    BoardCounts {
        runs,
        ended: standing.ended,
        not_done: standing.not_done,
        under_way: standing.under_way.len(),
        waiting: standing.waiting.len(),
        per_minute,
        spent_micro_dollars: spent.0,
        seconds,
        seconds_left: per_minute
            .filter(|_| left > 0)
            .map(|rate| left as f64 / rate * 60.0),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_of_what_went_here() {
        let standing = Standing {
            under_way: [5, 6]
                .map(|place| {
                    let begun = BegunRun {
                        name: String::new(),
                        at: Instant::now(),
                    };
                    (place, begun)
                })
                .into(),
            waiting: [6].into(),
            ended: 5,
            passed_over: 3,
            not_done: 1,
        };
        let counts = counts(&standing, 10, 60.0, MicroDollars(1_250_000));
        assert_eq!((counts.per_minute, counts.seconds_left), (Some(2.0), Some(150.0)));
        assert_eq!(
            counts.line(),
            "5 of 10 ended, 1 of them not to their end, 2 under way, 1 waiting for a provider, 2.0 a minute, $1.2500 spent, \
             about 2 min 30 s left"
        );
        let none = super::counts(&Standing::default(), 10, 60.0, MicroDollars(0));
        assert_eq!((none.per_minute, none.seconds_left), (None, None));
        assert_eq!(none.line(), "0 of 10 ended, 0 under way");
    }
}
