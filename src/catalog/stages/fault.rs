//! Errors in the definitions of stages, tracks and rubrics.

use std::path::PathBuf;

use crate::catalog::unknown_agent::UnknownAgent;

/// A fault for which definitions of stages, tracks or rubrics cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum CatalogError {
    #[error("`{file}` cannot be read: {source}.")]
    Read { file: String, source: std::io::Error },
    #[error("`{file}` is missing from the embedded definitions and from the folder of overrides.")]
    Missing { file: String },
    #[error("`{folder}` is not a folder; give `{option}` a folder such as `{such_as}`.", folder = .folder.display())]
    NotAFolder {
        folder: PathBuf,
        option: &'static str,
        such_as: &'static str,
    },
    #[error("`{folder}` is no whole set of rubrics: it lacks {missing}. Give `--rubrics-dir` a copy of `rubrics/` with your changes.", folder = .folder.display())]
    Incomplete { folder: PathBuf, missing: String },
    #[error("`{folder}` is no rubric of reviews: it lacks {missing}. Give `--rubric` a copy of `rubrics/trace` with your changes.", folder = .folder.display())]
    IncompleteTrace { folder: PathBuf, missing: String },
    #[error("there is no track `{name}`: neither the program nor `--stages-dir` holds tracks/{name}.toml.")]
    UnknownTrack { name: String },
    #[error(transparent)]
    UnknownAgent(#[from] UnknownAgent),
    #[error("`{file}` line {line}: there is no {key} `{name}`; this program has {known}.")]
    UnknownPart {
        file: String,
        line: usize,
        key: &'static str,
        name: String,
        known: String,
    },
    #[error("`{file}` line {line}: {problem}.")]
    Toml {
        file: String,
        line: usize,
        problem: String,
    },
    #[error("`{file}` line {line}: {problem}.")]
    Template {
        file: String,
        line: usize,
        problem: String,
    },
    #[error("`{file}` line {line}: the variable `{name}` is not known; a prompt can use {known}.")]
    UnknownVariable {
        file: String,
        line: usize,
        name: String,
        known: String,
    },
    #[error("`{file}` line {line}: the tool `{name}` is not known; a stage can offer {known}.")]
    UnknownTool {
        file: String,
        line: usize,
        name: String,
        known: String,
    },
}
