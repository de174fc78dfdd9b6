//! The replications of the SCORE project as an oracle: 133 claims with both
//! sides' statistics and the project's own decisions, recomputed here.
//!
//! `REPRISE_SHARED=/work/shared cargo test --test scoring score:: -- --nocapture` prints
//! the tables; `docs/score.md` has them.

mod claims;
mod columns;
mod reproductions;
mod rules;
mod signs;
mod table;

use reprise::domain::rule::Rule;
use reprise::domain::study_kind::StudyKind;
use reprise::statistics::power::{TestLevel, t_test, z_test};
use reprise::verdict::criteria::assess::apply;
use reprise::verdict::criteria::study::StudyPair;

use claims::{Claim, Side};
use columns::COLUMNS;
use table::Agreement;

fn head(title: &str) {
    println!("\n{title:<44} SCORE  ours equal  differing or left open");
}

fn score(name: &str) -> impl Fn(&Claim) -> Option<bool> {
    let column = format!("repli_binary_{name}");
    move |claim| claim.flag(&column)
}

/// Claims decided by SCORE, by us, and both alike. Where we decide more, the
/// degrees of freedom that SCORE lacked follow from the statistic and the
/// correlation.
const EXPECTED: [(&str, [usize; 3]); 12] = [
    ("analyst", [125, 125, 125]),
    ("orig_wthn", [119, 119, 119]),
    ("rep_wthn", [119, 119, 119]),
    ("meta_success", [107, 115, 107]),
    ("wthn_pi", [107, 115, 107]),
    ("sum_p", [102, 102, 102]),
    ("telescopes", [118, 118, 118]),
    ("bayes_rep", [107, 115, 107]),
    ("bma_result", [107, 115, 107]),
    ("skep_p", [97, 97, 97]),
    ("correspondence", [70, 78, 70]),
    ("bf_result", [116, 116, 116]),
];

#[test]
fn every_decision_of_the_project_is_recomputed() {
    let Some(claims) = claims::read() else { return };
    assert_eq!(claims.len(), 133);
    head("column");
    for (column, (name, counts)) in COLUMNS.iter().zip(EXPECTED) {
        let found = Agreement::count(&claims, score(column.name), column.decide);
        found.print(column.name);
        assert_eq!((column.name, found.counts()), (name, counts));
        assert_eq!(found.differing, [""; 0], "{name}");
    }
}

#[test]
fn the_published_limit_and_the_rounded_one_part_no_claims() {
    let Some(claims) = claims::read() else { return };
    let sums = claims.iter().filter_map(|claim| {
        let [original, replication] = claim.p_values()?;
        Some((original + replication) / 2.0)
    });
    let limit = reprise::statistics::sum_of_p::limit(0.025);
    let between = sums.filter(|sum| (0.035..limit).contains(sum)).count();
    assert!(limit > 0.035 && between == 0, "{between} below {limit}");
}

#[test]
fn the_effective_size_of_the_original_decides_one_claim() {
    let Some(claims) = claims::read() else { return };
    let claim = claims
        .iter()
        .find(|claim| claim.id() == "zmYY_single-trace")
        .unwrap();
    let original = claim.original();
    let reported = Side {
        freedom: original.n,
        ..original
    };
    let pooled = |original: &Side| {
        let pair = StudyPair::new(original.study().unwrap(), claim.replication().study().unwrap());
        apply(Rule::MetaAnalytic, &pair).decision
    };
    assert_eq!(score("meta_success")(claim), Some(true));
    assert_eq!(
        [pooled(&claim.original()), pooled(&reported)],
        [Some(true), Some(false)]
    );
}

/// The claims on which the golden sceptical p-value, as published, says no, and
/// the project yes: the project rescales twice, the p-value and its level.
const RESCALED_TWICE: [&str; 7] = [
    "5XEE_single-trace",
    "9OK1_ppwpjr",
    "j2yd_single-trace",
    "JRpA_6ryjx7",
    "JWzJ_single-trace",
    "OeGv_8vrpd2",
    "q8xv_22jnnj",
];

#[test]
fn the_sceptical_p_as_published_differs_where_the_project_rescales_twice() {
    let Some(claims) = claims::read() else { return };
    let found = Agreement::count(&claims, score("skep_p"), columns::sceptical_p_as_published);
    head("sceptical p");
    found.print("skep_p against .05");
    assert_eq!(found.counts(), [97, 97, 90]);
    assert_eq!(found.differing, RESCALED_TWICE);
    for claim in claims.iter().filter(|claim| RESCALED_TWICE.contains(&claim.id())) {
        let p = columns::golden_p(claim).unwrap();
        println!("  {} golden p {p:.4}", claim.id());
        assert!((0.05..0.1234).contains(&p), "{}: {p}", claim.id());
    }
}

#[test]
fn intervals_of_correlations_follow_from_the_statistics() {
    let Some(claims) = claims::read() else { return };
    let close = |side: &Side, within: f64| {
        let (computed, given) = (side.interval_of_statistic()?, side.interval?);
        let apart = (computed.lower - given.lower)
            .abs()
            .max((computed.upper - given.upper).abs());
        Some(apart < within)
    };
    head("bounds from t or z alone");
    let bounds = |name: &str, of: fn(&Claim) -> Side| {
        let found = Agreement::count(
            &claims,
            |claim| close(&of(claim), f64::INFINITY),
            |claim| close(&of(claim), 1e-5),
        );
        found.print(name);
        found.counts()
    };
    let found = [
        bounds("original's", Claim::original),
        bounds("replication's", Claim::replication),
    ];
    assert_eq!(found, BOUNDS);
    let decisions = |name: &str, decide: fn(&Claim) -> Option<bool>| {
        let found = Agreement::count(
            &claims,
            |claim| decide(claim).and_then(|_| score(name)(claim)),
            decide,
        );
        found.print(name);
        (found.counts(), found.differing)
    };
    let (original, replication) = (
        decisions("orig_wthn", columns::original_within_computed),
        decisions("rep_wthn", columns::replication_within_computed),
    );
    assert_eq!([original.0, replication.0], BY_COMPUTED_BOUNDS);
    assert_eq!([original.1, replication.1].concat(), [""; 0]);
}

/// Bounds given and computed, and equal to 1e-5, original's and replication's.
/// The others were not taken from the statistic that is reported.
const BOUNDS: [[usize; 3]; 2] = [[98, 98, 89], [101, 101, 90]];
/// What is decided by computed bounds, each like the project.
const BY_COMPUTED_BOUNDS: [[usize; 3]; 2] = [[96, 96, 96], [98, 98, 98]];

#[test]
fn power_for_half_the_effect_follows_from_the_statistic() {
    let Some(claims) = claims::read() else { return };
    let level = TestLevel::CONVENTIONAL;
    let of = |claim: &Claim| {
        let half = claim.original().value? / 2.0;
        match claim.text("orig_stat_type_for_repli")? {
            "ser" => Some(z_test(half, level)),
            "indep" | "dep" | "one" | "ser_t" => Some(t_test(half, claim.original().df[0]?, level)),
            _ => None,
        }
    };
    let same = |claim: &Claim, within: f64| {
        let apart = of(claim)? - claim.number("orig_power_for_50_effect")?;
        Some(apart.abs() < within)
    };
    let found = Agreement::count(
        &claims,
        |claim| same(claim, f64::INFINITY),
        |claim| same(claim, 1e-5),
    );
    head("power, by z or t");
    found.print("of the original for half its effect");
    assert_eq!(found.counts(), POWER);
}

/// Given, computed, equal to 1e-5; the rest are of rounded or other statistics.
const POWER: [usize; 3] = [86, 86, 69];

#[test]
fn every_replication_is_of_a_known_kind() {
    let Some(claims) = claims::read() else { return };
    let of = |kind| {
        let kinds = claims
            .iter()
            .map(|claim| StudyKind::from_score(claim.text("repli_type").unwrap()));
        kinds.filter(|found| *found == Some(kind)).count()
    };
    let (new, secondary) = (of(StudyKind::NewData), of(StudyKind::SecondaryData));
    println!(
        "\n{}: {new}; {}: {secondary}",
        StudyKind::NewData,
        StudyKind::SecondaryData
    );
    assert_eq!([new, secondary], [53, 80]);
}
