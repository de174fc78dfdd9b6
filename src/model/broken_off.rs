//! Attempts that gave no answer, although the provider may have worked on them.

use serde_json::Value;

use crate::domain::usage::Usage;
use crate::model::counted_usage::completed;
use crate::model::provider_error::is_error;
use crate::model::proxy::generate_content;
use crate::model::{anthropic, openai};

/// The traces of an attempt that gave no answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct BrokenOff {
    /// The tokens that the provider counted, as far as that arrived.
    pub counted: Usage,
    /// Bytes of the answer that arrived.
    pub arrived: u64,
    /// Whether the answer came to its end with a good status, and could not be read.
    pub is_whole: bool,
}

impl BrokenOff {
    /// The tokens that it took: those that were counted, and estimates of the rest. `output` is an estimate of what
    /// arrived, and `planned` what was set aside for the answer.
    pub fn usage(&self, input: u64, output: u64, planned: u64) -> Usage {
        if self.is_whole {
            return completed(self.counted, input, planned);
        }
        // What is counted at the beginning of a stream is not the answer's end.
        let mut usage = completed(self.counted, input, output);
        let further = output.saturating_sub(usage.output);
        usage.output += further;
        usage.estimated += further;
        usage
    }
}

/// Watches one attempt, and reports it when it is dropped without an answer: by a fault or by a caller that stops
/// waiting.
pub struct AttemptWatch<'a> {
    on_broken_off: &'a (dyn Fn(BrokenOff) + Send + Sync),
    /// `None`: nothing that could cost anything is under way.
    under_way: Option<BrokenOff>,
    says_error: bool,
}

impl<'a> AttemptWatch<'a> {
    /// Watches an attempt that is not sent yet.
    pub fn new(on_broken_off: &'a (dyn Fn(BrokenOff) + Send + Sync)) -> Self {
        Self {
            on_broken_off,
            under_way: None,
            says_error: false,
        }
    }

    /// The request is on its way.
    pub fn sent(&mut self) {
        self.under_way = Some(BrokenOff::default());
    }

    /// The attempt costs nothing further: it reached nobody, was refused, or is answered.
    pub fn over(&mut self) {
        self.under_way = None;
    }

    /// So many bytes of the answer have arrived.
    pub fn arrived(&mut self, bytes: usize) {
        if let Some(under_way) = &mut self.under_way {
            under_way.arrived = bytes as u64;
        }
    }

    /// Takes in a document of the answer, such as an event, for its count of tokens.
    pub fn document(&mut self, text: &str) {
        let Some(under_way) = self.under_way.as_mut() else {
            return;
        };
        if !text.contains("\"usage") && !text.contains("\"error\"") {
            return;
        }
        let Ok(document) = serde_json::from_str::<Value>(text) else {
            return;
        };
        self.says_error |= is_error(&document);
        let counts = [
            document
                .get("usage")
                .map(|usage| openai::answer::usage(Some(usage))),
            document.pointer("/message/usage").map(anthropic::answer::usage),
            document
                .pointer("/response/usage")
                .map(|usage| openai::answer::usage(Some(usage))),
            document.get("usageMetadata").map(generate_content::usage),
        ];
        for counted in counts.into_iter().flatten() {
            let known = &mut under_way.counted;
            known.input = known.input.max(counted.input);
            known.cached = known.cached.max(counted.cached).min(known.input);
            known.output = known.output.max(counted.output);
        }
    }

    /// The answer has come to its end; what is left is to read it.
    pub fn is_whole(&mut self) {
        if let Some(under_way) = &mut self.under_way {
            under_way.is_whole = true;
        }
    }
}

impl Drop for AttemptWatch<'_> {
    fn drop(&mut self) {
        let Some(broken_off) = self.under_way.take() else {
            return;
        };
        // A provider that says it failed, and counted nothing, charges nothing.
        if !(self.says_error && broken_off.counted == Usage::default()) {
            (self.on_broken_off)(broken_off);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    fn seen(work: impl FnOnce(&mut AttemptWatch<'_>)) -> Option<BrokenOff> {
        let seen = Mutex::new(None);
        let note = |broken_off| *seen.lock().unwrap() = Some(broken_off);
        work(&mut AttemptWatch::new(&note));
        seen.into_inner().unwrap()
    }

    #[test]
    fn what_was_sent_and_not_answered_is_reported_and_nothing_else() {
        assert_eq!(seen(|_| {}), None);
        assert_eq!(
            seen(|watch| {
                watch.sent();
                watch.over();
            }),
            None
        );
        assert_eq!(seen(|watch| watch.sent()), Some(BrokenOff::default()));
        let refused = seen(|watch| {
            watch.sent();
            watch.document("{\"error\": {\"message\": \"overloaded\"}}");
            watch.is_whole();
        });
        assert_eq!(refused, None);
    }

    #[test]
    fn the_providers_count_is_taken_as_far_as_it_came_and_the_rest_estimated() {
        let message = "{\"type\": \"message_start\", \"message\": {\"usage\": {\"input_tokens\": 30, \"output_tokens\": 1}}}";
        let broken_off = seen(|watch| {
            watch.sent();
            watch.document(message);
            watch.arrived(400);
        })
        .unwrap();
        let usage = broken_off.usage(50, 100, 9_000);
        assert_eq!((usage.input, usage.output, usage.estimated), (30, 100, 99));
        let unreadable = seen(|watch| {
            watch.sent();
            watch.is_whole();
        })
        .unwrap();
        let usage = unreadable.usage(50, 100, 9_000);
        assert_eq!((usage.input, usage.output, usage.estimated), (50, 9_000, 9_050));
        let counted = seen(|watch| {
            watch.sent();
            watch.document("{\"usage\": {\"prompt_tokens\": 7, \"completion_tokens\": 3}}");
            watch.is_whole();
        })
        .unwrap();
        assert_eq!(counted.usage(50, 100, 9_000).total(), 10);
    }
}
