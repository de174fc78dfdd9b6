//! A store in a folder.

use std::fs::{self, File, Permissions};
use std::io::{self, Write as _};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::store::{Store, StoreError};
use crate::domain::digest::Digest;

/// Blobs in `ROOT/blobs/ab/<64 hexadecimal digits>`.
///
/// A blob is written beside its place, synced and renamed, and its folder is
/// synced, so that a returned digest survives a power cut.
#[derive(Debug)]
pub struct DiskStore {
    blobs: PathBuf,
}

impl DiskStore {
    /// Opens the store below `root`, making its folder where it is missing.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn open(root: &Path) -> Result<Self, StoreError> {
        let blobs = root.join("blobs");
        fs::create_dir_all(&blobs).map_err(|error| StoreError::io("make the folder", &blobs, error))?;
        sync_folder(root)?;
        Ok(Self { blobs })
    }

    /// Where a digest's blob lies.
    pub fn path(&self, digest: &Digest) -> PathBuf {
        let hex = digest.hex();
        self.blobs.join(&hex[..2]).join(hex)
    }

    fn write(&self, folder: &Path, file: &Path, bytes: &[u8]) -> Result<(), StoreError> {
        let failed = |error| StoreError::io("write", file, error);
        if !folder.is_dir() {
            fs::create_dir_all(folder).map_err(|error| StoreError::io("make the folder", folder, error))?;
            sync_folder(&self.blobs)?;
        }
        let mut temporary = tempfile::Builder::new()
            .prefix(".writing-")
            .permissions(Permissions::from_mode(0o644))
            .tempfile_in(folder)
            .map_err(failed)?;
        temporary.write_all(bytes).map_err(failed)?;
        temporary.as_file().sync_all().map_err(failed)?;
        temporary.persist(file).map_err(|error| failed(error.error))?;
        sync_folder(folder)
    }
}

impl Store for DiskStore {
    fn put(&self, bytes: &[u8]) -> Result<Digest, StoreError> {
        let digest = Digest::compute(bytes);
        match self.get(&digest) {
            Ok(_) => return Ok(digest),
            // The caller holds the right bytes, so a damaged blob is mended.
            Err(StoreError::Missing { .. } | StoreError::Damaged { .. }) => {}
            Err(error) => return Err(error),
        }
        let file = self.path(&digest);
        let folder = file.parent().unwrap_or(&self.blobs);
        self.write(folder, &file, bytes)?;
        Ok(digest)
    }

    fn get(&self, digest: &Digest) -> Result<Vec<u8>, StoreError> {
        let file = self.path(digest);
        let bytes = match fs::read(&file) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(StoreError::Missing { digest: *digest });
            }
            Err(error) => return Err(StoreError::io("read", &file, error)),
        };
        match Digest::compute(&bytes) {
            found if found == *digest => Ok(bytes),
            found => Err(StoreError::Damaged { file, found }),
        }
    }

    fn has(&self, digest: &Digest) -> bool {
        self.path(digest).is_file()
    }
}

fn sync_folder(folder: &Path) -> Result<(), StoreError> {
    File::open(folder)
        .and_then(|handle| handle.sync_all())
        .map_err(|error| StoreError::io("sync the folder", folder, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_once_read_back_and_found_by_another_process() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path()).unwrap();
        let digest = store.put(b"abc").unwrap();
        assert_eq!(store.put(b"abc").unwrap(), digest);
        let shard = folder.path().join("blobs/ba");
        let names: Vec<_> = fs::read_dir(shard)
            .unwrap()
            .map(|one| one.unwrap().file_name())
            .collect();
        assert_eq!(names, [std::ffi::OsString::from(digest.hex())]);
        let again = DiskStore::open(folder.path()).unwrap();
        assert!(again.has(&digest));
        assert_eq!(again.get(&digest).unwrap(), b"abc");
    }

    #[test]
    fn a_damaged_blob_is_named_and_mended_by_keeping_it_again() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path()).unwrap();
        let digest = store.put(b"transcript").unwrap();
        fs::write(store.path(&digest), b"transcripT").unwrap();
        let error = store.get(&digest).unwrap_err();
        assert!(matches!(error, StoreError::Damaged { .. }));
        assert!(
            error
                .to_string()
                .contains(&store.path(&digest).display().to_string())
        );
        store.put(b"transcript").unwrap();
        assert_eq!(store.get(&digest).unwrap(), b"transcript");
    }

    #[test]
    fn a_missing_blob_is_not_an_empty_one() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path()).unwrap();
        let digest = Digest::compute("never kept");
        assert!(!store.has(&digest));
        assert!(matches!(store.get(&digest), Err(StoreError::Missing { .. })));
    }
}
