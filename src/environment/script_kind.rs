//! The kinds of files with code, by their names.

use super::language::Language;

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
        let (_, ending) = name.rsplit_once('.')?;
        Some(match ending.to_ascii_lowercase().as_str() {
            "py" | "pyw" => Self::Script(Language::Python),
            "r" | "rprofile" => Self::Script(Language::R),
            "do" | "ado" => Self::Script(Language::Stata),
            "sps" => Self::Script(Language::Spss),
            "ipynb" => Self::Notebook,
            "rmd" | "qmd" | "rnw" | "rmarkdown" => Self::Document,
            _ => return None,
        })
    }
}
