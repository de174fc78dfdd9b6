use std::path::{Path, PathBuf};

use reprise::scoring::aggregate::grading::Gradings;
use reprise::scoring::aggregate::summary::Summary;
use reprise::scoring::aggregate::{corrected, published};
use reprise::scoring::released::eval_summary;
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
    let all = summaries(published::summarise);
    if all.is_empty() {
        return;
    }
    assert_eq!(all.len(), 64);
    let mut stale = Vec::new();
    for (name, summary, stored) in &all {
        let differences = eval_summary::differences(summary, stored);
        if differences.is_empty() {
            let ours = eval_summary::in_released_shape(summary);
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
fn the_released_arithmetic_has_one_file_of_another_schema_and_names_what_no_schema_has() {
    if released().is_none() {
        return;
    }
    let mut strange = 0;
    for (name, summary, _) in summaries(published::summarise) {
        for problem in summary.problems {
            if problem.contains("the schema does not have") {
                assert!(problem.starts_with("`design_llm_eval.json`"), "{name}: {problem}");
                strange += 1;
            } else {
                assert_eq!(name, "python/2/gpt-5/evals/gpt-4o");
                assert!(problem.contains("another schema"), "{problem}");
            }
        }
    }
    // Counted apart from this program, as are the refusals below.
    assert_eq!(strange, 16);
}

/// The stage of a released file that is refused, with why it is.
fn refusals(stage: &str) -> Vec<(String, String)> {
    let file = format!("`{stage}_llm_eval.json`");
    let all = summaries(corrected::summarise).into_iter();
    all.flat_map(|(name, summary, _)| {
        let refused = (summary.problems.into_iter())
            .filter(|problem| problem.starts_with(&file) && problem.ends_with("is not scored."));
        let name = name.trim_start_matches("python/").replace("/evals/", " by ");
        refused.map(|problem| (name.clone(), problem)).collect::<Vec<_>>()
    })
    .collect()
}

#[test]
fn released_files_are_refused_for_fields_that_they_lack() {
    if released().is_none() {
        return;
    }
    let named = |stage: &str, words: &[&str]| {
        let found = refusals(stage);
        let names: Vec<_> = found.iter().map(|(name, _)| name.clone()).collect();
        for ((_, problem), words) in found.iter().zip(words) {
            assert!(problem.contains(words), "{problem}");
        }
        names
    };
    let two = "lacks 2 fields, `claim.hypotheses_location`, `claim.statement_location`";
    assert_eq!(
        named("extract", &[two, "lacks 1 field, `method.tools_software`"]),
        ["2/gpt-4o by gpt-4o", "4/gpt-5-mini by gpt-5"]
    );
    assert_eq!(
        named("interpret", &["has no item of `replication_report`"]),
        ["3/o3 by gpt-4o"]
    );
    assert_eq!(
        named("execute", &["has no checkpoint `1.1.1`"]),
        ["2/gpt-5 by gpt-4o"]
    );
    let design = refusals("design");
    let by = |judge: &str| design.iter().filter(|(name, _)| name.ends_with(judge)).count();
    assert_eq!((by("by gpt-4o"), by("by gpt-5")), (24, 8));
    let whole_aspects = design
        .iter()
        .filter(|(_, problem)| problem.contains("has no item of"));
    assert_eq!(whole_aspects.count(), 18);
    // These answers of the agent have the fields; the judge left them out.
    for (name, lacks) in [
        ("3/gpt-4o by gpt-4o", "1 field, `data_plan.dataset_identifier`"),
        (
            "5/gpt-5-mini by gpt-5",
            "1 field, `docker_specs.hardware.min_gpu_memory_gb`",
        ),
        (
            "7/o3 by gpt-5",
            "2 fields, `docker_specs.hardware.min_gpu_memory_gb`, `docker_specs.hardware.min_ram_gb`",
        ),
    ] {
        let found = design.iter().find(|(known, _)| known == name);
        assert!(
            found.is_some_and(|(_, problem)| problem.contains(lacks)),
            "{name}: {found:?}"
        );
    }
}

#[test]
fn corrections_say_what_they_change() {
    let plain = summaries(published::summarise);
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
    }
    if !plain.is_empty() {
        // 32 designs, two extractions and one interpretation.
        assert_eq!(refused, 35);
    }
}
