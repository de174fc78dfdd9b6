//! JSON that a log has cut off after so many characters.

use serde_json::Value;

/// The members and items of a cut value that came before the cut; `None` of a text that
/// does not begin with an object or a list, or is wrong before it ends.
///
/// A string that was cut keeps its beginning; a key without its value is dropped.
pub fn read(text: &str) -> Option<Value> {
    let text = text.trim_start();
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let scan = Scan::of(text);
    // Where the cut left the inside of a string, it may be a value, or a key without one.
    let ended = scan.is_in_string.then(|| format!("{}\"", whole_escapes(text)));
    let ended = ended.as_deref().unwrap_or(text);
    closed(ended, &scan.open).or_else(|| {
        let (end, open) = scan.last_whole?;
        closed(text.get(..end)?, &open)
    })
}

/// The state of a text's brackets and strings at its end.
struct Scan {
    /// The brackets that close what is open, the outermost first.
    open: Vec<char>,
    is_in_string: bool,
    /// The last place after which nothing is half said, and what was open there.
    last_whole: Option<(usize, Vec<char>)>,
}

impl Scan {
    fn of(text: &str) -> Self {
        let mut scan = Self {
            open: Vec::new(),
            is_in_string: false,
            last_whole: None,
        };
        let mut is_escaped = false;
        for (at, one) in text.char_indices() {
            if scan.is_in_string {
                match one {
                    _ if is_escaped => is_escaped = false,
                    '\\' => is_escaped = true,
                    '"' => scan.is_in_string = false,
                    _ => {}
                }
                continue;
            }
            match one {
                '"' => scan.is_in_string = true,
                '{' | '[' => {
                    scan.open.push(if one == '{' { '}' } else { ']' });
                    scan.last_whole = Some((at + 1, scan.open.clone()));
                }
                '}' | ']' => _ = scan.open.pop(),
                ',' => scan.last_whole = Some((at, scan.open.clone())),
                _ => {}
            }
        }
        scan
    }
}

/// A text without the escape that its end has cut in two.
fn whole_escapes(text: &str) -> &str {
    let tail = text.len() - text.bytes().rev().take_while(|&byte| byte == b'\\').count();
    if (text.len() - tail) % 2 == 1 {
        return &text[..text.len() - 1];
    }
    // `\u12`: at most five characters after an odd number of backslashes.
    let Some(at) = text.rfind("\\u").filter(|at| text.len() - at < 6) else {
        return text;
    };
    let before = text[..at].bytes().rev().take_while(|&byte| byte == b'\\').count();
    if before % 2 == 0 { &text[..at] } else { text }
}

fn closed(text: &str, open: &[char]) -> Option<Value> {
    let closing: String = open.iter().rev().collect();
    serde_json::from_str(&format!("{text}{closing}")).ok()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn what_came_before_the_cut_is_read() {
        for (cut, expected) in [
            (
                r#"{"ok": false, "stdout": "abc"#,
                json!({"ok": false, "stdout": "abc"}),
            ),
            (r#"{"ok": false, "std"#, json!({"ok": false})),
            (r#"{"ok": false, "stdout": "#, json!({"ok": false})),
            (r#"{"ok": false, "code": 1"#, json!({"ok": false, "code": 1})),
            (r#"{"ok": false, "code": tr"#, json!({"ok": false})),
            (
                r#"{"steps": [{"ok": true}, {"ok": false, "out": "a\"#,
                json!({"steps": [{"ok": true}, {"ok": false, "out": "a"}]}),
            ),
            (r#"{"out": "a\u00e"#, json!({"out": "a"})),
            (r#"{"out": "a\\"#, json!({"out": "a\\"})),
            (r#"{"out": "a\\u00"#, json!({"out": "a\\u00"})),
            ("{", json!({})),
            ("[[1], [2", json!([[1], [2]])),
        ] {
            assert_eq!(read(cut), Some(expected), "{cut}");
        }
        for text in ["", "hello", "\"ok", "{\"a\" 1, \"b\": 2", "}"] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_cut_of_an_object_is_read(words in proptest::collection::vec("[ -~é\n]{0,9}", 0..5), part in 0.0_f64..1.0) {
            let whole = json!({"ok": false, "words": words, "n": {"x": null, "y": 1.5}}).to_string();
            let end = whole.floor_char_boundary(1 + (part * (whole.len() - 1) as f64) as usize);
            prop_assert!(read(&whole[..end]).is_some_and(|value| value.is_object()), "{}", &whole[..end]);
        }
    }
}
