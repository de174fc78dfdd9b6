#![no_main]

use libfuzzer_sys::fuzz_target;
use reprise::documents::document::Limits;
use reprise::documents::table::dta::read::read;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits { memory: 256 << 20, ..Limits::default() };
    let release = match bytes {
        [b'<', ..] => 118,
        [release, ..] => u32::from(*release),
        [] => return,
    };
    let _ = read(bytes, release, &limits);
});
