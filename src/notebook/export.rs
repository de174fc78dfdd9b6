//! A history as a notebook that a person can open, and run again.

use serde_json::{Value, json};

use super::edit::NotebookEdit;
use super::file_command::FileCommand;
use super::history::step::{CellOutcome, NotebookHistory, NotebookStep, StepBy, StepContent};

/// The folder that kernels begin in, as they name it.
const KERNELS_FOLDER: &str = "/workspace/work/";

/// The notebook (nbformat 4.5) of a history: cells as code with what was seen of them, waits with the
/// cell that they are for, edits as code that does them again, the rest as text.
pub fn notebook(history: &NotebookHistory) -> Value {
    let mut cells = Vec::new();
    let name = history.task.as_deref().unwrap_or("a notebook task");
    cells.push(markdown(
        0,
        &format!("# Attempt at {name}\n\nEach cell is as it was executed, with what was seen of it then."),
    ));
    if history.steps.iter().any(|step| lines_again(step).is_some()) {
        cells.push(begin());
    }
    let mut executed = 0;
    for (index, step) in history.steps.iter().enumerate() {
        let number = index + 1;
        match (step.action.as_deref(), &step.content) {
            (Some("execute"), Some(StepContent::Text(source))) => {
                executed += 1;
                cells.push(code(number, step, source, executed));
            }
            (Some("continue_wait" | "interrupt"), _) if is_code(cells.last()) => add_output(&mut cells, step),
            (Some("edit"), Some(StepContent::Text(content))) => match edit(content, step) {
                Some(source) => {
                    executed += 1;
                    cells.push(code(number, step, &source, executed));
                }
                None => cells.push(markdown(
                    number,
                    &format!("An edit that was refused:\n\n{}", fenced(content)),
                )),
            },
            (action, content) => match lines_again(step) {
                Some(source) => {
                    executed += 1;
                    cells.push(code(number, step, &source, executed));
                }
                None => cells.push(markdown(number, &told(action, content.as_ref()))),
            },
        }
    }
    json!({
        "cells": cells,
        "metadata": {
            "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
            "language_info": {"name": "python"},
        },
        "nbformat": 4,
        "nbformat_minor": 5,
    })
}

fn markdown(number: usize, text: &str) -> Value {
    json!({"cell_type": "markdown", "id": format!("step-{number}"), "metadata": {}, "source": text})
}

fn code(number: usize, step: &NotebookStep, source: &str, executed: usize) -> Value {
    let by = match step.by {
        StepBy::Task => "task",
        StepBy::Agent => "agent",
    };
    json!({
        "cell_type": "code",
        "execution_count": executed,
        "id": format!("step-{number}"),
        "metadata": {"reprise": {
            "by": by, "seconds": step.seconds, "outcome": step.outcome, "exit_code": step.exit_code,
        }},
        "outputs": stream(step).into_iter().collect::<Vec<_>>(),
        "source": source,
    })
}

fn stream(step: &NotebookStep) -> Option<Value> {
    let text = &step.observation;
    (!text.is_empty()).then(|| json!({"name": "stdout", "output_type": "stream", "text": text}))
}

fn is_code(cell: Option<&Value>) -> bool {
    cell.is_some_and(|cell| cell["cell_type"] == "code")
}

fn add_output(cells: &mut [Value], step: &NotebookStep) {
    let outputs = cells.last_mut().and_then(|cell| cell["outputs"].as_array_mut());
    if let Some(outputs) = outputs {
        outputs.extend(stream(step));
    }
}

/// Code that does an edit again; `None` of one that was refused or is none.
fn edit(content: &str, step: &NotebookStep) -> Option<String> {
    if step.outcome == Some(CellOutcome::Failed) {
        return None;
    }
    let edit = NotebookEdit::parse(content).ok()?;
    // Lists of texts are written alike in JSON and in Python.
    let written = |value: Value| value.to_string();
    Some(format!(
        "# An edit, done again.\n\
         from pathlib import Path\n\
         _file = Path({})\n\
         _context, _removed, _added = {}, {}, {}\n\
         _lines = _file.read_text().replace('\\r\\n', '\\n').split('\\n')\n\
         _wanted = _context + _removed\n\
         _same = lambda one, other: one == other or not one.strip() and not other.strip()\n\
         _at = [at for at in range(len(_lines) - len(_wanted) + 1) if all(map(_same, _wanted, _lines[at:]))]\n\
         assert len(_at) == 1, 'the edit does not fit its file'\n\
         _from = _at[0] + len(_context)\n\
         _lines[_from:_from + len(_removed)] = _added\n\
         _ = _file.write_text('\\n'.join(_lines))",
        written(json!(edit.file)),
        written(json!(edit.context)),
        written(json!(edit.removed)),
        written(json!(edit.added)),
    ))
}

/// The cell that remembers the folder in which the notebook is begun.
fn begin() -> Value {
    json!({
        "cell_type": "code", "execution_count": null, "id": "begin", "metadata": {}, "outputs": [],
        "source": "# The folder that files are edited from.\nfrom pathlib import Path\n_begin = Path.cwd()",
    })
}

/// Code that makes a file, or puts lines in the place of others, again; `None` of another step, and of
/// one that was refused.
fn lines_again(step: &NotebookStep) -> Option<String> {
    let (Some(StepContent::Text(content)), Some(file)) = (&step.content, &step.file) else {
        return None;
    };
    if step.outcome == Some(CellOutcome::Failed) {
        return None;
    }
    let file = json!(file.strip_prefix(KERNELS_FOLDER).unwrap_or(file));
    match FileCommand::parse(content).ok()? {
        FileCommand::Create { .. } => Some(format!(
            "# A file, made again.\n_ = (_begin / {file}).open('x').close()"
        )),
        FileCommand::Edit { first, last, text } => Some(format!(
            "# Lines of a file, replaced again.\n\
             _file = _begin / {file}\n\
             _lines = _file.read_bytes().decode().split('\\n')\n\
             _lines = _lines[:-1] if _lines[-1] == '' else _lines\n\
             _lines[{}:{}] = {}\n\
             _ = _file.write_bytes(''.join(line + '\\n' for line in _lines).encode())",
            first - 1,
            last.max(first - 1),
            json!(text)
        )),
        _ => None,
    }
}

fn told(action: Option<&str>, content: Option<&StepContent>) -> String {
    let text = match content {
        Some(StepContent::Text(text) | StepContent::Json(text)) => fenced(text),
        None => String::new(),
    };
    match action {
        Some("submit") => format!("## Submission\n\n{text}"),
        Some(action) if !action.is_empty() => format!("A step of the type {}:\n\n{text}", fenced(action)),
        _ => format!("A step without a type:\n\n{text}"),
    }
}

/// A text that no marking in it can end.
fn fenced(text: &str) -> String {
    let longest = text.split(|one| one != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest.max(2) + 1);
    format!("{fence}\n{text}\n{fence}")
}

#[cfg(test)]
mod tests {
    use super::super::history::step::HistorySource;
    use super::*;

    fn step(action: &str, content: StepContent, observation: &str) -> NotebookStep {
        NotebookStep {
            by: StepBy::Agent,
            action: Some(action.to_owned()),
            content: Some(content),
            observation: observation.to_owned(),
            seconds: Some(1.5),
            outcome: None,
            exit_code: None,
            file: None,
        }
    }

    #[test]
    fn waits_join_their_cell_and_edits_become_code() {
        let text = |text: &str| StepContent::Text(text.to_owned());
        let mut refused = step("edit", text("x"), "no");
        refused.outcome = Some(CellOutcome::Failed);
        let history = NotebookHistory {
            source: HistorySource::Own,
            task: Some("repo".to_owned()),
            steps: vec![
                step("execute", text("!ls"), "a\n"),
                step("continue_wait", text(""), "b\n"),
                step(
                    "edit",
                    text("a.py\n<<<BEFORE_EDIT>>>\nx\n<<<AFTER_EDIT>>>\ny\"'\\"),
                    "done",
                ),
                refused,
                step("", text("```\n## not a heading\n```"), ""),
                step("submit", StepContent::Json("{\"a\": 1}".to_owned()), ""),
            ],
        };
        let made = notebook(&history);
        let cells = made["cells"].as_array().unwrap();
        let kinds: Vec<_> = cells
            .iter()
            .map(|cell| cell["cell_type"].as_str().unwrap())
            .collect();
        assert_eq!(
            kinds,
            ["markdown", "code", "code", "markdown", "markdown", "markdown"]
        );
        assert_eq!(cells[1]["outputs"].as_array().unwrap().len(), 2);
        assert!(
            cells[2]["source"]
                .as_str()
                .unwrap()
                .contains(r#"["x"], ["y\"'\\"]"#)
        );
        assert!(cells[4]["source"].as_str().unwrap().contains("````\n```\n## not"));
        assert!(cells[5]["source"].as_str().unwrap().contains("{\"a\": 1}"));
    }
    #[test]
    fn lines_that_were_edited_in_a_window_are_edited_again() {
        let text = |text: &str| StepContent::Text(text.to_owned());
        let mut open = step("open", text("open a.py"), "[File: ...]");
        open.file = Some("/workspace/work/repo/a.py".to_owned());
        let mut edit = step("edit_lines", text("edit 2:3\nx = \"1\"\nend_of_edit"), "edited");
        edit.file.clone_from(&open.file);
        let mut refused = edit.clone();
        refused.outcome = Some(CellOutcome::Failed);
        let history = NotebookHistory {
            source: HistorySource::Own,
            task: None,
            steps: vec![open, edit, refused],
        };
        let made = notebook(&history);
        let cells = made["cells"].as_array().unwrap();
        let kinds: Vec<_> = cells
            .iter()
            .map(|cell| cell["cell_type"].as_str().unwrap())
            .collect();
        assert_eq!(kinds, ["markdown", "code", "markdown", "code", "markdown"]);
        let source = cells[3]["source"].as_str().unwrap();
        assert!(source.contains("_begin / \"repo/a.py\""), "{source}");
        assert!(source.contains("_lines[1:3] = [\"x = \\\"1\\\"\"]"), "{source}");
    }
}
