//! The grader of inspect-evals.

use indexmap::IndexMap;

use super::interval::PredictionInterval;
use super::numbers::{float_text, read_float, rounded};
use super::tallies::{CannotGrade, Tallies};
use super::value::PythonValue;

type Answers = IndexMap<String, PythonValue>;

/// Grades each question by itself: punctuation at the end of questions and texts does not
/// count, and numbers are rounded to the places of each bound.
pub(super) fn grade(runs: &[&Answers], report: &Answers, questions: Tallies) -> Result<Tallies, CannotGrade> {
    let runs: Vec<Answers> = runs.iter().map(|run| with_bare_questions(run)).collect();
    let report = with_bare_questions(report);
    let mut graded = questions;
    let Some(first) = runs.first() else {
        return Ok(graded);
    };
    let mut intervals = IndexMap::new();
    for question in first
        .iter()
        .filter(|(_, gold)| gold.is_number())
        .map(|(question, _)| question)
    {
        let numbers: Option<Vec<f64>> = runs.iter().map(|run| run.get(question)?.as_float()).collect();
        let numbers = numbers.ok_or_else(|| CannotGrade::Type(question.clone()))?;
        intervals.insert(question, PredictionInterval::new(&numbers));
    }
    for (question, gold) in first {
        let Some(answer) = report.get(question) else {
            continue;
        };
        let answer = as_number(question, answer)?;
        let right = match gold {
            PythonValue::List(_) => answer.equals(gold),
            PythonValue::Text(gold) => bare(&answer.to_string()).to_lowercase() == bare(gold).to_lowercase(),
            gold if gold.is_number() => match (&answer, intervals.get(question)) {
                (PythonValue::Float(value), Some(interval)) => holds(interval, *value),
                _ => false,
            },
            _ => false,
        };
        if right {
            graded.count_correct(question);
        }
    }
    Ok(graded)
}

fn with_bare_questions(answers: &Answers) -> Answers {
    answers
        .iter()
        .map(|(question, value)| (bare(question).to_owned(), value.clone()))
        .collect()
}

/// Without the ASCII punctuation at its end.
fn bare(text: &str) -> &str {
    text.trim_end_matches(|found: char| found.is_ascii_punctuation())
}

/// A reported value as a float, where Python reads it as one.
fn as_number(question: &str, answer: &PythonValue) -> Result<PythonValue, CannotGrade> {
    Ok(match answer {
        PythonValue::Text(text) => {
            let text = text.replace('%', "");
            read_float(&text).map_or(PythonValue::Text(text), PythonValue::Float)
        }
        number if number.is_number() => {
            let value = number
                .as_float()
                .ok_or_else(|| CannotGrade::Overflow(question.to_owned()));
            PythonValue::Float(value?)
        }
        other => other.clone(),
    })
}

fn holds(interval: &PredictionInterval, value: f64) -> bool {
    let to = |bound: f64| rounded(value, printed_places(bound));
    to(interval.lower) >= interval.lower && to(interval.upper) <= interval.upper
}

/// The characters behind the point of a bound as it is printed.
fn printed_places(bound: f64) -> usize {
    float_text(bound)
        .split_once('.')
        .map_or(0, |(_, places)| places.len())
}
