//! The check of a machine before a cell is begun there.
//!
//! What a machine lacks is not the agent's doing, so that it is looked for before the agent is asked anything.

use std::path::Path;

use crate::app::program::Program;
use crate::app::sandboxes::sandbox_for;
use crate::cli::exit::Failure;
use crate::domain::execution::Tier;
use crate::engine::request::{RunRequest, SandboxChoice};

/// The free space below which a run's files may not fit, in bytes.
const NEEDED: u64 = 512 << 20;

/// A machine that lacks something: what, and what to do about it.
#[derive(Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnfitMachine(String);

/// Looks for what a run needs of this machine.
///
/// # Errors
/// The first thing that is lacking, and what to do about it.
pub async fn check_node(program: &Program, request: &RunRequest, out: &Path) -> Result<(), UnfitMachine> {
    let settings = &program.settings;
    for folder in [out, settings.cache.as_path()] {
        room(folder)?;
    }
    let open = program
        .tracks
        .open_for(request)
        .map_err(|error| UnfitMachine(error.to_string()))?;
    let sandbox = sandbox_for(settings, request, &open.catalog, &open.parts).await;
    let sandbox = sandbox.map_err(|error| UnfitMachine(Failure::from(error).message))?;
    let is_weaker = sandbox.is_some_and(|sandbox| sandbox.tier() == Tier::Landlock);
    if is_weaker && request.sandbox != SandboxChoice::Landlock {
        return Err(UnfitMachine(
            "this machine gives no user namespaces, so that code would see other paths and other processes than on \
             machines that do: exclude it (`constraint` of [slurm]), or set `sandbox = \"landlock\"` for all cells"
                .to_owned(),
        ));
    }
    Ok(())
}

/// A folder that can be written to, with room.
fn room(folder: &Path) -> Result<(), UnfitMachine> {
    let shown = folder.display();
    let probe = || -> std::io::Result<u64> {
        std::fs::create_dir_all(folder)?;
        tempfile::NamedTempFile::new_in(folder)?;
        fs4::available_space(folder)
    };
    match probe() {
        Ok(free) if free < NEEDED => Err(UnfitMachine(format!(
            "{:.1} GB are free at {shown}, and a run may need {:.1}",
            free as f64 / 1e9,
            NEEDED as f64 / 1e9
        ))),
        Ok(_) => Ok(()),
        Err(error) => Err(UnfitMachine(format!("{shown} cannot be written to: {error}"))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_that_cannot_be_written_to_is_named() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(room(&place.path().join("made")), Ok(()));
        let file = place.path().join("file");
        std::fs::write(&file, "").unwrap();
        let why = room(&file.join("below")).unwrap_err().to_string();
        assert!(why.contains("file/below cannot be written to"), "{why}");
    }
}
