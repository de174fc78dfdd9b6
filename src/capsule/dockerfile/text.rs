//! Text of a stranger's file.

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};

/// Bytes that a file may have.
pub const LARGEST: usize = 1 << 20;

/// The text of a file; `None` of one that is none.
pub fn decoded(content: &[u8]) -> Option<Cow<'_, str>> {
    if content.len() > LARGEST {
        return None;
    }
    let encoding = Encoding::for_bom(content).map_or(UTF_8, |(encoding, _)| encoding);
    let (text, _, _) = encoding.decode(content);
    (!text.contains('\0')).then_some(text)
}
