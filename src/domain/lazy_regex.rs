//! Regular expressions of the code, compiled when they are first asked for.
//!
//! Macros that check them as the code is compiled build the whole regex library a second time, for the
//! compiler: `tests/repository/style/expressions.rs` compiles each of them instead.

use std::ops::Deref;
use std::sync::OnceLock;

/// An expression over text.
pub struct LazyRegex {
    source: &'static str,
    compiled: OnceLock<regex::Regex>,
}

impl LazyRegex {
    /// An expression that is compiled at its first use.
    pub const fn new(source: &'static str) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
        }
    }
}

impl Deref for LazyRegex {
    type Target = regex::Regex;

    fn deref(&self) -> &regex::Regex {
        self.compiled.get_or_init(|| {
            regex::Regex::new(self.source)
                .unwrap_or_else(|error| unreachable!("an expression that no test has compiled: {error}"))
        })
    }
}

/// An expression over bytes.
pub struct LazyBytesRegex {
    source: &'static str,
    compiled: OnceLock<regex::bytes::Regex>,
}

impl LazyBytesRegex {
    /// An expression that is compiled at its first use.
    pub const fn new(source: &'static str) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
        }
    }
}

impl Deref for LazyBytesRegex {
    type Target = regex::bytes::Regex;

    fn deref(&self) -> &regex::bytes::Regex {
        self.compiled.get_or_init(|| {
            regex::bytes::Regex::new(self.source)
                .unwrap_or_else(|error| unreachable!("an expression that no test has compiled: {error}"))
        })
    }
}
