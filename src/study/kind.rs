//! Data, code or document: by extension, corrected by `study.toml`.

use serde::{Deserialize, Serialize};

use super::manifest::CodeTable;
use crate::domain::code_file::CodeFile;
use crate::domain::workspace_path::WorkspacePath;

/// The kind of a file of `replication_data/`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    Data,
    Code,
    /// Prose beside the data, such as a codebook; staged with the data.
    Document,
}

/// What is code beside the files that [`CodeFile`] knows.
const CODE: &[&str] = &[
    "rproj", "mata", "bash", "bat", "sql", "stan", "bug", "jags", "lua", "c", "h", "cc", "cpp", "hpp",
    "java", "js", "pl", "rb", "go", "rs", "f", "f90", "inp", "mod", "ox", "prg", "gms", "nb", "wl", "scala",
    "makefile",
];
const DOCUMENTS: &[&str] = &["pdf", "doc", "docx", "odt", "rtf", "md", "html", "htm"];

impl Kind {
    /// The kind of a file, `path` being relative to `replication_data/`.
    ///
    /// Named paths of the table come first, then its extensions, then ours. A
    /// name without an extension is looked up whole, as for `Makefile`.
    pub fn from_path(path: &WorkspacePath, table: &CodeTable) -> Self {
        let listed = |list: &[String]| list.iter().any(|one| one == path.as_str());
        if listed(&table.data) {
            return Self::Data;
        }
        if listed(&table.code) {
            return Self::Code;
        }
        let extension = path.extension().unwrap_or(path.file_name()).to_ascii_lowercase();
        let extra = |one: &String| one.trim_start_matches('.').eq_ignore_ascii_case(&extension);
        let is_code = CodeFile::of(path.as_str()).is_some() || CODE.contains(&extension.as_str());
        if table.extensions.iter().any(extra) || is_code {
            Self::Code
        } else if DOCUMENTS.contains(&extension.as_str()) {
            Self::Document
        } else {
            Self::Data
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn extensions_decide_unless_the_table_says_otherwise() {
        let table = CodeTable {
            extensions: vec![".lst".into()],
            data: vec!["matrix.m".into()],
            code: vec!["readme code.txt".into()],
            origin: None,
        };
        for (path, kind) in [
            ("!!CORRECTION!!_final.R", Kind::Code),
            ("sub dir/mycode_for.replication.dataset.do", Kind::Code),
            ("Makefile", Kind::Code),
            ("a.LST", Kind::Code),
            ("readme code.txt", Kind::Code),
            ("matrix.m", Kind::Data),
            ("other/matrix.m", Kind::Code),
            ("x.RDS", Kind::Data),
            ("noextension", Kind::Data),
            ("codebook.pdf", Kind::Document),
        ] {
            assert_eq!(Kind::from_path(&path.parse().unwrap(), &table), kind, "{path}");
        }
    }
}
