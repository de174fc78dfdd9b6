//! Files with code, by the ends of their names.

use std::fmt;

/// A language that analyses are written in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum CodeLanguage {
    Python,
    R,
    Stata,
    Spss,
    Sas,
    Julia,
    Matlab,
    Shell,
}

/// The form that code has in a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeForm {
    Script,
    /// Prose with chunks of code, such as R Markdown.
    Document,
    Notebook,
}

/// The language and the form of a file with code; a document or notebook may hold chunks of other languages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CodeFile {
    pub language: CodeLanguage,
    pub form: CodeForm,
}

const ENDS: [(&str, CodeLanguage, CodeForm); 17] = [
    ("py", CodeLanguage::Python, CodeForm::Script),
    ("pyw", CodeLanguage::Python, CodeForm::Script),
    ("ipynb", CodeLanguage::Python, CodeForm::Notebook),
    ("r", CodeLanguage::R, CodeForm::Script),
    ("rprofile", CodeLanguage::R, CodeForm::Script),
    ("rmd", CodeLanguage::R, CodeForm::Document),
    ("rmarkdown", CodeLanguage::R, CodeForm::Document),
    ("qmd", CodeLanguage::R, CodeForm::Document),
    ("rnw", CodeLanguage::R, CodeForm::Document),
    ("do", CodeLanguage::Stata, CodeForm::Script),
    ("ado", CodeLanguage::Stata, CodeForm::Script),
    ("sps", CodeLanguage::Spss, CodeForm::Script),
    ("sas", CodeLanguage::Sas, CodeForm::Script),
    ("jl", CodeLanguage::Julia, CodeForm::Script),
    ("m", CodeLanguage::Matlab, CodeForm::Script),
    ("mlx", CodeLanguage::Matlab, CodeForm::Script),
    ("sh", CodeLanguage::Shell, CodeForm::Script),
];

impl CodeFile {
    /// What a file holds by the end of its name, in any case; `None` of one without code.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next()?;
        let (_, ending) = name.rsplit_once('.')?;
        let known = ENDS.iter().find(|(end, ..)| end.eq_ignore_ascii_case(ending));
        known.map(|(_, language, form)| Self {
            language: *language,
            form: *form,
        })
    }
}

impl fmt::Display for CodeLanguage {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Python => "Python",
            Self::R => "R",
            Self::Stata => "Stata",
            Self::Spss => "SPSS",
            Self::Sas => "SAS",
            Self::Julia => "Julia",
            Self::Matlab => "Matlab",
            Self::Shell => "shell",
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_known_by_the_end_of_its_name() {
        let of = |path| CodeFile::of(path).map(|file| (file.language, file.form));
        assert_eq!(of("code/Table 2.R"), Some((CodeLanguage::R, CodeForm::Script)));
        assert_eq!(
            of("a.b/x.IPYNB"),
            Some((CodeLanguage::Python, CodeForm::Notebook))
        );
        assert_eq!(of(".Rprofile"), Some((CodeLanguage::R, CodeForm::Script)));
        for none in ["run", "a.txt", "a.py/b", "", "."] {
            assert_eq!(of(none), None, "{none}");
        }
    }
}
