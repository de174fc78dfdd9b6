//! The capsule of a task, as a folder or as an archive in a folder of capsules.

use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use crate::capsule::task_file::CapsuleId;
use crate::domain::digest::Digest;

use super::error::ArchiveError;
use super::limits::ArchiveLimits;
use super::partial_folder::PartialFolder;
use super::progress::OnProgress;
use super::unpack::{Unpacked, fill};

/// The account of an unpacked archive, beside the capsule in the cache.
const RECORD: &str = "unpacked.json";

/// The place of a capsule.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CapsuleSource {
    Folder(PathBuf),
    /// A `.tar.gz`.
    Archive(PathBuf),
}

/// A capsule as a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PreparedCapsule {
    pub folder: PathBuf,
    /// The account of its archive, where it was one.
    pub unpacked: Option<Unpacked>,
    /// Whether the archive had been unpacked before.
    pub was_cached: bool,
}

impl CapsuleSource {
    /// The capsule of a task in a folder of capsules: a folder of its name, else its `.tar.gz`.
    pub fn find(capsules: &Path, id: &CapsuleId) -> Option<Self> {
        let folder = capsules.join(id.as_str());
        let archive = capsules.join(format!("{id}.tar.gz"));
        if folder.is_dir() {
            Some(Self::Folder(folder))
        } else if archive.is_file() {
            Some(Self::Archive(archive))
        } else {
            None
        }
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        match self {
            Self::Folder(path) | Self::Archive(path) => path,
        }
    }

    /// The capsule as a folder. An archive is unpacked below `cache`, in a folder of its digest:
    /// once, as long as that stays there.
    ///
    /// # Errors
    /// An archive that cannot be unpacked ([`super::unpack::unpack`]), or one that changes meanwhile.
    pub fn prepare(
        &self,
        id: &CapsuleId,
        cache: &Path,
        limits: ArchiveLimits,
        on_progress: OnProgress<'_>,
    ) -> Result<PreparedCapsule, ArchiveError> {
        let archive = match self {
            Self::Folder(folder) => {
                return Ok(PreparedCapsule {
                    folder: folder.clone(),
                    unpacked: None,
                    was_cached: false,
                });
            }
            Self::Archive(archive) => archive,
        };
        let digest = File::open(archive)
            .and_then(Digest::compute_reader)
            .map_err(|source| ArchiveError::Unreadable {
                path: archive.clone(),
                source,
            })?;
        let of_digest = cache.join(digest.hex());
        let folder = of_digest.join(id.as_str());
        let record = of_digest.join(RECORD);
        if folder.is_dir()
            && let Some(unpacked) = read_record(&record)
        {
            return Ok(PreparedCapsule {
                folder,
                unpacked: Some(unpacked),
                was_cached: true,
            });
        }
        if folder.is_dir() {
            fs::remove_dir_all(&folder).map_err(ArchiveError::unwritable(&folder))?;
        }
        let partial = PartialFolder::take(&folder)?;
        let filled = fill(archive, &partial, id.as_str(), limits, on_progress)?;
        if filled.unpacked.archive != digest {
            return Err(ArchiveError::Changed {
                path: archive.clone(),
            });
        }
        // First the account, so that there is none to be missed where the capsule stands.
        write_record(&record, &filled.unpacked).map_err(ArchiveError::unwritable(&record))?;
        partial.put_in_place(filled.root.as_deref())?;
        Ok(PreparedCapsule {
            folder,
            unpacked: Some(filled.unpacked),
            was_cached: false,
        })
    }
}

fn read_record(path: &Path) -> Option<Unpacked> {
    serde_json::from_slice(&fs::read(path).ok()?).ok()
}

fn write_record(path: &Path, unpacked: &Unpacked) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(&mut file, unpacked)?;
    file.flush()?;
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}
