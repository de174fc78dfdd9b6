//! Patterns of paths and hosts.

use regex::{Regex, RegexBuilder};

use crate::domain::excerpt;

/// A pattern: `*` is anything within one part, `**` anything at all, `?` one
/// character; every other character stands for itself.
#[derive(Debug, Clone)]
pub struct Glob {
    text: String,
    regex: Regex,
}

impl PartialEq for Glob {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for Glob {}

/// A pattern that is none.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BadGlob {
    #[error("`{0}` is not a usable pattern: patterns have 1 to 1000 characters, such as `work/**/*.py`")]
    Length(String),
    #[error(
        "`{0}` is not a usable pattern: no path has a part `{1}`, so that it would match nothing; leave it out"
    )]
    Part(String, String),
}

impl Glob {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A pattern that is empty, longer than 1,000 bytes, or too large once compiled, or that has a
    /// part `.` or `..`.
    pub fn parse(text: &str) -> Result<Self, BadGlob> {
        let shown = || excerpt::shortened(text, 60);
        let bad = || BadGlob::Length(shown());
        if text.is_empty() || text.len() > 1000 {
            return Err(bad());
        }
        if let Some(part) = text.split('/').find(|part| matches!(*part, "." | "..")) {
            return Err(BadGlob::Part(shown(), part.to_owned()));
        }
        let mut pattern = String::from("^");
        let mut rest = text;
        while let Some(character) = rest.chars().next() {
            if let Some(after) = rest.strip_prefix("**/") {
                pattern.push_str("(?:.*/)?");
                rest = after;
                continue;
            }
            if let Some(after) = rest.strip_prefix("**") {
                pattern.push_str(".*");
                rest = after;
                continue;
            }
            match character {
                '*' => pattern.push_str("[^/]*"),
                '?' => pattern.push_str("[^/]"),
                other => pattern.push_str(&regex::escape(other.encode_utf8(&mut [0; 4]))),
            }
            rest = &rest[character.len_utf8()..];
        }
        pattern.push('$');
        let regex = RegexBuilder::new(&pattern)
            .dot_matches_new_line(true)
            .build()
            .map_err(|_| bad())?;
        Ok(Self {
            text: text.to_owned(),
            regex,
        })
    }

    /// Whether the whole of `text` fits.
    pub fn matches(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stars_stop_at_a_slash_unless_doubled() {
        let fits = |glob: &str, text: &str| Glob::parse(glob).unwrap().matches(text);
        assert!(fits("work/*.py", "work/a.py"));
        assert!(!fits("work/*.py", "work/sub/a.py"));
        assert!(!fits("work/*.py", "work/aXpy"));
        assert!(fits("work/**/*.py", "work/a.py") && fits("work/**/*.py", "work/x/y/a.py"));
        assert!(fits("work/**", "work/a b (1).R") && !fits("work/**", "workaround"));
        assert!(fits("*.osf.io", "files.osf.io") && !fits("*.osf.io", "osf.io.evil.com"));
        assert!(fits("a?c[1]", "abc[1]") && !fits("a?c", "a/c"));
        assert!(!fits("work/*.py", "work/a.py\n"));
        for climbs in ["work/../**", "../*", "./work/*", "work/.."] {
            let error = Glob::parse(climbs).unwrap_err().to_string();
            assert!(error.contains(climbs), "{error}");
        }
        assert!(fits("work/..a/*", "work/..a/b"));
        assert!(Glob::parse("").is_err() && Glob::parse(&"*".repeat(2000)).is_err());
    }
}
