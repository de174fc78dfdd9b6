//! A look into a file for references.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::ops::ControlFlow::{Break, Continue};
use std::path::{Path, PathBuf};

use bzip2::bufread::MultiBzDecoder;
use flate2::bufread::MultiGzDecoder;
use lzma_rust2::XzReader;
use memchr::memmem;

use crate::study::error::StudyError;
use crate::study::layout::is_private;

pub use super::budget::Bounds;
use super::budget::Budget;
use super::entries::{Entries, Flow};
use super::format::{Format, HEAD, is_archive_name};
use super::window::Window;
use super::{seven_zip, tar, zip};

/// How deep archives and compressed files may lie in one another.
const DEEPEST: usize = 5;
/// KiB of memory that unpacking may take.
const MEMORY: u32 = 256 << 10;
/// Most bytes of a 7z archive inside another.
const INNER_SEVEN_ZIP: u64 = 64 << 20;
/// Where the end of a ZIP's directory stands: 22 bytes and a comment before the file's end.
const TAIL: u64 = 22 + (64 << 10);
/// Most characters of a name that are shown.
const SHOWN: usize = 200;

/// The outcome of a look into a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ArchiveFinding {
    /// No archive, or one without a reference.
    Clear,
    /// The first reference, with the archives inside that hold it in front.
    Reference(String),
    /// An archive that was not looked at to its end, and a clause that says why.
    Unseen(String),
}

/// The looks into the files of one study, which share their bounds.
#[derive(Debug)]
pub struct ArchiveSearch {
    per_file: Bounds,
    left: Bounds,
}

impl Default for ArchiveSearch {
    fn default() -> Self {
        Self::new(Bounds::PER_FILE, Bounds::IN_ALL)
    }
}

impl ArchiveSearch {
    /// A search within these bounds.
    pub fn new(per_file: Bounds, in_all: Bounds) -> Self {
        Self {
            per_file,
            left: in_all,
        }
    }

    /// Looks into a file.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn look(&mut self, file: &Path) -> Result<ArchiveFinding, StudyError> {
        let bounds = self.per_file.within(self.left);
        let budget = Budget::new(bounds);
        let mut look = Look {
            budget: &budget,
            inside: Vec::new(),
            reference: None,
            unseen: None,
        };
        look.file(file).map_err(StudyError::io("read", file))?;
        let unseen = look.unseen.or_else(|| budget.reached().map(str::to_owned));
        self.left = self.left.less(bounds, budget.left());
        Ok(match (look.reference, unseen) {
            (Some(entry), _) => ArchiveFinding::Reference(entry),
            (None, Some(reason)) => ArchiveFinding::Unseen(reason),
            (None, None) => ArchiveFinding::Clear,
        })
    }
}

/// Whether a ZIP's directory ends where the file does. Leaves the file at its front.
fn ends_as_zip(file: &mut File) -> io::Result<bool> {
    let length = file.seek(SeekFrom::End(0))?;
    file.seek(SeekFrom::Start(length.saturating_sub(TAIL)))?;
    let tail = beginning(file, TAIL)?;
    Ok(memmem::find(&tail, zip::END).is_some())
}

/// The bytes from where the file stands, which is left at its front.
fn beginning(file: &mut File, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    file.by_ref().take(most).read_to_end(&mut bytes)?;
    file.rewind()?;
    Ok(bytes)
}

struct Look<'a> {
    budget: &'a Budget,
    /// Names of the archives that are being looked into, below the file.
    inside: Vec<String>,
    reference: Option<String>,
    unseen: Option<String>,
}

impl Look<'_> {
    fn file(&mut self, path: &Path) -> io::Result<()> {
        let mut file = File::open(path)?;
        let head = beginning(&mut file, HEAD as u64)?;
        let name = path.file_name().unwrap_or_default().as_encoded_bytes();
        let _stopped = match Format::detect(&head) {
            Some(Format::SevenZip) => self.seven_zip(&mut file),
            Some(format) => self.packed(format, name, &mut Window::new(file)),
            // A ZIP can stand behind a program that unpacks it, or anything else.
            None if ends_as_zip(&mut file)? => self.packed(Format::Zip, name, &mut Window::new(file)),
            None => Continue(()),
        };
        Ok(())
    }

    fn packed(&mut self, format: Format, name: &[u8], content: &mut Window<'_>) -> Flow {
        match format {
            Format::Zip => zip::entries(content, self),
            Format::Tar => tar::entries(content, self),
            Format::Gzip => self.compressed(MultiGzDecoder::new(content)),
            Format::Bzip2 => self.compressed(MultiBzDecoder::new(content)),
            Format::Xz => self.compressed(XzReader::new_mem_limit(content, true, MEMORY)),
            Format::SevenZip => {
                let bytes = content.read_up_to(INNER_SEVEN_ZIP + 1);
                if bytes.len() as u64 > INNER_SEVEN_ZIP {
                    return self.pass("a 7z archive in it is too large to be listed");
                }
                self.seven_zip(&mut Cursor::new(bytes))
            }
            Format::Rar => self.pass("RAR archives cannot be listed"),
            Format::Zstd if is_archive_name(name) => self.pass("zstd archives cannot be listed"),
            Format::Zstd => Continue(()),
        }
    }

    fn compressed(&mut self, decoder: impl Read) -> Flow {
        let budget = self.budget;
        self.within("", &mut Window::new(budget.metered(decoder)))
    }

    /// Looks at content that stands in what is being looked into.
    fn within(&mut self, name: &str, content: &mut Window<'_>) -> Flow {
        let Some(format) = Format::detect(content.peek(HEAD)) else {
            return Continue(());
        };
        if self.inside.len() == DEEPEST {
            return self.pass("it nests archives too deeply");
        }
        self.inside.push(name.to_owned());
        let flow = self.packed(format, name.as_bytes(), content);
        self.inside.pop();
        flow
    }

    fn seven_zip(&mut self, archive: &mut (impl Read + Seek)) -> Flow {
        let Some(names) = seven_zip::names(archive) else {
            return self.pass("its names cannot be read");
        };
        names.iter().try_for_each(|name| self.name(name))
    }

    /// Goes on without what cannot be looked at; a reference elsewhere counts more.
    fn pass(&mut self, reason: &str) -> Flow {
        self.unseen.get_or_insert_with(|| reason.to_owned());
        Continue(())
    }
}

impl<'a> Entries<'a> for Look<'a> {
    fn budget(&self) -> &'a Budget {
        self.budget
    }

    fn name(&mut self, name: &[u8]) -> Flow {
        if !self.budget.lists_one() {
            return Break(());
        }
        let name = String::from_utf8_lossy(name).replace('\\', "/");
        // A folder ends with the stroke; a path may begin or climb with others.
        let parts = name.split('/').filter(|part| !matches!(*part, "" | "." | ".."));
        if !is_private(&parts.collect::<PathBuf>()) {
            return Continue(());
        }
        let above = self.inside.iter().filter(|name| !name.is_empty());
        let path: Vec<String> = above.cloned().chain([shown(&name)]).collect();
        self.reference = Some(path.join(" > "));
        Break(())
    }

    fn content(&mut self, name: &[u8], content: &mut Window<'_>) -> Flow {
        let name = shown(&String::from_utf8_lossy(name));
        self.within(&name, content)?;
        match self.budget.reached() {
            Some(_) => Break(()),
            None => Continue(()),
        }
    }

    fn closed(&mut self, name: &[u8]) -> Flow {
        match is_archive_name(name) {
            true => self.pass("an archive in it is packed in a way that cannot be read"),
            false => Continue(()),
        }
    }
}

/// A name as it can stand in a sentence.
fn shown(name: &str) -> String {
    let plain = name.chars().map(|one| match one {
        one if one.is_control() => '\u{fffd}',
        one => one,
    });
    plain.take(SHOWN).collect()
}
