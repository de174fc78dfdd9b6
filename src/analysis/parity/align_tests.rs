//! Tests of the alignment.

use std::collections::HashSet;

use proptest::prelude::*;

use super::*;
use crate::domain::finding::Finding;

fn finding(name: &str, estimate: f64) -> Reported {
    Reported::from_finding(Finding {
        name: name.to_owned(),
        estimate: Some(estimate),
        ..Finding::default()
    })
}

/// Pairs as names, with what they are based on.
fn pairs(
    first: &[Reported],
    second: &[Reported],
    focal: [Option<usize>; 2],
) -> Vec<(String, String, PairBasis)> {
    let name = |side: &[Reported], at: usize| side[at].finding.name.clone();
    align(first, second, focal)
        .pairs
        .iter()
        .map(|pair| (name(first, pair.first), name(second, pair.second), pair.by))
        .collect()
}

fn made(first: &str, second: &str, by: PairBasis) -> (String, String, PairBasis) {
    (first.to_owned(), second.to_owned(), by)
}

#[test]
fn names_pair_first_and_values_only_what_is_left() {
    let r = [
        finding("(Intercept)", -6.8478),
        finding("income", 0.001_361_17),
        finding("gender2", 1.25),
        finding("beta of prestige", 4.1372),
    ];
    let python = [
        finding("C(gender)[T.2]", 1.31),
        finding("x1", 4.137_18),
        finding("const", -6.8478),
        finding("Income", 0.002),
    ];
    assert_eq!(
        pairs(&r, &python, [None, None]),
        [
            made("(Intercept)", "const", PairBasis::Name),
            made("income", "Income", PairBasis::Name),
            made("gender2", "C(gender)[T.2]", PairBasis::Name),
            made("beta of prestige", "x1", PairBasis::Value),
        ]
    );
}

#[test]
fn what_could_be_several_stays_unpaired() {
    let first = [finding("a", 1.234_5), finding("b", 7.5)];
    let second = [
        finding("p", 1.234_5),
        finding("q", 1.234_6),
        finding("r", 1.234_46),
    ];
    let found = align(&first, &second, [None, None]);
    assert!(found.pairs.is_empty(), "{found:?}");
    assert_eq!(
        found.alone[0],
        [
            (0, UnpairedCause::SharedNumbers),
            (1, UnpairedCause::NoCounterpart)
        ]
    );
    // One name twice on a side: which is meant is not guessed, however near one is.
    let first = [finding("dose", 1.0)];
    let second = [finding("dose", 1.5), finding("Dose", 2.5), finding("other", 1.0)];
    assert_eq!(
        pairs(&first, &second, [None, None]),
        [made("dose", "dose", PairBasis::Name)]
    );
    let second = [finding("DOSE", 1.5), finding("Dose", 2.5), finding("other", 1.0)];
    let found = align(&first, &second, [None, None]);
    assert!(found.pairs.is_empty(), "{found:?}");
    assert_eq!(found.alone[0], [(0, UnpairedCause::SharedName)]);
}

#[test]
fn numbers_tell_two_findings_of_one_name_apart() {
    let first = [finding("dose", 1.942), finding("dose", 3.517)];
    let second = [finding("dose", 3.517), finding("dose", 1.942)];
    let found = align(&first, &second, [None, None]);
    let positions: Vec<_> = found.pairs.iter().map(|pair| (pair.first, pair.second)).collect();
    assert_eq!(positions, [(0, 1), (1, 0)]);
}

#[test]
fn a_name_that_the_other_side_has_is_never_paired_with_another() {
    // `age` of the second is unpaired for its shared name; the value of `height` must not take it.
    let first = [finding("height", 2.345_6)];
    let second = [
        finding("height", 9.0),
        finding("HEIGHT", 8.0),
        finding("age", 2.345_6),
    ];
    let found = align(&first, &second, [None, None]);
    assert_eq!(found.pairs.len(), 1);
    assert_eq!(found.pairs[0].second, 0, "the exact spelling is the one");
    let first = [finding("Height", 2.345_6)];
    assert!(align(&first, &second, [None, None]).pairs.is_empty());
}

#[test]
fn the_findings_of_the_verdicts_pair_by_their_role() {
    let first = [finding("slope of yield on rain", 1.1), finding("n", 2.0)];
    let second = [finding("beta_1", 1.9)];
    assert_eq!(
        pairs(&first, &second, [Some(0), Some(0)]),
        [made("slope of yield on rain", "beta_1", PairBasis::Role)]
    );
    // Not where a name says otherwise.
    let second = [finding("income", 1.9), finding("slope of yield on rain", 1.0)];
    assert_eq!(
        pairs(&first, &second, [Some(0), Some(0)]),
        [made(
            "slope of yield on rain",
            "slope of yield on rain",
            PairBasis::Name
        )]
    );
}

#[test]
fn blunt_numbers_and_contradictions_pair_nothing() {
    assert!(pairs(&[finding("a", 2.0)], &[finding("b", 2.0)], [None, None]).is_empty());
    assert!(pairs(&[finding("a", 0.12)], &[finding("b", 0.123)], [None, None]).is_empty());
    let with = |name: &str, error: f64, n: u64| {
        let mut one = finding(name, 0.12).finding;
        one.standard_error = Some(error);
        one.n = Some(n);
        Reported::from_finding(one)
    };
    assert_eq!(
        pairs(&[with("a", 0.031, 40)], &[with("b", 0.031, 40)], [None, None]).len(),
        1
    );
    assert!(pairs(&[with("a", 0.031, 40)], &[with("b", 0.031, 39)], [None, None]).is_empty());
    assert!(pairs(&[with("a", 0.031, 40)], &[with("b", 0.033, 40)], [None, None]).is_empty());
}

#[test]
fn ten_thousand_findings_are_aligned() {
    let name = |at: usize| format!("term {at}");
    let first: Vec<_> = (0..10_000)
        .map(|at| finding(&name(at), at as f64 + 0.5))
        .collect();
    let mut second = first.clone();
    second.reverse();
    assert_eq!(align(&first, &second, [None, None]).pairs.len(), 10_000);
    // The worst case for values: nothing but equal numbers under other names.
    let second: Vec<_> = (0..10_000)
        .map(|at| finding(&format!("other {at}"), 1.234_5))
        .collect();
    let first: Vec<_> = (0..10_000).map(|at| finding(&name(at), 1.234_5)).collect();
    let found = align(&first, &second, [None, None]);
    assert!(found.pairs.is_empty() && found.alone[0].len() == 10_000);
}

fn any_finding() -> impl Strategy<Value = Reported> {
    let number = prop_oneof![
        (-40_i32..40).prop_map(|n| f64::from(n) / 8.0 + 0.001),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(0.0),
        Just(-1e308),
        Just(5e-324),
    ];
    (
        "[abA:2 ]{0,3}",
        proptest::option::of(number.clone()),
        proptest::option::of(number),
        proptest::option::of(0_u64..4),
    )
        .prop_map(|(name, estimate, standard_error, n)| {
            Reported::from_finding(Finding {
                name,
                estimate,
                standard_error,
                n,
                ..Finding::default()
            })
        })
}

proptest! {
    #[test]
    fn each_finding_is_in_one_pair_or_alone(
        first in proptest::collection::vec(any_finding(), 0..12),
        second in proptest::collection::vec(any_finding(), 0..12),
        focal in (proptest::option::of(0_usize..14), proptest::option::of(0_usize..14)),
    ) {
        let found = align(&first, &second, [focal.0, focal.1]);
        for (side, len) in [(0, first.len()), (1, second.len())] {
            let at = |pair: &Pairing| if side == 0 { pair.first } else { pair.second };
            let mut seen: Vec<usize> = found.pairs.iter().map(at).collect();
            seen.extend(found.alone[side].iter().map(|(at, _)| *at));
            let distinct: HashSet<_> = seen.iter().copied().collect();
            prop_assert_eq!(seen.len(), len);
            prop_assert_eq!(distinct.len(), len);
        }
    }

    #[test]
    fn the_order_of_the_runs_and_of_their_findings_does_not_matter(
        first in proptest::collection::vec(any_finding(), 0..10),
        second in proptest::collection::vec(any_finding(), 0..10),
    ) {
        let forward: HashSet<_> = align(&first, &second, [None, None]).pairs.iter().map(|p| (p.first, p.second)).collect();
        let back: HashSet<_> = align(&second, &first, [None, None]).pairs.iter().map(|p| (p.second, p.first)).collect();
        prop_assert_eq!(&forward, &back);
        let mut turned = second.clone();
        turned.reverse();
        let again: HashSet<_> = align(&first, &turned, [None, None])
            .pairs
            .iter()
            .map(|p| (p.first, second.len() - 1 - p.second))
            .collect();
        prop_assert_eq!(&forward, &again);
    }
}
