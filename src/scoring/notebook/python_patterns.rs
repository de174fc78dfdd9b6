//! Patterns against Python's own `re`.

use std::io::Write as _;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::need;
use crate::scoring::released::notebook::pattern::{GaveUp, PythonPattern};
use crate::scoring::released::notebook::pattern_fault::PatternFault;

/// Says of each pattern and text whether Python finds it; null where it refuses the pattern.
const PYTHON: &str = r#"
import json, re, sys, warnings
warnings.simplefilter("ignore")
cases = json.load(sys.stdin)
answers = []
for pattern, texts in cases:
    try:
        compiled = re.compile(pattern)
    except (re.error, OverflowError):
        answers.append(None)
        continue
    answers.append([bool(compiled.search(text)) for text in texts])
json.dump(answers, sys.stdout)
"#;

/// The characters of each class that Python knows, by code point.
const CLASSES: &str = r#"
import json, re, sys, unicodedata
classes = {}
for pattern in json.load(sys.stdin):
    compiled = re.compile(pattern)
    classes[pattern] = [code for code in range(0x110000)
        if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) != "Cn" and compiled.search(chr(code))]
classes["assigned"] = [code for code in range(0x110000)
    if not 0xD800 <= code < 0xE000 and unicodedata.category(chr(code)) != "Cn"]
json.dump(classes, sys.stdout)
"#;

fn python(script: &str, input: &Value) -> Option<Value> {
    need::program("python3", "apt-get install python3")?;
    let mut child = Command::new("python3")
        .args(["-c", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all(input.to_string().as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success());
    Some(serde_json::from_slice(&output.stdout).unwrap())
}

/// Texts without line feeds, of what the patterns below look for and near misses.
const TEXTS: [&str; 30] = [
    "",
    "a",
    "ab",
    "aab aab",
    "abab",
    "A\u{e9}b_1 \u{b2}\u{2167}",
    "e\u{301}x",
    "Test accuracy: 0.25, loss = 1.53e-05",
    "epoch 1/3 [=====>] done",
    "a\rb",
    "a\tb\u{1c}c\u{85}d",
    "{\"loss\": 0.5}",
    "a{2}",
    "a{,2}b",
    "[x] & y--z ~ ^",
    "\u{8}\u{7}\u{0}",
    "foo-bar_baz",
    "ABC abc \u{17f} \u{212a}",
    "Saving model checkpoint to /content/out/checkpoint-100",
    "x]y",
    "\\d+",
    "(a)",
    "#comment x y",
    "\u{663}\u{661}",
    "100%|##########| 10/10 [00:12<00:00,  1.23s/it]",
    "aaa",
    "abcabc",
    " lead and trail ",
    "\u{1f600}!",
    "AAA101S",
];

/// What Python's grammar has, what Python refuses, and what landmarks look like.
const PATTERNS: [&str; 149] = [
    "",
    "a",
    "ab|b",
    "^a",
    "a$",
    "^$",
    r"\Aa",
    r"b\Z",
    "(?m)^a$",
    "(?s)a.b",
    "a.b",
    ".",
    r"\w\w",
    r"\W",
    r"\s\S",
    r"\d",
    r"\D+",
    "(?a)\\w\u{e9}",
    r"(?a)\d",
    r"(?a)\s\w",
    r"(?a:\w)\w",
    r"(?a)\W",
    r"\bfoo\b",
    r"foo\b.",
    r"\Bo",
    r"\B",
    r"\b",
    r"(?a)\b\w",
    "(?P<x>a)(?P=x)",
    "(?P<x>a)b",
    r"(a)\1",
    r"(a)(b)\2?\1",
    r"(a)\10",
    r"(ab)\1$",
    r"(a)?(?(1)b|x)",
    r"(?P<q>a)?(?(q)b|x)",
    "(?#note)a",
    "(?x) a  b # c",
    "(?x)a +",
    r"(?x)a\ b",
    "(?x)[ ]",
    "\\0",
    "\\00",
    r"\101",
    r"\x41",
    r"\u0041",
    r"\U00000041",
    r"\a",
    r"[\b]",
    "a{2}",
    "a{,2}b",
    "a{2,}",
    "a{1,2}b",
    "a{",
    "a{x}",
    "{",
    "}",
    "]",
    "{}",
    "a{}",
    "a{,}",
    "a{2",
    r"\{\}",
    "[]x]",
    "[^]x]",
    "[[x]",
    "[a&&b]",
    "[+--]",
    "[x~~y]",
    "[a-]",
    "[-a]",
    "[a-c]",
    r"[\w-]",
    r"[\d.]+e-\d+",
    r"[^\W]",
    r"[\W_]",
    r"[\S]",
    r"[\D\s]",
    r"[\101]",
    r"[\x41-\x43]",
    r"[\^]",
    "[.]",
    "[^a]",
    "a*?b",
    "a+?",
    "a??b",
    "a++",
    "a*+a",
    "(?>a+)a",
    "(?=a)ab",
    "(?!a)b",
    "(?<=a)b",
    "(?<!a)b",
    "(?i)test",
    "(?i:A)b",
    "(?i)[a-c]\u{17f}",
    "(?i)k",
    "(?i)(a)\\1",
    "(?-i:a)",
    "(?i)(?-i:a)B",
    "(?s-i:.)",
    "(?im)^A",
    "(?u)\\w",
    r"\.",
    r"\-",
    r"\ ",
    r"\/content",
    r"\#",
    r"\%",
    r"\(a\)",
    r"\\d\+",
    r"Test accuracy: \d+\.\d+",
    r"loss\s*=\s*[\d.]+(?:e-\d+)?",
    r"\d+%\|#+\|",
    r"\[\d+:\d+<\d+:\d+,\s+\d+\.\d+s/it\]",
    "checkpoint-[0-9]{3}",
    r"epoch \d+/\d+.*done",
    "(a|ab)(c|bcd)?",
    "(a*)*b",
    "(?:a|b)+$",
    "\u{e9}",
    "[\u{e9}\u{661}]",
    "\u{1f600}",
    "\\\u{e9}",
    "x{0}a",
    "()a",
    "(|a)b",
    "a|",
    // What Python refuses.
    "(",
    ")",
    "a)",
    "(a",
    "[a",
    "*a",
    "a**",
    "a|*",
    "(*a)",
    r"\1",
    r"(\1)",
    r"\8",
    r"(a)\2",
    "(?P<1>a)",
    "(?P<x>a)(?P<x>b)",
    "(?P=y)",
    "(?<x>a)",
    "a{2,1}",
    r"\q",
    r"[\q]",
    r"[b-a]",
];

/// More of what Python refuses.
const REFUSED: [&str; 24] = [
    r"[\w-a]",
    r"[a-\d]",
    "\\",
    "[\\",
    r"\x4",
    r"\u004",
    r"\UFFFFFFFF",
    r"\777",
    r"[\777]",
    r"[\8]",
    "(?L)a",
    "a(?i)b",
    "(?y)a",
    "(?P",
    "(?P>a)",
    "(?(2)a|b)",
    "(a)(?(1)a|b|c)",
    "(?#a",
    "^*",
    r"\b+",
    "(?i",
    "(?i-:a",
    "(?-a:b)",
    r"\z",
];

/// Patterns of Python's that are not taken, as [`PythonPattern`] says.
const NOT_TAKEN: [&str; 15] = [
    "(?a)\\w\u{e9}",
    r"(?a)\d",
    r"(?a)\s\w",
    r"(?a:\w)\w",
    r"(?a)\W",
    r"(?a)\b\w",
    r"(?P<q>a)?(?(q)b|x)",
    "\\0",
    "\\00",
    r"\101",
    "[[x]",
    "[a&&b]",
    "[+--]",
    "[x~~y]",
    r"[\101]",
];
/// Patterns that find something else: the empty text, and an accent by itself.
const ELSEWHERE: [&str; 1] = [r"\B"];
/// Patterns that Python refuses, and that are taken.
const TAKEN: [&str; 12] = [
    r"(\1)",
    "(?P<1>a)",
    "(?P<x>a)(?P<x>b)",
    "(?<x>a)",
    "a{2,1}",
    r"[\w-a]",
    "a(?i)b",
    "(?(2)a|b)",
    "(a)(?(1)a|b|c)",
    "^*",
    r"\b+",
    r"\z",
];

#[test]
fn patterns_find_what_python_finds_but_for_the_differences_that_are_named() {
    let cases: Vec<&str> = PATTERNS.into_iter().chain(REFUSED).collect();
    let input: Vec<Value> = cases.iter().map(|pattern| json!([pattern, TEXTS])).collect();
    let Some(answers) = python(PYTHON, &json!(input)) else {
        return;
    };
    let (mut not_taken, mut elsewhere, mut taken) = (Vec::new(), Vec::new(), Vec::new());
    for (pattern, answer) in cases.into_iter().zip(answers.as_array().unwrap()) {
        match (PythonPattern::new(pattern), answer) {
            (Err(_), Value::Null) => {}
            (Ok(_), Value::Null) => taken.push(pattern),
            (Err(PatternFault::NotTaken(_)), _) => not_taken.push(pattern),
            (Ok(compiled), Value::Array(found)) => {
                let ours = TEXTS.map(|text| json!(compiled.is_found(text).unwrap()));
                if ours.as_slice() != found {
                    elsewhere.push(pattern);
                }
            }
            (ours, theirs) => panic!("{pattern:?}: Python {theirs}, here {:?}", ours.err()),
        }
    }
    assert_eq!(not_taken, NOT_TAKEN);
    assert_eq!(elsewhere, ELSEWHERE);
    assert_eq!(taken, TAKEN);
}

/// Over every character that Python's Unicode and ours both know.
#[test]
fn classes_hold_the_characters_that_pythons_hold() {
    let patterns = [r"\d", r"\w", r"\s", r"[^\W]", r"[\S]"];
    let Some(classes) = python(CLASSES, &json!(patterns)) else {
        return;
    };
    let characters = |name: &str| -> Vec<char> {
        let codes = classes[name].as_array().unwrap().iter();
        codes
            .map(|code| char::from_u32(code.as_u64().unwrap() as u32).unwrap())
            .collect()
    };
    let assigned = characters("assigned");
    for pattern in patterns {
        let compiled = PythonPattern::new(pattern).unwrap();
        let theirs: std::collections::HashSet<char> = characters(pattern).into_iter().collect();
        let wrong: Vec<char> = (assigned.iter().copied())
            .filter(|one| compiled.is_found(&one.to_string()).unwrap() != theirs.contains(one))
            .collect();
        assert!(wrong.is_empty(), "{pattern}: {:?}", &wrong[..wrong.len().min(20)]);
    }
}

#[test]
fn what_is_not_taken_is_named_and_a_search_without_end_is_given_up() {
    for (pattern, said) in [
        (r"\N{DIGIT ONE}".to_owned(), "means something else here"),
        (r"\ud800".to_owned(), "does not parse it"),
        ("(".repeat(200) + &")".repeat(200), "does not parse it"),
        ("a".repeat(20_001), "more than 20000 characters"),
    ] {
        match PythonPattern::new(&pattern) {
            Err(PatternFault::NotTaken(why)) => assert!(why.contains(said), "{why}"),
            other => panic!("{pattern:.40}: {other:?}"),
        }
    }
    // Linear where nothing looks back, given up where something does.
    let line = "a".repeat(60);
    assert_eq!(PythonPattern::new("(a+)+b").unwrap().is_found(&line), Ok(false));
    assert_eq!(
        PythonPattern::new("(?:(?=a)a+)+b").unwrap().is_found(&line),
        Err(GaveUp)
    );
}
