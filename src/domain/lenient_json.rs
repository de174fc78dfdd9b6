//! JSON as people and models write it: near enough to be read without a guess
//! at what was meant. Every departure from the standard is reported.
//!
//! Nothing is repaired where two readings are possible: an unescaped quote
//! inside a string stays an error, and a missing comma in what a model wrote.

mod parsed;
mod parser;
mod strings;

pub use parsed::{LenientError, MAX_BYTES, MAX_DEPTH, MAX_REPAIRS, Parsed, Repair, RepairKind, Tolerance};
use parser::Parser;

/// Reads a text that holds one value and nothing else but space and comments.
/// A byte order mark is skipped.
///
/// # Errors
/// A text that cannot be read without a guess, or is too large or nested too deep.
pub fn parse(text: &str) -> Result<Parsed, LenientError> {
    parse_of(Tolerance::Models, text)
}

/// Reads a text that holds one value, with the tolerance that its writer calls for.
///
/// # Errors
/// A text that cannot be read without a guess, or is too large or nested too deep.
pub fn parse_of(tolerance: Tolerance, text: &str) -> Result<Parsed, LenientError> {
    let skipped = text.len() - text.trim_start_matches('\u{feff}').len();
    let mut parser = Parser::new(text, skipped, tolerance)?;
    let value = parser.document()?;
    parser.finish()?;
    Ok(parser.into_parsed(value))
}

/// Reads the value that `text` begins with and leaves the rest.
///
/// # Errors
/// A value that cannot be read without a guess, is cut off, too large or nested too deep.
pub fn parse_prefix(text: &str) -> Result<Parsed, LenientError> {
    let mut parser = Parser::new(text, 0, Tolerance::Models)?;
    let value = parser.document()?;
    Ok(parser.into_parsed(value))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    fn kinds(text: &str) -> (Value, Vec<RepairKind>) {
        let parsed = parse(text).unwrap_or_else(|error| panic!("{text}: {error}"));
        (
            parsed.value,
            parsed.repairs.into_iter().map(|one| one.kind).collect(),
        )
    }

    #[test]
    fn a_persons_missing_comma_is_read_and_their_quotes_are_not_guessed_at() {
        let text = "{\"a\": 1\n\"b\": [{} {}]}";
        let parsed = parse_of(Tolerance::People, text);
        assert!(parsed.is_err(), "a number may have lost more than its comma");
        let text = "{\"a\": {}\n\"b\": [{} {}]}";
        let parsed = parse_of(Tolerance::People, text).unwrap();
        assert_eq!(parsed.value, json!({"a": {}, "b": [{}, {}]}));
        let lines: Vec<usize> = parsed.repairs.iter().map(|repair| repair.line).collect();
        assert_eq!(lines, [2, 2]);
        assert!(parse(text).is_err(), "a model's may stand for lost text");
        for mark in ["\"\"\"", "'''"] {
            let text = format!("[{mark}C:\\new \"x\" of it's{mark}]");
            let parsed = parse_of(Tolerance::People, &text).unwrap();
            assert_eq!(parsed.value, json!(["C:\\new \"x\" of it's"]), "{text}");
        }
        for guess in ["['a']", "[True]", "{a: 1}", "[1] // one", "[\"\\q\"]", "[.5]"] {
            assert!(parse(guess).is_ok(), "{guess}");
            let error = parse_of(Tolerance::People, guess).unwrap_err().to_string();
            assert!(error.contains("is not guessed at"), "{guess}: {error}");
        }
    }

    #[test]
    fn each_repair_is_made_and_named() {
        use RepairKind as K;
        for (text, value, kind) in [
            ("[1, 2,]", json!([1, 2]), K::TrailingComma),
            ("{\"a\": 1,}", json!({"a": 1}), K::TrailingComma),
            ("[1 // one\n]", json!([1]), K::Comment),
            ("[/* one */ 1]", json!([1]), K::Comment),
            ("# head\n[1]", json!([1]), K::Comment),
            ("['it\\u0041']", json!(["itA"]), K::SingleQuotes),
            ("['don't']", json!(["don't"]), K::SingleQuotes),
            ("[\"\"\"a \"b\" c\"\"\"]", json!(["a \"b\" c"]), K::TripleQuotes),
            ("{“a”: 1}", json!({"a": 1}), K::SmartQuotes),
            ("[None]", json!([null]), K::PythonLiteral),
            ("[True]", json!([true]), K::PythonLiteral),
            ("[NaN]", json!([null]), K::NotANumber),
            ("[-Infinity]", json!([null]), K::NotANumber),
            ("[.5]", json!([0.5]), K::NumberForm),
            ("[+5]", json!([5]), K::NumberForm),
            ("{a_b: 1}", json!({"a_b": 1}), K::UnquotedKey),
            ("{3: 1}", json!({"3": 1}), K::UnquotedKey),
            ("[\"a\nb\"]", json!(["a\nb"]), K::RawControl),
            ("[\"it\\'s\"]", json!(["it's"]), K::InvalidEscape),
            ("[\"\\d+\"]", json!(["\\d+"]), K::InvalidEscape),
            ("[\"\\ud800\"]", json!(["\u{fffd}"]), K::LoneSurrogate),
            // A letter of two bytes where the second half would begin.
            ("[\"\\ud8006Л\"]", json!(["\u{fffd}6Л"]), K::LoneSurrogate),
            ("{\"a\":1,\"a\":2}", json!({"a": 2}), K::DuplicateKey("a".into())),
        ] {
            assert_eq!(kinds(text), (value, vec![kind]), "{text}");
        }
    }

    #[test]
    fn numbers_are_the_nearest_there_are() {
        for written in [
            "99e91",
            "999999999999999999999999999999999999999999",
            "0.1",
            "+99e91",
        ] {
            let value: f64 = written.parse().unwrap();
            let read = parse(written).unwrap().value;
            assert_eq!(read.as_f64(), Some(value), "{written}");
            assert_eq!(parse(&read.to_string()).unwrap().value, read);
        }
    }

    #[test]
    fn a_repair_names_its_line() {
        let parsed = parse("{\n  \"a\": 1,\n  \"b\": 2,\n}").unwrap();
        assert_eq!(parsed.repairs[0].to_string(), "a trailing comma in line 3");
    }

    #[test]
    fn truncated_is_told_from_broken() {
        for cut in [
            "{",
            "{\"a",
            "{\"a\"",
            "{\"a\":",
            "{\"a\": [1,",
            "\"x\\",
            "[\"\\u00",
            "[\"\\ud83d",
            "[\"\\ud83d\\ude",
            "[\"\\ud8006Л",
            "[tru",
            "[-",
        ] {
            assert!(matches!(parse(cut), Err(LenientError::Truncated { .. })), "{cut}");
        }
        for broken in [
            "{\"a\": \"say \"b\" c\"}",
            "[1 2]",
            "{\"a\" 1}",
            "[,]",
            "[1]]",
            "[word]",
            "[1e999]",
            "[01]",
        ] {
            assert!(
                matches!(parse(broken), Err(LenientError::Malformed { .. })),
                "{broken}: {:?}",
                parse(broken)
            );
        }
        assert_eq!(parse("  \n"), Err(LenientError::Empty));
    }

    #[test]
    fn hostile_input_ends_soon() {
        for text in [
            "{".repeat(1 << 20),
            "[".repeat(1 << 20),
            "{\"a\":".repeat(1 << 18),
            "\"".repeat(1 << 20),
            "/*".repeat(1 << 19),
            "[1,".repeat(1 << 18),
        ] {
            assert!(parse(&text).is_err());
        }
        assert!(matches!(
            parse(&"x".repeat(MAX_BYTES + 1)),
            Err(LenientError::TooLarge(_))
        ));
        let many = format!("[{}]", "None\n,".repeat(100_000));
        assert_eq!(parse(&many).unwrap().repairs.len(), MAX_REPAIRS);
    }

    fn any_json() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            (-1e9_f64..1e9).prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 32, 6, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
                prop::collection::btree_map(any::<String>(), inner, 0..6)
                    .prop_map(|map| Value::from(serde_json::Map::from_iter(map))),
            ]
        })
    }

    proptest! {
        #[test]
        fn standard_json_needs_no_repair(value in any_json()) {
            for text in [value.to_string(), serde_json::to_string_pretty(&value).unwrap()] {
                let parsed = parse(&text).unwrap();
                prop_assert_eq!(&parsed.value, &serde_json::from_str::<Value>(&text).unwrap());
                prop_assert_eq!(parsed.repairs, vec![]);
                prop_assert_eq!(parsed.end, text.len());
            }
        }

        #[test]
        fn a_cut_object_is_truncated(value in any_json(), part in 0.0_f64..1.0) {
            let text = serde_json::json!({ "key": value }).to_string();
            let mut cut = 1 + ((text.len() - 1) as f64 * part) as usize;
            while !text.is_char_boundary(cut) { cut -= 1; }
            let result = parse(&text[..cut.max(1)]);
            prop_assert!(matches!(result, Err(LenientError::Truncated { .. })), "{:?}", result);
        }

        #[test]
        fn any_text_gives_an_answer(text in "([\\[\\]{}\",':\\\\/*#a1ux\n“” Л-]|\\\\ud8[0-9a-f]{2}|\\\\u){0,60}") {
            if let Ok(parsed) = parse_prefix(&text) {
                prop_assert!(text.is_char_boundary(parsed.end));
            }
        }
    }
}
