//! Faults of a task's gold.

use crate::notebook::gold::NotebookGold;
use crate::notebook::task_fault::NotebookTaskFault;
use crate::scoring::released::capsule::value::PythonValue;
use crate::scoring::released::notebook::answer::is_true;
use crate::scoring::released::notebook::pattern::PythonPattern;

/// What of a gold cannot be graded, or not by the published grader. No fault tells the gold.
pub fn gold_faults(gold: &NotebookGold) -> Vec<NotebookTaskFault> {
    let mut faults = Vec::new();
    if let Some(json) = &gold.answer {
        match PythonValue::parse(json) {
            Err(_) => faults.push(NotebookTaskFault::AnswerNotJson),
            Ok(answer) if !is_true(&answer) => faults.push(NotebookTaskFault::AnswerFalsy),
            Ok(answer) if holds_unimplemented(&answer) => {
                faults.push(NotebookTaskFault::AnswerHoldsUnimplemented);
            }
            Ok(_) => {}
        }
    }
    for (index, pattern) in gold.landmarks.iter().enumerate() {
        if let Err(fault) = PythonPattern::new(pattern) {
            faults.push(NotebookTaskFault::Landmark {
                place: index + 1,
                why: fault.to_string(),
            });
        }
    }
    let is_graded = |path: &String| {
        [".py", ".sh", ".bash"]
            .iter()
            .any(|suffix| path.ends_with(suffix))
    };
    if gold.entry_point.as_ref().is_some_and(|path| !is_graded(path)) {
        faults.push(NotebookTaskFault::EntryPointNotGraded);
    }
    faults
}

fn holds_unimplemented(value: &PythonValue) -> bool {
    match value {
        PythonValue::None | PythonValue::Bool(_) => true,
        PythonValue::List(items) => items.iter().any(holds_unimplemented),
        PythonValue::Dict(members) => members.values().any(holds_unimplemented),
        PythonValue::Int(_) | PythonValue::Float(_) | PythonValue::Text(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_fault_is_found_and_none_tells_the_gold() {
        let gold = |answer: &str| NotebookGold {
            answer: Some(answer.to_owned()),
            ..NotebookGold::default()
        };
        assert_eq!(gold_faults(&gold("{")), [NotebookTaskFault::AnswerNotJson]);
        assert_eq!(gold_faults(&gold("0")), [NotebookTaskFault::AnswerFalsy]);
        assert_eq!(
            gold_faults(&gold("{\"a\": [null]}")),
            [NotebookTaskFault::AnswerHoldsUnimplemented]
        );
        assert!(gold_faults(&gold("{\"a\": 1}")).is_empty());
        let faults = gold_faults(&NotebookGold {
            landmarks: vec![
                "ok".to_owned(),
                "secret(".to_owned(),
                r"secret\N{DIGIT ONE}".to_owned(),
            ],
            entry_point: Some("secret.R".to_owned()),
            ..NotebookGold::default()
        });
        let words: Vec<_> = faults.iter().map(NotebookTaskFault::words).collect();
        assert!(
            words[0].starts_with("landmark 2 cannot be taken: Python refuses it"),
            "{words:?}"
        );
        assert!(
            words[1].starts_with("landmark 3 cannot be taken: it has a class, a condition or an escape"),
            "{words:?}"
        );
        assert_eq!(faults[2], NotebookTaskFault::EntryPointNotGraded);
        assert!(words.iter().all(|words| !words.contains("secret")), "{words:?}");
    }
}
