//! The folder that an archive's entries are put into.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::time::SystemTime;

use cap_std::fs::{Dir, OpenOptions, OpenOptionsExt};

use crate::domain::digest::{Digest, RunningDigest};

use super::entry_path::EntryPath;
use super::header::EntryHeader;
use super::left_out::{LeftOutList, LeftOutReason};
use super::meter::Meter;

/// Rights of a file; those of the process's mask are taken off.
const PLAIN: u32 = 0o644;
const EXECUTABLE: u32 = 0o755;

/// An entry that stands in the folder.
#[derive(Debug)]
pub(super) enum PlacedEntry {
    Folder,
    File {
        digest: Digest,
        is_executable: bool,
        bytes: u64,
    },
    /// Not made yet: with the path that it is to hold.
    Link {
        target: Vec<u8>,
    },
}

/// The error of an entry that cannot be put into the folder.
#[derive(Debug)]
pub(super) enum PlaceFault {
    Read(io::Error),
    Write(io::Error),
}

/// A folder that is being filled.
pub(super) struct Tree<'m, 'a> {
    dir: Dir,
    meter: &'m Meter<'a>,
    pub placed: BTreeMap<EntryPath, PlacedEntry>,
    pub left_out: LeftOutList,
}

impl<'m, 'a> Tree<'m, 'a> {
    /// Of an empty folder.
    pub fn new(dir: Dir, meter: &'m Meter<'a>) -> Self {
        Self {
            dir,
            meter,
            placed: BTreeMap::new(),
            left_out: LeftOutList::default(),
        }
    }

    pub fn leave_out(&mut self, path: &EntryPath, reason: LeftOutReason) {
        self.left_out.add(path.bytes(), reason);
    }

    /// Puts a folder.
    pub fn put_folder(&mut self, path: &EntryPath) -> Result<(), PlaceFault> {
        if !self.folder(path)? {
            self.leave_out(path, LeftOutReason::FileInTheWay);
        }
        Ok(())
    }

    /// Puts a file with the content that `reader` gives.
    pub fn put_file(
        &mut self,
        path: &EntryPath,
        header: &EntryHeader,
        reader: &mut dyn Read,
    ) -> Result<(), PlaceFault> {
        if !self.make_way(path)? {
            return Ok(());
        }
        let written = self.write(path, header.is_executable, header.modified, reader)?;
        if written.bytes != header.bytes {
            return Err(PlaceFault::Read(io::ErrorKind::UnexpectedEof.into()));
        }
        self.placed.insert(
            path.clone(),
            PlacedEntry::File {
                digest: written.digest,
                is_executable: header.is_executable,
                bytes: written.bytes,
            },
        );
        Ok(())
    }

    /// Puts a copy of a file that stands already.
    pub fn put_copy(&mut self, path: &EntryPath, header: &EntryHeader) -> Result<(), PlaceFault> {
        let original = EntryPath::parse(&header.target).ok().flatten();
        let original = original.filter(|original| original != path).and_then(|original| {
            match self.placed.get(&original)? {
                PlacedEntry::File {
                    digest,
                    is_executable,
                    bytes,
                } => Some((original, *digest, *is_executable, *bytes)),
                _ => None,
            }
        });
        let Some((original, digest, is_executable, bytes)) = original else {
            self.leave_out(path, LeftOutReason::HardLinkToNoFile);
            return Ok(());
        };
        if !self.make_way(path)? {
            return Ok(());
        }
        self.meter.unpacked(bytes).map_err(PlaceFault::Read)?;
        let mut reader = self.dir.open(original.as_path()).map_err(PlaceFault::Write)?;
        self.write(path, is_executable, header.modified, &mut reader)?;
        self.placed.insert(
            path.clone(),
            PlacedEntry::File {
                digest,
                is_executable,
                bytes,
            },
        );
        Ok(())
    }

    /// Notes a link, which is made at the end.
    pub fn put_link(&mut self, path: &EntryPath, target: Vec<u8>) -> Result<(), PlaceFault> {
        if self.make_way(path)? {
            self.placed.insert(path.clone(), PlacedEntry::Link { target });
        }
        Ok(())
    }

    /// Makes a folder with those above it; false where something else stands there.
    fn folder(&mut self, path: &EntryPath) -> Result<bool, PlaceFault> {
        match self.placed.get(path) {
            Some(PlacedEntry::Folder) => return Ok(true),
            Some(_) => return Ok(false),
            None => {}
        }
        if let Some(parent) = path.parent()
            && !self.folder_on_the_way(&parent)?
        {
            return Ok(false);
        }
        self.dir.create_dir(path.as_path()).map_err(PlaceFault::Write)?;
        self.placed.insert(path.clone(), PlacedEntry::Folder);
        Ok(true)
    }

    /// As [`Self::folder`], of one that no entry names: it counts as an entry, since a name of
    /// 3,000 bytes makes 1,500 of them.
    fn folder_on_the_way(&mut self, path: &EntryPath) -> Result<bool, PlaceFault> {
        if !self.placed.contains_key(path) {
            self.meter.enter().map_err(PlaceFault::Read)?;
        }
        self.folder(path)
    }

    /// Makes the folders above a path, and takes away a file or link that stands there; false, with
    /// the entry named, where it cannot stand there.
    fn make_way(&mut self, path: &EntryPath) -> Result<bool, PlaceFault> {
        if let Some(parent) = path.parent()
            && !self.folder_on_the_way(&parent)?
        {
            self.leave_out(path, LeftOutReason::FileInTheWay);
            return Ok(false);
        }
        match self.placed.get(path) {
            None => return Ok(true),
            Some(PlacedEntry::Folder) => {
                self.leave_out(path, LeftOutReason::FolderInTheWay);
                return Ok(false);
            }
            Some(PlacedEntry::Link { .. }) => {}
            Some(PlacedEntry::File { .. }) => {
                self.dir.remove_file(path.as_path()).map_err(PlaceFault::Write)?;
            }
        }
        self.placed.remove(path);
        self.leave_out(path, LeftOutReason::Replaced);
        Ok(true)
    }

    fn write(
        &self,
        path: &EntryPath,
        is_executable: bool,
        modified: Option<SystemTime>,
        reader: &mut dyn Read,
    ) -> Result<WrittenFile, PlaceFault> {
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        options.mode(if is_executable { EXECUTABLE } else { PLAIN });
        let opened = self.dir.open_with(path.as_path(), &options);
        let mut file = opened.map_err(PlaceFault::Write)?.into_std();
        let mut digest = RunningDigest::default();
        let mut buffer = vec![0; 1 << 16];
        let mut bytes = 0;
        loop {
            let read = reader.read(&mut buffer).map_err(PlaceFault::Read)?;
            if read == 0 {
                break;
            }
            digest.add(&buffer[..read]);
            file.write_all(&buffer[..read]).map_err(PlaceFault::Write)?;
            bytes += read as u64;
        }
        if let Some(modified) = modified {
            // A time that the file system does not know is no reason to refuse the content.
            let _kept_as_is = file.set_modified(modified);
        }
        Ok(WrittenFile {
            digest: digest.digest(),
            bytes,
        })
    }
}

struct WrittenFile {
    digest: Digest,
    bytes: u64,
}
