//! Texts as Python writes them in code.

use crate::domain::lazy_regex::LazyRegex;

/// Characters that `str.isprintable` is false of. Python knows the characters of its own Unicode
/// version, which may be an older one.
static UNPRINTABLE: LazyRegex = LazyRegex::new(r"[\p{C}\p{Z}--[ ]]");

/// `repr(text)`: in single quotes, unless the text has such and no double ones.
pub fn in_code(text: &str, written: &mut String) {
    let quote = if text.contains('\'') && !text.contains('"') {
        '"'
    } else {
        '\''
    };
    written.push(quote);
    for found in text.chars() {
        match found {
            '\n' => written.push_str("\\n"),
            '\r' => written.push_str("\\r"),
            '\t' => written.push_str("\\t"),
            '\\' => written.push_str("\\\\"),
            _ if found == quote => written.extend(['\\', found]),
            ' '..='~' => written.push(found),
            _ if UNPRINTABLE.is_match(found.encode_utf8(&mut [0; 4])) => {
                let escaped = match u32::from(found) {
                    code @ ..=0xff => format!("\\x{code:02x}"),
                    code @ ..=0xffff => format!("\\u{code:04x}"),
                    code => format!("\\U{code:08x}"),
                };
                written.push_str(&escaped);
            }
            _ => written.push(found),
        }
    }
    written.push(quote);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As Python 3.11 prints them.
    #[test]
    fn texts_are_spelt_as_python_spells_them() {
        for (text, expected) in [
            ("", "''"),
            ("a b", "'a b'"),
            ("it's", "\"it's\""),
            ("say \"a\"", "'say \"a\"'"),
            ("it's \"a\"", "'it\\'s \"a\"'"),
            ("a\\b", "'a\\\\b'"),
            ("a\nb\tc\r", "'a\\nb\\tc\\r'"),
            ("a\u{0}\u{1b}\u{7f}", "'a\\x00\\x1b\\x7f'"),
            ("a\u{a0}b\u{ad}", "'a\\xa0b\\xad'"),
            ("a\u{200b}b\u{2028}", "'a\\u200bb\\u2028'"),
            ("\u{feff}\u{3000}\u{e000}", "'\\ufeff\\u3000\\ue000'"),
            ("\u{e0001}", "'\\U000e0001'"),
            ("a\u{2212}b é 😀 \u{fffd}", "'a\u{2212}b é 😀 \u{fffd}'"),
            ("e\u{301}", "'e\u{301}'"),
        ] {
            let mut written = String::new();
            in_code(text, &mut written);
            assert_eq!(written, expected);
        }
    }
}
