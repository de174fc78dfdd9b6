//! Reading of published agents that can go through the stages of a track.

use std::collections::BTreeSet;
use std::path::Path;

use include_dir::Dir;

use crate::catalog::stages::agent_file::{AgentFile, AgentPrompts, StageAgent};
use crate::catalog::stages::definition::StageDefinition;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::files::{EMBEDDED, find};
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
    /// The stages as a published agent goes through them; those that do not have it stay as they are.
    ///
    /// # Errors
    /// An agent that no stage has, or that cannot be used.
    pub fn by_agent(
        &self,
        stages: Vec<StageDefinition>,
        agent: &str,
    ) -> Result<Vec<StageDefinition>, CatalogError> {
        let mut is_known = false;
        let mut gone_through = Vec::new();
        for definition in stages {
            let stage = definition.stage;
            gone_through.push(match self.agent_file(stage, agent)? {
                Some(file) => {
                    is_known = true;
                    let prompts = self.agent_prompts(stage, agent, &file)?;
                    file.over(definition, prompts)
                }
                None => definition,
            });
        }
        if is_known {
            return Ok(gone_through);
        }
        let names: Vec<String> = self.agents()?.into_iter().map(|agent| agent.name).collect();
        Err(CatalogError::UnknownAgent {
            name: agent.chars().take(80).collect(),
            track: self.track.track.clone(),
            known: match names.len() {
                0 => "it has none".to_owned(),
                _ => format!("it has {}", names.join(", ")),
            },
        })
    }

    fn agent_file(&self, stage: Stage, agent: &str) -> Result<Option<AgentFile>, CatalogError> {
        // Names of agents are as narrow as those of stages, and lead out of no folder.
        if Stage::named(agent).is_none() {
            return Ok(None);
        }
        let toml = find(self.overrides, &format!("{stage}/agents/{agent}/agent.toml"))?;
        toml.map(|toml| AgentFile::read(&toml, agent, self.acting))
            .transpose()
    }

    fn agent_prompts(
        &self,
        stage: Stage,
        agent: &str,
        file: &AgentFile,
    ) -> Result<AgentPrompts, CatalogError> {
        let other = file
            .prompts_of
            .as_deref()
            .filter(|name| Stage::named(name).is_some());
        let own = |name: &str| find(self.overrides, &format!("{stage}/agents/{agent}/{name}"));
        let shared = |name: &str| match other {
            Some(other) => find(self.overrides, &format!("{stage}/agents/{other}/{name}")),
            None => Ok(None),
        };
        let either = |name: &str| match own(name)? {
            Some(found) => Ok(found),
            None => shared(name)?.ok_or_else(|| CatalogError::Missing {
                file: format!("{stage}/agents/{agent}/{name}"),
            }),
        };
        let prompts = AgentPrompts {
            system: either("system.md")?,
            prompt: either("prompt.md")?,
            reflection: match file.reflects() {
                true => Some(either("reflection.md")?),
                false => None,
            },
        };
        let templates = [
            Some(&prompts.system),
            Some(&prompts.prompt),
            prompts.reflection.as_ref(),
        ];
        for template in templates.into_iter().flatten() {
            template.check()?;
        }
        Ok(prompts)
    }

    /// The agents of all stages: the embedded ones, and those of the folder of overrides.
    ///
    /// # Errors
    /// One that cannot be used.
    pub fn agents(&self) -> Result<Vec<StageAgent>, CatalogError> {
        let mut agents = Vec::new();
        for stage in self.track.stages() {
            let mut names = BTreeSet::new();
            let embedded = EMBEDDED
                .get_dir(format!("{stage}/agents"))
                .into_iter()
                .flat_map(Dir::dirs);
            names.extend(embedded.filter_map(|dir| Some(dir.path().file_name()?.to_str()?.to_owned())));
            let folder = self
                .overrides
                .map(|folder| folder.join(format!("{stage}/agents")));
            let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
            for entry in entries.into_iter().flatten().flatten() {
                names.extend(entry.file_name().to_str().map(str::to_owned));
            }
            for name in names {
                if let Some(file) = self.agent_file(stage, &name)? {
                    agents.push(StageAgent {
                        stage,
                        name,
                        about: file.about,
                    });
                }
            }
        }
        Ok(agents)
    }
}
