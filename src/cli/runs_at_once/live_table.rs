//! The runs under way as a table, which stands on a terminal while they go.

use std::io::IsTerminal as _;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::cli::output::one_line;
use crate::cli::text_table::TextTable;
use crate::domain::excerpt;
use crate::domain::format;

/// The most runs that have a row.
const ROWS: usize = 12;
/// The longest name of a run, in characters.
const NAME: usize = 56;

/// A run under way as it is shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunUnderWay {
    pub name: String,
    /// Since it has its turn.
    pub time: Duration,
    /// Left alone by its provider for a while.
    pub is_waiting: bool,
}

/// A table on the terminal of standard error.
pub struct LiveTable(ProgressBar);

impl LiveTable {
    /// An empty one; `None` where standard error is no terminal.
    pub fn on_terminal() -> Option<Self> {
        if !std::io::stderr().is_terminal() {
            return None;
        }
        let style = ProgressStyle::with_template("{msg}").ok()?;
        let bar = ProgressBar::new_spinner();
        bar.set_style(style);
        Some(Self(bar))
    }

    /// Puts lines in the place of those before.
    pub fn show(&self, lines: &[String]) {
        self.0.set_message(lines.join("\n"));
        self.0.tick();
    }

    /// Takes it away.
    pub fn clear(&self) {
        self.0.finish_and_clear();
    }
}

/// The lines of a table of runs, and the counts of all below it.
pub fn lines(runs: &[RunUnderWay], counts: String) -> Vec<String> {
    let mut table = TextTable::new(["under way", "state", "time"]).with_text_columns(2);
    for run in runs.iter().take(ROWS) {
        let cut = excerpt::fitted(&one_line(&run.name), NAME);
        let state = if run.is_waiting {
            "waits for a provider"
        } else {
            "at work"
        };
        let time = u64::try_from(run.time.as_millis()).unwrap_or(u64::MAX);
        table.row([cut, state.to_owned(), format::duration(time / 1000 * 1000)]);
    }
    let mut lines = match runs.is_empty() {
        true => Vec::new(),
        false => table.lines(),
    };
    if runs.len() > ROWS {
        lines.push(format!("and {} more", runs.len() - ROWS));
    }
    lines.push(counts);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(name: &str, is_waiting: bool) -> RunUnderWay {
        RunUnderWay {
            name: name.to_owned(),
            time: Duration::from_millis(65_900),
            is_waiting,
        }
    }

    #[test]
    fn each_run_has_a_row_until_there_are_too_many() {
        let counts = || "1 of 9 ended".to_owned();
        let two = lines(
            &[run("a\u{1b}[2J r1", false), run(&"long ".repeat(40), true)],
            counts(),
        );
        assert_eq!(two.len(), 4, "{two:?}");
        assert!(
            two[1].contains("at work") && two[1].contains("1 min 05 s"),
            "{two:?}"
        );
        assert!(two[1].contains("a\u{fffd}[2J r1"), "{two:?}");
        assert!(
            two[2].contains("long …") && two[2].contains("waits for a provider"),
            "{two:?}"
        );
        assert_eq!(two[3], "1 of 9 ended");
        assert_eq!(lines(&[], counts()), ["1 of 9 ended"]);
        let many = lines(&vec![run("x", false); 20], counts());
        assert_eq!((many.len(), many[13].as_str()), (15, "and 8 more"));
    }
}
