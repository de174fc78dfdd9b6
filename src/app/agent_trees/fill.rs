//! The filling of an agent's folder out of its archives.

use std::fs::{self, Permissions};
use std::ops::ControlFlow;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use walkdir::WalkDir;

use crate::capsule::archive::limits::ArchiveLimits;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::capsule::archive::unpack::{Unpacked, unpack};
use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::package_registry::PackageRegistry;
use crate::catalog::agents::release::ReleasePackage;
use crate::catalog::agents::runtime_package::RuntimePackage;
use crate::domain::workspace_path::WorkspacePath;

use super::archives::{FetchedArchive, FetchedArchives};
use super::bytecode;
use super::error::AgentTreeError;
use super::installed::{TreeRecord, shown, write_record};
use super::wheel::{self, UnpackedWheel};

/// The folder that archives of npm hold everything in.
const PACKAGE_FOLDER: &str = "package";

/// The bounds of what is unpacked.
fn limits() -> ArchiveLimits {
    ArchiveLimits {
        entries: 100_000,
        bytes: 4 << 30,
        file_bytes: 2 << 30,
        ..ArchiveLimits::default()
    }
}

/// Fills a folder beside the place that it becomes.
///
/// # Errors
/// An archive that cannot be unpacked or lacks a file, or a disk that cannot be written.
pub(super) fn fill(
    root: &Path,
    definition: &AgentDefinition,
    package: &ReleasePackage,
    archives: &FetchedArchives,
) -> Result<tempfile::TempDir, AgentTreeError> {
    let folder = tempfile::Builder::new().prefix(".adding-").tempdir_in(root);
    let folder = folder.map_err(AgentTreeError::disk(root))?;
    let files = shown(folder.path());
    let mut filled = match package.registry {
        PackageRegistry::Npm => of_npm(definition, package, &archives.package, &files)?,
        PackageRegistry::PyPI => of_wheels(&archives.package, &files)?,
    };
    for (package, archive) in package.runtime.iter().zip(&archives.runtime) {
        filled = filled.and(of_runtime(definition, package, archive, &files)?);
    }
    let python = package.python.as_deref();
    let compiled = python
        .map(|python| bytecode::compile(&files, python))
        .transpose()?;
    let compiled = compiled.flatten().map(|modules| {
        filled.count += modules.count;
        filled.bytes += modules.bytes;
        modules.python
    });
    protect(&files)?;
    let record = TreeRecord {
        agent: definition.agent.clone(),
        version: definition
            .release
            .as_ref()
            .map_or_else(String::new, |release| release.version.clone()),
        package: package.clone(),
        url: archives
            .package
            .first()
            .map_or_else(String::new, |own| own.url.to_string()),
        tree: digest_of_folder(&files)?,
        files: filled.count,
        bytes: filled.bytes,
        compiled,
    };
    write_record(folder.path(), &record)?;
    Ok(folder)
}

/// The count of what a folder was filled with.
struct FilledTree {
    /// Files.
    count: u64,
    bytes: u64,
}

impl FilledTree {
    fn and(self, other: Self) -> Self {
        Self {
            count: self.count + other.count,
            bytes: self.bytes + other.bytes,
        }
    }
}

/// Unpacks an archive of npm, and gives its programs their names.
fn of_npm(
    definition: &AgentDefinition,
    package: &ReleasePackage,
    archives: &[FetchedArchive],
    files: &Path,
) -> Result<FilledTree, AgentTreeError> {
    let target = files.join(PACKAGE_FOLDER);
    let mut filled = FilledTree { count: 0, bytes: 0 };
    for archive in archives {
        filled = unpack_npm(archive, &target)?;
    }
    for (name, file) in &package.programs {
        link(files, name, file).map_err(|fault| match fault {
            LinkFault::Missing => no_program(definition, package.name(), file),
            LinkFault::Disk(error) => AgentTreeError::disk(files)(error),
        })?;
    }
    Ok(filled)
}

/// Unpacks an archive of npm, which holds everything in one folder.
fn unpack_npm(archive: &FetchedArchive, target: &Path) -> Result<FilledTree, AgentTreeError> {
    let mut go_on = |_| ControlFlow::Continue(());
    let Unpacked { files, bytes, .. } = unpack(&archive.path, target, PACKAGE_FOLDER, limits(), &mut go_on)?;
    Ok(FilledTree { count: files, bytes })
}

/// The error of a package without a file that its definition names.
fn no_program(definition: &AgentDefinition, package: String, file: &WorkspacePath) -> AgentTreeError {
    AgentTreeError::NoProgram {
        agent: definition.agent.clone(),
        package,
        file: file.to_string(),
    }
}

/// Unpacks wheels beside one another, as Python looks for modules.
fn of_wheels(archives: &[FetchedArchive], files: &Path) -> Result<FilledTree, AgentTreeError> {
    fs::create_dir_all(files).map_err(AgentTreeError::disk(files))?;
    let mut filled = FilledTree { count: 0, bytes: 0 };
    for archive in archives {
        let left = wheel::limits_left(limits(), filled.count, filled.bytes);
        let UnpackedWheel { count, bytes } = wheel::unpack(&archive.path, files, left)?;
        filled = filled.and(FilledTree { count, bytes });
    }
    Ok(filled)
}

/// Takes the files that are named out of a package that an agent runs on.
fn of_runtime(
    definition: &AgentDefinition,
    package: &RuntimePackage,
    archive: &FetchedArchive,
    files: &Path,
) -> Result<FilledTree, AgentTreeError> {
    let unpacked = tempfile::tempdir_in(files).map_err(AgentTreeError::disk(files))?;
    match package.registry {
        PackageRegistry::Npm => {
            unpack_npm(archive, unpacked.path())?;
        }
        PackageRegistry::PyPI => {
            wheel::unpack(&archive.path, unpacked.path(), limits())?;
        }
    }
    let mut filled = FilledTree { count: 0, bytes: 0 };
    for (name, file) in &package.programs {
        let from = file.below(unpacked.path());
        let is_file = fs::symlink_metadata(&from).is_ok_and(|found| found.is_file());
        if !is_file {
            return Err(no_program(definition, package.name(), file));
        }
        let to = name.below(files);
        let bytes = take(&from, &to).map_err(AgentTreeError::disk(&to))?;
        filled = filled.and(FilledTree { count: 1, bytes });
    }
    unpacked.close().map_err(AgentTreeError::disk(files))?;
    Ok(filled)
}

/// Puts a program where nothing stands; returns its bytes.
fn take(from: &Path, to: &Path) -> std::io::Result<u64> {
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent)?;
    }
    fs::set_permissions(from, Permissions::from_mode(0o755))?;
    fs::hard_link(from, to)?;
    Ok(fs::metadata(to)?.len())
}

enum LinkFault {
    Missing,
    Disk(std::io::Error),
}

/// Gives a file of the package its name in the agent's folder, from which its siblings are found.
fn link(files: &Path, name: &WorkspacePath, file: &WorkspacePath) -> Result<(), LinkFault> {
    let from = file.below(&files.join(PACKAGE_FOLDER));
    if !from.is_file() {
        return Err(LinkFault::Missing);
    }
    fs::set_permissions(&from, Permissions::from_mode(0o755)).map_err(LinkFault::Disk)?;
    let to = name.below(files);
    if let Some(parent) = to.parent() {
        fs::create_dir_all(parent).map_err(LinkFault::Disk)?;
    }
    let up = "../".repeat(name.as_str().matches('/').count());
    symlink(format!("{up}{PACKAGE_FOLDER}/{file}"), to).map_err(LinkFault::Disk)
}

/// Takes the right to write from every file.
fn protect(files: &Path) -> Result<(), AgentTreeError> {
    for entry in WalkDir::new(files).into_iter().flatten() {
        if !entry.file_type().is_file() {
            continue;
        }
        let path = entry.path();
        let mode = fs::metadata(path)
            .map_err(AgentTreeError::disk(path))?
            .permissions()
            .mode();
        fs::set_permissions(path, Permissions::from_mode(mode & 0o555))
            .map_err(AgentTreeError::disk(path))?;
    }
    Ok(())
}
