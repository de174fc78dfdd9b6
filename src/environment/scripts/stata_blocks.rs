//! Braces and conditions in commands of do-files.

/// The head of a block and what follows its brace on the same line.
#[derive(Debug, PartialEq, Eq)]
pub struct BlockHead<'a> {
    pub head: &'a str,
    pub inside: &'a str,
}

/// A command up to the brace that ends the block around it.
#[derive(Debug, PartialEq, Eq)]
pub struct CutCommand<'a> {
    pub command: &'a str,
    /// What follows that brace.
    pub rest: Option<&'a str>,
}

/// Each brace of a text that stands outside of quotes and of `${name}`, by its place.
fn braces(text: &str) -> impl Iterator<Item = (usize, char)> {
    let mut is_quoted = false;
    let mut is_global = false;
    let mut before = ' ';
    text.char_indices().filter(move |(_, letter)| {
        let last = std::mem::replace(&mut before, *letter);
        match letter {
            '"' => is_quoted = !is_quoted,
            '{' if !is_quoted && last == '$' => is_global = true,
            '}' if is_global => is_global = false,
            '{' | '}' => return !is_quoted,
            _ => {}
        }
        false
    })
}

/// The block that a command opens; `is_head` tells by its first word whether a command may have one on its line.
pub fn block<'a>(command: &'a str, is_head: impl Fn(&str) -> bool) -> Option<BlockHead<'a>> {
    let (at, _) = braces(command).next().filter(|(_, brace)| *brace == '{')?;
    let head = command.get(..at)?.trim();
    let inside = command.get(at + 1..)?.trim();
    let word = head
        .split(|letter: char| !letter.is_ascii_alphanumeric())
        .next()?;
    (inside.is_empty() || is_head(word)).then_some(BlockHead { head, inside })
}

/// Cuts a command at a closing brace that it does not open.
pub fn cut(command: &str) -> CutCommand<'_> {
    let mut depth = 0_usize;
    for (at, brace) in braces(command) {
        match (brace, depth) {
            ('{', _) => depth += 1,
            (_, 0) => {
                return CutCommand {
                    command: command.get(..at).unwrap_or_default(),
                    rest: command.get(at + 1..),
                };
            }
            _ => depth -= 1,
        }
    }
    CutCommand { command, rest: None }
}

/// What follows the condition of an `if` without braces: `_rc ssc install x`.
pub fn behind_condition(text: &str) -> Option<&str> {
    let mut rest = text.trim_start();
    loop {
        rest = rest.trim_start_matches(['!', '~', '-', '+', ' ', '\t']);
        rest = behind_term(rest)?.trim_start();
        let operator = [
            "==", "!=", "~=", ">=", "<=", ">", "<", "&", "|", "+", "-", "*", "/", "^",
        ];
        match operator.iter().find_map(|sign| rest.strip_prefix(sign)) {
            Some(behind) => rest = behind,
            None => return Some(rest).filter(|rest| !rest.is_empty()),
        }
    }
}

/// What follows a number, a text, a macro, a name or a bracket.
fn behind_term(text: &str) -> Option<&str> {
    let is_word = |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '`' | '\'' | '$');
    let first = text.chars().next()?;
    let rest = match first {
        '"' => text.get(1..)?.split_once('"')?.1,
        '(' => text,
        _ => {
            let behind = text.trim_start_matches(is_word);
            (behind.len() < text.len()).then_some(behind)?
        }
    };
    match rest.chars().next() {
        Some('(') => behind_bracket(rest, '(', ')'),
        Some('[') => behind_bracket(rest, '[', ']'),
        _ => Some(rest),
    }
}

fn behind_bracket(text: &str, open: char, close: char) -> Option<&str> {
    let (mut depth, mut is_quoted) = (0_usize, false);
    for (at, letter) in text.char_indices() {
        match letter {
            '"' => is_quoted = !is_quoted,
            letter if letter == open && !is_quoted => depth += 1,
            letter if letter == close && !is_quoted => {
                depth -= 1;
                if depth == 0 {
                    return text.get(at + 1..);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_end_where_the_command_begins() {
        for (text, behind) in [
            ("_rc ssc install x", Some("ssc install x")),
            ("!_rc == 0 reg y", Some("reg y")),
            ("(_rc != 0) & a reg y", Some("reg y")),
            ("\"`c(os)'\" == \"Windows\" cd x", Some("cd x")),
            ("c(version) < 14 version 13", Some("version 13")),
            ("x[1] >= -2 | `y' noi reg", Some("noi reg")),
            ("_rc", None),
            ("(a", None),
            ("", None),
            ("==", None),
        ] {
            assert_eq!(behind_condition(text), behind, "{text}");
        }
    }

    #[test]
    fn braces_of_quotes_and_globals_are_none() {
        let is_head = |word: &str| word == "if";
        let inside =
            |text| block(text, is_head).map(|block| (block.head.to_owned(), block.inside.to_owned()));
        let some = |head: &str, inside: &str| Some((head.to_owned(), inside.to_owned()));
        assert_eq!(inside("if x { reg y }"), some("if x", "reg y }"));
        assert_eq!(inside("qui {"), some("qui", ""));
        assert_eq!(inside("di \"{hline}\" {hline 3}"), None);
        assert_eq!(inside("use ${folder}/x"), None);
        assert_eq!(cut("reg y } else").rest, Some(" else"));
        assert_eq!(cut("use ${folder}/x {a}").rest, None);
    }
}
