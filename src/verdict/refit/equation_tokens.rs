//! The words and signs of an equation.

/// One piece of an equation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Token<'a> {
    /// A name, without the backticks of R around it.
    Name(&'a str),
    /// Digits.
    Number(&'a str),
    Sign(char),
}

/// A token with the place in the text where it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placed<'a> {
    pub token: Token<'a>,
    pub start: usize,
    pub end: usize,
}

/// Takes a text apart. A point at the end of a name ends a sentence.
pub fn tokens(text: &str) -> Vec<Placed<'_>> {
    let mut found = Vec::new();
    let mut rest = text.char_indices().peekable();
    while let Some((start, character)) = rest.next() {
        if character.is_whitespace() {
            continue;
        }
        let closing = (character == '`').then(|| text[start + 1..].find('`')).flatten();
        if let Some(length) = closing {
            let end = start + 1 + length + 1;
            found.push(Placed {
                token: Token::Name(&text[start + 1..end - 1]),
                start,
                end,
            });
            while rest.next_if(|(at, _)| *at < end).is_some() {}
            continue;
        }
        let is_name = character.is_alphabetic() || character == '_';
        if !is_name && !character.is_ascii_digit() {
            let end = start + character.len_utf8();
            found.push(Placed {
                token: Token::Sign(character),
                start,
                end,
            });
            continue;
        }
        let mut end = start + character.len_utf8();
        while let Some((at, next)) =
            rest.next_if(|(_, next)| next.is_alphanumeric() || matches!(next, '_' | '.'))
        {
            end = at + next.len_utf8();
        }
        let word = text[start..end].trim_end_matches('.');
        let token = if is_name {
            Token::Name(word)
        } else {
            Token::Number(word)
        };
        let inner = start + word.len();
        found.push(Placed {
            token,
            start,
            end: inner,
        });
        for point in inner..end {
            found.push(Placed {
                token: Token::Sign('.'),
                start: point,
                end: point + 1,
            });
        }
    }
    found
}
