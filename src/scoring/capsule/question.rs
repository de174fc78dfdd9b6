//! The questions of a task, with what their gold answers are like.

use indexmap::IndexMap;
use serde::Serialize;

use crate::scoring::released::capsule::tallies::is_about_figure;
use crate::scoring::released::capsule::value::PythonValue;

/// The kind of an answer, by the first gold run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum AnswerKind {
    Number,
    Text,
    List,
    /// Neither: published graders do not count it.
    Other,
}

/// A peculiarity of gold by which published graders cannot be answered, or not as one would think.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum GoldFault {
    /// With one gold run there is no interval, so that no number is right.
    OneRun,
    /// `%` is taken out of answers, so that no text is right.
    PercentSign,
    /// Neither number, text nor list: it is left out of the totals.
    NotCounted,
    /// A later run has no such question, or no number where the first one has.
    RunsDiffer,
}

impl GoldFault {
    /// The fault in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::OneRun => "one gold run: published graders take no number for right",
            Self::PercentSign => "the gold holds a %, which published graders take out of answers",
            Self::NotCounted => "the gold is neither number, text nor list, and is not counted",
            Self::RunsDiffer => "gold runs differ in their questions or types",
        }
    }
}

/// A question about a capsule's results.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Question {
    pub text: String,
    pub kind: AnswerKind,
    pub is_about_figure: bool,
    pub runs: usize,
    /// Whether gold runs differ in their answers.
    pub varies: bool,
    pub faults: Vec<GoldFault>,
}

/// The questions of a task, in their order; `None` of gold that is no list of runs.
pub fn questions(gold: &PythonValue) -> Option<Vec<Question>> {
    let runs = gold_runs(gold)?;
    let first = runs.first()?;
    let one = |(text, answer): (&String, &PythonValue)| {
        let answers: Vec<Option<&PythonValue>> = runs.iter().map(|run| run.get(text)).collect();
        let kind = kind(answer);
        let same_type = |other: &Option<&PythonValue>| other.is_some_and(|other| self::kind(other) == kind);
        let mut faults = Vec::new();
        match (kind, answer) {
            (AnswerKind::Number, _) if runs.len() == 1 => faults.push(GoldFault::OneRun),
            (AnswerKind::Text, PythonValue::Text(gold)) if gold.contains('%') => {
                faults.push(GoldFault::PercentSign);
            }
            (AnswerKind::Other, _) => faults.push(GoldFault::NotCounted),
            _ => {}
        }
        if !answers.iter().all(same_type) || runs.iter().any(|run| run.len() != first.len()) {
            faults.push(GoldFault::RunsDiffer);
        }
        Question {
            text: text.clone(),
            kind,
            is_about_figure: is_about_figure(text),
            runs: runs.len(),
            varies: answers.iter().flatten().any(|other| !other.equals(answer)),
            faults,
        }
    };
    Some(first.iter().map(one).collect())
}

/// The runs of gold; `None` where it is no list of objects.
pub fn gold_runs(gold: &PythonValue) -> Option<Vec<&IndexMap<String, PythonValue>>> {
    let PythonValue::List(runs) = gold else {
        return None;
    };
    runs.iter()
        .map(|run| match run {
            PythonValue::Dict(answers) => Some(answers),
            _ => None,
        })
        .collect()
}

/// The kind of an answer; a truth value is a number, as it is for Python.
pub fn kind(answer: &PythonValue) -> AnswerKind {
    match answer {
        PythonValue::Text(_) => AnswerKind::Text,
        PythonValue::List(_) => AnswerKind::List,
        answer if answer.is_number() => AnswerKind::Number,
        _ => AnswerKind::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn questions_are_known_by_the_first_run_and_faults_by_all() {
        let gold = r#"[{"a": 1, "fig b": "x", "c": [1], "d": "50%", "e": null},
                       {"a": 1.5, "fig b": "x", "c": [1], "d": "50%", "e": null}]"#;
        let found = questions(&PythonValue::parse(gold).unwrap()).unwrap();
        let kinds: Vec<AnswerKind> = found.iter().map(|one| one.kind).collect();
        use AnswerKind::{List, Number, Other, Text};
        assert_eq!(kinds, [Number, Text, List, Text, Other]);
        assert!(found[0].varies && !found[1].varies);
        assert!(found[1].is_about_figure);
        assert_eq!(found[3].faults, [GoldFault::PercentSign]);
        assert_eq!(found[4].faults, [GoldFault::NotCounted]);
        let one = questions(&PythonValue::parse(r#"[{"a": 1}]"#).unwrap()).unwrap();
        assert_eq!(one[0].faults, [GoldFault::OneRun]);
        let differ = questions(&PythonValue::parse(r#"[{"a": 1}, {"a": "1"}]"#).unwrap()).unwrap();
        assert_eq!(differ[0].faults, [GoldFault::RunsDiffer]);
        assert_eq!(questions(&PythonValue::parse("[1]").unwrap()), None);
    }
}
