//! Verdicts against labels, beside what no verdict needs.

use reprise::scoring::outcome::{Label, OutcomeScore, RunVerdict, score};
use reprise::statistics::proportion::Proportion;

fn times(label: Label, said: RunVerdict, count: usize) -> impl Iterator<Item = (Label, RunVerdict)> {
    std::iter::repeat_n((label, said), count)
}

/// One run a study.
fn score_studies(all: impl Iterator<Item = (Label, RunVerdict)>) -> OutcomeScore {
    let named: Vec<_> = all
        .enumerate()
        .map(|(study, (label, said))| (study.to_string(), label, said))
        .collect();
    score(
        named
            .iter()
            .map(|(study, label, said)| (study.as_str(), *label, *said)),
    )
}

#[test]
fn every_cell_of_the_table_stands_in_its_own_figures() {
    let all = times(Label::Met, RunVerdict::Met, 5)
        .chain(times(Label::Met, RunVerdict::Unmet, 2))
        .chain(times(Label::Met, RunVerdict::Mixed, 1))
        .chain(times(Label::Unmet, RunVerdict::Met, 3))
        .chain(times(Label::Unmet, RunVerdict::Unmet, 4))
        .chain(times(Label::Unmet, RunVerdict::Undecided, 1));
    let found = score_studies(all);
    let shown = [found.accuracy, found.decided_accuracy, found.most].map(|one| one.to_string());
    assert_eq!(shown, ["9/16", "9/14", "10/16"]);
    // Of the two labels: precision 5/9 and 4/7, recall 5/8 and 4/8, F1 10/17 and 8/15.
    let average = found.macro_average;
    for (figure, expected) in [
        (average.precision, (5.0 / 9.0 + 4.0 / 7.0) / 2.0),
        (average.recall, (5.0 / 8.0 + 4.0 / 8.0) / 2.0),
        (average.f1, (10.0 / 17.0 + 8.0 / 15.0) / 2.0),
    ] {
        assert!((figure - expected).abs() < 1e-12, "{figure}, not {expected}");
    }
}

#[test]
fn the_trivial_answer_is_the_commoner_label_and_met_of_equals() {
    let labels = |met, unmet| {
        let all =
            times(Label::Met, RunVerdict::Undecided, met).chain(times(Label::Unmet, RunVerdict::Met, unmet));
        score_studies(all).baseline.unwrap()
    };
    let baseline = labels(14, 5);
    assert_eq!(
        (baseline.answer, baseline.accuracy.to_string()),
        (Label::Met, "14/19".into())
    );
    // All taken for met: F1 28/33 of the one label and 0 of the other.
    assert!(
        (baseline.macro_f1 - 14.0 / 33.0).abs() < 1e-12,
        "{}",
        baseline.macro_f1
    );
    assert_eq!(labels(2, 2).answer, Label::Met);
    assert_eq!(labels(0, 1).accuracy.to_string(), "1/1");
}

#[test]
fn one_of_one_is_a_share_with_an_interval_of_its_level() {
    let one = Proportion { hits: 1, of: 1 };
    assert_eq!(one.share(), Some(1.0));
    let interval = one.wilson().unwrap();
    assert_eq!((interval.upper, interval.level), (1.0, 0.95));
    assert_eq!((interval.lower * 1000.0).round(), 207.0);
}
