//! Every published replication criterion on a run's pair of findings.
//!
//! One of them decides. The preregistration says which one, and gives the figures of
//! the original for it. It comes first, in the words of the verdict. The others follow,
//! because on the same data they disagree.

use serde::{Deserialize, Serialize};

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::criterion::Criterion;
use crate::domain::finding::{Finding, Relation};
use crate::domain::rule::Rule;
use crate::domain::study_kind::Observations;
use crate::study::reference::Sesoi;
use crate::verdict::criteria::assess::apply;
use crate::verdict::criteria::assessment::Assessment;
use crate::verdict::criteria::primary;
use crate::verdict::criteria::same_numbers::{SAME_OBSERVATIONS, numerical_agreement_of, quantities};
use crate::verdict::criteria::study::StudyPair;
use crate::verdict::numerical_agreement::QuantityAgreement;
use crate::verdict::one_scale::{OneScale, UnitsApart};
use crate::verdict::whole::on_scale;

use crate::grading::criteria::both_estimates::{SentenceScale, both_estimates};
use crate::grading::criteria::common_pair::{CommonPair, PowerLine, derivations, in_words, power};
use crate::grading::criteria::line::{CriterionLine, RuleDecision};
use crate::grading::criteria::notes::{
    LOGGED, NO_EVIDENCE, NO_ORIGINAL, NO_POWER, NO_SIGN, derived, differing, observed,
};
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::criteria::shared_axis::{settled, share_axis};

/// All criteria, as a report shows them.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Criteria {
    pub lines: Vec<CriterionLine>,
    /// How to read them, in sentences.
    pub notes: Vec<String>,
    /// Both effects as correlations, where the criteria are computed on these.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub common: Option<CommonPair>,
    /// Original and replication in one sentence, on one scale.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub both: Option<String>,
    /// The power of the replication for the original's effect.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub power: Option<PowerLine>,
    /// Each published number next to the one that came out, on the original's own observations.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantities: Vec<QuantityAgreement>,
}

impl Criteria {
    /// All criteria; `None` where a study has no estimate at all.
    pub fn assess(
        original: Option<&Finding>,
        replication: Option<&Finding>,
        scale: &ScaleRelation,
        sesoi: Option<&Sesoi>,
        decided: RuleDecision<'_>,
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
        let observations = decided.criterion.and_then(|criterion| criterion.observations);
        let same = observations == Some(Observations::Same);
        let (printed, recorded) = (original, replication);
        let planned = decided.criterion.and_then(|criterion| criterion.scale);
        let on_one = OneScale::new(original, Some(replication), planned);
        let scale = &on_one.apart.map_or_else(
            || scale.clone(),
            |why| ScaleRelation::Different { why: why.to_string() },
        );
        let original = on_one.original.as_ref();
        let replication = on_one.replication.as_ref().unwrap_or(recorded);
        let shared = share_axis(original, Some(replication), scale).own_units;
        let alpha = decided.criterion.map_or(0.05, Criterion::two_sided_alpha);
        let convertible = !matches!(on_one.apart, Some(UnitsApart::Ratios(..)));
        let common = original
            .filter(|_| convertible)
            .map(|original| CommonPair::from_findings(original, replication));
        let converted = match &common {
            Some(Ok(common)) => common.pair(replication, alpha, sesoi),
            _ => None,
        };
        let guessed = settled(original, Some(replication), scale) == ScaleRelation::ProbablyDifferent;
        let apart = match &common {
            Some(Err(why)) if guessed => format!(
                "The two estimates differ so much in size that they are probably not in the same units. {why}"
            ),
            Some(Err(why)) => format!("The two estimates are not in the same units. {why}"),
            _ => match on_one.apart {
                Some(apart) => format!("The two estimates are not in the same units: {apart}."),
                None => NO_ORIGINAL.to_owned(),
            },
        };
        let mut notes = Vec::new();
        notes.extend(decided.criterion.and_then(observed));
        let logged = on_one.is_logged && on_one.apart.is_none() && !same;
        notes.extend(logged.then(|| LOGGED.to_owned()));
        let pair = match original.map(|original| StudyPair::from_findings(original, replication)) {
            Some(Ok((mut pair, bases))) => {
                pair.alpha = alpha;
                let each = ["original", "replication"].into_iter().zip(bases);
                notes.extend(each.filter_map(|(study, basis)| derived(study, basis)));
                Ok(pair)
            }
            Some(Err(error)) => Err(error.to_string()),
            None => Err(NO_ORIGINAL.to_owned()),
        };
        let is_asked = |rule: &Rule| {
            same || *rule != Rule::NumericalAgreement
                || registered.is_some_and(|criterion| criterion.rule == *rule)
        };
        let lines = Rule::all().filter(is_asked).map(|rule| {
            if same && rule.assumes_independence() {
                return CriterionLine::new(Assessment::undecided(rule, SAME_OBSERVATIONS), decided);
            }
            if let Some(criterion) = registered.filter(|criterion| criterion.rule == rule) {
                let assessment = match on_scale(criterion, recorded) {
                    Ok((criterion, replication)) => primary::assess(&criterion, &replication),
                    Err(doubt) => Ok(Assessment::undecided(rule, doubt.detail)),
                };
                return CriterionLine::new(
                    assessment.unwrap_or_else(|why| Assessment::undecided(rule, why.to_string())),
                    decided,
                );
            }
            let by_interest = rule == Rule::Equivalence && sesoi.is_some();
            if let Some(printed) = printed.filter(|_| rule == Rule::NumericalAgreement) {
                return CriterionLine::new(numerical_agreement_of(printed, recorded, &[]), decided);
            }
            let assessment = match (&pair, &converted) {
                _ if no_effect && !rule.decides_no_effect() => Assessment::undecided(rule, NO_SIGN),
                (Ok(pair), _) if (shared && !by_interest) || rule.is_free_of_units() => apply(rule, pair),
                (_, Some(converted)) => apply(rule, converted),
                (Err(why), None) => Assessment::undecided(rule, why.clone()),
                (Ok(pair), None) if shared => apply(rule, pair),
                (Ok(_), None) => Assessment::undecided(rule, apart.clone()),
            };
            CriterionLine::new(assessment, decided)
        });
        let mut lines: Vec<CriterionLine> = lines.collect();
        if observations == Some(Observations::PartlySame) {
            for line in lines.iter_mut().filter(|line| line.rule.assumes_independence()) {
                line.name.push_str(" *");
            }
        }
        let common = common.and_then(Result::ok);
        let in_common = common.clone().filter(|_| !shared || pair.is_err());
        let units = settled(original, Some(replication), scale);
        notes.extend(in_common.as_ref().map(|pair| pair.note(&units)));
        notes.extend(sesoi.filter(|_| converted.is_some()).map(Sesoi::note));
        notes.extend(printed.and_then(|original| derivations("original", original)));
        let power = original.filter(|_| !same).and_then(|original| {
            power(
                original,
                replication,
                in_common.as_ref(),
                shared,
                decided.criterion,
            )
        });
        notes.extend(power.as_ref().map(|power| power.sentence.clone()));
        let sentence_scale = match &in_common {
            Some(pair) => SentenceScale::Common(pair),
            None if shared => SentenceScale::Own,
            None => SentenceScale::Apart,
        };
        let both = both_estimates(&on_one, recorded, sentence_scale, power.as_ref());
        // The verdict is by the reported p, also where nothing else can be computed.
        let decides = |line: &&mut CriterionLine| line.primary && line.rule == Rule::SignificanceAndDirection;
        for line in lines.iter_mut().filter(decides) {
            let exact = replication.p_value.filter(|p| p.relation == Relation::Equal);
            line.value = exact.map(|p| p.value);
        }
        lines.sort_by_key(|line| !line.primary);
        notes.extend(registered.and_then(|criterion| differing(criterion, printed?)));
        notes.extend(no_effect.then(|| NO_EVIDENCE.to_owned()));
        let by_t = replication
            .df
            .or(original.and_then(|original| original.df))
            .is_some();
        notes.push(match decided.criterion {
            Some(_) if by_t => {
                "The plan fixed which criterion decides. The others are shown for comparison. Tests and \
                intervals of one study use t if its degrees of freedom are known. Everything else uses the \
                normal approximation."
                    .to_owned()
            }
            Some(_) => "The plan fixed which criterion decides. The others are shown for comparison, by the \
                normal approximation."
                .to_owned(),
            None => "No criterion of a plan is known, so none of these decides.".to_owned(),
        });
        notes.insert(0, summary(&lines));
        Some(Self {
            lines,
            notes,
            common: in_common,
            both,
            power,
            quantities: printed.map_or_else(Vec::new, |printed| quantities(printed, recorded, observations)),
        })
    }

    /// The same without the power for an original that is not the claim's.
    #[must_use]
    pub fn without_power(mut self) -> Self {
        if let Some(power) = self.power.take() {
            self.notes.retain(|note| *note != power.sentence);
            self.notes.push(NO_POWER.to_owned());
            let clause = format!("; power for the original's effect {}", in_words(power.power));
            self.both = self.both.map(|both| both.replacen(&clause, "", 1));
        }
        self
    }
}

/// All criteria in one sentence.
fn summary(lines: &[CriterionLine]) -> String {
    let names = |met: Option<bool>| {
        let names: Vec<&str> = lines
            .iter()
            .filter(|line| line.met == met)
            .map(|line| line.name.as_str())
            .collect();
        match names.len() {
            0 => "none".to_owned(),
            count => format!("{count} ({})", names.join(", ")),
        }
    };
    let open = lines.iter().filter(|line| line.met.is_none()).count();
    format!(
        "Of {} criteria, met: {}; not met: {}; without a decision: {open}.",
        lines.len(),
        names(Some(true)),
        names(Some(false))
    )
}

#[cfg(test)]
#[path = "table_tests.rs"]
mod tests;
