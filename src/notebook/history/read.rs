//! Reading of histories of attempts, whoever wrote them.

use serde_json::Value;

use super::fault::HistoryFault;
use super::step::NotebookHistory;
use super::{own_file, released_json, released_notebook};

/// Reads a history: ours (`reprise-notebook-history/1`), the published runner's `history.json`,
/// or a published `history.ipynb`. Which it is, is told from its keys.
///
/// # Errors
/// A text that is none of these, as a clause.
pub fn read(text: &str) -> Result<NotebookHistory, HistoryFault> {
    let value: Value =
        serde_json::from_str(text).map_err(|error| HistoryFault::NotJson(error.to_string()))?;
    let file = value.as_object().ok_or(HistoryFault::NotObject)?;
    if file.contains_key("format") {
        own_file::read(text)
    } else if file.contains_key("cells") {
        released_notebook::read(file)
    } else if file.contains_key("history") {
        released_json::read(file)
    } else {
        Err(HistoryFault::Unknown)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::step::{CellOutcome, HistorySource, NotebookStep, StepBy, StepContent};
    use super::*;

    #[test]
    fn a_history_of_ours_comes_back_as_it_was_written() {
        let history = NotebookHistory {
            source: HistorySource::Own,
            task: Some("repo_cpu".to_owned()),
            steps: vec![NotebookStep {
                by: StepBy::Agent,
                action: Some("execute".to_owned()),
                content: Some(StepContent::Text("!python train.py".to_owned())),
                observation: "loss 0.5\n".to_owned(),
                seconds: Some(12.25),
                outcome: Some(CellOutcome::Done),
                exit_code: Some(0),
                file: None,
            }],
        };
        let written = json!({"format": own_file::FORMAT, "task": history.task, "steps": history.steps});
        assert_eq!(read(&written.to_string()).unwrap(), history);
        assert!(
            read("{\"format\": \"other/1\", \"task\": null, \"steps\": []}")
                .unwrap_err()
                .to_string()
                .contains("`format`")
        );
        assert!(read("[]").is_err() && read("{}").is_err() && read("x").is_err());
    }

    #[test]
    fn a_published_notebook_has_steps_with_whole_seconds() {
        let markdown = |text: &str| json!({"cell_type": "markdown", "metadata": {}, "source": [text]});
        let code = |source: &[&str], output: &str| {
            json!({"cell_type": "code", "source": source, "outputs": [{"output_type": "execute_result",
                "data": {"text/plain": [output, "more"]}}]})
        };
        let notebook = json!({"nbformat": 4, "cells": [
            markdown("### Query\nTrain it."),
            markdown("### Step 1"),
            markdown("Execution Start time: 22:33:57, End time: 22:36:00 (duration: 123 seconds)"),
            markdown("**Thought**: [pre-executed by user]"),
            markdown("**Action (execute)**:"),
            code(&["!ls\n", "!pwd"], "a\n"),
            markdown("### Step 2"),
            markdown("**Thought**: Done."),
            markdown("**Action (submit)**:"),
            code(&["{'loss': 0.5}"], ""),
            markdown("### Step 3"),
            markdown("**Thought**: Done."),
            markdown("**Action ()**:"),
            code(&["submit {\"loss\": 0.5}"], ""),
            markdown("### Step 4"),
            markdown("**Action (submit)**:"),
            code(&["submit {'loss': 0.5}\n"], ""),
        ]});
        let history = read(&notebook.to_string()).unwrap();
        assert_eq!(history.source, HistorySource::ReleasedNotebook);
        let [first, second, third, fourth] = &history.steps[..] else {
            panic!("{history:?}");
        };
        assert_eq!((first.by, first.seconds), (StepBy::Task, Some(123.0)));
        assert_eq!(first.content, Some(StepContent::Text("!ls\n!pwd".to_owned())));
        assert_eq!(first.observation, "a\nmore");
        for step in [second, third, fourth] {
            assert_eq!((step.by, step.seconds), (StepBy::Agent, None));
            assert_eq!(step.action.as_deref(), Some("submit"));
            let Some(StepContent::Json(json)) = &step.content else {
                panic!("{step:?}")
            };
            assert_eq!(serde_json::from_str::<Value>(json).unwrap(), json!({"loss": 0.5}));
        }
    }

    #[test]
    fn steps_without_a_type_are_told_by_what_they_hold() {
        let step =
            |content: Value| json!({"thought": "t", "action": {"content": content}, "observation": ""});
        let history = json!({"query": "q", "history": [
            step(json!("python train.py --epochs 1")), step(json!("open train.py 10")), step(json!("edit 1:2\nx\nend_of_edit")),
            step(json!("submit it to the queue")), step(json!("submit {'loss': 0.5, 'n': None}")),
            {"thought": "t", "action": {"type": "submit", "content": "submit {\"loss\": 0.5}"}, "observation": ""},
        ]});
        let history = read(&history.to_string()).unwrap();
        let kinds: Vec<Option<&str>> = history.steps.iter().map(|step| step.action.as_deref()).collect();
        assert_eq!(
            kinds,
            [
                Some("execute"),
                None,
                None,
                Some("execute"),
                Some("submit"),
                Some("submit")
            ]
        );
        let json = |at: usize| match &history.steps[at].content {
            Some(StepContent::Json(json)) => serde_json::from_str::<Value>(json).unwrap(),
            other => panic!("{other:?}"),
        };
        assert_eq!(
            (json(4), json(5)),
            (json!({"loss": 0.5, "n": null}), json!({"loss": 0.5}))
        );
    }

    #[test]
    fn a_history_of_the_published_runner_has_no_times() {
        let history = read(
            &json!({"query": "q", "history": [
                {"thought": "t", "action": {"type": "execute", "content": "1"}, "observation": "1"},
                {"thought": "t", "action": {"type": "submit", "content": {"a": 1}}, "observation": ""},
            ]})
            .to_string(),
        )
        .unwrap();
        assert_eq!(history.source, HistorySource::ReleasedJson);
        assert_eq!(history.steps[0].seconds, None);
        assert_eq!(
            history.steps[1].content,
            Some(StepContent::Json("{\"a\":1}".to_owned()))
        );
        assert_eq!(read("{\"history\": [3]}"), Err(HistoryFault::NotStep(1)));
    }
}
