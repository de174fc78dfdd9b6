//! Every published replication criterion on a run's pair of findings.
//!
//! One of them decides, and the preregistration says which, from the figures of
//! the original that it registered. It comes first, in the words of the verdict;
//! the others stand below it, because on the same data they disagree.

use serde::{Deserialize, Serialize};

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::criterion::Criterion;
use crate::domain::finding::{Finding, Interval, Relation};
use crate::domain::rule::Rule;
use crate::domain::verdict::Outcome;
use crate::statistics::precision::Basis;
use crate::study::reference::Sesoi;
use crate::verdict::criteria::assess::apply;
use crate::verdict::criteria::assessment::Assessment;
use crate::verdict::criteria::primary;
use crate::verdict::criteria::study::{Pair, Study};

use super::common_pair::{CommonPair, PowerLine, derivations, power};
use super::evidence::Scale;
use super::format;
use super::html::place::{Z95, settled, share_axis};

/// All criteria, as a report shows them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criteria {
    pub lines: Vec<CriterionLine>,
    /// How to read them, in sentences.
    pub notes: Vec<String>,
    /// Both effects as correlations, where the criteria are computed on these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common: Option<CommonPair>,
    /// The power of the replication for the original's effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerLine>,
}

/// One criterion.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CriterionLine {
    pub rule: Rule,
    pub name: String,
    /// Whether the preregistration makes it decide.
    pub primary: bool,
    pub value: Option<f64>,
    /// What the value is.
    pub value_name: String,
    pub interval: Option<Interval>,
    /// Absent where the criterion does not decide or does not apply.
    pub met: Option<bool>,
    /// One sentence with the numbers, or why it does not apply.
    pub sentence: String,
    pub source: String,
}

/// What a verdict's rule said of the replication.
#[derive(Debug, Clone, Copy)]
pub struct Decided<'a> {
    pub criterion: Option<&'a Criterion>,
    pub outcome: Option<Outcome>,
    pub reason: Option<&'a str>,
}

impl Criteria {
    /// All criteria; `None` where a study has no estimate at all.
    pub fn of(
        original: Option<&Finding>,
        replication: Option<&Finding>,
        scale: &Scale,
        sesoi: Option<&Sesoi>,
        decided: Decided<'_>,
    ) -> Option<Self> {
        let registered = decided
            .criterion
            .and_then(|criterion| criterion.original.as_ref());
        let known = original.filter(|original| original.estimate.is_some());
        let original = known.or(registered.filter(|original| original.estimate.is_some()));
        let replication = replication.filter(|replication| replication.estimate.is_some())?;
        let registered = decided.criterion.filter(|criterion| !criterion.rule.is_default());
        if original.is_none() && registered.is_none_or(|criterion| criterion.rule.needs_original()) {
            return None;
        }
        let no_effect = decided
            .criterion
            .is_some_and(|criterion| criterion.direction == ClaimedEffect::NoEffect);
        let (shared, _) = share_axis(original, Some(replication), scale);
        let alpha = decided.criterion.map_or(0.05, Criterion::two_sided_alpha);
        let common = original.map(|original| CommonPair::of(original, replication));
        let converted = match &common {
            Some(Ok(common)) => common.pair(replication, alpha, sesoi),
            _ => None,
        };
        let guessed = settled(original, Some(replication), scale) == Scale::ProbablyDifferent;
        let apart = match &common {
            Some(Err(why)) if guessed => format!(
                "The two estimates differ so much in size that they are probably not in the same units. {why}"
            ),
            Some(Err(why)) => format!("The two estimates are not in the same units. {why}"),
            _ => NO_ORIGINAL.to_owned(),
        };
        let mut notes = Vec::new();
        let pair = match original.map(|original| Pair::from_findings(original, replication)) {
            Some(Ok((mut pair, bases))) => {
                pair.alpha = alpha;
                notes.extend(["original", "replication"].iter().zip(bases).filter_map(derived));
                if shared {
                    let published =
                        original.and_then(|original| two_intervals("original", original, &pair.original));
                    notes.extend(published);
                    notes.extend(two_intervals("replication", replication, &pair.replication));
                }
                Ok(pair)
            }
            Some(Err(error)) => Err(error.to_string()),
            None => Err(NO_ORIGINAL.to_owned()),
        };
        let lines = Rule::all().map(|rule| {
            if let Some(criterion) = registered.filter(|criterion| criterion.rule == rule) {
                let assessment = primary::assess(criterion, replication);
                return line(
                    assessment.unwrap_or_else(|why| absent(rule, &why.to_string())),
                    decided,
                );
            }
            let by_interest = rule == Rule::Equivalence && sesoi.is_some();
            let assessment = match (&pair, &converted) {
                _ if no_effect && !rule.decides_no_effect() => absent(rule, NO_SIGN),
                (Ok(pair), _) if (shared && !by_interest) || rule.is_free_of_units() => apply(rule, pair),
                (_, Some(converted)) => apply(rule, converted),
                (Err(why), None) => absent(rule, why),
                (Ok(pair), None) if shared => apply(rule, pair),
                (Ok(_), None) => absent(rule, &apart),
            };
            line(assessment, decided)
        });
        let mut lines: Vec<CriterionLine> = lines.collect();
        let common = common.and_then(Result::ok);
        let in_common = common.clone().filter(|_| !shared || pair.is_err());
        notes.extend(in_common.as_ref().map(CommonPair::note));
        notes.extend(sesoi.filter(|_| converted.is_some()).map(Sesoi::note));
        notes.extend(original.and_then(|original| derivations("original", original)));
        let power = original.and_then(|original| {
            power(
                original,
                replication,
                in_common.as_ref(),
                shared,
                decided.criterion,
            )
        });
        notes.extend(power.as_ref().map(|power| power.sentence.clone()));
        // The verdict is by the reported p, also where nothing else can be computed.
        let decides = |line: &&mut CriterionLine| line.primary && line.rule == Rule::SignificanceAndDirection;
        for line in lines.iter_mut().filter(decides) {
            let exact = replication.p_value.filter(|p| p.relation == Relation::Equal);
            line.value = exact.map(|p| p.value);
        }
        lines.sort_by_key(|line| !line.primary);
        notes.extend(registered.and_then(|criterion| differing(criterion, original?)));
        notes.extend(no_effect.then(|| NO_EVIDENCE.to_owned()));
        let by_t = replication
            .df
            .or(original.and_then(|original| original.df))
            .is_some();
        notes.push(match decided.criterion {
            Some(_) if by_t => {
                "The preregistration fixed which criterion decides; the others are shown beside it: tests and \
                intervals of one study by t where its degrees of freedom are known, all else by the normal \
                approximation."
                    .to_owned()
            }
            Some(_) => {
                "The preregistration fixed which criterion decides; the others are shown beside it, by the \
                normal approximation."
                    .to_owned()
            }
            None => "No preregistered criterion is known, so none of these decides.".to_owned(),
        });
        Some(Self {
            lines,
            notes,
            common: in_common,
            power,
        })
    }
}

const NO_ORIGINAL: &str = "The original gives no estimate, so this criterion does not apply.";
const NO_EVIDENCE: &str =
    "The claim is of no effect; that two estimates are compatible is no evidence for it.";
const NO_SIGN: &str =
    "The claim is of no effect and has no sign to ask for, so this criterion does not apply.";

fn derived((study, basis): (&&str, Basis)) -> Option<String> {
    let from = match basis {
        Basis::Reported => return None,
        Basis::ConfidenceInterval => "its confidence interval",
        Basis::PValue => "its p-value",
    };
    Some(format!("The standard error of the {study} is taken from {from}."))
}

/// Why a study has another 95 % interval in these sentences than the one that it reports.
fn two_intervals(study: &str, finding: &Finding, computed: &Study) -> Option<String> {
    let reported = finding
        .interval
        .filter(|interval| (interval.level - 0.95).abs() < 1e-9)?;
    let half = Z95 * computed.standard_error;
    let (lower, upper) = (computed.estimate - half, computed.estimate + half);
    let apart = (lower - reported.lower).abs().max((upper - reported.upper).abs());
    let shown = |lower, upper| format!("[{}, {}]", format::estimate(lower), format::estimate(upper));
    (apart > 0.005 * (upper - lower)).then(|| {
        format!(
            "The {study} reports the 95% interval {}, which the figure draws; these criteria take ± 1.96 standard \
             errors, {}.",
            shown(reported.lower, reported.upper),
            shown(lower, upper)
        )
    })
}

/// A registered original that is not the one shown in the report.
fn differing(criterion: &Criterion, original: &Finding) -> Option<String> {
    let registered = criterion.original.as_ref()?.estimate?;
    let shown = original.estimate?;
    let apart = (registered - shown).abs() > 0.005 * shown.abs();
    apart.then(|| {
        format!(
            "The plan registered {registered} as the original's estimate, and {shown} is the one that was \
             extracted; the criterion that decides goes by the registered one."
        )
    })
}

fn absent(rule: Rule, why: &str) -> Assessment {
    Assessment {
        rule,
        value: None,
        interval: None,
        decision: None,
        sentence: why.to_owned(),
    }
}

fn line(assessment: Assessment, decided: Decided<'_>) -> CriterionLine {
    let rule = assessment.rule;
    let primary = decided.criterion.is_some_and(|criterion| criterion.rule == rule);
    let by_rule = decided.outcome.filter(|_| primary).map(|outcome| match outcome {
        Outcome::Met => Some(true),
        Outcome::Unmet => Some(false),
        Outcome::Inconclusive | Outcome::NotComparable => None,
    });
    let reason = decided.reason.filter(|_| primary).map(sentence);
    CriterionLine {
        rule,
        name: rule.name().to_owned(),
        primary,
        value: assessment.value,
        value_name: rule.value_name().to_owned(),
        interval: assessment.interval,
        met: by_rule.unwrap_or(assessment.decision),
        sentence: reason.unwrap_or(assessment.sentence),
        source: rule.source().to_owned(),
    }
}

/// A verdict's reason, which begins in lower case, as a sentence.
fn sentence(reason: &str) -> String {
    let mut characters = reason.chars();
    let first = characters.next().map(|first| first.to_uppercase().to_string());
    let end = if reason.ends_with('.') { "" } else { "." };
    format!("{}{}{end}", first.unwrap_or_default(), characters.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Direction, PValue};

    fn finding(estimate: f64, error: f64) -> Finding {
        Finding {
            name: "x".into(),
            estimate: Some(estimate),
            standard_error: Some(error),
            ..Finding::default()
        }
    }

    fn criteria(original: &Finding, replication: &Finding, scale: &Scale) -> Criteria {
        let criterion = Criterion::significance("x", Direction::Positive, 0.05, true);
        let decided = Decided {
            criterion: Some(&criterion),
            outcome: Some(Outcome::Met),
            reason: Some("`x` is 0.1, p = 0.012"),
        };
        Criteria::of(Some(original), Some(replication), scale, None, decided).unwrap()
    }

    #[test]
    fn all_are_shown_and_the_preregistered_one_decides() {
        let found = criteria(&finding(0.25, 0.08), &finding(0.10, 0.04), &Scale::Same);
        assert_eq!(found.lines.len(), Rule::all().count());
        let primary: Vec<_> = found.lines.iter().filter(|line| line.primary).collect();
        assert_eq!(
            (primary.len(), primary[0].rule, primary[0].met),
            (1, Rule::SignificanceAndDirection, Some(true))
        );
        assert_eq!(primary[0].sentence, "`x` is 0.1, p = 0.012.");
        let inside = &found.lines[1];
        assert_eq!(inside.met, Some(false), "{inside:?}");
        assert!(found.lines.iter().all(|line| line.sentence.ends_with('.')));
    }

    #[test]
    fn the_deciding_p_is_the_reported_one() {
        // By the normal approximation 0.041, by the run's t test on few degrees of freedom 0.074.
        let with = |relation, value| Finding {
            p_value: Some(PValue { relation, value }),
            ..finding(0.2044, 0.1)
        };
        let original = finding(0.25, 0.08);
        let first = |replication: &Finding| criteria(&original, replication, &Scale::Same).lines.remove(0);
        let exact = first(&with(Relation::Equal, 0.074));
        assert_eq!(
            (exact.rule, exact.value),
            (Rule::SignificanceAndDirection, Some(0.074))
        );
        assert_eq!(first(&with(Relation::Less, 0.1)).value, None);
        assert_eq!(first(&finding(0.2044, 0.1)).value, None);
        // Without a preregistration the criterion's own words are by the same p.
        let open = Decided {
            criterion: None,
            outcome: None,
            reason: None,
        };
        let alone = |replication: &Finding| {
            let all = Criteria::of(Some(&original), Some(replication), &Scale::Same, None, open).unwrap();
            all.lines[0].clone()
        };
        let exact = alone(&with(Relation::Equal, 0.074));
        assert_eq!((exact.value, exact.met), (Some(0.074), Some(false)));
        assert!(
            exact.sentence.contains("with p 0.074 against"),
            "{}",
            exact.sentence
        );
        let bound = alone(&with(Relation::Less, 0.001));
        assert_eq!((bound.value, bound.met), (None, Some(true)));
        assert!(
            bound.sentence.contains("with p < 0.001 against"),
            "{}",
            bound.sentence
        );
        let untold = alone(&with(Relation::Less, 0.1));
        assert_eq!((untold.value, untold.met), (None, None));
        let computed = alone(&finding(0.2044, 0.1));
        assert!((computed.value.unwrap() - 0.041).abs() < 5e-4, "{computed:?}");
    }

    #[test]
    fn another_registered_rule_comes_first_with_its_own_original() {
        let criterion = Criterion {
            rule: Rule::PredictionInterval,
            original: Some(finding(0.25, 0.08)),
            ..Criterion::significance("x", Direction::Positive, 0.05, true)
        };
        let replication = finding(0.10, 0.04);
        let (outcome, reason) = primary::judge(&criterion, &replication);
        let decided = Decided {
            criterion: Some(&criterion),
            outcome: Some(outcome),
            reason: Some(&reason),
        };
        let other = finding(0.5, 0.08);
        let found = Criteria::of(Some(&other), Some(&replication), &Scale::Same, None, decided).unwrap();
        let first = &found.lines[0];
        assert_eq!(
            (found.lines.len(), first.rule, first.primary, first.met),
            (Rule::all().count(), Rule::PredictionInterval, true, Some(true))
        );
        assert_eq!(found.lines.iter().filter(|line| line.primary).count(), 1);
        assert!(first.sentence.contains("[0.0747, 0.4253]"), "{}", first.sentence);
        assert!(
            found.notes.iter().any(|note| note.contains("registered 0.25")),
            "{:?}",
            found.notes
        );
    }

    #[test]
    fn a_claim_of_no_effect_is_judged_by_what_asks_for_no_sign() {
        let mut criterion = Criterion {
            rule: Rule::Equivalence,
            ..Criterion::significance("x", ClaimedEffect::NoEffect, 0.05, true)
        };
        criterion.parameters.sesoi = Some(0.1);
        let replication = finding(0.01, 0.03);
        let (outcome, reason) = primary::judge(&criterion, &replication);
        let decided = Decided {
            criterion: Some(&criterion),
            outcome: Some(outcome),
            reason: Some(&reason),
        };
        let original = finding(0.02, 0.05);
        let all = Criteria::of(Some(&original), Some(&replication), &Scale::Same, None, decided).unwrap();
        assert_eq!(
            (all.lines[0].rule, all.lines[0].met),
            (Rule::Equivalence, Some(true))
        );
        for line in &all.lines {
            let asks = line.sentence.contains("has no sign to ask for");
            assert_eq!(asks, !line.rule.decides_no_effect(), "{line:?}");
            assert!(!asks || line.met.is_none(), "{line:?}");
        }
        // A paper that prints no figure for its null leaves the replication's own.
        let alone = Criteria::of(None, Some(&replication), &Scale::Unknown, None, decided).unwrap();
        let met: Vec<_> = alone
            .lines
            .iter()
            .filter_map(|line| Some((line.rule, line.met?)))
            .collect();
        assert_eq!(met, [(Rule::Equivalence, true)]);
        assert!(alone.lines[1..].iter().any(|line| line.sentence == NO_ORIGINAL));
    }

    #[test]
    fn two_intervals_of_one_study_are_told_apart() {
        // t on few degrees of freedom, as the run reports it.
        let reported = |lower, upper| Finding {
            interval: Some(Interval {
                lower,
                upper,
                level: 0.95,
            }),
            ..finding(0.1, 0.04)
        };
        let notes = |replication: &Finding| criteria(&finding(0.25, 0.08), replication, &Scale::Same).notes;
        let found = notes(&reported(0.015, 0.185));
        let told: Vec<_> = found
            .iter()
            .filter(|note| note.contains("95% interval"))
            .collect();
        assert_eq!(told.len(), 1, "{found:?}");
        assert!(
            told[0].starts_with("The replication reports the 95% interval [0.0150, 0.185]")
                && told[0].contains("[0.0216, 0.178]"),
            "{told:?}"
        );
        let same = notes(&reported(0.021_601_4, 0.178_398_6));
        assert!(!same.iter().any(|note| note.contains("95% interval")), "{same:?}");
    }

    #[test]
    fn other_units_are_compared_as_correlations() {
        let with = |estimate, error, df, n| Finding {
            df: Some(df),
            n: Some(n),
            ..finding(estimate, error)
        };
        let scale = Scale::Different {
            why: "points, euros".into(),
        };
        // The two coefficients of the study duncan-1961.
        let (original, replication) = (
            with(0.599, 0.120, 42.0, 45),
            with(0.001_361, 0.000_224, 99.0, 102),
        );
        let found = criteria(&original, &replication, &scale);
        let undecided: Vec<_> = found.lines.iter().filter(|line| line.met.is_none()).collect();
        let rules: Vec<_> = undecided.iter().map(|line| line.rule).collect();
        // The first lacks a smallest effect of interest, the ratio decides nothing, and two
        // correlations of so few cases are neither told apart nor equivalent.
        assert_eq!(
            rules,
            [Rule::Equivalence, Rule::EffectRatio, Rule::Correspondence]
        );
        assert!(
            undecided[1]
                .value
                .is_some_and(|ratio| (ratio - 0.814_851_110_432_389_6).abs() < 1e-8),
            "{undecided:?}"
        );
        assert!(
            found.notes.iter().any(|note| note.contains("r = .61 (z 0.709")),
            "{:?}",
            found.notes
        );
        assert!(
            found.notes.iter().any(|note| note.contains("power")),
            "{:?}",
            found.notes
        );
        // Nobody says so, and the sizes do.
        let guessed = criteria(&original, &replication, &Scale::Unknown);
        assert_eq!(guessed.common, found.common);
        // With a smallest effect of interest equivalence decides, too.
        let criterion = Criterion::significance("x", Direction::Positive, 0.05, true);
        let decided = Decided {
            criterion: Some(&criterion),
            outcome: Some(Outcome::Met),
            reason: None,
        };
        let sesoi = Sesoi {
            value: 0.1,
            unit: "r".to_owned(),
            source: "Cohen (1988)".to_owned(),
        };
        let all = Criteria::of(Some(&original), Some(&replication), &scale, Some(&sesoi), decided).unwrap();
        let line = all
            .lines
            .iter()
            .find(|line| line.rule == Rule::Equivalence)
            .unwrap();
        assert_eq!(line.met, Some(true), "{line:?}");
        assert!(
            all.notes.iter().any(|note| note.contains("Cohen (1988)")),
            "{:?}",
            all.notes
        );
    }

    #[test]
    fn without_a_common_scale_only_what_needs_no_units_is_left() {
        let scale = Scale::Different {
            why: "points, euros".into(),
        };
        let found = criteria(&finding(0.6, 0.1), &finding(0.001, 0.0002), &scale);
        let decided: Vec<_> = found
            .lines
            .iter()
            .filter(|line| line.met.is_some())
            .map(|line| line.rule)
            .collect();
        assert_eq!(decided, [Rule::SignificanceAndDirection, Rule::SumOfPValues]);
        let sentence = &found.lines[3].sentence;
        assert!(
            sentence.contains("are not in the same units")
                && sentence.contains("cannot be brought to a common scale"),
            "{sentence}"
        );
        let guessed = criteria(&finding(0.6, 0.1), &finding(0.001, 0.0002), &Scale::Unknown);
        assert_eq!(guessed.lines[3].met, None);
        assert!(
            guessed.lines[3]
                .sentence
                .contains("probably not in the same units")
        );
        let bare = Finding {
            estimate: Some(1.0),
            ..Finding::default()
        };
        let found = criteria(&bare, &finding(1.0, 0.1), &Scale::Same);
        assert!(found.lines[2].sentence.contains("neither a standard error"));
        assert_eq!(
            Criteria::of(
                None,
                None,
                &Scale::Same,
                None,
                Decided {
                    criterion: None,
                    outcome: None,
                    reason: None
                }
            ),
            None
        );
    }
}
