//! The criteria as a report gives them, on both correlations, against the
//! project's columns: a sign in the pattern's place, and three answers.

use reprise::domain::rule::Rule;
use reprise::verdict::criteria::assess::apply;

use crate::score::claims::{self, Claim};
use crate::score::signs::same_sign_of_r;
use crate::score::table::Agreement;
use crate::score::{RESCALED_TWICE, head, score};

/// The reason for which a criterion of the report and a column differ on a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reason {
    /// The sign is not the claim's pattern, as people judged it.
    Pattern,
    /// Theirs are the bounds of F or of Cramér's V, ours those of a t.
    Bounds,
    /// They take the two-sided interval's bound and the power in n pairs; ours is
    /// a one-sided test, and the power is by the standard error.
    Telescopes,
    /// They rescale the sceptical p-value and its level, ours the p-value.
    RescaledTwice,
    /// The correlation on its n has another p than the statistic that is reported.
    OtherTest,
}

struct Expected {
    rule: Rule,
    column: &'static str,
    /// Decided by the project, by both, and alike.
    counts: [usize; 3],
    differing: &'static [(Reason, &'static [&'static str])],
}

use Reason::{Bounds, OtherTest, Pattern, RescaledTwice, Telescopes};

const SHAPES: [&str; 4] = ["EQxa_single-trace", "OYX0_2n1rrj", "OYX0_5o9y12", "OYX0_ywd1y9"];

const RULES: [Expected; 11] = [
    Expected {
        rule: Rule::OriginalInReplicationInterval,
        column: "orig_wthn",
        counts: [119, 115, 115],
        differing: &[],
    },
    Expected {
        rule: Rule::ReplicationInOriginalInterval,
        column: "rep_wthn",
        counts: [119, 115, 113],
        differing: &[(Bounds, &["1574_single-trace", "AvWY_single-trace"])],
    },
    Expected {
        rule: Rule::MetaAnalytic,
        column: "meta_success",
        counts: [107, 107, 107],
        differing: &[],
    },
    Expected {
        rule: Rule::PredictionInterval,
        column: "wthn_pi",
        counts: [107, 107, 107],
        differing: &[],
    },
    Expected {
        rule: Rule::SumOfPValues,
        column: "sum_p",
        counts: [102, 92, 85],
        differing: &[
            (Pattern, &SHAPES),
            (Pattern, &["rpq_single-trace", "YWep_single-trace"]),
            (OtherTest, &["yDyG_single-trace"]),
        ],
    },
    Expected {
        rule: Rule::SmallTelescopes,
        column: "telescopes",
        counts: [118, 114, 108],
        differing: &[(
            Telescopes,
            &[
                "1VeW_single-trace",
                "AvOr_grlzkw",
                "VOwm_single-trace",
                "zb3Y_b66y26",
                "zb3Y_mp3lzw",
                "zlm2_single-trace",
            ],
        )],
    },
    Expected {
        rule: Rule::ReplicationBayesFactor,
        column: "bayes_rep",
        counts: [107, 93, 89],
        differing: &[(Pattern, &SHAPES)],
    },
    Expected {
        rule: Rule::ModelAveragedBayesFactor,
        column: "bma_result",
        counts: [107, 87, 81],
        differing: &[
            (Pattern, &SHAPES),
            (Pattern, &["8w97_single-trace", "YWep_single-trace"]),
        ],
    },
    Expected {
        rule: Rule::GoldenScepticalP,
        column: "skep_p",
        counts: [97, 91, 79],
        differing: &[
            (Pattern, &SHAPES),
            (Pattern, &["rpq_single-trace", "YWep_single-trace"]),
            (
                RescaledTwice,
                &[
                    "5XEE_single-trace",
                    "9OK1_ppwpjr",
                    "JWzJ_single-trace",
                    "OeGv_8vrpd2",
                    "q8xv_22jnnj",
                ],
            ),
            (OtherTest, &["yDyG_single-trace"]),
        ],
    },
    Expected {
        rule: Rule::Correspondence,
        column: "correspondence",
        counts: [70, 70, 70],
        differing: &[],
    },
    Expected {
        rule: Rule::DefaultBayesFactor,
        column: "bf_result",
        counts: [116, 69, 65],
        differing: &[(Pattern, &SHAPES)],
    },
];

fn decision(claim: &Claim, rule: Rule) -> Option<bool> {
    let mut pair = claim.pair()?;
    pair.replication.n = claim.replication().n.map(|n| n.round() as u64);
    apply(rule, &pair).decision
}

/// Whether the numbers of the claim bear a reason out, where they can.
fn holds(reason: Reason, claim: &Claim) -> bool {
    match reason {
        Pattern => same_sign_of_r(claim) != Some(claim.pattern()),
        RescaledTwice => RESCALED_TWICE.contains(&claim.id()),
        OtherTest => {
            let z = claim.pair().unwrap().replication.z();
            (claim.replication().value.unwrap() / z).abs() > 2.0
        }
        Bounds | Telescopes => true,
    }
}

#[test]
fn the_reports_criteria_against_the_columns() {
    let Some(claims) = claims::read() else { return };
    head("criterion of the report, where it decides");
    for expected in &RULES {
        let theirs = score(expected.column);
        let ours = |claim: &Claim| decision(claim, expected.rule);
        let both = |claim: &&Claim| theirs(claim).is_some() && ours(claim).is_some();
        let found = Agreement::count(claims.iter().filter(both), &theirs, ours);
        found.print(expected.rule.name());
        let all = claims.iter().filter(|claim| theirs(claim).is_some()).count();
        assert_eq!(
            [all, found.theirs, found.equal],
            expected.counts,
            "{}",
            expected.rule
        );
        for (reason, ids) in expected.differing {
            println!("    {reason:?}: {}", ids.join(" "));
        }
        let explained = expected
            .differing
            .iter()
            .flat_map(|(reason, ids)| ids.iter().map(move |id| (*reason, *id)));
        let mut named: Vec<&str> = Vec::new();
        for (reason, id) in explained {
            let claim = claims.iter().find(|claim| claim.id() == id).unwrap();
            assert!(holds(reason, claim), "{}: {id} is not {reason:?}", expected.rule);
            named.push(id);
        }
        let mut differing: Vec<&str> = found.differing.iter().map(String::as_str).collect();
        named.sort_unstable();
        differing.sort_unstable();
        assert_eq!(differing, named, "{}", expected.rule);
    }
}
