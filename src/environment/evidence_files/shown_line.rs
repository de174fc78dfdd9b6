//! Lines of files as messages show them.

/// Letters that are shown.
const LONGEST: usize = 80;

/// The beginning of a line, without what a terminal would obey.
pub fn shown(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(LONGEST)
        .collect()
}
