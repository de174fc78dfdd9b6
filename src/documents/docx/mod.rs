//! Word documents as Markdown: paragraphs, headings, lists, tables, footnotes
//! and tracked changes (ECMA-376, part 1, chapter 17).

mod body;
mod math;
pub mod tree;

pub mod read;
