//! The findings of a script.

use std::collections::BTreeSet;

use super::super::evidence::{Evidence, Pin};
use super::super::language::Language;
use super::super::need::{Mention, MentionForm, SourcePlace};

/// The mentions and the evidence of scripts.
#[derive(Debug, Default)]
pub struct ScriptFindings {
    pub mentions: Vec<Mention>,
    pub evidence: Vec<Evidence>,
    /// Versions that scripts install.
    pub pins: Vec<Pin>,
    /// Names of commands that scripts define themselves.
    pub defined: Vec<String>,
    /// Languages of which there is code, also such as names no package.
    pub languages: BTreeSet<Language>,
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
