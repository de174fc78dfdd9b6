//! The checkpoints over the ways in which an execution can end.

use reprise::domain::execution::Ending;
use reprise::scoring::checkpoints::checkpoint::Checkpoint;
use reprise::scoring::checkpoints::decide::decide;
use reprise::scoring::checkpoints::facts::{
    Build, CheckpointFacts, EntryFacts, EnvironmentFacts, OpenedFacts, OutputFacts,
};
use serde_json::json;

fn verdict(facts: &CheckpointFacts, checkpoint: Checkpoint) -> (Option<bool>, String) {
    let found = decide(facts)
        .into_iter()
        .find(|one| one.checkpoint == checkpoint)
        .unwrap();
    (found.passed, found.evidence)
}

fn entry(path: &str, ending: Option<Ending>) -> EntryFacts {
    EntryFacts {
        path: path.to_owned(),
        ending,
    }
}

fn printed(text: &str) -> Option<OutputFacts> {
    Some(OutputFacts {
        text: text.to_owned(),
        complete: true,
    })
}

#[test]
fn an_environment_that_was_never_tried_fails_only_where_nothing_is_declared() {
    let of = |image: Option<&str>, python: &[&str], r: &[&str]| {
        let owned = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        let facts = CheckpointFacts {
            environment: EnvironmentFacts {
                base_image: image.map(str::to_owned),
                python: owned(python),
                r: owned(r),
                ..EnvironmentFacts::default()
            },
            ..CheckpointFacts::default()
        };
        verdict(&facts, Checkpoint::BaseEnvironment)
    };
    assert_eq!(of(None, &[], &[]).0, Some(false));
    assert_eq!(of(Some("  "), &[], &[]).0, Some(false));
    let (passed, evidence) = of(Some("python:3.12"), &[], &[]);
    assert!(
        passed.is_none() && evidence.starts_with("`python:3.12` is declared"),
        "{evidence}"
    );
    assert_eq!(of(None, &["pandas"], &[]).0, None);
    assert_eq!(of(None, &[], &["lme4"]).0, None);
}

#[test]
fn a_script_that_did_not_end_well_fails_unless_others_are_to_blame() {
    let first = entry("a.py", Some(Ending::Exited(0)));
    for (ending, passed, words) in [
        (Some(Ending::Exited(0)), Some(true), "exit code 0 (2)"),
        (
            Some(Ending::Exited(3)),
            Some(false),
            "`b.py` ended with exit code 3",
        ),
        (
            Some(Ending::Signalled(11)),
            Some(false),
            "`b.py` was ended by signal 11",
        ),
        (Some(Ending::TimedOut), Some(false), "`b.py` did not end within"),
        (Some(Ending::OutOfMemory), Some(false), "`b.py` ran out of memory"),
        (Some(Ending::Cancelled), None, "`b.py` was cancelled"),
        (None, Some(false), "`b.py` never ran."),
    ] {
        let mut facts = CheckpointFacts {
            entries: vec![first.clone(), entry("b.py", ending)],
            ..CheckpointFacts::default()
        };
        let (found, evidence) = verdict(&facts, Checkpoint::CodeRan);
        assert!(
            found == passed && evidence.contains(words),
            "{ending:?}: {found:?} {evidence}"
        );
        facts.environment.build = Build::Infrastructure("no daemon".to_owned());
        let blamed = if ending.is_none() { None } else { passed };
        assert_eq!(verdict(&facts, Checkpoint::CodeRan).0, blamed, "{ending:?}");
    }
    let (passed, evidence) = verdict(&CheckpointFacts::default(), Checkpoint::CodeRan);
    assert!(
        passed == Some(false) && evidence.contains("names no script"),
        "{evidence}"
    );
}

#[test]
fn data_counts_as_read_where_a_script_that_ended_well_opened_it() {
    let ok = Some(Ending::Exited(0));
    let of = |planned: &[&str], opened: &[&str], complete: bool, endings: &[Option<Ending>]| {
        let facts = CheckpointFacts {
            planned_data: planned.iter().map(|path| (*path).to_owned()).collect(),
            opened: Some(OpenedFacts {
                files: opened.iter().map(|path| (*path).to_owned()).collect(),
                complete,
            }),
            entries: endings.iter().map(|ending| entry("a.py", *ending)).collect(),
            ..CheckpointFacts::default()
        };
        verdict(&facts, Checkpoint::DataLoaded)
    };
    for ((planned, opened, complete, endings), passed, words) in [
        (
            (&["d.csv"][..], &["d.csv"][..], true, &[ok][..]),
            Some(true),
            "read `d.csv`.",
        ),
        (
            (&["d.csv", "e.csv"], &["d.csv"], true, &[ok]),
            Some(true),
            "`d.csv`, and not `e.csv`",
        ),
        // One of several scripts that ran is enough.
        (
            (&["d.csv"], &["d.csv"], true, &[ok, None]),
            Some(true),
            "read `d.csv`.",
        ),
        (
            (&["d.csv"], &["d.csv"], true, &[Some(Ending::Exited(1)), ok]),
            Some(true),
            "read `d.csv`.",
        ),
        (
            (&["d.csv"], &["d.csv"], true, &[Some(Ending::Exited(1))]),
            None,
            "then failed",
        ),
        ((&["d.csv"], &[], true, &[ok]), Some(false), "opened no data file"),
        (
            (&["d.csv"], &["x.csv"], true, &[ok]),
            Some(false),
            "`x.csv` instead",
        ),
        ((&["d.csv"], &[], false, &[ok]), None, "may have gaps"),
        (
            (&[], &["x.csv"], true, &[ok]),
            None,
            "names no data file; the code opened 1",
        ),
        (
            (&["d.csv"], &["d.csv"], true, &[None]),
            Some(false),
            "No script ran",
        ),
    ] {
        let (found, evidence) = of(planned, opened, complete, endings);
        assert!(
            found == passed && evidence.contains(words),
            "{planned:?} {opened:?} {endings:?}: {found:?} {evidence}"
        );
    }
}

#[test]
fn a_plan_without_outputs_is_held_against_whatever_came_out() {
    let of = |outputs: &[(&str, u64)], output: Option<OutputFacts>| {
        let facts = CheckpointFacts {
            outputs: outputs
                .iter()
                .map(|(path, bytes)| ((*path).to_owned(), *bytes))
                .collect(),
            output,
            ..CheckpointFacts::default()
        };
        verdict(&facts, Checkpoint::OutputsWritten)
    };
    for (outputs, output, passed, words) in [
        (&[][..], None, None, "was not kept"),
        (&[], printed(" \n"), Some(false), "nothing was printed"),
        (&[("a.csv", 0)], printed(""), Some(false), "nothing was printed"),
        (&[], printed("b = 1"), Some(true), "results were printed"),
        (&[("a.csv", 1), ("b.csv", 0)], None, Some(true), "(1 files)"),
    ] {
        let (found, evidence) = of(outputs, output.clone());
        assert!(
            found == passed && evidence.contains(words),
            "{outputs:?} {output:?}: {found:?} {evidence}"
        );
    }
}

#[test]
fn a_failed_run_needs_no_findings_in_its_report_and_a_good_one_does() {
    let of = |code: i32, report: serde_json::Value| {
        let facts = CheckpointFacts {
            entries: vec![entry("a.py", Some(Ending::Exited(code)))],
            report: Some(report),
            output: printed("b = 0.41"),
            ..CheckpointFacts::default()
        };
        verdict(&facts, Checkpoint::ReportFilled)
    };
    let bare = json!({"execution_summary": "ended early", "code_executed": ["python a.py"]});
    let (passed, evidence) = of(1, bare.clone());
    assert!(
        passed == Some(true) && evidence.contains("did not succeed"),
        "{evidence}"
    );
    let (passed, evidence) = of(0, bare);
    let named = evidence.contains("`results.findings_summary` is empty");
    assert!(passed == Some(false) && named, "{evidence}");
    let (passed, evidence) = of(1, json!({"execution_summary": " ", "code_executed": 7}));
    let named = evidence.contains("`execution_summary` and `code_executed` are empty");
    assert!(passed == Some(false) && named, "{evidence}");
    let prose = json!({
        "execution_summary": "ran",
        "code_executed": ["python a.py"],
        "results": {"findings_summary": [{"value": "positive"}]},
    });
    let (passed, evidence) = of(0, prose);
    assert!(
        passed.is_none() && evidence.contains("no finding has a number"),
        "{evidence}"
    );
}
