//! Reading a journal from disk.

use std::path::Path;

use crate::run::event::Record;

use super::line::{self, CheckSum};
use super::log::JournalError;

/// A journal as it was found.
#[derive(Debug)]
pub struct JournalContents {
    pub records: Vec<Record>,
    /// The check sum of each record's line.
    pub sums: Vec<CheckSum>,
    /// Check sum of the last good line.
    pub last: CheckSum,
    /// Bytes up to the end of the last good line.
    pub good: u64,
    /// Bytes of a torn last line.
    pub torn: u64,
}

/// Reads every line. A last line without its line end, or one that a crash cut
/// short, is counted as torn; damage anywhere else is an error with its line.
///
/// # Errors
/// A file that cannot be read, or a damaged line that has its line end, the last one included.
pub fn read(path: &Path) -> Result<JournalContents, JournalError> {
    let bytes = match std::fs::read(path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(JournalError::io(path, error)),
    };
    read_bytes(&bytes, path)
}

/// The same, of bytes that were read from `path`.
///
/// # Errors
/// A damaged line that has its line end.
pub fn read_bytes(bytes: &[u8], path: &Path) -> Result<JournalContents, JournalError> {
    let mut found = JournalContents {
        records: Vec::new(),
        sums: Vec::new(),
        last: CheckSum::first(),
        good: 0,
        torn: 0,
    };
    let mut rest = bytes;
    while !rest.is_empty() {
        let Some(end) = rest.iter().position(|byte| *byte == b'\n') else {
            found.torn = rest.len() as u64;
            break;
        };
        match line::read(&rest[..end], &found.last) {
            Ok((record, sum)) => {
                found.records.push(record);
                found.sums.push(sum.clone());
                found.last = sum;
                found.good += end as u64 + 1;
                rest = &rest[end + 1..];
            }
            Err(reason) => {
                return Err(JournalError::Damaged {
                    path: path.display().to_string(),
                    line: found.records.len() as u64 + 1,
                    reason: reason.to_string(),
                });
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;

    use super::*;
    use crate::run::event::{Event, Resumption};

    fn journal(lines: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut prev = CheckSum::first();
        for seq in 1..=lines {
            let record = Record {
                seq,
                at: Timestamp::UNIX_EPOCH,
                event: Event::Resumed(Resumption::default()),
            };
            let (line, sum) = line::write(&record, &prev).unwrap();
            bytes.extend(line);
            prev = sum;
        }
        bytes
    }

    #[test]
    fn a_cut_anywhere_loses_only_the_torn_line() {
        let whole = journal(3);
        let ends: Vec<usize> = whole
            .iter()
            .enumerate()
            .filter(|(_, byte)| **byte == b'\n')
            .map(|(at, _)| at + 1)
            .collect();
        for cut in 0..=whole.len() {
            let found = read_bytes(&whole[..cut], Path::new("j")).unwrap();
            let complete = ends.iter().filter(|end| **end <= cut).count();
            assert_eq!(found.records.len(), complete, "cut at {cut}");
            assert_eq!(found.good + found.torn, cut as u64);
        }
    }

    #[test]
    fn damage_names_its_line() {
        let mut bytes = journal(3);
        let second = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 10;
        bytes[second] ^= 4;
        let error = read_bytes(&bytes, Path::new("journal.jsonl"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("journal.jsonl, line 2:"), "{error}");
    }

    #[test]
    fn a_removed_line_is_damage() {
        let bytes = journal(3);
        let first = bytes.iter().position(|byte| *byte == b'\n').unwrap() + 1;
        assert!(matches!(
            read_bytes(&bytes[first..], Path::new("j")),
            Err(JournalError::Damaged { line: 1, .. })
        ));
    }
}
