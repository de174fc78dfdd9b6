//! The digest of a file that code may have made as large as it likes.

use std::fs::{File, Metadata};
use std::io::{self, ErrorKind, Read, Seek as _};
use std::os::unix::fs::{FileExt as _, MetadataExt as _};

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;

use super::holes::{self, DataPart};

/// The parts that a sparse file is read in.
const BLOCK: usize = 64 << 10;
/// What marks a digest as one of a sparse file, and one of a file that was not read: neither
/// can be that of a file's bytes by accident.
const SPARSE: &[u8] = b"reprise: a sparse file, format 1\0";
const UNREAD: &[u8] = b"reprise: a file that was not read, format 1\0";

/// A file and the way in which its digest is to be had.
#[derive(Debug)]
pub struct FileToDigest {
    file: File,
    size: u64,
    /// The parts with data, of a file that is mostly holes.
    parts: Option<Vec<DataPart>>,
}

impl FileToDigest {
    /// Looks at a file's holes. A file of more holes than data is digested by its size and by
    /// those blocks that are not zero, so that a size that nothing stands behind costs nothing.
    ///
    /// # Errors
    /// A file that cannot be looked at.
    pub fn new(file: File) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let parts = holes::sparse_parts(&file, size)?;
        Ok(Self { file, size, parts })
    }

    /// Bytes that have to be read.
    pub fn bytes(&self) -> u64 {
        self.parts.as_deref().map_or(self.size, holes::length)
    }

    /// The digest of the bytes, or, of a sparse file, of its size and its blocks.
    ///
    /// # Errors
    /// A file that cannot be read; [`ErrorKind::Interrupted`] where `cancel` came first.
    pub fn digest(mut self, cancel: &CancellationToken) -> io::Result<Digest> {
        self.file.rewind()?;
        let Some(parts) = self.parts else {
            return Digest::compute_reader(Stoppable {
                reader: self.file,
                cancel,
            });
        };
        let blocks = SparseBlocks {
            file: &self.file,
            size: self.size,
            parts: &parts,
            next: 0,
            block: vec![0; BLOCK],
            text: [SPARSE, &self.size.to_le_bytes()].concat(),
            given: 0,
            cancel,
        };
        Digest::compute_reader(blocks)
    }
}

/// A stand-in for the digest of a file that nobody read: whoever writes to it changes its time.
pub fn unread(metadata: &Metadata) -> Digest {
    let numbers = [
        i64::try_from(metadata.len()).unwrap_or(i64::MAX),
        metadata.mtime(),
        metadata.mtime_nsec(),
    ];
    let numbers = numbers.iter().flat_map(|number| number.to_le_bytes());
    Digest::compute(UNREAD.iter().copied().chain(numbers).collect::<Vec<u8>>())
}

/// A reader that stops when it is told to.
struct Stoppable<'a, R> {
    reader: R,
    cancel: &'a CancellationToken,
}

impl<R: Read> Read for Stoppable<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.cancel.is_cancelled() {
            return Err(ErrorKind::Interrupted.into());
        }
        self.reader.read(buffer)
    }
}

/// The text that the digest of a sparse file is of: its size, then number and bytes of each
/// block that is not all zero. Where the holes lie makes no difference.
struct SparseBlocks<'a> {
    file: &'a File,
    size: u64,
    parts: &'a [DataPart],
    /// The first block that was not looked at.
    next: u64,
    block: Vec<u8>,
    text: Vec<u8>,
    /// Bytes of the text that were given out.
    given: usize,
    cancel: &'a CancellationToken,
}

impl SparseBlocks<'_> {
    /// Puts the next block into the text; false at the end.
    fn advance(&mut self) -> io::Result<bool> {
        const SIZE: u64 = BLOCK as u64;
        while let Some(part) = self.parts.first() {
            let number = self.next.max(part.from / SIZE);
            if number * SIZE >= part.to {
                self.parts = &self.parts[1..];
                continue;
            }
            self.next = number + 1;
            if self.cancel.is_cancelled() {
                return Err(ErrorKind::Interrupted.into());
            }
            let left = usize::try_from(self.size - number * SIZE).unwrap_or(BLOCK);
            let block = &mut self.block[..left.min(BLOCK)];
            self.file.read_exact_at(block, number * SIZE)?;
            if block.iter().any(|byte| *byte != 0) {
                self.text.clear();
                self.text.extend(number.to_le_bytes());
                self.text.extend_from_slice(block);
                self.given = 0;
                return Ok(true);
            }
        }
        Ok(false)
    }
}

impl Read for SparseBlocks<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.given == self.text.len() && !self.advance()? {
            return Ok(0);
        }
        let rest = &self.text[self.given..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.given += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use std::io::{SeekFrom, Write as _};

    use super::*;

    fn digest(file: &File) -> Digest {
        let again = file.try_clone().unwrap();
        FileToDigest::new(again)
            .unwrap()
            .digest(&CancellationToken::new())
            .unwrap()
    }

    #[test]
    fn holes_cost_nothing_and_what_stands_between_them_counts() {
        let mut file = tempfile::tempfile().unwrap();
        file.set_len(1 << 40).unwrap();
        let empty = digest(&file);
        assert_eq!(FileToDigest::new(file.try_clone().unwrap()).unwrap().bytes(), 0);
        for (at, text) in [(1 << 30, "here"), ((1 << 40) - 2, "z")] {
            file.seek(SeekFrom::Start(at)).unwrap();
            file.write_all(text.as_bytes()).unwrap();
        }
        let written = digest(&file);
        assert_ne!(written, empty);
        // A block of zeros in the place of a hole is the same content.
        file.seek(SeekFrom::Start(3 << 30)).unwrap();
        file.write_all(&[0; 1 << 20]).unwrap();
        assert_eq!(digest(&file), written);
        file.set_len((1 << 40) + 1).unwrap();
        assert_ne!(digest(&file), written);
    }

    #[test]
    fn a_file_without_holes_has_the_digest_of_its_bytes() {
        let mut file = tempfile::tempfile().unwrap();
        let text = vec![b'x'; (holes::SMALL + 3) as usize];
        file.write_all(&text).unwrap();
        assert_eq!(digest(&file), Digest::compute(&text));
        file.set_len(10).unwrap();
        assert_eq!(digest(&file), Digest::compute("xxxxxxxxxx"));
        let small = tempfile::tempfile().unwrap();
        small.set_len(5).unwrap();
        assert_eq!(digest(&small), Digest::compute([0; 5]));
    }

    #[test]
    fn reading_stops_when_it_is_told_to() {
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&[1; 100]).unwrap();
        let stopped = CancellationToken::new();
        stopped.cancel();
        let error = FileToDigest::new(file).unwrap().digest(&stopped).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::Interrupted);
    }
}
