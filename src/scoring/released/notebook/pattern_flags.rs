//! Flags of a pattern, and the classes that hang on them.

use super::pattern_fault::PatternFault;

/// The flags that hold at a place of a pattern.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct PatternFlags {
    pub ignore_case: bool,
    pub multi_line: bool,
    pub dot_all: bool,
    pub verbose: bool,
    pub ascii: bool,
}

impl PatternFlags {
    /// Sets or clears a flag by its letter.
    pub fn set(&mut self, letter: char, on: bool) -> Result<(), PatternFault> {
        match letter {
            'i' => self.ignore_case = on,
            'm' => self.multi_line = on,
            's' => self.dot_all = on,
            'x' => self.verbose = on,
            'a' if on => self.ascii = true,
            'u' if on => self.ascii = false,
            'a' | 'u' => {
                return Err(PatternFault::Python(
                    "bad inline flags: cannot turn off flags 'a' and 'u'",
                ));
            }
            'L' => {
                return Err(PatternFault::Python(
                    "bad inline flags: cannot use 'L' flag with a str pattern",
                ));
            }
            _ => return Err(PatternFault::Python("unknown flag")),
        }
        Ok(())
    }

    /// The opening of a group in which the flags hold that the searcher has to know.
    pub fn opening(self) -> String {
        let mut on = String::new();
        let mut off = String::new();
        for (flag, letter) in [(self.ignore_case, 'i'), (self.dot_all, 's')] {
            if flag { on.push(letter) } else { off.push(letter) }
        }
        let off = if off.is_empty() { off } else { format!("-{off}") };
        format!("(?{on}{off}:")
    }

    /// What stands between the brackets of a class for a letter such as `w`; `None` where the letter
    /// names no class.
    pub fn class(self, letter: char) -> Option<&'static str> {
        Some(match (letter.to_ascii_lowercase(), self.ascii) {
            ('d', false) => r"\p{Nd}",
            ('d', true) => "0-9",
            ('w', false) => r"\p{L}\p{N}_",
            ('w', true) => "A-Za-z0-9_",
            ('s', false) => r"\s\x{1c}-\x{1f}",
            ('s', true) => r"\x{9}-\x{d}\x{20}",
            _ => return None,
        })
    }
}
