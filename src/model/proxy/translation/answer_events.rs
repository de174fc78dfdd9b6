//! Events of streams, as the dialects write them.

use serde_json::{Value, json};

/// An event under its type, as Responses and Messages write it.
pub fn named(event: &Value) -> String {
    let kind = event.get("type").and_then(Value::as_str).unwrap_or_default();
    format!("event: {kind}\ndata: {event}\n\n")
}

/// An event without a name, as chat completions write it.
pub fn plain(event: &Value) -> String {
    format!("data: {event}\n\n")
}

/// Events with numbers in their order, as Responses writes them.
#[derive(Debug, Default)]
pub struct NumberedEvents {
    stream: String,
    count: u64,
}

impl NumberedEvents {
    /// Writes one event more.
    pub fn add(&mut self, mut event: Value) {
        event["sequence_number"] = json!(self.count);
        self.count += 1;
        self.stream.push_str(&named(&event));
    }

    /// The stream of all events.
    pub fn into_stream(self) -> String {
        self.stream
    }
}
