//! The plan of a run as a preregistration: the questions of the OSF's form, answered from
//! what was fixed before the data were analysed.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;
use minijinja::value::Value;
use serde::Serialize;

use crate::artifacts::store::StoreError;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::domain::content::Content;
use crate::domain::digest::Digest;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::run::event::Event;
use crate::run::state::State;

use super::plan_form::{FormSection, sections};
use super::sanitize;
use super::study_kind::StudyKindView;
use super::template::{TemplateError, environment, value};

/// A plan as it is registered.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Preregistration {
    pub title: String,
    pub study: String,
    pub run: String,
    pub engine: String,
    /// When the plan was fixed.
    pub fixed_at: Option<Timestamp>,
    pub sections: Vec<FormSection>,
    pub digests: Vec<NamedDigest>,
}

/// A file or a folder behind the text, by its digest.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NamedDigest {
    pub name: String,
    pub digest: String,
}

/// A run whose plan cannot be registered.
#[derive(Debug, thiserror::Error)]
pub enum NoPlan {
    #[error(
        "{0} has no plan yet: the stage design has to end first, as with `reprise run STUDY --stages ..design`"
    )]
    Undesigned(String),
    #[error(
        "{0} has executed its plan, and what is registered after the results are known is no preregistration: \
         stop after the plan with `--stages ..design`"
    )]
    Executed(String),
    #[error(
        "{0} was planned by a program that had the data in reach (--agent-data), and such a plan is no preregistration: \
         run it again without --agent-data"
    )]
    DataInReach(String),
    #[error(transparent)]
    Engine(#[from] EngineError),
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Preregistration {
    /// The plan of a run that has not carried it out.
    ///
    /// # Errors
    /// A run without a plan, or one that has executed something already.
    pub fn from_run(run: &RunReader) -> Result<Self, NoPlan> {
        let name = || run.folder.path().display().to_string();
        let state = &run.state;
        let (Some(started), Some(plan), Some(artifact)) = (
            &state.started,
            run_reader::answer::<ReplicationInfo>(state, &run.store, Stage::DESIGN)?,
            state
                .stages
                .get(&Stage::DESIGN)
                .and_then(|stage| stage.artifact()),
        ) else {
            return Err(NoPlan::Undesigned(name()));
        };
        if state.executions.iter().next().is_some() {
            return Err(NoPlan::Executed(name()));
        }
        if state.is_planned_with_data() {
            return Err(NoPlan::DataInReach(name()));
        }
        let fixed_at = run.records.iter().find_map(|record| match &record.event {
            Event::StageEnded { stage, .. } if *stage == Stage::DESIGN => Some(record.at),
            _ => None,
        });
        let kind = StudyKindView::from_state(state);
        Ok(Self {
            title: started.title.clone(),
            study: started.study.clone(),
            run: started.run.to_string(),
            engine: started.engine.clone(),
            fixed_at,
            sections: sections(&started.claim, &kind, &plan),
            digests: digests(run, artifact)?,
        })
    }

    /// As GitHub-flavoured Markdown.
    ///
    /// # Errors
    /// A template that does not fit.
    pub fn markdown(&self) -> Result<String, TemplateError> {
        self.render("preregistration.md", include_str!("templates/preregistration.md"))
    }

    /// As a page that browsers and word processors open.
    ///
    /// # Errors
    /// A template that does not fit.
    pub fn html(&self) -> Result<String, TemplateError> {
        self.render(
            "preregistration.html",
            include_str!("templates/preregistration.html"),
        )
    }

    fn render(&self, name: &'static str, source: &'static str) -> Result<String, TemplateError> {
        let mut environment = environment()?;
        let is_page = name.ends_with(".html");
        environment.add_filter("prose", move |text: &str| {
            Value::from_safe_string(if is_page {
                sanitize::html_prose(text)
            } else {
                sanitize::markdown_prose(text)
            })
        });
        environment.add_template(name, source)?;
        let page = environment.get_template(name)?;
        Ok(page.render(minijinja::context! { plan => value(self) })?)
    }
}

/// What a reader needs to see later that the plan, the code and the data are those registered.
fn digests(run: &RunReader, plan: &Content) -> Result<Vec<NamedDigest>, NoPlan> {
    let named = |name: &str, digest: Digest| NamedDigest {
        name: name.to_owned(),
        digest: digest.to_string(),
    };
    let mut digests = vec![named(
        "the plan, `artifacts/replication_info.json`",
        Digest::compute(run.text(plan)?),
    )];
    if let Some(started) = &run.state.started {
        digests.push(named("the study's inputs", started.study_digest));
        digests.push(named("the data", started.data_digest));
        let scripts = planned_scripts(&run.state).into_iter();
        digests.extend(scripts.map(|(path, digest)| named(&format!("`{path}`"), digest)));
    }
    Ok(digests)
}

/// The scripts as they are when the plan is made.
fn planned_scripts(state: &State) -> BTreeMap<WorkspacePath, Digest> {
    let staged = state.started.iter().flat_map(|started| &started.code);
    let mut scripts: BTreeMap<WorkspacePath, Digest> =
        staged.map(|file| (file.path.clone(), file.digest)).collect();
    let later = [Stage::EXECUTE, Stage::INTERPRET];
    let planning = state.stages.iter().filter(|(stage, _)| !later.contains(stage));
    for (_, change) in planning.flat_map(|(_, stage)| stage.changes()) {
        scripts.insert(change.path.clone(), change.after.digest());
    }
    scripts.retain(|path, _| path.as_str().starts_with("work/"));
    scripts
}

/// Runs next to this one that have executed the same scripts on the same data: a plan
/// that is registered after them is not fixed before its results were known.
pub fn executed_before(run: &RunReader) -> Vec<PathBuf> {
    let Some(started) = &run.state.started else {
        return Vec::new();
    };
    let own = run.folder.path();
    let scripts = planned_scripts(&run.state);
    let is_same = |other: &RunReader| {
        let begun = other.state.started.as_ref();
        other.state.executions.iter().next().is_some()
            && begun.is_some_and(|begun| begun.data_digest == started.data_digest)
            && planned_scripts(&other.state) == scripts
    };
    let siblings = own.parent().and_then(|folder| folder.read_dir().ok());
    let mut found: Vec<PathBuf> = siblings
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path != own && path.is_dir())
        .filter(|path| RunReader::open(path).is_ok_and(|other| is_same(&other)))
        .collect();
    found.sort();
    found
}
