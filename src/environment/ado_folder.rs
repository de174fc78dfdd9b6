//! Packages of Stata's community in a folder of the operator's, by digest and day: the archives that they come
//! from keep their newest versions alone, and versions flip results.

use std::fs;
use std::path::{Path, PathBuf};

use jiff::civil::Date;

use crate::domain::digest::Digest;
use crate::domain::lazy_regex::LazyRegex;

use super::error::EnvironmentError;
use super::source_tree::{SourceFile, SourceTree};

/// The file by which Stata keeps what it installed.
const TRACKED: &str = "stata.trk";
/// Endings of files that run; help does not.
const RUNS: [&str; 8] = ["ado", "mata", "mlib", "mo", "class", "plugin", "dta", "py"];
/// Lines at the head of an ado-file in which its version stands.
const HEAD: usize = 30;

static VERSION: LazyRegex = LazyRegex::new(r"(?i)\bv(?:ers(?:ion)?)?[ .]*([0-9]+(?:\.[0-9]+)*)");
static DAY: LazyRegex = LazyRegex::new(
    r"(?i)\b([0-9]{1,2})[ -]*(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ -]*([0-9]{4})\b",
);
static DISTRIBUTED: LazyRegex =
    LazyRegex::new(r"(?i)^d\s+Distribution-Date:\s*([0-9]{4})([0-9]{2})([0-9]{2})\b");

/// A package as a folder has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoPackage {
    /// The version that its file says, else the day.
    pub version: Option<String>,
    pub day: Option<Date>,
    /// The path of its main file below the folder.
    pub file: String,
    /// How many of its files run.
    pub files: usize,
    pub size: u64,
    /// SHA-256 of the one file that runs; of several, of the lines `DIGEST  PATH` of all.
    pub sha256: String,
}

/// A file of a package that runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AdoFile {
    /// Below the folder.
    pub path: String,
    pub bytes: Vec<u8>,
}

/// The reason for which a package is not had.
#[derive(Debug, thiserror::Error)]
pub enum AdoRefusal {
    #[error("{0} has no file of it")]
    Absent(String),
    #[error("{folder} has it of {day}, behind the chosen day, and its versions differ in results")]
    Later { folder: String, day: Date },
    #[error("the first of the dated folders in {folder} is of {first}, behind the chosen day")]
    NoFolder { folder: String, first: Date },
    #[error("{folder} has it with other files than the lock: SHA-256 {found}, and not {locked}")]
    Other {
        folder: String,
        locked: String,
        found: String,
    },
    #[error("{path} cannot be read: {reason}")]
    Unread { path: String, reason: String },
}

/// An entry of `stata.trk`.
#[derive(Debug, Default)]
struct TrackedPackage {
    name: String,
    day: Option<Date>,
    /// Below the folder.
    files: Vec<String>,
}

/// A folder of ado-files, or the newest of its dated folders that is not behind a day.
#[derive(Debug)]
pub struct AdoFolder {
    /// As it was named.
    pub shown: String,
    until: Date,
    /// `None` where every dated folder is behind the day.
    tree: Option<SourceTree>,
    /// The day of the dated folder that is taken, else of the first one.
    snapshot: Option<Date>,
    tracked: Vec<TrackedPackage>,
}

impl AdoFolder {
    /// Opens a folder. Where folders in it are named by days, such as `2019-06-30`, the newest one that is not behind
    /// `until` is taken.
    ///
    /// # Errors
    /// A folder that cannot be read, or holds too many files.
    pub fn open(folder: &Path, until: Date) -> Result<Self, EnvironmentError> {
        let mut dated = dated_folders(folder);
        dated.sort();
        let taken = dated.iter().rev().find(|one| one.day <= until);
        let tree = match (taken, dated.is_empty()) {
            (Some(taken), _) => Some(SourceTree::open(&taken.path)?),
            (None, true) => Some(SourceTree::open(folder)?),
            (None, false) => None,
        };
        let tracked = tree.as_ref().map_or_else(Vec::new, tracked_packages);
        Ok(Self {
            shown: taken.map_or(folder, |taken| &taken.path).display().to_string(),
            until,
            snapshot: taken.or(dated.first()).map(|one| one.day),
            tree,
            tracked,
        })
    }

    /// A package by its name and the commands that it holds.
    ///
    /// # Errors
    /// A package that the folder lacks, or has of a later day.
    pub fn package(&self, name: &str, commands: &[String]) -> Result<AdoPackage, AdoRefusal> {
        let shown = || self.shown.clone();
        let files = self.files_of(name, commands)?;
        let own = format!("{name}.ado");
        let main = files.iter().find(|file| file.name() == own).or(files.first());
        let Some(main) = main else {
            return Err(AdoRefusal::Absent(shown()));
        };
        let head = HeadOfAdo::read(&main.text().unwrap_or_default());
        let day = self
            .tracked_as(name)
            .and_then(|tracked| tracked.day)
            .or(head.day)
            .or(self.snapshot);
        if let Some(day) = day.filter(|day| *day > self.until) {
            return Err(AdoRefusal::Later { folder: shown(), day });
        }
        Ok(AdoPackage {
            version: head.version,
            day,
            file: main.path.clone(),
            files: files.len(),
            size: files.iter().map(|file| file.size).sum(),
            sha256: digest(&read(&files)?),
        })
    }

    /// The files of a package that run, where they are those of a digest.
    ///
    /// # Errors
    /// A package that the folder lacks or has with other files, or a file that cannot be read.
    pub fn held_to(&self, name: &str, commands: &[String], locked: &str) -> Result<Vec<AdoFile>, AdoRefusal> {
        let files = read(&self.files_of(name, commands)?)?;
        if files.is_empty() {
            return Err(AdoRefusal::Absent(self.shown.clone()));
        }
        let found = digest(&files);
        match found == locked {
            true => Ok(files),
            false => Err(AdoRefusal::Other {
                folder: self.shown.clone(),
                locked: locked.to_owned(),
                found,
            }),
        }
    }

    fn tracked_as(&self, name: &str) -> Option<&TrackedPackage> {
        self.tracked.iter().find(|one| one.name == name)
    }

    /// The files of a package that run; none of one that is not there.
    fn files_of(&self, name: &str, commands: &[String]) -> Result<Vec<&SourceFile>, AdoRefusal> {
        let Some(tree) = &self.tree else {
            return Err(AdoRefusal::NoFolder {
                folder: self.shown.clone(),
                first: self.snapshot.unwrap_or(self.until),
            });
        };
        let tracked = self.tracked_as(name);
        let is_of = |file: &&SourceFile| match tracked {
            Some(tracked) => tracked.files.contains(&file.path),
            None => {
                let stem = file.name().rsplit_once('.').map_or("", |(stem, _)| stem);
                stem == name || commands.iter().any(|command| command == stem)
            }
        };
        let runs = |file: &&SourceFile| RUNS.contains(&file.extension().as_str());
        Ok(tree.files.iter().filter(is_of).filter(runs).collect())
    }
}

/// A folder that is named by a day.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct DatedFolder {
    day: Date,
    path: PathBuf,
}

fn dated_folders(folder: &Path) -> Vec<DatedFolder> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let dated = entries.filter_map(|entry| {
        let day = entry.file_name().to_str()?.parse().ok()?;
        let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
        is_folder.then(|| DatedFolder {
            day,
            path: entry.path(),
        })
    });
    dated.collect()
}

fn tracked_packages(tree: &SourceTree) -> Vec<TrackedPackage> {
    let mut found = Vec::new();
    for file in tree.files.iter().filter(|file| file.name() == TRACKED) {
        let below = match file.folder() {
            "" => String::new(),
            folder => format!("{folder}/"),
        };
        let mut package = TrackedPackage::default();
        for line in file.text().unwrap_or_default().lines() {
            match line.split_once(' ') {
                Some(("N", name)) => {
                    let name = name.trim();
                    name.strip_suffix(".pkg")
                        .unwrap_or(name)
                        .clone_into(&mut package.name);
                }
                Some(("f", path)) => package.files.push(format!("{below}{}", path.trim())),
                _ => {}
            }
            if let Some(day) = DISTRIBUTED.captures(line) {
                package.day = format!("{}-{}-{}", &day[1], &day[2], &day[3]).parse().ok();
            }
            if line.trim() == "e" {
                found.push(std::mem::take(&mut package));
            }
        }
    }
    found
}

/// The version and day in the marked lines at an ado-file's head, such as `*! version 5.7.3 13nov2019`.
#[derive(Debug, Default, PartialEq, Eq)]
struct HeadOfAdo {
    version: Option<String>,
    day: Option<Date>,
}

impl HeadOfAdo {
    fn read(text: &str) -> Self {
        let mut head = Self::default();
        for line in text
            .lines()
            .take(HEAD)
            .filter_map(|line| line.trim().strip_prefix("*!"))
        {
            if head.version.is_none() {
                head.version = VERSION.captures(line).map(|found| found[1].to_owned());
            }
            if head.day.is_none() {
                head.day = DAY.captures(line).and_then(|found| {
                    let day: i8 = found[1].parse().ok()?;
                    Date::new(found[3].parse().ok()?, month(&found[2])?, day).ok()
                });
            }
        }
        head
    }
}

fn month(name: &str) -> Option<i8> {
    const MONTHS: [&str; 12] = [
        "jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec",
    ];
    let name = name.to_ascii_lowercase();
    let at = MONTHS.iter().position(|month| *month == name)?;
    i8::try_from(at + 1).ok()
}

fn read(files: &[&SourceFile]) -> Result<Vec<AdoFile>, AdoRefusal> {
    let read = |file: &&SourceFile| {
        let bytes = file.bytes().map_err(|error| AdoRefusal::Unread {
            path: file.path.clone(),
            reason: error.to_string(),
        })?;
        Ok(AdoFile {
            path: file.path.clone(),
            bytes,
        })
    };
    files.iter().map(read).collect()
}

fn digest(files: &[AdoFile]) -> String {
    if let [one] = files {
        return Digest::compute(&one.bytes).hex();
    }
    let line = |file: &AdoFile| format!("{}  {}\n", Digest::compute(&file.bytes).hex(), file.path);
    let text: String = files.iter().map(line).collect();
    Digest::compute(text).hex()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn heads_of_ado_files_say_version_and_day() {
        let read = |text: &str| {
            let head = HeadOfAdo::read(text);
            (
                head.version.unwrap_or_default(),
                head.day.map(|day| day.to_string()).unwrap_or_default(),
            )
        };
        let told = |version: &str, day: &str| (version.to_owned(), day.to_owned());
        assert_eq!(
            read("*! version 5.7.3 13nov2019\nprogram x"),
            told("5.7.3", "2019-11-13")
        );
        assert_eq!(
            read("*! 1.2 2 March 2015 Author\n*! v2.0"),
            told("2.0", "2015-03-02")
        );
        assert_eq!(read("* version 9 1jan2001\nversion 13"), told("", ""));
        assert_eq!(read("*! 31feb2019"), told("", ""));
    }

    #[test]
    fn what_stata_tracked_tells_files_and_day() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        write(root, "plus/r/reghdfe.ado", "*! version 5.7.3 13nov2019\n");
        write(root, "plus/r/reghdfe.mata", "mata:\n");
        write(root, "plus/r/reghdfe.sthlp", "help\n");
        write(root, "plus/e/esttab.ado", "*! version 3.31 26apr2022\n");
        let tracked = "* 00000003\nS http://x.example\nN reghdfe.pkg\nD 1 Dec 2019\nU 1\nd 'REGHDFE'\nd Distribution-Date: 20191121\nf r/reghdfe.ado\nf r/reghdfe.mata\nf r/reghdfe.sthlp\ne\n";
        write(root, "plus/stata.trk", tracked);
        let folder = AdoFolder::open(root, day("2020-01-01")).unwrap();
        let found = folder.package("reghdfe", &[]).unwrap();
        assert_eq!((found.files, found.day), (2, Some(day("2019-11-21"))));
        assert_eq!(found.version.as_deref(), Some("5.7.3"));
        write(root, "plus/r/reghdfe.mata", "mata: other\n");
        assert_ne!(folder.package("reghdfe", &[]).unwrap().sha256, found.sha256);
        // Of a package that Stata did not track, the files of its commands.
        let esttab = folder.package("estout", &["esttab".to_owned()]).unwrap_err();
        assert!(
            esttab
                .to_string()
                .contains("of 2022-04-26, behind the chosen day"),
            "{esttab}"
        );
        assert!(matches!(folder.package("none", &[]), Err(AdoRefusal::Absent(_))));
    }

    #[test]
    fn of_dated_folders_the_newest_that_is_not_behind_the_day_is_taken() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        for (folder, version) in [
            ("2018-01-31", "1.0"),
            ("2020-06-30", "2.0"),
            ("2023-06-30", "3.0"),
        ] {
            write(
                root,
                &format!("{folder}/x.ado"),
                &format!("*! version {version}\n"),
            );
        }
        let version = |until: &str| {
            let folder = AdoFolder::open(root, day(until)).unwrap();
            folder
                .package("x", &[])
                .map(|found| (found.version.unwrap(), found.day.unwrap().to_string()))
        };
        assert_eq!(
            version("2020-07-01").unwrap(),
            ("2.0".to_owned(), "2020-06-30".to_owned())
        );
        assert_eq!(version("2019-07-01").unwrap().0, "1.0");
        let early = version("2017-01-01").unwrap_err().to_string();
        assert!(
            early.contains("is of 2018-01-31, behind the chosen day"),
            "{early}"
        );
    }
}
