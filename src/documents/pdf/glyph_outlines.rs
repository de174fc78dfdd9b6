//! Characters told by their outlines, where the file's own tables tell something else.
//!
//! Publishers' mathematical fonts place their signs at the codes of other characters
//! without saying so: a minus at `2`, a multiplication sign at `3`, an equal sign at
//! `5` or `¼`, a less-than sign at `,`, `b`, `!` or `\\`, brackets at `ð` and `Þ`. Copied text then reads
//! `2.120` for −.120 and `p b .05` for p < .05. A digit is never drawn as a bar, nor
//! a letter or a comma as two arms that open to one side. The letters whose own shape
//! is near to a sign keep their meaning.

use std::collections::{BTreeMap, HashMap};

use foldhash::fast::RandomState;
use hayro_interpret::font::{GlyphIdentifier, OutlineGlyph};
use hayro_interpret::kurbo::{BezPath, PathEl, Shape};

use crate::documents::pdf::signs::sign;

/// Outlines looked at before no further ones are remembered.
const MOST: usize = 20_000;
/// Most kinds of corrections that are told.
const MOST_TOLD: usize = 12;

/// Remembers what the outlines of a document show.
#[derive(Debug, Default)]
pub struct Ink {
    known: HashMap<GlyphIdentifier, Option<char>, RandomState>,
    /// How often each sign was read by its shape, by what the file calls it.
    corrected: BTreeMap<(char, char), usize>,
}

impl Ink {
    /// The sign that the outline shows, where the claimed text cannot be right: nothing at all, or one
    /// character; `Some(None)` is any other text.
    pub fn correction(&mut self, glyph: &OutlineGlyph, claimed: Option<Option<char>>) -> Option<char> {
        let claimed = match claimed {
            None => None,
            Some(Some(one)) if is_doubtful(one) => Some(one),
            Some(_) => return None,
        };
        let identifier = glyph.identifier();
        let sign = if let Some(known) = self.known.get(&identifier) {
            *known
        } else {
            let sign = shown(&glyph.outline(), claimed);
            if self.known.len() < MOST {
                self.known.insert(identifier, sign);
            }
            sign
        };
        if let (Some(claimed), Some(sign)) = (claimed, sign) {
            *self.corrected.entry((claimed, sign)).or_default() += 1;
        }
        sign
    }

    /// Takes back a correction.
    pub fn keep(&mut self, claimed: char, sign: char) {
        if let Some(count) = self.corrected.get_mut(&(claimed, sign)) {
            *count -= 1;
            if *count == 0 {
                self.corrected.remove(&(claimed, sign));
            }
        }
    }

    /// Says which signs were read by their shape against what the file calls them.
    pub fn note(&self) -> Option<String> {
        let count: usize = self.corrected.values().sum();
        let mut kinds: Vec<String> = self
            .corrected
            .keys()
            .take(MOST_TOLD)
            .map(|(claimed, sign)| match is_unseen(*claimed) {
                true => format!("`{sign}` for U+{:04X}", u32::from(*claimed)),
                false => format!("`{sign}` for `{claimed}`"),
            })
            .collect();
        if self.corrected.len() > MOST_TOLD {
            kinds.push("others".to_owned());
        }
        let signs = if count == 1 { "sign was" } else { "signs were" };
        (count > 0).then(|| {
            format!(
                "{count} {signs} read by the drawn shape, since the font calls them something else: {}. \
                 Check them on the page where they matter.",
                kinds.join(", ")
            )
        })
    }
}

/// Whether a character may hide a sign: letters and digits, but for those that are
/// bars themselves, and the marks and fractions that publishers' fonts put signs on.
fn is_doubtful(character: char) -> bool {
    match character {
        // Maps call a minus a control character or a blank; a blank has no outline.
        _ if is_unseen(character) => true,
        'l' | 'I' | 'i' | 't' => false,
        ',' | '.' | ';' | ':' | '!' | '\\' | '¼' | '½' | '¾' => true,
        other => {
            other.is_ascii_alphanumeric() || ('\u{C0}'..='\u{FF}').contains(&other) && other.is_alphabetic()
        }
    }
}

/// Whether a character draws nothing.
fn is_unseen(character: char) -> bool {
    character.is_control()
        || character.is_whitespace()
        || ('\u{2000}'..='\u{200F}').contains(&character)
        || character == '\u{FFFD}'
}

/// The sign that an outline shows in the place of what it is claimed to be.
fn shown(outline: &BezPath, claimed: Option<char>) -> Option<char> {
    if claimed == Some(':') && is_one_dot(outline) {
        return Some('.');
    }
    let letter = claimed.is_some_and(|claimed| claimed.is_ascii_alphabetic());
    match sign(outline) {
        // A sans-serif x is a cross itself.
        Some('+' | '×') if letter => None,
        // Text fonts hide the dash of ranges behind a letter, formulas the minus behind a digit.
        Some('−') if letter => Some('–'),
        // Publishers' brackets stand at letters of Western Europe; those of ASCII may be bowed.
        Some('(' | ')') if claimed.is_some_and(|claimed| claimed.is_ascii()) => None,
        sign => sign,
    }
}

/// A colon has two dots.
fn is_one_dot(outline: &BezPath) -> bool {
    let parts = outline
        .elements()
        .iter()
        .filter(|element| matches!(element, PathEl::MoveTo(_)));
    let area = outline.bounding_box();
    parts.count() == 1
        && area.width() > 0.0
        && (0.7..1.4).contains(&(area.height() / area.width()))
        && area.y0.abs() < 0.5 * area.height()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::pdf::signs::tests::polygon;

    /// A less-than sign as publishers' fonts draw it.
    const LESS: [(f64, f64); 7] = [
        (50.0, 220.0),
        (620.0, -30.0),
        (620.0, 50.0),
        (170.0, 250.0),
        (620.0, 450.0),
        (620.0, 530.0),
        (50.0, 280.0),
    ];

    fn mirrored(points: &[(f64, f64)]) -> Vec<(f64, f64)> {
        points.iter().map(|(x, y)| (670.0 - x, *y)).collect()
    }

    #[test]
    fn two_arms_are_a_less_than_sign_by_any_name_and_letters_stay_letters() {
        for claimed in [',', 'b', '!', '\\', 'o', 'Ì'] {
            assert_eq!(shown(&polygon(&LESS), Some(claimed)), Some('<'), "{claimed}");
        }
        assert_eq!(shown(&polygon(&mirrored(&LESS)), Some('.')), Some('>'));
        let mut at_most = polygon(&LESS);
        at_most.extend(polygon(&[
            (50.0, -150.0),
            (620.0, -150.0),
            (620.0, -90.0),
            (50.0, -90.0),
        ]));
        assert_eq!(sign(&at_most), Some('≤'));
        // The strokes of sans-serif letters that have nothing but straight ones.
        let v = [
            (0., 500.),
            (200., 0.),
            (270., 0.),
            (470., 500.),
            (390., 500.),
            (235., 90.),
            (80., 500.),
        ];
        let k = [
            (0., 0.),
            (0., 700.),
            (90., 700.),
            (90., 360.),
            (430., 700.),
            (550., 700.),
            (250., 410.),
            (560., 0.),
            (450., 0.),
            (190., 350.),
            (90., 250.),
            (90., 0.),
        ];
        let z = [
            (20., 0.),
            (20., 70.),
            (330., 430.),
            (40., 430.),
            (40., 500.),
            (430., 500.),
            (430., 440.),
            (120., 70.),
            (440., 70.),
            (440., 0.),
        ];
        let triangle = [(50., 250.), (620., -30.), (620., 530.)];
        let seven = [
            (30., 620.),
            (30., 700.),
            (470., 700.),
            (470., 630.),
            (220., 0.),
            (130., 0.),
            (370., 620.),
        ];
        for (letter, points) in [
            ('v', &v[..]),
            ('k', &k),
            ('z', &z),
            ('b', &triangle),
            ('7', &seven),
        ] {
            assert_eq!(shown(&polygon(points), Some(letter)), None, "{letter}");
        }
    }

    /// A bar with round ends, as fonts after Computer Modern have them.
    fn round_bar(y: f64) -> BezPath {
        let mut bar = BezPath::new();
        bar.move_to((687., y));
        bar.curve_to((702., y), (721., y), (721., y + 20.));
        bar.curve_to((721., y + 40.), (702., y + 40.), (688., y + 40.));
        bar.line_to((89., y + 40.));
        bar.curve_to((75., y + 40.), (56., y + 40.), (56., y + 20.));
        bar.curve_to((56., y), (75., y), (90., y));
        bar.close_path();
        bar
    }

    #[test]
    fn signs_may_have_round_ends() {
        let mut equal = round_bar(327.0);
        equal.extend(round_bar(133.0));
        assert_eq!(shown(&equal, Some('¼')), Some('='));
        assert_eq!(shown(&round_bar(229.0), Some('À')), Some('−'));
        let mut o = BezPath::new();
        for (x, y) in [(0.0, 250.0), (70.0, 180.0)] {
            o.move_to((x, 250.));
            o.curve_to((x, 250. + y), (500. - x, 250. + y), (500. - x, 250.));
            o.curve_to((500. - x, 250. - y), (x, 250. - y), (x, 250.));
            o.close_path();
        }
        assert_eq!(shown(&o, Some('o')), None);
        let mut c = BezPath::new();
        c.move_to((420., 420.));
        c.curve_to((200., 620.), (20., 450.), (20., 250.));
        c.curve_to((20., 50.), (200., -120.), (420., 80.));
        c.line_to((380., 120.));
        c.curve_to((200., -20.), (90., 100.), (90., 250.));
        c.curve_to((90., 400.), (200., 520.), (380., 380.));
        c.close_path();
        assert_eq!(shown(&c, Some('c')), None);
    }

    #[test]
    fn a_colon_of_one_dot_is_a_point() {
        let dot = [(60., 0.), (160., 0.), (160., 100.), (60., 100.)];
        let mut colon = polygon(&dot);
        assert_eq!(shown(&colon, Some(':')), Some('.'));
        assert_eq!(shown(&colon, Some('.')), None);
        colon.extend(polygon(&dot.map(|(x, y)| (x, y + 350.0))));
        assert_eq!(shown(&colon, Some(':')), None);
    }
}
