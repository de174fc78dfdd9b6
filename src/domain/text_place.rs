//! Places in texts, as people count them.

/// The line, counted from 1, that a byte lies on; the last one of a byte behind the end.
pub fn line_of(text: impl AsRef<[u8]>, offset: usize) -> usize {
    let text = text.as_ref();
    let before = &text[..offset.min(text.len())];
    1 + before.iter().filter(|byte| **byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_counted_from_one_and_an_end_belongs_to_its_line() {
        let places = [0, 1, 2, 3, 99].map(|offset| line_of("a\nbc", offset));
        assert_eq!(places, [1, 1, 2, 2, 2]);
        assert_eq!(line_of("", 0), 1);
        // Half a character is as good a place as any.
        assert_eq!(line_of("\u{e4}\n", 1), 1);
    }
}
