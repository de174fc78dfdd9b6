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
        study: Vec::new(),
        gone: false,
        labelled: None,
        judged: None,
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

/// Two studies under two arms are two tasks, in shares and over repeats.
#[test]
fn a_task_under_several_arms_is_one_task() {
    let mut cells = Vec::new();
    for repeat in 1..=2 {
        for (task, mode) in [("a", "native"), ("a", "python"), ("b", "native"), ("b", "python")] {
            cells.push(BenchCell {
                repeat,
                ..cell(task, mode, CellResult::Met)
            });
        }
    }
    let [figures] = &by_agent(&cells)[..] else {
        panic!("one agent, one kind");
    };
    let over_repeats = figures.reliability.as_ref().unwrap().pass_at_1.tasks;
    assert_eq!((figures.tasks, over_repeats, figures.passes[1].tasks), (2, 2, 2));
}

/// Four claims of two studies: what is repeated is two clusters, and as wide as two.
#[test]
fn claims_of_one_study_are_one_cluster() {
    let mut cells = Vec::new();
    for repeat in 1..=2 {
        for (task, mark) in [("a", "doi:1"), ("b", "doi:1"), ("c", "doi:2"), ("d", "doi:2")] {
            cells.push(BenchCell {
                repeat,
                study: vec![mark.to_owned()],
                ..cell(task, "native", CellResult::Met)
            });
        }
    }
    let [figures] = &by_agent(&cells)[..] else {
        panic!("one agent, one kind");
    };
    assert_eq!((figures.cells, figures.tasks, figures.clusters), (8, 4, 2));
    assert_eq!(
        figures.success.interval,
        CountedShare::count([true, true]).interval
    );
    let over_repeats = figures.reliability.as_ref().unwrap().pass_at_1.tasks;
    assert_eq!((over_repeats, figures.passes[1].tasks), (2, 2));
    assert_eq!(
        figures.passes[1].all_interval,
        CountedShare::count([true, true]).interval
    );
}

/// An agent of which every cell is left out has a line all the same, with no cell in it.
#[test]
fn who_is_left_out_whole_still_has_figures() {
    let other = |task: &str| BenchCell {
        agent: "other".to_owned(),
        ..cell(task, "native", CellResult::Unmet)
    };
    let cells = [cell("a", "native", CellResult::Met), other("b"), other("c")];
    let all = by_agent(&cells);
    let fewer = of_same(&all, Some(&cells[1..2]), by_agent);
    let told: Vec<(&str, usize, u64)> = fewer
        .iter()
        .map(|one| (one.name.as_str(), one.cells, one.success.count.of))
        .collect();
    assert_eq!(told, [("one", 0, 0), ("other", 1, 1)]);
    let none = fewer[0].clone();
    assert!(none.success.share().is_none() && none.reliability.is_none() && none.passes.is_empty());
    assert_eq!(all[0].of_fewer(&fewer).map(|one| one.cells), Some(0));
    assert!(of_same(&all, None, by_agent).is_empty());
}
