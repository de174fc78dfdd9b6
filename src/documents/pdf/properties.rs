//! The document properties of a PDF: title, author, dates.

use encoding_rs::{UTF_16BE, WINDOWS_1252};
use hayro_interpret::hayro_syntax::metadata::Metadata;
use hayro_interpret::hayro_syntax::object::DateTime;

/// Most characters of one entry.
const MOST: usize = 500;

/// The entries of the information dictionary, decoded; days as `2021-03-09`.
pub fn properties(metadata: &Metadata) -> Vec<(String, String)> {
    let texts = [
        ("title", &metadata.title),
        ("author", &metadata.author),
        ("subject", &metadata.subject),
        ("keywords", &metadata.keywords),
        ("creator", &metadata.creator),
        ("producer", &metadata.producer),
    ];
    let days = [
        ("created", metadata.creation_date),
        ("modified", metadata.modification_date),
    ];
    let texts = texts
        .into_iter()
        .filter_map(|(name, value)| Some((name, decoded(value.as_deref()?))));
    let days = days
        .into_iter()
        .filter_map(|(name, date)| Some((name, day(date?))));
    texts
        .chain(days)
        .filter(|(_, value)| !value.trim().is_empty())
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

fn day(date: DateTime) -> String {
    format!("{:04}-{:02}-{:02}", date.year, date.month, date.day)
}

/// A text string (ISO 32000-1, 7.9.2.2), or what programs write in its place,
/// without control characters.
pub fn decoded(bytes: &[u8]) -> String {
    let text = match bytes {
        [0xFE, 0xFF, rest @ ..] => UTF_16BE.decode_without_bom_handling(rest).0.into_owned(),
        bytes => String::from_utf8(bytes.to_vec())
            .unwrap_or_else(|_| WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned()),
    };
    text.chars()
        .filter(|character| !character.is_control())
        .take(MOST)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_is_decoded_by_its_mark() {
        assert_eq!(decoded(b"\xFE\xFF\0R\xE0\x00\0\n"), "R\u{E000}");
        assert_eq!(decoded("R².csv".as_bytes()), "R².csv");
        assert_eq!(decoded(b"caf\xE9"), "café");
    }
}
