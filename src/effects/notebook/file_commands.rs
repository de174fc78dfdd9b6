//! Commands on files, carried out by cells of our own.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::file_cells::{self, FileAnswer, FileWish, LARGEST, MOST_FOUND};
use crate::notebook::file_command::FileCommand;
use crate::notebook::window::{FileLines, FileView};

/// The words for a command that needs an open file.
const NONE_OPEN: &str = "No file is open: `open FILE` opens one.";

/// A command as far as it goes before the kernel is asked again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileStep {
    /// Over: its words, and the view behind it.
    Over(FileOutcome),
    /// A file is to be written, in base64.
    Write {
        file: String,
        data: String,
        /// Where the change begins.
        line: usize,
        after: String,
    },
}

/// The outcome of a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileOutcome {
    pub text: String,
    pub ok: bool,
    /// The file that is open behind it; `None` leaves the one before open.
    pub view: Option<FileView>,
}

impl FileOutcome {
    fn refused(text: String) -> Self {
        Self {
            text,
            ok: false,
            view: None,
        }
    }

    fn told(text: String) -> Self {
        Self {
            text,
            ok: true,
            view: None,
        }
    }

    fn shown(lines: &FileLines<'_>, view: FileView, before: &str) -> Self {
        Self {
            text: format!("{before}{}", lines.shown(&view)),
            ok: true,
            view: Some(view),
        }
    }
}

/// The first cell of a command; what needs an open file is refused where none is.
///
/// # Errors
/// The outcome of a command that needs no cell.
pub fn first_cell(command: &FileCommand, view: Option<&FileView>) -> Result<String, FileOutcome> {
    let of_view = || {
        view.map(|view| view.file.as_str())
            .ok_or_else(|| FileOutcome::refused(NONE_OPEN.to_owned()))
    };
    let wish = match command {
        FileCommand::Open { file, .. } => FileWish::Read { name: file },
        FileCommand::Create { file } => FileWish::Create { name: file },
        FileCommand::Goto { .. }
        | FileCommand::ScrollDown
        | FileCommand::ScrollUp
        | FileCommand::Edit { .. }
        | FileCommand::SearchFile { file: None, .. } => FileWish::Read { name: of_view()? },
        FileCommand::SearchFile { file: Some(file), .. } => FileWish::Read { name: file },
        FileCommand::SearchFolder { term, folder } => FileWish::Search {
            name: folder.as_deref().unwrap_or_default(),
            term,
        },
        FileCommand::FindFile { name, folder } => FileWish::Find {
            name: folder.as_deref().unwrap_or_default(),
            term: name,
        },
    };
    Ok(file_cells::cell(&wish))
}

/// Goes on behind what the first cell printed.
pub fn behind_first(command: &FileCommand, view: Option<&FileView>, printed: &str) -> FileStep {
    let over = FileStep::Over;
    let answer = match file_cells::answer(printed) {
        Ok(answer) => answer,
        Err(said) => return over(FileOutcome::refused(format!("Nothing was done: {said}"))),
    };
    if let Some(fault) = &answer.fault {
        return over(FileOutcome::refused(format!("Nothing was done: {fault}.")));
    }
    match command {
        FileCommand::SearchFolder { term, .. } => over(FileOutcome::told(searched(&answer, term))),
        FileCommand::FindFile { name, .. } => over(FileOutcome::told(found(&answer, name))),
        _ => match text(&answer) {
            Ok(text) => in_file(command, view, &answer.path, &text),
            Err(why) => over(FileOutcome::refused(why)),
        },
    }
}

/// The cell that writes a file.
pub fn writing(file: &str, data: &str) -> String {
    file_cells::cell(&FileWish::Write { name: file, data })
}

/// Ends an edit behind what its writing cell printed.
pub fn behind_writing(file: &str, after: &str, line: usize, printed: &str) -> FileOutcome {
    let lines = FileLines::new(after);
    let view = FileView {
        file: file.to_owned(),
        first: lines.around(line),
    };
    match file_cells::answer(printed) {
        Ok(FileAnswer {
            syntax: Some(why), ..
        }) => FileOutcome::refused(format!(
            "Nothing was edited: the file could not be parsed behind it ({why}). This is how it would look:\n{}Give the edit \
             again with its indentation and its lines mended.",
            lines.shown(&view)
        )),
        Ok(FileAnswer { fault: Some(why), .. }) => {
            FileOutcome::refused(format!("Nothing was edited: {why}."))
        }
        Ok(_) => FileOutcome::shown(&lines, view, "The file was edited.\n"),
        Err(said) => FileOutcome::refused(format!("Nothing was edited: {said}")),
    }
}

/// A command in a file whose text is known.
fn in_file(command: &FileCommand, view: Option<&FileView>, path: &str, text: &str) -> FileStep {
    let lines = FileLines::new(text);
    let first = view.map_or(1, |view| view.first);
    let at = |first: usize| FileView {
        file: path.to_owned(),
        first,
    };
    let over = FileStep::Over;
    let asked = match command {
        FileCommand::Open { line: Some(line), .. } | FileCommand::Goto { line } => Some(*line),
        _ => None,
    };
    if let Some(fault) = asked.and_then(|line| lines.has(line).err()) {
        return over(FileOutcome::refused(format!("Nothing was done: {fault}.")));
    }
    match command {
        FileCommand::SearchFile { term, .. } => over(FileOutcome::told(lines.with(term))),
        FileCommand::ScrollDown => over(FileOutcome::shown(&lines, at(lines.below(first)), "")),
        FileCommand::ScrollUp => over(FileOutcome::shown(&lines, at(lines.above(first)), "")),
        FileCommand::Edit {
            first,
            last,
            text: by,
        } => match lines.replaced(*first, *last, by) {
            Ok(after) if after.len() > LARGEST => over(FileOutcome::refused(format!(
                "Nothing was edited: the file would have more than {LARGEST} bytes."
            ))),
            Ok(after) => FileStep::Write {
                file: path.to_owned(),
                data: STANDARD.encode(&after),
                line: *first,
                after,
            },
            Err(fault) => over(FileOutcome::refused(format!("Nothing was edited: {fault}."))),
        },
        _ => over(FileOutcome::shown(
            &lines,
            at(asked.map_or(1, |line| lines.around(line))),
            "",
        )),
    }
}

fn text(answer: &FileAnswer) -> Result<String, String> {
    let name = &answer.path;
    let bytes = answer.data.as_deref().and_then(|data| STANDARD.decode(data).ok());
    let bytes = bytes.ok_or_else(|| format!("`{name}` was not read."))?;
    if bytes.len() > LARGEST {
        return Err(format!(
            "`{name}` has more than {LARGEST} bytes: look at it by a cell, such as `!head`."
        ));
    }
    String::from_utf8(bytes).map_err(|_| format!("`{name}` is no text in UTF-8."))
}

fn searched(answer: &FileAnswer, term: &str) -> String {
    if answer.found.is_empty() {
        return format!("No file below {} holds {term:?}.\n", answer.path);
    }
    let mut text = format!("Found {term:?} below {} in:\n", answer.path);
    for (file, count) in &answer.found {
        text.push_str(&format!("{file} ({count} lines)\n"));
    }
    text.push_str(&more(answer));
    text
}

fn found(answer: &FileAnswer, name: &str) -> String {
    if answer.found.is_empty() {
        return format!("No file below {} is named {name:?}.\n", answer.path);
    }
    let mut text = format!("Found below {}:\n", answer.path);
    for (file, _) in &answer.found {
        text.push_str(file);
        text.push('\n');
    }
    text.push_str(&more(answer));
    text
}

fn more(answer: &FileAnswer) -> String {
    match answer.is_cut {
        true => format!("(these are the first {MOST_FOUND}; take something narrower)\n"),
        false => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn printed(path: &str, text: &str) -> String {
        let answer = json!({"path": path, "data": STANDARD.encode(text)});
        format!("late\n\nREPRISE-ANSWER {answer}\n")
    }

    fn step(command: &str, view: Option<&FileView>, text: &str) -> FileStep {
        behind_first(
            &FileCommand::parse(command).unwrap(),
            view,
            &printed("/w/a.py", text),
        )
    }

    fn outcome(step: FileStep) -> FileOutcome {
        match step {
            FileStep::Over(outcome) => outcome,
            FileStep::Write { .. } => panic!("{step:?}"),
        }
    }

    #[test]
    fn a_file_is_opened_scrolled_and_edited() {
        let text: String = (1..=300).map(|line| format!("row {line}\n")).collect();
        let opened = outcome(step("open a.py 200", None, &text));
        let view = opened.view.unwrap();
        assert_eq!((view.file.as_str(), view.first), ("/w/a.py", 150));
        let scrolled = outcome(step("scroll_up", Some(&view), &text));
        assert_eq!(scrolled.view.unwrap().first, 52);
        let beyond = outcome(step("goto 301", Some(&view), &text));
        assert!(!beyond.ok && beyond.text.contains("the file has 300"));
        let FileStep::Write {
            data, line, after, ..
        } = step("edit 2:299\nx\nend_of_edit", Some(&view), &text)
        else {
            panic!("nothing is written");
        };
        assert_eq!(after, "row 1\nx\nrow 300\n");
        assert_eq!((STANDARD.encode(&after), 2), (data, line));
        let written = behind_writing("/w/a.py", &after, 2, "\nREPRISE-ANSWER {\"path\": \"/w/a.py\"}\n");
        assert!(written.ok && written.text.contains("2:x\n"), "{}", written.text);
        let broken =
            "\nREPRISE-ANSWER {\"path\": \"/w/a.py\", \"syntax\": \"invalid syntax (a.py, line 2)\"}\n";
        let refused = behind_writing("/w/a.py", &after, 2, broken);
        assert!(!refused.ok && refused.view.is_none());
        assert!(refused.text.contains("invalid syntax (a.py, line 2)") && refused.text.contains("2:x\n"));
    }

    #[test]
    fn what_needs_an_open_file_says_so() {
        let goto = FileCommand::parse("goto 3").unwrap();
        let refused = first_cell(&goto, None).unwrap_err();
        assert!(!refused.ok && refused.text.contains("`open FILE`"));
        assert!(first_cell(&FileCommand::parse("open a.py").unwrap(), None).is_ok());
    }

    #[test]
    fn searches_tell_files_with_their_counts() {
        let found = json!({"path": "/w", "found": [["a.py", 2], ["b.py", 1]], "is_cut": true});
        let printed = format!("\nREPRISE-ANSWER {found}\n");
        let search = FileCommand::parse("search_dir x").unwrap();
        let said = outcome(behind_first(&search, None, &printed)).text;
        assert!(
            said.contains("a.py (2 lines)\nb.py (1 lines)\n") && said.contains("the first 100"),
            "{said}"
        );
        let find = FileCommand::parse("find_file *.c").unwrap();
        let none = outcome(behind_first(&find, None, "\nREPRISE-ANSWER {\"path\": \"/w\"}\n")).text;
        assert_eq!(none, "No file below /w is named \"*.c\".\n");
    }
}
