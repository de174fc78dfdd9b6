//! The kinds of files with code, by their names.

use super::language::Language;
use crate::domain::code_file::{CodeFile, CodeForm};

/// The kind of a file with code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScriptKind {
    Script(Language),
    Notebook,
    Document,
}

impl ScriptKind {
    /// The kind of a file, by the end of its name; `None` of one without code.
    pub fn of(name: &str) -> Option<Self> {
        let file = CodeFile::of(name)?;
        match file.form {
            CodeForm::Script => Language::of(file.language).map(Self::Script),
            CodeForm::Document => Some(Self::Document),
            CodeForm::Notebook => Some(Self::Notebook),
        }
    }
}
