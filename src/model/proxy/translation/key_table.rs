//! Tables of the keys that an object of a dialect may hold, and objects that are held to one.

use super::dropped::Dropped;
use super::loss::Loss;
use crate::model::proxy::object_text::{ObjectText, items};

/// The rule by which a key is treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeyRule {
    /// The other dialect has a place for it.
    Carried,
    /// It numbers or dates something for its own provider, and is left behind.
    Bookkeeping,
    /// It advises the provider, and is taken out and named.
    Advice,
    /// It is left behind where it asks for nothing (`false`, 0, empty), and refused otherwise.
    Idle,
    /// It is refused; the words say why, as the rest of a clause.
    Lost(&'static str),
}

/// The keys of one kind of object. A key that is not in it is refused by its name.
#[derive(Debug, Clone, Copy)]
pub struct KeyTable {
    /// The kind, as it is named with what was taken out; empty of a request itself.
    pub of: &'static str,
    pub keys: &'static [(&'static str, KeyRule)],
}

impl KeyTable {
    fn rule(&self, name: &str) -> Option<KeyRule> {
        let found = self.keys.iter().find(|(key, _)| *key == name);
        found.map(|(_, rule)| *rule)
    }

    /// A key of it, for people.
    fn named(&self, key: &str) -> String {
        match self.of {
            "" => key.to_owned(),
            of => format!("{key} of {of}"),
        }
    }
}

/// An object whose keys all stand in a table.
#[derive(Debug)]
pub struct CheckedObject<'a> {
    object: ObjectText<'a>,
    place: String,
}

/// An item of a list, with its place.
#[derive(Debug, Clone)]
pub struct ListItem<'a> {
    pub text: &'a str,
    pub place: String,
}

/// The items of a list.
///
/// # Errors
/// A text that is no list.
pub fn listed<'a>(text: &'a str, place: &str) -> Result<Vec<ListItem<'a>>, Loss> {
    let all = items(text).ok_or_else(|| Loss::new(place, "is no list"))?;
    let placed = all.into_iter().enumerate().map(|(index, text)| ListItem {
        text,
        place: format!("{place}[{index}]"),
    });
    Ok(placed.collect())
}

/// Whether a value asks for nothing.
fn is_idle(value: &str) -> bool {
    let without_spaces: String = value.split_whitespace().collect();
    let is_zero = value.parse::<f64>().is_ok_and(|number| number == 0.0);
    is_zero || matches!(without_spaces.as_str(), "false" | "[]" | "{}" | "\"\"")
}

/// A name in camel case: `top_p` is `topP`.
pub fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |joined, word| {
        let mut letters = word.chars();
        let initial = letters.next().map(|letter| letter.to_ascii_uppercase());
        joined + &initial.into_iter().chain(letters).collect::<String>()
    })
}

impl<'a> CheckedObject<'a> {
    /// Holds an object to a table; what it advises goes to `dropped`.
    ///
    /// # Errors
    /// A text that is no object, and a key that is refused or unknown.
    pub fn open(text: &'a str, place: &str, table: KeyTable, dropped: &mut Dropped) -> Result<Self, Loss> {
        let object = Self::parse(text, place)?;
        object.hold(table, dropped)?;
        Ok(object)
    }

    /// Holds an object to a table of names in camel case, for which protobuf's JSON has others in snake case.
    ///
    /// # Errors
    /// The same, and a key under both of its names.
    pub fn open_of_protobuf(
        text: &'a str,
        place: &str,
        table: KeyTable,
        dropped: &mut Dropped,
    ) -> Result<Self, Loss> {
        let Self { object, place } = Self::parse(text, place)?;
        let object = object
            .renamed(camel_case)
            .map_err(|fault| Loss::new(place.as_str(), format!("is unusable: {fault}")))?;
        let object = Self { object, place };
        object.hold(table, dropped)?;
        Ok(object)
    }

    /// An object whose kind says which table it is held to.
    ///
    /// # Errors
    /// A text that is no object, or one that names a key twice.
    pub fn parse(text: &'a str, place: &str) -> Result<Self, Loss> {
        let object =
            ObjectText::parse(text).map_err(|fault| Loss::new(place, format!("is unusable: {fault}")))?;
        Ok(Self {
            object,
            place: place.to_owned(),
        })
    }

    /// Holds its keys to a table.
    ///
    /// # Errors
    /// A key that is refused or unknown.
    pub fn hold(&self, table: KeyTable, dropped: &mut Dropped) -> Result<(), Loss> {
        for name in self.object.names() {
            let Some(value) = self.object.get(name) else {
                continue;
            };
            match table.rule(name) {
                Some(KeyRule::Carried | KeyRule::Bookkeeping) => {}
                Some(KeyRule::Advice) => dropped.add(table.named(name)),
                Some(KeyRule::Idle) if is_idle(value) => {}
                Some(KeyRule::Idle) => return Err(Loss::new(self.at(name), "has no place there")),
                Some(KeyRule::Lost(why)) => return Err(Loss::new(self.at(name), why)),
                None => {
                    return Err(Loss::new(
                        self.at(name),
                        "is a key that the translation does not know",
                    ));
                }
            }
        }
        Ok(())
    }

    /// Its place in the request; empty of the request itself.
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The place of a key of it.
    pub fn at(&self, key: &str) -> String {
        match self.place.as_str() {
            "" => key.to_owned(),
            place => format!("{place}.{key}"),
        }
    }

    /// The value of a key, as JSON; `None` where it is absent or `null`.
    pub fn raw(&self, key: &str) -> Option<&'a str> {
        self.object.get(key)
    }

    /// The text of a key.
    ///
    /// # Errors
    /// A value that is no text.
    pub fn text(&self, key: &str) -> Result<Option<String>, Loss> {
        let read = |raw: &str| serde_json::from_str(raw).map_err(|_| Loss::new(self.at(key), "is no text"));
        self.raw(key).map(read).transpose()
    }

    /// The text of a key that has to be there.
    ///
    /// # Errors
    /// A value that is absent or no text.
    pub fn needed_text(&self, key: &str) -> Result<String, Loss> {
        self.text(key)?
            .ok_or_else(|| Loss::new(self.at(key), "is missing"))
    }

    /// The number of a key.
    ///
    /// # Errors
    /// A value that is no number.
    pub fn number(&self, key: &str) -> Result<Option<f64>, Loss> {
        let read = |raw: &str| serde_json::from_str(raw).map_err(|_| Loss::new(self.at(key), "is no number"));
        self.raw(key).map(read).transpose()
    }

    /// Checks that a key, where it is there, is a whole number from 0 on: as such alone is the limit of an
    /// answer read.
    ///
    /// # Errors
    /// Any other value.
    pub fn check_limit(&self, key: &str) -> Result<(), Loss> {
        match self.raw(key).map(str::parse::<u64>) {
            Some(Err(_)) => Err(Loss::new(self.at(key), "is no whole number")),
            _ => Ok(()),
        }
    }

    /// Whether a key is `true`.
    pub fn is_true(&self, key: &str) -> bool {
        self.raw(key) == Some("true")
    }

    /// The items of a key's list; none where it is absent.
    ///
    /// # Errors
    /// A value that is no list.
    pub fn list(&self, key: &str) -> Result<Vec<ListItem<'a>>, Loss> {
        match self.raw(key) {
            Some(raw) => listed(raw, &self.at(key)),
            None => Ok(Vec::new()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: KeyTable = KeyTable {
        of: "things",
        keys: &[
            ("a", KeyRule::Carried),
            ("id", KeyRule::Bookkeeping),
            ("tip", KeyRule::Advice),
            ("idle", KeyRule::Idle),
            ("signed", KeyRule::Lost("is signed")),
        ],
    };

    fn held(text: &str) -> Result<Vec<String>, String> {
        let mut dropped = Dropped::default();
        CheckedObject::open(text, "x[0]", TABLE, &mut dropped)
            .map(|_| dropped.into_words())
            .map_err(|loss| format!("{} {}", loss.place, loss.what))
    }

    #[test]
    fn every_key_has_a_rule_and_an_unknown_one_is_named() {
        assert_eq!(held(r#"{"a":1,"id":"z","idle":{ },"signed":null}"#), Ok(vec![]));
        for idle in ["0", "0.0", "false", "[ ]", "\"\""] {
            assert_eq!(held(&format!(r#"{{"idle":{idle}}}"#)), Ok(vec![]), "{idle}");
        }
        for asks in ["1", "true", "[1]", "\"x\"", "{\"a\":1}", "-0.5"] {
            let refused = held(&format!(r#"{{"idle":{asks}}}"#));
            assert_eq!(refused, Err("x[0].idle has no place there".to_owned()), "{asks}");
        }
        assert_eq!(held(r#"{"tip":1,"a":2}"#), Ok(vec!["tip of things".to_owned()]));
        assert_eq!(held(r#"{"signed":"s"}"#), Err("x[0].signed is signed".to_owned()));
        let unknown = held(r#"{"other":0}"#).unwrap_err();
        assert_eq!(unknown, "x[0].other is a key that the translation does not know");
        assert!(held(r#"{"a":1,"\u0061":2}"#).is_err(), "two readers differ on it");
        assert!(held("[]").is_err());
    }

    #[test]
    fn names_of_protobuf_are_one_in_both_cases() {
        const OF_PROTOBUF: KeyTable = KeyTable {
            of: "things",
            keys: &[
                ("inlineData", KeyRule::Carried),
                ("maxOutputTokens", KeyRule::Carried),
            ],
        };
        let open = |text| {
            CheckedObject::open_of_protobuf(text, "x", OF_PROTOBUF, &mut Dropped::default())
                .map(|object| (object.raw("inlineData"), object.raw("maxOutputTokens")))
                .map_err(|loss| loss.what)
        };
        assert_eq!(
            open(r#"{"inline_data":1,"maxOutputTokens":2}"#),
            Ok((Some("1"), Some("2")))
        );
        assert_eq!(
            open(r#"{"inlineData":1,"max_output_tokens":2}"#),
            Ok((Some("1"), Some("2")))
        );
        assert!(
            open(r#"{"inline_data":1,"inlineData":2}"#).is_err(),
            "two readers differ on it"
        );
        assert!(open(r#"{"inline__data":1,"brand_new":2}"#).is_err());
        assert_eq!(camel_case("response_json_schema"), "responseJsonSchema");
        assert_eq!(
            (camel_case(""), camel_case("a_")),
            (String::new(), "a".to_owned())
        );
    }

    #[test]
    fn a_limit_is_a_whole_number_and_nothing_like_one() {
        let limited = |text| CheckedObject::parse(text, "x").unwrap().check_limit("max");
        for whole in ["{}", r#"{"max":null}"#, r#"{"max":0}"#, r#"{"max":50}"#] {
            assert_eq!(limited(whole), Ok(()), "{whole}");
        }
        for other in [
            r#"{"max":"50"}"#,
            r#"{"max":50.0}"#,
            r#"{"max":-1}"#,
            r#"{"max":[50]}"#,
        ] {
            assert_eq!(limited(other).unwrap_err().place, "x.max", "{other}");
        }
    }
}
