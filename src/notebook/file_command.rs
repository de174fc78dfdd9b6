//! Commands on files that are seen through a window, as SWE-agent has them.

use crate::domain::excerpt;

/// The commands, with how each is written.
const USAGES: [(&str, &str); 9] = [
    ("open", "open FILE [LINE]"),
    ("create", "create FILE"),
    ("goto", "goto LINE"),
    ("scroll_down", "scroll_down"),
    ("scroll_up", "scroll_up"),
    ("search_dir", "search_dir TERM [FOLDER]"),
    ("search_file", "search_file TERM [FILE]"),
    ("find_file", "find_file NAME [FOLDER]"),
    (
        "edit",
        "edit FIRST:LAST, the lines to put there on lines of their own, end_of_edit",
    ),
];

/// The line that ends an edit.
const END_OF_EDIT: &str = "end_of_edit";

/// A command on files. Lines are counted from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileCommand {
    Open {
        file: String,
        line: Option<usize>,
    },
    Create {
        file: String,
    },
    Goto {
        line: usize,
    },
    ScrollDown,
    ScrollUp,
    SearchFolder {
        term: String,
        folder: Option<String>,
    },
    SearchFile {
        term: String,
        file: Option<String>,
    },
    FindFile {
        name: String,
        folder: Option<String>,
    },
    /// These lines of the open file give way to others.
    Edit {
        first: usize,
        last: usize,
        text: Vec<String>,
    },
}

/// A text that is no command on files.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandFault {
    #[error("it begins with none of {}", names())]
    Unknown,
    #[error("it is written `{usage}`")]
    Usage { usage: &'static str },
}

fn names() -> String {
    let names: Vec<String> = USAGES.iter().map(|(name, _)| format!("`{name}`")).collect();
    names.join(", ")
}

/// Whether a text is meant as a command on files: `open` of Python's is none, and neither is a variable
/// of that name.
pub fn is_meant(text: &str) -> bool {
    let line = excerpt::first_line(text.trim_start());
    let mut words = line.split_whitespace();
    let is_name = words
        .next()
        .is_some_and(|first| USAGES.iter().any(|(name, _)| *name == first));
    is_name && !words.next().is_some_and(|second| second.starts_with(['=', '(']))
}

impl FileCommand {
    /// Reads a command: its name and its words on the first line, which may be quoted.
    ///
    /// # Errors
    /// A text that is none, with how the command is written where it has a name.
    pub fn parse(text: &str) -> Result<Self, CommandFault> {
        let text = text.trim_start();
        let line = excerpt::first_line(text);
        let words = words(line);
        let Some((name, given)) = words.split_first() else {
            return Err(CommandFault::Unknown);
        };
        let Some((_, usage)) = USAGES.iter().find(|(known, _)| known == name) else {
            return Err(CommandFault::Unknown);
        };
        let fault = || CommandFault::Usage { usage };
        let number = |word: &String| word.parse::<usize>().ok().filter(|line| *line > 0);
        let command = match (name.as_str(), given) {
            ("open", [file]) => Self::Open {
                file: file.clone(),
                line: None,
            },
            ("open", [file, line]) => Self::Open {
                file: file.clone(),
                line: Some(number(line).ok_or_else(fault)?),
            },
            ("create", [file]) => Self::Create { file: file.clone() },
            ("goto", [line]) => Self::Goto {
                line: number(line).ok_or_else(fault)?,
            },
            ("scroll_down", []) => Self::ScrollDown,
            ("scroll_up", []) => Self::ScrollUp,
            ("search_dir", [term]) => Self::SearchFolder {
                term: term.clone(),
                folder: None,
            },
            ("search_dir", [term, folder]) => Self::SearchFolder {
                term: term.clone(),
                folder: Some(folder.clone()),
            },
            ("search_file", [term]) => Self::SearchFile {
                term: term.clone(),
                file: None,
            },
            ("search_file", [term, file]) => Self::SearchFile {
                term: term.clone(),
                file: Some(file.clone()),
            },
            ("find_file", [name]) => Self::FindFile {
                name: name.clone(),
                folder: None,
            },
            ("find_file", [name, folder]) => Self::FindFile {
                name: name.clone(),
                folder: Some(folder.clone()),
            },
            ("edit", [range]) => {
                let (first, last) = range.split_once(':').ok_or_else(fault)?;
                let (first, last) = (number(&first.to_owned()), number(&last.to_owned()));
                let (first, last) = first.zip(last).ok_or_else(fault)?;
                if last < first {
                    return Err(fault());
                }
                Self::Edit {
                    first,
                    last,
                    text: edit_lines(text),
                }
            }
            _ => return Err(fault()),
        };
        if command.has_empty_word() {
            return Err(fault());
        }
        Ok(command)
    }

    /// The published name of its kind.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Open { .. } => "open",
            Self::Create { .. } => "create",
            Self::Goto { .. } => "goto",
            Self::ScrollDown => "scroll_down",
            Self::ScrollUp => "scroll_up",
            Self::SearchFolder { .. } => "search_dir",
            Self::SearchFile { .. } => "search_file",
            Self::FindFile { .. } => "find_file",
            Self::Edit { .. } => "edit_lines",
        }
    }

    fn has_empty_word(&self) -> bool {
        match self {
            Self::Open { file, .. } | Self::Create { file } => file.is_empty(),
            Self::SearchFolder { term, .. } | Self::SearchFile { term, .. } => term.is_empty(),
            Self::FindFile { name, .. } => name.is_empty(),
            Self::Goto { .. } | Self::ScrollDown | Self::ScrollUp | Self::Edit { .. } => false,
        }
    }
}

/// The lines of an edit behind its first: up to the one that ends it, else all.
fn edit_lines(text: &str) -> Vec<String> {
    let lines = text.lines().skip(1);
    lines
        .take_while(|line| line.trim() != END_OF_EDIT)
        .map(str::to_owned)
        .collect()
}

/// The words of a line; what is quoted is one word.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    for one in line.trim().chars() {
        match quote {
            Some(mark) if one == mark => quote = None,
            Some(_) => word.get_or_insert_default().push(one),
            None if one == '"' || one == '\'' => {
                quote = Some(one);
                word.get_or_insert_default();
            }
            None if one.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(one),
        }
    }
    words.extend(word);
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> FileCommand {
        FileCommand::parse(text).unwrap_or_else(|fault| panic!("{text}: {fault}"))
    }

    #[test]
    fn each_command_is_read() {
        assert_eq!(
            parsed("open 'my file.py' 30"),
            FileCommand::Open {
                file: "my file.py".to_owned(),
                line: Some(30)
            }
        );
        assert_eq!(parsed("  scroll_up\n"), FileCommand::ScrollUp);
        assert_eq!(
            parsed("search_dir \"def f(\" src"),
            FileCommand::SearchFolder {
                term: "def f(".to_owned(),
                folder: Some("src".to_owned())
            }
        );
        assert_eq!(
            parsed("edit 3:4\n    a = 1\n\nb\n end_of_edit \nrest"),
            FileCommand::Edit {
                first: 3,
                last: 4,
                text: vec!["    a = 1".to_owned(), String::new(), "b".to_owned()]
            }
        );
        for (text, name) in [
            ("create a.py", "create"),
            ("goto 5", "goto"),
            ("scroll_down", "scroll_down"),
            ("search_file x", "search_file"),
            ("find_file *.py", "find_file"),
            ("edit 1:1\nend_of_edit", "edit_lines"),
        ] {
            assert_eq!(parsed(text).name(), name);
            assert!(is_meant(text));
        }
    }

    #[test]
    fn what_is_no_command_says_how_one_is_written() {
        for (text, said) in [
            ("open", "it is written `open FILE [LINE]`"),
            ("open a.py ten", "open FILE [LINE]"),
            ("goto 0", "goto LINE"),
            ("edit 5:3\nx\nend_of_edit", "edit FIRST:LAST"),
            ("edit\nx", "edit FIRST:LAST"),
            ("search_dir \"\"", "search_dir TERM"),
            ("ls", "it begins with none of `open`"),
            ("", "it begins with none of"),
        ] {
            let fault = FileCommand::parse(text).unwrap_err().to_string();
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }

    #[test]
    fn code_that_looks_like_a_command_is_code() {
        for code in [
            "open = 3",
            "open('a.txt').read()",
            "open ('a')",
            "edit=1",
            "print(1)",
            "!ls",
            "",
        ] {
            assert!(!is_meant(code), "{code}");
        }
    }
}
