#![no_main]

use libfuzzer_sys::fuzz_target;
use reprise::documents::document::Limits;
use reprise::documents::read::read;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { memory: 256 << 20, ..Limits::default() };
    let _ = read("file.csv", bytes, &limits);
});
