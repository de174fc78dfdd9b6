//! Regular expressions of the table.

use std::ops::Deref;
use std::sync::OnceLock;

use regex::{Regex, RegexBuilder};

/// Bytes that a compiled expression may take.
const LARGEST: usize = 1 << 22;

/// An expression of the table, compiled when it is first held against a text: most of the table is of other
/// languages, releases and messages than those of a run.
#[derive(Debug)]
pub struct TableExpression {
    source: String,
    compiled: OnceLock<Regex>,
}

impl TableExpression {
    /// An expression over lines, which nothing has looked at.
    pub fn new(source: String) -> Self {
        Self {
            source,
            compiled: OnceLock::new(),
        }
    }

    /// Compiles the expression without keeping it.
    ///
    /// # Errors
    /// No regular expression, or one that is too large; a test holds that the table has none.
    pub fn compile(&self) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&self.source)
            .multi_line(true)
            .size_limit(LARGEST)
            .build()
    }
}

impl Deref for TableExpression {
    type Target = Regex;

    fn deref(&self) -> &Regex {
        self.compiled.get_or_init(|| {
            self.compile()
                .unwrap_or_else(|error| unreachable!("an expression that no test has compiled: {error}"))
        })
    }
}
