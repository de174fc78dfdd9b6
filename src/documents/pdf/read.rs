//! Text of a PDF file, page by page.

use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};

use crate::documents::document::{Limits, Page, ReadError};
use crate::documents::pdf::glyphs::Collected;
use crate::documents::pdf::ink::Ink;
use crate::documents::pdf::layout;
use crate::documents::pdf::lines::{self, Draft};
use crate::documents::pdf::words;

/// The text of a file and what could not be read of it.
#[derive(Debug, Clone, Default)]
pub struct PdfText {
    pub pages: Vec<Page>,
    pub notes: Vec<String>,
}

/// Reads every page, up to the limits.
///
/// The crates beneath can panic, loop or ask for much memory on a hostile file:
/// call this in a helper process where the file is not trusted.
pub fn read(bytes: Vec<u8>, limits: &Limits) -> Result<PdfText, ReadError> {
    let pdf = Pdf::new(bytes).map_err(refusal)?;
    let cache = InterpreterCache::new();
    let mut text = PdfText::default();
    let mut ink = Ink::default();
    let mut drafts: Vec<(u32, u32, Vec<Draft>)> = Vec::new();
    let mut size = 0;
    let mut unknown = 0;
    let count = pdf.pages().len();
    for (number, page) in (1u32..).zip(pdf.pages().iter()) {
        if drafts.len() >= limits.pages || size >= limits.text {
            let read = drafts.len();
            text.notes.push(format!(
                "Only {read} of {count} pages were read; the rest is beyond the limits."
            ));
            break;
        }
        let mut collected = Collected::new(page.render_dimensions(), &mut ink);
        let [a, b, c, d, e, f] = page.initial_transform(true).as_coeffs();
        let (width, height) = page.render_dimensions();
        let mut context = Context::new(
            Affine::new([a, b, c, d, e, f]),
            Rect::new(0.0, 0.0, f64::from(width), f64::from(height)),
            &cache,
            pdf.xref(),
            InterpreterSettings::default(),
        );
        interpret_page(page, &mut context, &mut collected);
        if collected.overflowed {
            text.notes.push(format!(
                "Page {number} draws too many characters; the rest of it was left out."
            ));
        }
        unknown += collected.unknown;
        let page = page_lines(&collected);
        size += page.iter().map(|draft| draft.line.text.len()).sum::<usize>();
        drafts.push((number, collected.images, page));
    }
    if unknown > 0 {
        text.notes.push(format!(
            "{unknown} characters have no meaning that the file tells and were left out."
        ));
    }
    let compounds = lines::hyphenated(
        drafts
            .iter()
            .flat_map(|(_, _, page)| page.iter().map(|draft| draft.line.text.as_str())),
    );
    for (number, images, mut page) in drafts {
        lines::join_hyphens(&mut page, &compounds);
        text.pages.push(finish(number, images, page));
    }
    note_blank_pages(&mut text);
    Ok(text)
}

fn page_lines(collected: &Collected<'_>) -> Vec<Draft> {
    let mut drafts = Vec::new();
    for turn in 0..4 {
        let glyphs: Vec<_> = collected
            .glyphs
            .iter()
            .filter(|glyph| glyph.turn == turn)
            .cloned()
            .collect();
        if glyphs.is_empty() {
            continue;
        }
        let rules = if turn == 0 {
            collected.rules.as_slice()
        } else {
            &[]
        };
        for block in layout::blocks(words::pieces(&glyphs), rules) {
            drafts.extend(lines::lines(block));
        }
    }
    drafts
}

fn finish(number: u32, images: u32, drafts: Vec<Draft>) -> Page {
    let mut text = String::new();
    let mut lines = Vec::with_capacity(drafts.len());
    for draft in drafts {
        if draft.after_gap && !text.is_empty() {
            text.push('\n');
        }
        text.push_str(&draft.line.text);
        text.push('\n');
        lines.push(draft.line);
    }
    Page {
        number,
        text,
        lines,
        images,
    }
}

/// Says which pages have no text, and which of them are pictures.
fn note_blank_pages(text: &mut PdfText) {
    let pictures: Vec<u32> = text
        .pages
        .iter()
        .filter(|page| page.images > 0 && page.text.trim().is_empty())
        .map(|page| page.number)
        .collect();
    if !pictures.is_empty() {
        let pages = ranges(&pictures);
        text.notes.push(format!(
            "There is no text layer on pages {pages}: they are pictures of text, and only optical character \
             recognition can read them."
        ));
    }
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

fn refusal(error: LoadPdfError) -> ReadError {
    match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => {
            ReadError::Encrypted("a password is needed to open it".to_owned())
        }
        LoadPdfError::Decryption(other) => ReadError::Encrypted(format!("{other:?}")),
        LoadPdfError::Invalid => ReadError::Damaged(
            "it begins like a PDF, and its page tree cannot be found or rebuilt".to_owned(),
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn page_numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7]), "1-3, 7");
    }
}
