//! Everything that is wrong or odd with a study.

use std::fmt;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::archives::look::{ArchiveFinding, ArchiveSearch};
use super::error::StudyError;
use super::kind::Kind;
use super::layout::{DATA, DETAILS, MANIFEST};
use super::open::Study;
use super::stage;
use crate::domain::workspace_path::WorkspacePath;

/// The severity of a problem.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, strum::Display)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
pub enum Severity {
    /// The analysis cannot run.
    Error,
    /// Something is likely to go wrong.
    Warning,
    /// Good to know.
    Note,
}

/// One problem, for people.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Problem {
    pub severity: Severity,
    /// Relative to the folder of inputs; `.` for the study as a whole.
    pub file: String,
    /// A whole sentence.
    pub sentence: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.sentence)
    }
}

/// Whether a file is a PDF by its name, in which code can stand as text.
pub fn is_pdf(path: &WorkspacePath) -> bool {
    path.extension()
        .is_some_and(|end| end.eq_ignore_ascii_case("pdf"))
}

impl Study {
    /// The problems, errors first.
    pub fn check(&self) -> Vec<Problem> {
        let mut problems = Vec::new();
        let mut add = |severity, file: &str, sentence: String| {
            problems.push(Problem {
                severity,
                file: file.to_owned(),
                sentence,
            });
        };
        for note in &self.manifest_notes {
            add(Severity::Warning, MANIFEST, format!("{MANIFEST}: {note}"));
        }
        for note in &self.claim_notes {
            add(Severity::Warning, DETAILS, format!("{DETAILS}: {note}"));
        }
        if !self.shown_columns.is_empty() {
            let names: Vec<String> = self
                .shown_columns
                .iter()
                .map(|name| format!("`{name}`"))
                .collect();
            add(
                Severity::Note,
                MANIFEST,
                format!(
                    "{MANIFEST} allows that agents see the values of {}, whether they are personal or not.",
                    names.join(", ")
                ),
            );
        }
        if let Some(reason) = self.no_usable_data() {
            add(
                Severity::Error,
                DATA,
                format!("The analysis cannot run: {reason}."),
            );
        }
        for file in &self.files {
            let name = format!("{DATA}/{}", file.path);
            if let Some(damage) = &file.damage {
                let sentence = format!("`{name}` {}.", damage.words());
                add(Severity::Warning, &name, sentence);
            }
            if matches!(file.path.extension(), Some(end) if end.eq_ignore_ascii_case("html")) {
                let sentence = format!(
                    "`{name}` is a web page beside the data: look whether it prints results of the replication, \
                     which an agent would then read."
                );
                add(Severity::Warning, &name, sentence);
            }
        }
        for path in &self.misplaced {
            let name = format!("{DATA}/{path}");
            let sentence = format!("`{name}` has the name of a reference and is kept from agents.");
            add(Severity::Warning, &name, sentence);
        }
        for file in self
            .files_of_kind(Kind::Document)
            .filter(|file| is_pdf(&file.path))
        {
            let name = format!("{DATA}/{}", file.path);
            let sentence = format!(
                "`{name}` may hold code as text: data-only runs have a copy in which pages with analysis code are \
                 emptied, and none of it if `code = [\"{}\"]` below `[code]` in {MANIFEST} says that it is code.",
                file.path
            );
            add(Severity::Note, &name, sentence);
        }
        if self.files_of_kind(Kind::Code).next().is_none() {
            let sentence = "There is no code file, so native mode has nothing to run.".to_owned();
            add(Severity::Note, DATA, sentence);
        }
        problems.sort_by_key(|problem| problem.severity);
        problems
    }

    /// The archives that hold references, as errors, and those that cannot be listed.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn archive_problems(&self) -> Result<Vec<Problem>, StudyError> {
        let mut problems = Vec::new();
        let mut archives = ArchiveSearch::default();
        for file in &self.files {
            let name = format!("{DATA}/{}", file.path);
            let (severity, sentence) = match archives.look(&file.real)? {
                ArchiveFinding::Clear => continue,
                ArchiveFinding::Reference(entry) => {
                    let file = PathBuf::from(&name);
                    let error = StudyError::ReferenceInArchive { file, entry };
                    (Severity::Error, format!("{error}."))
                }
                ArchiveFinding::Unseen(why) => {
                    let sentence = format!(
                        "`{name}` {}; until then it is kept from agents.",
                        stage::unseen(&why)
                    );
                    (Severity::Warning, sentence)
                }
            };
            problems.push(Problem {
                severity,
                file: name,
                sentence,
            });
        }
        Ok(problems)
    }

    /// Refuses a study whose data cannot be read, naming every file.
    ///
    /// # Errors
    /// No data file at all, or not one that can be read.
    pub fn ensure_usable_data(&self) -> Result<(), StudyError> {
        match self.no_usable_data() {
            None => Ok(()),
            Some(problems) => Err(StudyError::NoUsableData {
                study: self.root.clone(),
                problems,
            }),
        }
    }

    fn no_usable_data(&self) -> Option<String> {
        let mut clauses = Vec::new();
        for file in self.files_of_kind(Kind::Data) {
            let damage = file.damage.as_ref()?;
            clauses.push(format!("`{DATA}/{}` {}", file.path, damage.words()));
        }
        if clauses.is_empty() {
            clauses.push(format!("`{DATA}` holds no data file; put the data there"));
        }
        Some(clauses.join("; "))
    }
}
