//! Archives that are built byte by byte, and the folders that they are unpacked into.

use std::fs;
use std::io::Write as _;
use std::ops::ControlFlow::Continue;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use tar::EntryType;
use tempfile::TempDir;

use crate::capsule::archive::error::ArchiveError;
use crate::capsule::archive::left_out::LeftOutReason;
use crate::capsule::archive::limits::ArchiveLimits;
use crate::capsule::archive::tree_digest::digest_of_folder;
use crate::capsule::archive::unpack::{Unpacked, unpack};
use crate::capsule::task_file::CapsuleId;

/// An archive that is built byte by byte, since libraries refuse what is tried here.
pub struct Built(pub Vec<u8>);

impl Built {
    pub fn new() -> Self {
        Self(Vec::new())
    }

    /// A capsule with one file, and whatever is added.
    pub fn capsule() -> Self {
        Self::new().file("code/run", b"make")
    }

    pub fn entry(mut self, kind: EntryType, name: &[u8], target: &[u8], content: &[u8], mode: u32) -> Self {
        let mut header = tar::Header::new_gnu();
        header.set_entry_type(kind);
        header.set_mode(mode);
        header.set_mtime(1_500_000_000);
        header.set_size(content.len() as u64);
        let old = header.as_old_mut();
        old.name[..name.len()].copy_from_slice(name);
        old.linkname[..target.len()].copy_from_slice(target);
        header.set_cksum();
        self.0.extend(header.as_bytes());
        self.0.extend(content);
        self.0.resize(self.0.len().next_multiple_of(512), 0);
        self
    }

    pub fn file(self, name: &str, content: &[u8]) -> Self {
        self.entry(EntryType::Regular, name.as_bytes(), b"", content, 0o644)
    }

    pub fn folder(self, name: &str) -> Self {
        self.entry(EntryType::Directory, name.as_bytes(), b"", b"", 0o777)
    }

    pub fn link(self, name: &str, target: &str) -> Self {
        self.entry(EntryType::Symlink, name.as_bytes(), target.as_bytes(), b"", 0o777)
    }

    pub fn hard_link(self, name: &str, target: &str) -> Self {
        self.entry(EntryType::Link, name.as_bytes(), target.as_bytes(), b"", 0o644)
    }

    pub fn kind(self, kind: EntryType, name: &str) -> Self {
        self.entry(kind, name.as_bytes(), b"", b"", 0o666)
    }

    pub fn long_name(self, name: &[u8]) -> Self {
        self.entry(EntryType::GNULongName, b"././@LongLink", b"", name, 0o644)
    }

    pub fn extended(self, records: &[u8]) -> Self {
        self.entry(EntryType::XHeader, b"PaxHeaders/x", b"", records, 0o644)
    }

    pub fn gz(mut self) -> Vec<u8> {
        self.0.extend([0; 1024]);
        gz(&self.0)
    }
}

pub fn gz(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

/// A folder with an archive, and beside it the place where it is unpacked.
pub struct Scene {
    pub folder: TempDir,
}

pub const ID: &str = "capsule-0000001";

pub fn id() -> CapsuleId {
    CapsuleId::parse(ID).unwrap()
}

impl Scene {
    pub fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn archive(&self) -> PathBuf {
        self.folder.path().join("given.tar.gz")
    }

    pub fn target(&self) -> PathBuf {
        self.folder.path().join("out/capsule")
    }

    pub fn unpack(&self, bytes: &[u8], limits: ArchiveLimits) -> Result<Unpacked, ArchiveError> {
        fs::write(self.archive(), bytes).unwrap();
        unpack(
            &self.archive(),
            &self.target(),
            id().as_str(),
            limits,
            &mut |_| Continue(()),
        )
    }

    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.target().join(name)).unwrap()
    }

    /// Everything below the scene's folder, links not followed.
    pub fn all(&self) -> Vec<String> {
        let mut all: Vec<_> = walkdir::WalkDir::new(self.folder.path())
            .min_depth(1)
            .into_iter()
            .map(|entry| entry.unwrap())
            .map(|entry| entry.path().strip_prefix(self.folder.path()).unwrap().to_owned())
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        all.sort();
        all
    }
}

/// What an archive leaves out, as pairs of path and reason.
pub fn left_out(built: Built) -> (Scene, Vec<(String, LeftOutReason)>) {
    let scene = Scene::new();
    let unpacked = scene.unpack(&built.gz(), ArchiveLimits::default()).unwrap();
    assert_eq!(digest_of_folder(&scene.target()).unwrap(), unpacked.tree);
    let named = unpacked.left_out.into_iter().map(|one| (one.path, one.reason));
    let named = named.collect();
    (scene, named)
}

/// The error of a refused archive, of which nothing stays.
pub fn refused(bytes: &[u8], limits: ArchiveLimits) -> ArchiveError {
    let scene = Scene::new();
    let error = scene.unpack(bytes, limits).unwrap_err();
    assert_eq!(scene.all(), ["given.tar.gz", "out"], "{error}");
    assert!(error.to_string().contains("given.tar.gz"), "{error}");
    error
}

pub fn named(all: &[(&str, LeftOutReason)]) -> Vec<(String, LeftOutReason)> {
    all.iter()
        .map(|(path, reason)| ((*path).to_owned(), *reason))
        .collect()
}
