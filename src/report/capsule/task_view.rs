//! A capsule's questions with their gold and the answers that attempts gave.

use serde::Serialize;

use crate::capsule::layout::level::{Layout, Level};
use crate::domain::usage::MicroDollars;
use crate::scoring::capsule::question::{AnswerKind, gold_runs, kind};
use crate::scoring::released::capsule::interval::PredictionInterval;
use crate::scoring::released::capsule::numbers::read_float;
use crate::scoring::released::capsule::tallies::{Tallies, is_about_figure};
use crate::scoring::released::capsule::value::PythonValue;

/// A task with its gold and all attempts at it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct CapsuleTaskView {
    pub task: String,
    pub title: String,
    pub field: String,
    pub language: String,
    pub level: Level,
    pub layout: Layout,
    pub needs_gpu: bool,
    /// The task in the words of its file.
    pub prompt: String,
    pub doi: Option<String>,
    pub attempts: Vec<AttemptView>,
    /// From [`questions`], with answers by [`QuestionView::answer`].
    pub questions: Vec<QuestionView>,
}

/// One attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AttemptView {
    /// The agent, with the number of a repeat where there are several.
    pub name: String,
    /// Why nobody graded it, as a clause; absent of a graded one.
    pub unscored: Option<String>,
    pub grades: Vec<GraderView>,
    pub cost: Option<MicroDollars>,
    pub seconds: Option<f64>,
    /// Input and output together.
    pub tokens: Option<u64>,
}

/// The grade of an attempt by one grader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct GraderView {
    pub grader: String,
    pub outcome: GraderOutcome,
}

/// A grade, or the error that a published grader ends with.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GraderOutcome {
    Graded { solved: bool, tallies: Tallies },
    Raised(String),
}

/// A question with its gold and the answers to it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct QuestionView {
    pub text: String,
    pub is_about_figure: bool,
    pub kind: AnswerKind,
    /// The answer of each gold run, as Python prints it.
    pub gold: Vec<String>,
    /// The numbers of the gold runs; empty of other kinds.
    pub numbers: Vec<f64>,
    /// The published interval, of a question that is answered with a number and has two gold runs.
    pub interval: Option<Bounds>,
    /// As v1.1 widens it.
    pub widened: Option<Bounds>,
    pub answers: Vec<AnswerView>,
}

/// The bounds of an interval, both finite.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Bounds {
    pub lower: f64,
    pub upper: f64,
}

/// The answer of one attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerView {
    /// The name of the attempt.
    pub attempt: String,
    /// As Python prints it; absent where the report has none.
    pub text: Option<String>,
    /// The number that it is read as, where it is one.
    pub number: Option<f64>,
    pub marks: Vec<AnswerMark>,
    /// The place in the output where the value stands, such as a file and a line.
    pub read_from: Option<String>,
}

/// The mark of one answer by one grader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AnswerMark {
    pub grader: String,
    pub right: bool,
    /// Why it is not, as a clause.
    pub why: Option<String>,
}

impl Bounds {
    fn new(interval: PredictionInterval) -> Option<Self> {
        let (lower, upper) = (interval.lower, interval.upper);
        (lower.is_finite() && upper.is_finite()).then_some(Self { lower, upper })
    }
}

impl AnswerView {
    /// The number of marks that take it for right.
    pub fn right(&self) -> usize {
        self.marks.iter().filter(|mark| mark.right).count()
    }
}

/// The questions of gold, nobody's answers with them; `None` of gold that is no list of runs.
pub fn questions(gold: &PythonValue) -> Option<Vec<QuestionView>> {
    let runs = gold_runs(gold)?;
    let first = runs.first()?;
    let question = |(text, answer): (&String, &PythonValue)| {
        let answers: Vec<PythonValue> = runs.iter().filter_map(|run| run.get(text).cloned()).collect();
        let kind = kind(answer);
        let numbers: Vec<f64> = match kind {
            AnswerKind::Number => answers.iter().filter_map(PythonValue::as_float).collect(),
            _ => Vec::new(),
        };
        let is_whole = numbers.len() == answers.len() && numbers.len() > 1;
        let interval = is_whole.then(|| PredictionInterval::new(&numbers));
        QuestionView {
            text: text.clone(),
            is_about_figure: is_about_figure(text),
            kind,
            gold: answers.iter().map(PythonValue::to_string).collect(),
            interval: interval.and_then(Bounds::new),
            widened: interval.and_then(|interval| Bounds::new(interval.widened(&answers))),
            numbers,
            answers: Vec::new(),
        }
    };
    Some(first.iter().map(question).collect())
}

impl QuestionView {
    /// Adds the answer of an attempt; `None` where its report has none.
    pub fn answer(
        &mut self,
        attempt: &str,
        value: Option<&PythonValue>,
        marks: Vec<AnswerMark>,
    ) -> &mut AnswerView {
        self.answers.push_mut(AnswerView {
            attempt: attempt.to_owned(),
            text: value.map(PythonValue::to_string),
            number: value.and_then(number),
            marks,
            read_from: None,
        })
    }
}

/// The number that graders read an answer as: % is taken out of texts.
fn number(value: &PythonValue) -> Option<f64> {
    let number = match value {
        PythonValue::Text(text) => read_float(&text.replace('%', ""))?,
        other => other.as_float()?,
    };
    number.is_finite().then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_have_the_graders_intervals() {
        let gold = r#"[{"a": 1.5, "fig b": "x", "c": [1], "d": 3, "e": true},
                       {"a": 1.6, "fig b": "y", "c": [1], "d": 3, "e": true},
                       {"a": 1.7, "fig b": "x", "c": [1], "d": 3, "e": true}]"#;
        let found = questions(&PythonValue::parse(gold).unwrap()).unwrap();
        assert_eq!(found.len(), 5);
        let interval = found[0].interval.unwrap();
        // 1.6 ± 4.3027 × 0.1 × √(4/3).
        assert!((interval.lower - (1.6 - 0.496_827)).abs() < 1e-6);
        let widened = found[0].widened.unwrap();
        assert!((widened.upper - interval.upper - 0.05).abs() < 1e-12);
        assert_eq!(found[1].gold, ["x", "y", "x"]);
        assert!(found[1].is_about_figure && found[1].interval.is_none() && found[1].numbers.is_empty());
        assert_eq!(
            (found[2].kind, found[2].gold[0].as_str()),
            (AnswerKind::List, "[1]")
        );
        assert_eq!(
            found[3].interval,
            Some(Bounds {
                lower: 3.0,
                upper: 3.0
            })
        );
        assert_eq!(found[4].numbers, [1.0; 3]);
        let single = questions(&PythonValue::parse("[{\"a\": 1}]").unwrap()).unwrap();
        assert_eq!((single[0].interval, single[0].widened), (None, None));
        assert_eq!(questions(&PythonValue::parse("{}").unwrap()), None);
    }

    #[test]
    fn answers_are_read_as_graders_read_them() {
        let gold = PythonValue::parse("[{\"a\": 1}, {\"a\": 1}]").unwrap();
        let mut question = questions(&gold).unwrap().remove(0);
        for (answer, text, number) in [
            ("\" 5 %\"", Some(" 5 %"), Some(5.0)),
            ("5e-1", Some("0.5"), Some(0.5)),
            ("\"many\"", Some("many"), None),
            ("NaN", Some("nan"), None),
            ("[1]", Some("[1]"), None),
        ] {
            let value = PythonValue::parse(answer).unwrap();
            let found = question.answer("one", Some(&value), Vec::new());
            assert_eq!((found.text.as_deref(), found.number), (text, number));
        }
        assert_eq!(question.answer("one", None, Vec::new()).text, None);
    }
}
