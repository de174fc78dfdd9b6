//! Forms of `search_results.json`.

use super::moves::{Deviations, Object, members, rename};

/// Other names of the published keys, which runs of format 1 wrote.
const FOUND: [(&str, &str); 2] = [("name", "resource_name"), ("why", "why_needed")];
const MISSING: [(&str, &str); 3] = [
    ("what", "resource_name"),
    ("name", "resource_name"),
    ("query", "search_query"),
];

pub(super) fn reshape(root: &mut Object, deviations: &mut Deviations) {
    for (list, names) in [("urls", &FOUND[..]), ("missing", &MISSING[..])] {
        for (index, one) in members(root, list).into_iter().enumerate() {
            let path = format!("/{list}/{index}");
            for (from, to) in names {
                rename(one, &path, from, to, deviations);
            }
        }
    }
}
