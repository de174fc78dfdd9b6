//! Parts of texts that are too long to be shown or kept whole.

/// The first characters of a text.
pub fn start(text: &str, most: usize) -> &str {
    let end = text.char_indices().nth(most).map_or(text.len(), |(at, _)| at);
    &text[..end]
}

/// The last characters of a text.
pub fn end(text: &str, most: usize) -> &str {
    let from = match most.checked_sub(1) {
        Some(others) => text.char_indices().rev().nth(others).map_or(0, |(at, _)| at),
        None => text.len(),
    };
    &text[from..]
}

/// The bytes between two places, which are moved inward to the edges of characters.
pub fn between(text: &str, from: usize, to: usize) -> &str {
    let (from, to) = (text.ceil_char_boundary(from), text.floor_char_boundary(to));
    text.get(from..to).unwrap_or_default()
}

/// The whole words between two places, with `…` on each side where the text goes on.
pub fn words_between(text: &str, from: usize, to: usize) -> String {
    let (mut from, mut to) = (
        text.ceil_char_boundary(from.min(text.len())),
        text.floor_char_boundary(to.min(text.len())),
    );
    let is_inside = |at: usize| {
        let before = text[..at].chars().next_back();
        let after = text[at..].chars().next();
        [before, after]
            .into_iter()
            .all(|one| one.is_some_and(|one| !one.is_whitespace()))
    };
    if from < to && is_inside(from) {
        from += text[from..to].find(char::is_whitespace).unwrap_or_default();
    }
    if from < to && is_inside(to) {
        to = from + text[from..to].rfind(char::is_whitespace).unwrap_or(to - from);
    }
    let part = text.get(from..to).unwrap_or_default().trim();
    if part.is_empty() && !text.trim().is_empty() {
        return "…".to_owned();
    }
    let cut = |rest: &str| if rest.trim().is_empty() { "" } else { "…" };
    format!("{}{part}{}", cut(&text[..from]), cut(&text[to.max(from)..]))
}

/// The beginning of a text in at most so many bytes.
pub fn first_bytes(text: &str, most: usize) -> &str {
    between(text, 0, most)
}

/// The end of a text in at most so many bytes.
pub fn last_bytes(text: &str, most: usize) -> &str {
    between(text, text.len().saturating_sub(most), text.len())
}

/// The first characters of a text, with a mark after them if others follow.
pub fn marked(text: &str, most: usize, mark: &str) -> String {
    let kept = start(text, most);
    let mark = if kept.len() < text.len() { mark } else { "" };
    format!("{kept}{mark}")
}

/// The first characters of a text, with `…` after them if others follow.
pub fn shortened(text: &str, most: usize) -> String {
    marked(text, most, "…")
}

/// A text of at most so many characters, the last of which is `…` if others follow.
pub fn fitted(text: &str, most: usize) -> String {
    match start(text, most).len() < text.len() {
        true => shortened(text, most.saturating_sub(1)),
        false => text.to_owned(),
    }
}

/// The first characters of a text, with its size after them if others follow.
pub fn with_size(text: &str, most: usize) -> String {
    marked(text, most, &format!("… ({} bytes)", text.len()))
}

/// The first line of a text; empty if the text is.
pub fn first_line(text: &str) -> &str {
    text.lines().next().unwrap_or_default()
}

/// The last line of a text that is not blank.
pub fn last_line(text: &str) -> Option<&str> {
    text.lines().rfind(|line| !line.trim().is_empty())
}

/// The words of a text in one line, with one blank between them.
pub fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_end_between_characters() {
        assert_eq!(
            (start("aéb", 2), start("aéb", 3), start("", 0)),
            ("aé", "aéb", "")
        );
        assert_eq!((end("aéb", 2), end("aéb", 9), end("aéb", 0)), ("éb", "aéb", ""));
        assert_eq!((first_bytes("aéb", 2), last_bytes("aéb", 2)), ("a", "b"));
        assert_eq!((between("aéb", 2, 99), between("aéb", 1, 2)), ("b", ""));
    }

    #[test]
    fn no_word_is_cut() {
        let text = "whole words alone are shown";
        assert_eq!(words_between(text, 2, 15), "…words…");
        assert_eq!(words_between(text, 0, 11), "whole words…");
        assert_eq!(words_between(text, 6, 99), "…words alone are shown");
        assert_eq!(words_between("éé", 1, 3), "…");
        assert_eq!(
            (words_between("ab", 0, 9), words_between("", 0, 9)),
            ("ab".into(), "".into())
        );
    }

    #[test]
    fn a_cut_is_marked() {
        assert_eq!(
            (shortened("éab", 3), shortened("éab", 2)),
            ("éab".into(), "éa…".into())
        );
        assert_eq!(
            (fitted("éab", 3), fitted("éabc", 3)),
            ("éab".into(), "éa…".into())
        );
        assert_eq!(with_size("éab", 1), "é… (4 bytes)");
        assert_eq!(marked("abc", 1, "..."), "a...");
    }

    #[test]
    fn lines_are_found() {
        assert_eq!((first_line("a\r\nb"), first_line("")), ("a", ""));
        assert_eq!((last_line("a\n b\n \n"), last_line("\n")), (Some(" b"), None));
        assert_eq!(one_line(" a\n\tb  c "), "a b c");
    }
}
