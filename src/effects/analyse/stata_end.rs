//! Stata's batch mode, which exits with 0 after an error: the end of its log is the end of the command.

use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use crate::domain::execution::Ending;
use crate::domain::plan::Interpreter;
use crate::policy::stata_log;

/// Bytes of a log's end that are read.
const END: u64 = 1 << 20;

/// The end of a command by the log that it left, and what it says.
pub struct LoggedEnd {
    pub ending: Ending,
    /// A line for standard error, which Stata leaves empty.
    pub error: Option<String>,
}

/// Reads the log of a do-file in the folder in which Stata was started.
pub fn read(ending: Ending, interpreter: Interpreter, script: &Path, folder: &Path) -> LoggedEnd {
    let as_it_is = LoggedEnd { ending, error: None };
    if interpreter != Interpreter::Stata || !ending.ok() {
        return as_it_is;
    }
    let log = script.with_extension("log");
    let Some(name) = log.file_name() else {
        return as_it_is;
    };
    let Some((text, is_whole)) = end_of(&folder.join(name)) else {
        return as_it_is;
    };
    let Some(failure) = stata_log::failure(&text) else {
        return as_it_is;
    };
    let command = failure.command.unwrap_or_default();
    let code = std::fs::read_to_string(folder.join(script)).unwrap_or_default();
    let place = match stata_log::line_of(&code, &command) {
        Some(line) => format!("{}, line {line}", script.display()),
        None if is_whole => format!("{}, line {}", name.to_string_lossy(), failure.line),
        None => name.to_string_lossy().into_owned(),
    };
    LoggedEnd {
        ending: Ending::Exited(failure.code),
        error: Some(format!(
            "Stata stopped at {place}: `{command}`: {} r({});\n",
            failure.message.unwrap_or_default(),
            failure.code
        )),
    }
}

/// The end of a log, and whether that is all of it.
fn end_of(path: &Path) -> Option<(String, bool)> {
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok().filter(std::fs::Metadata::is_file)?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(END))).ok()?;
    let mut bytes = Vec::new();
    file.take(END).read_to_end(&mut bytes).ok()?;
    Some((String::from_utf8_lossy(&bytes).into_owned(), length <= END))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_that_ends_in_an_error_is_a_failure() {
        let folder = tempfile::tempdir().unwrap();
        let script = Path::new("main.do");
        std::fs::write(folder.path().join(script), "clear\nuse x, clear\n").unwrap();
        let at = |ending, interpreter| read(ending, interpreter, script, folder.path());
        assert_eq!(
            at(Ending::Exited(0), Interpreter::Stata).ending,
            Ending::Exited(0)
        );
        let log = ". use x, clear\nfile x.dta not found\nr(601);\n\nend of do-file\nr(601);\n";
        std::fs::write(folder.path().join("main.log"), log).unwrap();
        let failed = at(Ending::Exited(0), Interpreter::Stata);
        assert_eq!(failed.ending, Ending::Exited(601));
        assert_eq!(
            failed.error.as_deref(),
            Some("Stata stopped at main.do, line 2: `use x, clear`: file x.dta not found r(601);\n")
        );
        for (ending, interpreter) in [
            (Ending::Exited(0), Interpreter::R),
            (Ending::TimedOut, Interpreter::Stata),
        ] {
            let other = at(ending, interpreter);
            assert_eq!((other.ending, other.error), (ending, None));
        }
    }
}
