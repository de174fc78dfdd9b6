//! The only place that prints.

use std::io::Write;

use anstyle::{AnsiColor, Style};
use serde::Serialize;

use super::exit::Failure;

/// Prints results to standard output and everything else to standard error;
/// colours vanish where the stream is not a terminal or `NO_COLOR` is set.
#[derive(Debug, Clone, Copy, Default)]
pub struct Printer;

/// The colours of the command line.
pub mod paint {
    use super::{AnsiColor, Style};

    pub const STRONG: Style = Style::new().bold();
    pub const FAINT: Style = Style::new().dimmed();
    pub const GOOD: Style = AnsiColor::Green.on_default();
    pub const BAD: Style = AnsiColor::Red.on_default();
    pub const WARN: Style = AnsiColor::Yellow.on_default();
}

/// `text` in a style, ended behind it.
pub fn styled(style: Style, text: impl std::fmt::Display) -> String {
    format!("{style}{text}{style:#}")
}

impl Printer {
    /// A line of the result. A reader that went away is not an error.
    pub fn line(&self, text: impl std::fmt::Display) {
        let _reader_gone = writeln!(anstream::stdout(), "{text}");
    }

    /// Text as it is.
    pub fn raw(&self, text: &str) {
        let _reader_gone = anstream::stdout().write_all(text.as_bytes());
    }

    /// The result as JSON.
    ///
    /// # Errors
    /// A value that JSON cannot hold.
    pub fn json<T: Serialize>(&self, value: &T) -> Result<(), Failure> {
        let mut text = serde_json::to_string_pretty(value)
            .map_err(|error| Failure::usage(format!("the result cannot be written as JSON: {error}")))?;
        text.push('\n');
        // JSON holds no escape sequence that a stream would have to be searched for.
        let _reader_gone = std::io::stdout().lock().write_all(text.as_bytes());
        Ok(())
    }

    /// A line for whoever watches.
    pub fn note(&self, text: impl std::fmt::Display) {
        let _reader_gone = writeln!(anstream::stderr(), "{text}");
    }

    /// An error, with what to do about it.
    pub fn failure(&self, failure: &Failure) {
        self.note(format!(
            "{} {}",
            styled(paint::BAD, "error:"),
            printable(&failure.message)
        ));
    }
}

/// Text from an agent, a file or a program, with its control and direction
/// characters shown instead of obeyed. Line ends stay.
pub fn printable(text: &str) -> String {
    text.chars()
        .map(|character| match character {
            '\n' => '\n',
            '\t' => ' ',
            '\u{061c}' | '\u{200e}' | '\u{200f}' => '\u{fffd}',
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
            character if character.is_control() => '\u{fffd}',
            character => character,
        })
        .collect()
}

/// As [`printable`], on one line: text of an agent's cannot pass for a line of ours.
pub fn one_line(text: &str) -> String {
    printable(text).replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_agent_cannot_drive_the_terminal() {
        assert_eq!(printable("a\u{1b}[2Jb\u{202e}c\nd"), "a\u{fffd}[2Jb\u{fffd}c\nd");
        assert_eq!(one_line("write_file\n  A1 allowed"), "write_file   A1 allowed");
    }
}
