use std::path::PathBuf;

use super::*;
use crate::analysis::bench::details::CellDetails;

pub fn cell(task: &str, mode: &str, result: CellResult) -> BenchCell {
    BenchCell {
        cell: format!("{task}{mode}"),
        kind: TaskKind::Study,
        task: task.to_owned(),
        agent: "one".to_owned(),
        arm: [("code-mode".to_owned(), mode.to_owned())].into(),
        repeat: 1,
        attempt: 1,
        folder: PathBuf::new(),
        result,
        words: String::new(),
        score: None,
        tokens: 10,
        cost: None,
        seconds: Some(2.0),
        labelled: None,
        details: CellDetails::default(),
    }
}

#[test]
fn what_is_unscored_is_in_no_share() {
    let cells = [
        cell("a", "native", CellResult::Met),
        cell("b", "native", CellResult::Unmet),
        cell("c", "native", CellResult::Inconclusive),
        cell("d", "native", CellResult::Unscored),
    ];
    let [figures] = &by_agent(&cells)[..] else {
        panic!("one agent, one kind");
    };
    assert_eq!((figures.cells, figures.tasks, figures.unscored), (4, 4, 1));
    assert_eq!((figures.success.count.hits, figures.success.count.of), (2, 3));
    assert_eq!((figures.cost.known, figures.cost.blank), (0, 4));
    assert_eq!(figures.tokens.sum, Some(40.0));
}

#[test]
fn the_commonest_verdict_is_of_verdicts_alone() {
    assert_eq!(
        commonest_verdict(&[cell("a", "native", CellResult::Failed)]),
        None
    );
    let cells = [
        CellResult::Unmet,
        CellResult::Met,
        CellResult::Unmet,
        CellResult::Inconclusive,
        CellResult::Failed,
        CellResult::Unscored,
    ]
    .map(|result| cell("a", "native", result));
    let found = commonest_verdict(&cells).unwrap();
    assert_eq!(
        (found.verdict, found.share.count.hits, found.share.count.of),
        (CellResult::Unmet, 2, 4)
    );
    let even = commonest_verdict(&cells[..2]).unwrap();
    assert_eq!((even.verdict, even.share.count.hits), (CellResult::Met, 1));
}

#[test]
fn arms_are_compared_where_nothing_else_differs() {
    let mut cells = Vec::new();
    for task in ["a", "b", "c", "d", "e", "f"] {
        cells.push(cell(task, "native", CellResult::Met));
        cells.push(cell(task, "python", CellResult::Failed));
    }
    // The same both ways, not counted in one, and without a counterpart.
    cells.extend(["native", "python"].map(|mode| cell("same", mode, CellResult::Met)));
    cells.push(cell("open", "native", CellResult::Unscored));
    cells.push(cell("open", "python", CellResult::Met));
    cells.push(cell("alone", "native", CellResult::Met));
    let [pair] = &paired(&cells)[..] else {
        panic!("one setting of two values");
    };
    assert_eq!((pair.first.as_str(), pair.second.as_str()), ("native", "python"));
    assert_eq!(
        (pair.pairs, pair.only_first, pair.only_second, pair.changed),
        (7, 6, 0, 6)
    );
    // 2 / 2^6
    assert!((pair.p_value.unwrap() - 0.031_25).abs() < 1e-12, "{pair:?}");
}

#[test]
fn the_sign_test_is_exact() {
    assert_eq!(sign_test(0, 0), None);
    assert_eq!(sign_test(3, 3), Some(1.0));
    // R: binom.test(2, 10)$p.value
    assert!((sign_test(2, 8).unwrap() - 0.109_375).abs() < 1e-12);
    assert!((sign_test(8, 2).unwrap() - 0.109_375).abs() < 1e-12);
    let far = sign_test(0, 2_000).unwrap();
    assert!(far.is_finite() && far < 1e-300, "{far}");
}
