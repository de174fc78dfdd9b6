//! The environments and graders that a track's definition can choose from.

use crate::domain::replication;
use crate::domain::track::EXECUTIONS;

/// An environment by its name, with the names of the tools that agents act through.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EnvironmentName {
    pub name: String,
    pub tools: Vec<String>,
}

/// The names that a program knows, its own and those of its tracks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PartNames {
    pub environments: Vec<EnvironmentName>,
    pub graders: Vec<String>,
}

impl Default for PartNames {
    /// The parts of every program.
    fn default() -> Self {
        Self {
            environments: vec![EnvironmentName {
                name: EXECUTIONS.to_owned(),
                tools: Vec::new(),
            }],
            graders: vec![replication::GRADER.to_owned()],
        }
    }
}

impl PartNames {
    /// The environment of a name.
    pub fn environment(&self, name: &str) -> Option<&EnvironmentName> {
        self.environments.iter().find(|one| one.name == name)
    }
}
