//! A bench file.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{fs, io};

use serde::{Deserialize, Serialize};

use super::slurm::shape::SlurmShape;

/// The longest bench file, in bytes.
const LONGEST: u64 = 1 << 20;

/// The most repeats of a cell.
const MOST_REPEATS: u32 = 10_000;

/// Tasks, agents, settings and repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BenchFile {
    pub name: String,
    #[serde(default = "once")]
    pub repeats: u32,
    /// Options of every cell.
    #[serde(default)]
    pub settings: Settings,
    #[serde(default)]
    pub studies: Vec<Studies>,
    #[serde(default)]
    pub capsules: Vec<TaskFiles>,
    #[serde(default)]
    pub notebooks: Vec<TaskFiles>,
    /// The program's own loop by the tasks' recordings, where none is named.
    #[serde(default)]
    pub agents: Vec<Agent>,
    /// Caps on what all cells come to together, such as `max-cost = 20`.
    #[serde(default)]
    pub limits: BTreeMap<String, SettingValue>,
    /// What a cell is given by Slurm; entries and agents lay theirs over it.
    #[serde(default)]
    pub slurm: SlurmShape,
}

fn once() -> u32 {
    1
}

/// Options of a run by their names without `--`.
pub type Settings = BTreeMap<String, SettingValues>;

/// Studies under the same settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Studies {
    /// Their folders, from the bench file's own.
    pub paths: Vec<PathBuf>,
    #[serde(default)]
    pub settings: Settings,
    #[serde(default)]
    pub slurm: SlurmShape,
}

/// Capsules or notebook tasks under the same settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TaskFiles {
    /// Task files, from the bench file's own folder.
    pub files: Vec<PathBuf>,
    /// The tasks that are taken; all where none is named.
    #[serde(default)]
    pub tasks: Vec<String>,
    #[serde(default)]
    pub settings: Settings,
    #[serde(default)]
    pub slurm: SlurmShape,
}

/// An agent: a model and how it is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Agent {
    pub name: String,
    #[serde(default)]
    pub settings: BTreeMap<String, SettingValue>,
    #[serde(default)]
    pub slurm: SlurmShape,
}

/// One value of an option, or one arm for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SettingValues {
    One(SettingValue),
    Arms(Vec<SettingValue>),
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum SettingValue {
    /// An option without a value, given or not.
    Flag(bool),
    Count(i64),
    Number(f64),
    Text(String),
}

impl SettingValue {
    /// As it is typed.
    pub fn text(&self) -> String {
        match self {
            Self::Flag(given) => given.to_string(),
            Self::Count(count) => count.to_string(),
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
        }
    }
}

/// The error of a bench file.
#[derive(Debug, thiserror::Error)]
pub enum BenchFileError {
    #[error("{path}: {source}")]
    Io { path: PathBuf, source: io::Error },
    #[error("{path} is larger than {LONGEST} bytes: no bench file is")]
    TooLong { path: PathBuf },
    #[error("{path}: {source}")]
    NotRead {
        path: PathBuf,
        source: Box<toml::de::Error>,
    },
    #[error("{path}: {what}")]
    Wrong { path: PathBuf, what: String },
}

impl BenchFile {
    /// Reads a bench file.
    ///
    /// # Errors
    /// A file that cannot be read, is no bench file, or names nothing to run.
    pub fn open(path: &Path) -> Result<Self, BenchFileError> {
        let io = |source| BenchFileError::Io {
            path: path.to_owned(),
            source,
        };
        if fs::metadata(path).map_err(io)?.len() > LONGEST {
            return Err(BenchFileError::TooLong {
                path: path.to_owned(),
            });
        }
        let text = fs::read_to_string(path).map_err(io)?;
        let file: Self = toml::from_str(&text).map_err(|source| BenchFileError::NotRead {
            path: path.to_owned(),
            source: Box::new(source),
        })?;
        match file.wrong() {
            Some(what) => Err(BenchFileError::Wrong {
                path: path.to_owned(),
                what,
            }),
            None => Ok(file),
        }
    }

    /// The first thing that keeps the file from naming cells.
    fn wrong(&self) -> Option<String> {
        if self.name.trim().is_empty() {
            return Some("`name` is empty: say what the bench is of".to_owned());
        }
        if self.repeats == 0 {
            return Some("`repeats = 0` runs nothing: give 1 or more".to_owned());
        }
        if self.repeats > MOST_REPEATS {
            return Some(format!(
                "`repeats = {}` is more than a bench takes: give {MOST_REPEATS} at most",
                self.repeats
            ));
        }
        let is_empty = self.studies.iter().all(|one| one.paths.is_empty())
            && self.capsules.iter().all(|one| one.files.is_empty())
            && self.notebooks.iter().all(|one| one.files.is_empty());
        if is_empty {
            return Some(
                "it names no task: add [[studies]] with `paths`, or [[capsules]] or [[notebooks]] with `files`"
                    .to_owned(),
            );
        }
        let mut names = BTreeSet::new();
        let twice = self.agents.iter().find(|agent| !names.insert(&agent.name));
        if let Some(agent) = twice {
            return Some(format!("two agents are called `{}`: name each once", agent.name));
        }
        let shapes = std::iter::once(&self.slurm)
            .chain(self.studies.iter().map(|one| &one.slurm))
            .chain(self.capsules.iter().map(|one| &one.slurm))
            .chain(self.notebooks.iter().map(|one| &one.slurm))
            .chain(self.agents.iter().map(|one| &one.slurm));
        if let Some(why) = shapes.map(SlurmShape::check).find_map(Result::err) {
            return Some(format!("in a table `slurm`, {why}"));
        }
        let studies = self.studies.iter().map(|one| &one.settings);
        let capsules = self.capsules.iter().map(|one| &one.settings);
        let notebooks = self.notebooks.iter().map(|one| &one.settings);
        let settings = std::iter::once(&self.settings)
            .chain(studies)
            .chain(capsules)
            .chain(notebooks);
        let without = settings.flatten().find(|(_, values)| match values {
            SettingValues::One(_) => false,
            SettingValues::Arms(arms) => arms.is_empty(),
        });
        without.map(|(name, _)| format!("the setting `{name}` has no value: its list is empty"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<BenchFile, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("bench.toml");
        fs::write(&path, text).unwrap();
        BenchFile::open(&path).map_err(|error| {
            let place = folder.path().display().to_string();
            error.to_string().replace(&place, "")
        })
    }

    #[test]
    fn values_are_one_or_an_arm_each() {
        let file = read(
            "name = 'a'\nsettings.approve = 'auto'\n[[studies]]\npaths = ['x']\n\
             settings = { code-mode = ['python', 'native'], no-probe = true, temperature = 0.5 }\n",
        )
        .unwrap();
        assert_eq!(file.repeats, 1);
        let settings = &file.studies[0].settings;
        assert!(matches!(&settings["code-mode"], SettingValues::Arms(arms) if arms.len() == 2));
        assert_eq!(settings["no-probe"], SettingValues::One(SettingValue::Flag(true)));
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (text, named) in [
            ("name = 'a'", "it names no task"),
            ("name = ' '\n[[studies]]\npaths = ['x']", "`name` is empty"),
            (
                "name = 'a'\nrepeats = 0\n[[studies]]\npaths = ['x']",
                "runs nothing",
            ),
            (
                "name = 'a'\nrepeats = 100000000\n[[studies]]\npaths = ['x']",
                "give 10000 at most",
            ),
            (
                "name = 'a'\nrepeat = 2\n[[studies]]\npaths = ['x']",
                "unknown field `repeat`",
            ),
            (
                "name = 'a'\n[[studies]]\npaths = ['x']\n[[agents]]\nname = 'b'\n[[agents]]\nname = 'b'",
                "two agents are called `b`",
            ),
            (
                "name = 'a'\n[[studies]]\npaths = ['x']\nsettings.code-mode = []",
                "`code-mode` has no value",
            ),
            (
                "name = 'a'\n[[studies]]\npaths = ['x']\nslurm.partition = 'a b'",
                "in a table `slurm`, `partition = \"a b\"`: give letters",
            ),
            ("name = ", "/bench.toml: TOML parse error"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
}
