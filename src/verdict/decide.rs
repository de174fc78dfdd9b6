//! The verdict: the registered rule on the focal number, and what speaks against it.

use crate::domain::criterion::{Criterion, FixedCriterion};
use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::Finding;
use crate::domain::verdict::{NumberSource, Outcome, Verdict};

use super::candidates::{self, Lines, candidates};
use super::claimed;
use super::contrary_evidence::{self, DataFacts};
use super::departure;
use super::earlier::{self, EarlierResult, SeenResult};
use super::focal::{self, Unread};
use super::imputation;
use super::judged::Judged;
use super::plan_words::PlanWords;
use super::planned_model;
use super::recorder_line;
use super::trace::Output;
use super::whole::{conditions, whole};

/// Everything that a verdict is taken from.
#[derive(Debug, Clone)]
pub struct VerdictFacts<'a> {
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
pub fn decide(facts: &VerdictFacts) -> Verdict {
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
    doubts.extend(planned_model::errors(finding, facts.plan));
    doubts.extend(planned_model::coefficient(finding, facts.plan));
    doubts.extend(claimed::doubt(criterion, facts.fixed, facts.original));
    doubts.extend(reported.and_then(|reported| contrary_evidence::report(finding, reported)));
    doubts.extend(recorder_line::doubt(finding, facts.outputs));
    doubts.extend(imputation::doubt(finding, facts.plan));
    doubts.extend(contrary_evidence::degrees(finding).filter(|_| imputation::planned(facts.plan).is_none()));
    doubts.extend(contrary_evidence::sample_size(finding, facts.data, facts.plan));
    doubts.extend(contrary_evidence::data(facts.data));
    doubts.extend(
        facts
            .original
            // On the original's own observations equal numbers are what is asked for.
            .filter(|_| !(criterion.is_on_same_observations() && facts.from_data))
            .and_then(|original| contrary_evidence::original_numbers(finding, original, facts.from_data)),
    );
    doubts.extend(facts.probed.iter().cloned());
    let seen: Vec<SeenResult> = facts
        .earlier
        .iter()
        .filter_map(|earlier| seen(facts, earlier))
        .collect();
    doubts.extend(earlier::doubts(&seen, mine.outcome, finding));
    let departure = departure::describe(criterion, facts.fixed);
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
        reason = format!("{}: {} At face value, {reason}", doubt.cause, doubt.detail);
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
fn chosen<'a>(facts: &VerdictFacts<'a>) -> Result<Chosen<'a>, Box<Verdict>> {
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
                    "no line of the output and no recorded result names `{term}`, so no output supports the reported numbers"
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
fn seen<'a>(facts: &VerdictFacts, earlier: &'a EarlierResult) -> Option<SeenResult<'a>> {
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
