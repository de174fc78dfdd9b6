//! Our own grader of capsules: each question by itself, with types respected and gold of one
//! run taken as an exact value.
//!
//! | what | published graders | here |
//! |---|---|---|
//! | a value that cannot be compared | ends the grading of those behind it | is wrong itself |
//! | `true` for a number, a list of one number | counts as the number | is wrong |
//! | `%` in an answer | taken out, of texts as well | taken out at the end of a number alone |
//! | a number of one gold run | never right | right within half a unit of its last place |
//! | intervals | those of CORE-Bench, or widened, with slack (v1.1) | widened, without slack |
//! | texts | compared in any case | besides, without blanks around them |
//! | a number for a gold text that is one (`"10"`) | printed as a float (`10.0`) | compared as it was written |
//! | lists | equal with their types and case | texts in any case |
//! | a question whose gold is `null` or an object | left out of the totals | counted, and never right |

use serde::Serialize;

use super::question::{AnswerKind, gold_runs, kind};
use crate::scoring::released::capsule::interval::{PredictionInterval, most_places};
use crate::scoring::released::capsule::numbers::read_float;
use crate::scoring::released::capsule::tallies::{Tallies, is_about_figure};
use crate::scoring::released::capsule::value::PythonValue;

/// The slack at a bound, relative to it: what the rounding of floats takes, and no digit that was
/// printed.
const SLACK: f64 = 1e-12;

/// The grade of one answer.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GradedAnswer {
    pub question: String,
    pub is_about_figure: bool,
    pub right: bool,
    /// Why it is not; absent of a right one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub why: Option<WrongAnswer>,
}

/// The reason for which an answer is not right. No reason tells the gold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum WrongAnswer {
    /// The report has no such question.
    Missing,
    /// It is of another type than the gold.
    OtherType,
    /// The number lies outside the interval.
    OutsideInterval,
    OtherText,
    OtherList,
    /// The gold itself cannot be answered.
    NoGold,
}

impl WrongAnswer {
    /// The reason as a clause.
    pub fn words(self) -> &'static str {
        match self {
            Self::Missing => "not answered",
            Self::OtherType => "wrong: another type of answer is asked for",
            Self::OutsideInterval => "wrong: outside the prediction interval",
            Self::OtherText => "wrong: another text",
            Self::OtherList => "wrong: another list",
            Self::NoGold => "wrong: the gold answer cannot be compared",
        }
    }
}

/// The answers as published graders count them.
pub fn tallies(answers: &[GradedAnswer]) -> Tallies {
    let count = |counts: &dyn Fn(&GradedAnswer) -> bool| {
        u32::try_from(answers.iter().filter(|answer| counts(answer)).count()).unwrap_or(u32::MAX)
    };
    Tallies {
        correct_written_answers: count(&|answer| answer.right && !answer.is_about_figure),
        correct_vision_answers: count(&|answer| answer.right && answer.is_about_figure),
        total_written_questions: count(&|answer| !answer.is_about_figure),
        total_vision_questions: count(&|answer| answer.is_about_figure),
    }
}

/// Whether every question is answered right, of which there has to be one.
pub fn solves(answers: &[GradedAnswer]) -> bool {
    !answers.is_empty() && answers.iter().all(|answer| answer.right)
}

/// Grades a report; `None` of gold that is no list of runs.
pub fn grade(gold: &PythonValue, report: &PythonValue) -> Option<Vec<GradedAnswer>> {
    let runs = gold_runs(gold)?;
    let empty = indexmap::IndexMap::new();
    let answers = match report {
        PythonValue::Dict(answers) => answers,
        _ => &empty,
    };
    let first = runs.first()?;
    let graded = first.iter().map(|(question, gold)| {
        let runs: Vec<PythonValue> = runs.iter().filter_map(|run| run.get(question).cloned()).collect();
        let why = match answers.get(question) {
            Some(answer) => wrong(gold, &runs, answer),
            None => Some(WrongAnswer::Missing),
        };
        GradedAnswer {
            question: question.clone(),
            is_about_figure: is_about_figure(question),
            right: why.is_none(),
            why,
        }
    });
    Some(graded.collect())
}

fn wrong(gold: &PythonValue, runs: &[PythonValue], answer: &PythonValue) -> Option<WrongAnswer> {
    match (kind(gold), gold, answer) {
        (AnswerKind::Number, PythonValue::Bool(gold), answer) => match answer {
            PythonValue::Bool(answer) => (answer != gold).then_some(WrongAnswer::OtherText),
            _ => Some(WrongAnswer::OtherType),
        },
        (AnswerKind::Number, _, answer) => {
            let Some(bounds) = bounds(runs) else {
                return Some(WrongAnswer::NoGold);
            };
            let Some(value) = plain_number(answer) else {
                return Some(WrongAnswer::OtherType);
            };
            (!bounds.hold(value)).then_some(WrongAnswer::OutsideInterval)
        }
        (AnswerKind::Text, _, PythonValue::List(_) | PythonValue::Dict(_) | PythonValue::None) => {
            Some(WrongAnswer::OtherType)
        }
        (AnswerKind::Text, gold, answer) => (!same_text(gold, answer)).then_some(WrongAnswer::OtherText),
        (AnswerKind::List, PythonValue::List(gold), PythonValue::List(answer)) => {
            let same = gold.len() == answer.len()
                && gold
                    .iter()
                    .zip(answer)
                    .all(|(gold, answer)| same_item(gold, answer));
            (!same).then_some(WrongAnswer::OtherList)
        }
        (AnswerKind::List, _, _) => Some(WrongAnswer::OtherType),
        (AnswerKind::Other, _, _) => Some(WrongAnswer::NoGold),
    }
}

/// A number, as such or as text with nothing but a % behind it.
fn plain_number(value: &PythonValue) -> Option<f64> {
    let number = match value {
        PythonValue::Int(_) | PythonValue::Float(_) => value.as_float()?,
        PythonValue::Text(text) => {
            let text = text.trim();
            read_float(text.strip_suffix('%').unwrap_or(text))?
        }
        _ => return None,
    };
    number.is_finite().then_some(number)
}

/// The bounds of a right number.
pub(super) struct NumberBounds {
    pub interval: PredictionInterval,
    /// Whether a number may miss a bound by what the rounding of floats takes.
    pub has_slack: bool,
}

impl NumberBounds {
    fn hold(&self, value: f64) -> bool {
        let close = |bound: f64| (value - bound).abs() <= SLACK * bound.abs();
        let interval = self.interval;
        interval.holds(value) || (self.has_slack && (close(interval.lower) || close(interval.upper)))
    }
}

/// The bounds by the runs of gold; `None` where one of them is no number.
pub(super) fn bounds(runs: &[PythonValue]) -> Option<NumberBounds> {
    let numbers = runs.iter().map(plain_number).collect::<Option<Vec<f64>>>()?;
    let interval = match numbers.as_slice() {
        [exact] => PredictionInterval {
            lower: *exact,
            upper: *exact,
        },
        numbers => PredictionInterval::new(numbers),
    };
    // Half a unit of the last place is what rounding takes; beyond it stands only rounding of ours.
    let is_whole = most_places(runs) == 0 && numbers.iter().all(|number| number.fract() == 0.0);
    Some(NumberBounds {
        interval: interval.widened(runs),
        has_slack: !is_whole,
    })
}

fn same_text(gold: &PythonValue, answer: &PythonValue) -> bool {
    plain_text(gold) == plain_text(answer)
}

/// A text as it is compared.
pub(super) fn plain_text(value: &PythonValue) -> String {
    value.to_string().trim().to_lowercase()
}

fn same_item(gold: &PythonValue, answer: &PythonValue) -> bool {
    match (gold, answer) {
        (PythonValue::Text(_), PythonValue::Text(_)) => same_text(gold, answer),
        _ => gold.equals(answer),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn why(gold: &str, report: &str) -> Vec<Option<WrongAnswer>> {
        let (gold, report) = (
            PythonValue::parse(gold).unwrap(),
            PythonValue::parse(report).unwrap(),
        );
        grade(&gold, &report)
            .unwrap()
            .into_iter()
            .map(|one| one.why)
            .collect()
    }

    /// Each row of the table above, as it is here.
    #[test]
    fn the_table_holds() {
        use WrongAnswer::{Missing, NoGold, OtherList, OtherText, OtherType, OutsideInterval};
        let three = |value: &str| format!("[{{\"q\": {value}}}, {{\"q\": {value}}}, {{\"q\": {value}}}]");
        for (gold, answer, expected) in [
            (three("5"), "5", None),
            (three("5"), "\" 5 % \"", None),
            (three("5"), "5.4", None),
            (three("5"), "5.6", Some(OutsideInterval)),
            (three("1"), "true", Some(OtherType)),
            (three("5"), "[5]", Some(OtherType)),
            (three("5"), "null", Some(OtherType)),
            (three("5"), "NaN", Some(OtherType)),
            (three("1e-12"), "5e-9", Some(OutsideInterval)),
            (three("0.957"), "0.9572", None),
            (three("0.957"), "0.95", Some(OutsideInterval)),
            (three("0.716667"), "0.7166674", None),
            (three("0.716667"), "0.716668", Some(OutsideInterval)),
            (three("28.170725"), "28.170726", Some(OutsideInterval)),
            ("[{\"q\": 0.5}]".to_owned(), "0.54", None),
            ("[{\"q\": 0.5}]".to_owned(), "0.56", Some(OutsideInterval)),
            (three("\"Blue\""), "\" blue \"", None),
            (three("\"50%\""), "\"50%\"", None),
            (three("\"10\""), "10", None),
            (three("\"10\""), "\"10\"", None),
            (three("\"a\""), "\"b\"", Some(OtherText)),
            (three("\"None\""), "null", Some(OtherType)),
            (three("\"True\""), "true", None),
            (three("[1, \"A\"]"), "[1.0, \"a\"]", None),
            (three("[1, 2]"), "[2, 1]", Some(OtherList)),
            (three("[1, 2]"), "\"[1, 2]\"", Some(OtherType)),
            (three("null"), "null", Some(NoGold)),
        ] {
            assert_eq!(
                why(&gold, &format!("{{\"q\": {answer}}}")),
                [expected],
                "{gold} {answer}"
            );
        }
        assert_eq!(why(&three("5"), "{}"), [Some(Missing)]);
        assert_eq!(why(&three("5"), "[]"), [Some(Missing)]);
    }

    #[test]
    fn one_answer_that_cannot_be_compared_takes_no_other_along() {
        let gold = "[{\"a\": 1, \"b\": 2}, {\"a\": 1, \"b\": 2}, {\"a\": 1, \"b\": 2}]";
        assert_eq!(
            why(gold, "{\"a\": {}, \"b\": 2}"),
            [Some(WrongAnswer::OtherType), None]
        );
    }
}
