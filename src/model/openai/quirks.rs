//! Differences between providers' chat completions.

use crate::domain::reasoning::ReasoningFormat;

/// The departures of a provider from the chat completions that most servers take.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Quirks {
    /// The key of the most tokens of an answer. Reasoning models of OpenAI refuse the
    /// old name, and servers that only follow its interface may ignore the new one.
    pub output_limit: &'static str,
    /// The key of a seed.
    pub seed: &'static str,
    /// Whether an effort goes into an object `reasoning`, rather than under `reasoning_effort`.
    pub nested_effort: bool,
    /// Whether the provider is told which requests share a beginning; servers that only
    /// follow the interface may refuse the name.
    pub prompt_cache_key: bool,
    /// Whether the tokens of a stream are counted on demand alone.
    pub stream_options: bool,
    /// The one length of a call's id, in letters and digits, that is taken.
    pub call_id_length: Option<usize>,
    /// The thoughts that are wanted back.
    pub reasoning: Option<ReasoningFormat>,
}

/// What most servers take.
pub const PLAIN: Quirks = Quirks {
    output_limit: "max_tokens",
    seed: "seed",
    nested_effort: false,
    prompt_cache_key: false,
    stream_options: true,
    call_id_length: None,
    reasoning: None,
};
