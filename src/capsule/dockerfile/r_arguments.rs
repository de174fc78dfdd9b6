//! Statements and arguments of R, as far as literals go.

/// An argument of a call.
#[derive(Debug, PartialEq, Eq)]
pub struct RArgument<'a> {
    /// `None` where it has none.
    pub name: Option<&'a str>,
    pub value: RValue<'a>,
}

/// The value of an argument.
#[derive(Debug, PartialEq, Eq)]
pub enum RValue<'a> {
    /// One text, or several in a `c(...)`.
    Texts(Vec<&'a str>),
    /// Anything else, as it is written.
    Code(&'a str),
}

/// The parts of a code between separators that stand outside of quotes and brackets.
pub fn split<'a>(code: &'a str, separators: &[char]) -> Vec<&'a str> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_usize);
    let mut quote = None;
    let mut letters = code.char_indices();
    while let Some((at, letter)) = letters.next() {
        match (quote, letter) {
            (_, '\\') => {
                letters.next();
            }
            (Some(open), _) if letter == open => quote = None,
            (Some(_), _) => {}
            (None, '\'' | '"' | '`') => quote = Some(letter),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, _) if depth == 0 && separators.contains(&letter) => {
                parts.push(code.get(from..at).unwrap_or_default().trim());
                from = at + letter.len_utf8();
            }
            (None, _) => {}
        }
    }
    parts.push(code.get(from..).unwrap_or_default().trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// The arguments between the brackets of a call.
pub fn arguments(inside: &str) -> Vec<RArgument<'_>> {
    let parts = split(inside, &[',', '\n']);
    parts.into_iter().map(argument).collect()
}

fn argument(part: &str) -> RArgument<'_> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || "._".contains(letter))
    };
    let named = part
        .split_once('=')
        .filter(|(name, rest)| is_name(name.trim()) && !rest.starts_with('='));
    match named {
        Some((name, value)) => RArgument {
            name: Some(name.trim()),
            value: value_of(value.trim()),
        },
        None => RArgument {
            name: None,
            value: value_of(part),
        },
    }
}

fn value_of(text: &str) -> RValue<'_> {
    if let Some(literal) = literal(text) {
        return RValue::Texts(vec![literal]);
    }
    let inside = text.strip_prefix("c(").and_then(|rest| rest.strip_suffix(')'));
    let texts: Option<Vec<&str>> = inside.and_then(|inside| {
        let parts = split(inside, &[',', '\n']);
        parts.into_iter().map(element).collect()
    });
    texts.map_or(RValue::Code(text), RValue::Texts)
}

/// An element of a `c(...)`, which may have a name.
fn element(part: &str) -> Option<&str> {
    literal(part).or_else(|| literal(part.split_once('=')?.1.trim()))
}

/// The text of a literal without signs that stand for others.
fn literal(text: &str) -> Option<&str> {
    let quote = text
        .chars()
        .next()
        .filter(|letter| ['"', '\''].contains(letter))?;
    let inside = text.strip_prefix(quote)?.strip_suffix(quote)?;
    (!inside.contains([quote, '\\'])).then_some(inside)
}
