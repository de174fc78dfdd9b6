//! The fetching of an agent into the cache.

use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;
use std::sync::Arc;

use reqwest::Url;
use tokio_util::sync::CancellationToken;

use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::integrity::Integrity;
use crate::catalog::agents::release::{ReleasePackage, this_platform};
use crate::model::layers::timer::RealTime;
use crate::network::download::bounds::DownloadBounds;
use crate::network::download::downloader::{DownloadRequest, Downloader, OnDownload};

use super::archives::{FetchedArchive, FetchedArchives, Mirrors, PinnedArchive};
use super::error::AgentTreeError;
use super::fill::fill;
use super::installed::{AgentTrees, InstalledTree, installed};

/// Most bytes of a package.
const PACKAGE: u64 = 1 << 30;

/// The wish to add an agent.
#[derive(Debug, Clone, Copy)]
pub struct AddRequest<'a> {
    pub definition: &'a AgentDefinition,
    /// Addresses of registries, in the place of the public ones.
    pub mirrors: Mirrors<'a>,
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
        let mut archives = FetchedArchives {
            package: Vec::new(),
            runtime: Vec::new(),
        };
        for pinned in PinnedArchive::of_package(request.definition, package) {
            let url = request.mirrors.url(&pinned, package.registry)?;
            let fetched = self.fetched(request.definition, &pinned, url, cancel, on_news);
            archives.package.push(fetched.await?);
        }
        for pinned in package.runtime.iter().map(PinnedArchive::of_runtime) {
            let url = request.mirrors.url(&pinned, package.registry)?;
            let fetched = self.fetched(request.definition, &pinned, url, cancel, on_news);
            archives.runtime.push(fetched.await?);
        }
        let filled = fill(self.root(), request.definition, package, &archives);
        let removed = archives.all().try_for_each(|archive| {
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
            kind: pinned.kind(),
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
