//! A script and the language that it is in.

use std::path::Path;

use serde::{Deserialize, Serialize};

/// A language of scripts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ScriptLanguage {
    Python,
    R,
    Stata,
    Spss,
}

impl ScriptLanguage {
    /// The language of a file, by the end of its name.
    pub fn of_path(path: &str) -> Option<Self> {
        let ending = Path::new(path).extension()?.to_str()?.to_ascii_lowercase();
        match ending.as_str() {
            "py" => Some(Self::Python),
            "r" => Some(Self::R),
            "do" | "ado" => Some(Self::Stata),
            "sps" => Some(Self::Spss),
            _ => None,
        }
    }

    /// The language that a command runs, by the name of its program.
    pub fn of_program(program: &str) -> Option<Self> {
        let name = Path::new(program).file_name()?.to_str()?.to_ascii_lowercase();
        match name.as_str() {
            "r" | "rscript" => Some(Self::R),
            "pspp" | "stats" => Some(Self::Spss),
            _ if name.starts_with("python") => Some(Self::Python),
            _ if name.starts_with("stata") => Some(Self::Stata),
            _ => None,
        }
    }
}

/// The text of a script.
#[derive(Debug, Clone, Copy)]
pub struct Script<'a> {
    /// Its path, as messages name it.
    pub path: &'a str,
    pub text: &'a str,
}
