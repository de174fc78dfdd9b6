//! The findings of a script.

use std::collections::BTreeSet;

use super::super::evidence::{Evidence, Pin};
use super::super::language::Language;
use super::super::need::{Mention, MentionForm, Question, SourcePlace};
use super::package_file::PackageFile;

/// The mentions and the evidence of scripts.
#[derive(Debug, Default)]
pub struct ScriptFindings {
    pub mentions: Vec<Mention>,
    pub evidence: Vec<Evidence>,
    /// Versions that scripts install.
    pub pins: Vec<Pin>,
    /// Names of commands that scripts define themselves.
    pub defined: Vec<String>,
    /// Loaders whose packages their text does not name.
    pub questions: Vec<Question>,
    /// Files with packages that scripts install.
    pub package_files: Vec<PackageFile>,
    /// Languages of chunks of which nothing is locked, each with its file.
    pub other_languages: BTreeSet<OtherChunk>,
    /// Languages of which there is code, also such as names no package.
    pub languages: BTreeSet<Language>,
}

/// A chunk of a document in a language of which nothing is locked.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct OtherChunk {
    pub file: String,
    /// The engine's name in small letters.
    pub engine: String,
}

impl ScriptFindings {
    /// Adds a mention.
    pub fn mention(&mut self, language: Language, name: &str, form: MentionForm, place: SourcePlace) {
        let name = name.to_owned();
        self.mentions.push(Mention {
            language,
            name,
            place,
            form,
        });
    }
}

/// The place of a line in a file.
pub fn place(file: &str, line: usize) -> SourcePlace {
    SourcePlace {
        file: file.to_owned(),
        line,
    }
}
