//! Modules that come with Python, by version.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::environment::release_span::release_numbers;

/// The versions that a module came with, as `(major, minor)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ModuleSpan {
    pub first: (u32, u32),
    /// `None` where it is still there.
    pub last: Option<(u32, u32)>,
}

static TABLE: LazyLock<HashMap<&'static str, ModuleSpan>> = LazyLock::new(|| {
    let lines = include_str!("standard_library.csv").lines().skip(1);
    lines.filter_map(row).collect()
});

fn row(line: &'static str) -> Option<(&'static str, ModuleSpan)> {
    let mut cells = line.split(',');
    let name = cells.next()?;
    let first = release_numbers(cells.next()?)?;
    let last = release_numbers(cells.next()?);
    Some((name, ModuleSpan { first, last }))
}

/// The versions of Python that a module comes with; `None` of a module of none.
pub fn span(module: &str) -> Option<ModuleSpan> {
    TABLE.get(module).copied()
}

impl ModuleSpan {
    /// Whether a Python such as `3.8` has it.
    pub fn holds(self, python: &str) -> bool {
        let Some(version) = release_numbers(python) else {
            return true;
        };
        self.first <= version && self.last.is_none_or(|last| version <= last)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_come_and_go() {
        assert!(span("json").unwrap().holds("2.7") && span("json").unwrap().holds("3.14"));
        assert!(span("distutils").unwrap().holds("3.11") && !span("distutils").unwrap().holds("3.12"));
        assert!(!span("tomllib").unwrap().holds("3.10.4"));
        assert!(span("urllib2").unwrap().holds("2.7") && !span("urllib2").unwrap().holds("3.6"));
        assert_eq!(span("pandas"), None);
    }
}
