//! Evidence of the time and the software of an analysis, and its weight.

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::language::Language;
use super::need::Question;
use super::tables::releases::{last_day, series_of};

/// The kinds of evidence, the strongest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EvidenceKind {
    /// The person who asks says so.
    Told,
    /// A lock file, or a file of requirements.
    LockFile,
    /// A date that the script itself asks its packages of.
    ScriptSnapshot,
    /// What a session said of itself in a log.
    SessionInfo,
    Dockerfile,
    Readme,
    /// The newest commit of the folder's repository.
    Commit,
    /// The day on which an archive or the authors published the material.
    Deposit,
    /// A date that the authors wrote into a script or a file's name.
    WrittenDate,
    /// Syntax that an interpreter must understand.
    Syntax,
    /// The newest change of a script, in this copy.
    FileChange,
    /// The day on which conda built a package that is installed; only older locks have it.
    PackageBuild,
    /// The paper's year.
    Publication,
    /// The change of files that were all written at once: the day of a copy.
    CopyDay,
}

impl EvidenceKind {
    /// The weight, from 0 to 100: of two dates, the one of more weight is taken.
    pub fn weight(self) -> u8 {
        match self {
            Self::Told => 100,
            Self::LockFile => 90,
            Self::ScriptSnapshot => 85,
            Self::SessionInfo => 80,
            Self::Dockerfile => 70,
            Self::Readme => 60,
            Self::Commit => 50,
            Self::Deposit => 45,
            Self::WrittenDate => 40,
            Self::Syntax => 35,
            Self::FileChange => 30,
            Self::PackageBuild => 20,
            Self::Publication => 15,
            Self::CopyDay => 1,
        }
    }
}

/// A version of an interpreter that evidence names.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NamedInterpreter {
    pub language: Language,
    /// As written: `3.8`, `4.0.3`; or bounds in the standard's words, such as `>=3.8` or `>=3.8,<3.11`.
    pub version: String,
}

/// A piece of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Evidence {
    pub kind: EvidenceKind,
    pub weight: u8,
    /// The path below the folder; `.` for the folder as a whole.
    pub file: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// A whole sentence.
    pub says: String,
    /// The day that it gives to the analysis.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<Date>,
    /// The day before which the analysis cannot have run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub not_before: Option<Date>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interpreter: Option<NamedInterpreter>,
}

impl Evidence {
    /// Evidence that names no date and no interpreter.
    pub fn new(kind: EvidenceKind, file: &str, says: impl Into<String>) -> Self {
        Self {
            kind,
            weight: kind.weight(),
            file: file.to_owned(),
            line: None,
            says: says.into(),
            date: None,
            not_before: None,
            interpreter: None,
        }
    }

    /// The same, at a line.
    pub fn at(self, line: usize) -> Self {
        Self {
            line: Some(line),
            ..self
        }
    }

    /// The same, giving a day to the analysis.
    pub fn dated(self, date: Option<Date>) -> Self {
        Self { date, ..self }
    }

    /// The same, naming an interpreter whose time tells that of the analysis.
    pub fn of_the_time_of(self, language: Language, version: &str) -> Self {
        let span = series_of(language, version);
        Self {
            date: span.and_then(|(_, last)| last_day(language, last)),
            not_before: span.map(|(first, _)| first.from),
            ..self.naming(language, version)
        }
    }

    /// The same, naming an interpreter.
    pub fn naming(self, language: Language, version: &str) -> Self {
        let version = version.to_owned();
        Self {
            interpreter: Some(NamedInterpreter { language, version }),
            ..self
        }
    }
}

/// A package that a file pins or bounds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pin {
    pub language: Language,
    /// As written.
    pub name: String,
    /// The very version.
    pub version: Option<String>,
    /// Bounds, where it is no very version.
    pub bounds: Option<String>,
    pub source: PinSource,
    /// The marker under which it counts, such as `python_version < "3.8"`.
    pub marker: Option<String>,
    /// The ways by which a lock says that it is needed, of which one has to hold; `None` where it is wanted by itself,
    /// or nothing tells.
    pub ways: Option<Vec<PinWay>>,
    /// The extra or group of a project that asks for it, such as "the extra `plots`"; `None` of what is wanted
    /// in any case.
    pub group: Option<String>,
    /// A version or bounds that cannot be read, and are not followed.
    pub unread: Option<String>,
    /// The digests of its files, of which one has to be had; none where any will do.
    pub sha256: Vec<String>,
    pub kind: EvidenceKind,
    pub file: String,
    pub line: usize,
}

/// A way by which a package of a lock is needed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PinWay {
    /// The package of the same file that needs it; `None` of the project itself.
    pub by: Option<NeedingPackage>,
    /// The marker under which it does.
    pub marker: Option<String>,
}

/// A package of a lock that needs another one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeedingPackage {
    pub name: String,
    pub version: Option<String>,
}

impl Pin {
    /// The group of files that hold versions of packages which others ask for.
    pub const CONSTRAINTS: &'static str = "the constraints";

    /// A package of an index, of any version.
    pub fn new(language: Language, name: &str, kind: EvidenceKind, file: &str, line: usize) -> Self {
        Self {
            language,
            name: name.to_owned(),
            version: None,
            bounds: None,
            source: PinSource::Index,
            marker: None,
            ways: None,
            group: None,
            unread: None,
            sha256: Vec::new(),
            kind,
            file: file.to_owned(),
            line,
        }
    }

    /// The same at a version.
    pub fn with_version(self, version: Option<String>) -> Self {
        Self { version, ..self }
    }

    /// The same from another place.
    pub fn with_source(self, source: PinSource) -> Self {
        Self { source, ..self }
    }
}

/// The place that a pinned package comes from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum PinSource {
    Index,
    /// Conda's channels, whose names are not those of an index.
    Conda,
    /// A repository of code, an address or a folder, in its own words.
    Elsewhere(String),
}

/// A file that should tell and cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FileFault {
    pub file: String,
    /// A clause.
    pub problem: String,
}

/// A file that a file of requirements takes in by `-r`, or holds its packages to by `-c`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IncludedFile {
    /// The file that names it.
    pub file: String,
    pub line: usize,
    /// As written, below the folder of that file.
    pub path: String,
    pub is_constraint: bool,
}

/// The evidence of some files.
#[derive(Debug, Default)]
pub struct FoundEvidence {
    pub evidence: Vec<Evidence>,
    pub pins: Vec<Pin>,
    pub includes: Vec<IncludedFile>,
    pub faults: Vec<FileFault>,
    pub questions: Vec<Question>,
}

impl FoundEvidence {
    /// Names a file that cannot be used.
    pub fn fault(&mut self, file: &str, problem: impl ToString) {
        self.faults.push(FileFault {
            file: file.to_owned(),
            problem: problem.to_string(),
        });
    }
}
