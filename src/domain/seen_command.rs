//! A command that was seen in a sandbox from outside.

use serde::{Deserialize, Serialize};

/// A command as it stood in the process table.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SeenCommand {
    pub words: Vec<String>,
    /// The place in its list of the command that started it, where that was seen, too.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<usize>,
}

/// Programs that analyses are written for, by the beginnings of their names.
const INTERPRETERS: [&str; 8] = [
    "python", "ipython", "pypy", "Rscript", "julia", "stata", "octave", "jupyter",
];
/// Arguments by which an interpreter runs nothing.
const ASKS: [&str; 4] = ["--version", "-V", "--help", "-h"];
/// Modules of Python that run no code of an analysis.
const INSTALLERS: [&str; 3] = ["pip", "venv", "ensurepip"];

impl SeenCommand {
    /// Whether it has an interpreter run code: a script, a text or what it reads.
    fn runs_code(&self) -> bool {
        let Some(program) = self.words.first() else {
            return false;
        };
        let name = program.rsplit('/').next().unwrap_or(program);
        let is_interpreter = name == "R" || INTERPRETERS.iter().any(|one| name.starts_with(one));
        let arguments: Vec<&str> = self.words.iter().skip(1).map(String::as_str).collect();
        let asks = arguments.first().is_some_and(|first| ASKS.contains(first));
        let installs = matches!(arguments.as_slice(), ["-m", module, ..] if INSTALLERS.contains(module));
        is_interpreter && !asks && !installs
    }
}

/// The number of times that a program had an interpreter run code; what such a run starts itself is no further one.
/// What started everything is the program.
pub fn code_runs(seen: &[SeenCommand]) -> u64 {
    let mut is_within: Vec<bool> = Vec::new();
    let mut count = 0;
    for command in seen {
        let by_parent = command.parent.and_then(|parent| is_within.get(parent).copied());
        let is_own = command.parent.is_some() && command.runs_code();
        count += u64::from(is_own && by_parent != Some(true));
        is_within.push(is_own || by_parent == Some(true));
    }
    count
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(line: &str, parent: Option<usize>) -> SeenCommand {
        SeenCommand {
            words: line.split(' ').map(str::to_owned).collect(),
            parent,
        }
    }

    #[test]
    fn runs_of_code_are_counted_once_and_nothing_else_is() {
        let seen = [
            command("python3 /agent/agent.py chat", None),
            command("sh -c python3 analysis.py", Some(0)),
            command("/usr/bin/python3.11 analysis.py", Some(1)),
            command("python3 -c import worker", Some(2)),
            command("Rscript model.R", Some(0)),
            command("/usr/lib/R/bin/exec/R --file=model.R", Some(4)),
            command("python3 --version", Some(0)),
            command("python3 -m pip install pandas", Some(0)),
            command("cat analysis.py", Some(0)),
            command("python3 -", Some(0)),
        ];
        assert_eq!(code_runs(&seen), 3);
    }
}
