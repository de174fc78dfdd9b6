//! A scripted agent, as its folder describes it.

use std::path::{Path, PathBuf};

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Trap,
    Honest,
}

/// `trap.toml`.
#[derive(Debug, Deserialize)]
pub struct Definition {
    pub kind: Kind,
    pub defect: String,
    pub study: String,
    pub mode: String,
    pub entry: Vec<String>,
    pub detectable: bool,
    pub why: String,
    /// Verdicts that would be wrong.
    #[serde(default)]
    pub wrong: Vec<String>,
    /// Of an honest agent: verdicts that are right.
    #[serde(default)]
    pub expect: Vec<String>,
    /// The message of the execute stage, from 0, for which the run waits when it is stopped, to be
    /// resumed.
    #[serde(default)]
    pub stop: Option<usize>,
    /// Whether the paper has a page of analysis code behind its own.
    #[serde(default)]
    pub code_page: bool,
    #[serde(default)]
    pub criterion: Option<Value>,
    #[serde(default)]
    pub plan: Option<Value>,
    pub report: Report,
    #[serde(default)]
    pub answer: Option<Answer>,
}

#[derive(Debug, Deserialize)]
pub struct Report {
    pub from: String,
    #[serde(default)]
    pub finding: Vec<Value>,
}

#[derive(Debug, Deserialize)]
pub struct Answer {
    pub conclusion: String,
}

/// An agent with its files.
#[derive(Debug)]
pub struct Trap {
    /// The folder of its half: `blind`, `seen` or `fresh`.
    pub half: &'static str,
    pub name: String,
    pub folder: PathBuf,
    pub definition: Definition,
}

impl Trap {
    /// Whether it runs the study's own scripts in their own language.
    pub fn is_native(&self) -> bool {
        self.definition.mode == "native"
    }

    /// The files that it writes: in design (0), and before each further run.
    pub fn files(&self, attempt: usize) -> Vec<(String, String)> {
        let root = match attempt {
            0 => self.folder.clone(),
            retry => self.folder.join(format!("retry-{retry}")),
        };
        let mut files: Vec<(String, String)> = walkdir::WalkDir::new(root.join("work"))
            .sort_by_file_name()
            .into_iter()
            .filter_map(Result::ok)
            .filter(|entry| entry.file_type().is_file())
            .map(|entry| {
                let path = entry.path().strip_prefix(&root).unwrap();
                let text = std::fs::read_to_string(entry.path()).unwrap();
                (path.to_str().unwrap().to_owned(), text)
            })
            .collect();
        files.sort();
        files
    }
}

/// Every agent, by name.
pub fn all() -> Vec<Trap> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traps");
    let mut traps = Vec::new();
    for half in ["blind", "seen", "fresh"] {
        let Ok(folders) = std::fs::read_dir(root.join(half)) else {
            continue;
        };
        for folder in folders.map(|entry| entry.unwrap().path()) {
            let Ok(text) = std::fs::read_to_string(folder.join("trap.toml")) else {
                continue;
            };
            let name = folder.file_name().unwrap().to_str().unwrap().to_owned();
            let definition = toml::from_str(&text).unwrap_or_else(|error| panic!("{name}: {error}"));
            traps.push(Trap {
                half,
                name,
                folder,
                definition,
            });
        }
    }
    traps.sort_by(|one, other| one.name.cmp(&other.name));
    traps
}
