//! JSON that people wrote by hand, mended where its meaning is plain.

use serde_json::Value;

use crate::domain::lenient_json::{self, Tolerance};

/// Most repairs that are listed one by one.
const LISTED: usize = 20;

/// A text that is no JSON, even with its commas and quotes mended.
#[derive(Debug, thiserror::Error)]
#[error("It is not JSON, even with its commas and quotes mended: {0}.")]
pub struct NotMended(serde_json::Error);

/// Strict JSON, else JSON with its commas and quotes mended; with each repair
/// in words.
///
/// # Errors
/// A text that is no JSON even then.
pub fn parse(text: &str) -> Result<(Value, Vec<String>), NotMended> {
    let text = text.trim_start_matches('\u{feff}');
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(error) => error,
    };
    lenient_json::parse_of(Tolerance::People, text)
        .map(|parsed| {
            let repairs = parsed.repairs.iter().map(ToString::to_string);
            (parsed.value, listed(repairs.collect()))
        })
        .map_err(|_| NotMended(error))
}

fn listed(mut repairs: Vec<String>) -> Vec<String> {
    let more = repairs.len().saturating_sub(LISTED);
    if more > 0 {
        repairs.truncate(LISTED);
        repairs.push(format!("and {more} more of the same kinds"));
    }
    repairs
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    #[test]
    fn commas_are_mended_and_strings_left_alone() {
        let (value, repairs) = parse("{\"a\": [1, 2,\n], \"b\": \",]\" \"c\": {}, }").unwrap();
        assert_eq!(value, json!({"a": [1, 2], "b": ",]", "c": {}}));
        assert_eq!(repairs.len(), 3);
        assert!(repairs[0].contains("line 1"), "{repairs:?}");
        assert_eq!(parse("[{} {}]").unwrap().0, json!([{}, {}]));
        assert_eq!(parse("\u{feff}{}").unwrap(), (json!({}), vec![]));
        assert!(parse("{\"a\": ").unwrap_err().to_string().contains("not JSON"));
    }

    #[test]
    fn quotes_are_mended_without_inventing_keys() {
        let text =
            "{\n\"data\": {\"source\": \"\"\"A \"panel\",\nand more\"\"\",\n\"wave\": \"\"}, \"n\": 'x'}";
        assert!(parse(text).is_err(), "single quotes are not guessed at");
        let (value, repairs) = parse(&text.replace("'x'", "\"two\nlines\"")).unwrap();
        assert_eq!(
            value,
            json!({"data": {"source": "A \"panel\",\nand more", "wave": ""}, "n": "two\nlines"})
        );
        assert_eq!(repairs.len(), 2, "{repairs:?}");
        assert!(
            repairs[0].ends_with("line 2") && repairs[1].contains("control character"),
            "{repairs:?}"
        );
    }

    #[test]
    fn a_text_full_of_faults_has_a_short_list() {
        let (value, repairs) = parse(&format!("[{}]", "{} ".repeat(500))).unwrap();
        assert_eq!(value.as_array().map(Vec::len), Some(500));
        assert_eq!(repairs.len(), LISTED + 1);
    }

    proptest! {
        #[test]
        fn good_json_needs_no_mending(words in proptest::collection::vec("[ -~]{0,9}", 0..6)) {
            let text = json!({"words": words, "n": [1, {"x": null}]}).to_string();
            let parsed = lenient_json::parse_of(Tolerance::People, &text).unwrap();
            prop_assert_eq!((parsed.value.to_string(), parsed.repairs), (text, vec![]));
        }

        #[test]
        fn what_is_read_needed_the_repairs_that_are_told(text in "[\\[\\]{}\",:'\\\\ \\na]{0,40}") {
            let strict = serde_json::from_str::<Value>(&text);
            match parse(&text) {
                Ok((value, repairs)) => {
                    prop_assert_eq!(repairs.is_empty(), strict.is_ok(), "{:?}", repairs);
                    prop_assert_eq!(parse(&value.to_string()).ok(), Some((value, vec![])));
                }
                Err(error) => prop_assert!(strict.is_err() && error.to_string().ends_with('.'), "{}", error),
            }
        }
    }
}
