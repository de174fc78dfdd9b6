//! Text by others, disarmed before any writer prints it.

use std::fmt::Write as _;

/// Makes everything visible that would act instead of being read: control
/// characters (terminal escapes), characters that turn the reading direction,
/// and invisible ones. Line ends and tabs stay; `\r\n` becomes `\n`.
pub fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            '\n' | '\t' => out.push(character),
            '\r' if characters.peek() == Some(&'\n') => {}
            '\0'..='\x1f' => out.push(picture(0x2400 + u32::from(character))),
            '\x7f' => out.push(picture(0x2421)),
            other if acts(other) => {
                let _ = write!(out, "⟨U+{:04X}⟩", u32::from(other));
            }
            other => out.push(other),
        }
    }
    out
}

/// True if a character above ASCII steers a display rather than being seen.
pub fn acts(character: char) -> bool {
    matches!(
        character,
        '\u{80}'..='\u{9f}'
            | '\u{61c}'
            | '\u{200b}'
            | '\u{200e}'
            | '\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{2069}'
            | '\u{feff}'
            | '\u{e0000}'..='\u{e007f}'
    )
}

fn picture(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Escapes inert text for HTML, both between tags and in a quoted attribute.
pub fn html(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    for character in visible(text).chars() {
        match character {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            other => out.push(other),
        }
    }
    out
}

/// A sentence for HTML in which `` `names` `` are set as code.
pub fn html_prose(text: &str) -> String {
    prose(text, html, |name| format!("<code>{}</code>", html(name)))
}

/// A sentence for Markdown in which `` `names` `` are set as code.
pub fn markdown_prose(text: &str) -> String {
    prose(text, markdown, code_span)
}

fn prose(text: &str, plain: fn(&str) -> String, code: fn(&str) -> String) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('`') {
        let Some((name, after)) = after.split_once('`').filter(|(name, _)| !name.is_empty()) else {
            break;
        };
        out.push_str(&plain(before));
        out.push_str(&code(name));
        rest = after;
    }
    out + &plain(rest)
}

/// Escapes inert text for a line of Markdown, a table cell included. Entities stand only where
/// a character would act: `p < .05` stays as it is.
pub fn markdown(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let text = visible(text);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        // Whatever the text is put before may begin with a letter.
        let next = characters.peek().copied().unwrap_or('a');
        match character {
            '\n' | '\t' => out.push(' '),
            '&' if next == '#' || next.is_ascii_alphabetic() => out.push_str("&amp;"),
            '<' if matches!(next, '/' | '!' | '?') || next.is_ascii_alphabetic() => out.push_str("&lt;"),
            // A line that begins with it would be a quotation.
            '>' if out.trim().is_empty() => out.push_str("&gt;"),
            '\\' | '`' | '*' | '_' | '[' | ']' | '|' | '#' | '~' | '!' | '$' => {
                out.push('\\');
                out.push(character);
            }
            other => out.push(other),
        }
    }
    out
}

/// Inert text as a code span of Markdown that fits a table cell.
pub fn code_span(text: &str) -> String {
    let text = visible(text).replace(['\n', '\t'], " ").replace('|', "\\|");
    let ticks = "`".repeat(longest_run(&text, '`') + 1);
    let pad = if text.contains('`') || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// Inert text as a fenced block of Markdown that it cannot close.
pub fn fence(text: &str, language: &str) -> String {
    let text = visible(text);
    let ticks = "`".repeat(longest_run(&text, '`').max(2) + 1);
    format!("{ticks}{language}\n{}\n{ticks}", text.trim_end_matches('\n'))
}

fn longest_run(text: &str, wanted: char) -> usize {
    let (mut longest, mut run) = (0, 0);
    for character in text.chars() {
        run = if character == wanted { run + 1 } else { 0 };
        longest = longest.max(run);
    }
    longest
}

#[cfg(test)]
mod tests {
    use crate::report::sanitize::*;

    #[test]
    fn nothing_that_acts_is_left() {
        let text = "a\u{1b}[31mb\u{202e}c\u{9b}2J\0\r\nd\re\u{feff}";
        assert_eq!(visible(text), "a␛[31mb⟨U+202E⟩c⟨U+009B⟩2J␀\nd␍e⟨U+FEFF⟩");
        assert_eq!(html("\"><script>'&"), "&quot;&gt;&lt;script&gt;&#39;&amp;");
    }

    #[test]
    fn markdown_is_not_left_by_its_text() {
        assert_eq!(markdown("a|b\n<i>*x*"), "a\\|b &lt;i>\\*x\\*");
        assert_eq!(markdown("p < .05 & R&D &lt;"), "p < .05 & R&amp;D &amp;lt;");
        assert_eq!(markdown("a<"), "a&lt;");
        assert_eq!(markdown(" > quoted > x"), " &gt; quoted > x");
        assert_eq!(code_span("a`b|c"), "`` a`b\\|c ``");
        assert_eq!(markdown_prose("a `b*` *c `"), "a `b*` \\*c \\`");
        assert_eq!(html_prose("`<b>` & `x"), "<code>&lt;b&gt;</code> &amp; `x");
        assert_eq!(fence("x\n````\ny\n", "text"), "`````text\nx\n````\ny\n`````");
    }
}
