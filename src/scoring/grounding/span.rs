//! The parts of a paper's lines in which something was found.

use std::ops::Range;

/// A part of one line of a paper's page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextSpan {
    /// The page's number from 1; 0 where the paper has no pages.
    pub page: u32,
    /// The line among those lines of its page that hold text, from 0.
    pub line: usize,
    /// The line in plain form (`typography::plain`).
    pub text: String,
    /// Bytes of the plain line.
    pub bytes: Range<usize>,
}
