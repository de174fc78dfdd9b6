//! From single characters to words.

use std::collections::HashMap;
use std::hash::BuildHasher as _;

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
struct Seen {
    places: HashMap<(u64, i32, i32), (f32, f32), RandomState>,
    hasher: RandomState,
}

/// The side of a cell in which one place of a character is kept, in points.
const CELL: f32 = 2.0;

impl Seen {
    /// No places yet; a page has a few thousand.
    fn with_room_for(characters: usize) -> Self {
        Self {
            places: HashMap::with_capacity_and_hasher(characters.min(8_192), RandomState::default()),
            hasher: RandomState::default(),
        }
    }

    fn again(&mut self, glyph: &Glyph) -> bool {
        let text = self.number(&glyph.text);
        let cell = |value: f32| (value / CELL).floor();
        let (column, row) = (cell(glyph.left), cell(glyph.baseline));
        let (across, down) = (column as i32, row as i32);
        let near = 0.12 * glyph.size.min(16.0);
        // How far it is from the left and the upper edge of its cell.
        let (x, y) = (glyph.left - CELL * column, glyph.baseline - CELL * row);
        // What is nearer than that can lie in a cell beside it where its edge is as near.
        let beside = [
            (0, 0, true),
            (-1, 0, x <= near),
            (1, 0, CELL - x <= near),
            (0, -1, y <= near),
            (0, 1, CELL - y <= near),
        ];
        for (x, y, _) in beside.into_iter().filter(|(_, _, is_near)| *is_near) {
            if let Some((left, baseline)) = self.places.get(&(text, across + x, down + y))
                && (left - glyph.left).abs() < near
                && (baseline - glyph.baseline).abs() < near
            {
                return true;
            }
        }
        self.places
            .insert((text, across, down), (glyph.left, glyph.baseline));
        false
    }

    /// A text as a number: its bytes where there are few, else a digest of them.
    fn number(&self, text: &str) -> u64 {
        let bytes = text.as_bytes();
        if bytes.len() < 8 {
            bytes
                .iter()
                .fold(bytes.len() as u64, |number, byte| number << 8 | u64::from(*byte))
        } else {
            self.hasher.hash_one(text)
        }
    }
}

/// The words of characters that share one direction, in the order in which they are drawn.
pub fn words<'a>(glyphs: impl IntoIterator<Item = &'a Glyph>) -> Vec<Word> {
    let mut words: Vec<Word> = Vec::new();
    let glyphs = glyphs.into_iter();
    let mut seen = Seen::with_room_for(glyphs.size_hint().1.unwrap_or_default());
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
            text: glyph.text.to_string(),
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
