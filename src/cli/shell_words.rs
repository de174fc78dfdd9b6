//! Words out of one text, as a shell parts them.

/// A text that is not words.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoWords {
    #[error("the quote {0} is not closed")]
    Unclosed(char),
    #[error("it ends behind a backslash")]
    Unfinished,
}

/// Parts a text at blanks that stand in no quotes and behind no backslash. Nothing else is special.
///
/// # Errors
/// A quote that is not closed, or a backslash at the end.
pub fn split(text: &str) -> Result<Vec<String>, NoWords> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut quote = None;
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match (quote, letter) {
            (Some(open), _) if letter == open => quote = None,
            (Some('\''), _) => word.get_or_insert_default().push(letter),
            (_, '\\') => {
                let next = letters.next().ok_or(NoWords::Unfinished)?;
                word.get_or_insert_default().push(next);
            }
            (Some(_), _) => word.get_or_insert_default().push(letter),
            (None, '\'' | '"') => {
                word.get_or_insert_default();
                quote = Some(letter);
            }
            (None, blank) if blank.is_whitespace() => words.extend(word.take()),
            (None, _) => word.get_or_insert_default().push(letter),
        }
    }
    match quote {
        Some(open) => Err(NoWords::Unclosed(open)),
        None => {
            words.extend(word);
            Ok(words)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_those_of_a_shell() {
        let cases: [(&str, &[&str]); 6] = [
            ("python3 /agent/a.py  chat", &["python3", "/agent/a.py", "chat"]),
            ("a 'b c' \"d e\"f", &["a", "b c", "d ef"]),
            (r#"a\ b 'c\d' "e\"f""#, &["a b", r"c\d", "e\"f"]),
            ("a '' \"\"", &["a", "", ""]),
            (" \n", &[]),
            ("$HOME *", &["$HOME", "*"]),
        ];
        for (text, words) in cases {
            assert_eq!(split(text).unwrap(), words, "{text}");
        }
        assert_eq!(split("a 'b"), Err(NoWords::Unclosed('\'')));
        assert_eq!(split("a\\"), Err(NoWords::Unfinished));
    }
}
