//! `stage.toml`: read, and held to what the engine relies on.

use serde::Deserialize;

use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::inputs::{AnswerReview, StageInputs};
use crate::catalog::stages::template::Template;
use crate::domain::execution::RUN_ANALYSIS;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::domain::track::{Track, TrackStage};

/// The tools that a stage may offer.
pub const TOOLS: [&str; 10] = [
    "list_files",
    "read_file",
    "search_files",
    "inspect_data",
    "write_file",
    "edit_file",
    RUN_ANALYSIS,
    "ask_person",
    "web_search",
    "fetch_page",
];

/// The keys of the file. What a copy of a built-in one leaves out of the optional ones is
/// as it is built in.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct StageFile {
    stage: Stage,
    pub schema: String,
    pub tools: Vec<String>,
    pub turns: u32,
    pub output_tokens: u32,
    pub repairs: u32,
    paper: Option<bool>,
    quotes: Option<Vec<Stage>>,
    execution_result: Option<bool>,
    helpers: Option<bool>,
    plan: Option<Stage>,
    review: Option<AnswerReview>,
    pub earlier_results: Option<u32>,
}

/// The rules that a stage's file is held to.
pub(super) struct StageRules<'a> {
    pub track: &'a Track,
    pub place: &'a TrackStage,
    /// The tools of the track's environment.
    pub acting: &'a [String],
    /// The file that is built in for a stage of that name.
    pub built_in: Option<&'a Template>,
}

impl StageFile {
    /// Reads a stage's file.
    pub fn read(toml: &Template, rules: &StageRules<'_>) -> Result<Self, CatalogError> {
        let mut read = Self::parse(toml)?;
        if let Some(built_in) = rules.built_in {
            read.complete(Self::parse(built_in)?);
        }
        read.check(toml, rules)?;
        read.check_inputs(toml, rules)?;
        Ok(read)
    }

    fn parse(toml: &Template) -> Result<Self, CatalogError> {
        toml::from_str(&toml.source).map_err(|error| toml.in_toml(&error))
    }

    fn complete(&mut self, built_in: Self) {
        self.paper = self.paper.or(built_in.paper);
        self.quotes = self.quotes.take().or(built_in.quotes);
        self.execution_result = self.execution_result.or(built_in.execution_result);
        self.helpers = self.helpers.or(built_in.helpers);
        self.plan = self.plan.or(built_in.plan);
        self.review = self.review.or(built_in.review);
        self.earlier_results = self.earlier_results.or(built_in.earlier_results);
    }

    pub fn inputs(&self) -> StageInputs {
        StageInputs {
            paper: self.paper.unwrap_or_default(),
            quotes: self.quotes.clone(),
            execution_result: self.execution_result.unwrap_or_default(),
            helpers: self.helpers.unwrap_or_else(|| self.executes()),
            plan: self.plan,
        }
    }

    pub fn review(&self) -> Option<AnswerReview> {
        self.review.filter(|review| *review != AnswerReview::None)
    }

    fn executes(&self) -> bool {
        self.tools.iter().any(|tool| tool == RUN_ANALYSIS)
    }

    fn check(&self, toml: &Template, rules: &StageRules<'_>) -> Result<(), CatalogError> {
        let StageRules { place, acting, .. } = rules;
        let stage = place.stage;
        let known = |name: &str| TOOLS.contains(&name) || acting.iter().any(|tool| tool == name);
        if let Some(name) = self.tools.iter().find(|name| !known(name)) {
            return Err(CatalogError::UnknownTool {
                file: toml.file.clone(),
                line: toml.line_of_word(&format!("\"{name}\"")),
                name: name.clone(),
                known: TOOLS
                    .into_iter()
                    .chain(acting.iter().map(String::as_str))
                    .collect::<Vec<_>>()
                    .join(", "),
            });
        }
        if self.stage != stage {
            let problem = format!("the stage `{}` stands in the folder of `{stage}`", self.stage);
            return Err(toml.wrong("stage", problem));
        }
        let typed = replication::artifact(stage);
        if !typed.is_empty() && place.artifact != typed {
            let problem = format!(
                "{stage} answers with {typed}, and the track names {}",
                place.artifact
            );
            return Err(toml.wrong("schema", problem));
        }
        let schema = place.artifact.trim_end_matches(".json");
        if self.schema != schema {
            let problem = format!(
                "the schema `{}` is not `{schema}`, the one of {stage}",
                self.schema
            );
            return Err(toml.wrong("schema", problem));
        }
        if !(1..=1000).contains(&self.turns) {
            let problem = format!("{} turns are not between 1 and 1000", self.turns);
            return Err(toml.wrong("turns", problem));
        }
        if self.output_tokens < 256 || self.repairs > 20 {
            let problem = "at least 256 output tokens and at most 20 repairs are allowed".to_owned();
            return Err(toml.wrong("output_tokens", problem));
        }
        Ok(())
    }

    /// What a stage asks for has to be there when it starts.
    fn check_inputs(&self, toml: &Template, rules: &StageRules<'_>) -> Result<(), CatalogError> {
        let StageRules { track, place, .. } = rules;
        let earlier = |named: Stage| track.is_before(named, place.stage);
        let late = |named: Stage| {
            let names: Vec<String> = track
                .stages()
                .take_while(|one| *one != place.stage)
                .map(|one| one.to_string())
                .collect();
            format!(
                "`{named}` is no stage of the track `{}` before {}: expected one of {}",
                track.track,
                place.stage,
                if names.is_empty() {
                    "none, since it is the first".to_owned()
                } else {
                    names.join(", ")
                }
            )
        };
        if let Some(named) = self.quotes.iter().flatten().find(|named| !earlier(**named)) {
            return Err(toml.wrong("quotes", late(*named)));
        }
        match self.plan {
            Some(named) if !earlier(named) => return Err(toml.wrong("plan", late(named))),
            None if self.executes() => {
                let problem = format!(
                    "{} offers `{RUN_ANALYSIS}` and names no `plan`: name the earlier stage whose answer says what is \
                     executed",
                    place.stage
                );
                return Err(toml.wrong(RUN_ANALYSIS, problem));
            }
            _ => {}
        }
        Ok(())
    }
}
