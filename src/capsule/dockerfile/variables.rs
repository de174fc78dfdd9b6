//! Variables of a Dockerfile.

use std::collections::BTreeMap;

/// What all values that are put in may come to, in bytes: a value of values grows without end.
const MOST: usize = 4 << 20;
/// The longest value that is kept.
const LONGEST: usize = 16 << 10;

/// The values of `ARG` and `ENV`.
#[derive(Debug, Default)]
pub struct Variables {
    values: BTreeMap<String, String>,
    /// Those of the `RUN` that is read.
    of_run: BTreeMap<String, String>,
    put_in: usize,
}

/// A `$NAME` in a text, and its value.
#[derive(Debug, PartialEq, Eq)]
pub struct Expansion {
    /// Its bytes, the sign included.
    pub length: usize,
    /// `None` where only a shell would know it.
    pub value: Option<String>,
}

impl Variables {
    pub fn set(&mut self, name: &str, value: &str) {
        set(&mut self.values, name, value);
    }

    /// A value that holds to the end of the `RUN`.
    pub fn set_in_run(&mut self, name: &str, value: &str) {
        set(&mut self.of_run, name, value);
    }

    pub fn end_run(&mut self) {
        self.of_run.clear();
    }

    /// What the sign at the front of a text leads in; `None` where it stands for itself.
    pub fn expand(&mut self, text: &str) -> Option<Expansion> {
        let after = text.strip_prefix('$')?;
        let unknown = |length| Some(Expansion { length, value: None });
        if after.starts_with('(') {
            return unknown(1);
        }
        if let Some(inner) = after.strip_prefix('{') {
            let Some(end) = inner.find('}') else {
                return unknown(text.len());
            };
            let inside = inner.get(..end).unwrap_or_default();
            let name = name(inside);
            let length = end + 3;
            if name.is_empty() {
                return unknown(length);
            }
            let rest = inside.get(name.len()..).unwrap_or_default();
            let value = self.value(name);
            let value = match rest.strip_prefix(":-").or_else(|| rest.strip_prefix('-')) {
                _ if rest.is_empty() => value,
                // A default that holds further variables is not looked into.
                Some(default) if !default.contains('$') => Some(
                    value
                        .filter(|value| !value.is_empty())
                        .unwrap_or(default.to_owned()),
                ),
                _ => None,
            };
            return Some(self.counted(length, value));
        }
        let name = name(after);
        if name.is_empty() {
            return None;
        }
        let value = self.value(name);
        Some(self.counted(name.len() + 1, value))
    }

    fn value(&self, name: &str) -> Option<String> {
        if self.put_in > MOST {
            return None;
        }
        self.of_run.get(name).or_else(|| self.values.get(name)).cloned()
    }

    fn counted(&mut self, length: usize, value: Option<String>) -> Expansion {
        self.put_in = self.put_in.saturating_add(value.as_ref().map_or(0, String::len));
        Expansion { length, value }
    }
}

fn set(values: &mut BTreeMap<String, String>, name: &str, value: &str) {
    if value.len() <= LONGEST {
        values.insert(name.to_owned(), value.to_owned());
    } else {
        values.remove(name);
    }
}

/// The name at the front of a text.
fn name(text: &str) -> &str {
    let is_first = |letter: char| letter.is_ascii_alphabetic() || letter == '_';
    if !text.starts_with(is_first) {
        return "";
    }
    let end = text.find(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
    text.get(..end.unwrap_or(text.len())).unwrap_or_default()
}
