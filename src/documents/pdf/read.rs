//! Text of a PDF file, page by page.

use hayro_interpret::hayro_syntax::page::Page as DrawnPage;
use hayro_interpret::hayro_syntax::{LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};

use crate::documents::document::{Page, Picture};

use crate::documents::limits::{Limits, ReadError};
use crate::documents::pdf::attachments;
use crate::documents::pdf::contents;
use crate::documents::pdf::drawing;
use crate::documents::pdf::glyph_outlines::Ink;
use crate::documents::pdf::glyphs::{Collected, Glyph};
use crate::documents::pdf::gutters;
use crate::documents::pdf::layout;
use crate::documents::pdf::line_numbers;
use crate::documents::pdf::lines::{self, Draft};
use crate::documents::pdf::ocr::{self, Unread};
use crate::documents::pdf::page_tree;
use crate::documents::pdf::pictures::Pictures;
use crate::documents::pdf::properties::properties;
use crate::documents::pdf::refusal::refusal;
use crate::documents::pdf::whole;
use crate::documents::pdf::words;

/// Why a file without its end cannot be opened.
const BROKEN_OFF: &str = "it begins like a PDF and breaks off before its end, with no page that can be read; \
                          get a whole copy of it";

/// The text of a file and what could not be read of it.
#[derive(Debug, Clone, Default)]
pub struct PdfText {
    pub pages: Vec<Page>,
    /// Title, author and the like, as the file states them.
    pub properties: Vec<(String, String)>,
    pub pictures: Vec<Picture>,
    pub notes: Vec<String>,
}

/// Reads every page, up to the limits.
///
/// The crates beneath can panic, loop or ask for much memory on a hostile file:
/// call this in a helper process where the file is not trusted.
///
/// # Errors
/// A damaged, cut off or encrypted document.
pub fn read(bytes: Vec<u8>, limits: &Limits) -> Result<PdfText, ReadError> {
    let end = whole::End::detect(&bytes);
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Invalid if end.is_missing => ReadError::Damaged(BROKEN_OFF.to_owned()),
        error => refusal(error),
    })?;
    let cache = InterpreterCache::new();
    let mut text = PdfText {
        properties: properties(pdf.metadata()),
        ..PdfText::default()
    };
    let mut ink = Ink::default();
    let mut drafts: Vec<Drafted> = Vec::new();
    let (mut size, mut unknown, mut line_numbers) = (0, 0, 0);
    let mut recognition = Recognition::default();
    let mut pictures = Pictures::new(limits.pictures);
    let mut damaged = Vec::new();
    let count = pdf.pages().len();
    if count == 0 {
        return Err(ReadError::Damaged(page_tree::why_empty(&pdf)));
    }
    text.notes.extend(end.note(count, whole::stated_pages(&pdf)));
    for (number, page) in (1u32..).zip(pdf.pages().iter()) {
        if drafts.len() >= limits.pages || size >= limits.text {
            let read = drafts.len();
            text.notes.push(format!(
                "Only {read} of {count} pages were read; the rest is beyond the limits."
            ));
            break;
        }
        let (width, height) = page.render_dimensions();
        let mut collected = Collected::new(width, height, &mut ink);
        interpret_page(page, &mut context(&pdf, page, &cache), &mut collected);
        collected.settle_sizes();
        collected.settle_points();
        if contents::is_damaged(page) {
            damaged.push(number);
        }
        if collected.overflowed {
            text.notes.push(format!(
                "Page {number} draws too many characters; the rest of it was left out."
            ));
        }
        unknown += collected.unknown;
        let (mut lines, page_numbers) = page_lines(&collected);
        line_numbers += page_numbers;
        let images = collected.images;
        if limits.pictures > 0 && images > 0 {
            pictures.page = number;
            interpret_page(page, &mut context(&pdf, page, &cache), &mut pictures);
        }
        if limits.recognise && lines.is_empty() && images > 0 {
            lines = recognition.page(&pdf, page, &cache, number);
        }
        size += lines.iter().map(|draft| draft.line.text.len()).sum::<usize>();
        drafts.push(Drafted {
            number,
            images,
            lines,
        });
    }
    if pictures.left_out > 0 {
        text.notes.push(format!(
            "{} pictures were left out: they are damaged, or larger than the limit.",
            pictures.left_out
        ));
    }
    text.pictures = pictures.found;
    if unknown > 0 {
        text.notes.push(format!(
            "{unknown} characters have no meaning that the file tells and were left out."
        ));
    }
    if !damaged.is_empty() {
        let pages = if damaged.len() == 1 { "page" } else { "pages" };
        text.notes.push(format!(
            "The content of {pages} {} is damaged and could not be decoded, or only in part: text may be missing there. \
             Get a whole copy of the file before relying on what is missing.",
            ranges(&damaged)
        ));
    }
    text.notes.extend(ink.note());
    if line_numbers > 0 {
        text.notes.push(format!(
            "{line_numbers} numbers of lines at the margins were left out."
        ));
    }
    text.notes.extend(recognition.notes());
    let written = drafts
        .iter()
        .flat_map(|page| page.lines.iter().map(|draft| draft.line.text.as_str()));
    let compounds = lines::hyphenated(written);
    for mut page in drafts {
        lines::join_hyphens(&mut page.lines, &compounds);
        text.pages.push(finish(page));
    }
    note_blank_pages(&mut text, limits.recognise);
    text.notes.extend(attachments::note(&attachments::names(&pdf)));
    Ok(text)
}

/// A page whose words at line ends are not joined yet.
struct Drafted {
    number: u32,
    images: u32,
    lines: Vec<Draft>,
}

/// The frame in which a page is interpreted: as it is shown, in points from its upper left corner.
pub fn context<'a>(pdf: &'a Pdf, page: &DrawnPage<'a>, cache: &InterpreterCache<'a>) -> Context<'a> {
    let [a, b, c, d, e, f] = page.initial_transform(true).as_coeffs();
    let (width, height) = page.render_dimensions();
    Context::new(
        Affine::new([a, b, c, d, e, f]),
        Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
        cache,
        pdf.xref(),
        InterpreterSettings::default(),
    )
}

fn page_lines(collected: &Collected<'_>) -> (Vec<Draft>, usize) {
    let mut drafts = Vec::new();
    let mut numbered = 0;
    for turn in 0..4 {
        let glyphs: Vec<&Glyph> = collected
            .glyphs
            .iter()
            .filter(|glyph| glyph.turn == turn)
            .collect();
        if glyphs.is_empty() {
            continue;
        }
        let rules = if turn == 0 {
            collected.rules.as_slice()
        } else {
            &[]
        };
        let (pieces, numbers) = line_numbers::left_out(words::pieces(glyphs.iter().copied()));
        numbered += numbers;
        for block in layout::blocks(gutters::settle(pieces), rules) {
            drafts.extend(lines::lines(block));
        }
    }
    (drafts, numbered)
}

fn finish(page: Drafted) -> Page {
    let mut text = String::new();
    let mut lines = Vec::with_capacity(page.lines.len());
    for draft in page.lines {
        if draft.after_gap && !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&draft.line.text);
        text.push('\n');
        lines.push(draft.line);
    }
    Page {
        number: page.number,
        text,
        lines,
        images: page.images,
    }
}

/// The outcome of the recognition of pages.
#[derive(Debug, Default)]
struct Recognition {
    read: Vec<u32>,
    /// Why pages were not read; one that holds for all of them ends the attempts.
    unread: Vec<String>,
    is_absent: bool,
}

impl Recognition {
    /// The lines of a page that is a picture; none where it cannot be read.
    fn page<'a>(
        &mut self,
        pdf: &'a Pdf,
        page: &DrawnPage<'a>,
        cache: &InterpreterCache<'a>,
        number: u32,
    ) -> Vec<Draft> {
        if self.is_absent {
            return Vec::new();
        }
        let (width, height) = page.render_dimensions();
        let scale = ocr::scale(width, height);
        let picture = match drawing::at_scale(pdf, page, cache, scale) {
            Ok((picture, _)) => picture,
            Err(error) => {
                self.unread
                    .push(format!("Page {number} cannot be drawn: {error}."));
                return Vec::new();
            }
        };
        match ocr::recognise(&picture, scale) {
            Ok(text) => {
                let lines = ocr::lines(&text);
                if !lines.is_empty() {
                    self.read.push(number);
                }
                lines
            }
            Err(error) => {
                self.is_absent = error == Unread::Absent;
                self.unread
                    .push(format!("Page {number} was not recognised: {error}."));
                Vec::new()
            }
        }
    }

    fn notes(self) -> Vec<String> {
        let mut notes = self.unread;
        if let [number] = self.read.as_slice() {
            notes.push(format!(
                "Page {number} is a picture that tesseract read; check numbers against the page."
            ));
        } else if !self.read.is_empty() {
            notes.push(format!(
                "Pages {} are pictures that tesseract read; check numbers against the pages.",
                ranges(&self.read)
            ));
        }
        notes
    }
}

/// Says which pages have no text, and which of them are pictures.
fn note_blank_pages(text: &mut PdfText, recognised: bool) {
    let pictures: Vec<u32> = text
        .pages
        .iter()
        .filter(|page| page.images > 0 && page.text.trim().is_empty())
        .map(|page| page.number)
        .collect();
    let (place, it_is, it) = match pictures.as_slice() {
        [] => return,
        [number] => (format!("page {number}"), "it is a picture", "it"),
        numbers => (format!("pages {}", ranges(numbers)), "they are pictures", "them"),
    };
    text.notes.push(if recognised {
        format!("There is no text layer on {place}: {it_is} in which no text was recognised.")
    } else {
        format!(
            "There is no text layer on {place}: {it_is} of text, and only optical character recognition can read \
             {it} (`reprise read --ocr`)."
        )
    });
}

/// Page numbers as people write them: `1-3, 7`.
pub fn ranges(numbers: &[u32]) -> String {
    let mut parts: Vec<(u32, u32)> = Vec::new();
    for &number in numbers {
        match parts.last_mut() {
            Some((_, last)) if *last + 1 == number => *last = number,
            _ => parts.push((number, number)),
        }
    }
    let parts: Vec<String> = parts
        .into_iter()
        .map(|(from, to)| {
            if from == to {
                from.to_string()
            } else {
                format!("{from}-{to}")
            }
        })
        .collect();
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7]), "1-3, 7");
    }
}
