//! JSON with its duplicate keys kept, and with Python's `NaN` understood.

use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// A JSON value whose objects keep every member, repeated keys included.
#[derive(Debug, Clone, PartialEq)]
pub enum Node {
    Null,
    Bool(bool),
    Number(f64),
    Text(String),
    List(Vec<Node>),
    Members(Vec<(String, Node)>),
}

impl Node {
    /// Parses JSON bytes; a bare `NaN` or `Infinity` becomes text of that name,
    /// as Python writes them where JSON has no such number.
    ///
    /// # Errors
    /// The parser's message with line and column.
    pub fn parse(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        serde_json::from_slice(bytes)
            .or_else(|error| serde_json::from_slice(&quote_not_numbers(bytes)).map_err(|_| error))
            .map_err(|error| error.to_string())
    }

    /// The members of an object.
    pub fn members(&self) -> Option<&[(String, Self)]> {
        match self {
            Self::Members(members) => Some(members),
            _ => None,
        }
    }

    /// A member of an object; the last of repeated ones, as Python has it.
    pub fn get(&self, key: &str) -> Option<&Self> {
        let found = self.members()?.iter().rev().find(|(name, _)| name == key);
        found.map(|(_, value)| value)
    }
}

/// Puts quotes around bare words that only Python reads as numbers.
fn quote_not_numbers(bytes: &[u8]) -> Vec<u8> {
    let mut quoted = Vec::with_capacity(bytes.len() + 16);
    let (mut at, mut in_string) = (0, false);
    while let Some(&byte) = bytes.get(at) {
        if in_string && byte == b'\\' {
            quoted.extend(bytes.iter().skip(at).take(2));
            at += 2;
            continue;
        }
        in_string ^= byte == b'"';
        let word = ["NaN", "-Infinity", "Infinity"].into_iter().find(|word| {
            !in_string
                && bytes
                    .get(at..)
                    .is_some_and(|rest| rest.starts_with(word.as_bytes()))
        });
        match word {
            Some(word) => {
                quoted.push(b'"');
                quoted.extend(word.bytes());
                quoted.push(b'"');
                at += word.len();
            }
            None => {
                quoted.push(byte);
                at += 1;
            }
        }
    }
    quoted
}

impl<'de> Deserialize<'de> for Node {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node, E> {
        Ok(Node::Bool(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Node, E> {
        if number.is_finite() {
            Ok(Node::Number(number))
        } else {
            Err(E::custom("a number that is not finite"))
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Node, E> {
        Ok(Node::Text(text.to_owned()))
    }

    fn visit_string<E>(self, text: String) -> Result<Node, E> {
        Ok(Node::Text(text))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node, A::Error> {
        let mut members = Vec::new();
        while let Some(entry) = entries.next_entry()? {
            members.push(entry);
        }
        Ok(Node::Members(members))
    }

    fn visit_bytes<E: serde::de::Error>(self, _: &[u8]) -> Result<Node, E> {
        Err(E::custom("bytes are not JSON"))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node, D::Error> {
        Node::deserialize(deserializer).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_keys_stay_and_the_last_is_meant() {
        let node = Node::parse(br#"{"a": 1, "b": [null, true], "a": 2}"#).unwrap();
        assert_eq!(node.members().unwrap().len(), 3);
        assert_eq!(node.get("a"), Some(&Node::Number(2.0)));
    }

    #[test]
    fn pythons_nan_is_text_and_other_errors_keep_their_place() {
        let node = Node::parse(br#"{"a": NaN, "b": "NaN \" NaN", "c": -Infinity}"#).unwrap();
        assert_eq!(node.get("a"), Some(&Node::Text("NaN".into())));
        assert_eq!(node.get("b"), Some(&Node::Text("NaN \" NaN".into())));
        assert!(Node::parse(b"{\"a\":\n 1,}").unwrap_err().contains("line 2"));
        assert!(Node::parse(b"").is_err());
        assert!(Node::parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
