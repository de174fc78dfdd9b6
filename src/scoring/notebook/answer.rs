//! Answers by the gold: its keys, lengths and denominators count at every depth.

use serde::Serialize;

use crate::scoring::released::capsule::value::PythonValue;

/// The absolute difference that numbers stay below, as published.
const ABSOLUTE: f64 = 0.01;
/// The share of the gold that `strict` lets a number differ by.
const STRICT_SHARE: f64 = 0.01;
/// What the rounding of floats takes, relative to the gold, at the end of a share.
const SLACK: f64 = 1e-12;

/// The rule by which two numbers agree.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum NumberRule {
    /// Their difference stays below 0.01.
    Absolute,
    /// Their difference is no more than a share of the gold.
    Relative(f64),
    /// Both, with a share of 1 %; whole numbers of the gold exactly.
    Strict,
}

impl NumberRule {
    fn agrees(self, gold: &PythonValue, answer: &PythonValue) -> bool {
        let (Some(number), Some(answered)) = (gold.as_float(), answer.as_float()) else {
            return gold.equals(answer);
        };
        let difference = (number - answered).abs();
        let within = |share: f64| difference <= (share + SLACK) * number.abs();
        match (self, gold) {
            (Self::Absolute, _) => difference < ABSOLUTE,
            (Self::Relative(share), _) => within(share),
            (Self::Strict, PythonValue::Int(_)) => gold.equals(answer),
            (Self::Strict, _) => difference < ABSOLUTE && within(STRICT_SHARE),
        }
    }
}

/// The share of an answer that is right: of an object or a list, the mean over what the gold has.
pub fn share(gold: &PythonValue, answer: &PythonValue, rule: NumberRule) -> f64 {
    let mean = |sum: f64, of: usize, is_empty: bool| match of {
        0 => f64::from(is_empty),
        of => sum / of as f64,
    };
    match (gold, answer) {
        (PythonValue::Dict(gold), PythonValue::Dict(answers)) => {
            let none = PythonValue::None;
            let sum = gold
                .iter()
                .map(|(key, gold)| match answers.get(key) {
                    Some(answer) => share(gold, answer, rule),
                    None => share(gold, &none, rule) * f64::from(!matches!(gold, PythonValue::None)),
                })
                .sum();
            mean(sum, gold.len(), answers.is_empty())
        }
        (PythonValue::List(gold), PythonValue::List(answers)) => {
            let sum = gold
                .iter()
                .zip(answers)
                .map(|(gold, answer)| share(gold, answer, rule))
                .sum();
            mean(sum, gold.len(), answers.is_empty())
        }
        (gold, answer) => f64::from(is_right(gold, answer, rule)),
    }
}

fn is_right(gold: &PythonValue, answer: &PythonValue, rule: NumberRule) -> bool {
    let is_number = |value: &PythonValue| matches!(value, PythonValue::Int(_) | PythonValue::Float(_));
    match (gold, answer) {
        (PythonValue::Text(gold), PythonValue::Text(answer)) => gold.trim() == answer.trim(),
        (PythonValue::Bool(gold), PythonValue::Bool(answer)) => gold == answer,
        (PythonValue::None, PythonValue::None) => true,
        (gold, answer) if is_number(gold) && is_number(answer) => rule.agrees(gold, answer),
        _ => false,
    }
}

/// The grade of one value of the gold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct GradedValue {
    /// The keys and places that lead to it, such as `test/f1`; empty of an answer that is one value.
    pub path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wrong: Option<WrongValue>,
}

/// The reason for which a value is not right. None tells the gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WrongValue {
    Missing,
    OtherType,
    OtherNumber,
    OtherText,
    /// The list has more or fewer items.
    OtherLength,
    Other,
}

/// Every value of the gold with its grade, by the strict rule.
pub fn strict_values(gold: &PythonValue, answer: &PythonValue) -> Vec<GradedValue> {
    let mut values = Vec::new();
    walk(gold, Some(answer), &mut String::new(), &mut values);
    values
}

fn walk(gold: &PythonValue, answer: Option<&PythonValue>, path: &mut String, values: &mut Vec<GradedValue>) {
    let mut below = |name: &str, gold: &PythonValue, answer: Option<&PythonValue>| {
        let length = path.len();
        if length > 0 {
            path.push('/');
        }
        path.push_str(name);
        walk(gold, answer, path, values);
        path.truncate(length);
    };
    match (gold, answer) {
        (PythonValue::Dict(gold), answer) if !gold.is_empty() => {
            let answers = match answer {
                Some(PythonValue::Dict(answers)) => Some(answers),
                _ => None,
            };
            for (key, gold) in gold {
                below(key, gold, answers.and_then(|answers| answers.get(key)));
            }
        }
        (PythonValue::List(gold), Some(PythonValue::List(answers)))
            if gold.len() == answers.len() && !gold.is_empty() =>
        {
            for (place, (gold, answer)) in gold.iter().zip(answers).enumerate() {
                below(&(place + 1).to_string(), gold, Some(answer));
            }
        }
        (gold, answer) => values.push(GradedValue {
            path: path.clone(),
            wrong: wrong(gold, answer),
        }),
    }
}

fn wrong(gold: &PythonValue, answer: Option<&PythonValue>) -> Option<WrongValue> {
    let Some(answer) = answer else {
        return Some(WrongValue::Missing);
    };
    if is_right(gold, answer, NumberRule::Strict) || gold.equals(answer) && is_empty(gold) {
        return None;
    }
    let is_number = |value: &PythonValue| matches!(value, PythonValue::Int(_) | PythonValue::Float(_));
    Some(match (gold, answer) {
        (PythonValue::Text(_), PythonValue::Text(_)) => WrongValue::OtherText,
        (PythonValue::List(_), PythonValue::List(_)) => WrongValue::OtherLength,
        (gold, answer) if is_number(gold) && is_number(answer) => WrongValue::OtherNumber,
        (PythonValue::Bool(_), PythonValue::Bool(_)) => WrongValue::Other,
        _ => WrongValue::OtherType,
    })
}

fn is_empty(value: &PythonValue) -> bool {
    match value {
        PythonValue::List(items) => items.is_empty(),
        PythonValue::Dict(members) => members.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> PythonValue {
        PythonValue::parse(text).unwrap()
    }

    #[test]
    fn the_gold_says_what_counts_at_every_depth() {
        for (gold, answer, expected) in [
            ("{\"a\": 1, \"b\": 2, \"c\": 3}", "{\"a\": 1}", 1.0 / 3.0),
            ("{\"a\": 1}", "{\"a\": 1, \"b\": 2}", 1.0),
            (
                "{\"x\": {\"y\": {\"a\": 1, \"b\": 2}}}",
                "{\"x\": {\"y\": {\"a\": 1}}}",
                0.5,
            ),
            ("[1, 2, 3, 4]", "[1, 2]", 0.5),
            ("[1, 2]", "[1, 2, 3]", 1.0),
            ("{}", "{}", 1.0),
            ("[]", "[1]", 0.0),
            ("{\"a\": null}", "{\"a\": null}", 1.0),
            ("{\"a\": null}", "{}", 0.0),
            ("{\"a\": true}", "{\"a\": true}", 1.0),
            ("{\"a\": true}", "{\"a\": 1}", 0.0),
            ("1", "\"1\"", 0.0),
            ("\"a\"", "\" a \"", 1.0),
            ("NaN", "NaN", 0.0),
        ] {
            assert_eq!(
                share(&value(gold), &value(answer), NumberRule::Absolute),
                expected,
                "{gold} {answer}"
            );
        }
        let deep = format!("{}1{}", "[".repeat(400), "]".repeat(400));
        assert_eq!(share(&value(&deep), &value(&deep), NumberRule::Strict), 1.0);
    }

    #[test]
    fn numbers_agree_by_their_rule() {
        for (rule, gold, answer, agrees) in [
            (NumberRule::Absolute, "0.5", "0.51", false),
            (NumberRule::Absolute, "0.0047", "0", true),
            (NumberRule::Relative(0.05), "0.0047", "0", false),
            (NumberRule::Relative(0.05), "200", "209.9", true),
            (NumberRule::Relative(0.05), "200", "210", true),
            (NumberRule::Relative(0.05), "200", "210.1", false),
            (NumberRule::Relative(0.05), "0", "0.0", true),
            (NumberRule::Relative(0.05), "0", "0.001", false),
            (NumberRule::Strict, "0.0047", "0", false),
            (NumberRule::Strict, "1.53119", "1.53119154", true),
            (NumberRule::Strict, "60.98", "60.995", false),
            (NumberRule::Strict, "198", "198.0", true),
            (NumberRule::Strict, "198", "198.005", false),
            (NumberRule::Strict, "0.0", "0.0025", false),
        ] {
            assert_eq!(
                rule.agrees(&value(gold), &value(answer)),
                agrees,
                "{rule:?} {gold} {answer}"
            );
        }
    }

    #[test]
    fn each_value_of_the_gold_is_graded_by_itself() {
        let gold =
            value("{\"a\": {\"b\": 1, \"c\": \"x\"}, \"l\": [1, 2], \"m\": [1], \"n\": null, \"e\": []}");
        let answer = value(
            "{\"a\": {\"b\": 2}, \"l\": [1, 2, 3], \"m\": [\"1\"], \"n\": null, \"e\": [], \"more\": 1}",
        );
        let found: Vec<_> = strict_values(&gold, &answer)
            .into_iter()
            .map(|one| (one.path, one.wrong))
            .collect();
        let expected = [
            ("a/b", Some(WrongValue::OtherNumber)),
            ("a/c", Some(WrongValue::Missing)),
            ("l", Some(WrongValue::OtherLength)),
            ("m/1", Some(WrongValue::OtherType)),
            ("n", None),
            ("e", None),
        ];
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(path, wrong)| (path.to_owned(), wrong))
            .collect();
        assert_eq!(found, expected);
    }
}
