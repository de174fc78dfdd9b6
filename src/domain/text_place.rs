//! Places in texts, as people count them.

/// The line, counted from 1, that a byte lies on; the last one of a byte behind the end.
pub fn line_of(text: impl AsRef<[u8]>, offset: usize) -> usize {
    let text = text.as_ref();
    let before = &text[..offset.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

/// A text that a person wrote, in another encoding than UTF-8.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("line {line} is not UTF-8 text, as a file in Windows-1252 is not: save the file as UTF-8")]
pub struct NotUtf8 {
    pub line: usize,
}

/// Bytes as text.
///
/// # Errors
/// Other bytes than those of UTF-8, with their line.
pub fn in_utf8(bytes: Vec<u8>) -> Result<String, NotUtf8> {
    String::from_utf8(bytes).map_err(|error| NotUtf8 {
        line: line_of(error.as_bytes(), error.utf8_error().valid_up_to()),
    })
}

/// The problem at a place of a file with the way out, if word processors write what is there: curly quotes.
pub fn with_quotes(text: &str, offset: usize, problem: &str) -> String {
    const CURLY: [char; 8] = ['“', '”', '„', '‟', '‘', '’', '‚', '«'];
    let line = text
        .lines()
        .nth(line_of(text, offset).saturating_sub(1))
        .unwrap_or_default();
    match line.find(CURLY).and_then(|at| line[at..].chars().next()) {
        Some(quote) => format!(
            "{problem}: the line has the curly quote {quote}, as word processors write it: type straight quotes, \" or '"
        ),
        None => problem.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn other_encodings_and_curly_quotes_are_named_with_the_way_out() {
        assert_eq!(in_utf8("ä\n".into()), Ok("ä\n".to_owned()));
        let shown = in_utf8(b"a = 1\nb = \"M\xfcller\"\n".to_vec())
            .unwrap_err()
            .to_string();
        assert!(
            shown.starts_with("line 2 is not UTF-8") && shown.ends_with("save the file as UTF-8"),
            "{shown}"
        );
        let text = "a = 1\nb = “x”\nc = \"it’s\"\n";
        assert!(with_quotes(text, 10, "no value").contains("no value: the line has the curly quote “"));
        assert_eq!(with_quotes(text, 2, "no value"), "no value");
    }

    #[test]
    fn lines_are_counted_from_one_and_an_end_belongs_to_its_line() {
        let places = [0, 1, 2, 3, 99].map(|offset| line_of("a\nbc", offset));
        assert_eq!(places, [1, 1, 2, 2, 2]);
        assert_eq!(line_of("", 0), 1);
        // Half a character is as good a place as any.
        assert_eq!(line_of("\u{e4}\n", 1), 1);
    }
}
