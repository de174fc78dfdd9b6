//! A document as read: text by page, tables, and notes on the parts that could not be read.

use serde::{Deserialize, Serialize};

use crate::documents::kind::Kind;
use crate::documents::table::column::Table;

/// One line of a page, in reading order.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    pub text: String,
    /// Left, top, right, bottom in points from the page's upper left corner.
    pub area: [f32; 4],
}

/// One page of a paginated document.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Page {
    /// From 1, as a viewer counts.
    pub number: u32,
    /// The lines in reading order; blank lines stand between blocks.
    pub text: String,
    pub lines: Vec<Line>,
    /// Raster images drawn on the page.
    pub images: u32,
}

/// A raster image that a page draws.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    /// From 1.
    pub page: u32,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    /// The image as a PNG file.
    pub png: Vec<u8>,
}

/// A file that was read.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    pub kind: Kind,
    /// What the file says of itself: title, author, program and the like.
    pub properties: Vec<(String, String)>,
    /// The encoding of a text file, by its name in the WHATWG Encoding Standard.
    pub encoding: Option<String>,
    /// Pages of a paginated document; empty for the other kinds.
    pub pages: Vec<Page>,
    /// The text of a document without pages, as Markdown where it has structure.
    pub text: String,
    pub tables: Vec<Table>,
    /// In the order in which the pages draw them.
    pub pictures: Vec<Picture>,
    /// What could not be read, and what had to be decided, in sentences.
    pub notes: Vec<String>,
}

impl Document {
    /// An empty document of a kind.
    pub fn new(kind: Kind) -> Self {
        Self {
            kind,
            properties: Vec::new(),
            encoding: None,
            pages: Vec::new(),
            text: String::new(),
            tables: Vec::new(),
            pictures: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Bytes that the text and the tables take in memory, near enough.
    pub fn bytes(&self) -> u64 {
        // The lines of a page repeat its text.
        let pages: usize = self
            .pages
            .iter()
            .map(|page| 2 * page.text.len() + 64 * page.lines.len())
            .sum();
        let tables: u64 = self.tables.iter().map(Table::bytes).sum();
        let pictures: usize = self.pictures.iter().map(|picture| picture.png.len()).sum();
        (self.text.len() + pages + pictures) as u64 + tables
    }

    /// What could not be read, each note in brackets, and then all text: a cut keeps the beginning.
    pub fn with_notes(&self) -> String {
        let mut text: String = self.notes.iter().map(|note| format!("[{note}]\n")).collect();
        text.push_str(&self.whole_text());
        text
    }

    /// All text; each page of a paginated document begins with `[page N]`.
    pub fn whole_text(&self) -> String {
        if self.pages.is_empty() {
            return self.text.clone();
        }
        self.pages
            .iter()
            .map(|page| format!("[page {}]\n{}\n", page.number, page.text))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notes_stand_before_the_text_where_no_cut_takes_them() {
        let mut document = Document::new(Kind::Text);
        document.text = "all of it".to_owned();
        document.notes.push("A part is missing.".to_owned());
        assert_eq!(document.with_notes(), "[A part is missing.]\nall of it");
    }
}
