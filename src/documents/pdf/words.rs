//! From words to the pieces that share a line.

use crate::documents::pdf::characters;
use crate::documents::pdf::drop_caps::settle_drop_caps;
use crate::documents::pdf::glyphs::Glyph;
use crate::documents::pdf::median::median;
use crate::documents::pdf::scripts::attach_scripts;
use crate::documents::pdf::word::{WORD_GAP, Word, words};

/// A gap wider than this part of the font size separates cells or columns.
const PIECE_GAP: f32 = 0.95;

/// Words that share a line without a wide gap between them.
#[derive(Debug, Clone)]
pub struct Piece {
    pub text: String,
    pub left: f32,
    pub right: f32,
    pub baseline: f32,
    pub size: f32,
    /// The spaces within, from left to right.
    pub gaps: Vec<Gap>,
}

/// A space between two words of a piece.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Gap {
    /// The byte of the piece's text at which the space stands.
    pub at: usize,
    /// Right edge of the word before it.
    pub left: f32,
    /// Left edge of the word behind it.
    pub right: f32,
}

impl Piece {
    /// Takes off what stands behind one of the gaps.
    pub fn split_off(&mut self, gap: usize) -> Option<Self> {
        let space = *self.gaps.get(gap)?;
        let text = self.text.get(space.at..)?.trim_start().to_owned();
        let behind = self.gaps.split_off(gap);
        let rest = Self {
            text,
            left: space.right,
            right: self.right,
            baseline: self.baseline,
            size: self.size,
            gaps: behind
                .into_iter()
                .skip(1)
                .map(|inner| Gap {
                    at: inner.at - space.at - 1,
                    ..inner
                })
                .collect(),
        };
        self.text.truncate(space.at);
        self.right = space.left;
        Some(rest)
    }

    /// Puts a piece of the same line behind this one, with a space between.
    pub fn append(&mut self, next: Self) {
        let at = self.text.len();
        self.gaps.push(Gap {
            at,
            left: self.right,
            right: next.left,
        });
        self.gaps.extend(next.gaps.into_iter().map(|gap| Gap {
            at: gap.at + at + 1,
            ..gap
        }));
        self.text.push(' ');
        self.text.push_str(&next.text);
        self.right = self.right.max(next.right);
        if next.size > self.size {
            self.size = next.size;
            self.baseline = next.baseline;
        }
    }

    /// Upper edge of the line box, near enough without the font's own metrics.
    pub fn top(&self) -> f32 {
        self.baseline - 0.8 * self.size
    }

    /// Lower edge of the line box.
    pub fn bottom(&self) -> f32 {
        self.baseline + 0.2 * self.size
    }

    /// Width in points.
    pub fn width(&self) -> f32 {
        self.right - self.left
    }
}

/// The pieces of the characters that share one direction, from top to bottom.
pub fn pieces<'a>(glyphs: impl IntoIterator<Item = &'a Glyph>) -> Vec<Piece> {
    let mut words = words(glyphs);
    words.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
    settle_drop_caps(&mut words);
    attach_scripts(&mut words);
    words.sort_by(|a, b| a.line.total_cmp(&b.line));
    let mut pieces = Vec::new();
    let mut start = 0;
    while start < words.len() {
        let reach = words[start].line + 0.3 * words[start].size;
        let end = start + words[start..].partition_point(|word| word.line <= reach);
        words[start..end].sort_by(|a, b| a.left.total_cmp(&b.left));
        join(&words[start..end], &mut pieces);
        start = end;
    }
    pieces
}

fn join(words: &[Word], pieces: &mut Vec<Piece>) {
    let mut start = 0;
    let mut right = f32::NEG_INFINITY;
    for (index, word) in words.iter().enumerate() {
        if let Some(previous) = index.checked_sub(1).and_then(|before| words.get(before)) {
            right = right.max(previous.right);
            if word.left - right >= PIECE_GAP * previous.size.max(word.size) {
                pieces.extend(piece(&words[start..index]));
                start = index;
            }
        }
    }
    pieces.extend(piece(&words[start..]));
}

fn piece(words: &[Word]) -> Option<Piece> {
    let first = words.first()?;
    let tracked = tracked(words);
    let mut piece = Piece {
        text: String::new(),
        left: first.left,
        right: first.left,
        baseline: first.line,
        size: 0.0,
        gaps: Vec::new(),
    };
    for (index, word) in words.iter().enumerate() {
        let gap = word.left - piece.right;
        let size = piece.size.max(word.size);
        let apart = match tracked.get(index) {
            Some(Some(widest)) => gap > *widest,
            _ => gap > WORD_GAP * size.min(1.5 * word.size) || (word.spaced && gap > -0.3 * size),
        };
        if index > 0 && !characters::put_accent(&mut piece.text, &word.text, gap < -0.1 * size) {
            if apart {
                piece.gaps.push(Gap {
                    at: piece.text.len(),
                    left: piece.right,
                    right: word.left,
                });
                piece.text.push(' ');
            }
            piece.text.push_str(&word.text);
        } else if index == 0 {
            piece.text.push_str(&word.text);
        }
        piece.right = piece.right.max(word.right);
        if word.size > piece.size {
            piece.size = word.size;
            piece.baseline = word.line;
        }
    }
    Some(piece)
}

/// For words of letter-spaced headings such as `T A B L E`: the widest gap
/// that still lies within a word; `None` elsewhere.
fn tracked(words: &[Word]) -> Vec<Option<f32>> {
    let mut widest = vec![None; words.len()];
    let single = |word: &Word| word.text.chars().count() == 1 && word.text.chars().all(char::is_alphabetic);
    let mut start = 0;
    while start < words.len() {
        let length = words[start..].iter().take_while(|word| single(word)).count();
        if length >= 4 {
            let run = &words[start..start + length];
            let gaps = run.windows(2).map(|pair| pair[1].left - pair[0].right);
            let typical = median(gaps);
            widest[start + 1..start + length].fill(Some(1.6 * typical.max(0.05 * run[0].size)));
        }
        start += length.max(1);
    }
    widest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(text: &str, left: f32, baseline: f32, size: f32) -> Vec<Glyph> {
        let place = |index: usize| left + index as f32 * 0.5 * size;
        text.chars()
            .enumerate()
            .map(|(index, character)| Glyph {
                text: std::iter::once(character).collect(),
                left: place(index),
                right: place(index + 1),
                baseline,
                size,
                turn: 0,
            })
            .collect()
    }

    fn read(glyphs: &[Glyph]) -> Vec<String> {
        pieces(glyphs).into_iter().map(|piece| piece.text).collect()
    }

    #[test]
    fn raised_and_lowered_digits_do_not_join_the_number() {
        let mut power = glyphs("10", 0.0, 100.0, 10.0);
        power.extend(glyphs("−3", 10.0, 96.0, 7.0));
        assert_eq!(read(&power), ["10⁻³"]);
        let mut stars = glyphs("0.45", 0.0, 100.0, 10.0);
        stars.extend(glyphs("***", 20.0, 96.0, 7.0));
        assert_eq!(read(&stars), ["0.45***"]);
        let mut apart = glyphs("8.417", 0.0, 100.0, 10.0);
        apart.extend(glyphs("***", 60.0, 96.0, 7.0));
        assert_eq!(read(&apart), ["8.417", "***"]);
        assert_eq!(pieces(&apart)[0].baseline, pieces(&apart)[1].baseline);
        let mut tall = glyphs("p", 5.0, 100.0, 10.0);
        tall.extend(glyphs("(", 0.0, 91.5, 10.0));
        tall.extend(glyphs("y", 5.0, 86.0, 10.0));
        assert_eq!(read(&tall), ["y", "(p"]);
        let mut index = glyphs("x", 0.0, 100.0, 10.0);
        index.extend(glyphs("12", 5.0, 102.0, 7.0));
        assert_eq!(read(&index), ["x₁₂"]);
    }

    #[test]
    fn letters_drawn_twice_count_once_and_twins_count_twice() {
        let mut bold = glyphs("bookkeeping", 0.0, 100.0, 10.0);
        bold.extend(glyphs("bookkeeping", 0.3, 100.0, 10.0));
        assert_eq!(read(&bold), ["bookkeeping"]);
    }

    #[test]
    fn accents_drawn_over_letters_and_spaced_headings_become_words() {
        let mut name = glyphs("Ludtke", 0.0, 100.0, 10.0);
        name.insert(
            2,
            Glyph {
                text: "¨".chars().collect(),
                left: 5.5,
                right: 8.5,
                baseline: 100.0,
                size: 10.0,
                turn: 0,
            },
        );
        assert_eq!(read(&name), ["Lüdtke"]);
        let spaced: Vec<Glyph> = "TABLE"
            .chars()
            .enumerate()
            .flat_map(|(index, letter)| glyphs(&letter.to_string(), 8.0 * index as f32, 100.0, 10.0))
            .collect();
        assert_eq!(read(&spaced), ["TABLE"]);
    }
}
