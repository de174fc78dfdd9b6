//! The readers under test, from the sources of the program.

#[path = "../../src/documents/mod.rs"]
pub mod documents;

#[path = "../../src/domain"]
pub mod domain {
    pub mod lenient_json;
}

use documents::document::Limits;
use documents::kind::Kind;
use documents::read::read;
use documents::sniff::sniff;
use libfuzzer_sys::Corpus;

/// What one input may take; libFuzzer's own limits lie above.
pub const LIMITS: Limits = Limits {
    seconds: 10,
    memory: 256 << 20,
    pages: 50,
    text: 8 << 20,
    recognise: false,
    pictures: 1 << 20,
};

/// Reads an input that is of the kind under test; others teach nothing.
pub fn try_kind(name: &str, data: &[u8], kind: impl Fn(&Kind) -> bool) -> Corpus {
    if !kind(&sniff(data)) {
        return Corpus::Reject;
    }
    let _ = read(name, data, &LIMITS);
    Corpus::Keep
}
