//! Characters told by their outlines, where the file's own tables tell something else.
//!
//! Publishers' mathematical fonts place the minus sign at the code of `2` and
//! the multiplication sign at the code of `3`, without saying so. Copied text
//! then reads `2.120` for −.120. A digit is never drawn as a bar.

use std::collections::HashMap;

use foldhash::fast::RandomState;
use hayro_interpret::font::{GlyphIdentifier, OutlineGlyph};
use hayro_interpret::kurbo::{BezPath, PathEl, Point, Rect, Shape};

/// Outlines looked at before no further ones are remembered.
const MOST: usize = 20_000;

/// Remembers what the outlines of a document show.
#[derive(Debug, Default)]
pub struct Ink {
    known: HashMap<GlyphIdentifier, Option<char>, RandomState>,
}

impl Ink {
    /// The sign that the outline shows, where the claimed text cannot be right.
    pub fn correction(&mut self, glyph: &OutlineGlyph, claimed: Option<&str>) -> Option<char> {
        let doubtful = match claimed {
            None => true,
            Some(text) => {
                let mut characters = text.chars();
                match (characters.next(), characters.next()) {
                    (Some(one), None) => one.is_ascii_alphanumeric() && !matches!(one, 'l' | 'I' | 'i' | 't'),
                    _ => false,
                }
            }
        };
        if !doubtful {
            return None;
        }
        let identifier = glyph.identifier();
        if let Some(known) = self.known.get(&identifier) {
            return *known;
        }
        let letter = claimed.is_some_and(|text| text.chars().all(char::is_alphabetic));
        let sign = match sign(&glyph.outline()) {
            // A sans-serif x is a cross itself.
            Some('+' | '×') if letter => None,
            // Text fonts hide the dash of ranges behind a letter, formulas the minus behind a digit.
            Some('−') if letter => Some('–'),
            sign => sign,
        };
        if self.known.len() < MOST {
            self.known.insert(identifier, sign);
        }
        sign
    }
}

/// The arithmetic sign that an outline shows, if it shows one.
fn sign(outline: &BezPath) -> Option<char> {
    let parts = straight_parts(outline)?;
    match parts.as_slice() {
        [one] if is_bar(one) => Some('−'),
        [one] => cross(one),
        [one, two] if is_bar(one) && is_bar(two) => {
            let (a, b) = (one.bounding_box(), two.bounding_box());
            let same = (a.width() - b.width()).abs() < 0.1 * a.width();
            (same && (a.center().y - b.center().y).abs() > a.height()).then_some('=')
        }
        [one, two] => {
            let (bar, other) = if is_bar(one) { (one, two) } else { (two, one) };
            let below = bar.bounding_box().center().y < other.bounding_box().center().y;
            (is_bar(bar) && below && cross(other) == Some('+')).then_some('±')
        }
        _ => None,
    }
}

/// The closed parts of an outline, if all of it is straight and little of it.
fn straight_parts(outline: &BezPath) -> Option<Vec<BezPath>> {
    let mut parts: Vec<BezPath> = Vec::new();
    if outline.elements().len() > 40 {
        return None;
    }
    for element in outline.elements() {
        match element {
            PathEl::MoveTo(_) => {
                let mut part = BezPath::new();
                part.push(*element);
                parts.push(part);
            }
            PathEl::LineTo(_) | PathEl::ClosePath => parts.last_mut()?.push(*element),
            PathEl::QuadTo(..) | PathEl::CurveTo(..) => return None,
        }
    }
    parts.retain(|part| part.elements().len() > 3);
    Some(parts)
}

/// A bar lies flat, is thin, and fills its box.
fn is_bar(part: &BezPath) -> bool {
    let area = part.bounding_box();
    area.width() > 250.0 && area.height() < 0.25 * area.width() && part.area().abs() > 0.9 * area.area()
}

fn cross(part: &BezPath) -> Option<char> {
    let area = part.bounding_box();
    let even = (area.width() - area.height()).abs() < 0.15 * area.width();
    if !even || part.elements().len() < 12 || area.width() < 200.0 {
        return None;
    }
    let inside = |x: f64, y: f64| part.winding(at(area, x, y)) != 0;
    let corners = [(0.08, 0.08), (0.92, 0.08), (0.08, 0.92), (0.92, 0.92)];
    let edges = [(0.5, 0.05), (0.5, 0.95), (0.05, 0.5), (0.95, 0.5)];
    let count = |places: &[(f64, f64)]| places.iter().filter(|(x, y)| inside(*x, *y)).count();
    match (inside(0.5, 0.5), count(&corners), count(&edges)) {
        (true, 0, 4) => Some('+'),
        (true, 4, 0) => Some('×'),
        _ => None,
    }
}

fn at(area: Rect, x: f64, y: f64) -> Point {
    Point::new(area.x0 + x * area.width(), area.y0 + y * area.height())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn polygon(points: &[(f64, f64)]) -> BezPath {
        let mut path = BezPath::new();
        path.move_to(points[0]);
        points[1..].iter().for_each(|point| path.line_to(*point));
        path.close_path();
        path
    }

    #[test]
    fn a_flat_bar_is_a_minus_and_an_upright_one_is_not() {
        let flat = polygon(&[(50.0, 220.0), (550.0, 220.0), (550.0, 280.0), (50.0, 280.0)]);
        let upright = polygon(&[(220.0, 0.0), (280.0, 0.0), (280.0, 700.0), (220.0, 700.0)]);
        assert_eq!(sign(&flat), Some('−'));
        assert_eq!(sign(&upright), None);
        let mut both = flat.clone();
        both.extend(polygon(&[
            (50.0, 420.0),
            (550.0, 420.0),
            (550.0, 480.0),
            (50.0, 480.0),
        ]));
        assert_eq!(sign(&both), Some('='));
    }

    #[test]
    fn crosses_are_told_apart_by_their_corners() {
        let plus = [
            (220., 0.),
            (280., 0.),
            (280., 220.),
            (500., 220.),
            (500., 280.),
            (280., 280.),
            (280., 500.),
            (220., 500.),
            (220., 280.),
            (0., 280.),
            (0., 220.),
            (220., 220.),
        ];
        let times = [
            (0., 40.),
            (40., 0.),
            (250., 210.),
            (460., 0.),
            (500., 40.),
            (290., 250.),
            (500., 460.),
            (460., 500.),
            (250., 290.),
            (40., 500.),
            (0., 460.),
            (210., 250.),
        ];
        assert_eq!(sign(&polygon(&plus)), Some('+'));
        assert_eq!(sign(&polygon(&times)), Some('×'));
    }
}
