//! The grader of CORE-Bench, its copy in HAL, and the two of v1.1.

use indexmap::IndexMap;

use super::inspect;
use super::interval::PredictionInterval;
use super::numbers::read_float;
use super::tallies::{Aliases, CannotGrade, GraderName, Tallies};
use super::value::PythonValue;

type Answers = IndexMap<String, PythonValue>;

/// A value that ends the grading of those behind it.
struct Incomparable;

/// Grades the answers to one task. Of a report that holds no answers all are wrong; HAL's
/// wrapping of answers is taken off for all graders but the original.
///
/// # Errors
/// Gold that is no list of runs, and whatever the grader of inspect-evals raises.
pub fn grade(
    grader: GraderName,
    task: &str,
    gold: &PythonValue,
    report: &PythonValue,
    aliases: &Aliases,
) -> Result<Tallies, CannotGrade> {
    let runs = runs(gold)?;
    let Some(first) = runs.first() else {
        return Err(CannotGrade::Gold("empty"));
    };
    let tallies = Tallies::of_questions(*first);
    let unwrapped = match grader {
        GraderName::Original | GraderName::Inspect => Some(report.clone()),
        GraderName::Hal | GraderName::V11 | GraderName::V11Regrade => unwrapped(report),
    };
    let Some(PythonValue::Dict(report)) = unwrapped else {
        return Ok(tallies);
    };
    if grader == GraderName::Inspect {
        return inspect::grade(&runs, &report, tallies);
    }
    let report = normalised(grader, report);
    let Some(intervals) = intervals(grader, &runs) else {
        return Ok(tallies);
    };
    let compared = Compared {
        grader,
        task,
        first,
        intervals,
        aliases,
    };
    let mut graded = tallies;
    for (question, answer) in &report {
        match compared.is_right(question, answer) {
            Ok(true) => graded.count_correct(question),
            Ok(false) => {}
            Err(Incomparable) => break,
        }
    }
    Ok(graded)
}

/// Answers out of HAL's wrapping: a text of JSON, and an object whose `answer` they are; `None` of
/// a text that is no JSON.
pub fn unwrapped(report: &PythonValue) -> Option<PythonValue> {
    let inner = match report {
        PythonValue::Dict(members) => members.get("answer").unwrap_or(report),
        other => other,
    };
    match inner {
        PythonValue::Text(text) => PythonValue::parse(text).ok(),
        other => Some(other.clone()),
    }
}

fn runs(gold: &PythonValue) -> Result<Vec<&Answers>, CannotGrade> {
    let PythonValue::List(runs) = gold else {
        return Err(CannotGrade::Gold("no list"));
    };
    runs.iter()
        .map(|run| match run {
            PythonValue::Dict(answers) => Ok(answers),
            _ => Err(CannotGrade::Gold("a list of something else")),
        })
        .collect()
}

/// Reported values as numbers, where Python reads them as such.
fn normalised(grader: GraderName, report: Answers) -> Answers {
    let number = |value: PythonValue| match (grader, value) {
        (GraderName::V11Regrade, PythonValue::Text(text)) => match read_float(&text.replace('%', "")) {
            Some(value) => PythonValue::Float(value),
            None => PythonValue::Text(text),
        },
        (GraderName::V11Regrade, value) if value.is_number() => {
            value.as_float().map_or(value, PythonValue::Float)
        }
        (_, PythonValue::Text(text)) => {
            // The sign goes even where no number is left.
            let text = text.replace('%', "");
            match read_float(&text) {
                Some(value) => PythonValue::Float(value),
                None => PythonValue::Text(text),
            }
        }
        (_, value) => value,
    };
    report
        .into_iter()
        .map(|(question, value)| (question, number(value)))
        .collect()
}

/// The interval of each question with a number; `None` where a run's answer to one is none, which
/// makes the whole task wrong.
fn intervals<'a>(grader: GraderName, runs: &[&'a Answers]) -> Option<IndexMap<&'a str, PredictionInterval>> {
    let mut intervals = IndexMap::new();
    for (question, answer) in runs.first()?.iter().filter(|(_, answer)| answer.is_number()) {
        let answers: Option<Vec<PythonValue>> = runs.iter().map(|run| run.get(question).cloned()).collect();
        let answers = answers?;
        let numbers: Option<Vec<f64>> = answers.iter().map(PythonValue::as_float).collect();
        debug_assert!(answer.is_number());
        let interval = PredictionInterval::new(&numbers?);
        let interval = match grader {
            GraderName::V11 | GraderName::V11Regrade => interval.widened(&answers),
            _ => interval,
        };
        intervals.insert(question.as_str(), interval);
    }
    Some(intervals)
}

/// The gold of a task, as answers are held against it.
struct Compared<'a> {
    grader: GraderName,
    task: &'a str,
    first: &'a Answers,
    intervals: IndexMap<&'a str, PredictionInterval>,
    aliases: &'a Aliases,
}

impl Compared<'_> {
    fn is_right(&self, question: &str, answer: &PythonValue) -> Result<bool, Incomparable> {
        let is_new = matches!(self.grader, GraderName::V11 | GraderName::V11Regrade);
        match self.first.get(question) {
            Some(gold) if gold.is_number() => {
                let Some(interval) = self.intervals.get(question) else {
                    return Ok(false);
                };
                let value = single_number(answer)?;
                Ok(interval.holds(value) || (is_new && interval.nearly_holds(value)))
            }
            Some(gold @ PythonValue::List(_)) => Ok(match self.list_alias(question).filter(|_| is_new) {
                Some(alias) => is_same_set(answer, alias),
                None => answer.equals(gold),
            }),
            Some(PythonValue::Text(gold)) => {
                let said = match is_new {
                    true => truth_in_words(gold, answer).unwrap_or_else(|| answer.to_string()),
                    false => answer.to_string(),
                };
                let said = said.to_lowercase();
                Ok(match self.text_alias(question).filter(|_| is_new) {
                    Some(alias) => alias.iter().any(|other| other.to_lowercase() == said),
                    None => gold.to_lowercase() == said,
                })
            }
            _ => Ok(false),
        }
    }

    fn text_alias(&self, question: &str) -> Option<&Vec<String>> {
        self.aliases.texts.get(self.task)?.get(question)
    }

    fn list_alias(&self, question: &str) -> Option<&Vec<String>> {
        self.aliases.lists.get(self.task)?.get(question)
    }
}

/// Whether a list has the items of an alias, whatever their order, case and number.
fn is_same_set(answer: &PythonValue, alias: &[String]) -> bool {
    let PythonValue::List(items) = answer else {
        return false;
    };
    let said: Vec<String> = items.iter().map(|item| item.to_string().to_lowercase()).collect();
    let wanted: Vec<String> = alias.iter().map(|item| item.to_lowercase()).collect();
    said.iter().all(|item| wanted.contains(item)) && wanted.iter().all(|item| said.contains(item))
}

/// `True` or `False` for an answer that means it, where the gold is one of them.
fn truth_in_words(gold: &str, answer: &PythonValue) -> Option<String> {
    if !matches!(gold.to_lowercase().as_str(), "true" | "false") || !answer.is_number() {
        return None;
    }
    let value = answer.as_float()?;
    let word = match value {
        1.0 => "True",
        0.0 => "False",
        _ => return None,
    };
    Some(word.to_owned())
}

/// The number that is compared: lists of one number count as that number.
fn single_number(answer: &PythonValue) -> Result<f64, Incomparable> {
    match answer {
        PythonValue::List(items) => match items.as_slice() {
            [one] => single_number(one),
            _ => Err(Incomparable),
        },
        other => other.as_float().ok_or(Incomparable),
    }
}
