//! The digest of a request's JSON as it is read, without a copy of it.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

use crate::domain::digest::{Digest, RunningDigest};

/// The parts of a request that are left out before it is compared.
pub trait LeftOut {
    /// Whether a field is, with all that it holds.
    fn leaves_out(&self, field: &str) -> bool;
    /// A text without its varying parts.
    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str>;
}

/// The digest of a value; `None` of what is no JSON. Two requests have one digest where they hold the same, in
/// the same order, but for what is left out.
pub fn of_json(body: &[u8], left_out: &impl LeftOut) -> Option<Digest> {
    let mut running = RunningDigest::default();
    let mut reader = serde_json::Deserializer::from_slice(body);
    let value = Taken {
        running: &mut running,
        left_out,
    };
    value.deserialize(&mut reader).ok()?;
    reader.end().ok()?;
    Some(running.digest())
}

/// A value that is taken in while it is read.
struct Taken<'a, L> {
    running: &'a mut RunningDigest,
    left_out: &'a L,
}

impl<L: LeftOut> Taken<'_, L> {
    /// Takes a scalar in, by its kind.
    fn scalar(self, kind: u8, bytes: &[u8]) {
        self.running.add(&[kind]);
        self.running.add(&(bytes.len() as u64).to_le_bytes());
        self.running.add(bytes);
    }

    fn within(&mut self) -> Taken<'_, L> {
        Taken {
            running: self.running,
            left_out: self.left_out,
        }
    }
}

impl<'de, L: LeftOut> DeserializeSeed<'de> for Taken<'_, L> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de, L: LeftOut> Visitor<'de> for Taken<'_, L> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("JSON")
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        self.scalar(b'0', &[]);
        Ok(())
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        self.scalar(b'b', &[u8::from(value)]);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        self.scalar(b'i', &value.to_le_bytes());
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        self.scalar(b'u', &value.to_le_bytes());
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        self.scalar(b'f', &value.to_le_bytes());
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        let plain = self.left_out.plain(text);
        self.scalar(b's', plain.as_bytes());
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut items: A) -> Result<(), A::Error> {
        self.running.add(b"[");
        while items.next_element_seed(self.within())?.is_some() {}
        self.running.add(b"]");
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut members: A) -> Result<(), A::Error> {
        self.running.add(b"{");
        while let Some(name) = members.next_key::<Cow<'de, str>>()? {
            if self.left_out.leaves_out(&name) {
                members.next_value::<IgnoredAny>()?;
                continue;
            }
            self.within().scalar(b'k', name.as_bytes());
            members.next_value_seed(self.within())?;
        }
        self.running.add(b"}");
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Leaves out `id`, and digits of texts.
    struct WithoutIds;

    impl LeftOut for WithoutIds {
        fn leaves_out(&self, field: &str) -> bool {
            field == "id"
        }

        fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
            match text.contains('9') {
                true => Cow::Owned(text.replace('9', "~")),
                false => Cow::Borrowed(text),
            }
        }
    }

    fn of(value: &Value) -> Option<Digest> {
        of_json(value.to_string().as_bytes(), &WithoutIds)
    }

    #[test]
    fn places_kinds_and_order_count_and_blanks_do_not() {
        let one = of(&json!({"a": ["b", 1, -1, 1.0, null, true], "id": {"x": 9}}));
        assert_eq!(
            one,
            of_json(b" {\"a\":[ \"b\",1,-1,1.0,null,true]}\n", &WithoutIds)
        );
        assert_eq!(
            one,
            of_json(b"{\"a\":[\"\\u0062\",1,-1,1.0,null,true]}", &WithoutIds)
        );
        for other in [
            json!({"a": ["b", 1, -1, 1, null, true]}),
            json!({"a": ["b", "1", -1, 1.0, null, true]}),
            json!({"a": ["b", 1, -1, 1.0, null], "b": true}),
            json!({"a": [["b"], 1, -1, 1.0, null, true]}),
            json!({"a": ["b", 1, -1, 1.0, true, null]}),
            json!(["a", "b", 1, -1, 1.0, null, true]),
        ] {
            assert_ne!(one, of(&other), "{other}");
        }
        assert_eq!(of(&json!("it is 9")), of(&json!("it is ~")));
        assert_ne!(of(&json!(["ab", "c"])), of(&json!(["a", "bc"])));
        for bad in [&b"{\"a\": 1"[..], b"1 2", b"", b"\xff", b"{1: 2}"] {
            assert_eq!(of_json(bad, &WithoutIds), None);
        }
    }

    proptest! {
        #[test]
        fn it_tells_apart_what_the_tree_tells_apart(one in tree(), other in tree()) {
            prop_assert_eq!(of(&one), of(&one));
            prop_assert_eq!(of(&one) == of(&other), stripped(&one) == stripped(&other));
        }

        #[test]
        fn bytes_of_any_kind_are_no_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = of_json(&bytes, &WithoutIds);
        }
    }

    fn tree() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            (-2_i64..3).prop_map(Value::from),
            "[a9~]{0,2}".prop_map(Value::from),
        ];
        leaf.prop_recursive(3, 12, 3, |inner| {
            let names = prop_oneof![Just("a"), Just("id"), Just("b")];
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..3).prop_map(Value::from),
                proptest::collection::vec((names, inner), 0..3).prop_map(|members| members
                    .into_iter()
                    .map(|(name, value)| (name.to_owned(), value))
                    .collect()),
            ]
        })
    }

    fn stripped(value: &Value) -> String {
        fn strip(value: &mut Value) {
            match value {
                Value::Object(members) => {
                    members.retain(|name, _| name != "id");
                    members.values_mut().for_each(strip);
                }
                Value::Array(items) => items.iter_mut().for_each(strip),
                Value::String(text) => *text = text.replace('9', "~"),
                _ => {}
            }
        }
        let mut value = value.clone();
        strip(&mut value);
        value.to_string()
    }
}
