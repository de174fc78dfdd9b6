//! The cells that a bench file names.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::cell_choice::{CellChoice, WrongSettings};
use super::cell_judge::is_of_judge;
use super::file::{Agent, BenchFile, SEED, SettingValue, SettingValues, Settings};
use super::setting::{Setting, from_root};
use super::slurm::shape::SlurmShape;
use crate::analysis::bench::cell::TaskKind;
use crate::analysis::bench::judged::JUDGE;
use crate::cli::bench_plan::cell_name;
use crate::domain::digest::Digest;

/// The agent of a file that names none.
const OWN: &str = "recorded";

/// One combination, before anything of it is looked at.
#[derive(Debug, Clone, PartialEq)]
pub struct CellSpec {
    pub kind: TaskKind,
    pub task: String,
    /// Marks of the study that the task is of.
    pub study: Vec<String>,
    /// A study's folder, or the task file of a capsule or a notebook task.
    pub path: PathBuf,
    /// The digest of the task's own content.
    pub content: Digest,
    pub agent: String,
    /// What distinguishes it from others of the same task and agent.
    pub arm: BTreeMap<String, String>,
    /// Counted from 1.
    pub repeat: u32,
    /// What its model is told to draw by, where the repeats of the file are seeds.
    pub seed: Option<u64>,
    /// What its settings choose of its run.
    pub choice: Result<CellChoice, WrongSettings>,
    /// Its settings, as the plan records them.
    pub options: Vec<String>,
    /// Settings of the judge that marks its run; none if nothing does.
    pub judging: BTreeMap<String, SettingValue>,
    /// What it is given by Slurm.
    pub shape: SlurmShape,
}

/// The tasks of one entry of the file.
#[derive(Debug, Clone)]
pub struct EntryTask {
    pub kind: TaskKind,
    pub name: String,
    pub path: PathBuf,
    /// The digest of its content.
    pub content: Digest,
    /// Marks of the study that it is of.
    pub study: Vec<String>,
    /// Of a capsule.
    pub questions: Vec<String>,
    pub settings: Settings,
    /// What its cells are given by Slurm.
    pub shape: SlurmShape,
}

impl CellSpec {
    /// What it is told by: its task, its agent, its arm and its repeat.
    pub fn name(&self) -> String {
        cell_name(&self.task, &self.agent, &self.arm, self.repeat)
    }

    /// What its folder is told by: a seed in the place of the repeat that it is, so that further seeds leave it where it
    /// is.
    pub fn folder_name(&self) -> String {
        let name = self.name();
        match (self.seed, name.rsplit_once(' ')) {
            (Some(seed), Some((rest, _))) => format!("{rest} s{seed}"),
            _ => name,
        }
    }

    /// What tells it from other repeats, beside what is asked.
    pub fn repeat_in_id(&self) -> u32 {
        match self.seed {
            Some(_) => 1,
            None => self.repeat,
        }
    }
}

/// The number of combinations that `combine` makes, without making them.
pub fn count(file: &BenchFile, tasks: &[EntryTask]) -> usize {
    let arms = |task: &EntryTask| {
        let mut settings: BTreeMap<&String, &SettingValues> = file.settings.iter().collect();
        settings.extend(&task.settings);
        let counts = settings.values().map(|values| match values {
            SettingValues::One(_) => 1,
            SettingValues::Arms(values) => values.len(),
        });
        counts.fold(1_usize, usize::saturating_mul)
    };
    let of_each = file.agents.len().max(1).saturating_mul(file.repeats as usize);
    let all = tasks.iter().map(|task| arms(task).saturating_mul(of_each));
    all.fold(0, usize::saturating_add)
}

/// All combinations of tasks with agents, arms and repeats.
pub fn combine(file: &BenchFile, tasks: &[EntryTask], root: &Path) -> Vec<CellSpec> {
    let own = [Agent {
        name: OWN.to_owned(),
        settings: BTreeMap::new(),
        limits: BTreeMap::new(),
        slurm: SlurmShape::default(),
    }];
    let agents = if file.agents.is_empty() {
        &own[..]
    } else {
        &file.agents[..]
    };
    let mut cells = Vec::new();
    for task in tasks {
        for settings in arms(&file.settings, &task.settings) {
            for agent in agents {
                for repeat in 1..=file.repeats {
                    let seed = file.seeds.get(repeat as usize - 1).copied();
                    cells.push(settings.cell(task, agent, Repeated { repeat, seed }, root));
                }
            }
        }
    }
    cells
}

/// A repeat, with its seed where repeats have one.
#[derive(Debug, Clone, Copy)]
struct Repeated {
    /// Counted from 1.
    repeat: u32,
    seed: Option<u64>,
}

/// One value of each setting, and which of them are arms.
#[derive(Debug, Clone, Default)]
struct ChosenSettings {
    values: BTreeMap<String, SettingValue>,
    arm: BTreeMap<String, String>,
}

impl ChosenSettings {
    fn cell(
        &self,
        task: &EntryTask,
        agent: &Agent,
        Repeated { repeat, seed }: Repeated,
        root: &Path,
    ) -> CellSpec {
        let mut values = self.values.clone();
        values.extend(agent.settings.clone());
        if let Some(seed) = seed {
            values.insert(SEED.to_owned(), SettingValue::Text(seed.to_string()));
        }
        let without_judge = values.get(JUDGE) == Some(&SettingValue::Flag(false));
        let rooted = (values.into_iter()).map(|(name, value)| {
            let value = from_root(&name, value, root);
            (name, value)
        });
        let (judging, values): (BTreeMap<_, _>, BTreeMap<_, _>) =
            rooted.partition(|(name, _)| is_of_judge(name));
        let recorded = (values.iter()).filter_map(|(name, value)| Setting { name, value }.recorded());
        CellSpec {
            kind: task.kind,
            task: task.name.clone(),
            study: task.study.clone(),
            path: task.path.clone(),
            content: task.content,
            agent: agent.name.clone(),
            arm: self.arm.clone(),
            repeat,
            seed,
            options: recorded.collect(),
            choice: CellChoice::read(task.kind, &values),
            judging: match without_judge {
                true => BTreeMap::new(),
                false => judging,
            },
            shape: task.shape.clone().overlaid(&agent.slurm),
        }
    }
}

/// Each combination of the values of settings; those of the task stand above those of all.
fn arms(of_all: &Settings, of_task: &Settings) -> Vec<ChosenSettings> {
    let mut settings = of_all.clone();
    settings.extend(of_task.clone());
    let mut chosen = vec![ChosenSettings::default()];
    for (name, values) in settings {
        let (values, is_arm) = match values {
            SettingValues::One(value) => (vec![value], false),
            SettingValues::Arms(values) => (values, true),
        };
        chosen = chosen
            .iter()
            .flat_map(|before| values.iter().map(|value| before.with(&name, value, is_arm)))
            .collect();
    }
    chosen
}

impl ChosenSettings {
    fn with(&self, name: &str, value: &SettingValue, is_arm: bool) -> Self {
        let mut with = self.clone();
        with.values.insert(name.to_owned(), value.clone());
        if is_arm {
            with.arm.insert(name.to_owned(), value.text());
        }
        with
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_a_cell() {
        let file: BenchFile = toml::from_str(
            "name = 'a'\nrepeats = 2\nsettings = { approve = 'auto', sandbox = 'local' }\n\
             [[agents]]\nname = 'one'\nsettings.effort = 'high'\n[[agents]]\nname = 'two'\n",
        )
        .unwrap();
        let settings = "code-mode = ['python', 'native']\nsandbox = 'docker'";
        let task = EntryTask {
            kind: TaskKind::Study,
            name: "x".to_owned(),
            path: "x".into(),
            content: Digest::compute(b"x"),
            study: Vec::new(),
            questions: Vec::new(),
            settings: toml::from_str(settings).unwrap(),
            shape: SlurmShape::default(),
        };
        assert_eq!(count(&file, std::slice::from_ref(&task)), 2 * 2 * 2);
        let cells = combine(&file, &[task], Path::new("/b"));
        assert_eq!(cells.len(), 2 * 2 * 2);
        let first = &cells[0];
        assert_eq!((first.agent.as_str(), first.repeat), ("one", 1));
        assert_eq!(first.arm["code-mode"], "python");
        assert_eq!(
            first.options,
            [
                "--approve=auto",
                "--code-mode=python",
                "--effort=high",
                "--sandbox=docker"
            ]
        );
        assert_eq!(first.arm.len(), 1);
    }
}
