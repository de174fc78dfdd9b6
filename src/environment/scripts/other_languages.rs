//! Scripts in languages of which nothing is locked.

use super::super::source_tree::SourceTree;
use super::findings::OtherChunk;
use crate::domain::code_file::{CodeFile, CodeLanguage};

/// The languages, and what scripts in each need.
const OTHERS: [(CodeLanguage, &str); 3] = [
    (
        CodeLanguage::Sas,
        "a licensed SAS of its release, with the products that its procedures belong to",
    ),
    (
        CodeLanguage::Julia,
        "a Julia of its time, whose own package manager takes the versions of a `Manifest.toml`",
    ),
    (
        CodeLanguage::Matlab,
        "a licensed Matlab of its release with its toolboxes, or Octave where that will do",
    ),
];

/// A sentence for each such language that a folder holds scripts of, or chunks of documents.
pub fn told<'a>(tree: &SourceTree, chunks: impl Iterator<Item = &'a OtherChunk> + Clone) -> Vec<String> {
    let told = OTHERS.iter().filter_map(|(language, needs)| {
        let is_of_it = |file: CodeFile| file.language == *language;
        let files = (tree.files.iter()).filter(|file| CodeFile::of(file.name()).is_some_and(is_of_it));
        let files = files.map(|file| file.path.clone());
        let name = language.to_string();
        let is_engine = |chunk: &&OtherChunk| name.eq_ignore_ascii_case(&chunk.engine);
        let chunks = chunks.clone().filter(is_engine);
        let chunks = chunks.map(|chunk| format!("A chunk of {}", chunk.file));
        let mut all = files.chain(chunks);
        let first = all.next()?;
        let more = match all.count() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Some(format!(
            "{first}{more} is {name}, of which nothing is read or locked: it needs {needs}."
        ))
    });
    told.collect()
}
