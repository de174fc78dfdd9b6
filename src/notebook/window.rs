//! A file, seen through a window of a hundred lines.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::domain::excerpt;

/// The lines of a window.
pub const LINES: usize = 100;
/// The lines that a window shows again when it is scrolled.
const OVERLAP: usize = 2;
/// The most characters of a line that are shown.
const LONGEST_LINE: usize = 1_000;
/// The most lines that a search tells.
const MOST_FOUND: usize = 100;

/// The open file, and the first line of it that is shown, from 1.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileView {
    /// As the kernel names it, from the root of its file system.
    pub file: String,
    pub first: usize,
}

/// A file's text, as lines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileLines<'a>(Vec<&'a str>);

/// Lines that the file does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is asked for, and the file has {total}")]
pub struct NoSuchLine {
    pub line: usize,
    pub total: usize,
}

impl<'a> FileLines<'a> {
    /// The lines of a text; an empty one has none.
    pub fn new(text: &'a str) -> Self {
        if text.is_empty() {
            return Self(Vec::new());
        }
        Self(text.strip_suffix('\n').unwrap_or(text).split('\n').collect())
    }

    /// The number of lines.
    pub fn total(&self) -> usize {
        self.0.len()
    }

    /// The first line of a window that has a line in its middle, as near as the file allows.
    pub fn around(&self, line: usize) -> usize {
        self.within(line.saturating_sub(LINES / 2))
    }

    /// The first line of the window below another.
    pub fn below(&self, first: usize) -> usize {
        self.within(first + LINES - OVERLAP)
    }

    /// The first line of the window above another.
    pub fn above(&self, first: usize) -> usize {
        self.within(first.saturating_sub(LINES - OVERLAP))
    }

    fn within(&self, first: usize) -> usize {
        first.min((self.total() + 1).saturating_sub(LINES)).max(1)
    }

    /// A line that is asked for.
    ///
    /// # Errors
    /// One that the file does not have.
    pub fn has(&self, line: usize) -> Result<(), NoSuchLine> {
        let total = self.total();
        match (1..=total.max(1)).contains(&line) {
            true => Ok(()),
            false => Err(NoSuchLine { line, total }),
        }
    }

    /// The window of a file, with what stands above and below it.
    pub fn shown(&self, view: &FileView) -> String {
        let mut text = format!("[File: {} ({} lines total)]\n", view.file, self.total());
        let above = view.first.saturating_sub(1);
        let upto = (above + LINES).min(self.total());
        // Writing to a text does not fail.
        if above > 0 {
            let _ = writeln!(text, "({above} more lines above)");
        }
        for (index, line) in self.0.iter().enumerate().take(upto).skip(above) {
            let _ = writeln!(text, "{}:{}", index + 1, short(line));
        }
        if upto < self.total() {
            let _ = writeln!(text, "({} more lines below)", self.total() - upto);
        }
        text
    }

    /// The lines with a term, numbered.
    pub fn with(&self, term: &str) -> String {
        let found: Vec<String> = (self.0.iter().enumerate())
            .filter(|(_, line)| line.contains(term))
            .map(|(index, line)| format!("Line {}:{}", index + 1, short(line)))
            .collect();
        let mut text = format!("Found {} lines with the term.\n", found.len());
        for line in found.iter().take(MOST_FOUND) {
            text.push_str(line);
            text.push('\n');
        }
        if found.len() > MOST_FOUND {
            text.push_str(&format!(
                "({} more lines; take a narrower term)\n",
                found.len() - MOST_FOUND
            ));
        }
        text
    }

    /// The text of the file with other lines in the place of some; one behind the last is an addition.
    ///
    /// # Errors
    /// A first line that the file does not have.
    pub fn replaced(&self, first: usize, last: usize, by: &[String]) -> Result<String, NoSuchLine> {
        let total = self.total();
        if first > total + 1 {
            return Err(NoSuchLine { line: first, total });
        }
        let before = self.0.iter().take(first - 1).copied();
        let after = self.0.iter().skip(last.max(first - 1)).copied();
        let lines: Vec<&str> = before.chain(by.iter().map(String::as_str)).chain(after).collect();
        let mut text = lines.join("\n");
        if !lines.is_empty() {
            text.push('\n');
        }
        Ok(text)
    }
}

/// A line without its carriage return, cut where it is long.
fn short(line: &str) -> String {
    excerpt::marked(line.trim_end_matches('\r'), LONGEST_LINE, " [the line goes on]")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbered(count: usize) -> String {
        (1..=count).map(|line| format!("row {line}\n")).collect()
    }

    fn view(first: usize) -> FileView {
        FileView {
            file: "/w/a.py".to_owned(),
            first,
        }
    }

    #[test]
    fn a_window_shows_a_hundred_lines_and_how_many_stand_around() {
        let text = numbered(250);
        let lines = FileLines::new(&text);
        let shown = lines.shown(&view(lines.around(120)));
        assert!(
            shown.starts_with("[File: /w/a.py (250 lines total)]\n(69 more lines above)\n70:row 70\n"),
            "{shown}"
        );
        assert!(shown.ends_with("169:row 169\n(81 more lines below)\n"), "{shown}");
        assert_eq!(shown.lines().count(), 1 + 1 + 100 + 1);
        assert_eq!(
            [
                lines.below(1),
                lines.below(140),
                lines.above(99),
                lines.above(300)
            ],
            [99, 151, 1, 151]
        );
        assert_eq!(
            FileLines::new("").shown(&view(1)),
            "[File: /w/a.py (0 lines total)]\n"
        );
        let wide = "x".repeat(5_000);
        assert!(FileLines::new(&wide).shown(&view(1)).len() < 1_200);
    }

    #[test]
    fn lines_are_replaced_and_added() {
        let lines = FileLines::new("a\nb\nc\n");
        let by = |texts: &[&str]| texts.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>();
        assert_eq!(lines.replaced(2, 2, &by(&["B", "B2"])).unwrap(), "a\nB\nB2\nc\n");
        assert_eq!(lines.replaced(1, 9, &[]).unwrap(), "");
        assert_eq!(lines.replaced(4, 4, &by(&["d"])).unwrap(), "a\nb\nc\nd\n");
        assert_eq!(lines.replaced(5, 5, &[]), Err(NoSuchLine { line: 5, total: 3 }));
        assert_eq!(FileLines::new("").replaced(1, 1, &by(&["x"])).unwrap(), "x\n");
        // Lines that are not touched keep their carriage returns.
        assert_eq!(
            FileLines::new("a\r\nb\r\n").replaced(2, 2, &by(&["c"])).unwrap(),
            "a\r\nc\n"
        );
        assert!(lines.has(3).is_ok() && lines.has(4).is_err() && FileLines::new("").has(1).is_ok());
    }

    #[test]
    fn a_search_tells_lines_with_their_numbers() {
        let text = numbered(250);
        let lines = FileLines::new(&text);
        assert_eq!(
            lines.with("row 25"),
            "Found 2 lines with the term.\nLine 25:row 25\nLine 250:row 250\n"
        );
        assert!(
            lines
                .with("row")
                .ends_with("Line 100:row 100\n(150 more lines; take a narrower term)\n")
        );
    }
}
