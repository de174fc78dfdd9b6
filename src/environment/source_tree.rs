//! The files of a folder, as they are looked at for what an analysis needs.

use std::fs::{self, File};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use jiff::Timestamp;
use walkdir::{DirEntry, WalkDir};

use super::error::EnvironmentError;
use super::evidence::FileFault;
use crate::study::layout::is_private;

/// Files that are looked at.
const MOST_FILES: usize = 20_000;
/// Folders inside one another.
const DEEPEST: usize = 32;
/// Links that are told one by one.
const MOST_LINKS: usize = 20;
/// Bytes of a file that is read as a whole.
pub const LARGEST: u64 = 32 << 20;

/// Folders of installed packages and of tools, which are not the analysis.
const FOREIGN: [&str; 11] = [
    "__pycache__",
    "node_modules",
    "site-packages",
    "venv",
    "env",
    "renv",
    "target",
    "__MACOSX",
    "dist-packages",
    "virtualenv",
    "ado",
];

/// The folder of Packrat.
const PACKRAT: &str = "packrat";
/// Hidden files and folders that tell of an environment.
const TELLING: [&str; 4] = [".Rprofile", ".binder", ".python-version", ".tool-versions"];

/// A file of the folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SourceFile {
    /// The path below the folder, with `/`.
    pub path: String,
    pub size: u64,
    /// When it was last changed, in this copy.
    pub changed: Option<Timestamp>,
    real: PathBuf,
}

impl SourceFile {
    /// The name without its folders.
    pub fn name(&self) -> &str {
        self.path.rsplit('/').next().unwrap_or_default()
    }

    /// The folder below the tree's, empty at the top.
    pub fn folder(&self) -> &str {
        self.path.rsplit_once('/').map_or("", |(folder, _)| folder)
    }

    /// What follows the last dot of the name, in small letters.
    pub fn extension(&self) -> String {
        let end = self.name().rsplit_once('.').map_or("", |(_, end)| end);
        end.to_ascii_lowercase()
    }

    /// The content.
    ///
    /// # Errors
    /// A file that is too large, or cannot be read.
    pub fn bytes(&self) -> Result<Vec<u8>, UnreadFile> {
        let mut bytes = Vec::new();
        File::open(&self.real)?
            .take(LARGEST + 1)
            .read_to_end(&mut bytes)?;
        if bytes.len() as u64 > LARGEST {
            return Err(UnreadFile::TooLarge(self.size));
        }
        Ok(bytes)
    }

    /// The content as text; what is no UTF-8 is taken as Windows-1252.
    ///
    /// # Errors
    /// A file that is too large, cannot be read, or is no text.
    pub fn text(&self) -> Result<String, UnreadFile> {
        let bytes = self.bytes()?;
        let marked = encoding_rs::Encoding::for_bom(&bytes).map(|(encoding, _)| encoding);
        let encoding = match (marked, std::str::from_utf8(&bytes)) {
            (Some(encoding), _) => encoding,
            (None, Ok(_)) => encoding_rs::UTF_8,
            (None, Err(_)) => encoding_rs::WINDOWS_1252,
        };
        let (text, _, _) = encoding.decode(&bytes);
        match text.contains('\0') {
            true => Err(UnreadFile::NoText),
            false => Ok(text.replace("\r\n", "\n").replace('\r', "\n")),
        }
    }
}

/// A file of the folder that is not read.
#[derive(Debug, thiserror::Error)]
pub enum UnreadFile {
    #[error("it has {0} bytes, more than the {LARGEST} that are read of one file: split it or leave it out")]
    TooLarge(u64),
    #[error("it is no text")]
    NoText,
    #[error("it cannot be read: {0}")]
    Io(#[from] io::Error),
}

/// The files of a folder, in the order of their paths.
#[derive(Debug)]
pub struct SourceTree {
    pub root: PathBuf,
    pub files: Vec<SourceFile>,
    /// Links that lead out of the folder, or nowhere, by their paths below it.
    pub links: Vec<String>,
}

impl SourceTree {
    /// Lists a folder. Links are not followed, hidden files (but for those that tell of an environment) and installed packages are passed over, and
    /// so are a study's references, which nothing that an agent sees may hold.
    ///
    /// # Errors
    /// A folder that is none, cannot be read, or holds too many files.
    pub fn open(folder: &Path) -> Result<Self, EnvironmentError> {
        let root = fs::canonicalize(folder)
            .ok()
            .filter(|root| root.is_dir())
            .ok_or_else(|| EnvironmentError::NoFolder(folder.to_owned()))?;
        let mut files = Vec::new();
        let mut links = Vec::new();
        let walk = WalkDir::new(&root).follow_links(false).max_depth(DEEPEST);
        for entry in walk.sort_by_file_name().into_iter().filter_entry(is_looked_at) {
            let entry = entry.map_err(|error| EnvironmentError::Unreadable {
                path: error.path().unwrap_or(&root).to_owned(),
                source: error.into(),
            })?;
            let below = entry.path().strip_prefix(&root).unwrap_or(entry.path());
            let Some(path) = below.to_str() else { continue };
            if is_private(below) || path.chars().any(char::is_control) {
                continue;
            }
            if entry.path_is_symlink() && entry.depth() > 0 && leads_out(entry.path(), &root) {
                links.push(path.to_owned());
            }
            if !entry.file_type().is_file() {
                continue;
            }
            if files.len() >= MOST_FILES {
                return Err(EnvironmentError::TooManyFiles {
                    folder: folder.to_owned(),
                    most: MOST_FILES,
                });
            }
            let known = entry.metadata().ok();
            let changed = known.as_ref().and_then(|known| known.modified().ok());
            files.push(SourceFile {
                path: path.to_owned(),
                size: known.map_or(0, |known| known.len()),
                changed: changed.and_then(|changed| Timestamp::try_from(changed).ok()),
                real: entry.path().to_owned(),
            });
        }
        files.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(Self { root, files, links })
    }

    /// The links that are not followed.
    pub fn faults(&self) -> Vec<FileFault> {
        let fault = |file: &String| {
            FileFault {
            file: file.clone(),
            problem: "it is a link that leads out of the folder, or nowhere, and is not followed: copy what is meant into \
                      the folder"
                .to_owned(),
        }
        };
        let mut faults: Vec<FileFault> = self.links.iter().take(MOST_LINKS).map(fault).collect();
        let more = self.links.len().saturating_sub(MOST_LINKS);
        if more > 0 {
            faults.push(FileFault {
                file: ".".to_owned(),
                problem: format!("{more} more links lead out of the folder, or nowhere"),
            });
        }
        faults
    }
}

/// Whether a link leads to something that is not in the folder; what it leads to inside is read in its own place.
fn leads_out(link: &Path, root: &Path) -> bool {
    fs::canonicalize(link).map_or(true, |target| !target.starts_with(root))
}

fn is_looked_at(entry: &DirEntry) -> bool {
    if entry.depth() == 0 {
        return true;
    }
    let name = entry.file_name().to_string_lossy();
    // Packrat keeps its lock among the packages that it installed.
    let folder = entry.path().parent().and_then(Path::file_name);
    if entry.depth() > 1 && folder.is_some_and(|folder| folder == PACKRAT) {
        return name == "packrat.lock";
    }
    let is_foreign = entry.file_type().is_dir() && FOREIGN.iter().any(|foreign| name == *foreign);
    let is_hidden = name.starts_with('.') && !TELLING.iter().any(|telling| name == *telling);
    !is_hidden && !is_foreign
}
