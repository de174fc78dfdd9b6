//! Edits of files as ReAct-SUPER writes them: context, lines to remove, lines to add.

use std::fmt::Write as _;

/// The line before what is removed.
pub const BEFORE: &str = "<<<BEFORE_EDIT>>>";
/// The line before what is added.
pub const AFTER: &str = "<<<AFTER_EDIT>>>";

/// The lines around a change, or a place, that feedback shows.
const AROUND_CHANGE: usize = 6;
const AROUND_PLACE: usize = 2;
/// The most lines of a file that feedback shows at one place.
const MOST_SHOWN: usize = 60;

/// An edit of one file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NotebookEdit {
    pub file: String,
    /// Lines that stand before what is removed, and stay.
    pub context: Vec<String>,
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

/// A content that is no edit.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditFault {
    #[error(
        "the edit has fewer than 3 lines: the name of the file, optional context, {BEFORE}, lines to remove, {AFTER}, \
         lines to add"
    )]
    TooShort,
    #[error("line {line} is a second {marker}: an edit has one of each")]
    SecondMarker {
        /// Counted from 1.
        line: usize,
        marker: &'static str,
    },
    #[error("the edit removes nothing and adds nothing")]
    Nothing,
}

/// An edit that does not fit its file, with what helps to mend it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EditMismatch {
    #[error("These lines are not in the file:\n{wanted}\n{hint}")]
    NotFound { wanted: String, hint: String },
    #[error(
        "These lines stand at {count} places of the file. Add 1 to 3 lines of context before {BEFORE}.\n{places}"
    )]
    Several { count: usize, places: String },
}

/// A file after an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EditedFile {
    pub text: String,
    /// The changed lines with those around them, numbered.
    pub shown: String,
}

impl NotebookEdit {
    /// Reads an edit. A missing [`AFTER`] is a deletion, as published.
    ///
    /// # Errors
    /// A content that is none.
    pub fn parse(content: &str) -> Result<Self, EditFault> {
        let lines: Vec<&str> = content.lines().map(|line| line.trim_end_matches('\r')).collect();
        let [file, rest @ ..] = &lines[..] else {
            return Err(EditFault::TooShort);
        };
        if rest.len() < 2 {
            return Err(EditFault::TooShort);
        }
        let mut edit = Self {
            file: file.trim().to_owned(),
            context: Vec::new(),
            removed: Vec::new(),
            added: Vec::new(),
        };
        let (mut before, mut after) = (false, false);
        for (index, line) in rest.iter().enumerate() {
            let second = |marker| EditFault::SecondMarker {
                line: index + 2,
                marker,
            };
            match line.trim() {
                BEFORE if before => return Err(second(BEFORE)),
                AFTER if after => return Err(second(AFTER)),
                BEFORE => before = true,
                AFTER => after = true,
                _ if after => edit.added.push((*line).to_owned()),
                _ if before => edit.removed.push((*line).to_owned()),
                _ => edit.context.push((*line).to_owned()),
            }
        }
        match edit.removed.is_empty() && edit.added.is_empty() {
            true => Err(EditFault::Nothing),
            false => Ok(edit),
        }
    }

    /// Applies it to a file's text, whose carriage returns at ends of lines are dropped.
    ///
    /// # Errors
    /// Lines that stand nowhere, or at several places.
    pub fn apply(&self, text: &str) -> Result<EditedFile, EditMismatch> {
        let lines: Vec<&str> = text.split('\n').map(|line| line.trim_end_matches('\r')).collect();
        let wanted: Vec<&str> = self
            .context
            .iter()
            .chain(&self.removed)
            .map(String::as_str)
            .collect();
        let at = match &places(&lines, &wanted, same)[..] {
            [] => return Err(self.not_found(&lines, &wanted)),
            [at] => *at,
            several => return Err(found_often(&lines, &wanted, several)),
        };
        let from = at + self.context.len();
        let upto = from + self.removed.len();
        let mut edited: Vec<&str> = lines[..from].to_vec();
        edited.extend(self.added.iter().map(String::as_str));
        edited.extend(&lines[upto..]);
        let shown = numbered(
            &edited,
            from.saturating_sub(AROUND_CHANGE),
            from + self.added.len() + AROUND_CHANGE,
        );
        Ok(EditedFile {
            text: edited.join("\n"),
            shown,
        })
    }

    fn not_found(&self, lines: &[&str], wanted: &[&str]) -> EditMismatch {
        let blank = |one: &str, other: &str| one.trim() == other.trim();
        let hint = match places(lines, wanted, blank).first() {
            Some(at) => format!(
                "These lines differ in blanks alone:\n{}",
                numbered(lines, *at, at + wanted.len())
            ),
            None => longest(lines, wanted),
        };
        EditMismatch::NotFound {
            wanted: wanted.join("\n"),
            hint,
        }
    }
}

/// Two lines that count as the same: equal, or both blank.
fn same(one: &str, other: &str) -> bool {
    one == other || one.trim().is_empty() && other.trim().is_empty()
}

fn places(lines: &[&str], wanted: &[&str], same: impl Fn(&str, &str) -> bool) -> Vec<usize> {
    if wanted.is_empty() {
        // No lines stand everywhere: only in an empty file is it one place.
        return match lines {
            [""] => vec![0],
            _ => (0..lines.len()).collect(),
        };
    }
    (0..(lines.len() + 1).saturating_sub(wanted.len()))
        .filter(|at| {
            wanted
                .iter()
                .zip(&lines[*at..])
                .all(|(wanted, line)| same(wanted, line))
        })
        .collect()
}

/// The longest beginning of the wanted lines that stands in the file.
fn longest(lines: &[&str], wanted: &[&str]) -> String {
    let common = |at: usize| {
        let pairs = wanted.iter().zip(&lines[at..]);
        pairs.take_while(|(wanted, line)| same(wanted, line)).count()
    };
    let best = (0..lines.len())
        .map(|at| (common(at), std::cmp::Reverse(at)))
        .max();
    match best {
        Some((count, std::cmp::Reverse(at))) if count > 0 => format!(
            "The first {count} of them stand here:\n{}",
            numbered(lines, at.saturating_sub(AROUND_PLACE), at + count + AROUND_PLACE)
        ),
        _ => "The first of them stands nowhere in it.".to_owned(),
    }
}

fn found_often(lines: &[&str], wanted: &[&str], at: &[usize]) -> EditMismatch {
    let first = at.iter().take(2).map(|at| {
        numbered(
            lines,
            at.saturating_sub(AROUND_PLACE),
            at + wanted.len() + AROUND_PLACE,
        )
    });
    EditMismatch::Several {
        count: at.len(),
        places: first.collect::<Vec<_>>().join("...\n"),
    }
}

/// Lines of a file with their numbers, from one on and before another.
fn numbered(lines: &[&str], from: usize, before: usize) -> String {
    let before = before.min(lines.len()).min(from + MOST_SHOWN);
    let mut text = String::new();
    for (index, line) in lines.iter().enumerate().take(before).skip(from) {
        // Writing to a text does not fail.
        let _ = writeln!(text, "{:>5} {line}", index + 1);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &str = "import a\n\ndef f():\n    return 1\n\ndef g():\n    return 1\n";

    fn edited(content: &str) -> Result<EditedFile, EditMismatch> {
        NotebookEdit::parse(content).unwrap().apply(FILE)
    }

    #[test]
    fn what_is_removed_is_replaced_and_context_stays() {
        let edit = format!("a.py\n{BEFORE}\ndef f():\n    return 1\n  {AFTER}  \ndef f():\n    return 2");
        let after = edited(&edit).unwrap();
        assert_eq!(after.text, FILE.replacen("return 1", "return 2", 1));
        assert!(after.shown.contains("    4     return 2\n"), "{}", after.shown);
        // Context tells two places apart; without a second marker it is a deletion.
        let edit = format!("a.py\ndef g():\n{BEFORE}\n    return 1");
        assert_eq!(
            edited(&edit).unwrap().text,
            "import a\n\ndef f():\n    return 1\n\ndef g():\n"
        );
        // Blank lines are equal whatever their blanks; carriage returns go.
        let edit = format!("a.py\nimport a\n   \n{BEFORE}\n{AFTER}\nX = 1\n");
        let after = NotebookEdit::parse(&edit)
            .unwrap()
            .apply(&FILE.replace('\n', "\r\n"))
            .unwrap();
        assert!(
            after.text.starts_with("import a\n\nX = 1\ndef f():\n"),
            "{}",
            after.text
        );
    }

    #[test]
    fn contents_that_are_no_edit_are_named() {
        let fault = |content: &str| NotebookEdit::parse(content).unwrap_err();
        assert_eq!(fault(""), EditFault::TooShort);
        assert_eq!(fault("a.py\nx"), EditFault::TooShort);
        assert_eq!(fault(&format!("a.py\n{BEFORE}\n{AFTER}")), EditFault::Nothing);
        let twice = format!("a.py\n{BEFORE}\nx\n{BEFORE}\ny\n{AFTER}\nz");
        assert_eq!(
            fault(&twice),
            EditFault::SecondMarker {
                line: 4,
                marker: BEFORE
            }
        );
        let twice = format!("a.py\n{BEFORE}\nx\n{AFTER}\ny\n{AFTER}\nz");
        assert_eq!(
            fault(&twice),
            EditFault::SecondMarker {
                line: 6,
                marker: AFTER
            }
        );
    }

    #[test]
    fn feedback_shows_what_is_near() {
        let several = edited(&format!("a.py\n{BEFORE}\n    return 1\n{AFTER}\n    return 2")).unwrap_err();
        let EditMismatch::Several { count: 2, places } = &several else {
            panic!("{several}")
        };
        assert!(
            places.contains("    4     return 1") && places.contains("    7     return 1"),
            "{places}"
        );
        let blanks = edited(&format!("a.py\n{BEFORE}\nreturn 1\n\ndef g():\n{AFTER}\nx"))
            .unwrap_err()
            .to_string();
        assert!(
            blanks.contains("differ in blanks alone") && blanks.contains("    6 def g():"),
            "{blanks}"
        );
        let part = edited(&format!("a.py\n{BEFORE}\ndef g():\n    return 3\n{AFTER}\nx"))
            .unwrap_err()
            .to_string();
        assert!(
            part.contains("The first 1 of them stand here") && part.contains("    7     return 1"),
            "{part}"
        );
        let none = edited(&format!("a.py\n{BEFORE}\nnothing\n{AFTER}\nx"))
            .unwrap_err()
            .to_string();
        assert!(
            none.contains("nothing") && none.contains("stands nowhere"),
            "{none}"
        );
        // An addition without context stands nowhere in particular, unless the file is empty.
        let add = NotebookEdit::parse(&format!("a.py\n{BEFORE}\n{AFTER}\nx = 1")).unwrap();
        assert!(matches!(
            add.apply(FILE),
            Err(EditMismatch::Several { count: 8, .. })
        ));
        assert_eq!(add.apply("").unwrap().text, "x = 1\n");
    }
}
