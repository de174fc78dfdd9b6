//! Reading stage definitions: the embedded ones, and a folder that overrides them.

use std::path::Path;

use include_dir::Dir;
use serde::Serialize;
use serde_json::Value;

use crate::catalog::stages::agent_file::StageAgent;
use crate::catalog::stages::agent_loading::AgentLoading;
use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::files::{EMBEDDED, built_in, find, must_find};
use crate::catalog::stages::inputs::AnswerReview;
use crate::catalog::stages::part_names::PartNames;
use crate::catalog::stages::stage_file::{StageFile, StageRules};
use crate::domain::digest::Digest;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::domain::track::{StageRange, Track, TrackStage};

/// A track and the definitions of its stages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Catalog {
    track: Track,
    /// In the order of the track.
    stages: Vec<StageDefinition>,
}

/// A stage that cannot be gone through alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LackingStage {
    pub stage: Stage,
    /// The earlier stage that it works on.
    pub needs: Stage,
}

/// The source of a catalog: a track, and the files that override the embedded ones.
#[derive(Debug, Clone, Copy, Default)]
pub struct CatalogSource<'a> {
    /// The track's name; replication where none is given.
    pub track: Option<&'a str>,
    /// A folder whose files take the place of the embedded ones.
    pub overrides: Option<&'a Path>,
    /// The environments and graders to choose from; those of every program where none
    /// are given.
    pub parts: Option<&'a PartNames>,
    /// The agent of this program that goes through the stages; our own loop where none is named.
    pub agent: Option<&'a str>,
}

impl Catalog {
    /// The definitions that are part of the program.
    ///
    /// # Errors
    /// A definition that cannot be used: a mistake in this program's own files.
    pub fn embedded() -> Result<Self, CatalogError> {
        Self::load(CatalogSource::default())
    }

    /// The definitions of a track, with every file that the folder of overrides holds
    /// in the place of the embedded one.
    ///
    /// # Errors
    /// Where a file is missing, cannot be read, or says what cannot be.
    pub fn load(source: CatalogSource<'_>) -> Result<Self, CatalogError> {
        if let Some(folder) = source.overrides.filter(|folder| !folder.is_dir()) {
            return Err(CatalogError::NotAFolder {
                folder: folder.to_owned(),
                option: "--stages-dir",
                such_as: "stages/",
            });
        }
        let built_in = PartNames::default();
        let parts = source.parts.unwrap_or(&built_in);
        let name = source.track.unwrap_or(replication::TRACK);
        let (track, acting) = load_track(name, source.overrides, parts)?;
        let loading = StageLoading {
            track: &track,
            acting: &acting,
            overrides: source.overrides,
        };
        let mut stages = loading.stages()?;
        if let Some(agent) = source.agent {
            stages = loading.agents().by_agent(stages, agent)?;
        }
        Ok(Self { track, stages })
    }

    /// The agents of this program that can go through a track's stages, by name.
    ///
    /// # Errors
    /// A track or a definition that cannot be used.
    pub fn agents(source: CatalogSource<'_>) -> Result<Vec<StageAgent>, CatalogError> {
        let built_in = PartNames::default();
        let parts = source.parts.unwrap_or(&built_in);
        let name = source.track.unwrap_or(replication::TRACK);
        let (track, acting) = load_track(name, source.overrides, parts)?;
        let loading = StageLoading {
            track: &track,
            acting: &acting,
            overrides: source.overrides,
        };
        loading.agents().of(&loading.stages()?)
    }

    /// The track that the stages belong to.
    pub fn track(&self) -> &Track {
        &self.track
    }

    /// The digest of all definitions, by which a run knows whether it goes on with
    /// those that it was begun with.
    pub fn digest(&self) -> Digest {
        Digest::compute_json(self)
    }

    /// Whether commands are executed in a range of the stages.
    pub fn executes(&self, range: StageRange) -> bool {
        let covered = |stage: &&StageDefinition| self.track.covers(range, stage.stage);
        self.stages.iter().filter(covered).any(StageDefinition::executes)
    }

    /// Whether the helpers for recording results stand in the workspace of a stage: it, or
    /// one before it, has them.
    pub fn has_helpers(&self, stage: Stage) -> bool {
        let upto = self.track.position(stage).map_or(0, |position| position + 1);
        self.stages.iter().take(upto).any(|one| one.inputs.helpers)
    }

    /// Whether a stage's prompt quotes the answer of an earlier one.
    pub fn quotes(&self, stage: Stage, earlier: Stage) -> bool {
        let definition = self.stage(stage);
        self.track.is_before(earlier, stage) && definition.is_some_and(|one| one.inputs.quotes(earlier))
    }

    /// The answers that say what is executed, which the stages that execute may mend.
    pub fn plans(&self) -> impl Iterator<Item = &str> {
        let plans = self.stages.iter().filter_map(|stage| stage.inputs.plan);
        plans.filter_map(|plan| self.track.artifact(plan))
    }

    /// The answer that says what a stage executes.
    pub fn plan_of(&self, stage: Stage) -> Option<&str> {
        self.track.artifact(self.stage(stage)?.inputs.plan?)
    }

    /// A stage of a range that works on what an earlier stage came to which the range leaves out.
    pub fn lacking(&self, range: StageRange) -> Option<LackingStage> {
        let covered = |stage: Stage| self.track.covers(range, stage);
        let stages = self.stages.iter().filter(|one| covered(one.stage));
        stages.into_iter().find_map(|one| {
            let plan = one.inputs.plan.filter(|plan| !covered(*plan));
            let executing = || {
                let before = self
                    .stages
                    .iter()
                    .filter(|other| self.track.is_before(other.stage, one.stage));
                let mut executing = before
                    .filter(|other| other.executes())
                    .map(|other| other.stage)
                    .peekable();
                let first = executing.peek().copied()?;
                (!executing.any(covered)).then_some(first)
            };
            let needs = plan.or_else(|| {
                if one.inputs.execution_result {
                    executing()
                } else {
                    None
                }
            })?;
            Some(LackingStage {
                stage: one.stage,
                needs,
            })
        })
    }

    /// Whether a stage comes before one that has commands executed, so that its plan is made there.
    pub fn precedes_execution(&self, stage: Stage) -> bool {
        let executing = self.stages.iter().filter(|other| other.executes());
        executing
            .map(|other| other.stage)
            .any(|other| self.track.is_before(stage, other))
    }

    /// What a stage's answer is held against.
    pub fn review_of(&self, stage: Stage) -> Option<AnswerReview> {
        self.stage(stage)?.review
    }

    /// A stage's definition, where the track has it.
    pub fn stage(&self, stage: Stage) -> Option<&StageDefinition> {
        self.stages.iter().find(|one| one.stage == stage)
    }
}

/// Reads a track, held to what the engine relies on, and finds the tools of its environment.
fn load_track(
    name: &str,
    overrides: Option<&Path>,
    parts: &PartNames,
) -> Result<(Track, Vec<String>), CatalogError> {
    let toml = match Stage::named(name) {
        // Names of tracks are as narrow as those of stages, and lead out of no folder.
        Some(_) => find(overrides, &format!("tracks/{name}.toml"))?,
        None => None,
    };
    let toml = toml.ok_or_else(|| CatalogError::UnknownTrack {
        name: name.to_owned(),
    })?;
    let track: Track = toml::from_str(&toml.source).map_err(|error| toml.in_toml(&error))?;
    if track.track != name {
        let problem = format!("the track `{}` stands in the file of `{name}`", track.track);
        return Err(toml.wrong("track", problem));
    }
    track
        .check(&taken(name)?)
        .map_err(|error| toml.wrong("stages", error.to_string()))?;
    let unknown = |key: &'static str, name: &str, known: Vec<&str>| CatalogError::UnknownPart {
        file: toml.file.clone(),
        line: toml.line_of_key(key),
        key,
        name: name.to_owned(),
        known: known.join(", "),
    };
    let environment = parts.environment(&track.environment).ok_or_else(|| {
        let known = parts.environments.iter().map(|one| one.name.as_str());
        unknown("environment", &track.environment, known.collect())
    })?;
    if !parts.graders.contains(&track.grader) {
        let known = parts.graders.iter().map(String::as_str);
        return Err(unknown("grader", &track.grader, known.collect()));
    }
    let tools = environment.tools.clone();
    Ok((track, tools))
}

/// The stages of the built-in tracks but this one, whose names stand for their definitions.
fn taken(name: &str) -> Result<Vec<Stage>, CatalogError> {
    let mut taken = Vec::new();
    let files = EMBEDDED.get_dir("tracks").into_iter().flat_map(Dir::files);
    for toml in files.filter_map(|file| built_in(file.path().to_str()?)) {
        let track: Track = toml::from_str(&toml.source).map_err(|error| toml.in_toml(&error))?;
        if track.track != name {
            taken.extend(track.stages());
        }
    }
    Ok(taken)
}

/// The context in which every stage of a track is read.
struct StageLoading<'a> {
    track: &'a Track,
    /// The tools of the track's environment.
    acting: &'a [String],
    overrides: Option<&'a Path>,
}

impl StageLoading<'_> {
    fn agents(&self) -> AgentLoading<'_> {
        AgentLoading {
            track: self.track,
            acting: self.acting,
            overrides: self.overrides,
        }
    }

    /// The stages of the track, in its order, as our own loop goes through them.
    fn stages(&self) -> Result<Vec<StageDefinition>, CatalogError> {
        self.track.stages.iter().map(|place| self.stage(place)).collect()
    }

    fn stage(&self, place: &TrackStage) -> Result<StageDefinition, CatalogError> {
        let (stage, overrides) = (place.stage, self.overrides);
        let file = format!("{stage}/stage.toml");
        let built_in = built_in(&file);
        let rules = StageRules {
            track: self.track,
            place,
            acting: self.acting,
            built_in: built_in.as_ref(),
        };
        let toml = must_find(overrides, &file)?;
        let read = StageFile::read(&toml, &rules)?;
        let system = match find(overrides, &format!("{stage}/system.md"))? {
            Some(own) => own,
            None => must_find(overrides, "system.md")?,
        };
        let definition = StageDefinition {
            stage,
            system,
            prompt: must_find(overrides, &format!("{stage}/prompt.md"))?,
            protocol: must_find(overrides, "protocol.md")?,
            inputs: read.inputs(),
            review: read.review(),
            tools: read.tools,
            turns: read.turns,
            output_tokens: read.output_tokens,
            repairs: read.repairs,
            earlier_results: read.earlier_results,
            schema: read.schema,
            own_schema: own_schema(place, overrides)?,
            dialogue: None,
        };
        if let Some(problem) = definition.review.and_then(|review| definition.unfit_for(review)) {
            return Err(toml.wrong("review", problem));
        }
        for template in [&definition.system, &definition.prompt, &definition.protocol] {
            template.check()?;
        }
        Ok(definition)
    }
}

/// The schema of a stage's answer, which every stage but replication's has in its folder.
fn own_schema(place: &TrackStage, overrides: Option<&Path>) -> Result<Option<Value>, CatalogError> {
    if replication::STAGES.contains(&place.stage) {
        return Ok(None);
    }
    let text = must_find(overrides, &format!("{}/schema.json", place.stage))?;
    let wrong = |problem: String| CatalogError::Toml {
        file: text.file.clone(),
        line: 1,
        problem,
    };
    let schema: Value = serde_json::from_str(&text.source).map_err(|error| wrong(error.to_string()))?;
    jsonschema::draft202012::new(&schema).map_err(|error| wrong(error.to_string()))?;
    Ok(Some(schema))
}
