//! Finding the JSON answer in a message.

use serde_json::Value;

use crate::domain::excerpt;
use crate::domain::lenient_json::{self, LenientError, Repair};

/// Bytes that may be read per byte of the message, over all attempts.
const EFFORT: usize = 16;

/// The fault of a message without an answer that can be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    #[error("the message holds no JSON object")]
    Missing,
    /// The object is cut: to be continued, not repaired.
    #[error("the JSON object of the answer is not finished: the message ends inside it")]
    Truncated,
    #[error("the answer cannot be read: {0}")]
    Broken(LenientError),
}

/// Finds the answer: the object behind the last `Answer:`, else the longest
/// object of the message. Prose and fences around it are passed over.
///
/// # Errors
/// A message without an object, or with one that cannot be read without a guess.
pub fn find_answer(text: &str) -> Result<(Value, Vec<Repair>), NoAnswer> {
    let trimmed = text.trim();
    if let Ok(value @ Value::Object(_)) = serde_json::from_str::<Value>(trimmed) {
        // Read again, because only the lenient parser notes a repeated key.
        return Ok(match lenient_json::parse(trimmed) {
            Ok(parsed) => (parsed.value, parsed.repairs),
            Err(_) => (value, Vec::new()),
        });
    }
    if !trimmed.starts_with('{')
        && let Some(marked) = behind_last_marker(text)
    {
        match longest_object(marked) {
            Err(NoAnswer::Missing) => {}
            found => return found,
        }
    }
    longest_object(text)
}

/// The text behind the last line that begins with `Answer:` or `Final Answer:`.
fn behind_last_marker(text: &str) -> Option<&str> {
    let mut found = None;
    let mut offset = 0;
    for line in text.split_inclusive('\n') {
        let lead = line.trim_start_matches([' ', '\t', '*', '#', '>', '-', '_']);
        let skipped = line.len() - lead.len();
        let lower = excerpt::start(lead, 14).to_ascii_lowercase();
        for marker in ["answer", "final answer"] {
            if let Some(rest) = lower.strip_prefix(marker)
                && rest.trim_start_matches(['*', '_', ' ']).starts_with(':')
            {
                found = Some(&text[offset + skipped + marker.len()..]);
            }
        }
        offset += line.len();
    }
    found
}

fn longest_object(text: &str) -> Result<(Value, Vec<Repair>), NoAnswer> {
    let mut effort = text.len().saturating_mul(EFFORT) + 4096;
    let mut best: Option<(usize, lenient_json::Parsed)> = None;
    let mut broken = None;
    let mut at = 0;
    while let Some(open) = text[at..].find('{').map(|offset| at + offset) {
        let spent = match lenient_json::parse_prefix(&text[open..]) {
            Ok(parsed) => {
                let length = parsed.end;
                at = open + length;
                if best.as_ref().is_none_or(|(longest, _)| length >= *longest) {
                    let line = text[..open].matches('\n').count();
                    best = Some((length, below(parsed, line)));
                }
                length
            }
            Err(LenientError::Truncated { .. }) => {
                // The rest may be prose with a stray brace behind a whole answer.
                if best
                    .as_ref()
                    .is_some_and(|(longest, _)| *longest > text.len() - open)
                {
                    break;
                }
                return Err(NoAnswer::Truncated);
            }
            Err(
                error @ LenientError::Malformed {
                    in_object: true,
                    at: stop,
                    ..
                },
            ) => {
                // What lies inside a broken object is no answer of its own.
                broken.get_or_insert(error);
                let Some(end) = balanced(&text[open..]) else {
                    break;
                };
                at = open + end.max(1);
                stop + end
            }
            Err(LenientError::Malformed { at: stop, .. } | LenientError::TooDeep { at: stop, .. }) => {
                at = open + 1;
                stop
            }
            Err(error) => return Err(NoAnswer::Broken(error)),
        };
        if effort < spent {
            break;
        }
        effort -= spent + 1;
    }
    match (best, broken) {
        (Some((_, parsed)), _) => Ok((parsed.value, parsed.repairs)),
        (None, Some(error)) => Err(NoAnswer::Broken(error)),
        (None, None) => Err(NoAnswer::Missing),
    }
}

/// Counts the repairs' lines from the beginning of the message.
fn below(mut parsed: lenient_json::Parsed, lines: usize) -> lenient_json::Parsed {
    for repair in &mut parsed.repairs {
        repair.line += lines;
    }
    parsed
}

/// Length of the braced region that `text` begins with, by braces alone.
fn balanced(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (offset, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if depth == 0 {
                    return Some(offset + 1);
                }
            }
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;
    use crate::domain::lenient_json::RepairKind;

    #[test]
    fn an_answer_is_found_wherever_it_stands() {
        let answer = json!({"a": 1, "b": {"c": [true]}});
        for text in [
            answer.to_string(),
            format!("```json\n{answer}\n```"),
            format!("Here it is.\n\n{answer}\n\nThat is all."),
            format!("Thought: {{x}} done.\nAnswer: {answer}"),
            format!("**Final Answer:** ```\n{answer}\n```"),
            format!(
                "First {{\"draft\": \"{}\"}}\nAnswer:\n{answer}",
                "long ".repeat(30)
            ),
            format!("With $\\frac{{1}}{{2}}$ and f <- function(x) {{ x }}: {answer}"),
            format!("A small one {{\"a\": 0}} and the whole one {answer}"),
            format!("{answer}\n{{ a stray brace"),
        ] {
            assert_eq!(find_answer(&text), Ok((answer.clone(), vec![])), "{text}");
        }
    }

    #[test]
    fn repairs_are_listed_with_their_line_in_the_message() {
        let (value, repairs) = find_answer("Sure.\n```json\n{\n 'a': None, // gone\n}\n```").unwrap();
        assert_eq!(value, json!({"a": null}));
        let lines: Vec<_> = repairs.iter().map(|one| (one.kind.clone(), one.line)).collect();
        assert_eq!(
            lines,
            [
                (RepairKind::SingleQuotes, 4),
                (RepairKind::PythonLiteral, 4),
                (RepairKind::Comment, 4),
                (RepairKind::TrailingComma, 4),
            ]
        );
        let (_, repeated) = find_answer("{\"a\": 1, \"a\": 2}").unwrap();
        assert_eq!(repeated[0].kind, RepairKind::DuplicateKey("a".into()));
    }

    #[test]
    fn a_cut_answer_and_a_broken_one_yield_no_fragment() {
        assert_eq!(
            find_answer("Answer: {\"a\": {\"b\": 1}, \"c\": \"cut"),
            Err(NoAnswer::Truncated)
        );
        assert!(matches!(
            find_answer("{\"a\": \"say \"x\" now\", \"b\": {\"c\": 1}}"),
            Err(NoAnswer::Broken(_))
        ));
        assert_eq!(find_answer("I have no answer."), Err(NoAnswer::Missing));
        assert_eq!(find_answer("[1, 2]"), Err(NoAnswer::Missing));
    }

    #[test]
    fn hostile_text_ends_soon() {
        for text in [
            "{".repeat(1 << 20),
            "{\"".repeat(1 << 19),
            "{\"a\":1 ".repeat(1 << 17),
            "{x}".repeat(1 << 18),
            "Answer:\n".repeat(1 << 17),
        ] {
            assert!(find_answer(&text).is_err());
        }
    }

    proptest! {
        #[test]
        fn no_text_is_too_odd(text in any::<String>(), odd in "[{}\":a',\\[ \n]{0,80}") {
            let whole = format!("{odd}{text}{odd}");
            if let Ok((value, _)) = find_answer(&whole) {
                prop_assert!(value.is_object());
            }
        }
    }
}
