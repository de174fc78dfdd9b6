//! The one entry: any file of a study folder, dispatched on its content.

use std::io::Read;

use crate::documents::capped::capped;
use crate::documents::decompressed::decompressed;
use crate::documents::document::Document;
use crate::documents::kind::Kind;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::sniff::{delimiter_below_titles, sniff};
#[cfg(feature = "columnar")]
use crate::documents::table::columnar;
#[cfg(feature = "sas")]
use crate::documents::table::sas;
use crate::documents::table::{delimited, dta, json, r, sav, sheet};
use crate::documents::{docx, html, notebook, pdf, text};

/// Reads a file in this process.
///
/// The name settles only what content cannot: a file of one column is a table
/// if it is called `.csv`. Files that are not trusted belong into
/// [`Helper::read`](crate::documents::helper::Helper::read), which bounds
/// memory and time from outside.
///
/// # Errors
/// A damaged or encrypted file, one of a kind that is not read, or one larger than the limits.
pub fn read(name: &str, bytes: &[u8], limits: &Limits) -> Result<Document, ReadError> {
    let kind = sniff(bytes);
    let Some(content) = unpacked(bytes, &kind, limits)? else {
        return read_content(name, bytes, kind, limits);
    };
    let inner = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let mut document = read_content(inner, &content, sniff(&content), limits)?;
    document
        .notes
        .push(format!("The file is {kind}; this is what it unpacks to."));
    Ok(document)
}

/// The content of a file that is compressed as a whole; `None` for any other file.
fn unpacked(bytes: &[u8], kind: &Kind, limits: &Limits) -> Result<Option<Vec<u8>>, ReadError> {
    let is_packed = matches!(kind, Kind::Gzip | Kind::Bzip2 | Kind::Xz);
    let Some(reader) = decompressed(bytes).filter(|_| is_packed) else {
        return Ok(None);
    };
    let most = limits.memory / 4;
    let mut content = Vec::new();
    reader
        .take(most.saturating_add(1))
        .read_to_end(&mut content)
        .map_err(|error| ReadError::Damaged(format!("it cannot be decompressed: {error}")))?;
    if content.len() as u64 > most {
        return Err(ReadError::TooBig(limits.memory >> 20));
    }
    Ok(Some(content))
}

fn read_content(name: &str, bytes: &[u8], kind: Kind, limits: &Limits) -> Result<Document, ReadError> {
    let kind = match (kind, extension(name).as_str()) {
        (Kind::Text, "csv") => Kind::Delimited(delimiter_below_titles(bytes).unwrap_or(b',')),
        (Kind::Text, "tsv" | "tab") => Kind::Delimited(b'\t'),
        (kind, _) => kind,
    };
    let mut document = Document::new(kind.clone());
    match &kind {
        Kind::Pdf => {
            let pdf = pdf::read::read(bytes.to_vec(), limits)?;
            document.pages = pdf.pages;
            document.properties = pdf.properties;
            document.pictures = pdf.pictures;
            document.notes = pdf.notes;
        }
        Kind::Docx => docx::read::read(bytes, limits, &mut document)?,
        Kind::Html => html::read(bytes, limits, &mut document)?,
        Kind::Notebook => notebook::read(bytes, limits, &mut document)?,
        Kind::Text => plain(bytes, limits, &mut document),
        Kind::Json | Kind::JsonLines => {
            document
                .tables
                .extend(json::read(bytes, kind == Kind::JsonLines, limits)?);
            plain(bytes, limits, &mut document);
        }
        Kind::Delimited(delimiter) => {
            document.encoding = Some(text::decide(bytes).encoding.name().to_owned());
            document.tables.push(delimited::read(bytes, *delimiter, limits)?);
        }
        Kind::Dta(_) => document.tables.push(dta::read::read(bytes, limits)?),
        Kind::Sav | Kind::Zsav => document.tables.push(sav::read::read(bytes, limits)?),
        Kind::Rds | Kind::RData => (document.tables, document.notes) = r::read::read(bytes, limits)?,
        Kind::Xlsx | Kind::Xls | Kind::Ods => document.tables = sheet::read(bytes, &kind, limits)?,
        #[cfg(feature = "columnar")]
        Kind::Parquet | Kind::Arrow => {
            let table = columnar::read(bytes.to_vec(), &kind, limits)?;
            document.tables.push(table);
        }
        #[cfg(not(feature = "columnar"))]
        Kind::Parquet | Kind::Arrow => return Err(left_out(&kind, "columnar", "pyarrow")),
        #[cfg(feature = "sas")]
        Kind::Sas7bdat => document.tables.push(sas::read(bytes.to_vec(), limits)?),
        #[cfg(not(feature = "sas"))]
        Kind::Sas7bdat => return Err(left_out(&kind, "sas", "pyreadstat")),
        kind => {
            return Err(ReadError::NotReadable {
                what: kind.advice(),
                kind: kind.clone(),
            });
        }
    }
    for table in &mut document.tables {
        document.notes.append(&mut table.notes.clone());
    }
    Ok(document)
}

/// The error for a format whose reader was not compiled in.
#[cfg(not(all(feature = "columnar", feature = "sas")))]
fn left_out(kind: &Kind, feature: &str, python: &str) -> ReadError {
    ReadError::Unsupported(format!(
        "{kind}, which this program reads itself when it is built with its feature `{feature}` \
         (`cargo build --release --features {feature}`); the code of an analysis can open it with {python}"
    ))
}

fn plain(bytes: &[u8], limits: &Limits, document: &mut Document) {
    let decoded = text::decode(bytes);
    document.encoding = Some(decoded.encoding.clone());
    document.notes.extend(decoded.notes);
    document.text = capped(decoded.text, limits, &mut document.notes);
}

fn extension(name: &str) -> String {
    let last = name.rsplit(['/', '\\']).next().unwrap_or_default();
    last.rsplit_once('.')
        .map(|(_, extension)| extension.to_ascii_lowercase())
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn compressed_tables_are_read_and_pointers_are_refused_with_advice() {
        let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        packed.write_all(b"a,b\n1,2\n").unwrap();
        let document = read("x.csv.gz", &packed.finish().unwrap(), &Limits::default()).unwrap();
        assert_eq!(
            (document.kind, document.tables[0].rows),
            (Kind::Delimited(b','), 1)
        );
        let pointer = b"version https://git-lfs.github.com/spec/v1\noid sha256:ab\nsize 12\n";
        let refused = read("data.csv", pointer, &Limits::default())
            .unwrap_err()
            .to_string();
        assert!(
            refused.contains("12 bytes") && refused.contains("git lfs pull"),
            "{refused}"
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4_000))]

        /// Whatever follows the first bytes of a format that is read by code of our own.
        #[test]
        fn any_bytes_end_in_an_answer_or_an_error(
            first in 0_usize..12, bytes in proptest::collection::vec(any::<u8>(), 0..600)
        ) {
            let heads: [&[u8]; 12] = [
                b"", b"a,b\n1,", b"a;b\n", b"{\"a\": ", b"[{\"a\":1}", b"X\n\0\0\0\x02\0\x03\x06\0\0\x02\x03\0", b"RDX2\nX\n",
                b"$FL2@(#) SPSS DATA FILE", b"\x72\x02\x01\0\x02\0\x05\0\0\0", b"<stata_dta><header><release>118</release>",
                b"MATLAB 5.0 MAT-file", b"<!doctype html><html><body><table>",
            ];
            let limits = Limits { memory: 64 << 20, ..Limits::default() };
            match read("file.csv", &[heads[first], &bytes].concat(), &limits) {
                Ok(document) => for table in &document.tables {
                    for column in &table.columns {
                        prop_assert_eq!(column.values.len(), table.rows, "{} of {}", column.name, table.name);
                    }
                },
                Err(error) => prop_assert!(!error.to_string().is_empty()),
            }
        }
    }

    #[test]
    fn a_vector_longer_than_any_memory_is_refused_before_it_is_read() {
        // Integers, 2 to the power of 62 of them: four times as many bytes are none.
        let vector = b"X\n\0\0\0\x02\0\x03\x06\0\0\x02\x03\0\0\0\0\x0d\xFF\xFF\xFF\xFF\x40\0\0\0\0\0\0\0";
        assert_eq!(
            read("a.rds", vector, &Limits::default()),
            Err(ReadError::TooBig(1024))
        );
    }

    #[test]
    fn the_name_settles_only_what_content_cannot() {
        let one_column = b"x\n1\n2\n";
        assert_eq!(
            read("a.csv", one_column, &Limits::default())
                .unwrap()
                .tables
                .len(),
            1
        );
        assert!(
            read("a.txt", one_column, &Limits::default())
                .unwrap()
                .tables
                .is_empty()
        );
        assert_eq!(
            read("a.csv", b"<html><body>403</body></html>", &Limits::default())
                .unwrap()
                .kind,
            Kind::Html
        );
    }
}
