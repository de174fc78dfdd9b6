//! Letters of a line found among the letters that a page draws there.

use std::ops::Range;

use unicode_normalization::UnicodeNormalization;
use unicode_normalization::char::is_combining_mark;

/// More letters of one line than this are no text.
const LONGEST: usize = 20_000;
/// Most steps of a comparison of two lines that differ.
const STEPS: usize = 4_000_000;

/// The letters of a text without what typography changes, each with its byte.
pub fn letters(text: &str) -> Vec<(usize, char)> {
    let mut found = Vec::new();
    for (at, character) in text.char_indices() {
        for part in std::iter::once(character).nfkd() {
            let part = match part {
                '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{2043}' => '-',
                '\u{2018}'..='\u{201b}' | '\u{2032}' | '`' | '\u{b4}' => '\'',
                '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
                // Bars part the cells of a table in text, carets what is raised.
                '|' | '^' => continue,
                part if part.is_whitespace() || part.is_control() || is_combining_mark(part) => continue,
                part => part,
            };
            found.extend(part.to_lowercase().map(|letter| (at, letter)));
        }
    }
    found
}

/// Which of the drawn letters stand for a part of a line's letters; none where less than
/// half of the part is drawn.
pub fn drawn_of(line: &[char], part: Range<usize>, drawn: &[char]) -> Vec<usize> {
    let wanted = line.get(part.clone()).unwrap_or_default();
    if wanted.is_empty() || line.len() > LONGEST || drawn.len() > LONGEST {
        return Vec::new();
    }
    if line == drawn {
        return part.collect();
    }
    let in_line = occurrences(line, wanted);
    let on_page = occurrences(drawn, wanted);
    if in_line.len() == on_page.len()
        && let Some(place) = in_line.iter().position(|start| *start == part.start)
        && let Some(start) = on_page.get(place)
    {
        return (*start..start + wanted.len()).collect();
    }
    let found: Vec<usize> = common(line, drawn)
        .into_iter()
        .filter(|(at, _)| part.contains(at))
        .map(|(_, at)| at)
        .collect();
    if found.len() * 2 < wanted.len() {
        return Vec::new();
    }
    found
}

/// Where a list begins within another.
fn occurrences(text: &[char], wanted: &[char]) -> Vec<usize> {
    let places = text.windows(wanted.len()).enumerate();
    places
        .filter(|(_, window)| *window == wanted)
        .map(|(at, _)| at)
        .collect()
}

/// The longest common subsequence of two lists, as pairs of places; none where the lists
/// are too long. Of several it is the last.
fn common(one: &[char], other: &[char]) -> Vec<(usize, usize)> {
    let width = other.len() + 1;
    if (one.len() + 1) * width > STEPS {
        return Vec::new();
    }
    // lengths[i * width + j] is that of the first i and the first j letters.
    let mut lengths = vec![0_u16; (one.len() + 1) * width];
    for (i, letter) in one.iter().enumerate() {
        for (j, drawn) in other.iter().enumerate() {
            let at = (i + 1) * width + j + 1;
            lengths[at] = if letter == drawn {
                lengths[at - width - 1] + 1
            } else {
                lengths[at - width].max(lengths[at - 1])
            };
        }
    }
    let mut pairs = Vec::new();
    let (mut i, mut j) = (one.len(), other.len());
    while i > 0 && j > 0 {
        let at = i * width + j;
        if one[i - 1] == other[j - 1] {
            pairs.push((i - 1, j - 1));
            (i, j) = (i - 1, j - 1);
        } else if lengths[at - 1] > lengths[at - width] {
            j -= 1;
        } else {
            i -= 1;
        }
    }
    pairs.reverse();
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(text: &str) -> Vec<char> {
        letters(text).into_iter().map(|(_, letter)| letter).collect()
    }

    /// The letters that are drawn for what stands between brackets in a line.
    fn shown(line: &str, drawn: &str) -> String {
        let part = plain(&line[..line.find('[').unwrap()]).len();
        let end = part + plain(&line[line.find('[').unwrap() + 1..line.find(']').unwrap()]).len();
        let drawn = plain(drawn);
        let line = plain(&line.replace(['[', ']'], ""));
        drawn_of(&line, part..end, &drawn)
            .iter()
            .map(|at| drawn[*at])
            .collect()
    }

    #[test]
    fn typography_is_no_difference() {
        assert_eq!(plain("Eﬃcient − “x²” | é"), plain("efficient-\"x2\"e"));
        assert_eq!(
            letters("aé x").iter().map(|(at, _)| *at).collect::<Vec<_>>(),
            [0, 1, 4]
        );
    }

    #[test]
    fn the_same_number_twice_is_found_where_it_is_meant() {
        assert_eq!(drawn_of(&plain("0.4 | 0.4"), 3..6, &plain("0.4 0.4")), [3, 4, 5]);
        // What is drawn besides does not change which of them it is.
        assert_eq!(
            drawn_of(&plain("0.4 | 0.4"), 3..6, &plain("0.4 + 0.4")),
            [4, 5, 6]
        );
    }

    #[test]
    fn a_line_that_is_drawn_otherwise_is_found_by_most_of_its_letters() {
        assert_eq!(shown("a [larger effect] is", "a large effect is"), "largeeffect");
        assert_eq!(shown("[of it]", "cation of it"), "ofit");
        assert_eq!(shown("a [larger effect] is", "nothing like that"), "");
    }

    #[test]
    fn a_part_that_holds_no_letters_is_nowhere() {
        assert!(drawn_of(&plain("a | b"), 1..1, &plain("a | b")).is_empty());
        assert!(drawn_of(&plain("ab"), 1..9, &plain("ab")).is_empty());
    }
}
