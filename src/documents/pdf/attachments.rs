//! Files that a PDF carries inside it.

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Object, String as Bytes};

use crate::documents::pdf::properties::decoded;

/// Most nodes of the tree of names that are looked at; a tree may lead back to itself.
const MOST_NODES: usize = 1_000;
/// Most files that are named.
const MOST: usize = 100;

/// The names of the files, in the order of their tree (ISO 32000-1, 7.11.4).
pub fn names(pdf: &Pdf) -> Vec<String> {
    let root: Option<Dict<'_>> = pdf.xref().get(pdf.xref().root_id());
    let tree = root
        .and_then(|root| root.get::<Dict<'_>>(&b"Names"[..]))
        .and_then(|names| names.get::<Dict<'_>>(&b"EmbeddedFiles"[..]));
    let mut open: Vec<Dict<'_>> = tree.into_iter().collect();
    let mut names = Vec::new();
    for _ in 0..MOST_NODES {
        let Some(node) = open.pop() else { break };
        if let Some(leaves) = node.get::<Array<'_>>(&b"Names"[..]) {
            let files = leaves.iter::<Object<'_>>().filter_map(|leaf| match leaf {
                Object::Dict(file) => name(&file),
                _ => None,
            });
            names.extend(files.take(MOST.saturating_sub(names.len())));
        }
        if let Some(kids) = node.get::<Array<'_>>(&b"Kids"[..]) {
            let kids: Vec<Dict<'_>> = kids.iter().take(MOST_NODES).collect();
            open.extend(kids.into_iter().rev());
            open.truncate(MOST_NODES);
        }
    }
    names
}

/// What a file specification calls its file; the Unicode name goes first.
fn name(file: &Dict<'_>) -> Option<String> {
    [&b"UF"[..], b"F"]
        .into_iter()
        .find_map(|key| file.get::<Bytes<'_>>(key))
        .map(|name| decoded(name.as_bytes()))
}

/// What to say of the files; none where there are no files.
pub fn note(names: &[String]) -> Option<String> {
    match names {
        [] => None,
        [name] => Some(format!(
            "The file carries another file, which is not read here: {name}."
        )),
        names => Some(format!(
            "The file carries {} other files, which are not read here: {}.",
            names.len(),
            names.join(", ")
        )),
    }
}
