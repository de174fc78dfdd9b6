//! What is to be executed: entry points, each with its interpreter.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

use super::workspace_path::WorkspacePath;

/// A program that runs one kind of script.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumIter, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Interpreter {
    Python,
    R,
    RMarkdown,
    Stata,
    Spss,
    Matlab,
    Shell,
}

/// A script whose file type no interpreter is known for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`{path}` has no known interpreter: an entry point ends in one of {known}; \
     name a script, or give the entry an `interpreter`"
)]
pub struct NoInterpreter {
    pub path: WorkspacePath,
    pub known: String,
}

impl Interpreter {
    /// The file extension that the interpreter is chosen by.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Python => "py",
            Self::R => "R",
            Self::RMarkdown => "Rmd",
            Self::Stata => "do",
            Self::Spss => "sps",
            Self::Matlab => "m",
            Self::Shell => "sh",
        }
    }

    /// The interpreter of a script, by its extension in any case.
    pub fn of(path: &WorkspacePath) -> Result<Self, NoInterpreter> {
        path.extension()
            .and_then(|found| Self::iter().find(|one| one.extension().eq_ignore_ascii_case(found)))
            .ok_or_else(|| NoInterpreter {
                path: path.clone(),
                known: Self::iter()
                    .map(|one| format!(".{}", one.extension()))
                    .collect::<Vec<_>>()
                    .join(", "),
            })
    }

    /// Whether the study's own language is meant: anything but Python.
    pub fn is_native(self) -> bool {
        self != Self::Python
    }

    /// The command line, as a list of words that no shell reads.
    pub fn command(self, script: &str, arguments: &[String]) -> Vec<String> {
        let mut words: Vec<String> = match self {
            Self::Python => vec!["python".into(), script.into()],
            Self::R => vec!["Rscript".into(), "--vanilla".into(), script.into()],
            Self::RMarkdown => vec![
                "Rscript".into(),
                "--vanilla".into(),
                "-e".into(),
                "rmarkdown::render(commandArgs(trailingOnly = TRUE)[1], output_dir = '.')".into(),
                script.into(),
            ],
            Self::Stata => vec!["stata-mp".into(), "-b".into(), "do".into(), script.into()],
            Self::Spss => vec!["pspp".into(), script.into()],
            Self::Matlab => vec!["octave-cli".into(), "--no-init-file".into(), script.into()],
            Self::Shell => vec!["sh".into(), "-eu".into(), script.into()],
        };
        words.extend(arguments.iter().cloned());
        words
    }
}

impl fmt::Display for Interpreter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(match self {
            Self::Python => "Python",
            Self::R => "R",
            Self::RMarkdown => "R Markdown",
            Self::Stata => "Stata",
            Self::Spss => "SPSS",
            Self::Matlab => "Matlab",
            Self::Shell => "shell",
        })
    }
}

/// One script to run.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EntryPoint {
    pub path: WorkspacePath,
    pub interpreter: Interpreter,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub arguments: Vec<String>,
}

/// The scripts of an execution, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct ExecutionPlan(pub Vec<EntryPoint>);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_type_is_never_run_by_a_shell() {
        let of = |path: &str| Interpreter::of(&path.parse().unwrap());
        assert_eq!(of("work/a.r"), Ok(Interpreter::R));
        assert_eq!(of("work/a.rmd"), Ok(Interpreter::RMarkdown));
        let error = of("work/data.csv").unwrap_err().to_string();
        assert!(error.contains("work/data.csv") && error.contains(".py, .R, .Rmd, .do, .sps, .m, .sh"));
        assert!(of("work/Makefile").is_err());
    }
}
