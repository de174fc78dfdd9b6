//! Lines about a file, a few of each kind.

/// Lines of one kind about one file, of which only the first few are kept.
#[derive(Debug, Default)]
pub struct FirstLines {
    lines: Vec<String>,
    more: usize,
}

impl FirstLines {
    /// Most lines of one kind about one file.
    const MOST: usize = 5;

    /// Counts a line, and keeps it while they are few.
    pub fn add(&mut self, line: impl FnOnce() -> String) {
        if self.lines.len() < Self::MOST {
            self.lines.push(line());
        } else {
            self.more += 1;
        }
    }

    /// Hands the lines over, with a last one that counts the rest.
    pub fn tell(self, lines: &mut Vec<String>, rest: impl FnOnce(usize) -> String) {
        lines.extend(self.lines);
        if self.more > 0 {
            lines.push(rest(self.more));
        }
    }
}

/// The first names in quotes, and how many there are more; `None` of none.
pub fn first_of(names: impl ExactSizeIterator<Item = impl std::fmt::Display>, most: usize) -> Option<String> {
    let more = names.len().saturating_sub(most);
    let shown = listed(names.take(most));
    match more {
        0 => Some(shown).filter(|shown| !shown.is_empty()),
        more => Some(format!("{shown} and {more} more")),
    }
}

/// Names in quotes.
pub(super) fn listed(names: impl IntoIterator<Item = impl std::fmt::Display>) -> String {
    let quoted: Vec<_> = names.into_iter().map(|name| format!("`{name}`")).collect();
    quoted.join(", ")
}
