//! Headers of entries, with the names and links that stand in headers of their own.
//!
//! Source: POSIX.1-2017, `pax`, "pax Extended Header"; GNU tar manual, "Basic Tar Format".

use std::io::{self, Read};
use std::time::{Duration, SystemTime};

use tar::EntryType;

/// Most bytes of a long name or of extended headers.
const LONGEST: u64 = 1 << 20;

/// The kind of an entry, as far as the unpacking tells kinds apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EntryKind {
    File,
    Folder,
    Link,
    HardLink,
    Device,
    Pipe,
    Sparse,
    Unknown,
}

/// An entry without its content.
#[derive(Debug)]
pub(super) struct EntryHeader {
    pub name: Vec<u8>,
    pub target: Vec<u8>,
    pub kind: EntryKind,
    pub bytes: u64,
    pub is_executable: bool,
    pub modified: Option<SystemTime>,
}

/// The fault of a header that refuses the archive.
#[derive(Debug)]
pub(super) enum HeaderFault {
    Wrong(&'static str),
    Io(io::Error),
}

impl From<io::Error> for HeaderFault {
    fn from(error: io::Error) -> Self {
        Self::Io(error)
    }
}

/// Headers that say something about the entry behind them.
#[derive(Debug, Default)]
pub(super) struct HeaderReader {
    name: Option<Vec<u8>>,
    target: Option<Vec<u8>>,
    size: Option<u64>,
    is_sparse: bool,
}

impl HeaderReader {
    /// Takes a raw entry in; `None` of one that is about the entry behind it, or about none.
    pub fn take<R: Read>(
        &mut self,
        entry: &mut tar::Entry<'_, R>,
    ) -> Result<Option<EntryHeader>, HeaderFault> {
        match entry.header().entry_type() {
            EntryType::GNULongName => self.name = Some(until_zero(read(entry)?)),
            EntryType::GNULongLink => self.target = Some(until_zero(read(entry)?)),
            EntryType::XHeader => self.extended(&read(entry)?)?,
            EntryType::XGlobalHeader => {
                let mut global = Self::default();
                global.extended(&read(entry)?)?;
                if global.name.is_some() || global.target.is_some() || global.size.is_some() {
                    return Err(HeaderFault::Wrong("it names or sizes all entries at once"));
                }
            }
            kind => return std::mem::take(self).finish(kind, entry).map(Some),
        }
        Ok(None)
    }

    /// Reads records of the form `LENGTH KEY=VALUE` and a line end.
    fn extended(&mut self, mut records: &[u8]) -> Result<(), HeaderFault> {
        let wrong = || HeaderFault::Wrong("its extended header cannot be read");
        while !records.is_empty() {
            let space = records.iter().position(|byte| *byte == b' ').ok_or_else(wrong)?;
            let length: usize = number(&records[..space]).ok_or_else(wrong)?;
            let record = records.get(space + 1..length).ok_or_else(wrong)?;
            let record = record.strip_suffix(b"\n").ok_or_else(wrong)?;
            let equals = record.iter().position(|byte| *byte == b'=').ok_or_else(wrong)?;
            let (key, value) = (&record[..equals], &record[equals + 1..]);
            match key {
                b"path" => self.name = Some(value.to_owned()),
                b"linkpath" => self.target = Some(value.to_owned()),
                b"size" => self.size = Some(number(value).ok_or_else(wrong)?),
                key if key.starts_with(b"GNU.sparse.") => self.is_sparse = true,
                _ => {}
            }
            records = &records[length..];
        }
        Ok(())
    }

    fn finish<R: Read>(self, kind: EntryType, entry: &tar::Entry<'_, R>) -> Result<EntryHeader, HeaderFault> {
        let header = entry.header();
        let bytes = header.entry_size()?;
        // Readers that believe the one and readers that believe the other see different archives.
        if self.size.is_some_and(|size| size != bytes) {
            return Err(HeaderFault::Wrong("it has two sizes that differ"));
        }
        let name = self.name.unwrap_or_else(|| header.path_bytes().into_owned());
        let kind = match kind {
            _ if self.is_sparse => EntryKind::Sparse,
            // As archives before ustar write a folder.
            EntryType::Regular if name.ends_with(b"/") && bytes == 0 => EntryKind::Folder,
            EntryType::Regular | EntryType::Continuous => EntryKind::File,
            EntryType::Directory => EntryKind::Folder,
            EntryType::Symlink => EntryKind::Link,
            EntryType::Link => EntryKind::HardLink,
            EntryType::Char | EntryType::Block => EntryKind::Device,
            EntryType::Fifo => EntryKind::Pipe,
            EntryType::GNUSparse => EntryKind::Sparse,
            _ => EntryKind::Unknown,
        };
        let target = || header.link_name_bytes().map(std::borrow::Cow::into_owned);
        let modified = header.mtime().ok();
        Ok(EntryHeader {
            target: self.target.or_else(target).unwrap_or_default(),
            is_executable: header.mode().is_ok_and(|mode| mode & 0o111 != 0),
            modified: modified
                .and_then(|seconds| SystemTime::UNIX_EPOCH.checked_add(Duration::from_secs(seconds))),
            name,
            kind,
            bytes,
        })
    }
}

/// The content of a header that is about another entry.
fn read<R: Read>(entry: &mut tar::Entry<'_, R>) -> Result<Vec<u8>, HeaderFault> {
    let size = entry.header().entry_size()?;
    if size > LONGEST {
        return Err(HeaderFault::Wrong(
            "its name or extended header is larger than a MiB",
        ));
    }
    let mut bytes = Vec::new();
    entry.read_to_end(&mut bytes)?;
    if bytes.len() as u64 != size {
        return Err(io::Error::from(io::ErrorKind::UnexpectedEof).into());
    }
    Ok(bytes)
}

fn until_zero(mut bytes: Vec<u8>) -> Vec<u8> {
    if let Some(at) = bytes.iter().position(|byte| *byte == 0) {
        bytes.truncate(at);
    }
    bytes
}

fn number<N: std::str::FromStr>(digits: &[u8]) -> Option<N> {
    std::str::from_utf8(digits).ok()?.parse().ok()
}
