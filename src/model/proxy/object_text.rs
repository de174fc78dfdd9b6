//! A JSON object as text, with edits of single fields that leave every other byte as it was.

use std::fmt;
use std::ops::Range;

use serde::de::{Deserializer as _, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A text that is no object, or one that two readers could take differently.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectFault {
    #[error("it is no JSON object ({0})")]
    Malformed(String),
    /// One reader takes the first, another the last.
    #[error("it names `{0}` twice")]
    Twice(String),
}

/// The fields of an object, by where they stand in its text.
#[derive(Debug)]
pub struct ObjectText<'a> {
    text: &'a str,
    fields: Vec<FieldText<'a>>,
}

#[derive(Debug)]
struct FieldText<'a> {
    name: String,
    value: &'a str,
    /// Of the value, in the text.
    span: Range<usize>,
}

/// A change of one field.
#[derive(Debug, Clone, PartialEq, Eq)]
enum FieldChange {
    Removed,
    Value(String),
}

/// Changes of fields, in the order in which they were asked for.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FieldChanges(Vec<(String, FieldChange)>);

impl FieldChanges {
    /// Takes a field out, where it is there.
    pub fn remove(&mut self, name: &str) {
        self.0.push((name.to_owned(), FieldChange::Removed));
    }

    /// Gives a field a value, as JSON; one that is not there is put behind the others.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.0.push((name.to_owned(), FieldChange::Value(value.into())));
    }

    fn of(&self, name: &str) -> Option<&FieldChange> {
        let found = self.0.iter().rev().find(|(field, _)| field == name);
        found.map(|(_, change)| change)
    }
}

struct Fields;

impl<'de> Visitor<'de> for Fields {
    type Value = Vec<(String, &'de RawValue)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = map.next_entry()? {
            fields.push(field);
        }
        Ok(fields)
    }
}

impl<'a> ObjectText<'a> {
    /// Reads an object.
    ///
    /// # Errors
    /// A text that is no object, or in which a name stands twice.
    pub fn parse(text: &'a str) -> Result<Self, ObjectFault> {
        let malformed = |error: serde_json::Error| ObjectFault::Malformed(error.to_string());
        let mut reader = serde_json::Deserializer::from_str(text);
        let fields = reader.deserialize_map(Fields).map_err(malformed)?;
        reader.end().map_err(malformed)?;
        let start = text.as_ptr() as usize;
        let mut known: Vec<FieldText<'a>> = Vec::with_capacity(fields.len());
        if let Some(name) = twice(fields.iter().map(|(name, _)| name.as_str())) {
            return Err(ObjectFault::Twice(name.to_owned()));
        }
        for (name, raw) in fields {
            let value = raw.get();
            let at = value.as_ptr() as usize - start;
            known.push(FieldText {
                name,
                value,
                span: at..at + value.len(),
            });
        }
        Ok(Self { text, fields: known })
    }

    /// The value of a field, as JSON; one that is `null` is absent.
    pub fn get(&self, name: &str) -> Option<&'a str> {
        let field = self.fields.iter().find(|field| field.name == name)?;
        (field.value != "null").then_some(field.value)
    }

    /// The names of the fields, in their order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.fields.iter().map(|field| field.name.as_str())
    }

    /// The text of a field, where its value is one.
    pub fn text(&self, name: &str) -> Option<String> {
        serde_json::from_str(self.get(name)?).ok()
    }

    /// The number of a field, where its value is a whole one.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.get(name)?.parse().ok()
    }

    /// The object with some fields changed, and every other byte as it was.
    pub fn changed(&self, changes: &FieldChanges) -> String {
        let mut written = String::with_capacity(self.text.len() + 64);
        let opening = self.text.find('{').map_or(0, |at| at + 1);
        written.push_str(&self.text[..opening]);
        let mut before = opening;
        let mut is_first = true;
        for (index, field) in self.fields.iter().enumerate() {
            let lead = &self.text[before..field.span.start];
            before = field.span.end;
            let value = match changes.of(&field.name) {
                Some(FieldChange::Removed) => continue,
                Some(FieldChange::Value(value)) => value.as_str(),
                None => field.value,
            };
            // Where those before it are gone, so is the comma that parted it from them.
            let is_now_first = is_first && index > 0;
            let lead = match is_now_first {
                true => lead.trim_start_matches([' ', '\t', '\r', '\n', ',']),
                false => lead,
            };
            is_first = false;
            written.push_str(lead);
            written.push_str(value);
        }
        for (name, change) in &changes.0 {
            let is_known = self.fields.iter().any(|field| field.name == *name);
            if let (FieldChange::Value(value), false) = (change, is_known) {
                if !is_first {
                    written.push(',');
                }
                is_first = false;
                written.push_str(&format!("{}:{value}", serde_json::Value::from(name.as_str())));
            }
        }
        written.push_str(&self.text[before..]);
        written
    }
}

/// A name that stands twice.
fn twice<'a>(names: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let mut sorted: Vec<&str> = names.collect();
    sorted.sort_unstable();
    let mut pairs = sorted.windows(2);
    pairs.find(|pair| pair[0] == pair[1]).map(|pair| pair[0])
}

/// The items of a list, as JSON; `None` where the text is no list.
pub fn items(text: &str) -> Option<Vec<&str>> {
    let raw: Vec<&RawValue> = serde_json::from_str(text).ok()?;
    Some(raw.into_iter().map(RawValue::get).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = " { \"a\" : 1 ,\n \"model\":\"x\", \"l\" : [ 1, {\"model\": 2} ],\"z\":null } ";

    fn changed(text: &str, change: impl FnOnce(&mut FieldChanges)) -> String {
        let mut changes = FieldChanges::default();
        change(&mut changes);
        ObjectText::parse(text).unwrap().changed(&changes)
    }

    #[test]
    fn every_other_byte_stays_as_it_was() {
        assert_eq!(changed(TEXT, |_| ()), TEXT);
        assert_eq!(
            changed(TEXT, |changes| changes.set("model", "\"real\"")),
            TEXT.replace("\"x\"", "\"real\"")
        );
        assert_eq!(
            changed(TEXT, |changes| changes.remove("l")),
            " { \"a\" : 1 ,\n \"model\":\"x\",\"z\":null } "
        );
        assert_eq!(
            changed(TEXT, |changes| {
                changes.remove("a");
                changes.set("n", "7");
            }),
            " {\"model\":\"x\", \"l\" : [ 1, {\"model\": 2} ],\"z\":null,\"n\":7 } "
        );
        assert_eq!(changed("{}", |changes| changes.set("n", "7")), "{\"n\":7}");
        assert_eq!(changed("{\"a\":1}", |changes| changes.remove("a")), "{}");
    }

    #[test]
    fn what_two_readers_take_differently_is_refused() {
        let twice = "{\"model\": 1, \"mod\\u0065l\": 2}";
        assert_eq!(
            ObjectText::parse(twice).unwrap_err(),
            ObjectFault::Twice("model".into())
        );
        for text in ["[]", "{", "{} {}", "", "{\"a\":1,}"] {
            assert!(
                matches!(ObjectText::parse(text), Err(ObjectFault::Malformed(_))),
                "{text}"
            );
        }
    }

    #[test]
    fn values_are_read_by_name() {
        let object = ObjectText::parse(TEXT).unwrap();
        assert_eq!(object.text("model").as_deref(), Some("x"));
        assert_eq!((object.number("a"), object.get("z")), (Some(1), None));
        assert_eq!(items(object.get("l").unwrap()).unwrap(), ["1", "{\"model\": 2}"]);
    }
}
