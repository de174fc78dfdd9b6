//! A bench file.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use std::{fs, io};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toml::de::DeTable;

use super::bench_engine::BenchEngine;
use super::slurm::shape::SlurmShape;
use crate::cli::task_choice::TaskChoice;
use crate::domain::json_schema::inline_schema;
use crate::domain::study_kind::{CodeOrigin, DataOrigin, Origins};
use crate::domain::text_place::{in_utf8, line_of, with_quotes};
use crate::domain::unknown_keys::unknown_keys;

/// The longest bench file, in bytes.
const LONGEST: u64 = 1 << 20;

/// The most repeats of a cell.
pub(super) const MOST_REPEATS: u32 = 10_000;

/// The setting of a model's seed.
pub const SEED: &str = "seed";

/// Tasks, agents, settings and repeats.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BenchFile {
    pub name: String,
    /// As many as there are seeds, where there are some.
    #[serde(default = "once")]
    pub repeats: u32,
    /// One repeat for each: what the model is told to draw by.
    #[serde(default)]
    pub seeds: Vec<u64>,
    /// The order in which cells are begun.
    #[serde(default)]
    pub order: CellOrder,
    /// Of cells that are shuffled.
    #[serde(default, rename = "order-seed")]
    pub order_seed: Option<u64>,
    /// What `submit` hands cells to where the command line says nothing.
    #[serde(default)]
    pub engine: Option<BenchEngine>,
    /// Options of every cell.
    #[serde(default)]
    pub settings: Settings,
    #[serde(default)]
    pub studies: Vec<Studies>,
    #[serde(default)]
    pub capsules: Vec<TaskFiles>,
    #[serde(default)]
    #[schemars(with = "Vec<NotebookKeys>")]
    pub notebooks: Vec<TaskFiles>,
    /// The program's own loop by the tasks' recordings, where none is named.
    #[serde(default)]
    pub agents: Vec<Agent>,
    /// Caps on what all cells come to together, such as `max-cost = 20`.
    #[serde(default)]
    #[schemars(with = "LimitKeys")]
    pub limits: BTreeMap<String, SettingValue>,
    /// What a cell is given by Slurm; entries and agents lay theirs over it.
    #[serde(default)]
    pub slurm: SlurmShape,
}

fn once() -> u32 {
    1
}

/// The keys of `limits`.
#[derive(JsonSchema)]
#[serde(rename_all = "kebab-case")]
#[expect(dead_code, reason = "only its schema is wanted")]
struct LimitKeys {
    max_cost: SettingValue,
    max_tokens: SettingValue,
    max_turns: SettingValue,
}

/// The keys of `[[notebooks]]`: those of capsules that choose no tasks by what they are about.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "only its schema is wanted")]
struct NotebookKeys {
    files: Vec<PathBuf>,
    tasks: Vec<String>,
    settings: Settings,
    slurm: SlurmShape,
}

static SCHEMA: LazyLock<serde_json::Value> = LazyLock::new(inline_schema::<BenchFile>);

/// The order of cells. It is no part of a cell's id.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum CellOrder {
    /// As the file has entries, settings, agents and repeats.
    #[default]
    Given,
    /// All cells of a task one after the other, also where several entries name it.
    ByTask,
    /// By chance, the same for the same `order-seed`.
    Shuffled,
}

/// Options of a run by their names without `--`.
pub type Settings = BTreeMap<String, SettingValues>;

/// Studies under the same settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Studies {
    /// Their folders, from the bench file's own.
    pub paths: Vec<PathBuf>,
    /// Those alone whose `study.toml` states one of these origins of its data; all where none is named.
    #[serde(default, rename = "data-origin")]
    pub data_origin: Vec<DataOrigin>,
    /// The same of the code that they bring along.
    #[serde(default, rename = "code-origin")]
    pub code_origin: Vec<CodeOrigin>,
    #[serde(default)]
    pub settings: Settings,
    #[serde(default)]
    pub slurm: SlurmShape,
}

/// Capsules or notebook tasks under the same settings.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct TaskFiles {
    /// Task files, from the bench file's own folder.
    pub files: Vec<PathBuf>,
    /// The tasks that are taken; all where none is named.
    #[serde(default)]
    pub tasks: Vec<String>,
    /// Of capsules, those of these fields alone, as `capsule list` has them.
    #[serde(default)]
    pub field: Vec<String>,
    /// Of capsules, those whose code is in one of these languages alone.
    #[serde(default)]
    pub language: Vec<String>,
    /// Of capsules, those with a question about a figure, or with another.
    #[serde(default)]
    pub modality: Option<Modality>,
    /// Of capsules, those that need a GPU, or those that do not.
    #[serde(default)]
    pub gpu: Option<bool>,
    #[serde(default)]
    pub settings: Settings,
    #[serde(default)]
    pub slurm: SlurmShape,
}

/// The modality of a capsule's questions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Modality {
    Vision,
    Written,
}

impl Studies {
    /// Whether studies are chosen by their origins.
    pub fn is_filtered(&self) -> bool {
        !self.data_origin.is_empty() || !self.code_origin.is_empty()
    }

    /// Whether a study with these origins is among those that are taken.
    pub fn takes(&self, origins: Origins) -> bool {
        let holds_data =
            self.data_origin.is_empty() || origins.data.is_some_and(|one| self.data_origin.contains(&one));
        let holds_code =
            self.code_origin.is_empty() || origins.code.is_some_and(|one| self.code_origin.contains(&one));
        holds_data && holds_code
    }
}

impl TaskFiles {
    /// The choice of tasks by what `capsule list` shows of them; `None` where all are taken.
    pub fn filter(&self) -> Option<TaskChoice> {
        let choice = TaskChoice {
            field: self.field.clone(),
            language: self.language.clone(),
            modality: self.modality.map(|modality| match modality {
                Modality::Vision => "vision".to_owned(),
                Modality::Written => "written".to_owned(),
            }),
            gpu: self.gpu.map(|gpu| if gpu { "yes" } else { "no" }.to_owned()),
        };
        let is_filtered = !choice.field.is_empty()
            || !choice.language.is_empty()
            || choice.modality.is_some()
            || choice.gpu.is_some();
        is_filtered.then_some(choice)
    }
}

/// An agent: a model and how it is asked.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Agent {
    pub name: String,
    #[serde(default)]
    pub settings: BTreeMap<String, SettingValue>,
    /// Caps on what all its cells come to together, beside those on all cells.
    #[serde(default)]
    #[schemars(with = "LimitKeys")]
    pub limits: BTreeMap<String, SettingValue>,
    #[serde(default)]
    pub slurm: SlurmShape,
}

/// One value of an option, or one arm for each.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum SettingValues {
    One(SettingValue),
    Arms(Vec<SettingValue>),
}

/// The value of an option.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
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
    #[error("{path}: {}", in_words(&source.to_string()))]
    NotRead {
        path: PathBuf,
        source: Box<toml::de::Error>,
    },
    /// Every fault of the file, a line each.
    #[error("{}", lines(path, what))]
    Wrong {
        path: PathBuf,
        what: Vec<String>,
        /// The file without what is unknown in it, where the rest can be read.
        read: Option<Box<BenchFile>>,
    },
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
        let wrong = |what| BenchFileError::Wrong {
            path: path.to_owned(),
            what: vec![what],
            read: None,
        };
        let text = in_utf8(fs::read(path).map_err(io)?).map_err(|error| wrong(error.to_string()))?;
        let not_read = |source| BenchFileError::NotRead {
            path: path.to_owned(),
            source: Box::new(source),
        };
        let tree = DeTable::parse(&text).map_err(|error| {
            let place = error.span().map_or(0, |span| span.start);
            match with_quotes(&text, place, error.message()) {
                plain if plain == error.message() => not_read(error),
                told => wrong(format!("line {}: {told}", line_of(&text, place))),
            }
        })?;
        let unknown = unknown_keys(tree.get_ref(), &SCHEMA).into_iter();
        let mut what: Vec<String> = unknown
            .map(|one| format!("line {}: {one}", line_of(&text, one.offset)))
            .collect();
        let read = match toml::from_str::<Self>(&text) {
            Ok(file) => Some(file),
            Err(error) if what.is_empty() => return Err(not_read(error)),
            Err(error) => {
                what.push(in_words(&error.message().replace('\n', " ")));
                None
            }
        };
        what.extend(read.iter().flat_map(Self::faults));
        match read {
            Some(file) if what.is_empty() => Ok(file.seeded()),
            read => Err(BenchFileError::Wrong {
                path: path.to_owned(),
                what,
                read: read
                    .filter(|file| file.repeats <= MOST_REPEATS)
                    .map(|file| Box::new(file.seeded())),
            }),
        }
    }

    /// Whether there are caps on all cells, or on those of an agent.
    pub fn has_limits(&self) -> bool {
        !self.limits.is_empty() || self.agents.iter().any(|agent| !agent.limits.is_empty())
    }

    /// With a repeat for each seed.
    fn seeded(mut self) -> Self {
        if !self.seeds.is_empty() {
            self.repeats = u32::try_from(self.seeds.len()).unwrap_or(MOST_REPEATS);
        }
        self
    }
}

/// A line for each fault, all with the file's path.
fn lines(path: &Path, what: &[String]) -> String {
    let lines: Vec<String> = what
        .iter()
        .map(|what| format!("{}: {what}", path.display()))
        .collect();
    lines.join("\n")
}

/// A message of the reader of TOML without its own names of kinds and choices.
fn in_words(message: &str) -> String {
    const WORDS: [(&str, &str); 12] = [
        ("unknown variant ", ""),
        (", expected one of ", " is none of "),
        ("invalid type: ", "it is the "),
        ("invalid value: ", "it is the "),
        ("missing field ", "there is no "),
        (", expected a sequence", ", and a list goes there"),
        (", expected a map", ", and a table goes there"),
        (", expected a boolean", ", and true or false goes there"),
        (", expected u32", ", and a whole number of 0 or more goes there"),
        (", expected u64", ", and a whole number of 0 or more goes there"),
        (", expected struct SlurmShape", ", and a table goes there"),
        (", expected ", ", and what goes there is "),
    ];
    (WORDS.iter()).fold(message.to_owned(), |text, (theirs, ours)| {
        text.replace(theirs, ours)
    })
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
                "line 2: `repeat` is not a known key: did you mean `repeats`?",
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
            (
                "name = 'a'\norder = 'shuffled'\n[[studies]]\npaths = ['x']",
                "lacks its seed: add `order-seed`",
            ),
            (
                "name = 'a'\norder-seed = 3\n[[studies]]\npaths = ['x']",
                "`order-seed = 3` shuffles nothing",
            ),
            (
                "name = 'a'\norder = 'random'\n[[studies]]\npaths = ['x']",
                "`by-task`",
            ),
            ("name = ", "/bench.toml: TOML parse error"),
        ] {
            let error = read(text).unwrap_err();
            assert!(error.contains(named), "{text}: {error}");
        }
    }
    #[test]
    fn all_faults_are_named_at_once_with_the_file() {
        let error = read(
            "name = ''\nrepeats = 0\nrepeat = 3\nlimits.max-time = 9\nlimits.max-cost = 1\n\
             [[notebooks]]\nfiles = ['x']\nfield = ['Medicine']\n[[agents]]\nname = 'b'\nmodel = 'c'\nlimits.max-spend = 4\n\
             [[agents]]\nname = 'b'\nsettings = {}\n",
        )
        .unwrap_err();
        let lines: Vec<&str> = error.lines().collect();
        let named = [
            "line 3: `repeat` is not a known key: did you mean `repeats`?",
            "line 4: `limits.max-time` is not a known key: its table takes max-cost, max-tokens, max-turns",
            "line 8: `notebooks.field` is not a known key: its table takes files, tasks, settings, slurm",
            "line 11: `agents.model` is not a known key: its table takes name, settings, limits, slurm",
            "line 12: `agents.limits.max-spend` is not a known key: its table takes max-cost, max-tokens, max-turns",
            "`name` is empty",
            "`repeats = 0` runs nothing",
            "two agents are called `b`",
        ];
        assert_eq!(lines.len(), named.len(), "{error}");
        for (line, named) in lines.iter().zip(named) {
            assert!(
                line.starts_with("/bench.toml: ") && line.contains(named),
                "{line}"
            );
        }
        // A value of another type is told beside the unknown keys.
        let error = read("nam = 'a'\nname = 'a'\nrepeats = 'two'\n[[studies]]\npaths = ['x']").unwrap_err();
        assert!(
            error.lines().count() == 2
                && error.contains("it is the string \"two\", and a whole number of 0 or more goes there"),
            "{error}"
        );
        let error = read("order = 'random'\nname = 'a'\n[[studies]]\npaths = ['x']").unwrap_err();
        assert!(
            error.contains("`random` is none of `given`, `by-task`, `shuffled`")
                && !error.contains("variant"),
            "{error}"
        );
    }
}
