//! Token counts, and text of a given count.

use std::fmt::Write as _;

/// Tokens of a text.
pub fn count(text: &str) -> u64 {
    tiktoken_rs::o200k_base_singleton().encode_ordinary(text).len() as u64
}

/// Text of about that many tokens, unlike any of another seed.
pub fn filler(tokens: u64, seed: &str) -> String {
    let mut text = format!("[{seed}]");
    for at in 0..tokens.saturating_sub(count(&text)) {
        // One token each, and as long as a token of a log is on average.
        let _ = write!(text, "{}", if at % 16 == 15 { "\n" } else { " row" });
    }
    text
}
