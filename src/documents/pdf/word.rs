//! From single characters to words.

use std::collections::HashMap;

use foldhash::fast::RandomState;

use crate::documents::pdf::characters;
use crate::documents::pdf::glyphs::Glyph;

/// A gap wider than this part of the font size separates words.
pub const WORD_GAP: f32 = 0.12;

/// Characters drawn next to each other on one baseline.
#[derive(Debug, Clone)]
pub struct Word {
    pub text: String,
    pub left: f32,
    pub right: f32,
    /// Where it was drawn.
    pub baseline: f32,
    /// The baseline of the line that it belongs to.
    pub line: f32,
    pub size: f32,
    /// Whether a space was drawn before it.
    pub spaced: bool,
}

/// The places of drawn characters, to find those drawn twice a hair apart, which
/// imitates bold type.
#[derive(Default)]
struct Seen<'a> {
    places: HashMap<(&'a str, i32, i32), (f32, f32), RandomState>,
}

impl<'a> Seen<'a> {
    fn again(&mut self, glyph: &'a Glyph) -> bool {
        let cell = |value: f32| (value / 2.0).floor() as i32;
        let (across, down) = (cell(glyph.left), cell(glyph.baseline));
        let near = 0.12 * glyph.size.min(16.0);
        for (x, y) in [(0, 0), (-1, 0), (1, 0), (0, -1), (0, 1)] {
            if let Some((left, baseline)) = self.places.get(&(glyph.text.as_str(), across + x, down + y))
                && (left - glyph.left).abs() < near
                && (baseline - glyph.baseline).abs() < near
            {
                return true;
            }
        }
        self.places
            .insert((glyph.text.as_str(), across, down), (glyph.left, glyph.baseline));
        false
    }
}

/// The words of characters that share one direction, in the order in which they are drawn.
pub fn words<'a>(glyphs: impl IntoIterator<Item = &'a Glyph>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let mut seen = Seen::default();
    let mut open = false;
    let mut spaced = false;
    for glyph in glyphs {
        if glyph.text.trim().is_empty() {
            open = false;
            spaced = true;
            continue;
        }
        if seen.again(glyph) {
            continue;
        }
        if let Some(word) = words.last_mut().filter(|_| open) {
            let gap = glyph.left - word.right;
            let near = gap < WORD_GAP * word.size && gap > -0.5 * word.size;
            let level = (glyph.baseline - word.baseline).abs() < 0.05 * word.size;
            let alike = (glyph.size - word.size).abs() < 0.1 * word.size;
            if near && level && alike && glyph.left >= word.left {
                if !characters::put_accent(&mut word.text, &glyph.text, gap < -0.1 * word.size) {
                    word.text.push_str(&glyph.text);
                }
                word.right = word.right.max(glyph.right);
                continue;
            }
        }
        words.push(Word {
            text: glyph.text.clone(),
            left: glyph.left,
            right: glyph.right,
            baseline: glyph.baseline,
            line: glyph.baseline,
            size: glyph.size,
            spaced,
        });
        open = true;
        spaced = false;
    }
    words
}
