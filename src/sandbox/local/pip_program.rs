//! pip, kept outside of the environments that it fills.

use std::fs;
use std::path::{Path, PathBuf};

use super::policy::Report;
use super::step::{BuildContext, Step};
use crate::domain::digest::Digest;
use crate::domain::execution::BuildFailure;
use crate::sandbox::failure::{infrastructure, last};
use crate::sandbox::ownership::open_to_all;
use crate::sandbox::removal;

/// Runs the pip of a folder in an interpreter that sees nothing else of that folder: what lies
/// beside pip would count as installed.
const RUN: &str = "import sys, runpy\nfolder = sys.argv.pop(1)\nsys.path.insert(0, folder)\nimport pip\n\
    sys.path.remove(folder)\nrunpy.run_module('pip', run_name='__main__', alter_sys=True)";

/// The pip that an interpreter brings along, in a folder that all builds read.
#[derive(Debug, Clone)]
pub struct PipProgram {
    /// The folder that `pip` is imported from.
    pub packages: PathBuf,
    pub version: String,
}

impl PipProgram {
    /// Finds it in the cache, or puts it there.
    ///
    /// # Errors
    /// A Python that cannot make an environment with pip, or a cache that cannot be written.
    pub fn find(context: &BuildContext<'_>) -> Result<Self, BuildFailure> {
        let shared = context.shared;
        let disk = |error: std::io::Error| {
            infrastructure(
                format!("The cache {} cannot be used: {error}.", shared.cache.display()),
                String::new(),
            )
        };
        let installers = shared.cache.join("installers");
        let name = format!("pip-{}", Digest::compute_json(context.interpreter).short());
        let folder = installers.join(&name);
        if let Some(found) = Self::inside(&folder) {
            return Ok(found);
        }
        fs::create_dir_all(&installers).map_err(disk)?;
        let draft = tempfile::Builder::new()
            .prefix(".draft-")
            .permissions(std::os::unix::fs::PermissionsExt::from_mode(0o755))
            .tempdir_in(&installers)
            .map_err(disk)?;
        let venv = draft.path().join("venv");
        fs::create_dir(&venv).map_err(disk)?;
        let command = [
            context.interpreter.executable.display().to_string(),
            "-I".to_owned(),
            "-m".to_owned(),
            "venv".to_owned(),
            venv.display().to_string(),
        ];
        let ended = context.run(&Step {
            command: &command,
            folder: &venv,
            cache: None,
            reads: &[],
            fetches: None,
        })?;
        if ended.report != Report::Exited(0) {
            return Err(infrastructure(
                "Python could not make an environment: its venv module failed.",
                last(&ended.log),
            ));
        }
        open_to_all(&venv);
        // Whoever came first has made the same.
        if fs::rename(&venv, &folder).is_err() && Self::inside(&folder).is_none() {
            removal::remove(&folder).map_err(disk)?;
            fs::rename(&venv, &folder).map_err(disk)?;
        }
        Self::inside(&folder).ok_or_else(|| {
            infrastructure(
                "Python made an environment without pip: install its ensurepip module.",
                last(&ended.log),
            )
        })
    }

    fn inside(folder: &Path) -> Option<Self> {
        let packages = fs::read_dir(folder.join("lib"))
            .ok()?
            .flatten()
            .map(|entry| entry.path().join("site-packages"))
            .find(|packages| packages.join("pip").is_dir())?;
        let version = fs::read_dir(&packages).ok()?.flatten().find_map(|entry| {
            let name = entry.file_name().to_string_lossy().into_owned();
            let version = name.strip_prefix("pip-")?.strip_suffix(".dist-info")?;
            Some(version.to_owned())
        })?;
        Some(Self { packages, version })
    }

    /// The command that runs it in the interpreter of an environment.
    pub fn command(&self, python: &str) -> Vec<String> {
        let packages = self.packages.display().to_string();
        [python, "-I", "-c", RUN, &packages].map(str::to_owned).to_vec()
    }
}
