#![no_main]

use libfuzzer_sys::fuzz_target;
use reprise::documents::document::Limits;
use reprise::documents::document::Document;
use reprise::documents::docx::read::read;
use reprise::documents::kind::Kind;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { memory: 256 << 20, ..Limits::default() };
    let _ = read(bytes, &limits, &mut Document::new(Kind::Docx));
});
