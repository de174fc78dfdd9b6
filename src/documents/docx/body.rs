//! From the tree of a Word part to Markdown.

use std::collections::HashMap;

use crate::documents::docx::math;
use crate::documents::docx::tree::{Child, Element};
use crate::documents::pdf::characters;

/// Gathers the Markdown of a part, and counts what it leaves out.
#[derive(Debug, Default)]
pub struct DocxBody {
    /// Heading levels by style id.
    headings: HashMap<String, usize>,
    pub blocks: Vec<String>,
    pub insertions: u32,
    pub deletions: u32,
    pub pictures: u32,
    pub comments: u32,
    /// Text boxes met inside a paragraph; they follow it.
    boxes: Vec<String>,
}

impl DocxBody {
    /// Nothing gathered, with the heading levels of the document's styles.
    pub fn new(headings: HashMap<String, usize>) -> Self {
        Self {
            headings,
            ..Self::default()
        }
    }

    /// Adds the blocks below an element.
    pub fn blocks(&mut self, parent: &Element) {
        for element in parent.elements() {
            match element.name.as_str() {
                "p" => {
                    let paragraph = self.paragraph(element);
                    if !paragraph.is_empty() {
                        self.blocks.push(paragraph);
                    }
                    let boxes = std::mem::take(&mut self.boxes);
                    self.blocks.extend(boxes);
                }
                "tbl" => {
                    let table = self.table(element);
                    self.blocks.push(table);
                }
                "sdt" | "sdtContent" | "customXml" | "body" | "document" | "ins" | "moveTo"
                | "txbxContent" => {
                    self.blocks(element);
                }
                _ => {}
            }
        }
    }

    /// One paragraph, with the marks of headings and lists.
    fn paragraph(&mut self, paragraph: &Element) -> String {
        let mut text = String::new();
        self.runs(paragraph, &mut text);
        let text = text.trim().to_owned();
        let Some(properties) = paragraph.child("pPr") else {
            return text;
        };
        if text.is_empty() {
            return text;
        }
        let style = properties.value_of("pStyle").unwrap_or_default();
        let outline = properties
            .value_of("outlineLvl")
            .and_then(|level| level.parse::<usize>().ok());
        if let Some(level) = self
            .headings
            .get(style)
            .copied()
            .or(outline.map(|level| level + 1))
            && (1..=6).contains(&level)
        {
            return format!("{} {text}", "#".repeat(level));
        }
        if let Some(numbering) = properties.child("numPr") {
            let level: usize = numbering
                .value_of("ilvl")
                .and_then(|level| level.parse().ok())
                .unwrap_or(0);
            return format!("{}- {text}", "  ".repeat(level.min(8)));
        }
        text
    }

    /// The text of everything below an element, in order.
    fn runs(&mut self, parent: &Element, text: &mut String) {
        for element in parent.elements() {
            match element.name.as_str() {
                "t" | "delText" => text.extend(element.children.iter().filter_map(|child| match child {
                    Child::Text(part) => Some(part.as_str()),
                    Child::Element(_) => None,
                })),
                "tab" => text.push('\t'),
                "br" | "cr" => text.push('\n'),
                "noBreakHyphen" => text.push('-'),
                "sym" => text.extend(symbol(element)),
                "footnoteReference" => {
                    text.push_str(&format!("[^{}]", element.attribute("id").unwrap_or_default()))
                }
                "endnoteReference" => {
                    text.push_str(&format!("[^e{}]", element.attribute("id").unwrap_or_default()))
                }
                "commentReference" => self.comments += 1,
                "del" | "moveFrom" => {
                    let mut removed = String::new();
                    self.runs(element, &mut removed);
                    if !removed.trim().is_empty() {
                        self.deletions += 1;
                    }
                }
                "ins" | "moveTo" => {
                    self.insertions += 1;
                    self.runs(element, text);
                }
                "r" => self.run(element, text),
                "oMath" | "oMathPara" => text.push_str(&math::text(element)),
                "drawing" | "pict" | "object" => {
                    self.pictures += 1;
                    self.text_boxes(element);
                }
                "AlternateContent" => {
                    // The choice and the fallback say the same thing twice.
                    if let Some(choice) = element.child("Choice").or_else(|| element.child("Fallback")) {
                        self.runs(choice, text);
                    }
                }
                "pPr" | "rPr" | "tbl" | "p" | "instrText" => {}
                _ => self.runs(element, text),
            }
        }
    }

    /// A run; raised and lowered digits keep their place.
    fn run(&mut self, run: &Element, text: &mut String) {
        let position = run
            .child("rPr")
            .and_then(|properties| properties.value_of("vertAlign"));
        let mut own = String::new();
        self.runs(run, &mut own);
        let moved = match position {
            Some("superscript") => characters::raised(&own),
            Some("subscript") => characters::lowered(&own),
            _ => None,
        };
        text.push_str(&moved.unwrap_or(own));
    }

    fn text_boxes(&mut self, element: &Element) {
        for child in element.elements() {
            if child.name == "txbxContent" {
                let mut inner = Self::new(self.headings.clone());
                inner.blocks(child);
                self.boxes.extend(inner.blocks);
            } else if child.name != "Fallback" {
                self.text_boxes(child);
            }
        }
    }

    /// A table, its first row as the heading.
    fn table(&mut self, table: &Element) -> String {
        let mut rows: Vec<Vec<String>> = Vec::new();
        self.rows(table, &mut rows);
        let width = rows.iter().map(Vec::len).max().unwrap_or(0);
        let mut markdown = String::new();
        for (index, mut row) in rows.into_iter().enumerate() {
            row.resize(width, String::new());
            markdown.push_str(&format!("| {} |\n", row.join(" | ")));
            if index == 0 {
                markdown.push_str(&format!("|{}\n", " --- |".repeat(width)));
            }
        }
        markdown.trim_end().to_owned()
    }

    fn rows(&mut self, table: &Element, rows: &mut Vec<Vec<String>>) {
        for element in table.elements() {
            match element.name.as_str() {
                "tr" => {
                    let mut row = Vec::new();
                    self.cells(element, &mut row);
                    rows.push(row);
                }
                "sdt" | "sdtContent" | "ins" | "customXml" => self.rows(element, rows),
                _ => {}
            }
        }
    }

    fn cells(&mut self, row: &Element, cells: &mut Vec<String>) {
        for element in row.elements() {
            match element.name.as_str() {
                "tc" => {
                    let outer = std::mem::take(&mut self.blocks);
                    self.blocks(element);
                    let inner = std::mem::replace(&mut self.blocks, outer);
                    cells.push(inner.join(" / ").replace('\n', " ").replace('|', "\\|"));
                    let span = element
                        .child("tcPr")
                        .and_then(|properties| properties.value_of("gridSpan"));
                    let span: usize = span.and_then(|span| span.parse().ok()).unwrap_or(1);
                    cells.extend(std::iter::repeat_n(
                        String::new(),
                        span.saturating_sub(1).min(200),
                    ));
                }
                "sdt" | "sdtContent" | "customXml" => self.cells(element, cells),
                _ => {}
            }
        }
    }
}

/// A character of a symbol font, by its code.
fn symbol(element: &Element) -> Option<char> {
    let code = u32::from_str_radix(element.attribute("char")?, 16).ok()?;
    let character = char::from_u32(code)?;
    characters::clean(std::iter::once(character)).chars().next()
}
