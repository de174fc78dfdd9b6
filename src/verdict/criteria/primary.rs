//! The criterion that the preregistration makes decide.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::domain::rule::Rule;
use crate::domain::verdict::Outcome;

use super::assess::apply;
use super::assessment::Assessment;
use super::bayes::default_bayes_factor_of;
use super::magnitude::equivalence_of;
use super::same_numbers::{SAME_OBSERVATIONS, numerical_agreement_of};
use super::study::{StudyEstimate, StudyPair, Terms, UnusableStudy};
use crate::verdict::condition;
use crate::verdict::judged::{self, Judged};
use crate::verdict::one_scale::OneScale;

/// The registered rule applied to a replication's finding, with a clause on the numbers
/// that decided or on what is missing; without doubts.
///
/// A rule that cannot be computed or does not decide leaves the matter open;
/// no other rule stands in for it.
pub fn judge(criterion: &Criterion, finding: &Finding) -> Judged {
    let (outcome, reason) = outcome_with_reason(criterion, finding);
    Judged {
        outcome,
        reason,
        doubts: Vec::new(),
    }
}

fn outcome_with_reason(criterion: &Criterion, finding: &Finding) -> (Outcome, String) {
    if criterion.rule.is_default() {
        let judged = condition::judge(&criterion.condition(), finding, &[]);
        return (judged.outcome, judged.reason);
    }
    let term = &criterion.focal_term;
    if finding.estimate.is_none_or(|estimate| !estimate.is_finite()) {
        return (
            Outcome::Inconclusive,
            format!("no estimate of `{term}` was reported"),
        );
    }
    match assess(criterion, finding) {
        Ok(assessment) => (
            match assessment.decision {
                Some(true) => Outcome::Met,
                Some(false) => Outcome::Unmet,
                None => Outcome::Inconclusive,
            },
            judged::clause(&assessment.sentence),
        ),
        Err(unusable) => (
            Outcome::Inconclusive,
            format!(
                "the rule, {}, cannot be computed: {}",
                criterion.rule,
                judged::clause(&unusable.to_string())
            ),
        ),
    }
}

/// The registered rule on the registered original and a replication's finding.
///
/// # Errors
/// The figures of one of them that cannot be used.
pub fn assess(criterion: &Criterion, replication: &Finding) -> Result<Assessment, UnusableStudy> {
    let no_original = || UnusableStudy::NoEstimate("the original".to_owned());
    if criterion.rule == Rule::NumericalAgreement {
        let original = criterion.original.as_ref().ok_or_else(no_original)?;
        return Ok(numerical_agreement_of(
            original,
            replication,
            &criterion.quantities,
        ));
    }
    if criterion.is_on_same_observations() && criterion.rule.assumes_independence() {
        return Ok(Assessment::undecided(criterion.rule, SAME_OBSERVATIONS));
    }
    let both = OneScale::new(criterion.original.as_ref(), Some(replication), criterion.scale);
    if let Some(apart) = both.apart {
        return Ok(Assessment::undecided(
            criterion.rule,
            format!("The two are in different units: {apart}."),
        ));
    }
    let (replication, _) = StudyEstimate::from_finding(both.replication.as_ref().unwrap_or(replication))?;
    let parameters = &criterion.parameters;
    let no_effect = criterion.direction == ClaimedEffect::NoEffect;
    if no_effect && !criterion.rule.decides_no_effect() {
        let words = format!(
            "A claim of no effect cannot be decided by {}, which asks for the claim's sign.",
            criterion.rule
        );
        return Ok(Assessment::undecided(criterion.rule, words));
    }
    if criterion.rule == Rule::Equivalence {
        return Ok(equivalence_of(
            &replication,
            criterion.direction,
            parameters.sesoi,
            criterion.alpha,
        ));
    }
    if let (Rule::DefaultBayesFactor, Some(sign)) = (criterion.rule, criterion.direction.sign()) {
        let threshold = parameters
            .bayes_factor
            .unwrap_or(criterion.rule.published_bayes_factor());
        return Ok(default_bayes_factor_of(&replication, sign, threshold));
    }
    let original = both.original.as_ref().ok_or_else(no_original)?;
    let published = Terms::default();
    let pair = StudyPair {
        alpha: criterion.two_sided_alpha(),
        sesoi: parameters.sesoi,
        terms: Terms {
            level: parameters.level,
            one_sided: criterion.alpha,
            power: parameters.power.unwrap_or(published.power),
            bayes_factor: parameters.bayes_factor,
            least_ratio: parameters.least_ratio,
            threshold: parameters.threshold.unwrap_or(published.threshold),
        },
        ..StudyPair::new(StudyEstimate::from_finding(original)?.0, replication)
    };
    let mut assessment = apply(criterion.rule, &pair);
    if no_effect && assessment.decision == Some(true) {
        assessment.sentence = format!(
            "{}; the two estimates agree, which is no evidence that there is no effect.",
            assessment.sentence.trim_end_matches('.')
        );
    }
    Ok(assessment)
}
