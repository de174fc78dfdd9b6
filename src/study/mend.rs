//! JSON that people wrote by hand, mended where its meaning is plain.

use serde_json::Value;

/// Most repairs that are listed one by one.
const LISTED: usize = 20;

/// Strict JSON, else JSON with its commas and quotes mended; with each repair
/// in words. The error is a sentence.
pub fn parse(text: &str) -> Result<(Value, Vec<String>), String> {
    let text = text.trim_start_matches('\u{feff}');
    let error = match serde_json::from_str(text) {
        Ok(value) => return Ok((value, Vec::new())),
        Err(error) => error,
    };
    let mut mending = Mending::new(text);
    mending.run();
    serde_json::from_str(&mending.mended)
        .map(|value| (value, listed(mending.repairs)))
        .map_err(|_| format!("It is not JSON, even with its commas and quotes mended: {error}."))
}

fn listed(mut repairs: Vec<String>) -> Vec<String> {
    let more = repairs.len().saturating_sub(LISTED);
    if more > 0 {
        repairs.truncate(LISTED);
        repairs.push(format!("and {more} more of the same kinds"));
    }
    repairs
}

/// One pass over the text.
struct Mending<'a> {
    rest: &'a str,
    line: usize,
    mended: String,
    repairs: Vec<String>,
    /// The place of a comma after which nothing but space has come.
    comma: Option<usize>,
    /// Whether a value has just ended.
    ended: bool,
}

impl<'a> Mending<'a> {
    fn new(text: &'a str) -> Self {
        Self {
            rest: text,
            line: 1,
            mended: String::with_capacity(text.len()),
            repairs: Vec::new(),
            comma: None,
            ended: false,
        }
    }

    fn run(&mut self) {
        while let Some(character) = self.rest.chars().next() {
            let triple = ["\"\"\"", "'''"]
                .iter()
                .find(|mark| self.rest.starts_with(**mark));
            match character {
                _ if triple.is_some() => self.triple(triple.copied().unwrap_or_default()),
                '"' => self.string(),
                _ if character.is_whitespace() => self.push(character),
                '}' | ']' => {
                    if let Some(place) = self.comma.take() {
                        self.mended.remove(place);
                        self.note(format!("dropped a comma before `{character}`"));
                    }
                    self.push(character);
                    self.ended = true;
                }
                '{' | '[' => {
                    self.separate(character);
                    self.push(character);
                    self.ended = false;
                }
                _ => {
                    self.comma = (character == ',').then_some(self.mended.len());
                    self.push(character);
                    self.ended = false;
                }
            }
        }
    }

    /// Takes a character over as it is.
    fn push(&mut self, character: char) {
        self.take(character.len_utf8());
        self.mended.push(character);
    }

    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn note(&mut self, what: String) {
        self.repairs.push(format!("{what} on line {}", self.line));
    }

    /// Puts a comma between two values that have none.
    fn separate(&mut self, next: char) {
        if self.ended {
            self.mended.push(',');
            self.note(format!("added a comma before `{next}`"));
        }
        self.comma = None;
    }

    /// A string; a line break or tab in it is written as JSON writes it.
    fn string(&mut self) {
        self.separate('"');
        self.push('"');
        let mut escaped = false;
        while let Some(character) = self.rest.chars().next() {
            if character.is_control() {
                self.note("escaped a control character in a string".to_owned());
                self.take(character.len_utf8());
                self.escape(character);
                continue;
            }
            self.push(character);
            if character == '"' && !escaped {
                break;
            }
            escaped = character == '\\' && !escaped;
        }
        self.ended = true;
    }

    /// A string between three quotes, as Python writes it.
    fn triple(&mut self, mark: &str) {
        self.separate('"');
        self.note("read a string between three quotes".to_owned());
        self.take(mark.len());
        let length = self.rest.find(mark).unwrap_or(self.rest.len());
        let text = self.take(length);
        self.take(mark.len().min(self.rest.len()));
        self.mended.push_str(&Value::from(text).to_string());
        self.ended = true;
    }

    fn escape(&mut self, character: char) {
        let quoted = Value::from(character.to_string()).to_string();
        self.mended.push_str(quoted.trim_matches('"'));
    }
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
        assert!(repairs[0].contains("line 2"), "{repairs:?}");
        assert_eq!(parse("[{} {}]").unwrap().0, json!([{}, {}]));
        assert_eq!(parse("\u{feff}{}").unwrap(), (json!({}), vec![]));
        assert!(parse("{\"a\": ").unwrap_err().contains("not JSON"));
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
            let mut mending = Mending::new(&text);
            mending.run();
            prop_assert_eq!((mending.mended, mending.repairs), (text, vec![]));
        }

        #[test]
        fn what_is_read_needed_the_repairs_that_are_told(text in "[\\[\\]{}\",:'\\\\ \\na]{0,40}") {
            let strict = serde_json::from_str::<Value>(&text);
            match parse(&text) {
                Ok((value, repairs)) => {
                    prop_assert_eq!(repairs.is_empty(), strict.is_ok(), "{:?}", repairs);
                    prop_assert_eq!(parse(&value.to_string()), Ok((value, vec![])));
                }
                Err(error) => prop_assert!(strict.is_err() && error.ends_with('.'), "{}", error),
            }
        }
    }
}
