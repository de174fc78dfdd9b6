//! A journal in a file, synced event by event.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};

use jiff::Timestamp;

use crate::run::event::{Event, Record};

use super::line::{self, CheckSum};
use super::log::{Journal, JournalError};
use super::read::{self, JournalContents};
use super::signature;
use super::signature::signer::{JournalSigner, Signer};

/// The writer of one run's journal. Whoever opens it holds the run's lock.
#[derive(Debug)]
pub struct DiskJournal {
    file: File,
    path: PathBuf,
    last: CheckSum,
    seq: u64,
    end: u64,
    signer: Option<JournalSigner>,
}

impl DiskJournal {
    /// Opens or creates the file; a torn last line is cut off. Decisions by persons and the
    /// end are signed where there is a signer.
    ///
    /// # Errors
    /// A damaged line that has its line end, the last one included, or a file that cannot be written.
    pub fn open(path: &Path, signer: Option<Signer>) -> Result<(Self, JournalContents), JournalError> {
        let found = read::read(path)?;
        let last = found.records.last().map_or(0, |record| record.seq);
        signature::file::drop_unwritten(&signature::file::beside(path), last)?;
        let io = |error| JournalError::io(path, error);
        let file = File::options().append(true).create(true).open(path).map_err(io)?;
        if found.torn > 0 {
            file.set_len(found.good).map_err(io)?;
        }
        file.sync_all().map_err(io)?;
        if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
            File::open(folder)
                .and_then(|folder| folder.sync_all())
                .map_err(io)?;
        }
        let signer = match signer {
            Some(signer) => {
                let journal = std::fs::read(path).map_err(io)?;
                Some(JournalSigner::new(signer, path, &journal))
            }
            None => None,
        };
        let journal = Self {
            file,
            path: path.to_owned(),
            last: found.last.clone(),
            seq: last,
            end: found.good,
            signer,
        };
        Ok((journal, found))
    }

    /// Checks that the file ends with the last line that was read or written here.
    fn ensure_unchanged(&self) -> Result<(), JournalError> {
        // Opened anew, so that a file system of several machines shows what others wrote.
        let length = File::open(&self.path).and_then(|file| file.metadata());
        let length = length.map_err(|error| JournalError::io(&self.path, error))?.len();
        match length == self.end {
            true => Ok(()),
            false => Err(JournalError::TakenOver {
                path: self.path.display().to_string(),
                holder: String::new(),
            }),
        }
    }
}

impl Journal for DiskJournal {
    fn append(&mut self, at: Timestamp, event: Event) -> Result<Record, JournalError> {
        self.ensure_unchanged()?;
        let record = Record {
            seq: self.seq + 1,
            at,
            event,
        };
        let (line, sum) = line::write(&record, &self.last)?;
        if let Some(signer) = &mut self.signer {
            signer.take(&record, &line, &sum)?;
        }
        let written = self.file.write_all(&line).and_then(|()| self.file.sync_data());
        if let Err(error) = written {
            // A line that a full disk cut short must not stand before a later one.
            let _best_effort = self.file.set_len(self.end);
            return Err(JournalError::io(&self.path, error));
        }
        self.seq = record.seq;
        self.last = sum;
        self.end += line.len() as u64;
        Ok(record)
    }
}

#[cfg(test)]
mod tests {
    use crate::run::event::Resumption;

    use super::*;

    /// Nothing of what the other one wrote is lost, whatever the locks there hold.
    #[test]
    fn a_line_of_another_process_stops_this_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let event = || Event::Resumed(Resumption::default());
        let (mut first, _) = DiskJournal::open(&path, None).unwrap();
        first.append(Timestamp::UNIX_EPOCH, event()).unwrap();
        let (mut second, _) = DiskJournal::open(&path, None).unwrap();
        second.append(Timestamp::UNIX_EPOCH, event()).unwrap();
        let refused = first.append(Timestamp::UNIX_EPOCH, event()).unwrap_err();
        assert!(matches!(refused, JournalError::TakenOver { .. }), "{refused}");
        second.append(Timestamp::UNIX_EPOCH, event()).unwrap();
        let found = read::read(&path).unwrap();
        assert_eq!((found.records.len(), found.torn), (3, 0));
    }

    #[test]
    fn a_torn_line_is_dropped_and_the_chain_goes_on() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("journal.jsonl");
        let note = |note: &str| {
            Event::Resumed(Resumption {
                note: note.into(),
                ..Resumption::default()
            })
        };
        let (mut journal, _) = DiskJournal::open(&path, None).unwrap();
        journal.append(Timestamp::UNIX_EPOCH, note("one")).unwrap();
        journal.append(Timestamp::UNIX_EPOCH, note("two")).unwrap();
        drop(journal);
        let whole = std::fs::metadata(&path).unwrap().len();
        File::options()
            .write(true)
            .open(&path)
            .unwrap()
            .set_len(whole - 5)
            .unwrap();
        let (mut journal, found) = DiskJournal::open(&path, None).unwrap();
        assert_eq!((found.records.len(), found.torn > 0), (1, true));
        assert_eq!(
            journal.append(Timestamp::UNIX_EPOCH, note("three")).unwrap().seq,
            2
        );
        drop(journal);
        let found = read::read(&path).unwrap();
        assert_eq!((found.records.len(), found.torn), (2, 0));
    }
}
