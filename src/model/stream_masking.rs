//! A key that the events of a stream hold in pieces, taken out of the texts that a reader joins.

use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::Value;

use crate::model::key::Key;
use crate::model::sse::{Decoder, Event};

/// A stream of which no text, joined over its events, holds the key; `None` where none does.
pub fn masked(stream: &[u8], key: &Key) -> Option<Vec<u8>> {
    let mut events = Vec::new();
    Decoder::default().feed(stream, |event| events.push(StreamedEvent::new(event)));
    let mut texts: Vec<String> = Vec::new();
    let mut joined: HashMap<String, Vec<usize>> = HashMap::new();
    for document in events.iter_mut().filter_map(|event| event.document.as_mut()) {
        let mut place = String::new();
        places(document, &mut place);
        each_text(document, &mut place, &mut |place, text| {
            joined.entry(place.to_owned()).or_default().push(texts.len());
            texts.push(std::mem::take(text));
        });
    }
    let mut is_found = false;
    for pieces in joined.values() {
        is_found |= mask(&mut texts, pieces, key);
    }
    if !is_found {
        return None;
    }
    let mut texts = texts.into_iter();
    let mut stream = String::new();
    for event in &mut events {
        if let Some(document) = &mut event.document {
            each_text(document, &mut String::new(), &mut |_, text| {
                *text = texts.next().unwrap_or_default();
            });
            event.event.data = document.to_string();
        }
        event.write(&mut stream);
    }
    Some(stream.into_bytes())
}

struct StreamedEvent {
    event: Event,
    /// `None` of an event that is no JSON, such as the mark of the end.
    document: Option<Value>,
}

impl StreamedEvent {
    fn new(event: Event) -> Self {
        Self {
            document: event.document().ok(),
            event,
        }
    }

    fn write(&self, stream: &mut String) {
        if !self.event.name.is_empty() {
            stream.push_str("event: ");
            stream.push_str(&self.event.name);
            stream.push('\n');
        }
        for line in self.event.data.split('\n') {
            stream.push_str("data: ");
            stream.push_str(line);
            stream.push('\n');
        }
        stream.push('\n');
    }
}

/// Adds what an event says of the text that it goes on with: the number of a choice, call or part, or its id.
fn places(value: &Value, to: &mut String) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                match value {
                    Value::Number(number) if name.ends_with("index") => {
                        let _to_a_string = write!(to, "{name}={number} ");
                    }
                    Value::String(id) if name == "item_id" => {
                        let _to_a_string = write!(to, "{name}={id} ");
                    }
                    inner => places(inner, to),
                }
            }
        }
        Value::Array(items) => items.iter().for_each(|item| places(item, to)),
        _ => {}
    }
}

/// Visits the texts of a document, each with its place, in order.
fn each_text(value: &mut Value, place: &mut String, visit: &mut dyn FnMut(&str, &mut String)) {
    let length = place.len();
    match value {
        Value::String(text) => visit(place, text),
        Value::Object(fields) => {
            for (name, value) in fields {
                let _to_a_string = write!(place, "/{name}");
                each_text(value, place, visit);
                place.truncate(length);
            }
        }
        Value::Array(items) => {
            for (number, item) in items.iter_mut().enumerate() {
                let _to_a_string = write!(place, "/{number}");
                each_text(item, place, visit);
                place.truncate(length);
            }
        }
        _ => {}
    }
}

/// Masks the key in texts that are joined; the mark stands where the key begins.
fn mask(texts: &mut [String], pieces: &[usize], key: &Key) -> bool {
    let joined: String = pieces.iter().map(|piece| texts[*piece].as_str()).collect();
    let spans = key.spans(joined.as_bytes());
    let mut begins = 0;
    for piece in pieces.iter().filter(|_| !spans.is_empty()) {
        let ends = begins + texts[*piece].len();
        let mut text = String::new();
        let mut from = begins;
        let first = spans.partition_point(|span| span.end <= begins);
        for span in spans[first..].iter().take_while(|span| span.start < ends) {
            text.push_str(joined.get(from..span.start).unwrap_or_default());
            if span.start >= begins {
                text.push_str(Key::MASK);
            }
            from = span.end.min(ends);
        }
        text.push_str(joined.get(from..ends).unwrap_or_default());
        texts[*piece] = text;
        begins = ends;
    }
    !spans.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    const KEY: &str = "sk-canary-0123456789";

    fn stream(events: &[Value]) -> Vec<u8> {
        let events = events.iter().map(|event| format!("data: {event}\n\n"));
        (events.collect::<String>() + "data: [DONE]\n\n").into_bytes()
    }

    fn shown(stream: &[u8]) -> String {
        let key = Key::new(KEY).unwrap();
        let found = masked(stream, &key).unwrap_or_else(|| stream.to_vec());
        String::from_utf8(found).unwrap()
    }

    #[test]
    fn pieces_of_a_key_go_from_each_text_that_is_joined() {
        let content = |index: u32, text: &str| serde_json::json!({"choices": [{"index": index, "delta": {"content": text}}]});
        let said = shown(&stream(&[
            content(0, "I got sk-can"),
            // Another answer's, amid it.
            content(1, "x sk-"),
            content(0, "ary-0123"),
            content(1, "canary-01234567"),
            content(0, "456789 and sk-canary-01234"),
            content(1, "89 y"),
            content(0, "56789."),
        ]));
        let mut texts = [String::new(), String::new()];
        Decoder::default().feed(said.as_bytes(), |event| {
            if let Ok(document) = event.document() {
                let choice = &document["choices"][0];
                let index = choice["index"].as_u64().unwrap() as usize;
                texts[index].push_str(choice["delta"]["content"].as_str().unwrap());
            }
        });
        assert_eq!(texts, ["I got [key] and [key].", "x [key] y"]);
        assert!(said.ends_with("data: [DONE]\n\n"), "{said}");
    }

    #[test]
    fn a_stream_without_a_key_stays_as_it_is() {
        let key = Key::new(KEY).unwrap();
        let harmless = stream(&[
            serde_json::json!({"delta": "sk-canary-"}),
            serde_json::json!({"delta": "012345678"}),
        ]);
        assert_eq!(masked(&harmless, &key), None);
        assert_eq!(masked(b"data: x\n\n: sign of life\n\n", &key), None);
    }
}
