//! Large first letters that hang beside the first lines of a paragraph.
//!
//! Such a letter is drawn on the baseline of the last line beside it, and belongs
//! to the first.

use crate::documents::pdf::median::median;
use crate::documents::pdf::word::Word;

/// How much larger than the page's text such a letter is.
const LARGE: f32 = 1.8;
/// Height of a capital, as a part of the font size.
const HEIGHT: f32 = 0.7;
/// Farthest distance from the letter to the lines, as a part of the text's size.
const FARTHEST: f32 = 1.5;
/// Fewest words of a line beside the letter.
const FEWEST_WORDS: usize = 3;
/// Most large letters of a page that are looked at.
const MOST: usize = 20;

/// Puts each such letter before the first word of its paragraph.
pub fn settle_drop_caps(words: &mut Vec<Word>) {
    let typical = median(words.iter().map(|word| word.size));
    let large: Vec<usize> = (0..words.len())
        .filter(|at| is_initial(&words[*at]) && words[*at].size >= LARGE * typical)
        .take(MOST)
        .collect();
    let mut settled = Vec::new();
    for at in large {
        let Some(first) = first_word(words, at) else {
            continue;
        };
        let initial = words[at].clone();
        if is_part(&initial, &words[first], words) {
            let word = &mut words[first];
            word.text.insert_str(0, &initial.text);
            word.left = initial.left.min(word.left);
            settled.push(at);
        } else {
            let Word {
                left,
                baseline,
                line,
                size,
                ..
            } = words[first];
            let word = &mut words[at];
            (word.baseline, word.line, word.size) = (baseline, line, size);
            word.right = left - 0.3 * size;
        }
    }
    let mut at = 0;
    words.retain(|_| {
        at += 1;
        !settled.contains(&(at - 1))
    });
    words.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
}

/// Whether a word is one capital, perhaps behind a quotation mark.
fn is_initial(word: &Word) -> bool {
    let letter = word.text.trim_start_matches(['“', '‘', '"', '\'', '«']);
    let mut letters = letter.chars();
    matches!((letters.next(), letters.next()), (Some(letter), None) if letter.is_uppercase() && !is_sign(letter))
}

/// Sums and products are set as large letters too.
fn is_sign(letter: char) -> bool {
    matches!(letter, 'Σ' | 'Π' | 'Ω')
}

/// The word beside the top of a large letter, where the letter is as high as the lines
/// beside it.
fn first_word(words: &[Word], at: usize) -> Option<usize> {
    let initial = &words[at];
    let top = initial.baseline - HEIGHT * initial.size;
    let is_beside = |word: &Word| {
        let distance = word.left - initial.right;
        word.size * LARGE <= initial.size
            && distance <= FARTHEST * word.size
            && distance >= -0.15 * initial.size
            && word.baseline > top
            && word.baseline < initial.baseline + 0.35 * word.size
    };
    let beside: Vec<usize> = (0..words.len())
        .filter(|other| *other != at && is_beside(&words[*other]))
        .collect();
    // Words are sorted by baseline.
    let first = beside
        .iter()
        .copied()
        .filter(|other| words[*other].baseline < words[beside[0]].baseline + 0.3 * words[beside[0]].size)
        .min_by(|one, other| words[*one].left.total_cmp(&words[*other].left))?;
    let last = &words[*beside.last()?];
    let upper = &words[first];
    let is_level = |one: f32, other: f32| (one - other).abs() < 0.45 * upper.size;
    let in_line = |of: &Word| {
        let words = words.iter().filter(|word| {
            word.left >= initial.right - 0.15 * initial.size
                && (word.baseline - of.baseline).abs() < 0.1 * of.size
        });
        words.count()
    };
    let fits = last.baseline - upper.baseline > 0.8 * upper.size
        && is_level(last.baseline, initial.baseline)
        && is_level(top, upper.baseline - HEIGHT * upper.size)
        && in_line(upper) >= FEWEST_WORDS
        && in_line(last) >= FEWEST_WORDS;
    fits.then_some(first)
}

/// Whether the letter begins the first word rather than being a word itself. `A` and `I`
/// are words; there the words of the page tell.
fn is_part(initial: &Word, first: &Word, words: &[Word]) -> bool {
    if !first
        .text
        .starts_with(|c: char| c.is_alphabetic() || matches!(c, '’' | '\''))
    {
        return false;
    }
    if !matches!(initial.text.as_str(), "A" | "I") {
        return true;
    }
    let plain = |text: &str| text.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase();
    let rest = plain(&first.text);
    let whole = plain(&format!("{}{}", initial.text, first.text));
    let others = || words.iter().filter(|word| !std::ptr::eq(*word, first));
    let holds = |wanted: &str| others().any(|word| plain(&word.text) == wanted);
    holds(&whole) || !holds(&rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn word(text: &str, left: f32, baseline: f32, size: f32) -> Word {
        Word {
            text: text.to_owned(),
            left,
            right: left + 0.5 * size * text.chars().count() as f32,
            baseline,
            line: baseline,
            size,
            spaced: false,
        }
    }

    /// A letter of 27 points beside two lines of 10 points.
    fn paragraph(initial: &str, first: &str) -> Vec<Word> {
        let mut words = vec![word(first, 68.0, 100.0, 10.0)];
        for (line, left) in [(0, 110.0), (1, 68.0), (2, 50.0), (3, 50.0)] {
            for place in 0..5 {
                let text = ["study", "of", "the", "recent", "men"][place];
                words.push(word(
                    text,
                    left + 40.0 * place as f32,
                    100.0 + 12.0 * line as f32,
                    10.0,
                ));
            }
        }
        words.push(Word {
            right: 65.0,
            ..word(initial, 50.0, 112.0, 27.0)
        });
        words.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
        words
    }

    fn first_line(initial: &str, first: &str) -> Vec<String> {
        let mut words = paragraph(initial, first);
        settle_drop_caps(&mut words);
        let mut line: Vec<Word> = words.into_iter().filter(|word| word.baseline < 105.0).collect();
        line.sort_by(|a, b| a.left.total_cmp(&b.left));
        line.into_iter().take(2).map(|word| word.text).collect()
    }

    #[test]
    fn a_large_letter_begins_the_first_word() {
        assert_eq!(first_line("S", "ince"), ["Since", "study"]);
        assert_eq!(first_line("A", "fter"), ["After", "study"]);
        assert_eq!(first_line("“T", "he"), ["“The", "study"]);
    }

    #[test]
    fn a_large_letter_that_is_a_word_stays_one() {
        assert_eq!(first_line("A", "recent"), ["A", "recent"]);
    }

    #[test]
    fn a_large_letter_that_is_not_as_high_as_its_lines_stays() {
        let mut words = paragraph("B", "mean");
        for word in words.iter_mut().filter(|word| word.text == "B") {
            word.baseline = 106.0;
        }
        words.sort_by(|a, b| a.baseline.total_cmp(&b.baseline));
        settle_drop_caps(&mut words);
        assert!(words.iter().any(|word| word.text == "B"));
    }
}
