//! A script in which strings and comments are blanked out, byte for byte.

use std::ops::Range;

use super::super::language::Language;

/// The script beside its masked forms, all of one length.
#[derive(Debug)]
pub struct Masked<'a> {
    pub text: &'a str,
    /// Without comments.
    pub without_comments: String,
    /// Without comments and without what stands inside strings; their quotation marks remain.
    pub code: String,
    /// The insides of strings, in order.
    pub strings: Vec<Range<usize>>,
}

/// Blanks what is no code. Line ends stay; other bytes become spaces in comments and `~` in strings,
/// which ends no word and is no operator of either language's names.
const IN_STRING: u8 = b'~';

impl<'a> Masked<'a> {
    pub fn new(text: &'a str, language: Language) -> Self {
        let mut scan = Scan::new(text, language);
        scan.run();
        let code = String::from_utf8_lossy(&scan.code).into_owned();
        let without_comments = String::from_utf8_lossy(&scan.without_comments).into_owned();
        // Both were blanked byte for byte, so that only a comment's or a string's bytes can differ.
        Self {
            text,
            without_comments,
            code,
            strings: scan.strings,
        }
    }

    /// The bytes of a line, counted from 1, without its end.
    pub fn line_range(&self, line: u64) -> Option<Range<usize>> {
        let mut start = 0;
        for (at, one) in self.text.split_inclusive('\n').enumerate() {
            let end = start + one.len();
            if at as u64 + 1 == line {
                return Some(start..start + one.trim_end_matches(['\n', '\r']).len());
            }
            start = end;
        }
        None
    }

    /// The line, counted from 1, that a byte stands on.
    pub fn line_of(&self, at: usize) -> u64 {
        1 + self.text.as_bytes()[..at.min(self.text.len())]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count() as u64
    }

    /// True if the byte stands inside a string.
    pub fn is_string(&self, at: usize) -> bool {
        let after = self.strings.partition_point(|range| range.start <= at);
        after > 0 && self.strings[after - 1].end > at
    }
}

struct Scan<'a> {
    bytes: &'a [u8],
    language: Language,
    without_comments: Vec<u8>,
    code: Vec<u8>,
    strings: Vec<Range<usize>>,
}

impl<'a> Scan<'a> {
    fn new(text: &'a str, language: Language) -> Self {
        let bytes = text.as_bytes();
        Self {
            bytes,
            language,
            without_comments: bytes.to_vec(),
            code: bytes.to_vec(),
            strings: Vec::new(),
        }
    }

    fn run(&mut self) {
        let mut at = 0;
        while at < self.bytes.len() {
            at = if let Some(end) = self.comment(at) {
                self.blank_comment(at..end);
                end
            } else if let Some(mark) = self.quotation(at) {
                self.string(at, mark)
            } else {
                at + 1
            };
        }
    }

    /// The end of the comment that begins here.
    fn comment(&self, at: usize) -> Option<usize> {
        let rest = &self.bytes[at..];
        let line = || rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len());
        let opens = match self.language {
            Language::Python | Language::R => rest.starts_with(b"#"),
            Language::Stata | Language::Spss => {
                let first = self.bytes[..at]
                    .iter()
                    .rev()
                    .take_while(|byte| **byte != b'\n')
                    .all(u8::is_ascii_whitespace);
                rest.starts_with(b"//") || (rest.starts_with(b"*") && first)
            }
        };
        opens.then(|| at + line())
    }

    fn quotation(&self, at: usize) -> Option<u8> {
        let byte = self.bytes[at];
        let marks: &[u8] = match self.language {
            Language::Python | Language::Spss => b"\"'",
            Language::R => b"\"'`",
            Language::Stata => b"\"",
        };
        marks.contains(&byte).then_some(byte)
    }

    /// Blanks a string from its opening mark on; the place behind it.
    fn string(&mut self, at: usize, mark: u8) -> usize {
        let python = self.language == Language::Python;
        let escapes = python || self.language == Language::R;
        let triple = python && self.bytes[at..].starts_with(&[mark; 3]);
        let width = if triple { 3 } else { 1 };
        let start = at + width;
        let mut end = start;
        while end < self.bytes.len() {
            let byte = self.bytes[end];
            if byte == b'\\' && escapes {
                end += 2;
                continue;
            }
            // A string of one line that is not closed ends with its line: its mark was none.
            if byte == b'\n' && python && !triple {
                return at + 1;
            }
            if byte == mark && (!triple || self.bytes[end..].starts_with(&[mark; 3])) {
                break;
            }
            end += 1;
        }
        let end = end.min(self.bytes.len());
        for byte in &mut self.code[start.min(end)..end] {
            if *byte != b'\n' {
                *byte = IN_STRING;
            }
        }
        self.strings.push(start.min(end)..end);
        (end + width).min(self.bytes.len()).max(at + 1)
    }

    fn blank_comment(&mut self, range: Range<usize>) {
        for text in [&mut self.code, &mut self.without_comments] {
            for byte in &mut text[range.clone()] {
                *byte = b' ';
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_and_comments_are_blanked_in_place() {
        let text = "x = 'np.float # no' # np.int\ny = \"\"\"a\n'np.bool'\"\"\" + np.object\n";
        let masked = Masked::new(text, Language::Python);
        assert_eq!(masked.code.len(), text.len());
        assert_eq!(
            masked.code,
            "x = '~~~~~~~~~~~~~'         \ny = \"\"\"~\n~~~~~~~~~\"\"\" + np.object\n"
        );
        assert!(masked.without_comments.contains("np.float # no"));
        assert!(!masked.without_comments.contains("np.int"));
        assert!(masked.is_string(6) && !masked.is_string(0));
        assert_eq!(masked.line_of(text.find("np.object").unwrap()), 3);
        assert_eq!(
            masked.line_range(2).map(|range| &text[range]),
            Some("y = \"\"\"a")
        );
    }

    #[test]
    fn letters_of_several_bytes_keep_their_places() {
        let text = "x <- \"Zürich\" # Genève\nlevels(x)\n";
        let masked = Masked::new(text, Language::R);
        assert_eq!(masked.code.len(), text.len());
        assert_eq!(masked.without_comments.len(), text.len());
        assert!(masked.code.ends_with("levels(x)\n"));
    }

    #[test]
    fn a_mark_that_is_never_closed_hides_one_mark_only() {
        let masked = Masked::new("it's\nnp.float\n", Language::Python);
        assert!(masked.code.contains("np.float"));
    }
}
