//! The execution plan: entry points, each with its interpreter.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumIter, IntoEnumIterator};

use super::workspace_path::WorkspacePath;

/// A program that runs one kind of script.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, EnumIter, Serialize, Deserialize, JsonSchema,
)]
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

/// Runs an R Markdown document and prints what it came to, since numbers are
/// looked for in printed output. Pandoc and LaTeX, which only set the pages,
/// are not needed.
const RENDER: &str = "f <- rmarkdown::render(commandArgs(trailingOnly = TRUE)[1], rmarkdown::md_document(), \
    output_dir = '.', run_pandoc = FALSE, quiet = TRUE); cat(readLines(f), sep = '\\n')";

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
    ///
    /// # Errors
    /// An extension that no interpreter is known for.
    pub fn from_path(path: &WorkspacePath) -> Result<Self, NoInterpreter> {
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

    /// The language that its scripts are written in: R Markdown is R.
    pub fn language(self) -> Self {
        match self {
            Self::RMarkdown => Self::R,
            other => other,
        }
    }

    /// The program that its commands start.
    pub fn program(self) -> &'static str {
        match self {
            Self::Python => "python",
            Self::R | Self::RMarkdown => "Rscript",
            Self::Stata => "stata-mp",
            Self::Spss => "pspp",
            Self::Matlab => "octave-cli",
            Self::Shell => "sh",
        }
    }

    /// The operator's setting that names an image with the program; `None`
    /// where images are made from declared packages.
    pub fn image_setting(self) -> Option<&'static str> {
        match self {
            Self::Stata => Some("REPRISE_STATA_IMAGE"),
            Self::Spss => Some("REPRISE_SPSS_IMAGE"),
            Self::Matlab => Some("REPRISE_MATLAB_IMAGE"),
            Self::Python | Self::R | Self::RMarkdown | Self::Shell => None,
        }
    }

    /// The same where R is to read the profile that `R_PROFILE_USER` names, and nothing else of a user's.
    pub fn command_with_profile(self, script: &str, arguments: &[String]) -> Vec<String> {
        let words = self.command(script, arguments);
        if !matches!(self, Self::R | Self::RMarkdown) {
            return words;
        }
        let options = ["--no-environ", "--no-site-file", "--no-restore", "--no-save"];
        let profile = options.map(ToOwned::to_owned).into_iter();
        let mut words = words.into_iter();
        let program = words.next();
        // What comes behind `--vanilla`, which reads no profile.
        program.into_iter().chain(profile).chain(words.skip(1)).collect()
    }

    /// The command line, as a list of words that no shell reads.
    pub fn command(self, script: &str, arguments: &[String]) -> Vec<String> {
        let options: &[&str] = match self {
            Self::Python | Self::Spss => &[],
            Self::R => &["--vanilla"],
            Self::RMarkdown => &["--vanilla", "-e", RENDER],
            Self::Stata => &["-b", "do"],
            Self::Matlab => &["--no-init-file"],
            Self::Shell => &["-eu"],
        };
        let words = [self.program()].into_iter().chain(options.iter().copied());
        let words = words.chain([script]).chain(arguments.iter().map(String::as_str));
        words.map(ToOwned::to_owned).collect()
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
        let of = |path: &str| Interpreter::from_path(&path.parse().unwrap());
        assert_eq!(of("work/a.r"), Ok(Interpreter::R));
        assert_eq!(of("work/a.rmd"), Ok(Interpreter::RMarkdown));
        let error = of("work/data.csv").unwrap_err().to_string();
        assert!(error.contains("work/data.csv") && error.contains(".py, .R, .Rmd, .do, .sps, .m, .sh"));
        assert!(of("work/Makefile").is_err());
    }
}
