//! A scorecard before any judge has spoken.

use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::domain::mode::Setting;
use crate::domain::stage::Stage;
use crate::domain::verdict::Outcome;
use crate::engine::archive::{self, Archive};
use crate::engine::error::EngineError;
use crate::report::criteria::{Criteria, Decided};
use crate::report::evidence::Scale;
use crate::report::html::place::settled;
use crate::report::{gather, offline};
use crate::scoring::outcome::Label;
use crate::study::gold::Gold;

use super::card::{FORMAT, OutcomeCard, Scorecard};

/// What code alone says of a run; references that cannot be had leave their
/// scores unscored, with the reason.
pub fn card(run: &Archive, gold: &Result<Gold, String>) -> Result<Scorecard, EngineError> {
    let planned = gather::planned_data(run)?;
    let (headlines, scores) = offline::score(run, gold, &planned)?;
    let registered = archive::answer::<PostRegistration>(&run.state, &run.store, Stage::Extract)?;
    let published = gold.as_ref().ok().and_then(|gold| gold.original.as_ref());
    let original = gather::original(registered.as_ref(), published);
    let verdict = run.state.verdict.as_ref();
    let replication = verdict.and_then(|verdict| verdict.finding.clone());
    let decided = Decided {
        criterion: verdict.and_then(|verdict| verdict.criterion.as_deref()),
        outcome: verdict.map(|verdict| verdict.outcome),
        reason: verdict.map(|verdict| verdict.reason.as_str()),
    };
    let scale = settled(original.as_ref(), replication.as_ref(), &Scale::Unknown);
    let started = run.state.started.as_ref();
    Ok(Scorecard {
        format: FORMAT.to_owned(),
        run: run.request.run.to_string(),
        study: started.map_or_else(String::new, |started| started.study.clone()),
        title: started.map_or_else(String::new, |started| started.title.clone()),
        model: run.request.model.clone(),
        setting: Setting::of(run.request.code_mode, run.request.code_access).to_string(),
        headlines,
        scores,
        outcome: outcome(run, gold),
        judges: Vec::new(),
        between: Vec::new(),
        criteria: Criteria::of(original.as_ref(), replication.as_ref(), &scale, decided),
        original,
        replication,
        scale,
        warnings: Vec::new(),
    })
}

fn outcome(run: &Archive, gold: &Result<Gold, String>) -> OutcomeCard {
    let verdict = run.state.verdict.as_ref();
    let outcome = verdict.map(|verdict| verdict.outcome);
    let label = gold.as_ref().ok().and_then(|gold| gold.outcome.as_ref());
    let label = label.and_then(|label| match label.label {
        Outcome::Met => Some(Label::Met),
        Outcome::Unmet => Some(Label::Unmet),
        Outcome::Inconclusive | Outcome::NotComparable => None,
    });
    OutcomeCard {
        verdict: outcome,
        reason: verdict.map(|verdict| verdict.reason.clone()),
        agent: verdict.and_then(|verdict| verdict.agent),
        right: label.map(|label| {
            matches!(
                (label, outcome),
                (Label::Met, Some(Outcome::Met)) | (Label::Unmet, Some(Outcome::Unmet))
            )
        }),
        label,
    }
}
