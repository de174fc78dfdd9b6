//! The readers under test, with what a target does with an input.

use std::panic::{self, AssertUnwindSafe, PanicHookInfo};
use std::sync::Once;

use libfuzzer_sys::Corpus;
use reprise_documents::documents::kind::Kind;
use reprise_documents::documents::limits::Limits;
use reprise_documents::documents::read::read;
use reprise_documents::documents::sniff::sniff;

/// What one input may take; libFuzzer's own limits lie above.
pub const LIMITS: Limits = Limits {
    seconds: 10,
    memory: 256 << 20,
    pages: 50,
    text: 8 << 20,
    recognise: false,
    pictures: 1 << 20,
};

/// Whether a panic arose in a crate: the helper process contains those, as it
/// does in the program. One in the readers' own code ends the run.
fn is_foreign(panic: &PanicHookInfo<'_>) -> bool {
    panic
        .location()
        .is_some_and(|place| place.file().contains("/registry/src/"))
}

/// Reads a file as the helper process does.
pub fn read_contained(name: &str, data: &[u8]) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        // The hook of libFuzzer ends the process.
        let fatal = panic::take_hook();
        panic::set_hook(Box::new(move |panic| {
            if !is_foreign(panic) {
                fatal(panic);
            }
        }));
    });
    let _ = panic::catch_unwind(AssertUnwindSafe(|| read(name, data, &LIMITS)));
}

/// Reads an input that is of the kind under test; others teach nothing.
pub fn try_kind(name: &str, data: &[u8], kind: impl Fn(&Kind) -> bool) -> Corpus {
    if !kind(&sniff(data)) {
        return Corpus::Reject;
    }
    read_contained(name, data);
    Corpus::Keep
}
