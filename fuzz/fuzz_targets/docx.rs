#![no_main]
//! The parts of a Word document; the archive around them is made here, since
//! its check sums would stop every change.

use std::io::{Cursor, Write};

use libfuzzer_sys::fuzz_target;
use reprise_fuzz::read_contained;
use zip::write::SimpleFileOptions;

fuzz_target!(|data: &[u8]| {
    let options = SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    let types: &[u8] = b"<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"/>";
    // A zero byte parts the body from the footnotes.
    let mut parts = data.splitn(2, |byte| *byte == 0);
    let (body, notes) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    for (name, part) in [
        ("[Content_Types].xml", types),
        ("word/document.xml", body),
        ("word/footnotes.xml", notes),
    ] {
        let written = archive
            .start_file(name, options)
            .map(|()| archive.write_all(part));
        if written.is_err() {
            return;
        }
    }
    if let Ok(file) = archive.finish() {
        read_contained("a.docx", &file.into_inner());
    }
});
