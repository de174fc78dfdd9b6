//! The one place that caps a text, and says what was left out.

use crate::domain::format;

/// What a model sees of one result, at most.
pub const RESULT: TextCap = TextCap {
    lines: 2_000,
    characters: 40_000,
};

/// The cap on a text that passes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TextCap {
    pub lines: usize,
    pub characters: usize,
}

/// The part that is kept of a text that is too long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Beginning,
    BothEnds,
}

/// Cuts `text` to the cap on character boundaries. A sentence in its place says
/// how much was left out, and `whole` says where the whole is, such as
/// "the whole is in `work/run.log`".
pub fn cut(text: &str, cap: TextCap, keep: Keep, whole: &str) -> String {
    let lines = text.lines().count();
    let characters = text.chars().count();
    if lines <= cap.lines && characters <= cap.characters {
        return text.to_owned();
    }
    let (head, tail) = match keep {
        Keep::Beginning => (beginning(text, cap), ""),
        Keep::BothEnds => {
            let half = TextCap {
                lines: cap.lines / 2,
                characters: cap.characters / 2,
            };
            let head = beginning(text, half);
            (head, end(&text[head.len()..], half))
        }
    };
    let left_out = &text[head.len()..text.len() - tail.len()];
    let note = format!(
        "[{} of {} characters and {} of {} lines left out; {whole}]",
        format::count(left_out.chars().count()),
        format::count(characters),
        format::count(left_out.lines().count()),
        format::count(lines),
    );
    let mut result = head.to_owned();
    if !result.is_empty() && !result.ends_with('\n') {
        result.push('\n');
    }
    result.push_str(&note);
    if !tail.is_empty() {
        if !tail.starts_with('\n') {
            result.push('\n');
        }
        result.push_str(tail);
    }
    result
}

fn beginning(text: &str, cap: TextCap) -> &str {
    let mut lines = 0;
    for (count, (offset, found)) in text.char_indices().enumerate() {
        if count == cap.characters || lines == cap.lines {
            return &text[..offset];
        }
        lines += usize::from(found == '\n');
    }
    text
}

fn end(text: &str, cap: TextCap) -> &str {
    let mut lines = 0;
    for (count, (offset, found)) in text.char_indices().rev().enumerate() {
        if found == '\n' && count > 0 {
            lines += 1;
        }
        if count == cap.characters || lines == cap.lines {
            return &text[offset + found.len_utf8()..];
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_cut_says_what_is_missing() {
        let text: String = (1..=10).map(|line| format!("line {line}\n")).collect();
        let cap = TextCap {
            lines: 4,
            characters: 1_000,
        };
        assert_eq!(
            cut(&text, cap, Keep::BothEnds, "the whole is in `a.log`"),
            "line 1\nline 2\n[42 of 71 characters and 6 of 10 lines left out; the whole is in `a.log`]\n\
             line 9\nline 10\n"
        );
        assert_eq!(
            cut(
                "äöüß",
                TextCap {
                    lines: 1,
                    characters: 2
                },
                Keep::Beginning,
                "ask again"
            ),
            "äö\n[2 of 4 characters and 1 of 1 lines left out; ask again]"
        );
        assert_eq!(cut(&text, RESULT, Keep::Beginning, ""), text);
    }

    proptest! {
        #[test]
        fn nothing_longer_passes(text in "(?s)[^\\[]{0,300}", lines in 0_usize..9, characters in 0_usize..99) {
            for keep in [Keep::Beginning, Keep::BothEnds] {
                let shown = cut(&text, TextCap { lines, characters }, keep, "see x");
                if text.lines().count() <= lines && text.chars().count() <= characters {
                    prop_assert_eq!(&shown, &text);
                    continue;
                }
                let (head, rest) = shown.split_once("[").unwrap_or_default();
                prop_assert!(rest.contains(" left out; see x]"), "{}", shown);
                prop_assert!(text.starts_with(head.trim_end_matches('\n')), "{}", shown);
                let note = "[300 of 300 characters and 300 of 300 lines left out; see x]".len() + 2;
                prop_assert!(shown.chars().count() <= characters + note, "{}", shown);
                prop_assert!(shown.lines().count() <= lines + 3);
            }
        }
    }
}
