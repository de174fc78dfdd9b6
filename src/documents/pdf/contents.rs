//! Damaged contents of pages: streams that cannot be decoded to their end.
//!
//! The interpreter draws what it can of a damaged stream, and nothing of one that
//! it cannot decode, without saying so.

use flate2::{Decompress, FlushDecompress, Status};
use hayro_interpret::hayro_syntax::Filter;
use hayro_interpret::hayro_syntax::object::{Array, Object, Stream};
use hayro_interpret::hayro_syntax::page::Page;

/// Bytes that are decompressed at once.
const PORTION: usize = 32 << 10;
/// Bytes of the head of a stream that is compressed (RFC 1950, 2.2).
const HEAD: usize = 2;

/// Whether a part of a page's content is lost.
pub fn is_damaged(page: &Page<'_>) -> bool {
    let key = &b"Contents"[..];
    if let Some(stream) = page.raw().get::<Stream<'_>>(key) {
        return is_broken(&stream);
    }
    if let Some(streams) = page.raw().get::<Array<'_>>(key) {
        return streams.iter::<Object<'_>>().any(|part| match part {
            Object::Stream(stream) => is_broken(&stream),
            _ => false,
        });
    }
    false
}

fn is_broken(stream: &Stream<'_>) -> bool {
    match stream.filters().first() {
        Some(Filter::FlateDecode) => !is_whole(&stream.raw_data()),
        Some(_) => stream.decoded_data().is_err(),
        None => false,
    }
}

/// Whether compressed data comes to its end. Its checksum, which some programs leave
/// out, is not looked at.
fn is_whole(data: &[u8]) -> bool {
    let Some(mut rest) = data.get(HEAD..) else {
        return data.is_empty();
    };
    let mut decompress = Decompress::new(false);
    let mut portion = vec![0; PORTION];
    loop {
        let (read, written) = (decompress.total_in(), decompress.total_out());
        match decompress.decompress(rest, &mut portion, FlushDecompress::None) {
            Ok(Status::StreamEnd) => return true,
            Ok(_) => {
                let taken = (decompress.total_in() - read) as usize;
                if taken == 0 && decompress.total_out() == written {
                    return false;
                }
                rest = rest.get(taken..).unwrap_or_default();
            }
            Err(_) => return false,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn compressed_data_that_breaks_off_is_not_whole() {
        let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
        let text: String = (0..20_000).map(|number| format!("{number} Tj\n")).collect();
        packed.write_all(text.as_bytes()).unwrap();
        let packed = packed.finish().unwrap();
        assert!(is_whole(&packed));
        assert!(is_whole(&packed[..packed.len() - 4]), "without a checksum");
        assert!(!is_whole(&packed[..packed.len() / 2]));
        assert!(!is_whole(&[0x78, 0x9c, 0xff, 0xff]));
    }
}
