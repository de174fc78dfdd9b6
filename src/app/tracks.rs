//! The tracks that a program knows, and the environments and graders that their definitions
//! choose from.

use std::path::Path;
use std::sync::Arc;

use crate::capsule::terms;
use crate::catalog::stages::agent_file::StageAgent;
use crate::catalog::stages::load::{Catalog, CatalogSource};
use crate::catalog::stages::part_names::{EnvironmentName, PartNames};
use crate::domain::claim_only;
use crate::domain::replication;
use crate::effects::capsule::shell::Shell;
use crate::effects::capsule::staging::CapsuleStaging;
use crate::effects::claim_only::ClaimStaging;
use crate::effects::environment::Environment;
use crate::effects::grader::Grader;
use crate::effects::notebook::kernel::Kernel;
use crate::effects::notebook::staging::NotebookStaging;
use crate::effects::replication::{PreregisteredRule, StudyStaging};
use crate::effects::track_parts::{ChosenParts, TrackParts};
use crate::engine::error::EngineError;
use crate::engine::request::RunRequest;
use crate::grading::capsule_grader::CapsuleAnswers;
use crate::grading::claim_grader::ClaimPrediction;
use crate::grading::notebook_grader::NotebookAnswers;
use crate::notebook::terms as notebook_terms;

/// Two parts of a program that have one name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("this program has two parts that are the {kind} `{name}`: name one of them otherwise")]
pub struct SameName {
    pub kind: &'static str,
    pub name: String,
}

/// A track as its definition describes it, with the parts that this chooses.
#[derive(Clone)]
pub struct OpenTrack {
    pub catalog: Catalog,
    pub parts: ChosenParts,
}

/// The tracks of a program.
#[derive(Clone)]
pub struct Tracks {
    parts: Vec<TrackParts>,
    names: PartNames,
}

impl Tracks {
    /// The tracks of every program, and these.
    ///
    /// # Errors
    /// Two tracks, environments or graders of one name.
    pub fn new(further: Vec<TrackParts>) -> Result<Self, SameName> {
        let replication = TrackParts {
            track: replication::TRACK.to_owned(),
            staging: Arc::new(StudyStaging),
            environments: Vec::new(),
            graders: vec![Arc::new(PreregisteredRule)],
        };
        let capsule = TrackParts {
            track: terms::TRACK.to_owned(),
            staging: Arc::new(CapsuleStaging),
            environments: vec![Arc::new(Shell)],
            graders: vec![Arc::new(CapsuleAnswers)],
        };
        let notebook = TrackParts {
            track: notebook_terms::TRACK.to_owned(),
            staging: Arc::new(NotebookStaging),
            environments: vec![Arc::new(Kernel)],
            graders: vec![Arc::new(NotebookAnswers)],
        };
        let claim_only = TrackParts {
            track: claim_only::TRACK.to_owned(),
            staging: Arc::new(ClaimStaging),
            environments: Vec::new(),
            graders: vec![Arc::new(ClaimPrediction)],
        };
        let parts: Vec<TrackParts> = [replication, capsule, notebook, claim_only]
            .into_iter()
            .chain(further)
            .collect();
        // Commands that are executed one by one need no part: every engine has them.
        let mut environments = PartNames::default().environments;
        for environment in parts.iter().flat_map(|parts| &parts.environments) {
            let tools = environment.tools();
            environments.push(EnvironmentName {
                name: environment.name().to_owned(),
                tools: tools.iter().map(|tool| tool.name().to_owned()).collect(),
            });
        }
        let graders = parts.iter().flat_map(|parts| &parts.graders);
        let names = PartNames {
            environments,
            graders: graders.map(|grader| grader.name().to_owned()).collect(),
        };
        once("track", parts.iter().map(|parts| parts.track.as_str()))?;
        once(
            "environment",
            names.environments.iter().map(|one| one.name.as_str()),
        )?;
        once("grader", names.graders.iter().map(String::as_str))?;
        Ok(Self { parts, names })
    }

    /// The definitions of a track, of replication where none is named, with the overrides
    /// of a folder.
    ///
    /// # Errors
    /// Where this program knows no track of that name, or a definition is missing or cannot
    /// be used.
    pub fn catalog(&self, name: Option<&str>, overrides: Option<&Path>) -> Result<Catalog, EngineError> {
        self.catalog_by(name, overrides, None)
    }

    /// The definitions that a run goes by.
    ///
    /// # Errors
    /// Where this program knows no track of that name or the track no agent, or a definition is missing
    /// or cannot be used.
    pub fn catalog_of(&self, request: &RunRequest) -> Result<Catalog, EngineError> {
        let overrides = request.stages_dir.as_deref();
        self.catalog_by(request.track.as_deref(), overrides, request.stage_agent())
    }

    /// The definitions of a track as an agent of this program goes through it; our own loop where none is
    /// named.
    ///
    /// # Errors
    /// Where this program knows no track of that name or the track no agent, or a definition is missing
    /// or cannot be used.
    pub fn catalog_by(
        &self,
        name: Option<&str>,
        overrides: Option<&Path>,
        agent: Option<&str>,
    ) -> Result<Catalog, EngineError> {
        self.track(name)?;
        Ok(Catalog::load(CatalogSource {
            track: name,
            overrides,
            parts: Some(&self.names),
            agent,
        })?)
    }

    /// The agents of this program that can go through the stages of a track.
    ///
    /// # Errors
    /// Where this program knows no track of that name, or a definition cannot be used.
    pub fn agents(&self, name: &str, overrides: Option<&Path>) -> Result<Vec<StageAgent>, EngineError> {
        self.track(Some(name))?;
        Ok(Catalog::agents(CatalogSource {
            track: Some(name),
            overrides,
            parts: Some(&self.names),
            ..CatalogSource::default()
        })?)
    }

    /// The track of a run, with the definitions that it goes by.
    ///
    /// # Errors
    /// Where this program knows no track of that name or the track no agent, or a definition is missing
    /// or cannot be used.
    pub fn open_for(&self, request: &RunRequest) -> Result<OpenTrack, EngineError> {
        self.with_parts(request.track.as_deref(), self.catalog_of(request)?)
    }

    fn with_parts(&self, name: Option<&str>, catalog: Catalog) -> Result<OpenTrack, EngineError> {
        let track = catalog.track();
        let grader = self
            .grader(&track.grader)
            .ok_or_else(|| EngineError::Unusable(format!("this program has no grader `{}`", track.grader)))?;
        let parts = ChosenParts {
            staging: self.track(name)?.staging.clone(),
            environment: self.environment(&track.environment),
            grader,
        };
        Ok(OpenTrack { catalog, parts })
    }

    /// The parts of a track; of replication where none is named.
    fn track(&self, name: Option<&str>) -> Result<&TrackParts, EngineError> {
        let name = name.unwrap_or(replication::TRACK);
        let found = self.parts.iter().find(|parts| parts.track == name);
        found.ok_or_else(|| {
            let known: Vec<&str> = self.parts.iter().map(|parts| parts.track.as_str()).collect();
            EngineError::Unusable(format!(
                "the task is of the track `{name}`, and this program knows {}: use the program that has it",
                known.join(", ")
            ))
        })
    }

    fn environment(&self, name: &str) -> Option<Arc<dyn Environment>> {
        let mut environments = self.parts.iter().flat_map(|parts| &parts.environments);
        environments.find(|one| one.name() == name).cloned()
    }

    fn grader(&self, name: &str) -> Option<Arc<dyn Grader>> {
        let mut graders = self.parts.iter().flat_map(|parts| &parts.graders);
        graders.find(|one| one.name() == name).cloned()
    }
}

/// Refuses a name that stands twice.
fn once<'a>(kind: &'static str, names: impl Iterator<Item = &'a str>) -> Result<(), SameName> {
    let mut seen = std::collections::BTreeSet::new();
    for name in names {
        if !seen.insert(name) {
            return Err(SameName {
                kind,
                name: name.to_owned(),
            });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_name_means_one_part() {
        let twin = || TrackParts {
            track: "twin".to_owned(),
            staging: Arc::new(StudyStaging),
            environments: Vec::new(),
            graders: Vec::new(),
        };
        let said = |further| Tracks::new(further).map(|_| ()).unwrap_err();
        assert_eq!(said(vec![twin(), twin()]).kind, "track");
        let graded = TrackParts {
            graders: vec![Arc::new(PreregisteredRule)],
            ..twin()
        };
        assert_eq!(said(vec![graded]).kind, "grader");
        let tracks = Tracks::new(vec![twin()]).unwrap();
        let refused = |name| {
            tracks
                .catalog(Some(name), None)
                .map(|_| ())
                .unwrap_err()
                .to_string()
        };
        assert!(refused("twin").contains("tracks/twin.toml"));
        assert!(refused("twine").contains("knows replication, capsule, notebook, claim-only, twin"));
    }
}
