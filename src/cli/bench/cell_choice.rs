//! The choice of a cell's run, from the settings of a bench file.

use std::collections::BTreeMap;

use super::file::SettingValue;
use super::setting::{Setting, WrongSetting};
use crate::analysis::bench::cell::TaskKind;
use crate::catalog::stages::agent_file::MOST_ATTEMPTS;
use crate::cli::capsule_attempt::args::AttemptArgs;
use crate::cli::host_name::host_name;
use crate::cli::notebook_attempt::args::NotebookAttemptArgs;
use crate::cli::patience_args::{MOST_ANSWER_ATTEMPTS, MOST_SECONDS};
use crate::cli::run_options::ChoiceArgs;
use crate::cli::sampling::{MOST_SEED, temperature, top_p};
use crate::domain::probe::ProbeSettings;
use crate::domain::sampling::Sampling;
use crate::domain::stage::Stage;
use crate::engine::choice::agent::AgentChoice;
use crate::engine::choice::capsule::CapsuleChoice;
use crate::engine::choice::notebook::NotebookChoice;
use crate::engine::choice::run::RunChoice;
use crate::engine::choice::study::StudyChoice;
use crate::policy::cap::Cap;
use crate::policy::scope::{Quantity, Scope};

/// Settings that say something of the setting `agent`, and mean nothing without it.
const OF_AGENT: [&str; 9] = [
    "agent-argument",
    "agent-data",
    "agent-files",
    "agent-program",
    "agent-stages",
    "agents-dir",
    "attempts",
    "dialect",
    "translate",
];
/// Settings of which a run takes one.
const EITHER: [[&str; 2]; 2] = [["as-of", "lock"], ["no-probe", "probe-time"]];

/// The choice of a cell's run, by the kind of its task.
#[derive(Debug, Clone, PartialEq)]
pub enum CellChoice {
    Study(StudyChoice),
    Capsule(CapsuleChoice),
    Notebook(NotebookChoice),
}

/// Settings that cannot be chosen, all in one line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}", .0.join("; "))]
pub struct WrongSettings(Vec<String>);

impl CellChoice {
    /// The choice that one value of each setting makes.
    ///
    /// # Errors
    /// All settings that a task of the kind does not have, and values that they do not take.
    pub fn read(kind: TaskKind, settings: &BTreeMap<String, SettingValue>) -> Result<Self, WrongSettings> {
        let mut choice = match kind {
            TaskKind::Study => Self::Study(StudyChoice::default()),
            TaskKind::Capsule => Self::Capsule(CapsuleChoice::default()),
            TaskKind::Notebook => Self::Notebook(NotebookChoice::default()),
        };
        let given = settings.iter().map(|(name, value)| Setting { name, value });
        let given: Vec<Setting<'_>> = given
            .filter(|setting| *setting.value != SettingValue::Flag(false))
            .collect();
        let mut faults: Vec<String> = given
            .iter()
            .filter_map(|setting| Some(choice.fill(*setting).err()?.to_string()))
            .collect();
        let has = |name: &str| given.iter().any(|setting| setting.name == name);
        let alone = OF_AGENT.into_iter().filter(|name| has(name) && !has("agent"));
        faults.extend(alone.map(|name| {
            format!("the setting `{name}` says something of `agent`, which is not given: add it, or leave `{name}` out")
        }));
        let both = EITHER
            .into_iter()
            .filter(|names| names.iter().all(|name| has(name)));
        faults.extend(both.map(|[one, other]| format!("give `{one}` or `{other}`, and not both")));
        match faults.is_empty() {
            true => Ok(choice),
            false => Err(WrongSettings(faults)),
        }
    }

    /// The part that does not depend on the kind of the task.
    pub fn run_mut(&mut self) -> &mut RunChoice {
        match self {
            Self::Study(choice) => &mut choice.run,
            Self::Capsule(choice) => &mut choice.run,
            Self::Notebook(choice) => &mut choice.run,
        }
    }

    /// Leaves out the agent, its model and what they may spend, and who approves.
    pub fn forget_agent(&mut self) {
        let run = self.run_mut();
        run.agent = AgentChoice::default();
        run.model = None;
        run.vision_model = None;
        run.sampling = Sampling {
            top_p: run.sampling.top_p,
            ..Sampling::default()
        };
        let stages: Vec<Stage> = run.budget.stages().collect();
        let of_stages = stages.into_iter().map(Scope::Stage);
        for scope in of_stages.chain([Scope::Turn, Scope::EachStage, Scope::Run, Scope::Batch]) {
            run.budget.at(scope).money = None;
        }
        if let Self::Study(choice) = self {
            choice.search = None;
            choice.agent_stages = None;
            choice.agent_data = false;
        }
    }

    fn fill(&mut self, setting: Setting<'_>) -> Result<(), WrongSetting> {
        if fill_run(self.run_mut(), setting)? {
            return Ok(());
        }
        let is_known = match self {
            Self::Study(choice) => fill_study(choice, setting)?,
            Self::Capsule(choice) => fill_capsule(choice, setting)?,
            Self::Notebook(choice) => fill_notebook(choice, setting)?,
        };
        match (is_known, &self) {
            (true, _) => Ok(()),
            (false, Self::Study(_)) => Err(setting.unknown::<ChoiceArgs>()),
            (false, Self::Capsule(_)) => Err(setting.unknown::<AttemptArgs>()),
            (false, Self::Notebook(_)) => Err(setting.unknown::<NotebookAttemptArgs>()),
        }
    }
}

/// Fills in a setting of any run; false if it is none.
fn fill_run(choice: &mut RunChoice, setting: Setting<'_>) -> Result<bool, WrongSetting> {
    let cap = |quantity| setting.read(|text| Cap::parse(quantity, text));
    let (sampling, agent) = (&mut choice.sampling, &mut choice.agent);
    match setting.name {
        "model" => choice.model = Some(setting.text()?),
        "effort" => sampling.effort = Some(setting.word()?),
        "temperature" => sampling.temperature = Some(setting.read(temperature)?),
        "top-p" => sampling.top_p = Some(setting.read(top_p)?),
        "seed" => sampling.seed = Some(setting.within(0..=MOST_SEED)?),
        "answer-time" => choice.patience.answer_seconds = Some(setting.within(1..=MOST_SECONDS.into())?),
        "answer-silence" => choice.patience.silence_seconds = Some(setting.within(1..=MOST_SECONDS.into())?),
        "answer-attempts" => {
            choice.patience.attempts = Some(setting.within(1..=MOST_ANSWER_ATTEMPTS.into())?)
        }
        "approve" => choice.approve = setting.text()?,
        "sandbox" => choice.sandbox = setting.word()?,
        "time-limit" => choice.limits.seconds = setting.parsed()?,
        "memory-limit" => choice.limits.memory = setting.parsed::<u64>()? << 20,
        "process-limit" => choice.limits.processes = setting.parsed()?,
        "allow-host" => choice.hosts = vec![setting.read(host_name)?],
        "stages-dir" => choice.stages_dir = Some(setting.path()?),
        "lock" => choice.lock.file = Some(setting.path()?),
        "as-of" => choice.lock.as_of = Some(setting.parsed()?),
        "max-turns" => choice.budget.set(cap(Quantity::Turns)?),
        "max-tokens" => choice.budget.set(cap(Quantity::Tokens)?),
        "max-cost" => choice.budget.set(cap(Quantity::Money)?),
        "max-time" => choice.budget.set(cap(Quantity::Seconds)?),
        "allow-unpriced" => choice.allow_unpriced = setting.flag()?,
        "agent" => agent.name = Some(setting.text()?),
        "dialect" => agent.dialect = Some(setting.parsed()?),
        "translate" => agent.translate = setting.flag()?,
        "agent-files" => agent.files = Some(setting.path()?),
        "agents-dir" => agent.agents_dir = Some(setting.path()?),
        "agent-program" => agent.program = Some(setting.text()?),
        "agent-argument" => agent.arguments = vec![setting.text()?],
        "agent-sampling" => agent.sampling = setting.word()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn fill_study(choice: &mut StudyChoice, setting: Setting<'_>) -> Result<bool, WrongSetting> {
    match setting.name {
        "code-mode" => choice.code_mode = setting.word()?,
        "code-access" => choice.code_access = setting.word()?,
        "stages" => choice.stages = setting.parsed()?,
        "search" => choice.search = Some(setting.text()?),
        "vision-model" => choice.run.vision_model = Some(setting.text()?),
        "wording" => choice.wording = setting.word()?,
        "mend" => choice.mend = setting.word()?,
        "no-probe" => {
            setting.flag()?;
            choice.probe = None;
        }
        "probe-time" => {
            choice.probe = Some(ProbeSettings {
                seconds: Some(setting.parsed()?),
            });
        }
        "agent-stages" => choice.agent_stages = Some(setting.parsed()?),
        "agent-data" => choice.agent_data = setting.flag()?,
        _ => return Ok(false),
    }
    Ok(true)
}

fn fill_capsule(choice: &mut CapsuleChoice, setting: Setting<'_>) -> Result<bool, WrongSetting> {
    match setting.name {
        "capsules" => choice.capsules = Some(setting.path()?),
        "level" => choice.level = setting.parsed()?,
        "layout" => choice.layout = setting.parsed()?,
        "base-images" => choice.base_images = Some(setting.path()?),
        "network" => choice.network = setting.word()?,
        "processors" => choice.run.limits.processors = Some(setting.parsed()?),
        "vision-model" => choice.run.vision_model = Some(setting.text()?),
        "lost-session" => choice.lost_session = setting.word()?,
        "limits" => choice.published = Some(setting.word()?),
        _ => return Ok(false),
    }
    Ok(true)
}

fn fill_notebook(choice: &mut NotebookChoice, setting: Setting<'_>) -> Result<bool, WrongSetting> {
    let budgets = &mut choice.budgets;
    match setting.name {
        "repos" => choice.repos = Some(setting.path()?),
        "at" => choice.at = setting.parsed()?,
        "package" => choice.packages = vec![setting.text()?],
        "system" => choice.system = vec![setting.text()?],
        "cleaning" => choice.cleaning = setting.parsed()?,
        "network" => choice.network = setting.word()?,
        "processors" => choice.run.limits.processors = Some(setting.parsed()?),
        "lost-session" => choice.lost_session = setting.word()?,
        "attempts" => choice.attempts = Some(setting.within(1..=u64::from(MOST_ATTEMPTS))?),
        "environment-seconds" => budgets.environment_seconds = Some(setting.parsed()?),
        "prompt-tokens" => budgets.prompt_tokens = Some(setting.parsed()?),
        "iterations" => budgets.iterations = Some(setting.within(1..=1000)?),
        "wait" => budgets.wait = Some(setting.within(1..=86_400)?),
        _ => return Ok(false),
    }
    Ok(true)
}

#[cfg(test)]
mod tests {
    use clap::{Args, Command};

    use super::*;
    use crate::domain::mode::CodeMode;
    use crate::domain::usage::MicroDollars;

    fn read(kind: TaskKind, settings: &str) -> Result<CellChoice, String> {
        CellChoice::read(kind, &toml::from_str(settings).unwrap()).map_err(|wrong| wrong.to_string())
    }

    #[test]
    fn settings_fill_the_choice_of_their_track() {
        let settings =
            "code-mode = 'native'\nno-probe = true\nallow-unpriced = false\nmax-cost = 0.5\nseed = 7";
        let Ok(CellChoice::Study(choice)) = read(TaskKind::Study, settings) else {
            panic!("it is of a study");
        };
        let mut expected = StudyChoice {
            code_mode: CodeMode::Native,
            probe: None,
            ..StudyChoice::default()
        };
        expected.run.sampling.seed = Some(7);
        expected.run.budget.at(Scope::Run).money = Some(MicroDollars(500_000));
        assert_eq!(choice, expected);
    }

    /// A bench file takes every option of a run, of which the task itself is none.
    fn every_option_is_a_setting<A: Args>(kind: TaskKind) {
        let command = A::augment_args(Command::new("bench"));
        let names = command.get_arguments().filter_map(|argument| argument.get_long());
        let names: Vec<&str> = names.filter(|name| *name != "task").collect();
        assert!(names.len() > 25, "{names:?}");
        for name in names {
            let settings = format!("agent = 'x'\n{name} = 'x y'").replace("agent = 'x'\nagent =", "agent =");
            let told = read(kind, &settings).err().unwrap_or_default();
            assert!(!told.contains("there is no setting"), "{told}");
        }
    }

    #[test]
    fn a_bench_file_takes_the_options_of_the_command_line() {
        every_option_is_a_setting::<ChoiceArgs>(TaskKind::Study);
        every_option_is_a_setting::<AttemptArgs>(TaskKind::Capsule);
        every_option_is_a_setting::<NotebookAttemptArgs>(TaskKind::Notebook);
    }

    #[test]
    fn wrong_settings_are_told_at_once_in_words_of_the_file() {
        let settings = "code-mode = 'nativ'\ncolour = 'red'\nmax-cost = 'much'\nmax-turns = 3\nno-probe = 0.5\n\
                        codemode = 'native'\nseed = -1\nmodel = true\ndialect = 'messages'\nlock = 'x'\n\
                        as-of = '2019-06-30'\ntemperature = 3";
        let told = read(TaskKind::Study, settings).unwrap_err();
        for named in [
            "the setting `code-mode` cannot be `nativ`: it takes native, python",
            "there is no setting `colour` for it;",
            "there is no setting `codemode` for it: did you mean `code-mode`?",
            "the setting `max-cost` cannot be `much`: `much` is no cap",
            "the setting `no-probe` is `true` or `false`, and has `0.5`",
            "the setting `seed` cannot be `-1`: give a whole number",
            "the setting `model` has no value",
            "the setting `dialect` says something of `agent`, which is not given",
            "give `as-of` or `lock`, and not both",
            "the setting `temperature` cannot be `3`: give a number from 0 to 2",
        ] {
            assert!(told.contains(named), "{named}: {told}");
        }
        assert!(!told.contains("max-turns") && !told.contains('\n'), "{told}");
        let told = read(TaskKind::Notebook, "code-mode = 'native'\niterations = 1001").unwrap_err();
        assert!(told.contains("there is no setting `code-mode` for it"), "{told}");
        assert!(
            told.contains("`iterations` cannot be `1001`: give 1 to 1000"),
            "{told}"
        );
    }
}
