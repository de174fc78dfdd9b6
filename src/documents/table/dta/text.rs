//! The strings of a Stata file, whatever their encoding.

use std::borrow::Cow;

use encoding_rs::WINDOWS_1252;

/// Decodes strings: as UTF-8 if they are that, else as Windows-1252.
#[derive(Debug, Default)]
pub struct Decoder {
    /// Whether a string was not UTF-8.
    pub western: bool,
}

impl Decoder {
    /// A string that was read as `x-user-defined`, which keeps every byte: one file can hold strings of two
    /// encodings, and its release names only one.
    pub fn text<'a>(&mut self, raw: &'a str) -> Cow<'a, str> {
        if raw.is_ascii() {
            return Cow::Borrowed(raw);
        }
        // The upper half of the bytes is U+F780 to U+F7FF.
        let bytes: Vec<u8> = raw.chars().map(|character| character as u32 as u8).collect();
        Cow::Owned(self.bytes(&bytes).into_owned())
    }

    /// A label, which no variable has if it is empty.
    pub fn label(&mut self, raw: &str) -> Option<String> {
        Some(self.text(raw).into_owned()).filter(|label| !label.is_empty())
    }

    /// A string as the file holds it.
    pub fn bytes<'a>(&mut self, bytes: &'a [u8]) -> Cow<'a, str> {
        match std::str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => {
                self.western = true;
                WINDOWS_1252.decode_without_bom_handling(bytes).0
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use encoding_rs::X_USER_DEFINED;

    use super::*;

    #[test]
    fn each_string_has_its_own_encoding() {
        let mut decoder = Decoder::default();
        for (bytes, text, western) in [
            (&b"plain"[..], "plain", false),
            ("Zürich €".as_bytes(), "Zürich €", false),
            (b"Z\xFCrich \x80", "Zürich €", true),
        ] {
            let raw = X_USER_DEFINED.decode_without_bom_handling(bytes).0;
            assert_eq!((decoder.text(&raw).as_ref(), decoder.western), (text, western));
        }
    }
}
