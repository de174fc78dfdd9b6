//! The parts of a paper's lines that hold some of its words.

use std::ops::Range;

use super::paper::Paper;
use super::span::TextSpan;
use super::typography;

impl Paper {
    /// A part of a line; none where the paper has no such line.
    pub fn span(&self, line: usize, bytes: Range<usize>) -> Option<TextSpan> {
        let found = self.lines.get(line)?;
        let first = self.lines.partition_point(|other| other.page < found.page);
        Some(TextSpan {
            page: found.page,
            line: line - first,
            text: found.text.clone(),
            bytes: bytes.start.min(found.text.len())..bytes.end.min(found.text.len()),
        })
    }

    /// A whole line; none where the paper has no such line.
    pub fn whole_line(&self, line: usize) -> Option<TextSpan> {
        self.span(line, 0..usize::MAX)
    }

    /// The parts of the lines that hold some of the paper's words, one a line.
    pub fn spans_of_words(&self, words: Range<usize>) -> Vec<TextSpan> {
        let mut spans = Vec::new();
        let mut next = words.start;
        while next < words.end
            && let Some((_, line)) = self.words.get(next)
        {
            let first = self.words.partition_point(|(_, other)| other < line);
            let end = self.words.partition_point(|(_, other)| other <= line);
            let on_line = next - first..words.end.min(end) - first;
            spans.extend(self.span_of_words(*line, on_line));
            next = end;
        }
        spans
    }

    /// The part of a line that holds some of its own words; none where it has not all of them.
    pub fn span_of_words(&self, line: usize, words: Range<usize>) -> Option<TextSpan> {
        let text = &self.lines.get(line)?.text;
        let places = typography::words(text);
        let (start, _) = places.get(words.start)?;
        let (last, _) = places.get(words.end.checked_sub(1)?)?;
        let behind = &text[*last..];
        let length = behind
            .find(|character: char| !character.is_alphanumeric())
            .unwrap_or(behind.len());
        self.span(line, *start..last + length)
    }
}

#[cfg(test)]
mod tests {
    use crate::documents::document::{Document, Page};
    use crate::documents::kind::Kind;

    use super::*;

    fn paper(pages: &[&str]) -> Paper {
        let mut document = Document::new(Kind::Pdf);
        for (number, text) in (1..).zip(pages) {
            document.pages.push(Page {
                number,
                text: (*text).to_owned(),
                lines: Vec::new(),
                images: 0,
            });
        }
        Paper::new(&document)
    }

    #[test]
    fn words_over_two_lines_are_two_spans() {
        let paper = paper(&["A heading\n", "Blank below\n\nthe “ﬁrst” half\nand the rest.\n"]);
        let first = paper.index["first"][0];
        let spans = paper.spans_of_words(first..first + 4);
        let read: Vec<(u32, usize, &str)> = spans
            .iter()
            .map(|span| (span.page, span.line, &span.text[span.bytes.clone()]))
            .collect();
        assert_eq!(read, [(2, 1, "first\" half"), (2, 2, "and the")]);
    }

    #[test]
    fn what_lies_beyond_the_paper_is_no_span() {
        let paper = paper(&["one two\n"]);
        assert!(paper.spans_of_words(1..9).len() == 1 && paper.spans_of_words(2..9).is_empty());
        assert_eq!(paper.whole_line(0).map(|span| span.bytes), Some(0..7));
        assert_eq!(paper.whole_line(1), None);
    }
}
