//! A replacement in a script's text that an entry gives as data.

use std::ops::Range;

use regex::Captures;

use super::expression::TableExpression;
use super::masked::Masked;

/// An expression and what is written in its place.
#[derive(Debug)]
pub struct Rewrite {
    pub pattern: TableExpression,
    /// With `$1` or `${1}` for the parts of the expression.
    pub with: String,
    /// Only on the line that the message names.
    pub on_line_only: bool,
    /// The expression sees the strings of the script, too.
    pub in_text: bool,
}

impl Rewrite {
    /// The script with every match replaced; `None` where there is none.
    ///
    /// Comments are never matched, and strings only where the rewrite says so. The parts that are taken
    /// over are those of the script itself.
    pub fn apply(&self, masked: &Masked<'_>, line: Option<u64>) -> Option<String> {
        let within = match (self.on_line_only, line) {
            (true, Some(line)) => masked.line_range(line)?,
            (true, None) => return None,
            (false, _) => 0..masked.text.len(),
        };
        let seen = if self.in_text {
            &masked.without_comments
        } else {
            &masked.code
        };
        let mut out = String::with_capacity(masked.text.len());
        let mut done = 0;
        for found in self.pattern.captures_iter(seen) {
            let range = found.get(0).map_or(0..0, |whole| whole.range());
            if range.start < within.start || range.end > within.end || starts_in_string(masked, &range) {
                continue;
            }
            out.push_str(masked.text.get(done..range.start)?);
            out.push_str(&self.expanded(&found, masked.text)?);
            done = range.end;
        }
        if done == 0 {
            return None;
        }
        out.push_str(masked.text.get(done..)?);
        (out != masked.text).then_some(out)
    }

    /// The replacement, its parts taken from the script and not from what the expression saw.
    fn expanded(&self, found: &Captures<'_>, text: &str) -> Option<String> {
        let mut out = String::new();
        let mut rest = self.with.as_str();
        while let Some(at) = rest.find('$') {
            out.push_str(&rest[..at]);
            rest = &rest[at + 1..];
            let braced = rest.starts_with('{');
            let from = usize::from(braced);
            let digits = rest[from..].bytes().take_while(u8::is_ascii_digit).count();
            let number: usize = rest[from..from + digits].parse().ok()?;
            if let Some(part) = found.get(number) {
                out.push_str(text.get(part.range())?);
            }
            rest = &rest[from + digits + usize::from(braced)..];
        }
        out.push_str(rest);
        Some(out)
    }
}

/// True if a match begins inside a string: it would cut the string in two.
fn starts_in_string(masked: &Masked<'_>, range: &Range<usize>) -> bool {
    masked.is_string(range.start)
}
