//! Signs that a command waited for a person, whom no sandbox has.

use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;

/// How programs say that their input ended where they wanted an answer.
const ENDED: &[&str] = &[
    "EOFError: EOF when reading",
    "EOF on stdin",
    "End of file on standard input",
    "Inappropriate ioctl for device: '/dev/tty'",
    "No such device or address: '/dev/tty'",
    "invalid user-supplied answer",
    "cannot be used non-interactively",
];
/// How R refuses to install a package where it would ask for a mirror, or for a library that may
/// be written.
const INSTALLING: &[&str] = &[
    "trying to use CRAN without setting a mirror",
    "unable to install packages",
];
/// How R ends where an empty answer was taken for a value.
const EMPTY: &[&str] = &[
    "argument is of length zero",
    "missing value where TRUE/FALSE needed",
];

/// The end of a line that wants an answer.
static PROMPT: LazyRegex = LazyRegex::new(
    r"(?ix) (?: \? | \?\s*[\[(][^\])]{1,40}[\])] | [\[(] \s* y(?:es)? \s* / \s* n(?:o)? \s* [\])] | \b(?:enter|press|type|choose|select|continue|password|selection)\b[^\n]{0,80} ) \s*[:>]?\s*$",
);
static FRAME: LazyRegex = LazyRegex::new(r#"^\s*File "(?:[^"]*/)?([^"/]+)", line (\d+)"#);

/// Lines that are the same at the end of an output that a loop of questions prints.
const REPEATED: usize = 3;
/// The longest prompt, in characters.
const LONGEST: usize = 200;

/// Whether an error says that an answer was wanted and the input had ended.
pub fn ended_at_input(error: &str) -> bool {
    ENDED.iter().any(|needle| error.contains(needle)) || wanted_to_install(error)
}

/// Whether an error says that a package was to be installed, and a person to say from or to where.
pub fn wanted_to_install(error: &str) -> bool {
    INSTALLING.iter().any(|needle| error.contains(needle))
}

/// The question that R answered by itself with nothing, where the script failed on that.
pub fn empty_answer(output: &str, error: &str) -> Option<String> {
    let last = excerpt::last_line(output)?;
    (EMPTY.iter().any(|needle| error.contains(needle)) && asks(last)).then(|| last.trim().to_owned())
}

/// The question at the end of an output: a line that was not ended, or one that is asked over
/// and over.
pub fn prompt(output: &str) -> Option<String> {
    let shown = |line: &str| line.trim().to_owned();
    if !output.ends_with('\n') {
        let last = output.rsplit('\n').next().unwrap_or_default();
        return asks(last).then(|| shown(last));
    }
    let mut lines = output.lines().rev().filter(|line| !line.trim().is_empty());
    let last = lines.next()?;
    let repeated = lines.take(REPEATED - 1).filter(|line| *line == last).count() == REPEATED - 1;
    (repeated && asks(last)).then(|| shown(last))
}

fn asks(line: &str) -> bool {
    line.chars().count() <= LONGEST && PROMPT.is_match(line)
}

/// The innermost line of the last Python traceback.
pub fn place(stderr: &str) -> Option<String> {
    let frame = stderr.lines().rev().find_map(|line| FRAME.captures(line))?;
    Some(format!("{}, line {}", &frame[1], &frame[2]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_told_from_progress() {
        for asks in [
            "Do you want to continue? [Y/n] ",
            "Overwrite (y/n)",
            "a\nb\nEnter the name of the file: ",
            "Selection: ",
            "Would you like to use a personal library instead? (yes/No/cancel) ",
            "Go on?\nGo on?\nGo on?\n",
            "Press Enter to go on",
        ] {
            assert!(prompt(asks).is_some(), "{asks}");
        }
        for tells in [
            "",
            "iteration 100",
            "fitting the model ...",
            "Go on?\n",
            "Selected rows: 10\n",
            "coefficient: 3.2",
            "n = 12\nn = 12\nn = 12\n",
        ] {
            assert_eq!(prompt(tells), None, "{tells}");
        }
    }
}
