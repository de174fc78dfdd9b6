//! The verdict: the registered rule on the focal number, and what speaks against it.

use crate::domain::claimed_effect::ClaimedEffect;
use crate::domain::condition::Condition;
use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::scale::Scale;
use crate::domain::verdict::{ConditionOutcome, NumberSource, Outcome, Verdict};

use super::additive::additive;
use super::against::{self, DataFacts};
use super::candidates::{self, Lines, candidates};
use super::claimed;
use super::condition::{self, Judged};
use super::criteria::primary;
use super::departure;
use super::earlier::{self, EarlierResult, SeenResult};
use super::focal::{self, Unread};
use super::plan_words::PlanWords;
use super::planned_model;
use super::term::of_term;
use super::trace::Output;

/// Everything that a verdict is taken from.
#[derive(Debug, Clone)]
pub struct Facts<'a> {
    pub criterion: &'a Criterion,
    /// What the study, or the default of every study, fixes.
    pub fixed: Option<&'a FixedCriterion>,
    /// What the code recorded in its last successful run, in order.
    pub recorded: &'a [Finding],
    /// Rows of the output that name a term.
    pub printed: &'a [Finding],
    /// What the agent reports.
    pub reported: &'a [Finding],
    /// All numbers of the output, wherever they stand.
    pub outputs: &'a Output,
    /// Whether a number has to stand on a line that names its term.
    pub strict: bool,
    pub data: &'a DataFacts,
    /// What the plan says of its model.
    pub plan: &'a PlanWords,
    /// The original's focal finding as published.
    pub original: Option<&'a Finding>,
    /// What the probes say against the numbers.
    pub probed: &'a [Doubt],
    /// Whether the probes showed that the numbers come from the data.
    pub from_data: bool,
    /// Results of calls before the last one.
    pub earlier: &'a [EarlierResult],
}

/// The verdict on a run's numbers; the agent's own conclusion is left to the caller.
pub fn decide(facts: &Facts) -> Verdict {
    let criterion = facts.criterion;
    let chosen = match chosen(facts) {
        Ok(found) => found,
        Err(refused) => return *refused,
    };
    let (source, pool, finding) = (chosen.source, chosen.pool, &chosen.finding);
    let mine = whole(criterion, finding, pool);
    let reported = candidates::reported(criterion, facts.reported);
    let mut doubts = mine.doubts.clone();
    doubts.extend(several(criterion, &chosen, &mine));
    doubts.extend(planned_model::focal_term(criterion, facts.plan));
    doubts.extend(planned_model::doubt(finding, facts.plan));
    doubts.extend(planned_model::coefficient(finding, facts.plan));
    doubts.extend(claimed::doubt(criterion, facts.fixed, facts.original));
    doubts.extend(reported.and_then(|reported| against::report(finding, reported)));
    doubts.extend(against::degrees(finding));
    doubts.extend(against::sample_size(finding, facts.data, facts.plan));
    doubts.extend(against::data(facts.data));
    doubts.extend(
        facts
            .original
            .and_then(|original| against::original_numbers(finding, original, facts.from_data)),
    );
    doubts.extend(facts.probed.iter().cloned());
    let seen: Vec<SeenResult> = facts
        .earlier
        .iter()
        .filter_map(|earlier| seen(facts, earlier))
        .collect();
    doubts.extend(earlier::doubts(&seen, mine.outcome, finding));
    let departure = departure::of(criterion, facts.fixed);
    if mine.outcome == Outcome::Met
        && let Some(weaker) = departure::weaker(criterion, facts.fixed, finding, pool)
    {
        doubts.push(weaker);
    }
    let mut outcome = mine.outcome;
    let mut reason = mine.reason.clone();
    let deciding = doubts.iter().find(|doubt| doubt.decides).cloned();
    if outcome != Outcome::Inconclusive
        && let Some(doubt) = &deciding
    {
        outcome = Outcome::Inconclusive;
        reason = format!("{}: {} Taken as they stand, {reason}", doubt.cause, doubt.detail);
    }
    doubts.sort_by_key(|doubt| !doubt.decides);
    doubts.dedup();
    Verdict {
        criterion: Some(Box::new(criterion.clone())),
        // The name that the report gives it, by which runs are compared.
        finding: Some(Finding {
            name: reported.map_or_else(|| finding.name.clone(), |reported| reported.name.clone()),
            ..finding.clone()
        }),
        cause: (outcome == Outcome::Inconclusive)
            .then(|| deciding.map_or(DoubtCause::Rule, |doubt| doubt.cause)),
        doubts,
        conditions: conditions(criterion, finding, pool),
        departure,
        source: Some(source),
        ..Verdict::plain(outcome, reason)
    }
}

/// The line that decides, owned: one that was only reported stands in no source.
struct Chosen<'a> {
    source: NumberSource,
    pool: &'a [Finding],
    finding: Finding,
    rivals: Vec<&'a Finding>,
}

/// The result that has the focal term's name, from the best source that has any.
fn chosen<'a>(facts: &Facts<'a>) -> Result<Chosen<'a>, Box<Verdict>> {
    let term = &facts.criterion.focal_term;
    let lines = Lines {
        recorded: facts.recorded,
        printed: facts.printed,
        reported: facts.reported,
        plan: facts.plan,
        data: facts.data,
    };
    if let Some(found) = candidates(facts.criterion, lines) {
        return Ok(Chosen {
            source: found.source,
            pool: found.pool,
            finding: found.finding.clone(),
            rivals: found.rivals,
        });
    }
    let refuse = |outcome, doubt: Doubt, finding| {
        Box::new(Verdict {
            criterion: Some(Box::new(facts.criterion.clone())),
            finding,
            cause: (outcome == Outcome::Inconclusive).then_some(doubt.cause),
            reason: doubt.detail.clone(),
            doubts: vec![doubt],
            ..Verdict::plain(outcome, "")
        })
    };
    match focal::focal_result(term, facts.criterion.rule, facts.reported, facts.outputs) {
        Ok(_) if facts.strict => Err(refuse(
            Outcome::Inconclusive,
            Doubt::deciding(
                DoubtCause::Term,
                format!(
                    "no line of the output and no recorded result names `{term}`, so that the reported numbers are bound to nothing"
                ),
            ),
            focal::focal(term, facts.reported).cloned(),
        )),
        Ok(finding) => Ok(Chosen {
            source: NumberSource::Reported,
            pool: facts.reported,
            finding,
            rivals: Vec::new(),
        }),
        Err(unread) => {
            let detail = unread.to_string();
            Err(match unread {
                Unread::NoFinding => refuse(
                    Outcome::Inconclusive,
                    Doubt::deciding(DoubtCause::Missing, detail),
                    None,
                ),
                Unread::OtherTerms { .. } => refuse(
                    Outcome::NotComparable,
                    Doubt::deciding(DoubtCause::Term, detail),
                    None,
                ),
                Unread::NotPrinted { finding, .. } => refuse(
                    Outcome::Inconclusive,
                    Doubt::deciding(DoubtCause::Term, detail),
                    Some(*finding),
                ),
            })
        }
    }
}

/// Lines of one name that decide differently.
fn several(criterion: &Criterion, chosen: &Chosen, mine: &Judged) -> Option<Doubt> {
    let is_decided = |judged: &Judged| matches!(judged.outcome, Outcome::Met | Outcome::Unmet);
    let unlike = |rival: &Finding, judged: &Judged| {
        // A line of another kind, such as an F beside its t, is only asked where it decides.
        let alike = rival.estimate.is_some() == chosen.finding.estimate.is_some();
        judged.outcome != mine.outcome && (alike || is_decided(judged))
    };
    let (_, other) = chosen
        .rivals
        .iter()
        .map(|rival| (rival, whole(criterion, rival, chosen.pool)))
        .find(|(rival, judged)| unlike(rival, judged))?;
    Some(Doubt::deciding(
        DoubtCause::Several,
        format!(
            "{} results have the name `{}`: of one, {}; of another, {}.",
            chosen.rivals.len() + 1,
            criterion.focal_term,
            mine.reason,
            other.reason
        ),
    ))
}

/// An earlier call's focal result by the same rule; none where it gave none.
fn seen<'a>(facts: &Facts, earlier: &'a EarlierResult) -> Option<SeenResult<'a>> {
    let lines = Lines {
        recorded: &earlier.recorded,
        printed: &earlier.printed,
        reported: &[],
        plan: facts.plan,
        data: facts.data,
    };
    let found = candidates(facts.criterion, lines)?;
    Some(SeenResult {
        name: &earlier.name,
        changed: &earlier.changed,
        outcome: whole(facts.criterion, found.finding, found.pool).outcome,
        finding: found.finding.clone(),
    })
}

/// The focal condition or the registered rule, with every further condition that counts.
fn whole(criterion: &Criterion, finding: &Finding, pool: &[Finding]) -> Judged {
    let focal = focal_judged(criterion, finding, pool);
    let any: Vec<Judged> = criterion.any.iter().map(|one| further(one, pool)).collect();
    let first = if any.is_empty() { focal } else { either(focal, any) };
    criterion
        .all
        .iter()
        .fold(first, |so_far, one| both(so_far, further(one, pool)))
}

fn focal_judged(criterion: &Criterion, finding: &Finding, pool: &[Finding]) -> Judged {
    if criterion.rule.is_default() {
        return condition::judge(&criterion.condition(), finding, pool);
    }
    let scale = criterion.scale.or(finding.scale).unwrap_or_default();
    let moved = match on_scale(criterion, finding, scale) {
        Ok(moved) => moved,
        Err(doubt) => {
            return Judged {
                outcome: Outcome::Inconclusive,
                reason: condition::clause(&doubt.detail),
                doubts: vec![doubt],
            };
        }
    };
    let (outcome, reason) = primary::judge(&moved.0, &moved.1);
    // What the numbers say of one another is looked at whatever the rule is.
    let plain = Criterion {
        rule: Default::default(),
        ..criterion.clone()
    };
    let mut doubts = match criterion.direction {
        ClaimedEffect::NoEffect => Vec::new(),
        _ => condition::judge(&plain.condition(), finding, pool).doubts,
    };
    for doubt in &mut doubts {
        let of_the_test = matches!(
            doubt.cause,
            DoubtCause::Bound | DoubtCause::Missing | DoubtCause::Direction | DoubtCause::Rule
        );
        doubt.decides &= !of_the_test;
    }
    if outcome == Outcome::Inconclusive {
        doubts.insert(
            0,
            Doubt::deciding(DoubtCause::Rule, format!("{}.", condition::capital(&reason))),
        );
    }
    Judged {
        outcome,
        reason,
        doubts,
    }
}

/// Criterion and finding with ratios logged, for rules that compare sizes.
fn on_scale(criterion: &Criterion, finding: &Finding, scale: Scale) -> Result<(Criterion, Finding), Doubt> {
    if scale != Scale::Ratio {
        return Ok((criterion.clone(), finding.clone()));
    }
    let original = criterion
        .original
        .as_ref()
        .map(|original| additive(original, scale, None))
        .transpose()?;
    Ok((
        Criterion {
            original,
            ..criterion.clone()
        },
        additive(finding, scale, None)?,
    ))
}

fn further(condition: &Condition, pool: &[Finding]) -> Judged {
    let found = of_term(&condition.term, pool);
    match found.as_slice() {
        [] => {
            let detail = format!("no result has the name `{}`.", condition.term);
            Judged {
                outcome: Outcome::Inconclusive,
                reason: condition::clause(&detail),
                doubts: vec![Doubt::deciding(DoubtCause::Missing, detail)],
            }
        }
        [one] => condition::judge(condition, one, pool),
        several => {
            let mut judged: Vec<Judged> = several
                .iter()
                .map(|one| condition::judge(condition, one, pool))
                .collect();
            let first = judged.remove(0);
            if judged.iter().all(|other| other.outcome == first.outcome) {
                return first;
            }
            let detail = format!(
                "{} results have the name `{}` and decide differently.",
                several.len(),
                condition.term
            );
            Judged {
                outcome: Outcome::Inconclusive,
                reason: condition::clause(&detail),
                doubts: vec![Doubt::deciding(DoubtCause::Several, detail)],
            }
        }
    }
}

fn both(one: Judged, other: Judged) -> Judged {
    let outcome = match (one.outcome, other.outcome) {
        (Outcome::Unmet, _) | (_, Outcome::Unmet) => Outcome::Unmet,
        (Outcome::Met, Outcome::Met) => Outcome::Met,
        _ => Outcome::Inconclusive,
    };
    joined(outcome, one, other, "; and ")
}

fn either(first: Judged, others: Vec<Judged>) -> Judged {
    others.into_iter().fold(first, |one, other| {
        let outcome = match (one.outcome, other.outcome) {
            (Outcome::Met, _) | (_, Outcome::Met) => Outcome::Met,
            (Outcome::Unmet, Outcome::Unmet) => Outcome::Unmet,
            _ => Outcome::Inconclusive,
        };
        joined(outcome, one, other, "; or ")
    })
}

/// A doubt decides of a part only where that part decides the whole.
fn joined(outcome: Outcome, one: Judged, other: Judged, word: &str) -> Judged {
    let reason = format!("{}{word}{}", one.reason, other.reason);
    let settled = |part: &Judged| part.outcome == outcome && !part.doubts.iter().any(|doubt| doubt.decides);
    // One part that is beyond doubt settles a failed `and` and a fulfilled `or`.
    let beyond = settled(&one) || settled(&other);
    let absorbing =
        (word == "; and " && outcome == Outcome::Unmet) || (word == "; or " && outcome == Outcome::Met);
    let mut doubts: Vec<Doubt> = one.doubts.into_iter().chain(other.doubts).collect();
    if beyond && absorbing {
        for doubt in &mut doubts {
            doubt.decides = false;
        }
    }
    Judged {
        outcome,
        reason,
        doubts,
    }
}

/// Each condition by itself, where there are several.
fn conditions(criterion: &Criterion, finding: &Finding, pool: &[Finding]) -> Vec<ConditionOutcome> {
    if criterion.further().next().is_none() {
        return Vec::new();
    }
    let focal = focal_judged(criterion, finding, pool);
    let mut outcomes = vec![ConditionOutcome {
        condition: criterion.condition(),
        outcome: focal.outcome,
        reason: focal.reason,
        decides: true,
    }];
    outcomes.extend(criterion.further().map(|(key, _, one)| {
        let judged = further(one, pool);
        ConditionOutcome {
            condition: one.clone(),
            outcome: judged.outcome,
            reason: judged.reason,
            decides: key != "also_reported",
        }
    }));
    outcomes
}
