//! Values as Python prints them, made into JSON.

use serde_json::Value;

/// Levels of lists and objects that are read.
const DEEPEST: usize = 100;

/// The JSON of a text that is JSON, in the dialect of Python's, or that `repr` printed of such a
/// value; `None` of anything else. Tuples become lists.
pub(super) fn to_json(text: &str) -> Option<String> {
    let mut literal = Literal {
        rest: text.trim(),
        json: String::new(),
    };
    literal.value(0)?;
    literal.rest.trim_start().is_empty().then_some(literal.json)
}

/// A text that is being read, and the JSON of what is read of it.
struct Literal<'a> {
    rest: &'a str,
    json: String,
}

impl Literal<'_> {
    fn takes(&mut self, token: &str) -> bool {
        self.rest = self.rest.trim_start();
        match self.rest.strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn value(&mut self, depth: usize) -> Option<()> {
        const NAMES: [(&str, &str); 11] = [
            ("None", "null"),
            ("null", "null"),
            ("True", "true"),
            ("true", "true"),
            ("False", "false"),
            ("false", "false"),
            ("NaN", "NaN"),
            ("nan", "NaN"),
            ("-inf", "-Infinity"),
            ("Infinity", "Infinity"),
            ("inf", "Infinity"),
        ];
        if depth > DEEPEST {
            return None;
        }
        for (open, close) in [("[", "]"), ("(", ")")] {
            if self.takes(open) {
                return self.items(close, depth);
            }
        }
        if self.takes("{") {
            return self.members(depth);
        }
        self.rest = self.rest.trim_start();
        if self.rest.starts_with(['\'', '"']) {
            let text = self.text()?;
            self.json.push_str(&Value::from(text).to_string());
            return Some(());
        }
        for (name, json) in NAMES {
            if self.takes(name) {
                self.json.push_str(json);
                return Some(());
            }
        }
        self.number()
    }

    fn items(&mut self, close: &str, depth: usize) -> Option<()> {
        self.json.push('[');
        let mut is_first = true;
        while !self.takes(close) {
            if !is_first {
                if !self.takes(",") {
                    return None;
                }
                if self.takes(close) {
                    break;
                }
                self.json.push(',');
            }
            is_first = false;
            self.value(depth + 1)?;
        }
        self.json.push(']');
        Some(())
    }

    fn members(&mut self, depth: usize) -> Option<()> {
        self.json.push('{');
        let mut is_first = true;
        while !self.takes("}") {
            if !is_first {
                if !self.takes(",") {
                    return None;
                }
                if self.takes("}") {
                    break;
                }
                self.json.push(',');
            }
            is_first = false;
            self.rest = self.rest.trim_start();
            let key = self.text()?;
            self.json.push_str(&Value::from(key).to_string());
            if !self.takes(":") {
                return None;
            }
            self.json.push(':');
            self.value(depth + 1)?;
        }
        self.json.push('}');
        Some(())
    }

    fn number(&mut self) -> Option<()> {
        let is_part = |one: char| one.is_ascii_digit() || matches!(one, '.' | 'e' | 'E' | '+' | '-');
        let end = self.rest.find(|one| !is_part(one)).unwrap_or(self.rest.len());
        let (number, rest) = self.rest.split_at(end);
        // A grammar of JSON's: what Python prints of a number is in it.
        serde_json::from_str::<serde_json::Number>(number).ok()?;
        self.json.push_str(number);
        self.rest = rest;
        Some(())
    }

    fn text(&mut self) -> Option<String> {
        let quote = self.rest.chars().next().filter(|one| matches!(one, '\'' | '"'))?;
        let mut text = String::new();
        let mut characters = self.rest[1..].chars();
        loop {
            match characters.next()? {
                one if one == quote => break,
                '\n' => return None,
                '\\' => match characters.next()? {
                    'n' => text.push('\n'),
                    't' => text.push('\t'),
                    'r' => text.push('\r'),
                    'b' => text.push('\u{8}'),
                    'f' => text.push('\u{c}'),
                    'x' => text.push(escaped(&mut characters, 2)?),
                    'u' => text.push(escaped(&mut characters, 4)?),
                    'U' => text.push(escaped(&mut characters, 8)?),
                    one @ ('\\' | '\'' | '"' | '/') => text.push(one),
                    _ => return None,
                },
                one => text.push(one),
            }
        }
        self.rest = characters.as_str();
        Some(text)
    }
}

/// The character of so many hexadecimal digits; half a surrogate pair becomes U+FFFD.
fn escaped(characters: &mut std::str::Chars<'_>, digits: usize) -> Option<char> {
    let mut code = 0;
    for _ in 0..digits {
        code = code * 16 + characters.next()?.to_digit(16)?;
    }
    match code {
        0xD800..=0xDFFF => Some('\u{fffd}'),
        code => char::from_u32(code),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_python_prints_and_json_are_read_and_nothing_else() {
        for (text, json) in [
            (
                "{'a': 1.5, \"b\": [None, True], 'c': (1, 2)}",
                "{\"a\":1.5,\"b\":[null,true],\"c\":[1,2]}",
            ),
            ("{\"a\": 1e-05, \"b\": NaN}", "{\"a\":1e-05,\"b\":NaN}"),
            ("[nan, -inf, inf, -3]", "[NaN,-Infinity,Infinity,-3]"),
            ("'it\\'s \\xe9\\n'", "\"it's é\\n\""),
            ("  {} ", "{}"),
            ("(1,)", "[1]"),
        ] {
            assert_eq!(to_json(text).as_deref(), Some(json), "{text}");
        }
        for text in [
            "", "word", "{1: 2}", "[1 2]", "{'a' 1}", "'open", "[", "1 2", "1_000", "0x10", "\"\\q\"",
        ] {
            assert_eq!(to_json(text), None, "{text}");
        }
        assert_eq!(to_json(&"[".repeat(100_000)), None);
    }
}
