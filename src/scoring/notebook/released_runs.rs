//! The published grader against the scores that are stored with released runs.
//!
//! The task files are not at hand. As the gold of a submission stands another task's of the same
//! repository that was scored as wholly right, never itself; as the script of a task, the one that
//! explains most stored values of its repository.

use std::collections::{BTreeMap, BTreeSet};

use serde::Deserialize;
use serde_json::Value;

use crate::need;
use crate::notebook::history::step::{NotebookStep, StepBy, StepContent};
use crate::scoring::released::capsule::value::PythonValue;
use crate::scoring::released::notebook::answer::{is_true, output_match};
use crate::scoring::released::notebook::entry_point::entry_point;

#[derive(Deserialize)]
struct ReleasedRuns {
    runs: BTreeMap<String, Vec<ReleasedRun>>,
}

#[derive(Deserialize)]
struct ReleasedRun {
    task_id: String,
    metrics: StoredMetrics,
    #[serde(default)]
    submission: Option<Value>,
    steps: Vec<ReleasedStep>,
}

#[derive(Deserialize)]
struct StoredMetrics {
    output_match: Option<f64>,
    entrypoint: Option<f64>,
}

#[derive(Deserialize)]
struct ReleasedStep {
    seconds: f64,
    traceback: bool,
    argparse_error: bool,
    python_m: bool,
    scripts: Vec<String>,
}

/// A run with what is made of it for the grader.
struct Attempt {
    task: String,
    family: String,
    stored_match: Option<f64>,
    stored_script: Option<f64>,
    submission: Option<PythonValue>,
    scripts: BTreeSet<String>,
    steps: Vec<ReleasedStep>,
}

fn attempts() -> Option<Vec<Attempt>> {
    let path = need::shared("data/super/react_super_runs.json")?;
    let released: ReleasedRuns = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    let mut attempts = Vec::new();
    for (folder, runs) in released.runs {
        let is_expert = folder.ends_with("expert");
        for run in runs {
            let family = match run.task_id.rsplit_once('_') {
                Some((family, _)) if !is_expert => family,
                _ => &run.task_id,
            };
            let submission = run
                .submission
                .map(|value| PythonValue::parse(&value.to_string()).unwrap());
            attempts.push(Attempt {
                family: family.to_owned(),
                stored_match: run.metrics.output_match,
                stored_script: run.metrics.entrypoint,
                submission: submission.filter(is_true),
                scripts: run
                    .steps
                    .iter()
                    .flat_map(|step| step.scripts.iter().cloned())
                    .collect(),
                task: run.task_id,
                steps: run.steps,
            });
        }
    }
    assert_eq!(attempts.len(), 189);
    Some(attempts)
}

#[test]
fn stored_scores_of_answers_follow_from_the_rules() {
    let Some(attempts) = attempts() else { return };
    let mut exact = 0;
    let mut others = Vec::new();
    for attempt in &attempts {
        let Some(submission) = &attempt.submission else {
            continue;
        };
        let is_proxy = |other: &&Attempt| {
            other.family == attempt.family && other.task != attempt.task && other.stored_match == Some(1.0)
        };
        let golds: Vec<_> = attempts
            .iter()
            .filter(is_proxy)
            .filter_map(|other| other.submission.as_ref())
            .collect();
        if golds.is_empty() {
            continue;
        }
        let scores: Vec<_> = golds
            .into_iter()
            .map(|gold| output_match(gold, submission).unwrap())
            .collect();
        match scores.iter().all(|score| Some(*score) == attempt.stored_match) {
            true => exact += 1,
            false => others.push((attempt.task.as_str(), attempt.stored_match, scores)),
        }
    }
    assert_eq!(exact, 74);
    // The first is held against the 38 keys of 70 that another run submitted; the second against a
    // value that lies between it and the gold, within 0.01 of both.
    assert_eq!(
        others,
        [
            ("safetybench_configuration,cpu", Some(1.0), vec![38.0 / 70.0]),
            ("transnormerllm_dependencies", Some(0.0), vec![1.0]),
        ]
    );
}

/// The steps of a run, with texts that say what is known of them to a grader that looks for `name`.
fn steps(attempt: &Attempt, name: &str) -> Vec<NotebookStep> {
    (attempt.steps.iter())
        .map(|step| {
            let command = if step.python_m { "python -m" } else { "" };
            let traceback = if step.traceback { "Traceback" } else { "" };
            let usage = if step.argparse_error {
                format!("{name}: error")
            } else {
                String::new()
            };
            NotebookStep {
                by: StepBy::Agent,
                action: Some("execute".to_owned()),
                content: Some(StepContent::Text(format!("{command} {}", step.scripts.join(" ")))),
                observation: format!("{traceback} {usage}"),
                seconds: Some(step.seconds),
                outcome: None,
                exit_code: None,
                file: None,
            }
        })
        .collect()
}

fn is_explained(attempt: &Attempt, name: &str) -> bool {
    entry_point(name, &steps(attempt, name)).unwrap() == attempt.stored_script
}

/// The name that explains most stored values of some runs: of several the first.
fn script<'a>(runs: &[&'a Attempt]) -> Option<&'a str> {
    let graded = |name: &&str| {
        [".py", ".sh", ".bash"]
            .iter()
            .any(|suffix| name.ends_with(suffix))
    };
    let names: BTreeSet<&str> = runs
        .iter()
        .flat_map(|run| run.scripts.iter().map(String::as_str))
        .filter(graded)
        .collect();
    let explained = |name: &str| runs.iter().filter(|run| is_explained(run, name)).count();
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        let count = explained(name);
        if best.is_none_or(|(most, _)| count > most) {
            best = Some((count, name));
        }
    }
    best.map(|(_, name)| name)
}

#[test]
fn stored_values_of_script_executed_follow_from_the_rules() {
    let Some(attempts) = attempts() else { return };
    let mut families: BTreeMap<&str, Vec<&Attempt>> = BTreeMap::new();
    for attempt in attempts.iter().filter(|attempt| attempt.stored_script.is_some()) {
        families.entry(&attempt.family).or_default().push(attempt);
    }
    let explains = |name: Option<&str>, attempt: &Attempt| match name {
        Some(name) => is_explained(attempt, name),
        None => attempt.stored_script == Some(0.0),
    };
    let (mut of, mut left_out) = (0, 0);
    let mut not_in_sample = Vec::new();
    for family in families.values() {
        let name = script(family);
        for attempt in family {
            of += 1;
            if !explains(name, attempt) {
                not_in_sample.push(attempt.task.as_str());
            }
            let others: Vec<&Attempt> = family
                .iter()
                .copied()
                .filter(|other| !std::ptr::eq(*other, *attempt))
                .collect();
            left_out += usize::from(explains(script(&others), attempt));
        }
    }
    assert_eq!(of, 183);
    // Another script of theirs was asked for, as far as can be told.
    assert_eq!(not_in_sample, ["amrbart", "curriculum_learning_configuration"]);
    assert!(left_out as f64 >= 0.88 * f64::from(of), "{left_out} of {of}");
}
