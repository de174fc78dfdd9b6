//! Candidates among the recorded or printed lines for the focal result.

use crate::domain::criterion::Criterion;
use crate::domain::finding::Finding;
use crate::domain::scale::Scale;
use crate::domain::verdict::NumberSource;

use super::contrary_evidence::{self, DataFacts};
use super::plan_words::PlanWords;
use super::planned_model::{ModelFit, fit};
use super::term::{findings_for_term, matches};
use super::trace::WrittenNumber;

/// The lines among which the verdict's is looked for.
#[derive(Debug, Clone, Copy)]
pub struct Lines<'a> {
    pub recorded: &'a [Finding],
    pub printed: &'a [Finding],
    pub reported: &'a [Finding],
    pub plan: &'a PlanWords,
    pub data: &'a DataFacts,
}

/// The line that decides, and those that could have.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidates<'a> {
    pub source: NumberSource,
    /// All lines of the source.
    pub pool: &'a [Finding],
    /// Where the one that decides stands in the pool.
    pub at: usize,
    pub finding: &'a Finding,
    /// Others of the term that fit the plan as well.
    pub rivals: Vec<&'a Finding>,
}

/// The line of the focal term: recorded, else printed. Where several have its
/// name, the one of the planned model counts, then the one with the planned
/// number of rows, then the one that the agent reports, then the first.
pub fn candidates<'a>(criterion: &Criterion, lines: Lines<'a>) -> Option<Candidates<'a>> {
    [
        (NumberSource::Recorded, lines.recorded),
        (NumberSource::Printed, lines.printed),
    ]
    .into_iter()
    .find_map(|(source, pool)| {
        let found = as_planned(criterion, pool, lines);
        let apt = apt(criterion, &found);
        let finding = *apt
            .iter()
            .find(|one| is_reported(criterion, one, lines.reported))
            .or_else(|| apt.first())?;
        let at = pool.iter().position(|one| std::ptr::eq(one, finding))?;
        Some(Candidates {
            source,
            pool,
            at,
            finding,
            rivals: found
                .into_iter()
                .filter(|one| !std::ptr::eq(*one, finding))
                .collect(),
        })
    })
}

/// The lines of the term, as far as they are of the planned model where any is.
fn as_planned<'a>(criterion: &Criterion, pool: &'a [Finding], lines: Lines) -> Vec<&'a Finding> {
    let term = &criterion.focal_term;
    let is_planned = |finding: &&Finding| fit(finding, lines.plan) == ModelFit::Planned;
    let mut found = findings_for_term(term, pool);
    let is_other = |finding: &&Finding| matches!(fit(finding, lines.plan), ModelFit::Other(_));
    if !found.is_empty() && found.iter().all(is_other) {
        // A longer name may be that of the planned model.
        let longer: Vec<&Finding> = pool
            .iter()
            .filter(|finding| matches(term, &finding.name).is_some())
            .filter(is_planned)
            .collect();
        if !longer.is_empty() {
            return longer;
        }
    }
    keep(&mut found, |finding| !is_other(finding));
    keep(&mut found, |finding| {
        contrary_evidence::sample_size(finding, lines.data, lines.plan).is_none_or(|doubt| !doubt.decides)
    });
    found
}

/// Keeps the lines that pass, where any does.
fn keep(found: &mut Vec<&Finding>, passes: impl Fn(&&Finding) -> bool) {
    if found.iter().any(&passes) {
        found.retain(passes);
    }
}

/// The results that the condition can be about: with an estimate where it is
/// signed, without one where it is not, as far as there are any of these.
fn apt<'a>(criterion: &Criterion, found: &[&'a Finding]) -> Vec<&'a Finding> {
    let unsigned = criterion.scale == Some(Scale::Unsigned);
    let mut apt = found.to_vec();
    keep(&mut apt, |finding| finding.estimate.is_none() == unsigned);
    apt
}

/// The agent's own figures of the focal term.
pub fn reported<'a>(criterion: &Criterion, findings: &'a [Finding]) -> Option<&'a Finding> {
    findings_for_term(&criterion.focal_term, findings)
        .first()
        .copied()
}

fn is_reported(criterion: &Criterion, one: &Finding, findings: &[Finding]) -> bool {
    let wanted = reported(criterion, findings).and_then(|reported| reported.estimate);
    wanted
        .and_then(WrittenNumber::from_value)
        .zip(one.estimate)
        .is_some_and(|(wanted, estimate)| wanted.is_of(estimate))
}
