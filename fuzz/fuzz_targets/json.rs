#![no_main]
//! The repair of JSON that people and models write: what it gives is JSON, and
//! JSON that needs no repair is what the strict parser reads.

use libfuzzer_sys::fuzz_target;
use reprise_domain::domain::lenient_json::{Parsed, Tolerance, parse, parse_of};

fuzz_target!(|text: &str| {
    for tolerance in [Tolerance::Models, Tolerance::People] {
        if let Ok(parsed) = parse_of(tolerance, text) {
            is_json(&parsed);
        }
    }
});

fn is_json(parsed: &Parsed) {
    let written = serde_json::to_string(&parsed.value).expect("a value can be written");
    let again = parse(&written).expect("what was written is JSON");
    assert!(again.repairs.is_empty(), "{written}");
    assert_eq!(again.value, parsed.value);
}
