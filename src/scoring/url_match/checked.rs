//! JSON that people and scripts wrote, with what is odd about it said.

use std::collections::BTreeMap;

use serde_json::{Map, Value};

use crate::domain::excerpt;
use crate::domain::format;
use crate::scoring::aggregate::few::first_of;

/// Longest name or value that a line quotes, in characters.
const QUOTED: usize = 60;

/// A sentence about repeated keys; `None` where there are none.
pub(super) fn twice(mut repeated: Vec<String>) -> Option<String> {
    repeated.sort();
    repeated.dedup();
    let names: Vec<String> = repeated.iter().map(|name| quoted(name)).collect();
    let names = listed(&names)?;
    Some(format!(
        "gives {names} more than once in one object; the last one counts"
    ))
}

/// Some names in backquotes, the first of many; `None` of none.
pub(super) fn listed(names: &[String]) -> Option<String> {
    first_of(names.iter(), 5)
}

/// A text short enough for a line.
pub(super) fn quoted(text: &str) -> String {
    excerpt::shortened(text, QUOTED)
}

/// Fields that are read by nothing, with how many objects of a kind have each.
#[derive(Default)]
pub(super) struct Unread(BTreeMap<(&'static str, String), (usize, &'static [&'static str])>);

impl Unread {
    /// Looks at one object of a kind, such as `a resource`.
    pub(super) fn look(
        &mut self,
        kind: &'static str,
        members: &Map<String, Value>,
        known: &'static [&'static str],
    ) {
        for key in members.keys().filter(|key| !known.contains(&key.as_str())) {
            let (count, _) = self.0.entry((kind, quoted(key))).or_insert((0, known));
            *count += 1;
        }
    }

    /// A sentence for each.
    pub(super) fn lines(self) -> impl Iterator<Item = String> {
        self.0.into_iter().map(|((kind, name), (count, known))| {
            let times = format::plural(count, "time", "times");
            let known: Vec<String> = known.iter().map(|name| format!("`{name}`")).collect();
            format!(
                "The field `{name}` of {kind}, given {count} {times}, is not read; known are {}.",
                known.join(", ")
            )
        })
    }
}
