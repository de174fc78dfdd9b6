//! PDF files: characters with their places, then words, columns, lines and tables.

pub mod characters;
mod glyphs;
mod ink;
mod layout;
mod lines;
mod ocr;
mod words;

pub mod read;
