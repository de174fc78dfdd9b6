//! Task files in their forms, encrypted ones too.

use super::*;

fn task(more: &str) -> String {
    format!(
        r#"{{"field": "Medicine", "language": "R", "capsule_title": "T", "capsule_id": "capsule-0000001",
        "task_prompt": "Run it.", "results": [{{"q": 0.10}}], "capsule_doi": "https://doi.org/10.1/x"{more}}}"#
    )
}

#[test]
fn the_form_is_found_from_the_content() {
    let original = TaskFile::parse("f", &format!("[{}]", task(""))).unwrap();
    assert_eq!(original.form, TaskFileForm::Original);
    assert_eq!(original.tasks[0].gold.json(), r#"[{"q": 0.10}]"#);
    let hal = TaskFile::parse("f", &format!("[{}]\n", task(", \"gpu\": true"))).unwrap();
    assert_eq!(hal.form, TaskFileForm::Hal);
    assert!(hal.tasks[0].needs_gpu);
    let croissant = r#"{"@type": "sc:Dataset", "recordSet": [{"data": [{"tasks/capsule_id": "capsule-0000002",
        "tasks/task_prompt": "Run it.", "tasks/expected_answer": "[{\"q\": 1}]", "tasks/other": 3}]}]}"#;
    let croissant = TaskFile::parse("f", croissant).unwrap();
    assert_eq!(croissant.form, TaskFileForm::Croissant);
    assert_eq!(croissant.tasks[0].gold.json(), r#"[{"q": 1}]"#);
}

#[test]
fn what_is_wrong_is_named_with_its_task_and_no_answer_is_quoted() {
    let secret = "73.25-secret";
    let cases = [
        ("[]".to_owned(), "holds none"),
        ("{\"a\": 1}".to_owned(), "recordSet"),
        ("nothing".to_owned(), "no JSON list"),
        (format!("[{}]", task(", \"note\": 1")), "unknown field `note`"),
        (
            format!("[{0},{0}]", task("")),
            "task 2 (capsule-0000001): another task has the same",
        ),
        (
            format!("[{}]", task("").replace("capsule-0000001", "capsule-1")),
            "task 1 (capsule-1): its `capsule_id`",
        ),
        (
            format!(
                "[{}]",
                task("").replace("\"Run it.\"", &format!("[\"{secret}\"]"))
            ),
            "a value is not a string",
        ),
        (
            format!("[{}]", task("").replace("\"capsule_doi\"", "\"doi\"")),
            "unknown field `doi`",
        ),
    ];
    for (text, said) in cases {
        let error = TaskFile::parse("tasks.json", &text).unwrap_err().to_string();
        assert!(error.starts_with("tasks.json") && error.contains(said), "{error}");
        assert!(!error.contains(secret), "{error}");
    }
    let file = TaskFile::parse("f", &format!("[{}]", task(""))).unwrap();
    assert!(!format!("{file:?}").contains("0.10"));
}

#[cfg(not(feature = "encrypted"))]
#[test]
fn an_encrypted_file_is_told_from_its_content_and_the_way_out_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("tasks.json");
    std::fs::write(&path, b"\x8c\x0d\x04\x09\x02").unwrap();
    let error = TaskFile::open(&path).unwrap_err().to_string();
    assert!(
        error.contains("tasks.json is encrypted") && error.contains("gpg -d"),
        "{error}"
    );
}

/// The questions of a kind that the published table counts: written and about figures.
#[cfg(feature = "encrypted")]
#[derive(Debug, Default, PartialEq, Eq)]
struct KindCount {
    written: usize,
    figures: usize,
}

/// The published test file, decrypted with its public passphrase (some seconds, by design).
#[cfg(feature = "encrypted")]
#[test]
fn the_published_test_file_has_the_tasks_and_questions_that_its_table_counts() {
    use std::collections::BTreeMap;

    use serde_json::{Map, Value};

    let Some(path) = crate::need::shared("data/core/core_test.json.gpg") else {
        return;
    };
    let file = TaskFile::open(&path).unwrap();
    assert_eq!(
        file.decrypted.unwrap().published(),
        Some("CORE-Bench's test file")
    );
    assert_eq!(file.form, TaskFileForm::Original);
    assert_eq!(file.tasks.len(), 45);
    let mut fields = BTreeMap::<&str, usize>::new();
    let mut languages = BTreeMap::<&str, usize>::new();
    let mut kinds = BTreeMap::<&str, KindCount>::new();
    let mut questions_of_tasks = BTreeMap::<usize, usize>::new();
    for task in &file.tasks {
        *fields.entry(&task.field).or_default() += 1;
        *languages.entry(&task.language).or_default() += 1;
        let runs: Vec<Map<String, Value>> = serde_json::from_str(task.gold.json()).unwrap();
        assert_eq!(runs.len(), 3);
        *questions_of_tasks.entry(runs[0].len()).or_default() += 1;
        for (question, answer) in &runs[0] {
            let kind = match answer {
                Value::Number(number) if number.is_f64() => "float",
                Value::Number(_) => "int",
                Value::String(_) => "text",
                _ => "list",
            };
            let count = kinds.entry(kind).or_default();
            match question.contains("fig") {
                true => count.figures += 1,
                false => count.written += 1,
            }
        }
    }
    let counts: Vec<_> = fields.into_values().collect();
    assert_eq!(counts, [18, 13, 14]);
    assert_eq!(languages, BTreeMap::from([("Python", 22), ("R", 23)]));
    assert_eq!(
        questions_of_tasks,
        BTreeMap::from([(1, 20), (2, 21), (3, 3), (8, 1)])
    );
    let kind = |written, figures| KindCount { written, figures };
    let table = [
        ("float", kind(33, 7)),
        ("int", kind(0, 10)),
        ("list", kind(0, 1)),
        ("text", kind(0, 28)),
    ];
    // No message of a failed comparison may show an answer: counts alone are compared.
    assert_eq!(kinds, BTreeMap::from(table));
}

#[cfg(feature = "encrypted")]
#[test]
fn another_passphrase_and_a_damaged_file_are_refused_alike() {
    let Some(path) = crate::need::shared("data/core/core_test.json.gpg") else {
        return;
    };
    let error = TaskFile::open_with(&path, &Passphrase::from_text("other")).unwrap_err();
    assert!(
        error.to_string().contains("`--passphrase-file` names another"),
        "{error}"
    );
    let folder = tempfile::tempdir().unwrap();
    let damaged = folder.path().join("damaged.gpg");
    let mut bytes = std::fs::read(&path).unwrap();
    let middle = bytes.len() / 2;
    bytes[middle] ^= 1;
    std::fs::write(&damaged, bytes).unwrap();
    let error = TaskFile::open(&damaged).unwrap_err();
    assert!(matches!(error, TaskFileError::Encrypted { .. }), "{error}");
}
