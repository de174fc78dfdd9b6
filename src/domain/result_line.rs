//! One line of `results.jsonl`: what a script records of one estimate.

use std::borrow::Cow;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize};

use super::excerpt;
use super::finding::{Direction, Finding, Group, Interval, PValue, Relation};
use super::scale::{RatioKind, Scale};
use super::statistic::{Statistic, StatisticKind};

/// The file that scripts record their results in, below the writable folder.
pub const FILE: &str = "work/results.jsonl";
/// The longest line that is read, in bytes, and the most lines.
const LONGEST: usize = 64 << 10;
const MOST: usize = 10_000;

/// One estimate as the code that made it recorded it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct ResultLine {
    /// The coefficient or contrast.
    pub term: String,
    #[serde(default)]
    pub estimate: Option<f64>,
    #[serde(default)]
    pub se: Option<f64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Statistic>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub p: Option<RecordedP>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub interval: Option<RecordedInterval>,
    /// Rows that the model used.
    #[serde(default)]
    pub n: Option<u64>,
    #[serde(
        default,
        skip_serializing_if = "Vec::is_empty",
        deserialize_with = "absent_is_default"
    )]
    pub groups: Vec<Group>,
    /// What the estimate measures; a difference where absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scale: Option<Scale>,
    /// Of a ratio or its logarithm: odds, risk, hazard or rate.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ratio: Option<RatioKind>,
    /// The model's own name of it, where the term is another one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub coefficient: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub outcome: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
}

/// A p-value with its sides.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct RecordedP {
    pub value: f64,
    pub relation: Relation,
    /// 1 or 2; absent of F and chi-squared.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sides: Option<u8>,
    /// Of a one-sided test: `greater` or `less`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub alternative: Option<String>,
    /// Where it was raised for the others of a family: by what.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub adjusted: Option<String>,
}

/// An interval with its kind.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct RecordedInterval {
    pub lower: f64,
    pub upper: f64,
    /// Coverage between 0 and 1.
    #[serde(default = "usual_level")]
    pub level: f64,
    /// `confidence` or `credible`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kind: Option<String>,
}

/// A line that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line} of results.jsonl: {problem}")]
pub struct BadResultLine {
    /// Counted from 1.
    pub line: usize,
    pub problem: String,
    /// Its beginning.
    pub start: String,
}

/// The most characters of a line that cannot be used.
const START: usize = 400;

/// Adds what the file holds after one more script. A line that is gone counts all
/// the same; one that stands there still is no second result.
pub fn take_up(lines: &mut Vec<String>, file: &str) {
    let now: Vec<&str> = file.lines().collect();
    lines.retain(|line| !now.contains(&line.as_str()));
    lines.extend(now.into_iter().map(str::to_owned));
}

/// The lines of a results file, and those that cannot be used.
pub fn parse(text: &str) -> (Vec<ResultLine>, Vec<BadResultLine>) {
    let (mut lines, mut bad) = (Vec::new(), Vec::new());
    for (at, line) in text.lines().enumerate() {
        if line.trim().is_empty() {
            continue;
        }
        let mut refuse = |problem: String| {
            bad.push(BadResultLine {
                line: at + 1,
                problem,
                start: excerpt::start(line, START).to_owned(),
            });
        };
        if lines.len() == MOST {
            refuse(format!("only the first {MOST} results are read"));
            break;
        }
        if line.len() > LONGEST {
            refuse(format!("it is longer than {LONGEST} bytes"));
            continue;
        }
        match serde_json::from_str::<ResultLine>(line) {
            Ok(read) => match read.problem() {
                None => lines.push(read),
                Some(problem) => refuse(problem),
            },
            Err(error) => refuse(error.to_string()),
        }
    }
    (lines, bad)
}

impl ResultLine {
    fn problem(&self) -> Option<String> {
        if self.term.trim().is_empty() {
            return Some("`term` is empty".to_owned());
        }
        if let Some(se) = self.se.filter(|se| *se < 0.0) {
            return Some(format!("the standard error {se} is below zero"));
        }
        if let Some(p) = self.p.as_ref().filter(|p| !(0.0..=1.0).contains(&p.value)) {
            return Some(format!("the p-value {} is not between 0 and 1", p.value));
        }
        if let Some(interval) = self.interval.as_ref().filter(|interval| {
            interval.lower > interval.upper || !(interval.level > 0.0 && interval.level < 1.0)
        }) {
            return Some(format!(
                "no interval goes from {} to {} at level {}",
                interval.lower, interval.upper, interval.level
            ));
        }
        None
    }

    /// The line as a finding.
    pub fn finding(&self) -> Finding {
        let p = self.p.as_ref();
        Finding {
            name: self.term.clone(),
            estimate: self.estimate,
            standard_error: self.se,
            interval: self.interval.as_ref().map(|interval| Interval {
                lower: interval.lower,
                upper: interval.upper,
                level: interval.level,
            }),
            p_value: p.map(|p| PValue {
                relation: p.relation,
                value: p.value,
            }),
            n: self.n,
            df: self
                .statistic
                .as_ref()
                .filter(|statistic| statistic.kind == StatisticKind::T)
                .and_then(|statistic| statistic.df.last()),
            statistic: self.statistic.clone(),
            sides: p.and_then(|p| p.sides),
            alternative: p.and_then(|p| match p.alternative.as_deref() {
                Some("greater" | "larger") => Some(Direction::Positive),
                Some("less" | "smaller") => Some(Direction::Negative),
                _ => None,
            }),
            adjusted: p.and_then(|p| p.adjusted.clone()),
            scale: self.scale,
            ratio: self.ratio,
            groups: self.groups.clone(),
            credible: self
                .interval
                .as_ref()
                .and_then(|interval| interval.kind.as_deref())
                .is_some_and(|kind| kind.eq_ignore_ascii_case("credible")),
            coefficient: self.coefficient.clone(),
            outcome: self.outcome.clone(),
            model: self.model.clone(),
        }
    }
}

impl<'de> Deserialize<'de> for RecordedP {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Whole {
            value: f64,
            #[serde(default)]
            relation: Option<Relation>,
            #[serde(default)]
            sides: Option<u8>,
            #[serde(default)]
            alternative: Option<String>,
            #[serde(default)]
            adjusted: Option<String>,
        }
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Bare(f64),
            Whole(Whole),
        }
        Ok(match Written::deserialize(deserializer)? {
            Written::Bare(value) => Self {
                value,
                relation: Relation::Equal,
                sides: None,
                alternative: None,
                adjusted: None,
            },
            Written::Whole(whole) => Self {
                value: whole.value,
                relation: whole.relation.unwrap_or(Relation::Equal),
                sides: whole.sides.filter(|sides| matches!(sides, 1 | 2)),
                alternative: whole.alternative,
                adjusted: whole.adjusted,
            },
        })
    }
}

impl JsonSchema for RecordedP {
    fn schema_name() -> Cow<'static, str> {
        "RecordedP".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "type": ["number", "object"],
            "properties": {
                "value": {"type": "number", "minimum": 0, "maximum": 1},
                "relation": {"enum": ["=", "<", ">"]},
                "sides": {"enum": [1, 2, null]},
                "alternative": {"enum": ["greater", "less", null]},
                "adjusted": {"type": ["string", "null"], "description": "where it was raised for a family of tests: by what"}
            },
            "required": ["value"],
            "description": "a number, or the value with its relation and sides"
        })
    }
}

fn usual_level() -> f64 {
    0.95
}

fn absent_is_default<'de, D: Deserializer<'de>, T: Default + Deserialize<'de>>(
    deserializer: D,
) -> Result<T, D::Error> {
    Option::<T>::deserialize(deserializer).map(Option::unwrap_or_default)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_and_bad_ones_are_named() {
        let text = concat!(
            r#"{"term": "income", "estimate": 0.5, "se": 0.1, "statistic": {"kind": "t", "value": 5, "df": 98}, "p": {"value": 1e-5, "sides": 2}, "n": 102, "groups": null}"#,
            "\n\n",
            r#"{"term": "age", "estimate": null, "p": 0.2}"#,
            "\n{\"term\": \"\"}\nnot json\n",
            r#"{"term": "x", "p": {"value": 3}}"#,
            "\n"
        );
        let (lines, bad) = parse(text);
        assert_eq!(lines.len(), 2);
        let income = lines[0].finding();
        assert_eq!(
            (income.df, income.sides, income.n),
            (Some(98.0), Some(2), Some(102))
        );
        assert_eq!(lines[1].finding().p_value.unwrap().value, 0.2);
        let named: Vec<usize> = bad.iter().map(|bad| bad.line).collect();
        assert_eq!(named, [4, 5, 6]);
        assert!(bad[2].problem.contains("not between 0 and 1"), "{}", bad[2]);
    }

    #[test]
    fn lines_that_a_later_script_takes_away_are_kept() {
        let mut lines = Vec::new();
        take_up(&mut lines, "a\nb\n");
        take_up(&mut lines, "a\nb\nc\n");
        assert_eq!(lines, ["a", "b", "c"]);
        take_up(&mut lines, "d\n");
        assert_eq!(lines, ["a", "b", "c", "d"]);
    }

    #[test]
    fn a_one_sided_p_and_a_credible_interval_say_so() {
        let (lines, bad) = parse(
            r#"{"term": "b", "estimate": 1, "p": {"value": 0.03, "sides": 1, "alternative": "less"}, "interval": {"lower": 0.1, "upper": 2, "kind": "credible"}}"#,
        );
        assert_eq!(bad, []);
        let finding = lines[0].finding();
        assert_eq!(
            (finding.sides, finding.alternative),
            (Some(1), Some(Direction::Negative))
        );
        assert!(finding.credible && finding.interval.unwrap().level == 0.95);
    }
}
