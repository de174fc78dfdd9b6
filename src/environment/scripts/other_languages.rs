//! Scripts in languages of which nothing is locked.

use super::super::source_tree::SourceTree;
use super::findings::OtherChunk;

/// A language, the ends of its files' names, and what its scripts need.
struct OtherLanguage {
    name: &'static str,
    extensions: &'static [&'static str],
    needs: &'static str,
}

const OTHERS: [OtherLanguage; 3] = [
    OtherLanguage {
        name: "SAS",
        extensions: &["sas"],
        needs: "a licensed SAS of its release, with the products that its procedures belong to",
    },
    OtherLanguage {
        name: "Julia",
        extensions: &["jl"],
        needs: "a Julia of its time, whose own package manager takes the versions of a `Manifest.toml`",
    },
    OtherLanguage {
        name: "Matlab",
        extensions: &["m", "mlx"],
        needs: "a licensed Matlab of its release with its toolboxes, or Octave where that will do",
    },
];

/// A sentence for each such language that a folder holds scripts of, or chunks of documents.
pub fn told<'a>(tree: &SourceTree, chunks: impl Iterator<Item = &'a OtherChunk> + Clone) -> Vec<String> {
    let told = OTHERS.iter().filter_map(|language| {
        let is_of_it = |extension: String| language.extensions.contains(&extension.as_str());
        let files = tree.files.iter().filter(|file| is_of_it(file.extension()));
        let files = files.map(|file| file.path.clone());
        let is_engine = |chunk: &&OtherChunk| language.name.eq_ignore_ascii_case(&chunk.engine);
        let chunks = chunks.clone().filter(is_engine);
        let chunks = chunks.map(|chunk| format!("A chunk of {}", chunk.file));
        let mut all = files.chain(chunks);
        let first = all.next()?;
        let more = match all.count() {
            0 => String::new(),
            more => format!(" (and {more} more)"),
        };
        Some(format!(
            "{first}{more} is {}, of which nothing is read or locked: it needs {}.",
            language.name, language.needs
        ))
    });
    told.collect()
}
