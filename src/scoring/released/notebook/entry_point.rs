//! Script-Executed, as published.

use crate::notebook::history::step::{NotebookStep, StepContent};
use crate::scoring::released::capsule::value::PythonValue;

use super::answer::is_true;

/// The seconds that a step has to take.
const LEAST_SECONDS: f64 = 10.0;

/// A grading of Script-Executed that the published grader does not survive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EntryPointRaised {
    #[error("an action's content is a number or a truth value (TypeError)")]
    NotSearchable,
    #[error("a step has no times, and one of them is asked for (KeyError)")]
    NoTimes,
}

/// Scores the steps of a history by whether one of them ran a script; `None` of a path that is not
/// graded.
///
/// # Errors
/// What the published grader raises.
pub fn entry_point(path: &str, steps: &[NotebookStep]) -> Result<Option<f64>, EntryPointRaised> {
    if steps.is_empty() {
        return Ok(Some(0.0));
    }
    if ![".py", ".sh", ".bash"]
        .iter()
        .any(|suffix| path.ends_with(suffix))
    {
        return Ok(None);
    }
    let name = path.rsplit('/').next().unwrap_or(path);
    let mut untold = None;
    for step in steps {
        match runs(name, step) {
            Ok(true) => return Ok(Some(1.0)),
            Ok(false) => {}
            // A history that left times out: a later step may decide all the same.
            Err(EntryPointRaised::NoTimes) => untold = Some(EntryPointRaised::NoTimes),
            Err(raised) => return Err(raised),
        }
    }
    untold.map_or(Ok(Some(0.0)), Err)
}

fn runs(name: &str, step: &NotebookStep) -> Result<bool, EntryPointRaised> {
    let Some(content) = step.content.as_ref().map(decoded).filter(is_true) else {
        return Ok(false);
    };
    let module = name.replace(".py", "");
    let is_named = holds(&content, name)? || (holds(&content, &module)? && holds(&content, "python -m")?);
    if !is_named
        || step.observation.contains("Traceback")
        || step.observation.contains(&format!("{name}: error"))
    {
        return Ok(false);
    }
    let seconds = step.seconds.ok_or(EntryPointRaised::NoTimes)?;
    Ok(seconds >= LEAST_SECONDS)
}

fn decoded(content: &StepContent) -> PythonValue {
    match content {
        StepContent::Text(text) => PythonValue::Text(text.clone()),
        StepContent::Json(json) => {
            PythonValue::parse(json).unwrap_or_else(|_| PythonValue::Text(json.clone()))
        }
    }
}

/// `text in content`.
fn holds(content: &PythonValue, text: &str) -> Result<bool, EntryPointRaised> {
    match content {
        PythonValue::Text(content) => Ok(content.contains(text)),
        PythonValue::Dict(members) => Ok(members.contains_key(text)),
        PythonValue::List(items) => Ok(items
            .iter()
            .any(|item| matches!(item, PythonValue::Text(one) if one == text))),
        PythonValue::None | PythonValue::Bool(_) | PythonValue::Int(_) | PythonValue::Float(_) => {
            Err(EntryPointRaised::NotSearchable)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::history::step::StepBy;

    fn step(content: StepContent, observation: &str, seconds: Option<f64>) -> NotebookStep {
        NotebookStep {
            by: StepBy::Task,
            action: Some("execute".to_owned()),
            content: Some(content),
            observation: observation.to_owned(),
            seconds,
            outcome: None,
            exit_code: None,
            file: None,
        }
    }

    fn cell(content: &str, observation: &str, seconds: f64) -> NotebookStep {
        step(StepContent::Text(content.to_owned()), observation, Some(seconds))
    }

    /// Each condition, and each quirk.
    #[test]
    fn every_condition_and_quirk() {
        for (content, observation, seconds, expected) in [
            ("!python src/train.py", "ok", 10.0, 1.0),
            ("!python src/train.py", "ok", 9.99, 0.0),
            ("!python -m src.train --x", "ok", 12.0, 1.0),
            ("!python3 -m src.train", "ok", 12.0, 0.0),
            ("!python  -m src.train", "ok", 12.0, 0.0),
            (
                "!python src/train.py",
                "Traceback (most recent call last)",
                12.0,
                0.0,
            ),
            ("!python src/train.py", "usage: x\ntrain.py: error: no", 12.0, 0.0),
            ("!python src/train.py", "other.py: error: no", 12.0, 1.0),
            ("!python pretrain.py", "ok", 12.0, 1.0),
            ("!cat train.py", "text", 12.0, 1.0),
            ("!python other.py", "ok", 12.0, 0.0),
            ("", "ok", 12.0, 0.0),
        ] {
            let found = entry_point("src/train.py", &[cell(content, observation, seconds)]);
            assert_eq!(found, Ok(Some(expected)), "{content}");
        }
        // The first step that meets all counts, and a script of bash has no module.
        let steps = [cell("!ls", "", 20.0), cell("!bash run.sh", "ok", 20.0)];
        assert_eq!(entry_point("run.sh", &steps), Ok(Some(1.0)));
        assert_eq!(
            entry_point("run.bash", &[cell("!bash run.bash", "", 20.0)]),
            Ok(Some(1.0))
        );
        // Paths that are not graded, and an empty history.
        assert_eq!(entry_point("Makefile", &steps), Ok(None));
        assert_eq!(entry_point("Makefile", &[]), Ok(Some(0.0)));
        assert_eq!(entry_point("run.sh", &[]), Ok(Some(0.0)));
    }

    #[test]
    fn submissions_are_searched_as_python_searches_them() {
        let submit = |json: &str| [step(StepContent::Json(json.to_owned()), "", Some(20.0))];
        assert_eq!(
            entry_point("train.py", &submit("0.5")),
            Err(EntryPointRaised::NotSearchable)
        );
        assert_eq!(
            entry_point("train.py", &submit("true")),
            Err(EntryPointRaised::NotSearchable)
        );
        assert_eq!(entry_point("train.py", &submit("0")), Ok(Some(0.0)));
        assert_eq!(entry_point("train.py", &submit("null")), Ok(Some(0.0)));
        assert_eq!(
            entry_point("train.py", &submit("{\"train.py\": 1}")),
            Ok(Some(1.0))
        );
        assert_eq!(
            entry_point("train.py", &submit("{\"x\": \"train.py\"}")),
            Ok(Some(0.0))
        );
        assert_eq!(entry_point("train.py", &submit("[\"train.py\"]")), Ok(Some(1.0)));
    }

    #[test]
    fn times_are_asked_for_only_where_everything_else_holds() {
        let without = |content: &str| [step(StepContent::Text(content.to_owned()), "ok", None)];
        assert_eq!(
            entry_point("train.py", &without("!python train.py")),
            Err(EntryPointRaised::NoTimes)
        );
        assert_eq!(entry_point("train.py", &without("!ls")), Ok(Some(0.0)));
    }
}
