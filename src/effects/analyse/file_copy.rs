//! A copy of a file that code may have made as large as it likes.

use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt as _;
use std::path::Path;

use tokio_util::sync::CancellationToken;

use super::holes::{self, DataPart};

/// Bytes that are copied between two looks at whoever wants to stop.
const PIECE: usize = 1 << 20;

/// Copies a file with its mode. The holes of a sparse one stay holes, since the disk may have
/// no room for what they stand for.
///
/// # Errors
/// A file that cannot be read or written; [`ErrorKind::Interrupted`] where `cancel` came first.
pub fn copy(from: &Path, to: &Path, cancel: &CancellationToken) -> io::Result<()> {
    let source = File::open(from)?;
    let metadata = source.metadata()?;
    let size = metadata.len();
    if size <= holes::SMALL {
        return fs::copy(from, to).map(|_| ());
    }
    let whole = || vec![DataPart { from: 0, to: size }];
    let parts = holes::sparse_parts(&source, size)?.unwrap_or_else(whole);
    let target = File::create(to)?;
    target.set_len(size)?;
    let mut piece = vec![0; PIECE];
    for part in parts {
        let mut at = part.from;
        while at < part.to {
            if cancel.is_cancelled() {
                return Err(ErrorKind::Interrupted.into());
            }
            let left = usize::try_from(part.to - at).unwrap_or(PIECE).min(PIECE);
            source.read_exact_at(&mut piece[..left], at)?;
            target.write_all_at(&piece[..left], at)?;
            at += left as u64;
        }
    }
    target.set_permissions(metadata.permissions())
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    #[test]
    fn holes_stay_holes_and_data_arrive() {
        let folder = tempfile::tempdir().unwrap();
        let (from, to) = (folder.path().join("from"), folder.path().join("to"));
        let file = File::create(&from).unwrap();
        file.set_len(1 << 40).unwrap();
        file.write_all_at(b"far out", (1 << 39) + 5).unwrap();
        copy(&from, &to, &CancellationToken::new()).unwrap();
        let found = fs::metadata(&to).unwrap();
        assert_eq!(found.len(), 1 << 40);
        assert!(found.blocks() < 1 << 12, "{} blocks", found.blocks());
        let mut text = [0; 7];
        File::open(&to)
            .unwrap()
            .read_exact_at(&mut text, (1 << 39) + 5)
            .unwrap();
        assert_eq!(&text, b"far out");
    }
}
