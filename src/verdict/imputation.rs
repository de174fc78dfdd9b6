//! The number of imputations that a plan pools, and that a result was pooled from.

use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::number_words;
use crate::domain::statistic::StatisticKind;

use super::plan_words::PlanWords;

/// The imputations that the plan pools, if it pools more than one.
pub fn planned(plan: &PlanWords) -> Option<u64> {
    let in_field = plan.fit.imputation.map(|imputation| imputation.m);
    let in_words = || {
        [&plan.method, &plan.rows]
            .into_iter()
            .find_map(|text| number(text))
    };
    in_field.or_else(in_words).filter(|count| *count > 1)
}

/// The number of imputations that a text gives: `m = 20`, `20 imputations`, `imputed twenty times`.
fn number(text: &str) -> Option<u64> {
    let text = text.to_lowercase().replace('=', " = ");
    let words: Vec<&str> = text
        .split(|one: char| !(one.is_alphanumeric() || one == '='))
        .filter(|word| !word.is_empty())
        .collect();
    let value = |word: &str| match word {
        "one" => Some(1),
        _ => word
            .parse()
            .ok()
            .or_else(|| number_words::value(word).map(|value| value as u64)),
    };
    let is_about = words.iter().any(|word| word.starts_with("imput"));
    let by_letter = words.windows(3).find_map(|three| match three {
        ["m", "=", count] => value(count),
        _ => None,
    });
    let by_words = words.windows(3).find_map(|three| match three {
        [count, word, _] if word.starts_with("imput") => value(count),
        [word, count, "times"] if word.starts_with("imput") => value(count),
        [_, count, word] if word.starts_with("imput") => value(count),
        _ => None,
    });
    by_letter.filter(|_| is_about).or(by_words)
}

/// A result that is not pooled from as many imputations as planned. A pooled result names their
/// number in its label, or is tested by t with the degrees of freedom of the pooling.
pub fn doubt(finding: &Finding, plan: &PlanWords) -> Option<Doubt> {
    let planned = planned(plan)?;
    let recorded = finding.model.as_deref().and_then(number);
    let by_t = finding.df.is_some()
        || finding
            .statistic
            .as_ref()
            .is_some_and(|statistic| statistic.kind == StatisticKind::T);
    let found = match recorded {
        Some(count) if count == planned => return None,
        None if by_t => return None,
        Some(count) => format!("uses {count}"),
        None => "does not say how many it uses. A pooled result names their number in its label, such as `20 imputations`, and gives the degrees of freedom of the pooling"
            .to_owned(),
    };
    Some(Doubt::deciding(
        DoubtCause::Model,
        format!(
            "The plan pools {planned} imputations, and the result `{}` {found}.",
            finding.name
        ),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_imputations_are_read() {
        for (text, count) in [
            ("multiple imputation (m = 20)", Some(20)),
            ("Missing attendance is imputed twenty times", Some(20)),
            ("Logit y ~ x, 20 imputations, Rubin", Some(20)),
            ("Cases with missing values are dropped (m = 3)", None),
            ("Logit y ~ x", None),
        ] {
            assert_eq!(number(text), count, "{text}");
        }
    }

    #[test]
    fn one_imputation_for_twenty_is_seen_and_a_pooled_result_is_not_accused() {
        let plan = PlanWords {
            method: "Logit: y ~ x, multiple imputation (m = 20)".to_owned(),
            ..PlanWords::default()
        };
        let of = |model: &str, df: Option<f64>| {
            let finding = Finding {
                model: Some(model.to_owned()),
                df,
                ..Finding::default()
            };
            doubt(&finding, &plan).is_some_and(|doubt| doubt.decides)
        };
        assert!(of("Logit y ~ x", None) && of("Logit y ~ x, 1 imputation", None));
        assert!(!of("Logit y ~ x, 20 imputations", None) && !of("pooled", Some(512.3)));
    }
}
