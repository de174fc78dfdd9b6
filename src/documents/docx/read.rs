//! From the bytes of a `.docx` to Markdown.

use std::collections::HashMap;
use std::io::{Cursor, Read};

use zip::ZipArchive;

use crate::documents::document::Document;

use crate::documents::capped::capped;
use crate::documents::docx::body::DocxBody;
use crate::documents::docx::tree::{self, Element};
use crate::documents::limits::{Limits, ReadError};
use crate::documents::text;
use crate::documents::zip_size;

/// Reads the body, then the notes; tracked changes are read as accepted, and counted.
///
/// # Errors
/// A damaged archive, one without a document, or one that unpacks to more than the limit.
pub fn read(bytes: &[u8], limits: &Limits, document: &mut Document) -> Result<(), ReadError> {
    zip_size::check(bytes, limits)?;
    let mut archive = ZipArchive::new(Cursor::new(bytes))
        .map_err(|error| ReadError::Damaged(format!("its ZIP directory cannot be read: {error}")))?;
    let main = part(&mut archive, "word/document.xml", limits)?
        .ok_or_else(|| ReadError::Damaged("the archive holds no word/document.xml".to_owned()))?;
    let mut body = DocxBody::new(match part(&mut archive, "word/styles.xml", limits) {
        Ok(Some(styles)) => headings(&styles),
        _ => HashMap::new(),
    });
    body.blocks(&main);
    for (name, prefix) in [("word/footnotes.xml", ""), ("word/endnotes.xml", "e")] {
        if let Ok(Some(notes)) = part(&mut archive, name, limits) {
            for note in notes.elements().flat_map(Element::elements) {
                // Notes with a type are the lines between text and notes.
                if note.attribute("type").is_some_and(|kind| kind != "normal") {
                    continue;
                }
                let mut inner = DocxBody::default();
                inner.blocks(note);
                let id = note.attribute("id").unwrap_or_default();
                body.blocks
                    .push(format!("[^{prefix}{id}]: {}", inner.blocks.join(" ")));
            }
        }
    }
    let mut note = |count: u32, text: &str| {
        if count > 0 {
            document.notes.push(format!("{count} {text}"));
        }
    };
    note(body.insertions, "tracked insertions are read as accepted.");
    note(body.deletions, "tracked deletions are left out.");
    note(body.comments, "comments are not shown.");
    note(body.pictures, "pictures are not shown.");
    document.text = capped(body.blocks.join("\n\n") + "\n", limits, &mut document.notes);
    Ok(())
}

fn part(
    archive: &mut ZipArchive<Cursor<&[u8]>>,
    name: &str,
    limits: &Limits,
) -> Result<Option<Element>, ReadError> {
    let Ok(member) = archive.by_name(name) else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    member
        .take(limits.memory / 8)
        .read_to_end(&mut bytes)
        .map_err(|error| ReadError::Damaged(format!("`{name}` cannot be unpacked: {error}")))?;
    tree::parse(&text::decode(&bytes).text).map(Some)
}

/// Heading levels by style id, through the names that every language of Word keeps.
fn headings(styles: &Element) -> HashMap<String, usize> {
    let mut levels = HashMap::new();
    for style in styles
        .elements()
        .flat_map(Element::elements)
        .filter(|element| element.name == "style")
    {
        let name = style.value_of("name").unwrap_or_default().to_ascii_lowercase();
        let level = match name.strip_prefix("heading ") {
            Some(level) => level.parse().ok(),
            None => (name == "title").then_some(1),
        };
        if let (Some(id), Some(level)) = (style.attribute("styleId"), level) {
            levels.insert(id.to_owned(), level);
        }
    }
    levels
}
