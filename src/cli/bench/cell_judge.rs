//! The judge of a cell, by the settings of a bench file.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use serde_json::{Value, json};

use super::file::SettingValue;
use super::setting::{Setting, WrongSetting};
use crate::analysis::bench::judged::JUDGE;
use crate::app::judges::Judges;
use crate::app::process_shared::ProcessShared;
use crate::app::program::Program;
use crate::catalog::rubrics::load::Rubrics;
use crate::cli::exit::Failure;
use crate::cli::judge_args::JudgeArgs;
use crate::cli::judged_run::RunJudge;
use crate::cli::sampling::temperature;
use crate::domain::digest::Digest;
use crate::domain::replication;
use crate::engine::request::RunRequest;
use crate::grading::scored_run::grading_request::GradingRequest;
use crate::grading::scored_run::judge_grading::Judge;
use crate::model::access::Access;
use crate::model::name::{self, is_recording};
use crate::model::recording::path::recording_path;
use crate::policy::limits::{Caps, Used};
use crate::policy::scope::Scope;

/// The settings of a judge. They are no options of a run.
const SETTINGS: [&str; 6] = [
    JUDGE,
    "judge-repeats",
    "judge-seed",
    "judge-temperature",
    "judge-tokens",
    "judge-dollars",
];

/// Whether a setting is of the judge.
pub fn is_of_judge(setting: &str) -> bool {
    SETTINGS.contains(&setting)
}

/// The judge as a bench file has it.
#[derive(Debug)]
struct JudgeChoice {
    model: Option<String>,
    repeats: u32,
    asking: JudgeArgs,
}

impl JudgeChoice {
    fn read(settings: &BTreeMap<String, SettingValue>) -> Result<Self, Failure> {
        let mut choice = Self {
            model: None,
            repeats: 3,
            asking: JudgeArgs::default(),
        };
        let given = settings.iter().map(|(name, value)| Setting { name, value });
        let given = given.filter(|setting| *setting.value != SettingValue::Flag(false));
        let faults: Vec<String> = given
            .filter_map(|setting| Some(choice.fill(setting).err()?.to_string()))
            .collect();
        match faults.is_empty() {
            true => Ok(choice),
            false => Err(Failure::usage(faults.join("; "))),
        }
    }

    fn fill(&mut self, setting: Setting<'_>) -> Result<(), WrongSetting> {
        let asking = &mut self.asking;
        match setting.name {
            "judge-repeats" => self.repeats = setting.within(1..=25)?,
            "judge-seed" => asking.judge_seed = Some(setting.parsed()?),
            "judge-temperature" => asking.judge_temperature = Some(setting.read(temperature)?),
            "judge-tokens" => asking.judge_tokens = Some(setting.parsed()?),
            "judge-dollars" => asking.judge_dollars = Some(setting.parsed()?),
            _ => self.model = Some(setting.text()?),
        }
        Ok(())
    }
}

/// The judge of a cell, and how it is asked.
#[derive(Debug, Clone)]
pub struct CellJudge {
    pub judge: RunJudge,
    pub request: GradingRequest,
    /// Everything of it that makes a cell another one.
    pub identity: Value,
}

/// The judging of a cell that is planned.
#[derive(Clone)]
pub struct PlannedJudging {
    pub of: CellJudge,
    /// The caps on the cell's run, which hold for the run and its judge together.
    pub of_run: Caps,
    /// What was set aside in the pool for answers that are there.
    pub set_aside: Used,
    /// Whether nothing is left to be asked.
    pub is_done: bool,
    /// What it shares with some of the runs alone; `None` of what it shares with all.
    pub shared: Option<Arc<ProcessShared>>,
}

impl CellJudge {
    /// The judge that a cell's settings name; `None` where they name none.
    ///
    /// # Errors
    /// Settings that cannot be read, or a table of models or rubrics that cannot be used.
    pub fn read(
        program: &Program,
        settings: &BTreeMap<String, SettingValue>,
        study: &Path,
    ) -> Result<Option<Self>, Failure> {
        if settings.values().all(|value| *value == SettingValue::Flag(false)) {
            return Ok(None);
        }
        let choice = JudgeChoice::read(settings)?;
        let Some(model) = choice.model else {
            let given = settings
                .iter()
                .map(|(name, value)| format!("{name}={}", value.text()));
            return Err(Failure::usage(format!(
                "{} is of a judge, and none is named: add `judge`",
                given.collect::<Vec<_>>().join(", ")
            )));
        };
        let unusable = |error: &dyn std::fmt::Display| Failure::usage(format!("judge: {error}"));
        let access = Access::open(&program.settings).map_err(|error| unusable(&error))?;
        let rubrics = Rubrics::load(None).map_err(|error| unusable(&error))?;
        let rubrics: Vec<Digest> = (replication::STAGES.iter())
            .filter_map(|stage| Some(rubrics.get(*stage)?.digest()))
            .collect();
        let recording = recording(&model, study);
        let request = GradingRequest {
            judges: vec![model.clone()],
            dropped: Vec::new(),
            repeats: choice.repeats,
            seed: choice.asking.judge_seed,
            temperature: choice.asking.judge_temperature,
            graded_design: false,
            baselines: true,
            caps: choice.asking.caps()?,
        };
        let identity = json!({
            "judge": recording.map_or_else(|| json!(model), |digest| json!(digest)),
            "repeats": request.repeats,
            "seed": request.seed,
            "temperature": request.temperature,
            "rubrics": rubrics,
        });
        let judge = RunJudge {
            name: name(&model, recording),
            price: access.capabilities(&model).price,
            model,
        };
        Ok(Some(Self {
            judge,
            request,
            identity,
        }))
    }

    /// Everything that keeps the judge from marking runs that were asked for so, under these caps on all of them.
    pub fn fault(&self, program: &Program, request: &RunRequest, all: &Caps) -> Option<String> {
        let model = &self.judge.model;
        if request.is_by_hand() {
            return Some("a person does its stages, and a judge marks no person's prose".to_owned());
        }
        let caps_money = [&self.request.caps, &request.budget.caps(Scope::Run), all];
        let caps_money = caps_money.iter().any(|caps| caps.money.is_some());
        if caps_money && self.judge.price.is_none() && !is_recording(model) {
            return Some(format!(
                "no price is known for {model}, so that no cap on money can be kept: cap tokens instead"
            ));
        }
        let shared = ProcessShared::default();
        let judges = Judges {
            settings: &program.settings,
            shared: &shared,
        };
        let opened = Judge::open(&judges, &self.request, model, &request.study);
        opened.err().map(|error| error.to_string())
    }
}

/// The digest of the recording that answers for a judge; `None` of a live one, and of one that is not there.
fn recording(model: &str, study: &Path) -> Option<Digest> {
    let (_, name) = name::recording(model)?;
    let bytes = std::fs::read(recording_path(study, name)).ok()?;
    Some(Digest::compute(bytes))
}

/// A judge without the place where its recording lies.
fn name(model: &str, recording: Option<Digest>) -> String {
    let Some((prefix, file)) = name::recording(model) else {
        return model.to_owned();
    };
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let digest = recording.map_or_else(|| "not there".to_owned(), |digest| digest.short());
    format!("{prefix}{stem} ({digest})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recording_is_named_without_its_place() {
        let digest = Digest::compute(b"x");
        let short = digest.short();
        assert_eq!(
            name("recorded:/home/me/judgings/by-hand.json", Some(digest)),
            format!("recorded:by-hand ({short})")
        );
        assert_eq!(name("recorded:none", None), "recorded:none (not there)");
        assert_eq!(name("vllm/127.0.0.1:80/x", None), "vllm/127.0.0.1:80/x");
    }
}
