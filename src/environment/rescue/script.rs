//! The text of a script.

/// A script, as it is held against the table.
#[derive(Debug, Clone, Copy)]
pub struct Script<'a> {
    /// Its path, as messages name it.
    pub path: &'a str,
    pub text: &'a str,
}
