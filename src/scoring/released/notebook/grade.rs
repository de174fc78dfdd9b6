//! The published grade of a history.

use crate::notebook::gold::NotebookGold;
use crate::notebook::history::step::{NotebookStep, StepContent};
use crate::scoring::released::capsule::value::PythonValue;

use super::answer::{AnswerRaised, is_true, output_match};
use super::entry_point::{EntryPointRaised, entry_point};
use super::landmarks::{LandmarkGaveUp, landmarks};
use super::pattern::PythonPattern;
use super::pattern_fault::PatternFault;

/// The published scores; one that is `None` is null.
#[derive(Debug, Clone, PartialEq)]
pub struct PublishedGrade {
    pub submitted: bool,
    pub output_match: Option<f64>,
    /// The share of landmarks; else the reason for which this program cannot tell it.
    pub landmarks: Result<Option<f64>, LandmarksUntold>,
    pub entry_point: Option<f64>,
}

/// A share of landmarks that the published grader may tell and this program does not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LandmarksUntold {
    #[error("landmark {0} cannot be taken: {1}")]
    NotTaken(usize, String),
    #[error(transparent)]
    GaveUp(LandmarkGaveUp),
}

/// A history that the published grader raises at, so that it grades nothing of it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PublishedRaised {
    #[error("the history is empty (IndexError)")]
    Empty,
    #[error("the last action has no type (KeyError)")]
    NoType,
    #[error("the gold answer is no JSON (JSONDecodeError)")]
    GoldNotJson,
    #[error(transparent)]
    Answer(#[from] AnswerRaised),
    #[error("landmark {0} is no pattern of Python's: {1} (re.error)")]
    Pattern(usize, String),
    #[error(transparent)]
    EntryPoint(#[from] EntryPointRaised),
}

/// The submission of a history: the content of its last entry, where that is a submission and
/// Python takes it for true.
///
/// # Errors
/// A history that is empty, or whose last action has no type.
pub fn submission(steps: &[NotebookStep]) -> Result<Option<PythonValue>, PublishedRaised> {
    let last = steps.last().ok_or(PublishedRaised::Empty)?;
    let action = last.action.as_deref().ok_or(PublishedRaised::NoType)?;
    if action != "submit" {
        return Ok(None);
    }
    let value = match &last.content {
        None => return Ok(None),
        Some(StepContent::Text(text)) => PythonValue::Text(text.clone()),
        Some(StepContent::Json(json)) => {
            PythonValue::parse(json).unwrap_or_else(|_| PythonValue::Text(json.clone()))
        }
    };
    Ok(Some(value).filter(is_true))
}

/// Grades a history.
///
/// # Errors
/// What the published grader raises.
pub fn grade(gold: &NotebookGold, steps: &[NotebookStep]) -> Result<PublishedGrade, PublishedRaised> {
    let submitted = submission(steps)?;
    let output_match = match &gold.answer {
        None => None,
        Some(json) => {
            let answer = PythonValue::parse(json).map_err(|_| PublishedRaised::GoldNotJson)?;
            match is_true(&answer) {
                true => Some(output_match(
                    &answer,
                    submitted.as_ref().unwrap_or(&PythonValue::None),
                )?),
                false => None,
            }
        }
    };
    let landmarks = match compiled(&gold.landmarks)? {
        Err(untold) => Err(untold),
        Ok(patterns) => {
            let observations = steps.iter().map(|step| step.observation.as_str());
            landmarks(&patterns, observations).map_err(LandmarksUntold::GaveUp)
        }
    };
    let entry_point = match &gold.entry_point {
        Some(path) => entry_point(path, steps)?,
        None => None,
    };
    Ok(PublishedGrade {
        submitted: submitted.is_some(),
        output_match,
        landmarks,
        entry_point,
    })
}

fn compiled(patterns: &[String]) -> Result<Result<Vec<PythonPattern>, LandmarksUntold>, PublishedRaised> {
    let mut taken = Vec::new();
    for (index, pattern) in patterns.iter().enumerate() {
        match PythonPattern::new(pattern) {
            Ok(pattern) => taken.push(pattern),
            Err(PatternFault::Python(why)) => {
                return Err(PublishedRaised::Pattern(index + 1, why.to_owned()));
            }
            Err(PatternFault::NotTaken(why)) => return Ok(Err(LandmarksUntold::NotTaken(index + 1, why))),
        }
    }
    Ok(Ok(taken))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::history::step::StepBy;

    fn step(action: Option<&str>, content: Option<StepContent>) -> NotebookStep {
        NotebookStep {
            by: StepBy::Agent,
            action: action.map(str::to_owned),
            content,
            observation: "seen".to_owned(),
            seconds: Some(1.0),
            outcome: None,
            exit_code: None,
            file: None,
        }
    }

    fn submit(json: &str) -> NotebookStep {
        step(Some("submit"), Some(StepContent::Json(json.to_owned())))
    }

    fn gold(answer: &str) -> NotebookGold {
        NotebookGold {
            answer: Some(answer.to_owned()),
            landmarks: vec!["seen".to_owned(), "not".to_owned()],
            entry_point: Some("train.py".to_owned()),
            ..NotebookGold::default()
        }
    }

    #[test]
    fn only_the_last_entry_submits_and_nothing_that_python_takes_for_nothing() {
        for json in ["null", "0", "0.0", "false", "\"\"", "[]", "{}"] {
            let graded = grade(&gold("{\"a\": 1}"), &[submit(json)]).unwrap();
            assert!(!graded.submitted, "{json}");
            assert_eq!(graded.output_match, Some(0.0), "{json}");
            assert_eq!(graded.landmarks, Ok(Some(0.5)), "{json}");
            assert_eq!(graded.entry_point, Some(0.0), "{json}");
        }
        let behind = [submit("{\"a\": 1}"), step(Some("execute"), None)];
        assert!(!grade(&gold("{\"a\": 1}"), &behind).unwrap().submitted);
        let last = [step(Some("execute"), None), submit("{\"a\": 1}")];
        let graded = grade(&gold("{\"a\": 1}"), &last).unwrap();
        assert!(graded.submitted);
        assert_eq!(graded.output_match, Some(1.0));
        assert!(
            !grade(&gold("1"), &[step(Some("submit"), None)])
                .unwrap()
                .submitted
        );
    }

    #[test]
    fn gold_that_python_takes_for_nothing_leaves_the_answer_null() {
        for answer in ["{}", "[]", "0", "\"\"", "null", "false"] {
            let graded = grade(&gold(answer), &[submit("{\"a\": 1}")]).unwrap();
            assert_eq!((graded.submitted, graded.output_match), (true, None), "{answer}");
        }
        assert_eq!(
            grade(&NotebookGold::default(), &[submit("1")]).unwrap(),
            PublishedGrade {
                submitted: true,
                output_match: None,
                landmarks: Ok(None),
                entry_point: None,
            }
        );
    }

    #[test]
    fn what_it_raises_ends_the_grading() {
        assert_eq!(grade(&gold("1"), &[]), Err(PublishedRaised::Empty));
        assert_eq!(
            grade(&gold("1"), &[step(None, None)]),
            Err(PublishedRaised::NoType)
        );
        assert_eq!(
            grade(&gold("{"), &[submit("1")]),
            Err(PublishedRaised::GoldNotJson)
        );
        let raised = grade(&gold("{\"a\": true}"), &[submit("{\"a\": true}")]);
        assert_eq!(raised, Err(PublishedRaised::Answer(AnswerRaised::NotImplemented)));
        // A bare number that is submitted is searched for the script's name.
        let raised = grade(&gold("0.5"), &[submit("0.5")]);
        assert_eq!(
            raised,
            Err(PublishedRaised::EntryPoint(EntryPointRaised::NotSearchable))
        );
        let bad = NotebookGold {
            landmarks: vec!["a".to_owned(), "(".to_owned()],
            ..NotebookGold::default()
        };
        assert!(matches!(
            grade(&bad, &[submit("1")]),
            Err(PublishedRaised::Pattern(2, _))
        ));
    }
}
