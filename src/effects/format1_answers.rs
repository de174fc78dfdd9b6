//! Answers of the replication track as runs of format 1 wrote them, so that their replays do.

use serde_json::{Map, Value};

use crate::domain::stage::Stage;
use crate::engine::request::RunRequest;

/// The keys of an address and of a missing resource: as they are now, and as
/// they were, in the order of that time.
const FOUND: [(&str, &str); 5] = [
    ("url", "url"),
    ("resource_name", "name"),
    ("why_needed", "why"),
    ("kind", "kind"),
    ("extra", "extra"),
];
const MISSING: [(&str, &str); 4] = [
    ("resource_name", "what"),
    ("search_query", "query"),
    ("why", "why"),
    ("extra", "extra"),
];

/// An answer under the keys of the run's format; those of the search have changed.
pub(super) fn answer(request: &RunRequest, stage: Stage, mut answer: Value) -> Value {
    if request.format >= 2 || stage != Stage::SEARCH {
        return answer;
    }
    for (list, keys) in [("urls", &FOUND[..]), ("missing", &MISSING[..])] {
        let entries = answer.get_mut(list).and_then(Value::as_array_mut);
        for one in entries.into_iter().flatten() {
            let renamed = keys
                .iter()
                .filter_map(|(new, old)| Some(((*old).to_owned(), one.get(*new)?.clone())));
            let renamed: Map<String, Value> = renamed.collect();
            *one = Value::Object(renamed);
        }
    }
    answer
}
