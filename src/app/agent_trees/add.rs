//! The fetching of an agent into the cache.

use std::fs::{self, File, Permissions};
use std::ops::ControlFlow;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use reqwest::Url;
use tokio_util::sync::CancellationToken;
use walkdir::WalkDir;

use crate::capsule::archive::limits::ArchiveLimits;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::capsule::archive::unpack::{Unpacked, unpack};
use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::integrity::Integrity;
use crate::catalog::agents::release::{PackageRegistry, ReleasePackage, this_platform};
use crate::domain::workspace_path::WorkspacePath;
use crate::model::layers::timer::RealTime;
use crate::network::download::bounds::DownloadBounds;
use crate::network::download::downloader::{ArchiveKind, DownloadRequest, Downloader, OnDownload};

use super::error::AgentTreeError;
use super::installed::{AgentTrees, InstalledTree, TreeRecord, installed, shown, write_record};
use super::wheel::{self, UnpackedWheel};

/// Most bytes of a package.
const PACKAGE: u64 = 1 << 30;
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

/// The wish to add an agent.
#[derive(Debug, Clone, Copy)]
pub struct AddRequest<'a> {
    pub definition: &'a AgentDefinition,
    /// The address of the registry, in the place of the public one.
    pub registry: Option<&'a str>,
    /// Whether it is fetched although it is there.
    pub again: bool,
}

/// An agent that was added.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedTree {
    pub tree: InstalledTree,
    /// Whether it was there before.
    pub was_there: bool,
}

impl AgentTrees {
    /// Adds an agent: its package is fetched, held to its digest, unpacked within limits and made
    /// read-only. It stands in its place when it is whole.
    ///
    /// # Errors
    /// A definition without a package of this platform, a registry that does not answer, another digest, an
    /// archive that cannot be unpacked, or a disk that cannot be written.
    pub async fn add(
        &self,
        request: AddRequest<'_>,
        cancel: &CancellationToken,
        on_news: OnDownload<'_>,
    ) -> Result<AddedTree, AgentTreeError> {
        let package = package(request.definition)?;
        let place = self.place(request.definition, package);
        if !request.again
            && let Some(tree) = installed(&place)
        {
            return Ok(AddedTree {
                tree,
                was_there: true,
            });
        }
        fs::create_dir_all(self.root()).map_err(AgentTreeError::disk(self.root()))?;
        let base = request.registry.unwrap_or_else(|| package.registry.address());
        let mut archives = Vec::new();
        for pinned in pinned(request.definition, package) {
            let url = address(base, &pinned.path)?;
            archives.push(
                self.fetched(request.definition, &pinned, url, cancel, on_news)
                    .await?,
            );
        }
        let filled = fill(self.root(), request.definition, package, &archives);
        let removed = archives.iter().try_for_each(|archive| {
            fs::remove_file(&archive.path).map_err(AgentTreeError::disk(&archive.path))
        });
        let filled = filled?;
        removed?;
        put_in_place(filled, &place)?;
        let tree = installed(&place).ok_or_else(|| {
            let missing = std::io::Error::from(std::io::ErrorKind::NotFound);
            AgentTreeError::disk(&place)(missing)
        })?;
        Ok(AddedTree {
            tree,
            was_there: false,
        })
    }

    /// An archive, held to its digest.
    async fn fetched(
        &self,
        definition: &AgentDefinition,
        pinned: &PinnedArchive,
        url: Url,
        cancel: &CancellationToken,
        on_news: OnDownload<'_>,
    ) -> Result<FetchedArchive, AgentTreeError> {
        let bounds = DownloadBounds {
            bytes: PACKAGE,
            ..DownloadBounds::default()
        };
        let mut base = url.clone();
        base.set_path("");
        let downloader = Downloader::new(&base, Arc::new(RealTime::default()), bounds)?;
        let target = self.root().join("fetched").join(&pinned.name);
        // What another call fetched before it broke off is not fetched again.
        if has(&target, &pinned.integrity) {
            return Ok(FetchedArchive { path: target, url });
        }
        match fs::remove_file(&target) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(AgentTreeError::disk(&target)(error));
            }
            _ => {}
        }
        let request = DownloadRequest {
            url: &url,
            target: &target,
            digest: None,
            kind: pinned.kind,
        };
        downloader.fetch(request, cancel, on_news).await?;
        let read = File::open(&target).and_then(|file| pinned.integrity.of_reader(file));
        let found = read.map_err(AgentTreeError::disk(&target))?;
        if found != pinned.integrity {
            fs::remove_file(&target).map_err(AgentTreeError::disk(&target))?;
            return Err(AgentTreeError::Integrity {
                agent: definition.agent.clone(),
                url: url.to_string(),
                wanted: pinned.integrity.clone(),
                found,
            });
        }
        Ok(FetchedArchive { path: target, url })
    }
}

/// Whether a file is there and has a digest.
fn has(path: &Path, wanted: &Integrity) -> bool {
    let found = File::open(path).and_then(|file| wanted.of_reader(file));
    found.is_ok_and(|found| found == *wanted)
}

/// An archive that a package comes in.
struct PinnedArchive {
    /// Below the registry's address.
    path: String,
    /// The name of its file here.
    name: String,
    kind: ArchiveKind,
    integrity: Integrity,
}

/// An archive that was fetched.
struct FetchedArchive {
    path: PathBuf,
    url: Url,
}

/// The archives of a package, its own first.
fn pinned(definition: &AgentDefinition, package: &ReleasePackage) -> Vec<PinnedArchive> {
    match package.registry {
        PackageRegistry::Npm => vec![PinnedArchive {
            path: package.path(),
            name: format!("{}-{}.tgz", definition.agent, package.version),
            kind: ArchiveKind::Gzip,
            integrity: package.integrity.clone(),
        }],
        PackageRegistry::PyPI => {
            let wheels = package.wheels().into_iter();
            let pinned = wheels.map(|wheel| PinnedArchive {
                name: wheel.file().to_owned(),
                kind: ArchiveKind::Zip,
                integrity: wheel.integrity,
                path: wheel.wheel,
            });
            pinned.collect()
        }
    }
}

/// The package of this platform.
fn package(definition: &AgentDefinition) -> Result<&ReleasePackage, AgentTreeError> {
    let agent = || definition.agent.clone();
    let release = definition
        .release
        .as_ref()
        .filter(|release| !release.packages.is_empty());
    let release = release.ok_or_else(|| AgentTreeError::NoPackages { agent: agent() })?;
    let platform = this_platform();
    release
        .of_platform(&platform)
        .ok_or_else(|| AgentTreeError::Platform {
            agent: agent(),
            platform,
            known: release.platforms(),
        })
}

/// The address of an archive.
fn address(base: &str, path: &str) -> Result<Url, AgentTreeError> {
    let text = format!("{}/{path}", base.trim_end_matches('/'));
    text.parse().map_err(
        |error: <Url as std::str::FromStr>::Err| AgentTreeError::Registry {
            registry: base.to_owned(),
            why: error.to_string(),
        },
    )
}

/// Fills a folder beside the place that it becomes.
fn fill(
    root: &Path,
    definition: &AgentDefinition,
    package: &ReleasePackage,
    archives: &[FetchedArchive],
) -> Result<tempfile::TempDir, AgentTreeError> {
    let folder = tempfile::Builder::new().prefix(".adding-").tempdir_in(root);
    let folder = folder.map_err(AgentTreeError::disk(root))?;
    let files = shown(folder.path());
    let FilledTree { count, bytes } = match package.registry {
        PackageRegistry::Npm => of_npm(definition, package, archives, &files)?,
        PackageRegistry::PyPI => of_wheels(archives, &files)?,
    };
    protect(&files)?;
    let record = TreeRecord {
        agent: definition.agent.clone(),
        version: definition
            .release
            .as_ref()
            .map_or_else(String::new, |release| release.version.clone()),
        package: package.clone(),
        url: archives
            .first()
            .map_or_else(String::new, |own| own.url.to_string()),
        tree: digest_of_folder(&files)?,
        files: count,
        bytes,
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
        let Unpacked {
            files: count, bytes, ..
        } = unpack(&archive.path, &target, PACKAGE_FOLDER, limits(), &mut |_| {
            ControlFlow::Continue(())
        })?;
        filled = FilledTree { count, bytes };
    }
    for (name, file) in &package.programs {
        link(files, name, file).map_err(|fault| match fault {
            LinkFault::Missing => AgentTreeError::NoProgram {
                agent: definition.agent.clone(),
                package: package.name(),
                file: file.to_string(),
            },
            LinkFault::Disk(error) => AgentTreeError::disk(files)(error),
        })?;
    }
    Ok(filled)
}

/// Unpacks wheels beside one another, as Python looks for modules.
fn of_wheels(archives: &[FetchedArchive], files: &Path) -> Result<FilledTree, AgentTreeError> {
    fs::create_dir_all(files).map_err(AgentTreeError::disk(files))?;
    let mut filled = FilledTree { count: 0, bytes: 0 };
    for archive in archives {
        let left = wheel::limits_left(limits(), filled.count, filled.bytes);
        let UnpackedWheel { count, bytes } = wheel::unpack(&archive.path, files, left)?;
        filled.count += count;
        filled.bytes += bytes;
    }
    Ok(filled)
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

/// Puts what is whole in its place; what stood there makes room.
fn put_in_place(filled: tempfile::TempDir, place: &Path) -> Result<(), AgentTreeError> {
    if place.exists() {
        fs::remove_dir_all(place).map_err(AgentTreeError::disk(place))?;
    }
    // A temporary folder is its owner's alone; a sandbox's user has to read this one.
    let path = filled.path();
    fs::set_permissions(path, Permissions::from_mode(0o755)).map_err(AgentTreeError::disk(path))?;
    fs::rename(path, place).map_err(AgentTreeError::disk(place))?;
    // It is no longer where it would be taken away.
    let _kept = filled.keep();
    Ok(())
}
