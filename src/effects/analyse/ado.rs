//! The ado-files of a lock, laid out for the Stata of the operator's image.

use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::rules::Declared;
use crate::domain::digest::Digest;
use crate::domain::execution::Tier;
use crate::domain::plan::Interpreter;
use crate::engine::error::EngineError;
use crate::engine::folder::RunFolder;
use crate::environment::language::Language;
use crate::environment::lock::{EnvironmentLock, LockedPackage};
use crate::environment::locked_ado::{AdoFiles, locked_files};

/// The setting with the folder that ado-files are locked from.
pub const SETTING: &str = "REPRISE_ADO";

/// The ado-files that a plan's commands are shown.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShownAdo {
    /// Of the packages, as their lock has them.
    pub digest: Digest,
    /// The folder of the host that they lie in.
    pub folder: PathBuf,
}

/// The packages of Stata that a plan's commands are shown: those of its lock, where one of the commands is Stata's and
/// code runs in the operator's image.
pub fn packages(declared: &Declared, tier: Tier) -> Vec<&LockedPackage> {
    let variants = declared.variants.iter().flat_map(|variant| &variant.entries);
    let mut entries = declared.plan.0.iter().chain(variants);
    let is_shown = tier == Tier::Docker && entries.any(|entry| entry.interpreter == Interpreter::Stata);
    let lock = declared.lock.iter().filter(|_| is_shown);
    lock.flat_map(|lock| lock.packages_of(Language::Stata)).collect()
}

/// The ado-files of a run that has laid them out; `None` of a plan that is shown none, and of a run that was made
/// without them.
pub fn laid_out(run: &RunFolder, declared: &Declared, tier: Tier) -> Option<ShownAdo> {
    shown(run, &packages(declared, tier)).filter(|shown| shown.folder.is_dir())
}

/// Lays the ado-files out that a plan's commands are shown, each held to the lock's digest, once in a run; `named` is the
/// folder of the operator's setting.
///
/// # Errors
/// A folder that is not there, or lacks what the lock holds, or a run's folder that cannot be written.
pub fn lay_out(
    run: &RunFolder,
    declared: &Declared,
    tier: Tier,
    named: Option<&Path>,
) -> Result<Option<ShownAdo>, EngineError> {
    let packages = packages(declared, tier);
    let (Some(shown), Some(lock)) = (shown(run, &packages), &declared.lock) else {
        return Ok(None);
    };
    if shown.folder.is_dir() {
        return Ok(Some(shown));
    }
    let refuse = |why: String| {
        EngineError::Unusable(format!(
            "the ado-files of the lock {} are not had: {why}. Name the folder that they were locked from in {SETTING}",
            lock.digest().short()
        ))
    };
    let from = named.map(Path::to_owned).or_else(|| locked_from(lock));
    let from = from.ok_or_else(|| refuse("neither the lock nor a setting says where they are".to_owned()))?;
    let files = locked_files(lock, &from).map_err(|error| refuse(error.to_string()))?;
    write(&files, &shown.folder, &run.partial())?;
    Ok(Some(shown))
}

/// The place of packages in a run's folder; `None` of no packages.
fn shown(run: &RunFolder, packages: &[&LockedPackage]) -> Option<ShownAdo> {
    let held: Vec<_> = packages
        .iter()
        .map(|package| (&package.name, &package.sha256))
        .collect();
    let digest = Digest::compute_json(&held);
    (!held.is_empty()).then(|| ShownAdo {
        folder: run.ado().join(digest.hex()),
        digest,
    })
}

/// The folder that a lock says its ado-files are of.
fn locked_from(lock: &EnvironmentLock) -> Option<PathBuf> {
    let mut sources = lock.sources.iter();
    let source = sources.find(|source| source.language == Language::Stata)?;
    Some(PathBuf::from(&source.address))
}

/// Writes files into a folder that is whole or not there, readable by whoever commands run as.
fn write(files: &AdoFiles, folder: &Path, partial: &Path) -> Result<(), EngineError> {
    let io = |path: &Path| {
        let path = path.to_owned();
        move |error| EngineError::io(&path, error)
    };
    fs::create_dir_all(partial).map_err(io(partial))?;
    let room = tempfile::Builder::new().prefix("ado").tempdir_in(partial);
    let room = room.map_err(io(partial))?;
    let open = Permissions::from_mode(0o755);
    fs::set_permissions(room.path(), open.clone()).map_err(io(room.path()))?;
    for (place, bytes) in files {
        let path = room.path().join(place);
        let letter = path.parent().unwrap_or(room.path());
        fs::create_dir_all(letter).map_err(io(letter))?;
        fs::set_permissions(letter, open.clone()).map_err(io(letter))?;
        fs::write(&path, bytes).map_err(io(&path))?;
        fs::set_permissions(&path, Permissions::from_mode(0o644)).map_err(io(&path))?;
    }
    let above = folder.parent().unwrap_or(folder);
    fs::create_dir_all(above).map_err(io(above))?;
    fs::rename(room.path(), folder).map_err(io(folder))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::domain::execution::EnvironmentSpec;
    use crate::domain::plan::{EntryPoint, ExecutionPlan};

    /// A plan of one script, under a lock with one package of Stata.
    fn declared(script: &str, sha256: &str) -> Declared {
        let lock = json!({
            "format": "reprise-lock/1",
            "as_of": {
                "instant": "2020-06-30T23:59:59Z", "day": "2020-06-30", "from": "told", "reason": "A person says so.",
                "weak": false,
            },
            "platform": "linux-x86_64", "interpreters": [], "sources": [],
            "packages": [{
                "language": "stata", "name": "reghdfe", "version": "5.7.3", "file": "reghdfe.ado", "url": "ado:reghdfe.ado",
                "sha256": sha256, "build": false, "certainty": "by-date", "required_by": [], "reasons": [],
            }],
            "not_had": [], "questions": [], "notes": [],
        });
        let path = script.parse().unwrap();
        Declared {
            file: "replication_info.json".to_owned(),
            plan: ExecutionPlan(vec![EntryPoint {
                interpreter: Interpreter::from_path(&path).unwrap(),
                path,
                arguments: Vec::new(),
            }]),
            environment: EnvironmentSpec::default(),
            lock: Some(Box::new(
                EnvironmentLock::parse(lock.to_string().as_bytes()).unwrap(),
            )),
            ignored: Vec::new(),
            variants: Vec::new(),
            idle: Vec::new(),
        }
    }

    #[test]
    fn the_files_of_the_lock_are_laid_out_once_and_only_for_stata_in_a_container() {
        let place = tempfile::tempdir().unwrap();
        let run = RunFolder::at(&place.path().join("run")).unwrap();
        let from = place.path().join("plus");
        fs::create_dir_all(&from).unwrap();
        fs::write(from.join("reghdfe.ado"), "*! version 5.7.3\n").unwrap();
        let plan = declared("work/a.do", &Digest::compute("*! version 5.7.3\n").hex());
        let python = declared("work/a.py", &Digest::compute("*! version 5.7.3\n").hex());
        assert_eq!(lay_out(&run, &python, Tier::Docker, Some(&from)).unwrap(), None);
        assert_eq!(lay_out(&run, &plan, Tier::Namespaces, Some(&from)).unwrap(), None);
        assert_eq!(laid_out(&run, &plan, Tier::Docker), None);
        let shown = lay_out(&run, &plan, Tier::Docker, Some(&from)).unwrap().unwrap();
        let laid = shown.folder.join("r/reghdfe.ado");
        assert_eq!(fs::read_to_string(&laid).unwrap(), "*! version 5.7.3\n");
        let mode = fs::metadata(&laid).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode, 0o644);
        // The folder may be gone by then, as where a run is resumed elsewhere.
        fs::remove_dir_all(&from).unwrap();
        assert_eq!(
            lay_out(&run, &plan, Tier::Docker, Some(&from)).unwrap(),
            Some(shown.clone())
        );
        assert_eq!(laid_out(&run, &plan, Tier::Docker), Some(shown.clone()));
        let other = declared("work/a.do", &"ab".repeat(32));
        let refused = lay_out(&run, &other, Tier::Docker, None).unwrap_err().to_string();
        assert!(
            refused.contains("neither the lock nor a setting") && refused.contains(SETTING),
            "{refused}"
        );
        fs::create_dir_all(&from).unwrap();
        fs::write(from.join("reghdfe.ado"), "*! version 5.7.3\n").unwrap();
        let refused = lay_out(&run, &other, Tier::Docker, Some(&from))
            .unwrap_err()
            .to_string();
        assert!(refused.contains("other files than the lock"), "{refused}");
        let entries = fs::read_dir(run.ado()).unwrap().count();
        assert_eq!(entries, 1, "nothing is left of what was refused");
    }
}
