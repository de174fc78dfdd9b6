//! Text without what differs between a paper and a copy of it.

use unicode_normalization::UnicodeNormalization;

use crate::domain::excerpt;
use crate::domain::number_text;

/// Words that carry no topic.
const EMPTY: [&str; 40] = [
    "about", "after", "also", "among", "and", "are", "between", "does", "each", "for", "from", "has", "have",
    "into", "its", "more", "most", "not", "only", "other", "over", "per", "such", "than", "that", "the",
    "their", "them", "then", "there", "these", "they", "this", "those", "was", "were", "when", "which",
    "with", "within",
];

/// Ligatures taken apart, one kind of dash, quotation mark and space; no soft hyphens.
pub fn plain(text: &str) -> String {
    carets(&equal_signs(&number_text::with_points(text)))
        .nfkc()
        .filter(|character| *character != '\u{ad}')
        .map(|character| match character {
            '\u{2010}'..='\u{2015}' | '\u{2212}' | '\u{fe58}' | '\u{fe63}' | '\u{2043}' => '-',
            '\u{2018}'..='\u{201b}' | '\u{2032}' | '`' | '\u{b4}' => '\'',
            '\u{201c}'..='\u{201f}' | '\u{2033}' | '\u{ab}' | '\u{bb}' => '"',
            '\n' => '\n',
            character if character.is_whitespace() => ' ',
            character => character,
        })
        .collect()
}

/// Some publishers' fonts hold the equal sign in the place of `¼`.
fn equal_signs(text: &str) -> String {
    let mut rest = text;
    let mut result = String::with_capacity(text.len());
    while let Some((before, after)) = rest.split_once('¼') {
        result.push_str(before);
        let next = after.trim_start_matches(' ').chars().next();
        let is_sign =
            next.is_some_and(|c| c.is_ascii_digit() || matches!(c, '.' | '-' | '\u{2212}' | '\u{2013}'));
        result.push(if is_sign { '=' } else { '¼' });
        rest = after;
    }
    result.push_str(rest);
    result
}

/// A caret before what is raised behind a digit, which would become a part of the number.
fn carets(text: &str) -> String {
    let is_raised = |c: char| matches!(c, '¹' | '²' | '³' | '⁰' | '⁴'..='⁹' | '⁺' | '⁻');
    let mut result = String::with_capacity(text.len());
    for character in text.chars() {
        if is_raised(character) && result.ends_with(|c: char| c.is_ascii_digit()) {
            result.push('^');
        }
        result.push(character);
    }
    result
}

/// Words of letters and digits in small letters, with their places in the text.
pub fn words(text: &str) -> Vec<(usize, String)> {
    let mut words: Vec<(usize, String)> = Vec::new();
    let mut open = false;
    for (at, character) in text.char_indices() {
        if !character.is_alphanumeric() {
            open = false;
            continue;
        }
        if !open {
            words.push((at, String::new()));
            open = true;
        }
        if let Some((_, word)) = words.last_mut() {
            word.extend(character.to_lowercase());
        }
    }
    words
}

/// The beginnings of words that carry a topic; `effects` and `effect` have the same.
pub fn topics(text: &str) -> Vec<String> {
    words(text)
        .into_iter()
        .map(|(_, word)| word)
        .filter(|word| {
            word.len() > 2 && word.chars().all(char::is_alphabetic) && !EMPTY.contains(&word.as_str())
        })
        .map(|word| excerpt::start(&word, 6).to_owned())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_and_its_paper_are_the_same() {
        assert_eq!(plain("“eﬃcient” −0.5\u{a0}– x\u{ad}y"), "\"efficient\" -0.5 - xy");
        assert_eq!(plain("3 × 10⁻⁵, 1,234², R²"), "3 × 10^-5, 1,234^2, R2");
        assert_eq!(
            plain("0·47 (0·36–0·60), −·35, 3·10⁻⁵, a·b"),
            "0.47 (0.36-0.60), -.35, 3×10^-5, a·b"
        );
        assert_eq!(plain("b ¼ 2.68, ¼ cup"), "b = 2.68, 1\u{2044}4 cup");
        let words: Vec<String> = words("It's 0.5, Größe")
            .into_iter()
            .map(|(_, word)| word)
            .collect();
        assert_eq!(words, ["it", "s", "0", "5", "größe"]);
        assert_eq!(topics("the effects of Education on it"), ["effect", "educat"]);
    }
}
