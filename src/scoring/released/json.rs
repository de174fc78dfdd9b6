//! JSON with its duplicate keys kept, and with Python's `NaN` understood.

use std::borrow::Cow;
use std::collections::HashSet;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};

/// Objects of at most this many members are searched for repeated keys without hashing.
const FEW: usize = 12;

/// Bytes that are no JSON, in the parser's words.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    #[error(transparent)]
    Encoding(#[from] std::str::Utf8Error),
    #[error(transparent)]
    Form(#[from] serde_json::Error),
}

/// A JSON value whose objects keep every member, repeated keys included; text
/// without escapes stays where it was read.
#[derive(Debug, Clone, PartialEq)]
pub enum Node<'a> {
    Null,
    Bool(bool),
    Number(f64),
    Text(Cow<'a, str>),
    List(Vec<Self>),
    Members(Vec<(Cow<'a, str>, Self)>),
}

impl<'a> Node<'a> {
    /// Parses JSON bytes; a bare `NaN` or `Infinity` becomes text of that name,
    /// as Python writes them where JSON has no such number.
    ///
    /// # Errors
    /// The parser's message with line and column.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, JsonError> {
        let bytes = bytes.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(bytes);
        let text = std::str::from_utf8(bytes)?;
        serde_json::from_str(text).or_else(|error| {
            let quoted = quote_not_numbers(text);
            let again: Result<Node<'_>, _> = serde_json::from_str(&quoted);
            again.map(Node::into_owned).map_err(|_| error.into())
        })
    }

    fn into_owned<'b>(self) -> Node<'b> {
        let own = |text: Cow<'_, str>| Cow::Owned(text.into_owned());
        match self {
            Self::Null => Node::Null,
            Self::Bool(flag) => Node::Bool(flag),
            Self::Number(number) => Node::Number(number),
            Self::Text(text) => Node::Text(own(text)),
            Self::List(items) => Node::List(items.into_iter().map(Self::into_owned).collect()),
            Self::Members(members) => Node::Members(
                (members.into_iter())
                    .map(|(key, value)| (own(key), value.into_owned()))
                    .collect(),
            ),
        }
    }

    /// The members of an object.
    pub fn members(&self) -> Option<&[(Cow<'a, str>, Self)]> {
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

/// The positions of members whose key comes again later in the same object.
pub fn overridden(members: &[(Cow<'_, str>, Node<'_>)]) -> Vec<usize> {
    if members.len() <= FEW {
        let comes_again = |at: &usize| members[at + 1..].iter().any(|(key, _)| *key == members[*at].0);
        return (0..members.len()).filter(comes_again).collect();
    }
    let mut later = HashSet::with_capacity(members.len());
    let backwards = members.iter().enumerate().rev();
    backwards
        .filter(|(_, (key, _))| !later.insert(key))
        .map(|(at, _)| at)
        .collect()
}

/// The members of an object without those that a later one overrides.
pub fn distinct<'n, 'a>(
    members: &'n [(Cow<'a, str>, Node<'a>)],
) -> impl Iterator<Item = (&'n str, &'n Node<'a>)> {
    let gone: HashSet<usize> = overridden(members).into_iter().collect();
    let kept = members
        .iter()
        .enumerate()
        .filter(move |(at, _)| !gone.contains(at));
    kept.map(|(_, (key, value))| (&**key, value))
}

/// Puts quotes around bare words that only Python reads as numbers.
fn quote_not_numbers(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut quoted = String::with_capacity(text.len() + 16);
    let (mut at, mut copied, mut in_string) = (0, 0, false);
    while let Some(byte) = bytes.get(at) {
        let word = ["NaN", "-Infinity", "Infinity"]
            .into_iter()
            .find(|word| !in_string && matches!(byte, b'N' | b'-' | b'I') && text[at..].starts_with(word));
        if let Some(word) = word {
            quoted.extend([&text[copied..at], "\"", word, "\""]);
            at += word.len();
            copied = at;
            continue;
        }
        in_string ^= *byte == b'"';
        // An escape and what it escapes go together.
        at += if in_string && *byte == b'\\' { 2 } else { 1 };
    }
    quoted.push_str(&text[copied..]);
    quoted
}

impl<'de> Deserialize<'de> for Node<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor)
    }
}

struct NodeVisitor;

impl<'de> Visitor<'de> for NodeVisitor {
    type Value = Node<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Node<'de>, E> {
        Ok(Node::Null)
    }

    fn visit_bool<E>(self, flag: bool) -> Result<Node<'de>, E> {
        Ok(Node::Bool(flag))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Node<'de>, E> {
        Ok(Node::Number(number as f64))
    }

    fn visit_f64<E: serde::de::Error>(self, number: f64) -> Result<Node<'de>, E> {
        if number.is_finite() {
            Ok(Node::Number(number))
        } else {
            Err(E::custom("a number that is not finite"))
        }
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text.to_owned())))
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Borrowed(text)))
    }

    fn visit_string<E>(self, text: String) -> Result<Node<'de>, E> {
        Ok(Node::Text(Cow::Owned(text)))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Node<'de>, A::Error> {
        let mut list = Vec::new();
        while let Some(item) = items.next_element()? {
            list.push(item);
        }
        Ok(Node::List(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<Node<'de>, A::Error> {
        let mut members = Vec::new();
        while let Some((Key(key), value)) = entries.next_entry()? {
            members.push((key, value));
        }
        Ok(Node::Members(members))
    }

    fn visit_bytes<E: serde::de::Error>(self, _: &[u8]) -> Result<Node<'de>, E> {
        Err(E::custom("bytes are not JSON"))
    }

    fn visit_newtype_struct<D: Deserializer<'de>>(self, deserializer: D) -> Result<Node<'de>, D::Error> {
        Node::deserialize(deserializer).map_err(D::Error::custom)
    }
}

/// A key that borrows where it can.
struct Key<'a>(Cow<'a, str>);

impl<'de> Deserialize<'de> for Key<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match deserializer.deserialize_str(NodeVisitor)? {
            Node::Text(text) => Ok(Self(text)),
            _ => Err(D::Error::custom("a key that is not text")),
        }
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
        let among = Node::parse("[\"ü \\\\\", NaN, \"\\\"ü\", -Infinity]".as_bytes()).unwrap();
        assert_eq!(
            among,
            Node::List(
                ["ü \\", "NaN", "\"ü", "-Infinity"]
                    .map(|text| Node::Text(text.into()))
                    .into()
            )
        );
        assert!(
            Node::parse(b"{\"a\":\n 1,}")
                .unwrap_err()
                .to_string()
                .contains("line 2")
        );
        assert!(Node::parse(b"").is_err());
        assert!(Node::parse("[".repeat(100_000).as_bytes()).is_err());
    }
}
