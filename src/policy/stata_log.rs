//! End of a log of Stata's batch mode: Stata exits with 0 after an error, too.

use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;

static RETURN_CODE: LazyRegex = LazyRegex::new(r"^r\((\d{1,5})\);$");
/// The longest command or message that is shown.
const LONGEST: usize = 200;

/// The error that ended a do-file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StataFailure {
    /// Stata's return code, such as 601.
    pub code: i32,
    /// The line of the log on which the code is, from 1.
    pub line: usize,
    /// The command that failed, if the log shows it.
    pub command: Option<String>,
    /// Stata's message.
    pub message: Option<String>,
}

/// The failure with which a log ends; `None` of one that ends well or was not finished.
pub fn failure(log: &str) -> Option<StataFailure> {
    let lines: Vec<&str> = log.lines().map(str::trim_end).collect();
    let code = |line: &str| -> Option<i32> { RETURN_CODE.captures(line)?[1].parse().ok() };
    let last = lines.iter().rposition(|line| !line.is_empty())?;
    let last_code = code(lines[last])?;
    // An error in a do-file is printed again at the end of each do-file that called it.
    let mut at = last;
    while let Some(before) = lines[..at]
        .iter()
        .rposition(|line| !line.is_empty() && *line != "end of do-file")
    {
        if code(lines[before]) != Some(last_code) {
            break;
        }
        at = before;
    }
    let above = &lines[..at];
    let is_command = |line: &&str| {
        line.starts_with(". ")
            || line.trim_start().split_once(". ").is_some_and(|(number, _)| {
                !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
            })
    };
    let command_at = above.iter().rposition(is_command);
    let command = command_at.map(|start| {
        let first = lines[start]
            .trim_start()
            .split_once(". ")
            .map_or("", |(_, command)| command);
        let more = above[start + 1..]
            .iter()
            .map_while(|line| line.strip_prefix("> "));
        std::iter::once(first).chain(more).collect::<String>()
    });
    let message = above
        .iter()
        .rev()
        .find(|line| !line.is_empty())
        .filter(|line| !is_command(line) && !line.starts_with("> "));
    Some(StataFailure {
        code: last_code,
        line: at + 1,
        command: command.map(|command| excerpt::shortened(command.trim(), LONGEST)),
        message: message.map(|message| excerpt::shortened(message.trim(), LONGEST)),
    })
}

/// The line of a do-file on which a command is, if it is there once.
pub fn line_of(script: &str, command: &str) -> Option<usize> {
    let mut found = script
        .lines()
        .enumerate()
        .filter(|(_, line)| !command.is_empty() && line.trim() == command);
    let (at, _) = found.next()?;
    found.next().is_none().then_some(at + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAILED: &str = "\n. do main.do\n\n. use \"data/panel.dta\", clear\nfile data/panel.dta not found\nr(601);\n\nend of do-file\nr(601);\n";

    #[test]
    fn the_end_of_a_log_says_whether_it_failed() {
        let found = failure(FAILED).unwrap();
        assert_eq!((found.code, found.line), (601, 6));
        assert_eq!(found.command.as_deref(), Some("use \"data/panel.dta\", clear"));
        assert_eq!(found.message.as_deref(), Some("file data/panel.dta not found"));
        // Called from another do-file, over two lines, and in a loop.
        let nested = ". do sub.do\n\n. regress y x ///\n>     z\nvariable z not found\nr(111);\n\nend of do-file\nr(111);\n\nend of do-file\n\nr(111);\n\n";
        let found = failure(nested).unwrap();
        assert_eq!(
            (found.line, found.command.as_deref()),
            (6, Some("regress y x ///    z"))
        );
        let looped = ". forvalues i = 1/2 {\n  2.     summarize v`i'\n  3. }\nvariable v1 not found\nr(111);\nend of do-file\nr(111);\n";
        assert_eq!(failure(looped).unwrap().line, 5);
        let unknown = ". reghdfe y x\ncommand reghdfe is unrecognized\nr(199);\n\nend of do-file\nr(199);";
        assert_eq!(
            failure(unknown).unwrap().message.as_deref(),
            Some("command reghdfe is unrecognized")
        );
    }

    #[test]
    fn other_logs_end_well() {
        for log in [
            "",
            ". display 1\n1\n\nend of do-file\n",
            // `capture noisily` goes on after an error.
            ". capture noisily use x\nfile x.dta not found\n\n. display \"r(601);\"\nr(601);\n\nend of do-file\n",
            ". use x\nfile x.dta not found\nr(601);\n\n. display 1\n1\nend of do-file\n",
            ". exit, clear\n",
        ] {
            assert_eq!(failure(log), None, "{log}");
        }
    }

    #[test]
    fn the_line_of_a_command_is_told_where_it_is_one() {
        let script = "clear\n  use \"data/panel.dta\", clear\nclear\n";
        assert_eq!(line_of(script, "use \"data/panel.dta\", clear"), Some(2));
        assert_eq!(line_of(script, "clear"), None);
        assert_eq!(line_of(script, "save x"), None);
    }
}
