//! Recognises a format from the first bytes of a file, and a little of the rest.

use std::io::Read;

use crate::documents::decompressed::decompressed;
use crate::documents::kind::Kind;
use crate::documents::table::guess;
use crate::documents::table::number;
use crate::documents::table::records::{BLANKS, Records};
use crate::documents::text;
use crate::domain::excerpt;

/// Bytes of decompressed content that are looked at.
const PEEK: u64 = 4096;
/// Bytes of text that are looked at for delimiters and markup.
const SAMPLE: usize = 64 << 10;

/// Formats that begin with fixed bytes.
const MAGIC: &[(&[u8], Kind)] = &[
    (b"\x89PNG\r\n\x1a\n", Kind::Png),
    (b"\xff\xd8\xff", Kind::Jpeg),
    (b"GIF87a", Kind::Gif),
    (b"GIF89a", Kind::Gif),
    (b"II*\0", Kind::Tiff),
    (b"MM\0*", Kind::Tiff),
    (b"\x89HDF\r\n\x1a\n", Kind::Hdf5),
    (b"PAR1", Kind::Parquet),
    (b"ARROW1\0\0", Kind::Arrow),
    (b"FEA1", Kind::Feather),
    (b"$FL2", Kind::Sav),
    (b"$FL3", Kind::Zsav),
    (b"HEADER RECORD*******LIBRARY HEADER RECORD!!!!!!!", Kind::Xport),
    (b"HEADER RECORD*******LIBV8   HEADER RECORD!!!!!!!", Kind::Xport),
    (b"\xfd7zXZ\0", Kind::Xz),
    (b"BZh", Kind::Bzip2),
    (b"\x28\xb5\x2f\xfd", Kind::Zstd),
    (b"7z\xbc\xaf\x27\x1c", Kind::SevenZip),
    (b"SQLite format 3\0", Kind::Sqlite),
    (b"\x7fELF", Kind::Executable),
    (b"MZ\x90\0", Kind::Executable),
    (b"\xcf\xfa\xed\xfe", Kind::Executable),
    (b"MATLAB 5.0 MAT-file", Kind::Mat),
];

/// The magic number of SAS data files, from byte 12 (`sas7bdat` format notes, Shotwell 2013).
const SAS: [u8; 20] = [
    0xc2, 0xea, 0x81, 0x60, 0xb3, 0x14, 0x11, 0xcf, 0xbd, 0x92, 0x08, 0x00, 0x09, 0xc7, 0x31, 0x8c, 0x18,
    0x1f, 0x10, 0x11,
];

/// The kind of a file with this content.
pub fn sniff(bytes: &[u8]) -> Kind {
    if bytes.is_empty() {
        return Kind::Empty;
    }
    if let Some((_, kind)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic)) {
        return match kind {
            Kind::Bzip2 | Kind::Xz => compressed(bytes, kind),
            kind => kind.clone(),
        };
    }
    if bytes.starts_with(b"\x1f\x8b") {
        return compressed(bytes, &Kind::Gzip);
    }
    if bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06") {
        return zip(bytes);
    }
    if bytes.starts_with(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1") {
        let names = |name: &str| {
            contains(
                bytes,
                &name.bytes().flat_map(|byte| [byte, 0]).collect::<Vec<_>>(),
            )
        };
        return if names("Workbook") || names("Book") {
            Kind::Xls
        } else {
            Kind::Binary
        };
    }
    if bytes.get(12..32) == Some(&SAS) {
        return Kind::Sas7bdat;
    }
    if bytes.get(257..262) == Some(b"ustar") {
        return Kind::Tar;
    }
    let head = &bytes[..bytes.len().min(1100)];
    if head.starts_with(b"%PDF-") || contains(&head[..head.len().min(1024)], b"%PDF-") {
        return Kind::Pdf;
    }
    stata(bytes)
        .or_else(|| serialised(bytes))
        .or_else(|| portable(head))
        .or_else(|| matlab_4(bytes))
        .unwrap_or_else(|| textual(bytes))
}

/// Stata: `<stata_dta>` with its release, or the older numeric header.
fn stata(bytes: &[u8]) -> Option<Kind> {
    if let Some(rest) = bytes.strip_prefix(b"<stata_dta><header><release>") {
        let digits = std::str::from_utf8(rest.get(..3)?).ok()?;
        return digits.parse().ok().map(Kind::Dta);
    }
    let [release, order, kind, unused] = *bytes.first_chunk::<4>()?;
    let old = matches!(release, 102..=105 | 108 | 110..=115);
    (old && matches!(order, 1 | 2) && kind == 1 && (unused == 0 || release < 105))
        .then(|| Kind::Dta(release.into()))
}

/// R's serialisation, with or without the header of a workspace.
fn serialised(bytes: &[u8]) -> Option<Kind> {
    const WORKSPACE: [&[u8]; 4] = [b"RDX2\n", b"RDX3\n", b"RDA2\n", b"RDA3\n"];
    if WORKSPACE.iter().any(|magic| bytes.starts_with(magic)) {
        return Some(Kind::RData);
    }
    let binary = bytes.starts_with(b"X\n\0\0\0") || bytes.starts_with(b"B\n");
    let ascii = bytes.starts_with(b"A\n2\n") || bytes.starts_with(b"A\n3\n");
    (binary || ascii).then_some(Kind::Rds)
}

/// SPSS portable files say so in ASCII somewhere in their first 200 bytes of splash text.
fn portable(head: &[u8]) -> Option<Kind> {
    let plain: Vec<u8> = head
        .iter()
        .copied()
        .filter(|byte| !matches!(byte, b'\r' | b'\n'))
        .collect();
    let splash = plain.get(..200)?;
    (contains(splash, b"ASCII SPSS PORT FILE") && plain.get(456..464) == Some(b"SPSSPORT"))
        .then_some(Kind::Por)
}

/// MATLAB 4 has no magic: a little-endian type code, sane sizes and a name that ends in NUL.
fn matlab_4(bytes: &[u8]) -> Option<Kind> {
    let word = |at: usize| Some(u32::from_le_bytes(*bytes.get(at..at + 4)?.first_chunk()?));
    let (kind, rows, columns, imaginary, name) = (word(0)?, word(4)?, word(8)?, word(12)?, word(16)?);
    let fits = kind <= 52 && rows < 1 << 28 && columns < 1 << 28 && imaginary <= 1 && (2..64).contains(&name);
    let name = bytes.get(20..20 + name as usize).filter(|_| fits)?;
    let (last, letters) = name.split_last()?;
    (*last == 0
        && letters
            .iter()
            .all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_'))
    .then_some(Kind::Mat)
}

/// Looks inside compressed content for R's serialisation and for tar.
fn compressed(bytes: &[u8], outer: &Kind) -> Kind {
    let mut inner = Vec::new();
    if let Some(content) = decompressed(bytes) {
        let _ = content.take(PEEK).read_to_end(&mut inner);
    }
    match serialised(&inner) {
        Some(kind) => kind,
        None => outer.clone(),
    }
}

/// Tells office formats from other archives by the names of their members.
fn zip(bytes: &[u8]) -> Kind {
    // The names stand uncompressed in the headers and in the directory at the end.
    let head = &bytes[..bytes.len().min(SAMPLE)];
    let tail = &bytes[bytes.len().saturating_sub(4 * SAMPLE)..];
    let has = |name: &[u8]| contains(head, name) || contains(tail, name);
    if has(b"mimetypeapplication/vnd.oasis.opendocument.spreadsheet") {
        Kind::Ods
    } else if has(b"mimetypeapplication/vnd.oasis.opendocument.text") {
        Kind::Odt
    } else if has(b"word/document.xml") {
        Kind::Docx
    } else if has(b"xl/workbook.xml") || has(b"xl/workbook.bin") {
        Kind::Xlsx
    } else if has(b"ppt/presentation.xml") {
        Kind::Pptx
    } else {
        Kind::Zip
    }
}

fn textual(bytes: &[u8]) -> Kind {
    if let Some(pointer) = lfs_pointer(bytes).or_else(|| annex_pointer(bytes)) {
        return pointer;
    }
    if !text::looks_like_text(bytes) {
        return with_few_zeros(bytes).unwrap_or(Kind::Binary);
    }
    let sample = text::decode(&bytes[..bytes.len().min(SAMPLE)]).text;
    let start = sample.trim_start();
    let lower = excerpt::start(start, 2048).to_ascii_lowercase();
    let markup = ["<!doctype html", "<html", "<head", "<body"]
        .iter()
        .any(|tag| lower.starts_with(tag))
        || (lower.starts_with('<') && lower.contains("<html"));
    if markup {
        return Kind::Html;
    }
    if let Some(code) = server_error(start) {
        return Kind::ServerError { code };
    }
    if start.starts_with(['{', '['])
        && let Some(kind) = json(bytes, start)
    {
        return kind;
    }
    delimiter(&sample).map_or(Kind::Text, Kind::Delimited)
}

fn json(bytes: &[u8], start: &str) -> Option<Kind> {
    let first = start.lines().next()?;
    let whole = |text: &str| serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let lines = start
        .lines()
        .filter(|line| !line.trim().is_empty())
        .take(3)
        .collect::<Vec<_>>();
    if lines.len() > 1 && first.starts_with('{') && lines[..lines.len() - 1].iter().all(|line| whole(line)) {
        return Some(Kind::JsonLines);
    }
    let document = text::decode(bytes).text;
    if !whole(&document) {
        return None;
    }
    let notebook = document.contains("\"nbformat\"") && document.contains("\"cells\"");
    Some(if notebook { Kind::Notebook } else { Kind::Json })
}

/// A Git LFS pointer, version 1 (git-lfs specification, "The Pointer").
fn lfs_pointer(bytes: &[u8]) -> Option<Kind> {
    let bytes = without_mark(bytes);
    if bytes.len() > 1024 || !bytes.starts_with(b"version https://git-lfs.github.com/spec/v1") {
        return None;
    }
    let text = std::str::from_utf8(bytes).ok()?;
    let value = |key: &str| {
        text.lines()
            .find_map(|line| line.strip_prefix(key))
            .map(str::trim)
    };
    Some(Kind::LfsPointer {
        oid: value("oid sha256:")?.to_owned(),
        size: value("size ")?.parse().ok()?,
    })
}

/// The text behind a byte order mark and blanks.
fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes
        .strip_prefix(b"\xef\xbb\xbf")
        .unwrap_or(bytes)
        .trim_ascii_start()
}

/// A git-annex pointer file, or the target of one of its links (git-annex, "pointer file").
fn annex_pointer(bytes: &[u8]) -> Option<Kind> {
    let text = std::str::from_utf8(without_mark(bytes)).ok()?;
    let line = text.lines().next().filter(|_| text.len() <= 4096)?.trim_end();
    let (before, key) = line.split_once("annex/objects/")?;
    let folders = before
        .strip_suffix(".git/")
        .unwrap_or(before)
        .trim_end_matches("../");
    (matches!(folders, "" | "/") && !key.contains(char::is_whitespace)).then(|| Kind::AnnexPointer {
        key: key.rsplit('/').next().unwrap_or(key).to_owned(),
    })
}

/// The code of an error as S3 and the stores like it write one.
fn server_error(start: &str) -> Option<String> {
    let head = excerpt::start(start, 2048);
    let error = head.find("<Error>").filter(|_| head.starts_with('<'))?;
    let code = head[error..].split_once("<Code>")?.1.split_once("</Code>")?.0;
    Some(excerpt::start(code, 60).to_owned())
}

/// Delimited text in which single zero bytes stand.
fn with_few_zeros(bytes: &[u8]) -> Option<Kind> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let rest: Vec<u8> = sample.iter().copied().filter(|byte| *byte != 0).collect();
    let few = sample.len() - rest.len() <= 1 + sample.len() / 1000;
    if !few || !text::looks_like_text(&rest) {
        return None;
    }
    delimiter(&text::decode(&rest).text).map(Kind::Delimited)
}

/// The delimiter that splits the first lines into the same number of fields, if one does.
fn delimiter(sample: &str) -> Option<u8> {
    let sample = below_comments(sample);
    let mut best = None;
    for candidate in [b'\t', b';', b',', b'|'] {
        let counts = field_counts(sample, candidate);
        let Some(&first) = counts.first().filter(|first| **first > 1) else {
            continue;
        };
        let even = counts.iter().filter(|count| **count == first).count();
        if counts.len() < 2 || even * 10 < counts.len() * 9 {
            continue;
        }
        if best.is_none_or(|(_, fields)| first > fields) {
            best = Some((candidate, first));
        }
    }
    best.map(|(delimiter, _)| delimiter)
        .or_else(|| in_blanks(sample).then_some(BLANKS))
}

/// The text after lines that open with a comment's sign, and after Excel's `sep=;`.
fn below_comments(sample: &str) -> &str {
    let mut rest = sample;
    while let Some((line, after)) = rest.split_once('\n') {
        let is_aside = line.starts_with(['#', '%'])
            || line.trim().is_empty()
            || excerpt::start(line, 4).eq_ignore_ascii_case("sep=");
        // A line of names may open with a comment's sign, too.
        if !is_aside || after.trim().is_empty() {
            break;
        }
        rest = after;
    }
    rest
}

/// The delimiter of a file that is named as a table and has lines of titles above it.
pub fn delimiter_below_titles(bytes: &[u8]) -> Option<u8> {
    let sample = text::decode(&bytes[..bytes.len().min(SAMPLE)]).text;
    let fields = |candidate: u8| -> Option<usize> {
        let counts = field_counts(below_comments(&sample), candidate);
        let mut sorted: Vec<usize> = counts.iter().copied().filter(|count| *count > 1).collect();
        sorted.sort_unstable();
        let runs = sorted.chunk_by(|one, next| one == next);
        let most = runs.max_by_key(|run| run.len()).filter(|run| run.len() > 1)?;
        (most.len() * 2 > counts.len()).then_some(most[0])
    };
    [b'\t', b';', b',', b'|']
        .into_iter()
        .filter_map(|candidate| Some((fields(candidate)?, candidate)))
        .max_by_key(|(fields, _)| *fields)
        .map(|(_, candidate)| candidate)
}

/// Whether blanks part every line into the same number of fields, most of them numbers.
fn in_blanks(sample: &str) -> bool {
    let mut records = Records::new(sample, BLANKS);
    let mut fields = Vec::new();
    let mut rows: Vec<(usize, usize)> = Vec::new();
    while rows.len() < 200 && records.read(&mut fields).is_some() {
        let numbers = fields
            .iter()
            .filter(|field| number::plain(field).is_some() || guess::is_missing(field));
        rows.push((numbers.count(), fields.len()));
    }
    if sample.len() >= SAMPLE / 2 && rows.len() < 200 {
        rows.pop();
    }
    let [(first_numbers, first), body @ ..] = &rows[..] else {
        return false;
    };
    let Some((_, width)) = body.first() else {
        return false;
    };
    let named = first_numbers < first;
    *width > 1
        && (*first == *width || *first + 1 == *width)
        && body.len() >= if named { 2 } else { 1 }
        && body
            .iter()
            .all(|(numbers, fields)| fields == width && 2 * numbers >= *fields)
}

/// Fields of each of the first complete records, with quotes respected.
fn field_counts(sample: &str, delimiter: u8) -> Vec<usize> {
    let mut reader = csv::ReaderBuilder::new()
        .delimiter(delimiter)
        .flexible(true)
        .has_headers(false)
        .from_reader(sample.as_bytes());
    let whole = sample.len() < SAMPLE / 2;
    let mut counts: Vec<usize> = reader
        .byte_records()
        .take(200)
        .map_while(Result::ok)
        .map(|row| row.len())
        .collect();
    if !whole && counts.len() < 200 {
        counts.pop();
    }
    counts
}

/// Whether the bytes hold the sought ones.
pub fn contains(bytes: &[u8], sought: &[u8]) -> bool {
    bytes.windows(sought.len()).any(|window| window == sought)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn content_decides() {
        assert_eq!(sniff(b""), Kind::Empty);
        let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n";
        assert_eq!(
            sniff(pointer.as_bytes()),
            Kind::LfsPointer {
                oid: "ab".into(),
                size: 12
            }
        );
        assert_eq!(sniff(b"  <!DOCTYPE html><title>403</title>"), Kind::Html);
        assert_eq!(sniff(b"a,b\n1,2\n3,4\n"), Kind::Delimited(b','));
        assert_eq!(sniff("a;b\r\n1,5;2,5\r\n".as_bytes()), Kind::Delimited(b';'));
        assert_eq!(sniff(b"Dear Sir, or Madam,\nI write, as you know.\n"), Kind::Text);
        assert_eq!(sniff(b"{\"a\": 1}\n{\"a\": 2}\n"), Kind::JsonLines);
        assert_eq!(sniff(b"{\"cells\": [], \"nbformat\": 4}"), Kind::Notebook);
        assert_eq!(sniff(b"\x73\x02\x01\0"), Kind::Dta(115));
        assert_eq!(sniff(b"a b  c\n1 2 3\n4  5 6\n"), Kind::Delimited(b' '));
        assert_eq!(sniff(b" 1   2.5\n 14  3.5\n"), Kind::Delimited(b' '));
        assert_eq!(sniff(b"We met\nat 5\nor so\n"), Kind::Text);
        assert_eq!(sniff(b"a,b\n1,2\0\n3,4\n"), Kind::Delimited(b','));
        let wide: Vec<u8> = "id,x\n1,2\n".encode_utf16().flat_map(u16::to_be_bytes).collect();
        assert_eq!(sniff(&wide), Kind::Delimited(b','));
        let small: Vec<u8> = [1u16, 2, 3, 4, 5, 6]
            .iter()
            .flat_map(|word| word.to_le_bytes())
            .collect();
        assert_eq!(sniff(&small), Kind::Binary);
        assert_eq!(sniff(b"\0\x01\x02\xff\xfe\x80\0\0\0\x13"), Kind::Binary);
    }

    #[test]
    fn what_stands_in_the_place_of_data_is_told() {
        let pointer = b"\xef\xbb\xbfversion https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n";
        assert!(matches!(sniff(pointer), Kind::LfsPointer { size: 12, .. }));
        for link in [
            "../../.git/annex/objects/ab/cd/SHA256E-s9--a.csv/SHA256E-s9--a.csv",
            "/annex/objects/SHA256E-s9--a.csv\n",
        ] {
            assert_eq!(
                sniff(link.as_bytes()),
                Kind::AnnexPointer {
                    key: "SHA256E-s9--a.csv".into()
                }
            );
        }
        let denied =
            b"<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>No</Message></Error>";
        assert_eq!(
            sniff(denied),
            Kind::ServerError {
                code: "AccessDenied".into()
            }
        );
    }

    #[test]
    fn quoted_line_ends_do_not_hide_a_table() {
        assert_eq!(
            sniff(b"id,said\n1,\"one\ntwo, three\"\n2,\"x\"\n"),
            Kind::Delimited(b',')
        );
    }
}
