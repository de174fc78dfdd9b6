//! Arithmetic signs and brackets as outlines show them, in thousandths of the font's size.

use hayro_interpret::kurbo::{BezPath, PathEl, Point, Rect, Shape, flatten};

/// Signs have few lines and curves; the ends of their strokes may be round.
const MOST_ELEMENTS: usize = 40;
/// The widest and highest outline, in thousandths of the font's size.
const LARGEST: f64 = 10_000.0;
/// How far the ends of a bracket stand from its waist at least, as a share of its width.
const BOW: f64 = 0.35;
/// How far a straight piece may lie from its curve, in thousandths of the font's size.
const FLATNESS: f64 = 2.0;

/// The arithmetic sign or the bracket that an outline shows, if it shows one.
pub fn sign(outline: &BezPath) -> Option<char> {
    let parts = simple_parts(outline)?;
    match parts.as_slice() {
        [one] if is_bar(one) => Some('−'),
        [one] => cross(one).or_else(|| arms(one)).or_else(|| bracket(one)),
        [one, two] if is_bar(one) && is_bar(two) => {
            let (a, b) = (one.bounding_box(), two.bounding_box());
            let same = (a.width() - b.width()).abs() < 0.1 * a.width();
            (same && (a.center().y - b.center().y).abs() > a.height()).then_some('=')
        }
        [one, two] => {
            let (bar, other) = if is_bar(one) { (one, two) } else { (two, one) };
            let below = bar.bounding_box().center().y < other.bounding_box().center().y;
            if !is_bar(bar) || !below {
                return None;
            }
            match cross(other).or_else(|| arms(other)) {
                Some('+') => Some('±'),
                Some('<') => Some('≤'),
                Some('>') => Some('≥'),
                _ => None,
            }
        }
        _ => None,
    }
}

/// The closed parts of an outline, its curves as straight pieces, if there is little of it.
fn simple_parts(outline: &BezPath) -> Option<Vec<BezPath>> {
    let area = outline.control_box();
    let is_small = area.width() <= LARGEST && area.height() <= LARGEST;
    if outline.elements().len() > MOST_ELEMENTS || !is_small {
        return None;
    }
    let mut parts: Vec<BezPath> = Vec::new();
    flatten(outline, FLATNESS, |element| match (element, parts.last_mut()) {
        (PathEl::MoveTo(_), _) | (_, None) => {
            let mut part = BezPath::new();
            part.push(element);
            parts.push(part);
        }
        (_, Some(part)) => part.push(element),
    });
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
    // A round dot reaches its edges as a cross does, and fills what is between the arms.
    let between_upright = [(0.22, 0.22), (0.78, 0.22), (0.22, 0.78), (0.78, 0.78)];
    let between_slanted = [(0.5, 0.2), (0.5, 0.8), (0.2, 0.5), (0.8, 0.5)];
    let count = |places: &[(f64, f64)]| places.iter().filter(|(x, y)| inside(*x, *y)).count();
    match (inside(0.5, 0.5), count(&corners), count(&edges)) {
        (true, 0, 4) if count(&between_upright) == 0 => Some('+'),
        (true, 4, 0) if count(&between_slanted) == 0 => Some('×'),
        _ => None,
    }
}

/// Two arms that open to one side from a point at half their height.
fn arms(part: &BezPath) -> Option<char> {
    let area = part.bounding_box();
    let even = (0.5..1.6).contains(&(area.height() / area.width().max(1.0)));
    if !even || area.width() < 200.0 || part.elements().len() < 6 {
        return None;
    }
    // The heights at which a part is inked, from its lower edge, at a place across it.
    let inked = |x: f64| -> Vec<bool> {
        (0..=40)
            .map(|step| part.winding(at(area, x, 0.0125 + 0.975 * f64::from(step) / 40.0)) != 0)
            .collect()
    };
    // The middle of the one stroke on each side of half the height.
    let strokes = |x: f64| -> Option<(f64, f64)> {
        let column = inked(x);
        let stroke = |half: &[bool]| -> Option<f64> {
            let first = half.iter().position(|ink| *ink)?;
            let length = half[first..].iter().take_while(|ink| **ink).count();
            let is_alone = !half[first + length..].contains(&true);
            (is_alone && length <= 12).then_some(first as f64 + (length as f64 - 1.0) / 2.0)
        };
        Some((stroke(&column[..20])?, 20.0 + stroke(&column[20..])?))
    };
    let opening = |near: f64, middle: f64, far: f64| -> bool {
        let (Some((low, high)), Some((lowest, highest))) = (strokes(middle), strokes(far)) else {
            return false;
        };
        let tip = inked(near);
        let is_tip = tip[20] && !tip[..8].contains(&true) && !tip[33..].contains(&true);
        let grows = high - low > 8.0 && highest - lowest > high - low + 6.0;
        let is_even = (low + high - 40.0).abs() < 4.0 && (lowest + highest - 40.0).abs() < 4.0;
        is_tip && grows && is_even
    };
    // Few points settle most letters, before the strokes are followed.
    let ink = |x: f64, y: f64| part.winding(at(area, x, y)) != 0;
    let is_open =
        |near: f64, far: f64| ink(near, 0.5) && !ink(near, 0.1) && !ink(near, 0.9) && !ink(far, 0.5);
    if is_open(0.08, 0.8) && opening(0.08, 0.55, 0.9) {
        Some('<')
    } else if is_open(0.92, 0.2) && opening(0.92, 0.45, 0.1) {
        Some('>')
    } else {
        None
    }
}

/// One tall stroke that is bowed to one side, evenly above and below its middle.
fn bracket(part: &BezPath) -> Option<char> {
    let area = part.bounding_box();
    let tall = (2.0..7.0).contains(&(area.height() / area.width().max(1.0)));
    if !tall || area.height() < 500.0 {
        return None;
    }
    // The middle of the one stroke at a height, as a share of the width.
    let middle = |y: f64| -> Option<f64> {
        let inked: Vec<bool> = (0..=40)
            .map(|step| part.winding(at(area, 0.0125 + 0.975 * f64::from(step) / 40.0, y)) != 0)
            .collect();
        let first = inked.iter().position(|ink| *ink)?;
        let length = inked[first..].iter().take_while(|ink| **ink).count();
        let is_alone = !inked[first + length..].contains(&true);
        (is_alone && length <= 28).then_some((first as f64 + (length as f64 - 1.0) / 2.0) / 40.0)
    };
    // Its ends stand to one side of its waist, which settles most letters.
    let (waist, top, bottom) = (middle(0.5)?, middle(0.97)?, middle(0.03)?);
    let ends = (top - waist, bottom - waist);
    if ends.0.abs().min(ends.1.abs()) <= BOW || ends.0 * ends.1 < 0.0 {
        return None;
    }
    let (high, above) = (middle(0.85)?, middle(0.7)?);
    let (low, below) = (middle(0.15)?, middle(0.3)?);
    // As it were an opening one: its ends to the right of its waist.
    let bow = |end: f64, way: f64, near: f64, waist: f64| {
        end - waist > BOW
            && end > way
            && way - near > 0.03
            && near >= waist
            && near - waist < 0.6 * (end - near)
    };
    let is_even = (top - bottom).abs() < 0.2 && (high - low).abs() < 0.15 && (above - below).abs() < 0.15;
    let opens = bow(top, high, above, waist) && bow(bottom, low, below, waist);
    let closes = bow(-top, -high, -above, -waist) && bow(-bottom, -low, -below, -waist);
    match (is_even && opens, is_even && closes) {
        (true, false) => Some('('),
        (false, true) => Some(')'),
        _ => None,
    }
}

fn at(area: Rect, x: f64, y: f64) -> Point {
    Point::new(area.x0 + x * area.width(), area.y0 + y * area.height())
}

#[cfg(test)]
pub(super) mod tests {
    use hayro_interpret::kurbo::{Circle, RoundedRect};

    use super::*;

    /// The closed outline through some points.
    pub(in crate::documents::pdf) fn polygon(points: &[(f64, f64)]) -> BezPath {
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

    #[test]
    fn a_round_or_square_dot_of_any_size_is_no_cross() {
        for radius in [60.0, 110.0, 130.0, 250.0] {
            let dot = Circle::new((300.0, radius), radius).to_path(0.1);
            assert_eq!(sign(&dot), None, "{radius}");
            let diamond = [
                (0.0, radius),
                (radius, 0.0),
                (2.0 * radius, radius),
                (radius, 2.0 * radius),
            ];
            assert_eq!(sign(&polygon(&diamond)), None, "{radius}");
        }
        let square = RoundedRect::new(0.0, 0.0, 240.0, 240.0, 60.0).to_path(0.1);
        assert_eq!(sign(&square), None);
    }

    /// A stroke along points that are given from below, so thick.
    fn stroke(points: &[(f64, f64)], thick: f64) -> BezPath {
        let back = points.iter().rev().map(|(x, y)| (x + thick, *y));
        let around: Vec<(f64, f64)> = points.iter().copied().chain(back).collect();
        polygon(&around)
    }

    #[test]
    fn a_bowed_stroke_is_a_bracket_and_no_other_tall_one_is() {
        let along = |bow: &dyn Fn(f64) -> f64| -> Vec<(f64, f64)> {
            (0..=16)
                .map(|step| (bow(f64::from(step) / 8.0 - 1.0), 56.25 * f64::from(step)))
                .collect()
        };
        assert_eq!(sign(&stroke(&along(&|y| 220.0 * y * y), 70.0)), Some('('));
        assert_eq!(sign(&stroke(&along(&|y| -220.0 * y * y), 70.0)), Some(')'));
        // A brace, an angle, a slash, a bar and a letter S.
        let brace = |y: f64| {
            if y.abs() > 0.9 || y.abs() < 0.05 {
                200.0 * (y.abs() - 0.5)
            } else {
                0.0
            }
        };
        for (name, shape) in [
            ("brace", stroke(&along(&brace), 60.0)),
            ("angle", stroke(&along(&|y| 220.0 * y.abs()), 60.0)),
            ("slash", stroke(&along(&|y| 150.0 * y), 60.0)),
            ("bar", stroke(&along(&|_| 0.0), 60.0)),
            ("S", stroke(&along(&|y| 150.0 * (3.0 * y).sin()), 60.0)),
        ] {
            assert_eq!(sign(&shape), None, "{name}");
        }
    }
}
