//! The released answers of ReplicatorBench against our types, counted.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::Value;
use walkdir::WalkDir;

use crate::catalog::artifacts::execution_results::ExecutionResults;
use crate::catalog::artifacts::interpret_results::InterpretResults;
use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::extraction;
use crate::catalog::normalise::{normalise, read};
use crate::catalog::schemas;
use crate::domain::claim::Claim;
use crate::domain::stage::Stage;
use crate::study::claim;

/// The released answers of one kind; `None` without the shared data.
fn released(file: &str) -> Option<Vec<(PathBuf, Value)>> {
    let root = crate::need::shared("data/replicatorbench")?;
    let mut found: Vec<_> = WalkDir::new(root)
        .into_iter()
        .filter_map(Result::ok)
        .filter(|entry| {
            let name = entry.file_name().to_string_lossy();
            name == file || (file == "expected" && name.starts_with("expected_post_registration"))
        })
        .filter_map(|entry| {
            let text = std::fs::read_to_string(entry.path()).ok()?;
            Some((entry.path().to_owned(), serde_json::from_str(&text).ok()?))
        })
        .collect();
    found.sort_by(|a, b| a.0.cmp(&b.0));
    assert!(!found.is_empty(), "no {file} in the shared data");
    Some(found)
}

#[test]
fn released_answers_are_accepted() {
    let mut refused = Vec::new();
    for (stage, file) in [
        (Stage::EXTRACT, "post_registration.json"),
        (Stage::EXTRACT, "expected"),
        (Stage::DESIGN, "replication_info.json"),
        (Stage::EXECUTE, "execution_results.json"),
        (Stage::INTERPRET, "interpret_results.json"),
    ] {
        let Some(files) = released(file) else { return };
        let total = files.len();
        let mut accepted = 0;
        let mut kinds: BTreeMap<String, usize> = BTreeMap::new();
        for (path, value) in files {
            match normalise(stage, value) {
                Ok((canonical, deviations)) => {
                    accepted += 1;
                    for deviation in deviations {
                        *kinds.entry(format!("{:?}", deviation.kind)).or_default() += 1;
                    }
                    let faults = crate::catalog::normalise::faults(schemas::for_stage(stage), &canonical);
                    assert_eq!(faults, [], "{} is not canonical", path.display());
                    let again = normalise(stage, canonical.clone()).unwrap().0;
                    assert_eq!(again, canonical, "{} changes when read again", path.display());
                }
                Err(faults) => {
                    println!("refused {}: {}", path.display(), faults[0]);
                    refused.push(path);
                }
            }
        }
        println!("{file}: {accepted} of {total} accepted; deviations {kinds:?}");
    }
    // The one refused file is a message to a person instead of an answer.
    let names: Vec<_> = refused
        .iter()
        .map(|path| path.to_string_lossy().into_owned())
        .collect();
    assert_eq!(names.len(), 1, "{names:#?}");
    assert!(names[0].ends_with("python/7/gpt-5-mini/input/execution_results.json"));
}

#[test]
fn findings_are_read_from_released_answers() {
    let Some(files) = released("post_registration.json") else {
        return;
    };
    let (mut all, mut estimates, mut intervals, mut p_values) = (0, 0, 0, 0);
    for (_, value) in files {
        let read: PostRegistration = read(Stage::EXTRACT, value).unwrap();
        for finding in read.original_findings() {
            all += 1;
            estimates += usize::from(finding.estimate.is_some());
            intervals += usize::from(finding.interval.is_some());
            p_values += usize::from(finding.p_value.is_some());
        }
    }
    println!("original: {all} findings, {estimates} estimates, {intervals} intervals, {p_values} p-values");
    let Some(files) = released("execution_results.json") else {
        return;
    };
    let (mut counted, mut read_intervals, mut read_p) = (0, 0, 0);
    for (path, value) in files {
        let Ok(read) = read::<ExecutionResults>(Stage::EXECUTE, value) else {
            continue;
        };
        for (finding, part) in read.findings().iter().zip(&read.results.findings_summary) {
            counted += 1;
            read_p += usize::from(finding.p_value.is_some());
            // Where an interval and its estimate are both read, they must agree.
            if let (Some(interval), Some(estimate)) = (finding.interval, finding.estimate) {
                read_intervals += 1;
                assert!(
                    interval.lower <= estimate && estimate <= interval.upper,
                    "{}: {part:?}",
                    path.display()
                );
            }
        }
    }
    println!("replication: {counted} findings, {read_intervals} intervals, {read_p} p-values");
    assert!(read_intervals > 0 && read_p > 0);
}

#[test]
fn plans_environments_and_conclusions_of_released_answers() {
    let Some(files) = released("replication_info.json") else {
        return;
    };
    let total = files.len();
    let (mut plans, mut environments) = (0, 0);
    for (path, value) in files {
        let info: ReplicationInfo = read(Stage::DESIGN, value).unwrap();
        match info.plan() {
            Ok(_) => plans += 1,
            Err(fault) => println!("{}: {fault}", path.display()),
        }
        match info.environment() {
            Ok(_) => environments += 1,
            Err(faults) => println!("{}: {}", path.display(), faults[0]),
        }
        println!("{:?}", info.ignored());
    }
    println!("of {total}: {plans} plans, {environments} environments");
    let Some(files) = released("interpret_results.json") else {
        return;
    };
    for (path, value) in files {
        let results: InterpretResults = read(Stage::INTERPRET, value).unwrap();
        let answer = &results.results_comparison.overall_answer;
        assert!(results.conclusion().is_some(), "{}: {answer}", path.display());
    }
}

/// The study's folder that an answer lies below, with its claim.
fn claim_of(path: &Path) -> Option<Claim> {
    let number = path
        .components()
        .filter_map(|part| part.as_os_str().to_str())
        .find(|part| part.parse::<u32>().is_ok())?;
    let root = path
        .ancestors()
        .find(|folder| folder.ends_with("replicatorbench"))?;
    let details = root
        .join("original")
        .join(number)
        .join("input/initial_details.txt");
    let read = claim::read(&std::fs::read(details).ok()?).ok()?;
    Some(read.claim)
}

#[test]
fn references_are_not_sent_back() {
    let mut counts = BTreeMap::new();
    for file in ["expected", "post_registration.json"] {
        let Some(files) = released(file) else { return };
        let (mut all, mut exempt, mut objected) = (0, 0, Vec::new());
        for (path, value) in files {
            let (Some(claim), Ok((answer, _))) = (claim_of(&path), normalise(Stage::EXTRACT, value)) else {
                continue;
            };
            all += 1;
            let review = extraction::review(&claim, &answer);
            exempt += usize::from(review.notes.iter().any(|note| note.contains("states no figure")));
            objected.extend(
                review
                    .objection
                    .map(|words| format!("{}: {words}", path.display())),
            );
        }
        println!(
            "{file}: {all} extractions, {exempt} of claims without figures, {} objected to",
            objected.len()
        );
        objected.iter().for_each(|words| println!("  {words}"));
        counts.insert(file, (all, exempt, objected.len()));
    }
    println!("{counts:?}");
    // People's references hold their claims' figures.
    let (all, _, objected) = counts["expected"];
    assert!(all > 0 && objected * 5 <= all, "{counts:?}");
}
