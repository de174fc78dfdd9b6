use std::path::{Path, PathBuf};

use reprise::scoring::aggregate::grading::Gradings;
use reprise::scoring::aggregate::summary::Summary;
use reprise::scoring::aggregate::{compat, corrected};
use serde_json::Value;

use crate::shared::{files_named, released};

fn summaries(by: fn(&Gradings<'_>) -> Summary) -> Vec<(String, Summary, Value)> {
    let Some(root) = released() else {
        return Vec::new();
    };
    let results = root.join("results");
    let read = |path: &Path| std::fs::read(path).ok();
    let one = |path: PathBuf| {
        let folder = path.parent().unwrap();
        let files = ["extract", "design", "execute", "interpret"]
            .map(|stage| read(&folder.join(format!("{stage}_llm_eval.json"))));
        let [extract, design, execute, interpret] = files.each_ref().map(Option::as_deref);
        let summary = by(&Gradings {
            extract,
            design,
            execute,
            interpret,
            asked: None,
        });
        let name = folder.strip_prefix(&results).unwrap().display().to_string();
        (
            name,
            summary,
            serde_json::from_slice(&read(&path).unwrap()).unwrap(),
        )
    };
    files_named(&results, "eval_summary.json")
        .into_iter()
        .map(one)
        .collect()
}

#[test]
fn every_stored_summary_is_reproduced_or_named_stale() {
    let all = summaries(compat::summarise);
    if all.is_empty() {
        return;
    }
    assert_eq!(all.len(), 64);
    let mut stale = Vec::new();
    for (name, summary, stored) in &all {
        let differences = summary.differences(stored);
        if differences.is_empty() {
            let ours = summary.in_released_shape();
            assert_eq!(ours.as_object().unwrap().len(), stored.as_object().unwrap().len());
        } else {
            stale.push((name.as_str(), differences));
        }
    }
    let lacks = |interpret: &str| {
        format!("The stored summary has no `interpret`, which the gradings put at {interpret}.")
    };
    assert_eq!(
        stale,
        [
            ("python/2/gpt-5/evals/gpt-4o", vec![lacks("0.259")]),
            ("python/5/gpt-5/evals/gpt-4o", vec![lacks("0.820")]),
        ]
    );
}

#[test]
fn the_wrong_schema_is_the_only_problem_of_the_released_gradings() {
    let problems: Vec<_> = summaries(compat::summarise)
        .into_iter()
        .flat_map(|(name, summary, _)| {
            summary
                .problems
                .into_iter()
                .map(move |problem| (name.clone(), problem))
        })
        .collect();
    if released().is_some() {
        assert_eq!(problems.len(), 1, "{problems:?}");
        assert_eq!(problems[0].0, "python/2/gpt-5/evals/gpt-4o");
        assert!(problems[0].1.contains("another schema"));
    }
}

#[test]
fn corrections_say_what_they_change() {
    let plain = summaries(compat::summarise);
    let mended = summaries(corrected::summarise);
    let mut refused = 0;
    for ((name, plain, _), (_, mended, _)) in plain.iter().zip(&mended) {
        for stage in &plain.stages {
            let Some(ours) = mended.stage(&stage.stage) else {
                refused += 1;
                let is_named = mended
                    .problems
                    .iter()
                    .any(|problem| problem.contains("is not scored"));
                assert!(is_named, "{name} {}", stage.stage);
                continue;
            };
            let (Some(ours), Some(theirs)) = (ours.average, stage.average) else {
                panic!("{name} {}", stage.stage);
            };
            assert!((0.0..=1.0).contains(&ours));
            let is_explained = !mended.changes.is_empty() || !mended.problems.is_empty();
            assert!(
                (ours - theirs).abs() < 1e-12 || is_explained,
                "{name} {}",
                stage.stage
            );
        }
        for line in mended.problems.iter() {
            println!("{name}: {line}");
        }
    }
    println!("refused {refused}");
}
