//! The log of a build: cleaned, written to disk, and its end kept to look for the cause in.

use std::collections::VecDeque;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use super::redaction::Redactor;

/// Bytes of a log that are written to disk.
const LARGEST: usize = 16 << 20;
/// Lines that are kept in memory, and bytes of each.
const KEPT: usize = 4000;
const LONGEST: usize = 4000;

/// A log that is being written.
pub struct Log {
    file: File,
    written: usize,
    redactor: Redactor,
    /// The start of a line whose end has not come.
    open: Vec<u8>,
    lines: VecDeque<String>,
}

impl Log {
    /// Starts the log at `path`, in place of an earlier one.
    pub fn create(path: &Path, redactor: Redactor) -> std::io::Result<Self> {
        Ok(Self {
            file: File::create(path)?,
            written: 0,
            redactor,
            open: Vec::new(),
            lines: VecDeque::new(),
        })
    }

    /// Takes a piece of output; returns the lines that it completes, cleaned.
    pub fn push(&mut self, text: &str) -> Vec<String> {
        let mut complete = Vec::new();
        for byte in text.bytes() {
            match byte {
                b'\n' => complete.push(self.close()),
                _ if self.open.len() < LONGEST => self.open.push(byte),
                _ => {}
            }
        }
        complete
    }

    /// The cleaned line that has been collected.
    fn close(&mut self) -> String {
        let raw = String::from_utf8_lossy(&self.open).into_owned();
        self.open.clear();
        let line = self.redactor.line(&plain(&raw));
        self.write(&line);
        if self.lines.len() == KEPT {
            self.lines.pop_front();
        }
        self.lines.push_back(line.clone());
        line
    }

    /// A log that cannot be written does not fail the build.
    fn write(&mut self, line: &str) {
        if self.written > LARGEST {
            return;
        }
        self.written += line.len() + 1;
        let end = if self.written > LARGEST {
            "\n[the log is longer than what is kept]"
        } else {
            ""
        };
        let _ = writeln!(self.file, "{line}{end}");
    }

    /// The kept lines, an unfinished one included.
    pub fn finish(mut self) -> Vec<String> {
        if !self.open.is_empty() {
            self.close();
        }
        self.lines.into()
    }
}

/// Text without escape sequences and other control characters; of what was
/// written over itself on one line, the last.
fn plain(line: &str) -> String {
    let line = line.trim_end_matches('\r');
    let line = line.rsplit('\r').next().unwrap_or(line);
    let mut clean = String::with_capacity(line.len());
    let mut letters = line.chars().peekable();
    while let Some(letter) = letters.next() {
        if letter == '\u{1b}' {
            if letters.next_if_eq(&'[').is_some() {
                for parameter in letters.by_ref() {
                    if ('@'..='~').contains(&parameter) {
                        break;
                    }
                }
            }
        } else if letter == '\t' || !letter.is_control() {
            clean.push(letter);
        }
    }
    clean
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;

    #[test]
    fn lines_are_put_together_and_cleaned() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path, Redactor::new(&BTreeMap::new())).unwrap();
        assert!(log.push("\u{1b}[91mhal").is_empty());
        assert_eq!(
            log.push("f a line\n 10%\r 100%\r\nrest"),
            ["half a line", " 100%"]
        );
        assert_eq!(log.finish(), ["half a line", " 100%", "rest"]);
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "half a line\n 100%\nrest\n"
        );
    }

    #[test]
    fn a_flood_is_cut() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let mut log = Log::create(&path, Redactor::new(&BTreeMap::new())).unwrap();
        let line = "x".repeat(2 * LONGEST) + "\n";
        for _ in 0..2 * LARGEST / LONGEST {
            log.push(&line);
        }
        assert_eq!(log.finish().len(), KEPT);
        let size = std::fs::metadata(&path).unwrap().len() as usize;
        assert!((LARGEST..LARGEST + 2 * LONGEST).contains(&size), "{size}");
    }
}
