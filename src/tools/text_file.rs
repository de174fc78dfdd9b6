//! Bytes of a file as text, and back in the same encoding.

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};

/// Text, and what has to be kept to write it back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextFile {
    pub text: String,
    pub encoding: &'static Encoding,
    /// Whether a byte order mark came first.
    pub mark: bool,
}

/// The kind of a file that is no text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotText(pub &'static str);

const MAGIC: [(&[u8], &str); 15] = [
    (b"%PDF-", "a PDF document"),
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a zip archive (or an Office document)"),
    (b"\x1f\x8b", "gzip data (or an R data file)"),
    (b"BZh", "bzip2 data"),
    (b"\xfd7zXZ", "xz data"),
    (b"\xd0\xcf\x11\xe0", "an old Office document"),
    (b"$FL2", "an SPSS data file"),
    (b"$FL3", "a compressed SPSS data file"),
    (b"<stata_dta>", "a Stata data file"),
    (b"PAR1", "a Parquet file"),
    (b"\x7fELF", "a program"),
    (b"SQLite format 3", "an SQLite database"),
];

/// The first line of a file that Git LFS has not fetched.
const LFS: &[u8] = b"version https://git-lfs.github.com/spec/v1";

/// The real size in bytes, where `bytes` are a Git LFS pointer.
pub fn lfs_size(bytes: &[u8]) -> Option<u64> {
    if !bytes.starts_with(LFS) || bytes.len() > 1024 {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    text.lines()
        .find_map(|line| line.strip_prefix("size "))?
        .trim()
        .parse()
        .ok()
}

/// Reads text in the encoding that its bytes suggest: a byte order mark, UTF-8,
/// else the most likely one.
///
/// # Errors
/// Bytes of a known binary format, or with zeros among them.
pub fn decode(bytes: &[u8]) -> Result<TextFile, NotText> {
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return Err(NotText(kind));
    }
    if let Some((encoding, length)) = Encoding::for_bom(bytes) {
        let (text, _) = encoding.decode_without_bom_handling(&bytes[length..]);
        return Ok(TextFile {
            text: text.into_owned(),
            encoding,
            mark: true,
        });
    }
    if bytes.contains(&0) {
        return Err(NotText("binary data (it holds NUL bytes)"));
    }
    if let Ok(text) = std::str::from_utf8(bytes) {
        return Ok(TextFile {
            text: text.to_owned(),
            encoding: UTF_8,
            mark: false,
        });
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes, true);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    Ok(TextFile {
        text: text.into_owned(),
        encoding,
        mark: false,
    })
}

/// Writes `text` in the encoding of `like`; `None` where that cannot hold it.
pub fn encode(text: &str, like: &TextFile) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    if like.encoding == UTF_16LE || like.encoding == UTF_16BE {
        let order = |unit: u16| {
            if like.encoding == UTF_16LE {
                unit.to_le_bytes()
            } else {
                unit.to_be_bytes()
            }
        };
        let mark = like.mark.then_some(0xFEFF);
        bytes.extend(mark.into_iter().chain(text.encode_utf16()).flat_map(order));
        return Some(bytes);
    }
    if like.mark {
        bytes.extend("\u{feff}".as_bytes());
    }
    let (encoded, _, lossy) = like.encoding.encode(text);
    bytes.extend(encoded.iter());
    (!lossy).then_some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_comes_back_in_its_encoding() {
        for bytes in [
            b"plain\r\n".to_vec(),
            "Zürich – ok".as_bytes().to_vec(),
            b"\xef\xbb\xbfmarked".to_vec(),
            b"Die Gr\xf6\xdfe der Stra\xdfe in M\xfcnchen".to_vec(),
            b"\xff\xfea\0b\0".to_vec(),
            b"\xfe\xff\0a\0b".to_vec(),
        ] {
            let file = decode(&bytes).unwrap();
            assert_eq!(encode(&file.text, &file), Some(bytes), "{file:?}");
        }
        let latin = decode(b"Die Gr\xf6\xdfe der Stra\xdfe in M\xfcnchen").unwrap();
        assert_eq!(latin.text, "Die Größe der Straße in München");
        assert_eq!(encode("日", &latin), None);
    }

    #[test]
    fn what_is_no_text_is_named() {
        assert_eq!(decode(b"a\0b").unwrap_err().0, "binary data (it holds NUL bytes)");
        assert_eq!(decode(b"\x89PNG\r\n").unwrap_err().0, "a PNG image");
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 123456789\n";
        assert_eq!(lfs_size(pointer), Some(123_456_789));
        assert_eq!(lfs_size(b"version 1"), None);
    }
}
