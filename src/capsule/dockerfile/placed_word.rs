//! Words of commands, with their places.

/// A word of a command, and the line of the file that it stands on.
#[derive(Debug, Clone, Copy)]
pub struct PlacedWord<'a> {
    pub line: usize,
    pub text: &'a str,
    pub is_dynamic: bool,
}
