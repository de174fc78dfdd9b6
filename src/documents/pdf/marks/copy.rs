//! A marked copy of a PDF.

use std::collections::{BTreeMap, BTreeSet};
use std::hash::{DefaultHasher, Hash, Hasher};

use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::Array;
use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::kurbo::{Affine, Point, Rect};
use hayro_interpret::{InterpreterCache, interpret_page};

use crate::documents::kind::Kind;
use crate::documents::limits::ReadError;
use crate::documents::pdf::glyph_outlines::Ink;
use crate::documents::pdf::glyphs::{Collected, Glyph};
use crate::documents::pdf::marks::annotate::{Form, Highlight, KEY, PageAnnotations, StickyNote, annotated};
use crate::documents::pdf::marks::place::{Quad, quads};
use crate::documents::pdf::marks::request::{Mark, MarkRequest, MarkedCopy, PageNote};
use crate::documents::pdf::read::context;
use crate::documents::pdf::refusal::refusal;
use crate::documents::sniff::sniff;

/// How many pages of a document are compared with those of its copy.
const CHECKED: u32 = 2_000;
/// Left, top, right and bottom of a note on its page as it is shown, in points.
const NOTE: Rect = Rect::new(10.0, 10.0, 30.0, 30.0);
/// The colour of a note that only holds marks without a place.
const UNPLACED: [f32; 3] = [1.0, 0.85, 0.4];

/// Copies a PDF with marks and notes.
///
/// The crates beneath can panic, loop or ask for much memory on a hostile file:
/// call this in a helper process where the file is not trusted.
///
/// # Errors
/// A file that is no PDF, one that cannot be read or written again, a page that it has not,
/// or a copy that would read otherwise than the file.
pub fn mark(bytes: &[u8], request: &MarkRequest) -> Result<MarkedCopy, ReadError> {
    let kind = sniff(bytes);
    if kind != Kind::Pdf {
        return Err(ReadError::Unsupported(format!(
            "{kind}, where only a PDF can be marked"
        )));
    }
    let pdf = Pdf::new(bytes.to_vec()).map_err(refusal)?;
    let mut reading = Reading::new(&pdf);
    let wanted = by_page(request);
    let mut unplaced = Vec::new();
    let mut pages = Vec::new();
    let mut expected = Expected::new(pdf.pages().len());
    for number in expected.checked(wanted.keys().copied()) {
        let page = reading.page(number)?;
        let mut added = 0;
        if let Some(wanted) = wanted.get(&number) {
            let annotations = wanted.annotations(number, &page, &mut unplaced)?;
            added = annotations.count();
            pages.push(annotations);
        }
        expected
            .pages
            .insert(number, (page.digest(), page.annotations + added));
    }
    unplaced.sort_unstable();
    let updated = annotated(bytes, &pages, Form::Updated)?;
    let pdf = if expected.verify(&updated).is_ok() {
        updated
    } else {
        let rewritten = annotated(bytes, &pages, Form::Rewritten)?;
        expected.verify(&rewritten)?;
        rewritten
    };
    Ok(MarkedCopy { pdf, unplaced })
}

/// True if a file is a marked copy.
pub fn is_marked_copy(bytes: &[u8]) -> bool {
    sniff(bytes) == Kind::Pdf && memchr::memmem::find(bytes, KEY.as_bytes()).is_some()
}

/// The marks and the note of one page.
#[derive(Default)]
struct Wanted<'a> {
    marks: Vec<(usize, &'a Mark)>,
    note: Option<&'a PageNote>,
}

fn by_page(request: &MarkRequest) -> BTreeMap<u32, Wanted<'_>> {
    let mut pages: BTreeMap<u32, Wanted<'_>> = BTreeMap::new();
    for (at, mark) in request.marks.iter().enumerate() {
        pages.entry(mark.page).or_default().marks.push((at, mark));
    }
    for note in &request.notes {
        pages.entry(note.page).or_default().note = Some(note);
    }
    pages
}

impl Wanted<'_> {
    fn annotations(
        &self,
        number: u32,
        page: &DrawnPage,
        unplaced: &mut Vec<usize>,
    ) -> Result<PageAnnotations, ReadError> {
        let object = page.object.ok_or_else(|| {
            ReadError::Unsupported(format!(
                "page {number} is no object of its own, and cannot be replaced"
            ))
        })?;
        let mut highlights = Vec::new();
        let mut texts: Vec<String> = self.note.iter().map(|note| note.text.clone()).collect();
        for (at, mark) in &self.marks {
            let quads = page.quads(mark);
            if quads.is_empty() {
                unplaced.push(*at);
                texts.push(format!("Somewhere on this page: {}", mark.note));
            } else {
                highlights.push(Highlight {
                    quads,
                    colour: mark.colour,
                    note: mark.note.clone(),
                });
            }
        }
        Ok(PageAnnotations {
            object,
            highlights,
            note: (!texts.is_empty()).then(|| StickyNote {
                area: page.back.transform_rect_bbox(NOTE),
                colour: self.note.map_or(UNPLACED, |note| note.colour),
                text: texts.join("\n\n"),
            }),
        })
    }
}

impl PageAnnotations {
    fn count(&self) -> usize {
        self.highlights.len() + usize::from(self.note.is_some())
    }
}

/// A file whose pages are read one by one.
struct Reading<'a> {
    pdf: &'a Pdf,
    cache: InterpreterCache<'a>,
    ink: Ink,
}

/// The characters of a page, and where it lies in the file.
struct DrawnPage {
    glyphs: Vec<Glyph>,
    /// From the page as it is shown to its own coordinates.
    back: Affine,
    /// Number and generation of its object, where it is one.
    object: Option<(u32, u16)>,
    /// Its annotations.
    annotations: usize,
}

impl<'a> Reading<'a> {
    fn new(pdf: &'a Pdf) -> Self {
        Self {
            pdf,
            cache: InterpreterCache::new(),
            ink: Ink::default(),
        }
    }

    fn page(&mut self, number: u32) -> Result<DrawnPage, ReadError> {
        let pages = self.pdf.pages();
        let page = (number as usize).checked_sub(1).and_then(|at| pages.get(at));
        let page = page.ok_or_else(|| {
            ReadError::Unsupported(format!("page {number}; the document has {} pages", pages.len()))
        })?;
        let (width, height) = page.render_dimensions();
        let mut collected = Collected::new(width, height, &mut self.ink);
        interpret_page(page, &mut context(self.pdf, page, &self.cache), &mut collected);
        collected.settle_sizes();
        Ok(DrawnPage {
            glyphs: collected.glyphs,
            back: Affine::new(page.initial_transform(true).as_coeffs()).inverse(),
            object: object(page),
            annotations: page
                .raw()
                .get::<Array<'_>>(&b"Annots"[..])
                .map_or(0, |list| list.raw_iter().count()),
        })
    }
}

fn object(page: &Page<'_>) -> Option<(u32, u16)> {
    let id = page.raw().obj_id()?;
    Some((id.obj_number, u16::try_from(id.gen_number).ok()?))
}

impl DrawnPage {
    /// The places of all parts of a mark; none where one of them has no place.
    fn quads(&self, mark: &Mark) -> Vec<Quad> {
        let mut found = Vec::new();
        for part in &mark.parts {
            let own = quads(&self.glyphs, part, self.back);
            if own.is_empty() || own.iter().flatten().any(|corner| !is_finite(*corner)) {
                return Vec::new();
            }
            found.extend(own);
        }
        found
    }

    /// A digest of what the page says and where.
    fn digest(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        for glyph in &self.glyphs {
            glyph.text.hash(&mut hasher);
            (glyph.left.to_bits(), glyph.baseline.to_bits(), glyph.turn).hash(&mut hasher);
        }
        hasher.finish()
    }
}

fn is_finite(point: Point) -> bool {
    point.x.is_finite() && point.y.is_finite()
}

/// The expected content of a copy, for its verification.
struct Expected {
    /// How many pages.
    count: usize,
    /// By page: the digest of what it says, and how many annotations it has.
    pages: BTreeMap<u32, (u64, usize)>,
}

impl Expected {
    fn new(count: usize) -> Self {
        Self {
            count,
            pages: BTreeMap::new(),
        }
    }

    /// The pages that are read in the copy too: the first ones, and all that are marked.
    fn checked(&self, marked: impl Iterator<Item = u32>) -> BTreeSet<u32> {
        let first = u32::try_from(self.count).unwrap_or(CHECKED).min(CHECKED);
        (1..=first).chain(marked).collect()
    }

    /// Reads a copy: its pages say what those of the file do, and have their annotations.
    fn verify(&self, copy: &[u8]) -> Result<(), ReadError> {
        let differs =
            |what: String| ReadError::Damaged(format!("a copy of it would not be the same document: {what}"));
        let pdf = Pdf::new(copy.to_vec()).map_err(|_| differs("it could not be opened".to_owned()))?;
        let count = pdf.pages().len();
        if count != self.count {
            return Err(differs(format!("its pages would be {count}, not {}", self.count)));
        }
        let mut reading = Reading::new(&pdf);
        for (number, (digest, annotations)) in &self.pages {
            let page = reading.page(*number)?;
            if page.digest() != *digest {
                return Err(differs(format!("page {number} would read otherwise")));
            }
            if page.annotations < *annotations {
                return Err(differs(format!("page {number} would lack annotations")));
            }
        }
        Ok(())
    }
}
