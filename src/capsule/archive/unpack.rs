//! The unpacking of an archive.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};

use flate2::bufread::MultiGzDecoder;
use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;

use super::entry_path::{EntryPath, NameFault};
use super::error::ArchiveError;
use super::header::{EntryHeader, EntryKind, HeaderFault, HeaderReader};
use super::left_out::{LeftOut, LeftOutReason, shown};
use super::limits::ArchiveLimits;
use super::links::{self, Links};
use super::meter::{Halt, Meter, PackedReader, UnpackedReader};
use super::partial_folder::PartialFolder;
use super::progress::OnProgress;
use super::tree::{PlaceFault, PlacedEntry, Tree};
use super::tree_digest::{self, TreeLeaf};

/// The content of an archive that was unpacked.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unpacked {
    /// Of the archive's own bytes.
    pub archive: Digest,
    /// Of what stands in the folder, by sorted path ([`tree_digest`]).
    pub tree: Digest,
    pub files: u64,
    pub folders: u64,
    pub links: u64,
    /// Of all files.
    pub bytes: u64,
    pub left_out: Vec<LeftOut>,
    /// Entries that were left out and are not named.
    pub left_out_further: u64,
}

/// Unpacks a `.tar.gz` into `target`, which appears when everything stands in it. Where the archive
/// holds a folder of the name `own`, such as the capsule's, that one becomes `target`.
///
/// Files keep their content, their time and whether they are executable, and no other right.
///
/// # Errors
/// An archive that is damaged, hostile or too large, a target that exists, or a stop by
/// `on_progress`; nothing is left of it then.
pub fn unpack(
    archive: &Path,
    target: &Path,
    own: &str,
    limits: ArchiveLimits,
    on_progress: OnProgress<'_>,
) -> Result<Unpacked, ArchiveError> {
    let partial = PartialFolder::take(target)?;
    let filled = fill(archive, &partial, own, limits, on_progress)?;
    partial.put_in_place(filled.root.as_deref())?;
    Ok(filled.unpacked)
}

/// A folder with everything of an archive in it.
pub(super) struct FilledFolder {
    pub unpacked: Unpacked,
    /// The folder of that name below it, where it has one.
    pub root: Option<PathBuf>,
}

/// Unpacks into a folder that is not in its place yet.
pub(super) fn fill(
    archive: &Path,
    partial: &PartialFolder,
    own: &str,
    limits: ArchiveLimits,
    on_progress: OnProgress<'_>,
) -> Result<FilledFolder, ArchiveError> {
    let unreadable = |source| ArchiveError::Unreadable {
        path: archive.to_owned(),
        source,
    };
    let file = File::open(archive).map_err(unreadable)?;
    let meter = Meter::new(limits, on_progress);
    let mut packed = BufReader::with_capacity(
        1 << 16,
        PackedReader {
            inner: file,
            meter: &meter,
        },
    );
    if !packed.fill_buf().map_err(unreadable)?.starts_with(&[0x1f, 0x8b]) {
        return Err(ArchiveError::NotGzip {
            path: archive.to_owned(),
        });
    }
    let unpacking = Unpacking {
        archive,
        limits,
        meter: &meter,
        folder: partial.path(),
    };
    let mut content = UnpackedReader {
        inner: MultiGzDecoder::new(packed),
        meter: &meter,
    };
    let mut tree = Tree::new(partial.dir()?, &meter);
    unpacking.entries(&mut content, &mut tree)?;
    // The check sum stands at the end, and the digest is that of the whole file.
    io::copy(&mut content, &mut io::sink()).map_err(|error| unpacking.unread(&error))?;
    unpacking.finish(tree, partial, own)
}

struct Unpacking<'m, 'a> {
    archive: &'m Path,
    limits: ArchiveLimits,
    meter: &'m Meter<'a>,
    folder: &'m Path,
}

impl Unpacking<'_, '_> {
    fn entries(&self, content: &mut dyn Read, tree: &mut Tree<'_, '_>) -> Result<(), ArchiveError> {
        let mut archive = tar::Archive::new(content);
        let mut headers = HeaderReader::default();
        // Names and extended headers are read here, where they are held to a size.
        let entries = archive.entries().map_err(|error| self.unread(&error))?.raw(true);
        for entry in entries {
            let mut entry = entry.map_err(|error| self.unread(&error))?;
            self.meter.enter().map_err(|error| self.unread(&error))?;
            let header = headers.take(&mut entry).map_err(|fault| match fault {
                HeaderFault::Wrong(reason) => ArchiveError::Header {
                    path: self.archive.to_owned(),
                    entry: shown(&entry.header().path_bytes()),
                    reason,
                },
                HeaderFault::Io(error) => self.unread(&error),
            })?;
            if let Some(header) = header {
                self.entry(header, &mut entry, tree)?;
            }
        }
        Ok(())
    }

    fn entry(
        &self,
        header: EntryHeader,
        content: &mut dyn Read,
        tree: &mut Tree<'_, '_>,
    ) -> Result<(), ArchiveError> {
        let path = match EntryPath::parse(&header.name) {
            Ok(Some(path)) => path,
            Ok(None) => return Ok(()),
            Err(NameFault::LeadsOut) => {
                return Err(ArchiveError::LeadsOut {
                    path: self.archive.to_owned(),
                    entry: shown(&header.name),
                });
            }
            Err(NameFault::TooLong) => {
                tree.left_out.add(&header.name, LeftOutReason::NameTooLong);
                return Ok(());
            }
        };
        let put = match header.kind {
            EntryKind::File if header.bytes > self.limits.file_bytes => {
                return Err(ArchiveError::FileTooLarge {
                    path: self.archive.to_owned(),
                    entry: shown(&header.name),
                    bytes: header.bytes,
                    limit: self.limits.file_bytes,
                });
            }
            EntryKind::Device => {
                return Err(ArchiveError::Device {
                    path: self.archive.to_owned(),
                    entry: shown(&header.name),
                });
            }
            EntryKind::File => tree.put_file(&path, &header, content),
            EntryKind::Folder => tree.put_folder(&path),
            EntryKind::Link => tree.put_link(&path, header.target),
            EntryKind::HardLink => tree.put_copy(&path, &header),
            EntryKind::Pipe => {
                tree.leave_out(&path, LeftOutReason::Pipe);
                Ok(())
            }
            EntryKind::Sparse => {
                tree.leave_out(&path, LeftOutReason::SparseFile);
                Ok(())
            }
            EntryKind::Unknown => {
                tree.leave_out(&path, LeftOutReason::UnknownKind);
                Ok(())
            }
        };
        put.map_err(|fault| match fault {
            PlaceFault::Read(error) => self.unread(&error),
            PlaceFault::Write(error) => ArchiveError::unwritable(&self.folder.join(path.as_path()))(error),
        })
    }

    /// Makes the links and counts.
    fn finish(
        &self,
        tree: Tree<'_, '_>,
        partial: &PartialFolder,
        own: &str,
    ) -> Result<FilledFolder, ArchiveError> {
        let Tree {
            placed, mut left_out, ..
        } = tree;
        let own = EntryPath::parse(own.as_bytes()).ok().flatten();
        let own = own.filter(|own| matches!(placed.get(own), Some(PlacedEntry::Folder)));
        let mut counted = CountedTree::default();
        let mut pending = Links::new();
        for (path, entry) in placed {
            let inside = match &own {
                Some(own) => path.below(own),
                None => Some(path.clone()),
            };
            let Some(inside) = inside else {
                if path.parent().is_none() && own.as_ref() != Some(&path) {
                    left_out.add(path.bytes(), LeftOutReason::BesideTheCapsule);
                }
                continue;
            };
            match entry {
                PlacedEntry::Folder => counted.folders += 1,
                PlacedEntry::Link { target } => {
                    pending.insert(inside, target);
                }
                PlacedEntry::File {
                    digest,
                    is_executable,
                    bytes,
                } => {
                    counted.files += 1;
                    counted.bytes += bytes;
                    let leaf = TreeLeaf::File {
                        digest,
                        is_executable,
                    };
                    counted.leaves.insert(inside.bytes().to_owned(), leaf);
                }
            }
        }
        if counted.files == 0 {
            return Err(ArchiveError::Empty {
                path: self.archive.to_owned(),
            });
        }
        let failed = |error| ArchiveError::unwritable(self.folder)(error);
        let mut root = partial.dir()?;
        if let Some(own) = &own {
            root = root.open_dir(own.as_path()).map_err(failed)?;
        }
        let made = links::make(&root, pending).map_err(failed)?;
        for (path, reason) in &made.left_out {
            left_out.add(path.bytes(), *reason);
        }
        for (path, target) in &made.kept {
            let leaf = TreeLeaf::Link {
                digest: Digest::compute(target),
            };
            counted.leaves.insert(path.bytes().to_owned(), leaf);
        }
        Ok(FilledFolder {
            root: own.map(|own| own.as_path().to_owned()),
            unpacked: Unpacked {
                archive: self.meter.digest(),
                tree: tree_digest::digest(&counted.leaves),
                files: counted.files,
                folders: counted.folders,
                links: made.kept.len() as u64,
                bytes: counted.bytes,
                left_out: left_out.named,
                left_out_further: left_out.further,
            },
        })
    }

    /// The error of a read that failed: a limit, or what the archive is like.
    fn unread(&self, error: &io::Error) -> ArchiveError {
        let path = self.archive.to_owned();
        match self.meter.halt() {
            Some(Halt::Cancelled) => ArchiveError::Stopped { path },
            Some(Halt::Entries) => ArchiveError::TooManyEntries {
                path,
                limit: self.limits.entries,
            },
            Some(Halt::Bytes) => ArchiveError::TooLarge {
                path,
                limit: self.limits.bytes,
            },
            Some(Halt::Ratio) => ArchiveError::Ratio {
                path,
                limit: self.limits.ratio,
            },
            None => ArchiveError::Damaged {
                path,
                reason: error.to_string(),
            },
        }
    }
}

#[derive(Default)]
struct CountedTree {
    files: u64,
    folders: u64,
    bytes: u64,
    leaves: BTreeMap<Vec<u8>, TreeLeaf>,
}
