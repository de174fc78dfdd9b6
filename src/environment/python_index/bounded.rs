//! Requirements and markers that others wrote, read within limits: the library's parser calls itself for each bracket.

use std::str::FromStr as _;

use pep508_rs::{Requirement, VerbatimUrl};

/// Bytes of a requirement or marker, and brackets inside of one another.
const LONGEST: usize = 8_000;
const DEEPEST: usize = 40;

/// Whether a text is short and flat enough to be parsed.
pub fn is_bounded(text: &str) -> bool {
    let mut deep = 0_usize;
    text.len() <= LONGEST
        && text.bytes().all(|byte| {
            match byte {
                b'(' => deep += 1,
                b')' => deep = deep.saturating_sub(1),
                _ => {}
            }
            deep <= DEEPEST
        })
}

/// The requirement in a text; `None` of a text that is none, or is too large to be one.
pub fn requirement(text: &str) -> Option<Requirement<VerbatimUrl>> {
    is_bounded(text)
        .then(|| Requirement::from_str(text).ok())
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_are_read_up_to_a_depth() {
        let nested = |depth: usize| {
            format!(
                "x; {}python_version > '3'{}",
                "(".repeat(depth),
                ")".repeat(depth)
            )
        };
        assert!(requirement(&nested(DEEPEST)).is_some());
        // A parser that follows these calls itself until its stack is used up.
        assert!(requirement(&nested(DEEPEST + 1)).is_none());
        assert!(requirement(&nested(100_000)).is_none());
        assert!(requirement(&format!("x; {}", "(".repeat(1_000_000))).is_none());
        assert!(requirement(&format!("x{}", " ".repeat(LONGEST))).is_none());
    }
}
