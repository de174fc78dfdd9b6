//! The place on a page of a part of a line.

use hayro_interpret::kurbo::{Affine, Point};

use crate::documents::pdf::glyphs::Glyph;
use crate::documents::pdf::marks::letters::{drawn_of, letters};
use crate::documents::pdf::marks::request::MarkedPart;

/// How far from a line's area its characters may be, in points.
const NEAR: f32 = 0.5;
/// Heights of a character above and below its baseline, as parts of the font size.
const ABOVE: f32 = 0.8;
const BELOW: f32 = 0.22;

/// The corners of a piece of text in the page's own coordinates: upper left, upper right,
/// lower left and lower right, as its reader sees it.
pub type Quad = [Point; 4];

/// The quads of a part of a line, one for each line of the page that it touches; none where
/// the page does not draw it. `back` leads from the page as it is shown to its coordinates.
pub fn quads(glyphs: &[Glyph], part: &MarkedPart, back: Affine) -> Vec<Quad> {
    let line = letters(&part.line);
    let within = |at: &usize| part.bytes.contains(at);
    let first = line.iter().take_while(|(at, _)| !within(at)).count();
    let end = first + line[first..].iter().take_while(|(at, _)| within(at)).count();
    let line: Vec<char> = line.into_iter().map(|(_, letter)| letter).collect();
    let found = (0..4).map(|turn| {
        let drawn = Drawn::along(glyphs, part, &line, turn);
        let found = drawn_of(&line, first..end, &drawn.letters);
        (found, drawn)
    });
    let Some((found, drawn)) = found.max_by_key(|(found, _)| found.len()) else {
        return Vec::new();
    };
    let (below, own): (Vec<usize>, Vec<usize>) = found.into_iter().partition(|at| *at >= drawn.own);
    [own, below]
        .iter()
        .filter_map(|row| around(row.iter().filter_map(|at| drawn.glyphs.get(*at).copied())))
        .map(|corners| corners.map(|corner| back * corner))
        .collect()
}

/// The letters that are drawn within a line's area, from left to right, each with its character.
struct Drawn<'a> {
    letters: Vec<char>,
    glyphs: Vec<&'a Glyph>,
    /// How many are the line's own; the others end its last word on the line below.
    own: usize,
}

impl<'a> Drawn<'a> {
    fn along(glyphs: &'a [Glyph], part: &MarkedPart, line: &[char], turn: u8) -> Self {
        let mut drawn = Self::within(glyphs, part.area, turn);
        if let Some(below) = part.below {
            drawn.join(Self::within(glyphs, below, turn), line);
        }
        drawn
    }

    fn within(glyphs: &'a [Glyph], [left, top, right, bottom]: [f32; 4], turn: u8) -> Self {
        let mut inside: Vec<&Glyph> = glyphs
            .iter()
            .filter(|glyph| glyph.turn == turn)
            .filter(|glyph| glyph.baseline >= top - NEAR && glyph.baseline <= bottom + NEAR)
            .filter(|glyph| glyph.left >= left - NEAR && glyph.right <= right + NEAR)
            .collect();
        inside.sort_by(|one, other| one.left.total_cmp(&other.left));
        let mut drawn = Self {
            letters: Vec::new(),
            glyphs: Vec::new(),
            own: 0,
        };
        for glyph in inside {
            for (_, letter) in letters(&glyph.text) {
                drawn.letters.push(letter);
                drawn.glyphs.push(glyph);
            }
        }
        drawn.own = drawn.letters.len();
        drawn
    }

    /// Adds the end of a word that was broken at the line's end, where that gives the line.
    fn join(&mut self, below: Self, line: &[char]) {
        let Some(stem) = self.letters.strip_suffix(&['-']) else {
            return;
        };
        let Some(rest) = line.strip_prefix(stem) else {
            return;
        };
        // A compound keeps its hyphen.
        let (kept, tail) = rest
            .strip_prefix(&['-'])
            .map_or((self.own - 1, rest), |tail| (self.own, tail));
        if !tail.is_empty() && below.letters.starts_with(tail) {
            self.own = kept;
            self.letters.truncate(kept);
            self.glyphs.truncate(kept);
            self.letters.extend(tail);
            self.glyphs.extend(below.glyphs.iter().take(tail.len()));
        }
    }
}

/// The corners of a box around characters of one direction, on the page as it is shown.
fn around<'a>(glyphs: impl Iterator<Item = &'a Glyph>) -> Option<Quad> {
    let mut area: Option<(u8, [f32; 4])> = None;
    for glyph in glyphs {
        let (top, bottom) = (
            glyph.baseline - ABOVE * glyph.size,
            glyph.baseline + BELOW * glyph.size,
        );
        let own = [glyph.left, top, glyph.right.max(glyph.left), bottom];
        let (_, all) = area.get_or_insert((glyph.turn, own));
        *all = [
            all[0].min(own[0]),
            all[1].min(own[1]),
            all[2].max(own[2]),
            all[3].max(own[3]),
        ];
    }
    let (turn, [left, top, right, bottom]) = area?;
    let corners = [(left, top), (right, top), (left, bottom), (right, bottom)];
    Some(corners.map(|(x, y)| turned(turn, f64::from(x), f64::from(y))))
}

/// A point of a frame in which text of that direction runs to the right, on the page as it is
/// shown: the inverse of what `glyphs` does to a character's place.
fn turned(turn: u8, x: f64, y: f64) -> Point {
    match turn {
        0 => Point::new(x, y),
        1 => Point::new(-y, x),
        2 => Point::new(-x, -y),
        _ => Point::new(y, -x),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn glyphs(text: &str, left: f32, baseline: f32, turn: u8) -> Vec<Glyph> {
        let place = |index: usize| left + 5.0 * index as f32;
        text.chars()
            .enumerate()
            .map(|(index, character)| Glyph {
                text: std::iter::once(character).collect(),
                left: place(index),
                right: place(index + 1),
                baseline,
                size: 10.0,
                turn,
            })
            .collect()
    }

    fn part(line: &str, marked: &str, area: [f32; 4]) -> MarkedPart {
        let start = line.find(marked).unwrap();
        MarkedPart {
            line: line.to_owned(),
            bytes: start..start + marked.len(),
            area,
            below: None,
        }
    }

    #[test]
    fn a_word_is_enclosed_and_its_neighbours_are_not() {
        let glyphs = glyphs("an effect of 0.45", 100.0, 200.0, 0);
        let part = part("an effect of 0.45", "0.45", [100.0, 192.0, 185.0, 202.0]);
        let [quad] = quads(&glyphs, &part, Affine::IDENTITY)[..] else {
            panic!("one line");
        };
        assert_eq!((quad[0].x, quad[1].x), (165.0, 185.0));
        assert!(quad[0].y < 193.0 && quad[2].y > 200.0);
    }

    #[test]
    fn a_word_broken_at_the_end_of_a_line_is_marked_on_both() {
        let mut page = glyphs("a repli-", 0.0, 100.0, 0);
        page.extend(glyphs("cation of it", 0.0, 112.0, 0));
        let mut broken = part("a replication", "replication", [0.0, 92.0, 40.0, 102.0]);
        broken.below = Some([0.0, 104.0, 60.0, 114.0]);
        let both: Vec<(f64, f64)> = quads(&page, &broken, Affine::IDENTITY)
            .iter()
            .map(|quad| (quad[0].x, quad[1].x))
            .collect();
        assert_eq!(both, [(10.0, 35.0), (0.0, 30.0)]);
        let rest = part("of it", "of", [0.0, 104.0, 60.0, 114.0]);
        let rest = quads(&page, &rest, Affine::IDENTITY);
        assert_eq!((rest[0][0].x, rest[0][1].x), (35.0, 45.0));
    }

    #[test]
    fn turned_text_has_its_corners_turned() {
        // Upwards along the page's left edge: x is 30, and the text begins at y 400.
        let page = glyphs("Table 1", -400.0, 30.0, 3);
        let part = part("Table 1", "1", [-400.0, 22.0, -365.0, 32.0]);
        let quads = quads(&page, &part, Affine::IDENTITY);
        let [upper_left, upper_right, lower_left, _] = quads[0];
        assert_eq!((upper_left.y, upper_right.y), (370.0, 365.0));
        assert!(upper_left.x < 23.0 && lower_left.x > 31.0);
    }

    #[test]
    fn what_a_page_does_not_draw_has_no_place() {
        let page = glyphs("another text", 0.0, 100.0, 0);
        let part = part("0.45 of them", "0.45", [0.0, 92.0, 60.0, 102.0]);
        assert!(quads(&page, &part, Affine::IDENTITY).is_empty());
    }
}
