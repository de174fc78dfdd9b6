//! Plain text of any encoding, with the decision and the line ends recorded.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use serde::{Deserialize, Serialize};

use crate::documents::mixed_lines;

/// The line ends of a file, counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct LineEnds {
    /// `\n` alone.
    pub unix: u64,
    /// `\r\n`.
    pub windows: u64,
    /// `\r` alone.
    pub old_mac: u64,
}

/// Decoded text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Decoded {
    /// The text with `\n` at every line end and without a byte order mark.
    pub text: String,
    /// The encoding's name in the WHATWG Encoding Standard.
    pub encoding: String,
    /// Why that encoding: a mark, valid UTF-8, or a guess from letter statistics.
    pub reason: Reason,
    pub line_ends: LineEnds,
    /// Places where bytes fit no character and `U+FFFD` stands instead.
    pub replaced: u64,
    /// What a reader has to know about the encoding, in whole sentences.
    pub notes: Vec<String>,
}

/// The grounds for an encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reason {
    /// The file begins with a byte order mark.
    Mark,
    /// Every byte fits UTF-8.
    Valid,
    /// Zero bytes alternate as in UTF-16.
    Zeros,
    /// The frequencies of letters suggest it.
    Guess,
    /// The encoding of some lines; the others are UTF-8.
    Lines,
}

/// Decodes a whole file.
pub fn decode(bytes: &[u8]) -> Decoded {
    let DecidedEncoding {
        encoding,
        mark,
        reason,
    } = decide(bytes);
    let content = &bytes[mark.min(bytes.len())..];
    let mut notes = Vec::new();
    let decoded = if reason == Reason::Lines {
        notes.push(mixed_lines::note(content, encoding));
        Cow::Owned(mixed_lines::decode(content, encoding))
    } else {
        encoding.decode_without_bom_handling(content).0
    };
    let replaced = match std::str::from_utf8(content) {
        Ok(_) => 0,
        Err(_) => decoded.matches('\u{FFFD}').count() as u64,
    };
    if reason == Reason::Zeros {
        notes.push(format!(
            "The file has no byte order mark; it was read as {}, as every other byte of it is zero.",
            encoding.name()
        ));
    }
    if replaced > 0 {
        notes.push(format!(
            "{replaced} places do not fit {}, the encoding that was decided on, and hold U+FFFD.",
            encoding.name()
        ));
    }
    let (text, line_ends) = normalise(&decoded);
    Decoded {
        text,
        encoding: encoding.name().to_owned(),
        reason,
        line_ends,
        replaced,
        notes,
    }
}

/// The text that decoding would copy as it is: UTF-8 with `\n` at every line
/// end and no zero byte. `None` for any other file.
pub fn as_it_is(bytes: &[u8]) -> Option<&str> {
    let decided = decide(bytes);
    let content = bytes.get(decided.mark..)?;
    let plain = decided.encoding == UTF_8 && memchr::memchr2(b'\r', 0, content).is_none();
    std::str::from_utf8(content).ok().filter(|_| plain)
}

/// The encoding that a file is read in.
#[derive(Debug, Clone, Copy)]
pub struct DecidedEncoding {
    pub encoding: &'static Encoding,
    /// Bytes of its byte order mark.
    pub mark: usize,
    pub reason: Reason,
}

impl DecidedEncoding {
    fn without_mark(encoding: &'static Encoding, reason: Reason) -> Self {
        Self {
            encoding,
            mark: 0,
            reason,
        }
    }
}

/// The encoding of a file, told by its bytes.
pub fn decide(bytes: &[u8]) -> DecidedEncoding {
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        if encoding == UTF_8
            && let Some(older) = mixed_lines::older_encoding(&bytes[length..])
        {
            return DecidedEncoding {
                encoding: older,
                mark: length,
                reason: Reason::Lines,
            };
        }
        return DecidedEncoding {
            encoding,
            mark: length,
            reason: Reason::Mark,
        };
    }
    let sample = &bytes[..bytes.len().min(4096) & !1];
    let zeros = |parity: usize| {
        sample
            .iter()
            .skip(parity)
            .step_by(2)
            .filter(|byte| **byte == 0)
            .count()
    };
    let half = sample.len() / 2;
    // Zero bytes are valid UTF-8, so this is looked at first; arrays of small numbers hold control bytes.
    let letters = |parity: usize| {
        let bytes = sample.iter().skip(parity).step_by(2);
        bytes
            .clone()
            .all(|byte| matches!(byte, 0 | 9 | 10 | 13 | 27 | 32..))
    };
    if half > 1 && letters(0) && zeros(1) * 10 > half * 7 && zeros(0) * 10 < half {
        return DecidedEncoding::without_mark(UTF_16LE, Reason::Zeros);
    }
    if half > 1 && letters(1) && zeros(0) * 10 > half * 7 && zeros(1) * 10 < half {
        return DecidedEncoding::without_mark(UTF_16BE, Reason::Zeros);
    }
    // A sample may end inside a character, which is no error of the file's.
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
    };
    if valid {
        return DecidedEncoding::without_mark(UTF_8, Reason::Valid);
    }
    if let Some(older) = mixed_lines::older_encoding(bytes) {
        return DecidedEncoding::without_mark(older, Reason::Lines);
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Allow);
    // Below a handful of foreign bytes statistics say nothing, and study files are Western.
    let foreign = bytes.iter().filter(|byte| !byte.is_ascii()).count();
    let encoding = if foreign < 4 { WINDOWS_1252 } else { encoding };
    DecidedEncoding::without_mark(encoding, Reason::Guess)
}

/// Whether bytes are text in some encoding, rather than binary data.
pub fn looks_like_text(bytes: &[u8]) -> bool {
    let sample = &bytes[..bytes.len().min(64 << 10)];
    let encoding = decide(sample).encoding;
    if encoding == UTF_16LE || encoding == UTF_16BE {
        return true;
    }
    let odd = sample
        .iter()
        .filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127))
        .count();
    !sample.contains(&0) && odd * 100 <= sample.len()
}

fn normalise(text: &str) -> (String, LineEnds) {
    let mut ends = LineEnds::default();
    if !text.contains('\r') {
        ends.unix = text.bytes().filter(|byte| *byte == b'\n').count() as u64;
        return (text.to_owned(), ends);
    }
    let mut plain = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\r' if characters.peek() == Some(&'\n') => {
                characters.next();
                ends.windows += 1;
                plain.push('\n');
            }
            '\r' => {
                ends.old_mac += 1;
                plain.push('\n');
            }
            '\n' => {
                ends.unix += 1;
                plain.push('\n');
            }
            other => plain.push(other),
        }
    }
    (plain, ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_decision_is_recorded() {
        let marked = decode(b"\xef\xbb\xbfa\r\nb\rc\n");
        assert_eq!((marked.text.as_str(), marked.reason), ("a\nb\nc\n", Reason::Mark));
        assert_eq!(
            marked.line_ends,
            LineEnds {
                unix: 1,
                windows: 1,
                old_mac: 1
            }
        );
        let latin = decode(b"Universit\xe4t Z\xfcrich, K\xf6ln und M\xfcnchen\n");
        assert_eq!(latin.encoding, "windows-1252");
        assert_eq!(latin.text, "Universität Zürich, Köln und München\n");
        let wide = decode(b"\xff\xfea\0b\0");
        assert_eq!((wide.text.as_str(), wide.encoding.as_str()), ("ab", "UTF-16LE"));
    }

    #[test]
    fn text_is_taken_as_it_is_only_where_decoding_changes_nothing() {
        for same in ["", "a,b\n1,2\n", "\u{feff}Größe\n"] {
            assert_eq!(
                as_it_is(same.as_bytes()),
                Some(decode(same.as_bytes()).text.as_str())
            );
        }
        let others: [&[u8]; 5] = [
            b"a\r\nb",
            b"a\0",
            b"Gr\xf6\xdfe und \xfcber",
            b"\xff\xfea\0",
            b"\xef\xbb\xbf\xff",
        ];
        for other in others {
            assert_eq!(as_it_is(other), None, "{other:?}");
        }
    }

    #[test]
    fn text_cut_inside_a_character_is_text() {
        assert!(looks_like_text(&"Grüße".as_bytes()[..3]));
        assert!(!looks_like_text(b"ab\0cd"));
    }
}
