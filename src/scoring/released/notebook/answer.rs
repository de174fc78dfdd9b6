//! The published comparison of answers, between 0 and 1.
//!
//! It takes the gold and the submission in the other order than its parameters are named, and
//! hands on the two values of an object's key in the other order again. So the submission says
//! which keys count at the top, the gold one object deeper, the submission two objects deeper;
//! lists leave the roles as they are.

use crate::scoring::released::capsule::value::PythonValue;

/// The absolute difference that floats stay below.
const TOLERANCE: f64 = 0.01;

/// A comparison that the published grader does not survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AnswerRaised {
    #[error("a list or an object whose items count is empty (ZeroDivisionError)")]
    Empty,
    #[error("two nulls, or two truth values, are compared (NotImplementedError)")]
    NotImplemented,
    #[error("a whole number is too large for a float (OverflowError)")]
    TooLarge,
}

/// Compares the gold with a submission, as the published grader calls its comparison.
///
/// # Errors
/// What it raises.
pub fn output_match(gold: &PythonValue, submission: &PythonValue) -> Result<f64, AnswerRaised> {
    score(gold, submission)
}

/// Whether Python takes a value for true.
pub fn is_true(value: &PythonValue) -> bool {
    match value {
        PythonValue::None => false,
        PythonValue::Bool(flag) => *flag,
        PythonValue::Int(digits) => digits != "0" && digits != "-0",
        PythonValue::Float(value) => *value != 0.0,
        PythonValue::Text(text) => !text.is_empty(),
        PythonValue::List(items) => !items.is_empty(),
        PythonValue::Dict(members) => !members.is_empty(),
    }
}

/// The comparison of a value with the one whose items count.
fn score(value: &PythonValue, counting: &PythonValue) -> Result<f64, AnswerRaised> {
    match (&as_float(value)?, &as_float(counting)?) {
        (PythonValue::Float(value), PythonValue::Float(counting)) => {
            Ok(f64::from((value - counting).abs() < TOLERANCE))
        }
        (PythonValue::Text(value), PythonValue::Text(counting)) => {
            Ok(f64::from(stripped(value) == stripped(counting)))
        }
        (PythonValue::List(values), PythonValue::List(counting)) => {
            let mut sum = 0.0;
            for (value, counting) in values.iter().zip(counting) {
                sum += score(value, counting)?;
            }
            share(sum, counting.len())
        }
        (PythonValue::Dict(values), PythonValue::Dict(counting)) => {
            let mut sum = 0.0;
            for (key, item) in counting {
                // The roles are swapped: what counted so far is compared with what did not.
                sum += score(item, values.get(key).unwrap_or(&PythonValue::None))?;
            }
            share(sum, counting.len())
        }
        (PythonValue::None, PythonValue::None) | (PythonValue::Bool(_), PythonValue::Bool(_)) => {
            Err(AnswerRaised::NotImplemented)
        }
        _ => Ok(0.0),
    }
}

fn share(sum: f64, of: usize) -> Result<f64, AnswerRaised> {
    match of {
        0 => Err(AnswerRaised::Empty),
        of => Ok(sum / of as f64),
    }
}

fn as_float(value: &PythonValue) -> Result<PythonValue, AnswerRaised> {
    match value {
        PythonValue::Int(_) => (value.as_float())
            .map(PythonValue::Float)
            .ok_or(AnswerRaised::TooLarge),
        other => Ok(other.clone()),
    }
}

/// `str.strip()`.
fn stripped(text: &str) -> &str {
    text.trim_matches(|one: char| one.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&one))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn compared(gold: &str, submission: &str) -> Result<f64, AnswerRaised> {
        let value = |text| PythonValue::parse(text).unwrap();
        output_match(&value(gold), &value(submission))
    }

    /// Each rule of the published comparison, and each edge of it.
    #[test]
    fn every_rule_and_edge_of_the_comparison() {
        use AnswerRaised::{Empty, NotImplemented, TooLarge};
        let huge = "9".repeat(400);
        for (gold, submission, expected) in [
            // 1: whole numbers become floats, truth values do not.
            ("1", "1.0", Ok(1.0)),
            ("1.0", "1", Ok(1.0)),
            ("1", "true", Ok(0.0)),
            ("true", "1", Ok(0.0)),
            ("true", "1.0", Ok(0.0)),
            (&huge, "1", Err(TooLarge)),
            // 2: other types.
            ("1", "\"1\"", Ok(0.0)),
            ("\"0.5\"", "0.5", Ok(0.0)),
            ("[1]", "1", Ok(0.0)),
            ("{\"a\": 1}", "[1]", Ok(0.0)),
            ("{\"a\": 1}", "null", Ok(0.0)),
            // 3: floats, absolute and strict.
            ("0.5", "0.51", Ok(0.0)),
            ("2.00", "2.01", Ok(1.0)),
            ("0.0047", "0.0", Ok(1.0)),
            ("0.0025", "0", Ok(1.0)),
            ("0.01", "0.0", Ok(0.0)),
            ("1000000.0", "1000000.02", Ok(0.0)),
            ("NaN", "NaN", Ok(0.0)),
            ("Infinity", "Infinity", Ok(0.0)),
            ("1.53119", "1.53119154", Ok(1.0)),
            ("1.53119", "1.5633", Ok(0.0)),
            // 4: texts, stripped, with their case.
            ("\"a b\"", "\" a b\\n\"", Ok(1.0)),
            ("\"a\"", "\"\\u00a0a\\u001c\"", Ok(1.0)),
            ("\"a\"", "\"A\"", Ok(0.0)),
            // 5: lists: what is submitted counts.
            ("[1, 2, 3]", "[1, 2]", Ok(1.0)),
            ("[1, 2]", "[1, 2, 3, 4]", Ok(0.5)),
            ("[1, 2]", "[2, 1]", Ok(0.0)),
            ("[1]", "[]", Err(Empty)),
            ("[]", "[1]", Ok(0.0)),
            // 6: objects: the submission counts at the top, ...
            ("{\"a\": 1, \"b\": 2, \"c\": 3}", "{\"a\": 1}", Ok(1.0)),
            (
                "{\"a\": 1, \"b\": 2, \"c\": 3}",
                "{\"a\": 1, \"b\": 2, \"c\": 3, \"d\": 4}",
                Ok(0.75),
            ),
            ("{\"a\": 1}", "{}", Err(Empty)),
            // ... the gold one object deeper, ...
            ("{\"x\": {\"a\": 1, \"b\": 2}}", "{\"x\": {\"a\": 1}}", Ok(0.5)),
            ("{\"x\": {\"a\": 1}}", "{\"x\": {\"a\": 1, \"b\": 2}}", Ok(1.0)),
            ("{\"x\": {}}", "{\"x\": {\"a\": 1}}", Err(Empty)),
            ("{\"x\": {\"a\": 1}}", "{\"x\": {}}", Ok(0.0)),
            // ... and the submission two objects deeper.
            (
                "{\"x\": {\"y\": {\"a\": 1, \"b\": 2}}}",
                "{\"x\": {\"y\": {\"a\": 1}}}",
                Ok(1.0),
            ),
            (
                "{\"x\": {\"y\": {\"a\": 1}}}",
                "{\"x\": {\"y\": {\"a\": 1, \"b\": 2}}}",
                Ok(0.5),
            ),
            // Lists keep the roles.
            ("[{\"a\": 1, \"b\": 2}]", "[{\"a\": 1}]", Ok(1.0)),
            ("{\"x\": [1, 2]}", "{\"x\": [1]}", Ok(0.5)),
            ("{\"x\": [1]}", "{\"x\": [1, 2]}", Ok(1.0)),
            (
                "{\"x\": [{\"a\": 1, \"b\": 2}]}",
                "{\"x\": [{\"a\": 1}]}",
                Ok(0.5),
            ),
            // A key that the other side lacks is null there.
            ("{\"a\": 1}", "{\"b\": 1}", Ok(0.0)),
            ("{\"a\": 1}", "{\"b\": null}", Err(NotImplemented)),
            // 7: nulls and truth values.
            ("{\"a\": null}", "{\"a\": null}", Err(NotImplemented)),
            ("{\"a\": true}", "{\"a\": true}", Err(NotImplemented)),
            ("{\"a\": true}", "{\"a\": false}", Err(NotImplemented)),
            ("{\"a\": true}", "{\"a\": 1}", Ok(0.0)),
            ("[null]", "[1]", Ok(0.0)),
        ] {
            assert_eq!(
                compared(gold, submission),
                expected,
                "gold {gold}, submission {submission}"
            );
        }
    }

    /// The two stored scores that only the swapped roles give: 38 right of 70 keys, and 60 right of
    /// 156 submitted with 70 in the gold.
    #[test]
    fn the_two_scores_of_safetybench_data() {
        let object = |keys: std::ops::Range<usize>, value: usize| {
            let members: Vec<String> = keys.map(|key| format!("\"{key}\": {value}")).collect();
            members.join(", ")
        };
        let gold = format!("{{{}}}", object(0..70, 1));
        assert_eq!(compared(&gold, &format!("{{{}}}", object(0..38, 1))), Ok(1.0));
        let many = format!("{{{}, {}}}", object(0..60, 1), object(60..156, 2));
        assert_eq!(compared(&gold, &many), Ok(60.0 / 156.0));
    }

    #[test]
    fn what_python_takes_for_nothing() {
        for text in ["null", "false", "0", "-0", "0.0", "-0.0", "\"\"", "[]", "{}"] {
            assert!(!is_true(&PythonValue::parse(text).unwrap()), "{text}");
        }
        for text in ["true", "1", "NaN", "\" \"", "[0]", "{\"a\": null}"] {
            assert!(is_true(&PythonValue::parse(text).unwrap()), "{text}");
        }
    }
}
