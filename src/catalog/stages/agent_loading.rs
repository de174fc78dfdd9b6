//! Reading of the agents of this program that can go through the stages of a track.

use std::collections::BTreeSet;
use std::path::Path;

use include_dir::Dir;

use crate::catalog::agents;
use crate::catalog::stages::agent_file::{AgentFile, AgentPrompts, AgentRules, StageAgent};
use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::files::{EMBEDDED, find};
use crate::catalog::stages::template::Template;
use crate::catalog::unknown_agent::UnknownAgent;
use crate::domain::excerpt;
use crate::domain::stage::Stage;
use crate::domain::track::Track;

/// The context in which the agents of a track are read.
pub(super) struct AgentLoading<'a> {
    pub track: &'a Track,
    /// The tools of the track's environment.
    pub acting: &'a [String],
    pub overrides: Option<&'a Path>,
}

impl AgentLoading<'_> {
    /// The stages as an agent goes through them; those that do not have it stay as they are.
    ///
    /// # Errors
    /// An agent that no stage has, or that cannot be used.
    pub fn by_agent(
        &self,
        stages: Vec<StageDefinition>,
        agent: &str,
    ) -> Result<Vec<StageDefinition>, CatalogError> {
        let known = |stages: &[StageDefinition]| -> Result<Vec<String>, CatalogError> {
            Ok(self.of(stages)?.into_iter().map(|agent| agent.name).collect())
        };
        let mut is_known = false;
        let mut gone_through = Vec::new();
        for definition in &stages {
            gone_through.push(match self.agent_file(definition, agent)? {
                Some(file) => {
                    is_known = true;
                    let prompts = self.agent_prompts(definition, agent, &file)?;
                    file.over(definition.clone(), prompts)
                }
                None => definition.clone(),
            });
        }
        if is_known {
            return Ok(gone_through);
        }
        Err(CatalogError::UnknownAgent(UnknownAgent {
            name: excerpt::shortened(agent, 80),
            track: self.track.track.clone(),
            own: known(&stages)?,
            programs: agents::load::names(None).unwrap_or_default(),
        }))
    }

    /// The agents of stages: the embedded ones, and those of the folder of overrides.
    ///
    /// # Errors
    /// One that cannot be used.
    pub fn of(&self, stages: &[StageDefinition]) -> Result<Vec<StageAgent>, CatalogError> {
        let mut agents = Vec::new();
        for definition in stages {
            for name in self.names(definition.stage) {
                if let Some(file) = self.agent_file(definition, &name)? {
                    agents.push(file.listed(definition.stage));
                }
            }
        }
        Ok(agents)
    }

    /// The names of the folders of a stage's agents.
    fn names(&self, stage: Stage) -> BTreeSet<String> {
        let embedded = EMBEDDED.get_dir(format!("{stage}/agents"));
        let embedded = embedded.into_iter().flat_map(Dir::dirs);
        let mut names: BTreeSet<String> = embedded
            .filter_map(|dir| Some(dir.path().file_name()?.to_str()?.to_owned()))
            .collect();
        let folder = self
            .overrides
            .map(|folder| folder.join(format!("{stage}/agents")));
        let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
        for entry in entries.into_iter().flatten().flatten() {
            names.extend(entry.file_name().to_str().map(str::to_owned));
        }
        names
    }

    fn agent_file(&self, stage: &StageDefinition, name: &str) -> Result<Option<AgentFile>, CatalogError> {
        // Names of agents are as narrow as those of stages, and lead out of no folder.
        if Stage::named(name).is_none() {
            return Ok(None);
        }
        let path = format!("{}/agents/{name}/agent.toml", stage.stage);
        let rules = AgentRules {
            name,
            stage,
            acting: self.acting,
        };
        let toml = find(self.overrides, &path)?;
        toml.map(|toml| AgentFile::read(&toml, &rules)).transpose()
    }

    fn agent_prompts(
        &self,
        stage: &StageDefinition,
        agent: &str,
        file: &AgentFile,
    ) -> Result<AgentPrompts, CatalogError> {
        let own = |name: &str| {
            let other = (file.prompts_of.as_deref()).filter(|name| Stage::named(name).is_some());
            let mut places = [Some(agent), other].into_iter().flatten();
            places.find_map(|agent| {
                let path = format!("{}/agents/{agent}/{name}", stage.stage);
                find(self.overrides, &path).transpose()
            })
        };
        let missing = |name: &str| CatalogError::Missing {
            file: format!("{}/agents/{agent}/{name}", stage.stage),
        };
        let or_of_stage = |name: &str, of_stage: &Template| match own(name).transpose()? {
            Some(found) => Ok(found),
            None if file.is_own_loop() => Ok(of_stage.clone()),
            None => Err(missing(name)),
        };
        let prompts = AgentPrompts {
            system: or_of_stage("system.md", &stage.system)?,
            prompt: or_of_stage("prompt.md", &stage.prompt)?,
            reflection: match file.reflects() {
                true => Some(own("reflection.md").unwrap_or_else(|| Err(missing("reflection.md")))?),
                false => None,
            },
        };
        let templates = [&prompts.system, &prompts.prompt];
        for template in templates.into_iter().chain(prompts.reflection.as_ref()) {
            template.check()?;
        }
        Ok(prompts)
    }
}
