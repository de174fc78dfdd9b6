//! The containers that are ours, of whichever run.

use std::collections::HashMap;
use std::path::PathBuf;
use std::time::Duration;

use serde::Deserialize;

use crate::domain::ids::RunId;
use crate::sandbox::contract::SandboxError;
use crate::sandbox::docker::daemon::Daemon;
use crate::sandbox::docker::labels;
use crate::sandbox::docker::raw::get;

/// How long the daemon may take to answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// A container that carries our label.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Owned {
    pub id: String,
    pub name: String,
    pub run: RunId,
    /// The daemon's word: `created`, `running`, `exited`, `dead` ...
    pub state: String,
    /// Its part in the run, where it has one of its own.
    pub role: Option<String>,
    /// The workspace on the host that it was given.
    pub workspace: Option<PathBuf>,
}

/// All of our containers, running or not, by name.
///
/// # Errors
/// A daemon that does not answer.
pub async fn owned(daemon: &Daemon) -> Result<Vec<Owned>, SandboxError> {
    list(daemon, None).await
}

/// The containers of one run, or of all.
///
/// # Errors
/// A daemon that does not answer.
pub async fn list(daemon: &Daemon, run: Option<&RunId>) -> Result<Vec<Owned>, SandboxError> {
    let failed = |why: String| SandboxError::Failed(format!("the containers cannot be listed: {why}"));
    let filters = serde_json::to_string(&labels::filter(run)).map_err(|error| failed(error.to_string()))?;
    let parameters = [("all", "true"), ("filters", filters.as_str())];
    let asked = get::<Vec<Listed>>(&daemon.describe().address, "/containers/json", &parameters);
    let found = tokio::time::timeout(PATIENCE, asked)
        .await
        .map_err(|_| failed(format!("no answer within {} seconds", PATIENCE.as_secs())))?
        .map_err(|error| failed(error.to_string()))?;
    let mut all: Vec<Owned> = found
        .into_iter()
        .filter_map(|container| {
            let labels = container.labels.unwrap_or_default();
            Some(Owned {
                id: container.id,
                name: container
                    .names
                    .unwrap_or_default()
                    .first()
                    .map(|name| name.trim_start_matches('/').to_owned())
                    .unwrap_or_default(),
                run: labels::run_of(&labels)?,
                role: labels.get(labels::ROLE).cloned(),
                state: container.state.unwrap_or_default(),
                workspace: labels.get(labels::WORKSPACE).map(PathBuf::from),
            })
        })
        .collect();
    all.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(all)
}

/// An entry of the daemon's list.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "PascalCase")]
struct Listed {
    id: String,
    names: Option<Vec<String>>,
    labels: Option<HashMap<String, String>>,
    state: Option<String>,
}
