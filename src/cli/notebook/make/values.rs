//! Values in what the runs of a solution printed, and how far they agree.

use std::str::FromStr;

use regex::{Regex, RegexBuilder};
use serde::Serialize;
use serde_json::{Map, Value};

use crate::domain::excerpt;

/// The most bytes that a compiled expression may take.
const LARGEST: usize = 1 << 20;
/// The largest tolerance that a task is made with.
const MOST_TOLERANCE: f64 = 0.25;
/// The longest name of a value, in characters.
const LONGEST_NAME: usize = 100;

/// A value of an answer, and the expression that finds it.
#[derive(Debug, Clone)]
pub struct ValuePattern {
    pub name: String,
    expression: Regex,
}

/// The fault of a value, or of what runs came to.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
pub enum ValueFault {
    #[error("`{0}` is no NAME=REGEX")]
    NoPattern(String),
    #[error("`{name}`: the expression is none ({why})")]
    NoExpression { name: String, why: String },
    #[error("`{0}`: the expression has no group, which is to find the value")]
    NoGroup(String),
    #[error("run {run} printed nothing that `{name}` is found in")]
    Missing { run: usize, name: String },
    #[error(
        "`{name}` is {first} in run 1 and {other} in run {run}, and no number: it is no answer that can be graded"
    )]
    OtherText {
        name: String,
        first: String,
        other: String,
        run: usize,
    },
    #[error(
        "`{name}` lies between {least} and {most}: it varies too much from run to run to be graded; fix its seed, or ask for another"
    )]
    Varies { name: String, least: f64, most: f64 },
}

/// A value as a run printed it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PrintedValue {
    pub value: Value,
    /// The line that it stands in.
    #[serde(skip)]
    pub line: String,
}

/// The answer that the runs agree on.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AgreedAnswer {
    pub answer: Map<String, Value>,
    /// The share by which numbers may differ from the answer; absent where all runs printed the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tolerance: Option<f64>,
}

impl ValuePattern {
    /// A pattern of a name.
    ///
    /// # Errors
    /// An expression that is none, is too large or has no group.
    pub fn new(name: &str, expression: &str) -> Result<Self, ValueFault> {
        let name = name.trim();
        if name.is_empty() || name.chars().count() > LONGEST_NAME {
            return Err(ValueFault::NoPattern(excerpt::shortened(expression, 200)));
        }
        let compiled = RegexBuilder::new(expression)
            .multi_line(true)
            .size_limit(LARGEST)
            .build()
            .map_err(|error| ValueFault::NoExpression {
                name: name.to_owned(),
                why: error
                    .to_string()
                    .lines()
                    .last()
                    .unwrap_or_default()
                    .trim()
                    .to_owned(),
            })?;
        if compiled.captures_len() < 2 {
            return Err(ValueFault::NoGroup(name.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            expression: compiled,
        })
    }

    /// The last match in a text: a number where it is one, else the words.
    pub fn find(&self, text: &str) -> Option<PrintedValue> {
        let found = self.expression.captures_iter(text).last()?;
        let group = found.get(1)?;
        let written = group.as_str().trim();
        let from = text[..group.start()].rfind('\n').map_or(0, |at| at + 1);
        let upto = text[group.end()..]
            .find('\n')
            .map_or(text.len(), |at| group.end() + at);
        let number = written.parse::<f64>().ok().filter(|number| number.is_finite());
        let value = match (written.parse::<i64>(), number) {
            (Ok(whole), _) => Value::from(whole),
            (Err(_), Some(number)) => Value::from(number),
            (Err(_), None) => Value::from(written),
        };
        Some(PrintedValue {
            value,
            line: text[from..upto].to_owned(),
        })
    }
}

impl FromStr for ValuePattern {
    type Err = ValueFault;

    fn from_str(text: &str) -> Result<Self, ValueFault> {
        match text.split_once('=') {
            Some((name, expression)) => Self::new(name, expression),
            None => Err(ValueFault::NoPattern(excerpt::shortened(text, 200))),
        }
    }
}

/// The values of each run, by the names of the patterns.
///
/// # Errors
/// A value that a run did not print.
pub fn printed(patterns: &[ValuePattern], outputs: &[String]) -> Result<Vec<Vec<PrintedValue>>, ValueFault> {
    let of_run = |(run, output): (usize, &String)| {
        let values = patterns.iter().map(|pattern| {
            pattern.find(output).ok_or_else(|| ValueFault::Missing {
                run,
                name: pattern.name.clone(),
            })
        });
        values.collect::<Result<Vec<_>, _>>()
    };
    (1..).zip(outputs).map(of_run).collect()
}

/// The answer that all runs agree on: of numbers that differ the middle one, with a tolerance of twice
/// the largest difference from it.
///
/// # Errors
/// A text that differs, or a number that varies too much.
pub fn agreed(patterns: &[ValuePattern], runs: &[Vec<PrintedValue>]) -> Result<AgreedAnswer, ValueFault> {
    let mut answer = Map::new();
    let mut tolerance: f64 = 0.0;
    for (index, pattern) in patterns.iter().enumerate() {
        let values: Vec<&Value> = runs
            .iter()
            .filter_map(|run| Some(&run.get(index)?.value))
            .collect();
        let Some(first) = values.first() else { continue };
        if values.iter().all(|value| value == first) {
            answer.insert(pattern.name.clone(), (*first).clone());
            continue;
        }
        let numbers: Option<Vec<f64>> = values.iter().map(|value| value.as_f64()).collect();
        let Some(mut numbers) = numbers else {
            let other = values.iter().position(|value| value != first).unwrap_or_default();
            return Err(ValueFault::OtherText {
                name: pattern.name.clone(),
                first: first.to_string(),
                other: values[other].to_string(),
                run: other + 1,
            });
        };
        numbers.sort_by(f64::total_cmp);
        let (least, most) = (numbers[0], numbers[numbers.len() - 1]);
        let middle = numbers[numbers.len() / 2];
        let share = (most - middle).max(middle - least) / middle.abs();
        if middle == 0.0 || 2.0 * share > MOST_TOLERANCE {
            return Err(ValueFault::Varies {
                name: pattern.name.clone(),
                least,
                most,
            });
        }
        tolerance = tolerance.max(2.0 * share);
        let middle = values.iter().find(|value| value.as_f64() == Some(middle));
        answer.insert(
            pattern.name.clone(),
            middle.map_or(Value::Null, |value| (*value).clone()),
        );
    }
    Ok(AgreedAnswer {
        answer,
        tolerance: (tolerance > 0.0).then(|| rounded_up(tolerance)),
    })
}

/// A share with two digits, not below it.
fn rounded_up(share: f64) -> f64 {
    let scale = 10_f64.powi(1 - share.log10().floor() as i32);
    (share * scale).ceil() / scale
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pattern(text: &str) -> ValuePattern {
        text.parse().unwrap()
    }

    #[test]
    fn the_last_match_is_the_value() {
        let loss = pattern("loss=^final loss: ([-0-9.e]+)");
        let found = loss
            .find("final loss: 3\nx\nfinal loss: 0.25 at last\ny")
            .unwrap();
        assert_eq!(
            (found.value, found.line.as_str()),
            (json!(0.25), "final loss: 0.25 at last")
        );
        assert_eq!(loss.find("loss 3"), None);
        assert_eq!(
            pattern("n=rows ([0-9]+)").find("rows 12").unwrap().value,
            json!(12)
        );
        assert_eq!(
            pattern("best=best (\\w+)").find("best nan").unwrap().value,
            json!("nan")
        );
        for (text, said) in [
            ("loss", "no NAME=REGEX"),
            ("=x", "no NAME=REGEX"),
            ("loss=(", "is none"),
            ("loss=x", "no group"),
            ("loss=(a{1000}{1000})", "is none"),
        ] {
            let fault = text.parse::<ValuePattern>().unwrap_err().to_string();
            assert!(fault.contains(said), "{text}: {fault}");
        }
    }

    #[test]
    fn runs_agree_or_get_a_tolerance_or_are_refused() {
        let patterns = [pattern("a=a ([0-9.]+)"), pattern("b=b (\\w+)")];
        let said = |texts: &[&str]| {
            let outputs: Vec<String> = texts.iter().map(|text| (*text).to_owned()).collect();
            agreed(&patterns, &printed(&patterns, &outputs)?)
        };
        let same = said(&["a 0.5\nb x", "a 0.5\nb x", "a 0.5\nb x"]).unwrap();
        assert_eq!(json!(same), json!({"answer": {"a": 0.5, "b": "x"}}));
        let near = said(&["a 0.50\nb x", "a 0.51\nb x", "a 0.52\nb x"]).unwrap();
        assert_eq!(near.answer["a"], json!(0.51));
        assert_eq!(near.tolerance, Some(0.04), "twice 0.01 of 0.51, rounded up");
        assert_eq!(
            said(&["a 1\nb x", "b x"]),
            Err(ValueFault::Missing {
                run: 2,
                name: "a".to_owned()
            })
        );
        let other = said(&["a 1\nb x", "a 1\nb y"]).unwrap_err().to_string();
        assert!(
            other.contains("`b` is \"x\" in run 1 and \"y\" in run 2"),
            "{other}"
        );
        assert!(matches!(
            said(&["a 1\nb x", "a 2\nb x"]),
            Err(ValueFault::Varies { .. })
        ));
        assert!(matches!(
            said(&["a 0\nb x", "a 0.1\nb x", "a 0\nb x"]),
            Err(ValueFault::Varies { .. })
        ));
    }
}
