//! The registered rule as a sentence.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Condition;
use crate::domain::criterion::Criterion;
use crate::domain::quantity::Quantity;
use crate::domain::rule::Rule;

use super::condition_words::{asks, is_directed};
use crate::domain::format;

/// The rule in words, with every number that was fixed for it.
pub fn sentence(criterion: &Criterion) -> String {
    let (direction, term) = (criterion.direction, &criterion.focal_term);
    let alpha = format::level(criterion.alpha);
    let sides = if criterion.two_sided {
        "two-sided"
    } else {
        "one-sided"
    };
    let parameters = &criterion.parameters;
    let level = parameters.level.unwrap_or(1.0 - criterion.two_sided_alpha());
    let percent = format::number(100.0 * level);
    let no_effect = criterion.direction == ClaimedEffect::NoEffect;
    let focal = criterion.condition();
    if no_effect && !criterion.rule.decides_no_effect() && !is_directed(&focal) {
        return format!(
            "The criterion asks {}. This cannot decide a claim of no effect of `{term}`.",
            criterion.rule
        );
    }
    let asks = match criterion.rule {
        Rule::SignificanceAndDirection => {
            return format!("The criterion asks {}.{}", asks(&focal), further(criterion));
        }
        Rule::OriginalInReplicationInterval => {
            format!("that the replication's {percent} % interval of `{term}` holds the original's estimate")
        }
        Rule::ReplicationInOriginalInterval => {
            format!("that the estimate of `{term}` lies in the original's {percent} % interval")
        }
        Rule::PredictionInterval => format!(
            "that the estimate of `{term}` lies in the {percent} % interval that the original predicts"
        ),
        Rule::Heterogeneity => format!(
            "that the estimate of `{term}` does not differ from the original's by Cochran's Q at α = {alpha}"
        ),
        Rule::SmallTelescopes => format!(
            "that the estimate of `{term}` is not significantly smaller, at α = {alpha}, than the effect that \
             the original had {} power to detect",
            match parameters.power {
                Some(power) => format::number(power),
                None => "one third".to_owned(),
            }
        ),
        Rule::ScepticalP => format!(
            "for a {direction} estimate of `{term}` that convinces a sceptic of the original at α = {alpha} \
             ({sides}, sceptical p-value)"
        ),
        Rule::ReplicationBayesFactor => format!(
            "for a replication Bayes factor of `{term}` above {}",
            bayes_factor(criterion)
        ),
        Rule::Equivalence if no_effect => format!(
            "that the estimate of `{term}` lies significantly within ± the smallest effect of interest, {}, by \
             two one-sided tests at α = {alpha} each; an estimate significantly outside, in either direction, \
             does not meet it, and a result that merely does not differ from zero does not decide",
            sesoi(criterion)
        ),
        Rule::Equivalence => format!(
            "for a {direction} estimate of `{term}` significantly larger, at α = {alpha}, than the smallest \
             effect of interest, {}",
            sesoi(criterion)
        ),
        Rule::MetaAnalytic => format!(
            "that original and replication, pooled, give a {direction} estimate of `{term}` that differs from \
             zero at α = {alpha} ({sides} test)"
        ),
        Rule::EffectRatio => format!(
            "that the estimate of `{term}` is at least {} times the original's, by its {percent} % interval",
            parameters
                .least_ratio
                .map_or_else(|| "(not given)".to_owned(), format::number)
        ),
        Rule::SumOfPValues => format!(
            "for a {direction} estimate of `{term}` whose one-sided p-value and the original's sum to less than \
             √2 × {}",
            format::level(criterion.two_sided_alpha() / 2.0)
        ),
        Rule::GoldenScepticalP => format!(
            "for a {direction} estimate of `{term}` that convinces a sceptic of the original at α = {alpha} \
             ({sides}, golden sceptical p-value)"
        ),
        Rule::Correspondence => format!(
            "that the correlations behind the estimate of `{term}` and the original's are equivalent within ± {} \
             or differ by less, each test at α = {alpha}",
            format::number(parameters.threshold.unwrap_or(0.2))
        ),
        Rule::DefaultBayesFactor => format!(
            "for a {direction} estimate of `{term}` with a default Bayes factor above {}",
            bayes_factor(criterion)
        ),
        Rule::NumericalAgreement => format!(
            "that `{term}` has the published {}, to the printed digits or within 15 % (p within .05)",
            quantities(criterion)
        ),
        Rule::ModelAveragedBayesFactor => format!(
            "for a {direction} pooled effect of `{term}` with a model-averaged Bayes factor above {}",
            bayes_factor(criterion)
        ),
    };
    let claim = match criterion.rule {
        Rule::Equivalence => "",
        _ if no_effect => {
            " The claim is that there is no effect. Two estimates that agree are no evidence for it, because an imprecise \
             replication agrees with most values."
        }
        _ => "",
    };
    let reason = criterion.reason.trim();
    let reason = if reason.is_empty() {
        String::new()
    } else {
        format!(
            " The plan's reason for this rule: {}.",
            reason.trim_end_matches('.')
        )
    };
    format!(
        "The criterion asks {asks}{}.{claim}{reason}{}",
        original(criterion),
        further(criterion)
    )
}

/// The conditions beside the focal one, a sentence for each kind.
fn further(criterion: &Criterion) -> String {
    let all = |conditions: &[Condition], word: &str| -> String {
        let clauses: Vec<String> = conditions.iter().map(asks).collect();
        clauses.join(word)
    };
    let mut said = String::new();
    if !criterion.any.is_empty() {
        said.push_str(&format!(
            " It also accepts a condition that asks {}.",
            all(&criterion.any, ", or ")
        ));
    }
    if !criterion.all.is_empty() {
        said.push_str(&format!(" It also asks {}.", all(&criterion.all, ", and ")));
    }
    if !criterion.also_reported.is_empty() {
        said.push_str(&format!(
            " A further condition is reported and does not decide: it asks {}.",
            all(&criterion.also_reported, "; and ")
        ));
    }
    said
}

fn quantities(criterion: &Criterion) -> String {
    let others = criterion
        .quantities
        .iter()
        .filter(|one| **one != Quantity::Estimate);
    let names: Vec<&str> = [Quantity::Estimate]
        .iter()
        .chain(others)
        .map(|one| one.name())
        .collect();
    names.join(", ")
}

fn sesoi(criterion: &Criterion) -> String {
    criterion.parameters.sesoi.map_or_else(
        || "which is not given".to_owned(),
        |sesoi| with_unit(sesoi, criterion),
    )
}

fn with_unit(value: f64, criterion: &Criterion) -> String {
    let unit = criterion.parameters.unit.trim();
    let space = if unit.is_empty() { "" } else { " " };
    format!("{}{space}{unit}", format::number(value))
}

fn original(criterion: &Criterion) -> String {
    let original = criterion
        .original
        .as_ref()
        .filter(|_| criterion.rule.needs_original());
    let Some((original, estimate)) = original.and_then(|one| Some((one, one.estimate?))) else {
        return String::new();
    };
    let error = original.standard_error.map_or_else(String::new, |error| {
        format!(", standard error {}", format::number(error))
    });
    let df = original.df.map_or_else(String::new, |df| {
        format!(", {} degrees of freedom", format::number(df))
    });
    format!(" (original: {}{error}{df})", with_unit(estimate, criterion))
}

fn bayes_factor(criterion: &Criterion) -> String {
    let fixed = criterion.parameters.bayes_factor;
    format::number(fixed.unwrap_or(criterion.rule.published_bayes_factor()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::{Direction, Finding};

    #[test]
    fn a_claim_of_no_effect_is_asked_for_no_sign() {
        let mut criterion = Criterion {
            original: Some(Finding {
                estimate: Some(0.01),
                standard_error: Some(0.08),
                df: Some(38.0),
                ..Finding::default()
            }),
            ..Criterion::significance("income", ClaimedEffect::NoEffect, 0.05, true)
        };
        criterion.parameters.unit = "r".to_owned();
        criterion.parameters.sesoi = Some(0.1);
        for rule in Rule::all() {
            criterion.rule = rule;
            let said = sentence(&criterion);
            assert!(!said.contains("none") && said.contains("`income`"), "{said}");
            let (cannot, compatible) = (
                said.contains("cannot decide"),
                said.contains("no evidence for it"),
            );
            assert_eq!(cannot, !rule.decides_no_effect(), "{said}");
            assert_eq!(compatible, !cannot && rule != Rule::Equivalence, "{said}");
            assert_eq!(
                said.contains("0.08, 38 degrees of freedom)"),
                compatible,
                "{said}"
            );
        }
        criterion.rule = Rule::Equivalence;
        let said = sentence(&criterion);
        assert!(
            said.contains("within ± the smallest effect of interest, 0.1 r,"),
            "{said}"
        );
        assert!(
            said.contains("does not differ from zero does not decide"),
            "{said}"
        );
    }

    #[test]
    fn every_kind_of_condition_is_said() {
        let said = |given: serde_json::Value| {
            let mut whole = serde_json::json!({
                "focal_term": "x", "direction": "positive", "alpha": 0.05, "two_sided": true
            });
            for (key, value) in given.as_object().unwrap() {
                whole[key] = value.clone();
            }
            sentence(&serde_json::from_value(whole).unwrap())
        };
        let plain = said(serde_json::json!({}));
        assert_eq!(
            plain,
            "The criterion asks for a positive estimate of `x` that differs from zero at α = .05 (two-sided test)."
        );
        for (given, words) in [
            (
                serde_json::json!({"scale": "ratio"}),
                "estimate of `x` (on the scale ratio) that differs from 1 at",
            ),
            (
                serde_json::json!({"null": 0.5, "two_sided": false}),
                "differs from 0.5 at α = .05 (one-sided test)",
            ),
            (
                serde_json::json!({"direction": "none", "scale": "unsigned", "greater": ["a", "b"]}),
                "`x` is significant at α = .05 (two-sided test), with the means in the order `a` > `b`",
            ),
            (
                serde_json::json!({"contrast": "c"}),
                "and that `c` is positive in sign",
            ),
            (
                serde_json::json!({"test": "difference", "minus": "y"}),
                "for a positive difference of `x` minus `y` that",
            ),
            (
                serde_json::json!({"test": "interval_excludes"}),
                "the reported 95 % interval of `x` leaves out zero on the positive side",
            ),
            (
                serde_json::json!({"test": "non_inferiority", "margin": 0.2}),
                "is not worse than zero by 0.2, by one",
            ),
            (
                serde_json::json!({"direction": "none", "test": "equivalence", "parameters": {"sesoi": 0.1}}),
                "lies significantly within zero ± 0.1, by two",
            ),
            (
                serde_json::json!({"all": [{"term": "z", "sign": "negative"}]}),
                "It also asks for a negative estimate of `z` that",
            ),
            (
                serde_json::json!({"any": [{"term": "z", "sign": "negative"}]}),
                "It also accepts a condition that asks for a negative estimate of `z`",
            ),
            (
                serde_json::json!({"also_reported": [{"term": "z", "sign": "negative"}]}),
                "reported and does not decide: it asks for a negative estimate of `z`",
            ),
        ] {
            let said = said(given);
            assert!(said.contains(words), "{said}");
        }
    }

    #[test]
    fn every_rule_says_what_was_fixed_for_it() {
        let mut criterion = Criterion {
            original: Some(Finding {
                estimate: Some(0.25),
                standard_error: Some(0.08),
                ..Finding::default()
            }),
            ..Criterion::significance("income", Direction::Positive, 0.05, true)
        };
        criterion.parameters.unit = "r".to_owned();
        criterion.parameters.sesoi = Some(0.1);
        for rule in Rule::all() {
            criterion.rule = rule;
            let said = sentence(&criterion);
            assert!(said.contains("`income`") && said.ends_with('.'), "{said}");
            assert_eq!(
                said.contains("(original: 0.25 r, standard error 0.08)"),
                rule.needs_original()
            );
        }
        criterion.rule = Rule::Equivalence;
        assert!(sentence(&criterion).contains("interest, 0.1 r."));
        criterion.rule = Rule::PredictionInterval;
        assert!(sentence(&criterion).contains("95 % interval"));
        criterion.parameters.level = Some(0.9);
        criterion.reason = "The paper predicts.".to_owned();
        let said = sentence(&criterion);
        assert!(
            said.contains("90 % interval") && said.ends_with("this rule: The paper predicts."),
            "{said}"
        );
    }
}
