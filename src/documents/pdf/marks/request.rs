//! The request for a marked copy of a PDF, and its outcome.

use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Red, green and blue, each from 0 to 1.
pub type Colour = [f32; 3];

/// The marks and notes of a marked copy.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct MarkRequest {
    pub marks: Vec<Mark>,
    /// At most one for a page.
    pub notes: Vec<PageNote>,
}

/// Some text of a page, highlighted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Mark {
    /// From 1.
    pub page: u32,
    /// The parts of the page's lines; one annotation covers all of them.
    pub parts: Vec<MarkedPart>,
    pub colour: Colour,
    /// What a reader is told of it.
    pub note: String,
}

/// A part of one line of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct MarkedPart {
    /// The whole line. It may differ from the page in spaces, typography and cases.
    pub line: String,
    /// The bytes of the line that are marked.
    pub bytes: Range<usize>,
    /// The line's area: left, top, right, bottom, as `document::Line` has it.
    pub area: [f32; 4],
    /// The area of the line below, from which the end of a broken word was moved up.
    pub below: Option<[f32; 4]>,
}

/// A note at the top of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PageNote {
    /// From 1.
    pub page: u32,
    pub colour: Colour,
    pub text: String,
}

/// A copy with its marks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkedCopy {
    pub pdf: Vec<u8>,
    /// Which of the marks have no place that could be told: their notes stand at the top
    /// of their page.
    pub unplaced: Vec<usize>,
}
