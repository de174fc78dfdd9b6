//! Executions of a capsule that is made, each in a copy of its own.

use std::fs;
use std::path::{Path, PathBuf};

use tokio_util::sync::CancellationToken;
use walkdir::{DirEntry, WalkDir};

use crate::capsule::candidates::ExecutionOutputs;
use crate::domain::execution::{Environment, EnvironmentSpec, Limits};
use crate::domain::ids::RunId;
use crate::engine::error::EngineError;
use crate::sandbox::contract::{Execution, Sandbox};
use crate::sandbox::inside::real_folder;

use super::error::{MakeError, at};
use super::files::copy_files;

/// The largest text file that is looked into, in bytes.
const LARGEST: u64 = 1 << 20;
/// The endings of pictures' names.
const PICTURES: [&str; 6] = ["png", "svg", "pdf", "jpg", "jpeg", "eps"];
/// The name that what was printed has among the outputs.
pub const PRINTED: &str = "output";
/// The folder of the results in a workspace.
const RESULTS: &str = "work/capsule/results";

/// The place of a command at which each execution has a seed of its own.
pub const SEED: &str = "{seed}";

/// A command as one execution has it.
pub fn seeded(command: &str, number: u32) -> String {
    command.replace(SEED, &number.to_string())
}

/// A capsule that is made.
pub struct MadeCapsule<'a> {
    /// The capsule's folder, laid out.
    pub folder: &'a Path,
    /// The command, from the folder `code`; [`SEED`] in it is another number each time.
    pub command: &'a str,
    pub sandbox: &'a dyn Sandbox,
    pub environment: &'a EnvironmentSpec,
    pub limits: Limits,
}

/// One execution that ended.
pub struct EndedExecution {
    pub outputs: ExecutionOutputs,
    /// The folder of its results; absent where the code has put a link or a file in its place.
    pub results: Option<PathBuf>,
}

impl MadeCapsule<'_> {
    /// Makes the environment.
    ///
    /// # Errors
    /// One that cannot be made.
    pub async fn prepare(&self, cancel: &CancellationToken) -> Result<Environment, MakeError> {
        let prepared = self.sandbox.prepare(self.environment, cancel, &|_| {}).await;
        Ok(prepared.map_err(EngineError::Environment)?)
    }

    /// Executes the command once in a copy of the capsule, with a seed where it takes one, a hash seed, a
    /// number of threads and an order of files of its own.
    ///
    /// # Errors
    /// A copy that cannot be made, a sandbox that fails, or a command that does.
    pub async fn execute(
        &self,
        environment: &Environment,
        number: u32,
        place: &Path,
        cancel: &CancellationToken,
    ) -> Result<EndedExecution, MakeError> {
        let workspace = place.join("workspace");
        let capsule = workspace.join("work").join("capsule");
        // The folder holds what the first execution has left.
        let is_taken = |entry: &DirEntry| entry.depth() != 1 || entry.file_name() != "results";
        copy_files(self.folder, &capsule, Some(u64::from(number)), &is_taken)?;
        let results = capsule.join("results");
        fs::create_dir_all(&results).map_err(at(&results))?;
        let unusable = |error: &dyn std::fmt::Display| EngineError::Unusable(error.to_string());
        let execution = Execution {
            writable: vec!["work".parse().map_err(|error| unusable(&error))?],
            variables: [
                ("PYTHONHASHSEED", number.to_string()),
                ("OMP_NUM_THREADS", number.to_string()),
                ("OPENBLAS_NUM_THREADS", number.to_string()),
            ]
            .map(|(name, value)| (name.to_owned(), value))
            .into(),
            limits: self.limits,
            ..Execution::alone(
                RunId::new(format!("capsule-make-{}-{number}", rand::random::<u32>())),
                environment.clone(),
                &["bash", "-c", &seeded(self.command, number)],
                &workspace,
                "work/capsule/code".parse().map_err(|error| unusable(&error))?,
                place,
            )
        };
        let ended = self
            .sandbox
            .execute(&execution, cancel)
            .await
            .map_err(EngineError::from)?;
        let printed = fs::read(&execution.stdout).map_err(at(&execution.stdout))?;
        if !ended.ending.ok() {
            let errors = fs::read(&execution.stderr).unwrap_or_default();
            let both = String::from_utf8_lossy(&[printed, errors].concat()).into_owned();
            let tail: Vec<&str> = both.lines().rev().take(12).collect();
            return Err(MakeError::Failed {
                number,
                ending: ended.ending,
                printed: tail.into_iter().rev().collect::<Vec<_>>().join("\n"),
            });
        }
        // The code may have put anything in its place.
        let results = RESULTS.parse().map_err(|error| unusable(&error))?;
        let results = real_folder(&workspace, &results).ok();
        let mut outputs = results.as_deref().map(outputs).unwrap_or_default();
        outputs
            .texts
            .insert(PRINTED.to_owned(), String::from_utf8_lossy(&printed).into_owned());
        Ok(EndedExecution { outputs, results })
    }
}

/// The texts and the pictures of a folder of results.
fn outputs(results: &Path) -> ExecutionOutputs {
    let mut outputs = ExecutionOutputs::default();
    for entry in WalkDir::new(results).follow_links(false).sort_by_file_name() {
        let Ok(entry) = entry else { continue };
        let Ok(found) = entry.metadata() else { continue };
        let Some(name) = entry.path().strip_prefix(results).ok().and_then(Path::to_str) else {
            continue;
        };
        if !found.is_file() {
            continue;
        }
        let ending = entry.path().extension().and_then(|ending| ending.to_str());
        if ending.is_some_and(|ending| PICTURES.contains(&ending.to_ascii_lowercase().as_str())) {
            outputs.pictures.push(name.to_owned());
        } else if found.len() <= LARGEST
            && let Ok(text) = fs::read_to_string(entry.path())
        {
            outputs.texts.insert(name.to_owned(), text);
        }
    }
    outputs
}
