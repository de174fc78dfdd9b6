//! A drawing device that draws nothing and keeps where each character stands.

use std::ops::RangeInclusive;

use hayro_interpret::font::{Glyph as DrawnGlyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::kurbo::{Affine, BezPath, Point, Rect, Shape, Vec2};
use hayro_interpret::{BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask};

use crate::documents::pdf::characters;
use crate::documents::pdf::glyph_outlines::Ink;
use crate::documents::pdf::glyph_text::GlyphText;
use crate::documents::pdf::median::median;

/// Most characters kept of one page; a page with more is a bomb, not prose.
const MOST: usize = 400_000;
/// What the characters of a text advance, as a part of the font's size.
const PLAUSIBLE: RangeInclusive<f32> = 0.2..=1.5;
/// What they advance in the middle.
const COMMON_ADVANCE: f32 = 0.5;
/// Most rules kept of one page.
const MOST_RULES: usize = 20_000;

/// One character of a page, in a frame in which its text runs left to right.
#[derive(Debug, Clone)]
pub struct Glyph {
    pub text: GlyphText,
    /// Left edge, right edge and baseline in points; y grows downwards.
    pub left: f32,
    pub right: f32,
    pub baseline: f32,
    /// Font size in points as drawn.
    pub size: f32,
    /// Quarter turns clockwise of the text's direction against the page.
    pub turn: u8,
}

/// A thin filled or stroked horizontal bar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rule {
    pub left: f32,
    pub right: f32,
    pub y: f32,
    pub thickness: f32,
}

/// A point or comma that was read as a sign.
#[derive(Debug, Clone, Copy)]
struct ReadPoint {
    at: usize,
    claimed: char,
    sign: char,
}

/// The drawn content of a page, as far as text needs it.
#[derive(Debug)]
pub struct Collected<'ink> {
    pub glyphs: Vec<Glyph>,
    pub rules: Vec<Rule>,
    pub images: u32,
    /// Characters whose meaning the file does not tell.
    pub unknown: u32,
    /// Whether the page holds more than is kept.
    pub overflowed: bool,
    /// Places in `glyphs` of what a font of Type 3 draws.
    drawn: Vec<usize>,
    /// Places of points and commas that were read as signs by their shape.
    points: Vec<ReadPoint>,
    width: f64,
    height: f64,
    ink: &'ink mut Ink,
}

impl<'ink> Collected<'ink> {
    /// An empty collection for a page of this size in points.
    pub fn new(width: f32, height: f32, ink: &'ink mut Ink) -> Self {
        Self {
            glyphs: Vec::new(),
            rules: Vec::new(),
            images: 0,
            unknown: 0,
            overflowed: false,
            drawn: Vec::new(),
            points: Vec::new(),
            width: f64::from(width),
            height: f64::from(height),
            ink,
        }
    }

    fn glyph(&mut self, drawn: &DrawnGlyph<'_>, placed: Affine) -> Option<()> {
        let unicode = drawn.as_unicode();
        let [xx, xy, yx, yy, x, y] = placed.as_coeffs();
        let along = Vec2::new(xx, xy);
        let size = Vec2::new(yx, yy).hypot() * 1000.0;
        let stride = along.hypot();
        if !(stride.is_finite() && size.is_finite() && x.is_finite() && y.is_finite()) || size <= 0.0 {
            return None;
        }
        // Of both kinds in thousandths of the font's size; those of Type 3 are brought there by its matrix.
        let advance = match drawn {
            DrawnGlyph::Outline(outline) => outline.advance_width(),
            DrawnGlyph::Type3(drawing) => drawing.advance_width(),
        };
        let width = f64::from(
            advance
                .filter(|advance| advance.is_finite() && *advance >= 0.0)
                .unwrap_or(500.0),
        ) * stride;
        let turn = turn_of(along);
        let (left, baseline) = unturn(turn, Point::new(x, y));
        let outside = x < -2.0 || y < -2.0 || x > self.width + 2.0 || y > self.height + 2.0;
        if outside {
            return None;
        }
        let sign = match drawn {
            DrawnGlyph::Outline(outline) => self.ink.correction(outline, unicode.as_ref().map(single)),
            DrawnGlyph::Type3(_) => None,
        };
        if let (Some(sign), Some(claimed @ ('.' | ','))) = (sign, unicode.as_ref().and_then(single)) {
            self.points.push(ReadPoint {
                at: self.glyphs.len(),
                claimed,
                sign,
            });
        }
        let text = match (sign, unicode) {
            (Some(sign), _) => std::iter::once(sign).collect(),
            (None, Some(BfString::Char(character))) => characters::clean(std::iter::once(character)),
            (None, Some(BfString::String(text))) => characters::clean(text.chars()),
            (None, None) => {
                let guessed = characters::guess(drawn.char_code());
                self.unknown += u32::from(guessed.is_none());
                guessed.into_iter().collect()
            }
        };
        if text.is_empty() {
            return None;
        }
        if matches!(drawn, DrawnGlyph::Type3(_)) {
            self.drawn.push(self.glyphs.len());
        }
        self.glyphs.push(Glyph {
            text,
            left: left as f32,
            right: (left + width) as f32,
            baseline: baseline as f32,
            size: size as f32,
            turn,
        });
        Some(())
    }

    /// Keeps a point or comma right between two digits what the font calls it: no shape is
    /// better evidence than that.
    pub fn settle_points(&mut self) {
        for point in std::mem::take(&mut self.points) {
            let Some([before, middle, after]) = point
                .at
                .checked_sub(1)
                .and_then(|first| self.glyphs.get(first..first + 3))
            else {
                continue;
            };
            let near = |left: &Glyph, right: &Glyph| {
                (left.baseline - right.baseline).abs() < 0.1 * left.size
                    && (right.left - left.right).abs() < 0.1 * left.size
            };
            let is_digit = |glyph: &Glyph| glyph.text.bytes().all(|byte| byte.is_ascii_digit());
            if is_digit(before) && is_digit(after) && near(before, middle) && near(middle, after) {
                self.glyphs[point.at].text = std::iter::once(point.claimed).collect();
                self.ink.keep(point.claimed, point.sign);
            }
        }
    }

    /// Gives the characters of Type 3 fonts their size where what they advance shows
    /// that the font does not count it in the size at which it is set: fonts of dots,
    /// as `dvips` writes them, count dots.
    pub fn settle_sizes(&mut self) {
        let mut drawn: Vec<(usize, f32)> = std::mem::take(&mut self.drawn)
            .into_iter()
            .map(|at| (at, self.glyphs[at].size))
            .collect();
        drawn.sort_by(|one, other| one.1.total_cmp(&other.1));
        for same in drawn.chunk_by(|one, other| one.1 >= other.1) {
            let advances = same
                .iter()
                .map(|(at, _)| self.glyphs[*at].right - self.glyphs[*at].left);
            let advance = median(advances);
            let size = same.first().map_or(1.0, |(_, size)| *size);
            if advance > 0.0 && !PLAUSIBLE.contains(&(advance / size)) {
                for (at, _) in same {
                    self.glyphs[*at].size = advance / COMMON_ADVANCE;
                }
            }
        }
    }

    fn bar(&mut self, area: Rect, thickness: f64) {
        if self.rules.len() >= MOST_RULES || area.height() > 1.5 || area.width() < 2.0 {
            return;
        }
        self.rules.push(Rule {
            left: area.x0 as f32,
            right: area.x1 as f32,
            y: area.center().y as f32,
            thickness: area.height().max(thickness) as f32,
        });
    }
}

/// The one character of a text; `None` of several.
fn single(text: &BfString) -> Option<char> {
    match text {
        BfString::Char(character) => Some(*character),
        BfString::String(text) => {
            let mut characters = text.chars();
            characters.next().filter(|_| characters.next().is_none())
        }
    }
}

/// The quarter turn nearest to a direction, in a frame with y downwards.
fn turn_of(along: Vec2) -> u8 {
    if along.x.abs() >= along.y.abs() {
        if along.x >= 0.0 { 0 } else { 2 }
    } else if along.y >= 0.0 {
        1
    } else {
        3
    }
}

/// Turns a point so that text of that direction runs to the right.
fn unturn(turn: u8, point: Point) -> (f64, f64) {
    match turn {
        0 => (point.x, point.y),
        1 => (point.y, -point.x),
        2 => (-point.x, -point.y),
        _ => (-point.y, point.x),
    }
}

impl<'a> Device<'a> for Collected<'_> {
    fn draw_path(&mut self, path: &BezPath, props: DrawProps<'a>, mode: &DrawMode) {
        if path.elements().len() > 12 {
            return;
        }
        let area = props.transform.transform_rect_bbox(path.bounding_box());
        let stroke = match mode {
            DrawMode::Stroke(stroke) => f64::from(stroke.line_width),
            _ => 0.0,
        };
        self.bar(area, stroke);
    }

    fn draw_rect(&mut self, rect: &Rect, props: DrawProps<'a>, _: &DrawMode) {
        self.bar(props.transform.transform_rect_bbox(*rect), 0.0);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_clip_rect(&mut self, _: &Rect) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        for glyph in run.glyphs() {
            if self.glyphs.len() >= MOST {
                self.overflowed = true;
                return;
            }
            self.glyph(glyph, props.transform * glyph.transform());
        }
    }

    fn draw_image(&mut self, _: Image<'a, '_>, _: ImageDrawProps<'a>) {
        self.images = self.images.saturating_add(1);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
