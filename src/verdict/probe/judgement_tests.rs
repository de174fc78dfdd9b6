//! Tests of the judgement where some files could not be changed, or none.

use super::case::{Case, FocalColumn, Part};
use super::judgement::{Judgement, judge};
use super::planned::{OutcomeColumn, PlannedReruns};
use crate::domain::digest::Digest;
use crate::domain::execution::Ending;
use crate::domain::finding::Finding;
use crate::domain::probe::{Giveaway, ProbeEnd, ProbeKind, ProbeRun, ProbeVerdict, Trial};

fn finding(estimate: f64) -> Finding {
    Finding {
        name: "x".into(),
        estimate: Some(estimate),
        standard_error: Some(1.0),
        n: Some(200),
        ..Finding::default()
    }
}

fn case(column: FocalColumn) -> Case {
    Case {
        focal: finding(5.0),
        null: 0.0,
        numbers: Digest::compute("5"),
        column,
        literal: None,
        planned: PlannedReruns {
            outcome: Some(OutcomeColumn {
                name: "y".into(),
                sure: true,
            }),
            ..PlannedReruns::default()
        },
        further: Vec::new(),
        groups: Vec::new(),
        level: None,
    }
}

fn run(kind: ProbeKind, repetition: u32, estimate: Option<f64>) -> ProbeRun {
    ProbeRun {
        trial: Trial { kind, repetition },
        seed: 1,
        ended: match estimate {
            Some(_) => ProbeEnd::Ran,
            None => ProbeEnd::Failed {
                ending: Ending::Exited(1),
            },
        },
        focal: estimate.map(finding),
        further: Vec::new(),
        numbers: estimate.map(|estimate| Digest::compute(estimate.to_string())),
        dropped: (kind == ProbeKind::Dropped).then_some(0.1),
        rows: (kind == ProbeKind::Dropped).then_some(200),
        data: None,
        unwritten: Vec::new(),
        wall_ms: 1,
    }
}

fn runs(kind: ProbeKind, estimates: &[f64]) -> Vec<ProbeRun> {
    let counted = (1..).zip(estimates);
    counted
        .map(|(repetition, estimate)| run(kind, repetition, Some(*estimate)))
        .collect()
}

fn not_made(kind: ProbeKind) -> Vec<ProbeRun> {
    let ended = ProbeEnd::NotMade {
        why: "nothing writes it".to_owned(),
        cause: None,
    };
    vec![ProbeRun {
        ended,
        focal: None,
        ..run(kind, 1, None)
    }]
}

/// Runs with fewer rows in which a file stayed as it was.
fn partly(runs: Vec<ProbeRun>) -> Vec<ProbeRun> {
    let left = |run| ProbeRun {
        unwritten: vec!["replication_data/data.sas7bdat".parse().unwrap()],
        ..run
    };
    runs.into_iter().map(left).collect()
}

/// The verdict on these runs and one that fails without the data.
fn judged(column: FocalColumn, kinds: &[Vec<ProbeRun>]) -> Judgement {
    let mut all = vec![run(ProbeKind::Without, 1, None)];
    all.extend(kinds.concat());
    judge(&case(column), &all)
}

fn likely() -> FocalColumn {
    FocalColumn::Likely("x".into())
}

fn absent() -> FocalColumn {
    FocalColumn::Absent("no opened data file has it".into())
}

const SAME: [f64; 3] = [5.0; 3];

#[test]
fn without_the_data_decides_alone_where_nothing_could_be_changed() {
    let none = [not_made(ProbeKind::Dropped), not_made(ProbeKind::Permuted)];
    assert_eq!(judged(likely(), &none).verdict, ProbeVerdict::FromData);
    let undecided = judged(likely(), &[]).verdict;
    assert!(
        matches!(undecided, ProbeVerdict::Undecided { .. }),
        "{undecided:?}"
    );
    let permuted = [not_made(ProbeKind::Dropped), runs(ProbeKind::Permuted, &SAME)];
    let undecided = judged(likely(), &permuted).verdict;
    assert!(
        matches!(undecided, ProbeVerdict::Undecided { .. }),
        "{undecided:?}"
    );
}

#[test]
fn what_neither_predictor_nor_outcome_moves_is_not_said_to_come_from_the_data() {
    let with = |permuted: &[f64]| {
        let kinds = [
            not_made(ProbeKind::Dropped),
            runs(ProbeKind::Permuted, permuted),
            runs(ProbeKind::Outcome, &SAME),
        ];
        judged(likely(), &kinds).verdict
    };
    let words = "with `x` permuted in 3 runs and `y` in 3 every figure of the focal result stays exactly";
    let same = with(&SAME);
    assert!(
        matches!(&same, ProbeVerdict::Undecided { why } if why.starts_with(words)),
        "{same:?}"
    );
    assert_eq!(with(&[0.4, -0.3, 0.2]), ProbeVerdict::FromData, "it scatters");
    let near = with(&[5.0, 5.0, 4.9]);
    assert!(!near.detail().contains("every figure"), "{near:?}");
}

#[test]
fn rows_that_stay_tell_nothing_while_a_file_that_may_hold_them_was_not_written() {
    let dropped = || runs(ProbeKind::Dropped, &[5.0; 4]);
    let whole = judged(absent(), &[dropped()]).verdict;
    let by_rows = matches!(
        whole,
        ProbeVerdict::NotFromData {
            by: Giveaway::Dropped,
            ..
        }
    );
    assert!(by_rows, "{whole:?}");
    let part = judged(absent(), &[partly(dropped())]).verdict;
    assert!(
        matches!(&part, ProbeVerdict::Undecided { why } if why.contains("data.sas7bdat")),
        "{part:?}"
    );
}

#[test]
fn a_jump_by_the_rows_of_a_small_file_beside_is_none() {
    let dropped = || runs(ProbeKind::Dropped, &[25.0, -20.0]);
    let whole = judged(absent(), &[dropped()]).verdict;
    assert!(matches!(whole, ProbeVerdict::Unstable { .. }), "{whole:?}");
    let part = judged(absent(), &[partly(dropped())]).verdict;
    assert!(matches!(part, ProbeVerdict::Undecided { .. }), "{part:?}");
}

#[test]
fn rows_that_move_the_result_tell_whatever_was_not_written() {
    let judged = judged(absent(), &[partly(runs(ProbeKind::Dropped, &[5.3, 4.8]))]);
    assert_eq!(judged.verdict, ProbeVerdict::FromData);
    let note = "no library here writes replication_data/data.sas7bdat";
    assert!(
        judged.notes.iter().any(|one| one.contains(note)),
        "{:?}",
        judged.notes
    );
}

#[test]
fn a_further_result_that_stays_may_be_that_of_the_file_that_was_not_written() {
    let beside = Part {
        finding: finding(3.0),
        literal: None,
    };
    let case = Case {
        further: vec![beside],
        ..case(absent())
    };
    let moving = runs(ProbeKind::Dropped, &[5.3, 4.8, 5.2, 4.9]).into_iter();
    let whole: Vec<ProbeRun> = moving
        .map(|run| ProbeRun {
            further: vec![Some(finding(3.0))],
            ..run
        })
        .collect();
    assert!(
        judge(&case, &whole)
            .verdict
            .detail()
            .contains("the result of `x` stays")
    );
    assert_eq!(judge(&case, &partly(whole)).verdict, ProbeVerdict::FromData);
}

#[test]
fn a_permuted_focal_column_tells_where_fewer_rows_do_not() {
    let kinds = [
        partly(runs(ProbeKind::Dropped, &SAME)),
        runs(ProbeKind::Permuted, &SAME),
    ];
    let verdict = judged(FocalColumn::Named("x".into()), &kinds).verdict;
    let by_column = matches!(
        verdict,
        ProbeVerdict::NotFromData {
            by: Giveaway::Permuted,
            ..
        }
    );
    assert!(by_column, "{verdict:?}");
}
