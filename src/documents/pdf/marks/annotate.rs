//! Annotations written into a PDF with `lopdf` (ISO 32000-1, 12.5).

use hayro_interpret::kurbo::{Point, Rect};
use lopdf::{
    Dictionary, Document, Error, IncrementalDocument, LoadOptions, Object, ObjectId, Stream, dictionary,
    text_string,
};

use crate::documents::limits::ReadError;
use crate::documents::pdf::marks::place::Quad;
use crate::documents::pdf::marks::request::Colour;

/// Most bytes that one compressed part of the file may unpack to.
const UNPACKED: usize = 64 << 20;
/// Who says what the annotations say.
const AUTHOR: &str = "reprise";
/// The key of every annotation by which a copy is known again.
pub const KEY: &str = "RepriseMark";
/// Flags: printed; for notes, neither magnified nor turned with the page.
const PRINTED: i64 = 4;
const UPRIGHT: i64 = PRINTED + 8 + 16;

/// The form in which a copy is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// The file as it is with an update behind it; written anew where its table of objects
    /// had to be repaired.
    Updated,
    /// Every object that was found, written anew.
    Rewritten,
}

/// The annotations of one page.
#[derive(Debug)]
pub struct PageAnnotations {
    /// Number and generation of the page's object.
    pub object: ObjectId,
    pub highlights: Vec<Highlight>,
    pub note: Option<StickyNote>,
}

/// Highlighted text.
#[derive(Debug)]
pub struct Highlight {
    pub quads: Vec<Quad>,
    pub colour: Colour,
    pub note: String,
}

/// A note that opens where it is touched.
#[derive(Debug)]
pub struct StickyNote {
    pub area: Rect,
    pub colour: Colour,
    pub text: String,
}

/// The file with annotations behind those that it has.
///
/// # Errors
/// A file that cannot be taken apart or written again.
pub fn annotated(bytes: &[u8], pages: &[PageAnnotations], form: Form) -> Result<Vec<u8>, ReadError> {
    // Places in a file are counted from its mark.
    let start = memchr::memmem::find(bytes, b"%PDF-").unwrap_or_default();
    let bytes = bytes.get(start..).unwrap_or_default();
    let options = LoadOptions {
        max_decompressed_size: Some(UNPACKED),
        ..LoadOptions::default()
    };
    let document = Document::load_mem_with_options(bytes, options).map_err(refusal)?;
    if document.trailer.has(b"Encrypt") {
        return Err(ReadError::Encrypted(
            "a password is needed to write into it".to_owned(),
        ));
    }
    let is_repaired = document.xref_recovery.is_some() || document.xref_start == 0;
    let form = if is_repaired { Form::Rewritten } else { form };
    if form == Form::Rewritten && document.was_encrypted() {
        return Err(ReadError::Encrypted(
            "and its table of objects is damaged".to_owned(),
        ));
    }
    let mut update = IncrementalDocument::create_from(bytes.to_vec(), document);
    // The table that is written is not compressed, whatever the one before it was.
    update.new_document.trailer.remove(b"DecodeParms");
    let mut number = 0;
    for page in pages {
        add(&mut update, page, &mut number).map_err(refusal)?;
    }
    written(update, form).map_err(|error| refusal(Error::from(error)))
}

fn written(mut update: IncrementalDocument, form: Form) -> std::io::Result<Vec<u8>> {
    let mut copy = Vec::new();
    if form == Form::Rewritten {
        let mut whole = update.get_prev_documents().clone();
        whole.max_id = update.new_document.max_id;
        whole.objects.append(&mut update.new_document.objects);
        whole.save_to(&mut copy)?;
    } else {
        update.save_to(&mut copy)?;
    }
    Ok(copy)
}

fn add(update: &mut IncrementalDocument, page: &PageAnnotations, number: &mut u32) -> Result<(), Error> {
    let mut annotations = present(update.get_prev_documents(), page.object)?;
    for highlight in &page.highlights {
        *number += 1;
        let appearance = update.new_document.try_add_object(highlight.appearance())?;
        let mut annotation = highlight.annotation(appearance);
        sign(&mut annotation, page.object, *number);
        annotations.push(update.new_document.try_add_object(annotation)?.into());
    }
    if let Some(note) = &page.note {
        *number += 1;
        let appearance = update.new_document.try_add_object(note.appearance())?;
        let mut annotation = note.annotation(appearance);
        sign(&mut annotation, page.object, *number);
        annotations.push(update.new_document.try_add_object(annotation)?.into());
    }
    update.opt_clone_object_to_new_document(page.object)?;
    let own = update.new_document.get_object_mut(page.object)?.as_dict_mut()?;
    own.set("Annots", annotations);
    Ok(())
}

/// The annotations that a page has. Pages may share one list of them, so each gets its own.
fn present(document: &Document, page: ObjectId) -> Result<Vec<Object>, Error> {
    let page = document.get_dictionary(page)?;
    if page.has(b"Kids") {
        return Err(Error::ObjectType {
            expected: "a page",
            found: "a node of the page tree",
        });
    }
    let annotations = page.get(b"Annots").and_then(|list| document.dereference(list));
    Ok(annotations
        .and_then(|(_, list)| list.as_array().cloned())
        .unwrap_or_default())
}

/// What every annotation of ours says of itself.
fn sign(annotation: &mut Dictionary, page: ObjectId, number: u32) {
    annotation.set("Type", "Annot");
    annotation.set("P", page);
    annotation.set("T", text_string(AUTHOR));
    annotation.set("NM", text_string(&format!("{AUTHOR}-{number}")));
    annotation.set(KEY, 1);
}

impl Highlight {
    fn annotation(&self, appearance: ObjectId) -> Dictionary {
        let corners = self
            .quads
            .iter()
            .flatten()
            .flat_map(|corner| [corner.x, corner.y]);
        dictionary! {
            "Subtype" => "Highlight",
            "Rect" => list(edges(self.area())),
            "QuadPoints" => list(corners),
            "C" => list(self.colour),
            "F" => PRINTED,
            "Contents" => text_string(&self.note),
            "AP" => dictionary! { "N" => appearance }
        }
    }

    /// The quads filled so that the text below stays black.
    fn appearance(&self) -> Stream {
        let mut content = format!("/Mark gs {} rg\n", numbers(self.colour));
        for [upper_left, upper_right, lower_left, lower_right] in &self.quads {
            let [first, rest @ ..] = [upper_left, upper_right, lower_right, lower_left]
                .map(|corner| numbers([corner.x, corner.y]));
            content.push_str(&format!("{first} m {} l h f\n", rest.join(" l ")));
        }
        let blend = dictionary! { "Type" => "ExtGState", "BM" => "Multiply" };
        form(
            self.area(),
            dictionary! { "ExtGState" => dictionary! { "Mark" => blend } },
            &content,
        )
    }

    fn area(&self) -> Rect {
        let mut corners = self.quads.iter().flatten();
        let first = corners.next().copied().unwrap_or_default();
        corners.fold(Rect::from_points(first, first), |area, corner| {
            area.union_pt(*corner)
        })
    }
}

impl StickyNote {
    fn annotation(&self, appearance: ObjectId) -> Dictionary {
        dictionary! {
            "Subtype" => "Text",
            "Name" => "Note",
            "Open" => false,
            "Rect" => list(edges(self.area)),
            "C" => list(self.colour),
            "F" => UPRIGHT,
            "Contents" => text_string(&self.text),
            "AP" => dictionary! { "N" => appearance }
        }
    }

    /// A sheet with three lines of writing.
    fn appearance(&self) -> Stream {
        let Rect { x0, y0, x1, y1 } = self.area.inset(-1.0);
        let sheet = numbers([x0, y0, x1 - x0, y1 - y0]);
        let mut content = format!("{} rg 0.2 G 1 w {sheet} re B\n", numbers(self.colour));
        for line in 1..=3 {
            let y = y1 - f64::from(line) * (y1 - y0) / 4.0;
            let (from, to) = (Point::new(x0 + 3.0, y), Point::new(x1 - 3.0, y));
            content.push_str(&format!(
                "{} m {} l S\n",
                numbers([from.x, from.y]),
                numbers([to.x, to.y])
            ));
        }
        form(self.area, Dictionary::new(), &content)
    }
}

/// A drawing in the page's own coordinates.
fn form(area: Rect, resources: Dictionary, content: &str) -> Stream {
    let head = dictionary! {
        "Type" => "XObject",
        "Subtype" => "Form",
        "BBox" => list(edges(area)),
        "Resources" => resources
    };
    Stream::new(head, content.as_bytes().to_vec())
}

fn edges(area: Rect) -> [f64; 4] {
    [area.x0, area.y0, area.x1, area.y1]
}

fn list<N: Into<f64>>(numbers: impl IntoIterator<Item = N>) -> Vec<Object> {
    numbers
        .into_iter()
        .map(|number| Object::from(number.into()))
        .collect()
}

/// Numbers as a page's content has them.
fn numbers<N: Into<f64>>(numbers: impl IntoIterator<Item = N>) -> String {
    let written: Vec<String> = numbers
        .into_iter()
        .map(|number| format!("{:.3}", number.into()))
        .collect();
    written.join(" ")
}

fn refusal(error: Error) -> ReadError {
    match error {
        Error::InvalidPassword | Error::Decryption(_) | Error::Unimplemented(_) => {
            ReadError::Encrypted("it cannot be written into".to_owned())
        }
        error => ReadError::Damaged(format!("no copy of it can be written ({error})")),
    }
}
