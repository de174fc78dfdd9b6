//! The code of scripts, documents and notebooks, as the table is held against it.

use crate::domain::rescue::KnownFault;

use super::super::language::Language;
use super::super::script_kind::ScriptKind;
use super::super::scripts::documents::{self, CodePart};

/// A file whose code cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum DocumentError {
    #[error(
        "its language is not known by its name: give a file that ends in .py, .R, .do, .sps, .Rmd, .qmd, .Rnw or \
         .ipynb"
    )]
    Unknown,
    #[error("it is no notebook: {0}")]
    Notebook(#[from] serde_json::Error),
    #[error("it has no code of Python or R")]
    NoCode,
}

/// The code of one language in a file.
#[derive(Debug)]
pub struct DocumentCode {
    pub language: Language,
    /// Of a document, what is no code of the language is empty lines; of a notebook, its cells stand one
    /// behind the other.
    pub text: String,
    form: DocumentForm,
}

#[derive(Debug)]
enum DocumentForm {
    Script,
    Chunks,
    /// The numbers of the cells, each with its lines.
    Cells(Vec<CellLines>),
}

#[derive(Debug, Clone, Copy)]
struct CellLines {
    cell: u64,
    lines: u64,
}

/// The code of a file, by language.
///
/// # Errors
/// A name that tells no language, a text that is no notebook, or a document without code.
pub fn read(path: &str, text: &str) -> Result<Vec<DocumentCode>, DocumentError> {
    let code = match ScriptKind::of(path).ok_or(DocumentError::Unknown)? {
        ScriptKind::Script(language) => vec![DocumentCode {
            language,
            text: text.to_owned(),
            form: DocumentForm::Script,
        }],
        ScriptKind::Document => documents::chunks(text)
            .into_iter()
            .filter(|part| is_read(part.language))
            .map(|part| DocumentCode {
                language: part.language,
                text: part.text,
                form: DocumentForm::Chunks,
            })
            .collect(),
        ScriptKind::Notebook => cells(documents::notebook(text)?.parts),
    };
    match code.is_empty() {
        true => Err(DocumentError::NoCode),
        false => Ok(code),
    }
}

/// Whether a document's code of a language is looked at.
fn is_read(language: Language) -> bool {
    matches!(language, Language::Python | Language::R)
}

fn cells(parts: Vec<CodePart>) -> Vec<DocumentCode> {
    let mut code: Vec<DocumentCode> = Vec::new();
    for part in parts.into_iter().filter(|part| is_read(part.language)) {
        let Some(cell) = part.cell else { continue };
        let lines = CellLines {
            cell: cell as u64,
            lines: part.text.lines().count() as u64,
        };
        match code.iter_mut().find(|known| known.language == part.language) {
            Some(DocumentCode {
                text,
                form: DocumentForm::Cells(cells),
                ..
            }) => {
                text.push_str(&part.text);
                cells.push(lines);
            }
            _ => code.push(DocumentCode {
                language: part.language,
                text: part.text,
                form: DocumentForm::Cells(vec![lines]),
            }),
        }
    }
    code
}

impl DocumentCode {
    /// Tells a fault by its cell and the line in it, where it is one of a notebook.
    pub fn place(&self, fault: &mut KnownFault) {
        let (DocumentForm::Cells(cells), Some(line)) = (&self.form, fault.line) else {
            return;
        };
        let mut before = 0;
        for cell in cells {
            if line <= before + cell.lines {
                fault.cell = Some(cell.cell);
                fault.line = Some(line - before);
                return;
            }
            before += cell.lines;
        }
    }

    /// The whole file with its code mended; `None` where the mended code has no place in it: notebooks are
    /// not written, and in documents a line stays a line.
    pub fn put_back(&self, whole: &str, mended: &str) -> Option<String> {
        match self.form {
            DocumentForm::Script => Some(mended.to_owned()),
            DocumentForm::Cells(_) => None,
            DocumentForm::Chunks => {
                let (old, new): (Vec<&str>, Vec<&str>) =
                    (self.text.lines().collect(), mended.lines().collect());
                if old.len() != new.len() {
                    return None;
                }
                let lines = whole.split_inclusive('\n').enumerate();
                let changed = |at: usize| old.get(at).zip(new.get(at)).filter(|(old, new)| old != new);
                let text = lines.map(|(at, line)| match changed(at) {
                    Some((_, new)) => {
                        let end = &line[line.trim_end_matches(['\n', '\r']).len()..];
                        format!("{new}{end}")
                    }
                    None => line.to_owned(),
                });
                Some(text.collect())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::rescue::{Basis, Risk};

    fn at(line: u64) -> KnownFault {
        KnownFault {
            id: "x".to_owned(),
            basis: Basis::Script,
            cell: None,
            line: Some(line),
            shown: String::new(),
            cause: String::new(),
            mend: String::new(),
            risk: Risk::None,
            since: String::new(),
            textual: false,
            attach: None,
        }
    }

    #[test]
    fn code_of_a_document_is_put_back_line_by_line() {
        let text = "---\ntitle: f(x)\n---\n```{r}\nf(x)\n```\r\nf(x)\n```{python}\nf(x)\n```\n";
        let code = read("a.Rmd", text).unwrap();
        assert_eq!(code[0].language, Language::R);
        let mended = code[0].text.replace("f(x)", "g(x)");
        assert_eq!(
            code[0].put_back(text, &mended).unwrap(),
            text.replacen("\nf(x)\n", "\ng(x)\n", 1)
        );
        assert_eq!(code[0].put_back(text, &format!("h\n{mended}")), None);
        assert!(matches!(read("a.qmd", "text"), Err(DocumentError::NoCode)));
        assert!(matches!(read("a.txt", "text"), Err(DocumentError::Unknown)));
    }

    #[test]
    fn a_fault_of_a_notebook_is_in_a_cell() {
        let text = r#"{"cells": [{"cell_type": "code", "source": "a\nb\n"}, {"cell_type": "markdown", "source": "c"},
                       {"cell_type": "code", "source": ["d\n", "e"]}]}"#;
        let code = read("a.ipynb", text).unwrap();
        assert_eq!(code[0].text, "a\nb\nd\ne\n");
        let mut fault = at(4);
        code[0].place(&mut fault);
        assert_eq!((fault.cell, fault.line), (Some(3), Some(2)));
        let mut fault = at(2);
        code[0].place(&mut fault);
        assert_eq!((fault.cell, fault.line), (Some(1), Some(2)));
        assert_eq!(code[0].put_back(text, "x"), None);
        assert!(matches!(read("a.ipynb", "no"), Err(DocumentError::Notebook(_))));
    }
}
