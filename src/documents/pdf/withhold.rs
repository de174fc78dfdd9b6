//! A copy of a PDF without what some of its pages hold.
//!
//! The pages stay, empty but for a line that says so, so that all others keep their numbers.

use lopdf::{Dictionary, Document, Error, LoadOptions, Object, Stream, dictionary};

use crate::documents::kind::Kind;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::pdf::read;
use crate::documents::sniff::sniff;

/// Most bytes that one compressed part of the file may unpack to.
const UNPACKED: usize = 64 << 20;
/// What an emptied page says.
pub const NOTICE: &str = "This page is withheld: it holds analysis code, and this run has data only.";
/// What of a page shows or repeats what it holds.
const SHOWN: [&str; 10] = [
    "Annots",
    "AA",
    "B",
    "Group",
    "LastModified",
    "Metadata",
    "PieceInfo",
    "StructParents",
    "Tabs",
    "Thumb",
];
/// What of the whole file repeats the text of pages, or holds further files.
const ELSEWHERE: [&str; 7] = [
    "StructTreeRoot",
    "MarkInfo",
    "Names",
    "AF",
    "Metadata",
    "PieceInfo",
    "AcroForm",
];

/// Copies a PDF with these pages emptied, counted from 1, and without attached files.
///
/// The crates beneath can panic, loop or ask for much memory on a hostile file: call this in a
/// helper process where the file is not trusted.
///
/// # Errors
/// A file that is no PDF, that has not these pages, that cannot be taken apart or written again,
/// or a copy in which an emptied page can still be read.
pub fn withhold(bytes: &[u8], pages: &[u32]) -> Result<Vec<u8>, ReadError> {
    let kind = sniff(bytes);
    if kind != Kind::Pdf {
        return Err(ReadError::Unsupported(format!(
            "{kind}, where only a PDF has pages"
        )));
    }
    let start = memchr::memmem::find(bytes, b"%PDF-").unwrap_or_default();
    let options = LoadOptions {
        max_decompressed_size: Some(UNPACKED),
        ..LoadOptions::default()
    };
    let bytes = bytes.get(start..).unwrap_or_default();
    let mut document = Document::load_mem_with_options(bytes, options).map_err(refusal)?;
    if document.trailer.has(b"Encrypt") || document.was_encrypted() {
        return Err(ReadError::Encrypted(
            "a password is needed to write it again".to_owned(),
        ));
    }
    emptied(&mut document, pages).map_err(refusal)?;
    let mut copy = Vec::new();
    document
        .save_to(&mut copy)
        .map_err(|error| refusal(Error::from(error)))?;
    verify(&copy, pages)?;
    Ok(copy)
}

fn emptied(document: &mut Document, pages: &[u32]) -> Result<(), Error> {
    let objects = document.get_pages();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Helvetica",
    });
    for number in pages {
        let object = *objects.get(number).ok_or(Error::PageNumberNotFound(*number))?;
        let text = format!("BT /F1 9 Tf 40 40 Td ({NOTICE}) Tj ET");
        let content = document.add_object(Stream::new(Dictionary::new(), text.into_bytes()));
        let page = document.get_object_mut(object)?.as_dict_mut()?;
        for key in SHOWN {
            page.remove(key.as_bytes());
        }
        page.set("Contents", content);
        page.set(
            "Resources",
            dictionary! { "Font" => dictionary! { "F1" => Object::Reference(font) } },
        );
    }
    let catalog = document.catalog_mut()?;
    for key in ELSEWHERE {
        catalog.remove(key.as_bytes());
    }
    // The old contents are still objects of the file, and could be found in it.
    document.prune_objects();
    Ok(())
}

/// Reads the copy again: what was taken away must be gone.
fn verify(copy: &[u8], pages: &[u32]) -> Result<(), ReadError> {
    let limits = Limits {
        recognise: false,
        pictures: 0,
        ..Limits::default()
    };
    let read = read::read(copy.to_vec(), &limits)?;
    let is_empty = |number: &u32| {
        let page = read.pages.iter().find(|page| page.number == *number);
        page.is_some_and(|page| {
            page.images == 0 && page.text.split_whitespace().eq(NOTICE.split_whitespace())
        })
    };
    match pages.iter().find(|number| !is_empty(number)) {
        None => Ok(()),
        Some(number) => Err(ReadError::Unsupported(format!(
            "page {number} can still be read in the copy"
        ))),
    }
}

fn refusal(error: Error) -> ReadError {
    ReadError::Damaged(format!("it cannot be taken apart: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A PDF with one page for each text, its lines below one another.
    fn pdf(texts: &[&str]) -> Vec<u8> {
        let mut document = Document::with_version("1.5");
        let pages = document.new_object_id();
        let font = document.add_object(dictionary! {
            "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier",
        });
        let kids: Vec<Object> = texts
            .iter()
            .map(|text| {
                let mut content = "BT /F1 10 Tf 12 TL 50 700 Td\n".to_owned();
                for line in text.lines() {
                    let line = line.replace('\\', "\\\\").replace('(', "\\(").replace(')', "\\)");
                    content.push_str(&format!("({line}) Tj T*\n"));
                }
                content.push_str("ET");
                let stream = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
                let page = document.add_object(dictionary! {
                    "Type" => "Page", "Parent" => pages, "Contents" => stream,
                });
                Object::Reference(page)
            })
            .collect();
        let count = i64::try_from(kids.len()).unwrap();
        document.objects.insert(
            pages,
            Object::Dictionary(dictionary! {
                "Type" => "Pages", "Kids" => kids, "Count" => count,
                "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
                "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
            }),
        );
        let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
        document.trailer.set("Root", catalog);
        let mut bytes = Vec::new();
        document.save_to(&mut bytes).unwrap();
        bytes
    }

    #[test]
    fn a_page_is_emptied_and_the_others_keep_their_numbers() {
        let script =
            "library(lme4)\nsecret <- read.csv(\"d.csv\")\nm <- lm(y ~ x, data = secret)\nsummary(m)";
        let whole = pdf(&["One", script, "Three"]);
        let read = |bytes: &[u8]| read::read(bytes.to_vec(), &Limits::default()).unwrap().pages;
        assert_eq!(crate::documents::code_text::pages_with_code(&read(&whole)), [2]);
        let copy = withhold(&whole, &[2]).unwrap();
        let pages = read(&copy);
        assert_eq!((pages.len(), pages[2].text.trim()), (3, "Three"));
        assert!(pages[1].text.contains("withheld"), "{}", pages[1].text);
        assert!(memchr::memmem::find(&copy, b"secret").is_none());
        assert!(withhold(&whole, &[9]).is_err() && withhold(b"no pdf", &[1]).is_err());
    }
}
