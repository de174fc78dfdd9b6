//! The labels by which everything that was made here is found again.

use std::collections::HashMap;
use std::path::Path;

use crate::domain::digest::Digest;
use crate::domain::ids::RunId;

/// On every image, container, volume and network; its value is the run, or
/// `shared` for images, which all runs use.
pub const OWNER: &str = "org.reprise.run";
/// The value of [`OWNER`] on what all runs use.
pub const SHARED: &str = "shared";
/// On images: the digest of the resolved environment.
pub const ENVIRONMENT: &str = "org.reprise.environment";
/// On containers: the workspace on the host, whose files may be lent to it.
pub const WORKSPACE: &str = "org.reprise.workspace";

/// On what is of one run: the folder that the run is in, by its number on its file system.
pub const FOLDER: &str = "org.reprise.folder";

/// On containers: the part that they have in a run.
pub const ROLE: &str = "org.reprise.role";
/// The value of [`ROLE`] on the container of a session, which outlives the engine.
pub const SESSION: &str = "session";

/// The labels of what belongs to one run.
pub fn for_run(run: &RunId) -> HashMap<String, String> {
    let (run, folder) = run.parts();
    let owner = (OWNER.to_owned(), run.to_owned());
    let folder = folder.map(|folder| (FOLDER.to_owned(), folder.to_owned()));
    std::iter::once(owner).chain(folder).collect()
}

/// The run that labels are of.
pub fn run_of(labels: &HashMap<String, String>) -> Option<RunId> {
    let run = RunId::new(labels.get(OWNER)?);
    Some(match labels.get(FOLDER) {
        Some(folder) => run.in_folder(folder),
        None => run,
    })
}

/// The labels of a container of a run.
pub fn for_container(run: &RunId, workspace: &Path) -> HashMap<String, String> {
    let mut labels = for_run(run);
    labels.insert(WORKSPACE.to_owned(), workspace.display().to_string());
    labels
}

/// A filter for what belongs to one run, or, without one, to any.
pub fn filter(run: Option<&RunId>) -> HashMap<String, Vec<String>> {
    let labels = match run {
        Some(run) => {
            let labels = for_run(run).into_iter();
            labels.map(|(name, value)| format!("{name}={value}")).collect()
        }
        None => vec![OWNER.to_owned()],
    };
    HashMap::from([("label".to_owned(), labels)])
}

/// The label of what all runs use.
pub fn shared() -> HashMap<String, String> {
    HashMap::from([(OWNER.to_owned(), SHARED.to_owned())])
}

/// A name for a container, which nothing else has: a container whose creation
/// was never answered can be removed by it.
pub fn container_name(run: &RunId) -> String {
    format!(
        "reprise-{}-{:016x}",
        Digest::compute(run.as_str()).short(),
        rand::random::<u64>()
    )
}
