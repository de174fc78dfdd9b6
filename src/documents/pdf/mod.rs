//! PDF files: characters with their places, then words, columns, lines and tables.
//!
//! One crate does everything below the characters: `hayro-interpret` rebuilds a
//! damaged table of objects, names an encryption, decodes the images that are
//! kept or given to `tesseract`, and holds the metadata, so that no second reader of
//! the same structure is needed beside it.

pub mod characters;
mod columns;
pub mod drawing;
mod glyphs;
mod gutters;
mod ink;
mod layout;
mod lines;
mod ocr;
mod pictures;
mod whole;
mod words;

pub mod read;
