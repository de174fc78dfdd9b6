//! PDF files: characters with their places, then words, columns, lines and tables.

mod characters;
mod glyphs;
mod ink;
mod layout;
mod lines;
mod words;

pub mod read;
