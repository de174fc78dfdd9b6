//! Lines of output, brought to one alphabet and cut into tokens with display columns.

/// The longest line that is read, in bytes.
pub const LONGEST_LINE: usize = 20_000;

/// One line of output.
#[derive(Debug, Clone)]
pub struct SourceLine {
    /// From 1.
    pub number: usize,
    pub text: String,
}

impl SourceLine {
    pub fn is_blank(&self) -> bool {
        self.text.trim().is_empty()
    }

    /// Only dashes, equals signs, bars and crosses: a rule of a table.
    pub fn is_rule(&self) -> bool {
        is_rule(&self.text)
    }
}

/// Whether a text draws a line and says nothing.
pub fn is_rule(text: &str) -> bool {
    let trimmed = text.trim();
    trimmed.len() >= 3
        && trimmed
            .chars()
            .all(|c| matches!(c, '-' | '=' | '+' | '|' | '_' | ':' | ' '))
        && trimmed.contains(['-', '=', '_'])
}

/// A word of a line and the display columns that it covers.
#[derive(Debug, Clone, PartialEq)]
pub struct Token {
    pub text: String,
    /// Column of its first character.
    pub start: usize,
    /// Column behind its last character.
    pub end: usize,
}

/// The lines of `stdout`. Lines that are too long are blank; minus signs, spaces
/// and box characters are written in ASCII; colours are left out; of a line that
/// a progress bar rewrote, its last state counts.
pub fn source_lines(stdout: &str) -> Vec<SourceLine> {
    stdout
        .split('\n')
        .enumerate()
        .map(|(index, raw)| {
            let raw = raw.strip_suffix('\r').unwrap_or(raw);
            let last = raw.rsplit('\r').next().unwrap_or(raw);
            let text = if raw.len() > LONGEST_LINE {
                String::new()
            } else {
                plain(last)
            };
            SourceLine {
                number: index + 1,
                text,
            }
        })
        .collect()
}

fn plain(line: &str) -> String {
    let mut plain = String::with_capacity(line.len());
    let mut characters = line.chars().peekable();
    while let Some(c) = characters.next() {
        match c {
            '\u{1b}' => {
                if characters.next_if_eq(&'[').is_some() {
                    for end in characters.by_ref() {
                        if end.is_ascii_alphabetic() {
                            break;
                        }
                    }
                }
            }
            '−' | '–' | '─' | '━' | '╌' | '═' => plain.push('-'),
            '│' | '┃' | '║' => plain.push('|'),
            '\u{2500}'..='\u{257f}' => plain.push('+'),
            '\u{a0}' | '\u{2009}' | '\u{202f}' | '\u{2007}' => plain.push(' '),
            '\u{feff}' | '\u{200b}' => {}
            '\t' => plain.push('\t'),
            c if c.is_control() => {}
            c => plain.push(c),
        }
    }
    plain
}

/// Display columns of a character: two for East Asian wide ones, none for marks.
pub fn width(c: char) -> usize {
    match u32::from(c) {
        0x300..=0x36f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        0x1100..=0x115f
        | 0x2e80..=0x303e
        | 0x3041..=0xa4cf
        | 0xac00..=0xd7a3
        | 0xf900..=0xfaff
        | 0xfe30..=0xfe6f
        | 0xff00..=0xff60
        | 0xffe0..=0xffe6
        | 0x1f300..=0x1faff
        | 0x20000..=0x3fffd => 2,
        _ => 1,
    }
}

/// The words of a line; a tab advances to the next multiple of eight columns.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = Vec::new();
    let mut column = 0;
    let mut is_open = false;
    for c in text.chars() {
        if c == '\t' {
            column = (column / 8 + 1) * 8;
            is_open = false;
        } else if c.is_whitespace() {
            column += 1;
            is_open = false;
        } else {
            let end = column + width(c);
            match found.last_mut() {
                Some(token) if is_open => {
                    token.text.push(c);
                    token.end = end;
                }
                _ => found.push(Token {
                    text: c.to_string(),
                    start: column,
                    end,
                }),
            }
            is_open = true;
            column = end;
        }
    }
    found
}

/// The text of a line before a display column.
pub fn before_column(text: &str, column: usize) -> &str {
    let mut at = 0;
    for (offset, c) in text.char_indices() {
        if at >= column {
            return &text[..offset];
        }
        at = if c == '\t' {
            (at / 8 + 1) * 8
        } else {
            at + width(c)
        };
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_wide_characters_twice() {
        let found = tokens("収入  0.5 e\u{301}x 1");
        let spans: Vec<(usize, usize)> = found.iter().map(|token| (token.start, token.end)).collect();
        assert_eq!(spans, [(0, 4), (6, 9), (10, 12), (13, 14)]);
        assert_eq!(before_column("収入  0.5", 6), "収入  ");
    }

    #[test]
    fn lines_come_in_one_alphabet() {
        let lines = source_lines("10%\r100%\r\n\u{1b}[1mx\u{1b}[0m −.5│y\n");
        assert_eq!(lines[0].text, "100%");
        assert_eq!(lines[1].text, "x -.5|y");
        assert_eq!(source_lines(&"9".repeat(LONGEST_LINE + 1))[0].text, "");
    }
}
