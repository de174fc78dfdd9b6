//! Server-sent events (WHATWG HTML, section 9.2), and what is made of them.

use serde_json::Value;

use crate::model::attempt::AttemptFault;
use crate::model::http::excerpt;

/// One event; the name is empty where the stream gave none.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Event {
    pub name: String,
    pub data: String,
}

impl Event {
    /// The data as JSON.
    ///
    /// # Errors
    /// Data that are no JSON.
    pub fn document(&self) -> Result<Value, StreamFault> {
        serde_json::from_str(&self.data).map_err(|error| {
            StreamFault::malformed(format!(
                "a part of the stream is not JSON ({error}): {}",
                excerpt(self.data.as_bytes())
            ))
        })
    }

    /// Whether nothing is in it but the mark that chat completions end with.
    pub fn is_end(&self) -> bool {
        self.data.trim() == "[DONE]"
    }
}

/// Cuts a stream of bytes into events, however the bytes arrive.
///
/// Keeps what is not yet complete; whoever feeds it bounds the whole.
#[derive(Debug, Default)]
pub struct Decoder {
    line: Vec<u8>,
    /// The last byte was a carriage return, so that a line feed belongs to it.
    returned: bool,
    begun: bool,
    event: Event,
    has_data: bool,
}

impl Decoder {
    /// Takes more bytes, and hands over every event that they complete.
    pub fn feed(&mut self, bytes: &[u8], mut sink: impl FnMut(Event)) {
        let mut rest = bytes;
        while !rest.is_empty() {
            if std::mem::take(&mut self.returned) && rest[0] == b'\n' {
                rest = &rest[1..];
                continue;
            }
            let Some(end) = memchr::memchr2(b'\n', b'\r', rest) else {
                self.line.extend_from_slice(rest);
                return;
            };
            self.line.extend_from_slice(&rest[..end]);
            self.returned = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if let Some(event) = self.end_line() {
                sink(event);
            }
        }
    }

    fn end_line(&mut self) -> Option<Event> {
        let line = std::mem::take(&mut self.line);
        let mut line = line.as_slice();
        if !std::mem::replace(&mut self.begun, true) {
            line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        }
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            return std::mem::take(&mut self.has_data).then_some(event);
        }
        let (field, value) = match memchr::memchr(b':', line) {
            Some(at) => (&line[..at], &line[at + 1..]),
            None => (line, &line[..0]),
        };
        let value = String::from_utf8_lossy(value.strip_prefix(b" ").unwrap_or(value));
        match field {
            b"data" => {
                if std::mem::replace(&mut self.has_data, true) {
                    self.event.data.push('\n');
                }
                self.event.data.push_str(&value);
            }
            b"event" => self.event.name = value.into_owned(),
            _ => {}
        }
        None
    }
}

/// The fault of a stream that gives no answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StreamFault {
    pub fault: AttemptFault,
    pub message: String,
}

impl StreamFault {
    /// A stream that is not what the protocol promises.
    pub fn malformed(message: impl Into<String>) -> Self {
        Self {
            fault: AttemptFault::Malformed,
            message: message.into(),
        }
    }

    /// A stream that ended after so many bytes of an answer that goes on.
    pub fn truncated(bytes: usize) -> Self {
        Self {
            fault: AttemptFault::Truncated,
            message: format!("the stream ended before its answer did, after {bytes} bytes of it"),
        }
    }
}

/// What a stream amounts to that arrives whole, for tests of assemblies.
///
/// # Errors
/// What the assembly cannot take, or a stream that ended before its answer.
#[cfg(test)]
pub fn assembled(mut assembly: Box<dyn Assembly>, stream: &[u8]) -> Result<Value, StreamFault> {
    let mut fault = Ok(());
    Decoder::default().feed(stream, |event| {
        if fault.is_ok() {
            fault = assembly.take(event);
        }
    });
    fault?;
    assembly.finish()
}

/// The size of an answer that is still arriving.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AnswerSize {
    pub bytes: usize,
    pub calls: usize,
}

/// Puts an answer together from events, as the document that the provider
/// would have sent whole.
pub trait Assembly: Send {
    /// Takes the next event.
    ///
    /// # Errors
    /// An event that is none of the dialect's, or a piece of a call that has not begun.
    fn take(&mut self, event: Event) -> Result<(), StreamFault>;

    /// Whether the stream has said that nothing follows.
    fn is_done(&self) -> bool;

    /// The size of the answer so far.
    fn progress(&self) -> AnswerSize;

    /// The document, or an error document, or why there is none.
    ///
    /// # Errors
    /// A stream that ended before its answer.
    fn finish(self: Box<Self>) -> Result<Value, StreamFault>;
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn decoded(pieces: &[&[u8]]) -> Vec<Event> {
        let mut decoder = Decoder::default();
        let mut events = Vec::new();
        for piece in pieces {
            decoder.feed(piece, |event| events.push(event));
        }
        events
    }

    fn event(name: &str, data: &str) -> Event {
        Event {
            name: name.into(),
            data: data.into(),
        }
    }

    #[test]
    fn every_form_of_the_standard_is_read() {
        let stream = b"\xef\xbb\xbfdata: one\r\n\r\n: comment\n\nevent: x\rdata:two\rdata: 2\r\rdata\n\nid: 7\nretry: 1\n\ndata: 3\r\ndata: 4\r\n\r\ndata: cut";
        assert_eq!(
            decoded(&[stream]),
            [
                event("", "one"),
                event("x", "two\n2"),
                event("", ""),
                event("", "3\n4")
            ]
        );
    }

    proptest! {
        #[test]
        fn where_the_bytes_are_cut_does_not_matter(
            stream in "(data|event|id|)(:| |: |)[a\u{e9}]{0,3}(\r|\n|\r\n)(\r|\n|\r\n|data: x\n)*",
            cuts in prop::collection::vec(0_usize..40, 0..6),
        ) {
            let bytes = stream.as_bytes();
            let mut cuts: Vec<_> = cuts.into_iter().map(|cut| cut.min(bytes.len())).collect();
            cuts.sort_unstable();
            cuts.push(bytes.len());
            let mut from = 0;
            let pieces: Vec<&[u8]> = cuts.iter().map(|cut| {
                let piece = &bytes[from..*cut];
                from = *cut;
                piece
            }).collect();
            prop_assert_eq!(decoded(&pieces), decoded(&[bytes]));
        }
    }
}
