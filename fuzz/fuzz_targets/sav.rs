#![no_main]
//! SPSS system files.

use libfuzzer_sys::fuzz_target;
use reprise_documents::documents::kind::Kind;
use reprise_fuzz::try_kind;

fuzz_target!(|data: &[u8]| -> libfuzzer_sys::Corpus {
    try_kind("a.sav", data, |kind| matches!(kind, Kind::Sav | Kind::Zsav))
});
