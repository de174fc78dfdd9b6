//! Settings that several dialects write alike.

use serde_json::Value;

use super::dropped::Dropped;
use super::key_table::{CheckedObject, KeyRule, KeyTable, listed};
use super::loss::Loss;
use super::translated_request::AnswerForm;
use crate::domain::sampling::Effort;
use crate::domain::stop_texts::StopTexts;
use crate::model::efforts::Efforts;
use crate::model::response_schema::ResponseSchema;

/// An effort that the model is known to take; any other is taken out, under a name.
pub fn effort(word: &str, taken: Option<Efforts>, name: &str, dropped: &mut Dropped) -> Option<Effort> {
    let known = Effort::ALL.into_iter().find(|effort| effort.word() == word);
    let effort = known.filter(|effort| taken.is_some_and(|taken| taken.has(*effort)));
    if effort.is_none() {
        dropped.add(name);
    }
    effort
}

/// The texts at which an answer ends: one, or a list of them.
///
/// # Errors
/// More than every provider takes, or what are no texts.
pub fn stop_texts(raw: &str, place: &str) -> Result<StopTexts, Loss> {
    let texts = match serde_json::from_str::<String>(raw) {
        Ok(text) => vec![text],
        Err(_) => {
            serde_json::from_str::<Vec<String>>(raw).map_err(|_| Loss::new(place, "is no list of texts"))?
        }
    };
    StopTexts::try_from(texts).map_err(|error| Loss::new(place, format!("cannot be kept: {error}")))
}

const SCHEMA: KeyTable = KeyTable {
    of: "the answer's form",
    keys: &[
        ("type", KeyRule::Carried),
        ("name", KeyRule::Carried),
        ("schema", KeyRule::Carried),
        // Decided by what the schema keeps to.
        ("strict", KeyRule::Carried),
        ("description", KeyRule::Advice),
    ],
};

/// A form that is a JSON Schema, where an object holds its name and its schema.
///
/// # Errors
/// A key that is unknown, or a schema that is none.
pub fn schema(raw: &str, place: &str, dropped: &mut Dropped) -> Result<AnswerForm, Loss> {
    let object = CheckedObject::open(raw, place, SCHEMA, dropped)?;
    let name = object.text("name")?.unwrap_or_else(|| "answer".to_owned());
    let text = object.raw("schema").unwrap_or("{}");
    let schema = serde_json::from_str(text).map_err(|_| Loss::new(object.at("schema"), "is no schema"))?;
    Ok(AnswerForm::Schema(ResponseSchema { name, schema }))
}

/// The form of an answer by the word of its kind, where the object itself holds the schema.
///
/// # Errors
/// A kind that is unknown.
pub fn form(raw: &str, place: &str, dropped: &mut Dropped) -> Result<AnswerForm, Loss> {
    let object = CheckedObject::parse(raw, place)?;
    match object.needed_text("type")?.as_str() {
        "text" => Ok(AnswerForm::Text),
        "json_object" => Ok(AnswerForm::JsonObject),
        "json_schema" => schema(raw, place, dropped),
        other => Err(unknown_kind(&object.at("type"), other)),
    }
}

/// A schema of arguments; that of no arguments where none is given.
///
/// # Errors
/// A text that is no JSON.
pub fn parameters(raw: Option<&str>, place: &str) -> Result<Value, Loss> {
    let text = raw.unwrap_or(r#"{"type":"object","properties":{}}"#);
    serde_json::from_str(text).map_err(|_| Loss::new(place, "is no schema"))
}

/// The refusal of something by the word of its kind.
pub fn unknown_kind(place: &str, kind: &str) -> Loss {
    Loss::new(place, format!("is `{kind}`, which has no place there"))
}

/// Whether a list of words holds `text` alone.
///
/// # Errors
/// A value that is no list.
pub fn is_text_alone(raw: &str, place: &str) -> Result<bool, Loss> {
    let words = listed(raw, place)?;
    Ok(words.iter().all(|word| word.text == "\"text\""))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_effort_goes_where_the_model_is_not_known_to_take_it() {
        let some: Efforts = [Effort::Low].into_iter().collect();
        for (word, taken, expected) in [
            ("low", Some(some), Some(Effort::Low)),
            ("high", Some(some), None),
            ("low", None, None),
            ("utmost", Some(Efforts::ANY), None),
        ] {
            let mut dropped = Dropped::default();
            assert_eq!(effort(word, taken, "effort", &mut dropped), expected, "{word}");
            assert_eq!(dropped.into_words().is_empty(), expected.is_some(), "{word}");
        }
    }

    #[test]
    fn stop_texts_are_one_or_several() {
        assert_eq!(
            stop_texts("\"a\"", "s").unwrap().iter().collect::<Vec<_>>(),
            ["a"]
        );
        let two = stop_texts("[\"a\",\"b\"]", "s").unwrap();
        assert_eq!(two.iter().count(), 2);
        for none in ["7", "[7]", "[\"a\",\"b\",\"c\",\"d\",\"e\"]", "\"\""] {
            assert_eq!(stop_texts(none, "s").unwrap_err().place, "s", "{none}");
        }
    }

    #[test]
    fn a_form_is_told_by_its_kind() {
        let mut dropped = Dropped::default();
        let mut read = |raw: &str| form(raw, "f", &mut dropped);
        assert_eq!(read(r#"{"type":"text"}"#), Ok(AnswerForm::Text));
        assert_eq!(read(r#"{"type":"json_object"}"#), Ok(AnswerForm::JsonObject));
        let schema = read(r#"{"type":"json_schema","name":"n","schema":{"type":"object"},"strict":true}"#);
        let Ok(AnswerForm::Schema(schema)) = schema else {
            panic!("{schema:?}");
        };
        assert_eq!(schema.name, "n");
        assert_eq!(read(r#"{"type":"grammar"}"#).unwrap_err().place, "f.type");
        assert_eq!(
            read(r#"{"type":"json_schema","grammar":1}"#).unwrap_err().place,
            "f.grammar"
        );
    }
}
