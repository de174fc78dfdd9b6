//! Task files in their layouts, and damaged ones.

use serde_json::json;

use super::*;
use crate::notebook::category::Category;
use crate::notebook::pre_cell::PreCellKind;
use crate::notebook::task_fault::NotebookTaskFault;
use crate::notebook::task_set::TaskSet;

const SECRET: &str = "73.25-secret";

fn expert() -> Value {
    json!({
        "task_id": "repo", "github_repo": "https://github.com/a/b", "git_commit": "0".repeat(40),
        "query": "Run it.", "query_components": {"e2e_task": "Run", "scenario_task": "", "report": "r", "instructions": "i"},
        "solution_dependencies": "pip 1", "pre_execute_cells": [], "answer": format!("{{\"loss\": \"{SECRET}\"}}"),
        "landmarks": [SECRET], "entrypoint": "train.py", "solution": {"cells": [SECRET]},
    })
}

fn with(mut record: Value, name: &str, value: Value) -> Value {
    record[name] = value;
    record
}

fn without(mut record: Value, names: &[&str]) -> Value {
    for name in names {
        record.as_object_mut().unwrap().remove(*name);
    }
    record
}

fn lines(records: &[Value]) -> String {
    records.iter().map(|record| format!("{record}\n")).collect()
}

fn parse(records: &[Value]) -> Result<NotebookTaskFile, NotebookTaskFileError> {
    NotebookTaskFile::parse("tasks.jsonl", &lines(records))
}

#[test]
fn every_set_of_every_layout_is_read() {
    let cell = |kind: &str, content: &str| json!({"type": kind, "content": content}).to_string();
    let masked = with(
        with(expert(), "task_id", json!("repo_configuration,cpu")),
        "pre_execute_cells",
        json!([cell("execute", "!ls"), cell("edit", "a.py\n<<<BEFORE_EDIT>>>\n")]),
    );
    let early_auto = with(
        with(
            with(
                with(expert(), "task_id", json!("auto")),
                "pre_execute_cells",
                json!([""]),
            ),
            "answer",
            json!(""),
        ),
        "landmarks",
        json!([]),
    );
    let early_auto = with(
        early_auto,
        "query_components",
        json!({"e2e_task": "Run", "scenario_task": "None", "report": "", "instructions": ""}),
    );
    let file = parse(&[expert(), masked, early_auto.clone()]).unwrap();
    assert_eq!(file.layout, TaskLayout::AllColumns);
    let sets: Vec<_> = file.tasks.iter().map(|task| task.set).collect();
    assert_eq!(sets, [TaskSet::Expert, TaskSet::Masked, TaskSet::Auto]);
    assert_eq!(file.tasks[1].category, Some(Category::Configuration));
    let kinds: Vec<_> = file.tasks[1].pre_cells.iter().map(|cell| cell.kind).collect();
    assert_eq!(kinds, [PreCellKind::Execute, PreCellKind::Edit]);
    assert_eq!(file.tasks[1].pre_cells[0].content, "!ls");
    assert!(file.tasks.iter().all(|task| task.faults.is_empty()));
    assert_eq!(file.tasks[2].gold.answer, None);

    let late_auto = without(
        early_auto,
        &[
            "solution_dependencies",
            "pre_execute_cells",
            "answer",
            "landmarks",
            "solution",
        ],
    );
    let file = parse(&[late_auto]).unwrap();
    assert_eq!(
        (file.layout, file.tasks[0].set),
        (TaskLayout::ColumnsOfSet, TaskSet::Auto)
    );
    assert_eq!(file.tasks[0].gold.entry_point.as_deref(), Some("train.py"));

    let mut first = without(expert(), &["query_components", "solution"]);
    for part in ["e2e_task", "scenario_task", "report", "instructions"] {
        first[format!("_{part}")] = json!(part);
    }
    let list = NotebookTaskFile::parse("tasks.json", &json!([first]).to_string()).unwrap();
    assert_eq!(list.layout, TaskLayout::Underscored);
    assert_eq!(list.tasks[0].parts.report.as_deref(), Some("report"));
    assert_eq!(list.tasks[0].set, TaskSet::Masked);
}

#[test]
fn faults_of_a_task_leave_the_others_and_are_named() {
    let broken = with(
        expert(),
        "pre_execute_cells",
        json!(["{", "[1]", json!({"type": "submit", "content": "x"}).to_string(), {"type": "execute"}]),
    );
    let broken = with(with(broken, "git_commit", json!("main")), "note", json!(SECRET));
    let file = parse(&[broken, with(expert(), "task_id", json!("other"))]).unwrap();
    let words: Vec<_> = file.tasks[0]
        .faults
        .iter()
        .map(NotebookTaskFault::words)
        .collect();
    assert_eq!(
        words,
        [
            "pre-executed cell 1 is a text that is no JSON",
            "pre-executed cell 2 is no object",
            "pre-executed cell 3 has a `type` that is neither `execute` nor `edit`",
            "pre-executed cell 4 has no `content` that is text",
            "its `git_commit` is no 40 hexadecimal digits",
            "the column `note` is in no published layout and is not read",
        ]
    );
    assert!(file.tasks[1].faults.is_empty());
}

#[test]
fn what_is_no_task_file_is_named_with_its_record_and_no_value_is_quoted() {
    let bad = |name: &str, value: Value| lines(&[with(expert(), name, value)]);
    let cases = [
        (String::new(), "holds none"),
        ("nothing".to_owned(), "neither lines of JSON nor a list"),
        (
            format!("{}{{\n", lines(&[expert()])),
            "record 2: it is no JSON on one line",
        ),
        (format!("[{}, 3]", expert()), "record 2: it is no object"),
        (
            lines(&[expert(), expert()]),
            "record 2 (repo): another task has the same",
        ),
        (bad("task_id", json!("")), "record 1: it has no `task_id`"),
        (
            bad("task_id", json!("../x")),
            "record 1: its `task_id` is no name",
        ),
        (bad("task_id", json!("x".repeat(201))), "more than 200 characters"),
        (
            bad("query", json!([SECRET])),
            "record 1 (repo): its `query` is no text",
        ),
        (bad("answer", json!({"a": SECRET})), "its `answer` is no text"),
        (bad("landmarks", json!([SECRET, 1])), "no list of texts"),
        (bad("landmarks", json!(SECRET)), "its `landmarks` is no list"),
        (
            bad("pre_execute_cells", json!(vec![""; 1001])),
            "no more than 1000",
        ),
        (bad("query_components", json!(SECRET)), "is no object"),
        (lines(&[without(expert(), &["query"])]), "it has no `query`"),
        (format!("{}{}", "[".repeat(100_000), SECRET), "recursion limit"),
    ];
    for (text, said) in cases {
        let error = NotebookTaskFile::parse("tasks.jsonl", &text)
            .unwrap_err()
            .to_string();
        assert!(
            error.starts_with("tasks.jsonl") && error.contains(said),
            "{error}"
        );
        assert!(!error.contains(SECRET), "{error}");
    }
    assert!(!format!("{:?}", parse(&[expert()]).unwrap()).contains(SECRET));
}
