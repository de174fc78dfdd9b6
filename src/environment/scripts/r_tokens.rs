//! R's text as tokens, as far as calls are to be told from strings and comments.

/// A token and its line, from 1.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RToken {
    pub kind: RTokenKind,
    pub line: usize,
}

/// The kinds of tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RTokenKind {
    Name(String),
    Text(String),
    Sign(char),
    /// `<-`, `<<-` or a lone `=`.
    Assign,
    /// `::` or `:::`.
    Inside,
    LineEnd,
}

/// The tokens of a text.
pub fn tokens(text: &str) -> Vec<RToken> {
    let letters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let (mut at, mut line) = (0, 1);
    let is_name = |letter: char| letter.is_alphanumeric() || letter == '.' || letter == '_';
    let get = |at: usize| letters.get(at).copied();
    while let Some(letter) = get(at) {
        let started = line;
        let kind = match letter {
            '\n' => {
                line += 1;
                at += 1;
                RTokenKind::LineEnd
            }
            '#' => {
                while get(at).is_some_and(|letter| letter != '\n') {
                    at += 1;
                }
                continue;
            }
            '"' | '\'' | '`' => {
                let quoted = quoted(&letters, at);
                at = quoted.end;
                line += quoted.text.matches('\n').count();
                match letter {
                    '`' => RTokenKind::Name(quoted.text),
                    _ => RTokenKind::Text(quoted.text),
                }
            }
            'r' | 'R' if raw(&letters, at).is_some() => {
                let Some(quoted) = raw(&letters, at) else { break };
                at = quoted.end;
                line += quoted.text.matches('\n').count();
                RTokenKind::Text(quoted.text)
            }
            letter if is_name(letter) => {
                let begins = at;
                while get(at).is_some_and(is_name) {
                    at += 1;
                }
                RTokenKind::Name(letters[begins..at].iter().collect())
            }
            ':' if get(at + 1) == Some(':') => {
                at += if get(at + 2) == Some(':') { 3 } else { 2 };
                RTokenKind::Inside
            }
            '<' if get(at + 1) == Some('-') => {
                at += 2;
                RTokenKind::Assign
            }
            '=' if get(at + 1) != Some('=') => {
                at += 1;
                RTokenKind::Assign
            }
            '=' => {
                at += 2;
                RTokenKind::Sign('=')
            }
            letter if letter.is_whitespace() => {
                at += 1;
                continue;
            }
            letter => {
                at += 1;
                RTokenKind::Sign(letter)
            }
        };
        tokens.push(RToken { kind, line: started });
    }
    tokens
}

struct Quoted {
    text: String,
    /// Behind the closing quote.
    end: usize,
}

fn quoted(letters: &[char], start: usize) -> Quoted {
    let quote = letters[start];
    let mut at = start + 1;
    let mut text = String::new();
    while let Some(letter) = letters.get(at) {
        at += 1;
        match letter {
            '\\' => {
                text.extend(letters.get(at));
                at += 1;
            }
            letter if *letter == quote => break,
            letter => text.push(*letter),
        }
    }
    Quoted {
        text,
        end: at.min(letters.len()),
    }
}

/// `r"(...)"`, with dashes and other brackets. One that is not closed goes to the end of the text, as other strings do:
/// the end is looked for once.
fn raw(letters: &[char], start: usize) -> Option<Quoted> {
    let quote = *letters
        .get(start + 1)
        .filter(|letter| matches!(letter, '"' | '\''))?;
    let mut at = start + 2;
    let mut close = Vec::new();
    while letters.get(at) == Some(&'-') {
        at += 1;
        close.push('-');
    }
    close.insert(
        0,
        match letters.get(at)? {
            '(' => ')',
            '[' => ']',
            '{' => '}',
            _ => return None,
        },
    );
    close.push(quote);
    let begins = at + 1;
    let length = close.len();
    let left = &letters[begins..];
    let end = left.windows(length).position(|letters| letters == close);
    let inside = end.unwrap_or(left.len());
    Some(Quoted {
        text: left[..inside].iter().collect(),
        end: (begins + inside + length).min(letters.len()),
    })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn raw_texts_end_at_their_own_mark_or_with_the_text() {
        let text = |text: &str| match tokens(text).remove(0).kind {
            RTokenKind::Text(text) => text,
            other => panic!("{other:?}"),
        };
        assert_eq!(text("r\"--(a)\" )-\")--\" b"), "a)\" )-\"");
        assert_eq!(text("R'[a]'"), "a");
        assert_eq!(text("r\"(a) library(b)"), "a) library(b)");
        assert_eq!(text("r\"(a)"), "a)");
    }

    #[test]
    fn raw_texts_without_an_end_take_no_longer_than_others() {
        let began = Instant::now();
        let found = tokens(&"r\"(".repeat(700_000));
        assert_eq!(found.len(), 1);
        assert!(began.elapsed().as_secs() < 60, "{:?}", began.elapsed());
    }
}
