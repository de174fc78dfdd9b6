//! Numbers as they are printed, with what their digits can tell.

use crate::domain::bare_number::{significant_digits, with_point};
use crate::domain::excerpt;
use crate::domain::number_words;

/// A printed number.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Figure {
    /// Without its sign.
    pub magnitude: f64,
    pub negative: bool,
    /// Digits behind the decimal point.
    pub decimals: i32,
    /// Digits without the zeros before the first other digit.
    pub significant: u32,
    pub percent: bool,
    /// True if `<` or `≤` stands before it.
    pub bound: bool,
    /// Byte offsets of the first digit, or of its sign, and behind the last digit.
    pub start: usize,
    pub end: usize,
}

/// Words before a number that make it a label.
const LABELS: [&str; 26] = [
    "table",
    "tables",
    "figure",
    "figures",
    "fig",
    "model",
    "models",
    "column",
    "columns",
    "row",
    "rows",
    "section",
    "sections",
    "page",
    "pages",
    "pp",
    "equation",
    "eq",
    "note",
    "footnote",
    "appendix",
    "panel",
    "hypothesis",
    "step",
    "study",
    "proposition",
];

/// The numbers of plain text in their order. Digits inside words, addresses
/// and chains such as `1.2.3` are none.
pub fn figures(text: &str) -> Vec<Figure> {
    let bytes = text.as_bytes();
    let mut found = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let digit = bytes[at].is_ascii_digit();
        let bare = bytes[at] == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit);
        if !digit && !bare {
            at += 1;
            continue;
        }
        let token = scan(bytes, at);
        let figure = read(text, at, token);
        at = figure.map_or(token, |figure| figure.end).max(at + 1);
        found.extend(figure);
    }
    found
}

/// The end of the digits, points and commas that begin at `start`, and of the
/// groups of three behind spaces.
fn scan(bytes: &[u8], start: usize) -> usize {
    let end = unspaced(bytes, start);
    let thousands = end - start <= 3 && bytes[start..end].iter().all(u8::is_ascii_digit);
    if !thousands || bytes[start] == b'0' {
        return end;
    }
    let mut last = end;
    while let [b' ', group @ ..] = &bytes[last..]
        && group.len() >= 3
        && group[..3].iter().all(u8::is_ascii_digit)
        && !group
            .get(3)
            .is_some_and(|next| next.is_ascii_alphanumeric() || (*next == b',' && is_thousand(group, 3)))
    {
        last += 4;
    }
    let is_mark = matches!(bytes.get(last), Some(b'.' | b','));
    if last > end && is_mark && bytes.get(last + 1).is_some_and(u8::is_ascii_digit) {
        return unspaced(bytes, last + 1);
    }
    last
}

/// Whether a comma before three digits is at a place.
fn is_thousand(bytes: &[u8], at: usize) -> bool {
    bytes
        .get(at + 1..at + 4)
        .is_some_and(|group| group.iter().all(u8::is_ascii_digit))
}

fn unspaced(bytes: &[u8], start: usize) -> usize {
    let mut end = start;
    while end < bytes.len() {
        let inner = match bytes[end] {
            b'.' | b',' => bytes.get(end + 1).is_some_and(u8::is_ascii_digit),
            // Between thousands: `1'234'567`.
            b'\'' => {
                let group = bytes.get(end + 1..end + 4);
                group.is_some_and(|group| group.iter().all(u8::is_ascii_digit))
                    && !bytes.get(end + 4).is_some_and(u8::is_ascii_digit)
            }
            _ => false,
        };
        if !bytes[end].is_ascii_digit() && !inner {
            break;
        }
        end += 1;
    }
    end
}

fn read(text: &str, start: usize, end: usize) -> Option<Figure> {
    let before = text[..start].chars().next_back();
    let sign = before == Some('-');
    let lead = if sign {
        text[..start - 1].chars().next_back()
    } else {
        before
    };
    if lead.is_some_and(|lead| lead.is_alphabetic() || lead == '_' || lead == '/' && !sign) {
        return None;
    }
    // A dash behind a digit makes a range; one behind a point or a digit chain no sign either.
    let negative = sign && !lead.is_some_and(|lead| lead.is_ascii_digit() || lead == '.' || lead == ')');
    let digits = with_point(&text[start..end])?;
    let rest = &text[end..];
    let letters = rest.chars().take_while(|c| c.is_alphabetic()).count();
    let decimals = digits.split_once('.').map_or(0, |(_, part)| part.len() as i32);
    let word = excerpt::start(rest, letters);
    let suffix = matches!(word, "st" | "nd" | "rd" | "th" | "s" | "pp" | "e" | "x");
    if letters > 2 || (letters > 0 && decimals == 0 && !suffix) {
        return None;
    }
    let mut magnitude: f64 = digits.parse().ok()?;
    let mut decimals = decimals;
    let mut end = end;
    if let Some((power, length)) = exponent(rest) {
        magnitude = format!("{digits}e{power}").parse().ok()?;
        decimals -= power;
        end += length;
    }
    let tail = text[end..].trim_start_matches([' ', '\n']);
    let percent = ["%", "percent", "per cent"]
        .iter()
        .any(|unit| tail.starts_with(unit));
    Some(Figure {
        magnitude,
        negative,
        decimals,
        significant: significant_digits(&digits) as u32,
        percent,
        bound: is_bound(text[..start].trim_end_matches([' ', '-'])),
        start: if negative { start - 1 } else { start },
        end,
    })
}

/// True if text ends in `<`, or in `p` and one sign that a broken font put in its place.
fn is_bound(before: &str) -> bool {
    if before.ends_with(['<', '≤']) {
        return true;
    }
    let sign = before.chars().next_back();
    let odd = sign.is_some_and(|c| !c.is_alphanumeric() && !c.is_whitespace() && !"=>≥(,.:;|".contains(c));
    let lead = before.trim_end_matches(|c| Some(c) == sign).trim_end();
    let is_p = lead.ends_with(['p', 'P']) && !lead[..lead.len() - 1].ends_with(char::is_alphabetic);
    // A letter, or a comma with spaces around it, as in `p b .001`.
    let coded = sign.is_some_and(|c| matches!(c, 'b' | 'o' | ','))
        && before[lead.len()..].starts_with(' ')
        && before.len() == lead.len() + 2;
    (odd || coded) && is_p
}

/// The numbers that a number with spaces between its thousands would be where
/// the spaces part columns; none for any other number.
pub fn apart(text: &str, figure: &Figure) -> Vec<Figure> {
    let Some(digits) = text.get(figure.start..figure.end) else {
        return Vec::new();
    };
    if !digits.contains(' ') {
        return Vec::new();
    }
    let mut start = figure.start;
    let mut found = Vec::new();
    for part in digits.split(' ') {
        let first = start + part.len() - part.trim_start_matches('-').len();
        found.extend(read(text, first, start + part.len()));
        start += part.len() + 1;
    }
    found
}

/// A power of ten behind the digits, `e-5` or `x 10-5`, and its length in bytes.
fn exponent(rest: &str) -> Option<(i32, usize)> {
    let marked = rest
        .strip_prefix(['e', 'E'])
        .or_else(|| {
            let trimmed = rest.strip_prefix(' ').unwrap_or(rest);
            let trimmed = trimmed.strip_prefix(['x', '×', '*'])?;
            let trimmed = trimmed.strip_prefix(' ').unwrap_or(trimmed);
            trimmed.strip_prefix("10")
        })?
        .trim_start_matches(['^', '{']);
    let length = marked
        .char_indices()
        .take_while(|(at, c)| c.is_ascii_digit() || (*at == 0 && matches!(c, '-' | '+')))
        .count();
    let power: i32 = marked.get(..length)?.parse().ok()?;
    (power.abs() < 300).then(|| (power, rest.len() - marked.len() + length))
}

/// Number words of a text, as numbers.
pub fn spelled(text: &str) -> Vec<Figure> {
    super::typography::words(text)
        .into_iter()
        .filter_map(|(start, word)| {
            let value = number_words::value(&word)?;
            let end = start + word.len();
            let tail = text.get(end..).unwrap_or_default().trim_start();
            Some(Figure {
                magnitude: value,
                negative: false,
                decimals: 0,
                significant: if value < 10.0 { 1 } else { 2 },
                percent: tail.starts_with("percent") || tail.starts_with("per cent"),
                bound: false,
                start,
                end,
            })
        })
        .collect()
}

/// True if a number only counts or names a part of a text: `Table 2`, `1.` at
/// the beginning of a line.
pub fn is_label(text: &str, figure: &Figure) -> bool {
    if figure.decimals != 0 || figure.negative {
        return numbering(text, figure);
    }
    let before = text[..figure.start].trim_end_matches([' ', '.', '#', '(']);
    let word: String = before
        .chars()
        .rev()
        .take_while(|c| c.is_alphabetic())
        .collect::<Vec<_>>()
        .into_iter()
        .rev()
        .collect();
    LABELS.contains(&word.to_lowercase().as_str()) || numbering(text, figure)
}

fn numbering(text: &str, figure: &Figure) -> bool {
    let before = text[..figure.start].trim_end_matches([' ', '(']);
    let begins = before.is_empty() || before.ends_with('\n');
    let after = text[figure.end..].chars().next();
    begins && figure.significant <= 2 && figure.decimals == 0 && matches!(after, Some('.' | ')'))
}

#[cfg(test)]
mod tests {
    use super::super::typography::plain;
    use super::*;

    fn values(text: &str) -> Vec<f64> {
        figures(&plain(text))
            .iter()
            .map(|figure| {
                if figure.negative {
                    -figure.magnitude
                } else {
                    figure.magnitude
                }
            })
            .collect()
    }

    #[test]
    fn numbers_as_papers_print_them() {
        assert_eq!(
            values("0.187*** (.038) −0.079 | 1,234.5"),
            [0.187, 0.038, -0.079, 1234.5]
        );
        assert_eq!(values("3.0–5.2, 1945-1999"), [3.0, 5.2, 1945.0, 1999.0]);
        assert_eq!(values("1.8e-21 and 3 × 10−5 and 0,45"), [1.8e-21, 3e-5, 0.45]);
        assert_eq!(
            values("R2 COVID-19 10.1257/aer 1.2.3 x_1 2.68a 19th"),
            [10.1257, 2.68, 19.0]
        );
        let percent = figures("20.3% and 5 percent");
        assert!(percent.iter().all(|figure| figure.percent));
        assert!(figures("p < .001")[0].bound && figures("0.0420")[0].significant == 3);
        for coded in ["p b .001", "(P o .01)", "p , .05", "p ! .05", "p \\ .001"] {
            assert!(figures(coded)[0].bound, "{coded}");
        }
        for plain in [
            "p, .05",
            "b .001",
            "step b .001",
            "p = .03",
            "p > .05",
            "top o .5",
        ] {
            assert!(!figures(plain)[0].bound, "{plain}");
        }
    }

    #[test]
    fn a_comma_or_a_space_is_read_for_what_it_parts() {
        assert_eq!(values("0,599 and -0,120"), [0.599, -0.12]);
        assert_eq!(
            values("3\u{2009}500 and 3 500 of 12 345 678.5"),
            [3500.0, 3500.0, 12_345_678.5]
        );
        assert_eq!(
            values("in 1999 500 people, 05 123, 12 50"),
            [1999.0, 500.0, 5.0, 123.0, 12.0, 50.0]
        );
        assert_eq!(
            values("1.234,5 (SD 411,5), 1’234’567.5 and 1.234.567"),
            [1234.5, 411.5, 1_234_567.5, 1_234_567.0]
        );
        assert_eq!(
            values("0·47 (0·36–0·60), −·35, 12 345,5"),
            [0.47, 0.36, 0.60, -0.35, 12_345.5]
        );
        let row = "45 120 333";
        let whole = figures(row);
        assert_eq!(whole[0].magnitude, 45_120_333.0);
        let parts: Vec<f64> = apart(row, &whole[0]).iter().map(|part| part.magnitude).collect();
        assert_eq!(parts, [45.0, 120.0, 333.0]);
        assert!(apart("0.599", &figures("0.599")[0]).is_empty());
    }

    #[test]
    fn labels_are_no_figures() {
        let text = "1. Regress it (Table 2, column 3) on 45 cases.\n2. Stop.";
        let kept: Vec<f64> = figures(text)
            .iter()
            .filter(|figure| !is_label(text, figure))
            .map(|figure| figure.magnitude)
            .collect();
        assert_eq!(kept, [45.0]);
    }
}
