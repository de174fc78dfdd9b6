//! Page trees that lead to no page.

use std::collections::HashSet;

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Array, Dict, MaybeRef, ObjRef};

/// Most nodes that are looked at.
const MOST: usize = 100_000;

/// What a file whose page tree leads to no page is told to be.
pub fn why_empty(pdf: &Pdf) -> String {
    match own_ancestor(pdf) {
        Some(node) => format!(
            "its page tree is a circle that holds no page: node {} {} is among what stands below it; \
             get a whole copy of it",
            node.obj_number, node.gen_number
        ),
        None => "its page tree holds no page; get a whole copy of it".to_owned(),
    }
}

/// A node of the page tree that stands below itself.
fn own_ancestor(pdf: &Pdf) -> Option<ObjRef> {
    let root: Dict<'_> = pdf.xref().get(pdf.xref().root_id())?;
    let top = root.get_ref(&b"Pages"[..])?;
    // A node, and whether all that stands below it was walked.
    let mut open = vec![(top, false)];
    let (mut above, mut walked) = (HashSet::new(), HashSet::new());
    for _ in 0..MOST {
        let (node, is_done) = open.pop()?;
        let key = (node.obj_number, node.gen_number);
        if is_done {
            above.remove(&key);
            continue;
        }
        if above.contains(&key) {
            return Some(node);
        }
        if !walked.insert(key) {
            continue;
        }
        above.insert(key);
        open.push((node, true));
        let kids = pdf
            .xref()
            .get::<Dict<'_>>(node.into())
            .and_then(|node| node.get::<Array<'_>>(&b"Kids"[..]));
        let kids = kids.iter().flat_map(Array::raw_iter).filter_map(|kid| match kid {
            MaybeRef::Ref(kid) => Some((kid, false)),
            MaybeRef::NotRef(_) => None,
        });
        open.extend(kids.take(MOST));
    }
    None
}
