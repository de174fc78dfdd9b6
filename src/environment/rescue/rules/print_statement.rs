//! `print` as a statement, written as a call.

use std::ops::Range;

use crate::domain::lazy_regex::LazyRegex;
use crate::environment::rescue::masked::Masked;

/// A statement begins a line, or stands behind the colon of a line of one of these words.
static PRINT: LazyRegex = LazyRegex::new(
    r"(?m)^(?:[ \t]*|[ \t]*(?:if|elif|else|for|while|try|except|finally|with)\b[^\n]*:[ \t]*)(print)\b",
);

/// The script with its print statements as calls, those left as they are that say more than a call can.
pub fn as_calls(masked: &Masked<'_>) -> String {
    let (text, code) = (masked.text, masked.code.as_str());
    let mut out = String::with_capacity(text.len() + 64);
    let mut done = 0;
    // `print (a, b)` prints a pair in a script that has print statements, and two values in any other.
    let pairs = PRINT
        .captures_iter(code)
        .filter_map(|found| found.get(1))
        .any(|word| {
            let said = &code[statement(code, word.end())];
            !said.is_empty() && !said.starts_with(['(', '=', '.'])
        });
    for found in PRINT.captures_iter(code) {
        let Some(word) = found.get(1) else { continue };
        if word.start() < done {
            continue;
        }
        let rest = statement(code, word.end());
        if let Some(call) = call(text, code, rest.clone(), pairs) {
            out.push_str(&text[done..word.end()]);
            out.push_str(&call);
            done = rest.end;
        }
    }
    out.push_str(&text[done..]);
    out
}

/// The bytes from `start` to the end of the statement, blanks at both ends left out.
fn statement(code: &str, start: usize) -> Range<usize> {
    let bytes = code.as_bytes();
    let mut depth = 0_i32;
    let mut end = start;
    while end < bytes.len() {
        match bytes[end] {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b';' if depth <= 0 => break,
            b'\n' if depth <= 0 && bytes[..end].last() != Some(&b'\\') => break,
            _ => {}
        }
        end += 1;
    }
    let whole = &code[start..end];
    let from = start + (whole.len() - whole.trim_start().len());
    from..start + whole.trim_end().len().max(from - start)
}

/// What stands behind the word in a call; `None` where the statement is left as it is.
fn call(text: &str, code: &str, range: Range<usize>, pairs: bool) -> Option<String> {
    let said = &code[range.clone()];
    if said.is_empty() {
        return Some("()".to_owned());
    }
    // A comma at the end keeps the line open, which no argument does in quite the same way.
    if said.ends_with(',') || said.starts_with('=') || said.starts_with('.') {
        return None;
    }
    if let Some(rest) = said.strip_prefix(">>") {
        let from = range.start + 2;
        let Some(comma) = commas(rest).first().copied() else {
            return Some(format!("(file={})", text[from..range.end].trim()));
        };
        return Some(format!(
            "({}, file={})",
            text[from + comma + 1..range.end].trim(),
            text[from..from + comma].trim()
        ));
    }
    let parted = commas(said.get(1..said.len() - 1).unwrap_or_default());
    if is_one_bracket(said) {
        // `print ()` prints an empty pair, `print (a)` what stands inside.
        let is_tuple = pairs && (!parted.is_empty() || said.len() == 2);
        return is_tuple.then(|| format!("({})", &text[range]));
    }
    Some(format!("({})", &text[range]))
}

/// The places of commas outside of every bracket.
fn commas(code: &str) -> Vec<usize> {
    let mut depth = 0_i32;
    let mut places = Vec::new();
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b',' if depth == 0 => places.push(at),
            _ => {}
        }
    }
    places
}

/// True if the whole stands in one pair of round brackets.
fn is_one_bracket(code: &str) -> bool {
    let mut depth = 0_i32;
    for (at, byte) in code.bytes().enumerate() {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return at + 1 == code.len() && code.starts_with('(');
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::rescue::script::ScriptLanguage;

    fn mended(text: &str) -> String {
        as_calls(&Masked::new(text, ScriptLanguage::Python))
    }

    #[test]
    fn statements_become_calls() {
        for (old, new) in [
            ("print", "print()"),
            ("print \"a, b\" # said", "print(\"a, b\") # said"),
            ("print a, b[1, 2]", "print(a, b[1, 2])"),
            ("if x: print x", "if x: print(x)"),
            ("print (a, b)\nprint a", "print((a, b))\nprint(a)"),
            ("print(a)", "print(a)"),
            ("print (a) + (b)", "print((a) + (b))"),
            ("print >>sys.stderr, 'x', y", "print('x', y, file=sys.stderr)"),
            ("print >> f", "print(file=f)"),
            (
                "print \"%d\" % (a,\n   b)\nx = 1",
                "print(\"%d\" % (a,\n   b))\nx = 1",
            ),
            ("print a; y = 2", "print(a); y = 2"),
        ] {
            assert_eq!(mended(old).replace("print (", "print("), new, "{old}");
        }
    }

    #[test]
    fn what_is_no_clear_statement_stays() {
        for text in [
            "print a,",
            "print(a, b)",
            "print (a, file=b)",
            "x = \"print y\"",
            "# print y",
            "printer x",
            "\"\"\"\nprint the table\n\"\"\"",
            "self.print_all()",
            "print = 3",
        ] {
            assert_eq!(mended(text), text);
        }
    }
}
