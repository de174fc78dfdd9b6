//! A copy of a PDF in which some of its text is highlighted, with notes.
//!
//! Places come from the characters that the page draws, as the reader sees them;
//! `lopdf` writes the copy. It is the file as it was with an update behind it
//! (ISO 32000-1, 7.5.6), or, where the file is damaged, all of its objects written
//! anew. The pages are read again in the copy, which counts only if it says what the
//! original says.

mod annotate;
pub mod copy;
mod letters;
mod place;
pub mod request;
#[cfg(test)]
mod tests;
