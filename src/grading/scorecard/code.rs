//! A scorecard before any judge has spoken.

use crate::catalog::artifacts::post_registration::PostRegistration;
use crate::domain::mode::Setting;
use crate::domain::stage::Stage;
use crate::domain::verdict::{HumanLabel, Outcome, Verdict};
use crate::engine::error::EngineError;
use crate::engine::request::SandboxChoice;
use crate::engine::run_reader::{self, RunReader};
use crate::grading::criteria::line::RuleDecision;
use crate::grading::criteria::scale::ScaleRelation;
use crate::grading::criteria::shared_axis::settled;
use crate::grading::criteria::table::Criteria;
use crate::grading::offline;
use crate::grading::original::{is_of_claim, original, unused_extraction};
use crate::grading::planned_data::planned_data;
use crate::grading::published::{Published, changed_references};
use crate::run::standing::RunStanding;
use crate::scoring::outcome::Label;
use crate::study::gold::{Gold, UnreadReferences};

use crate::grading::scorecard::card::{FORMAT, OutcomeCard, RunConditions, Scorecard};

/// A scorecard by code alone; references that cannot be had leave their
/// scores unscored, with the reason.
///
/// # Errors
/// A stored answer or output of the run that cannot be read.
pub fn card(run: &RunReader, gold: &Result<Gold, UnreadReferences>) -> Result<Scorecard, EngineError> {
    let planned = planned_data(run)?;
    let (headlines, scores) = offline::score(run, gold, &planned)?;
    let registered = run_reader::answer::<PostRegistration>(&run.state, &run.store, Stage::EXTRACT)?;
    let published = Published::new(run, gold);
    let claim = run_reader::claim(&run.state);
    let original = original(registered.as_ref(), published.original, claim);
    let place = run.folder.path().display().to_string();
    let unfinished = RunStanding::from_state(&run.state).without_verdict(&place);
    let verdict = run.state.verdict.as_ref().filter(|_| unfinished.is_none());
    let (label, no_label) = match label(gold) {
        Ok(label) => (Some(label), None),
        Err(why) => (None, Some(why.to_string())),
    };
    let mut warnings: Vec<String> = unfinished.iter().cloned().collect();
    warnings.extend(
        gold.as_ref()
            .err()
            .map(|why| format!("Nothing of the study's references is used, such as its label: {why}.")),
    );
    warnings.extend(published.note);
    warnings.extend(changed_references(run, gold));
    warnings.extend(unused_extraction(registered.as_ref(), published.original));
    let replication = verdict.and_then(|verdict| verdict.finding.clone());
    let decided = RuleDecision {
        criterion: verdict.and_then(|verdict| verdict.criterion.as_deref()),
        outcome: verdict.map(|verdict| verdict.outcome),
        reason: verdict.map(|verdict| verdict.reason.as_str()),
    };
    let scale = settled(original.as_ref(), replication.as_ref(), &ScaleRelation::Unknown);
    let started = run.state.started.as_ref();
    Ok(Scorecard {
        format: FORMAT.to_owned(),
        run: run.request.run.to_string(),
        study: study_of(run),
        title: started.map_or_else(String::new, |started| started.title.clone()),
        model: run.request.model.clone(),
        setting: Setting::new(run.request.code_mode, run.request.code_access).to_string(),
        headlines,
        scores,
        outcome: outcome(verdict, label, unfinished.is_none()),
        judges: Vec::new(),
        between: Vec::new(),
        criteria: Criteria::assess(
            original.as_ref(),
            replication.as_ref(),
            &scale,
            published.sesoi,
            decided,
        )
        .map(
            |found| match is_of_claim(registered.as_ref(), published.original, claim) {
                true => found,
                false => found.without_power(),
            },
        ),
        original,
        replication,
        scale,
        warnings,
        circumstances: RunConditions {
            unfinished,
            no_label,
            sandbox: sandbox_of(run.request.sandbox).to_owned(),
            drawing: match run.request.sampling.is_default() {
                true => String::new(),
                false => run.request.sampling.to_string(),
            },
        },
    })
}

/// The study's name; of a run without a journal, the name of its folder.
pub fn study_of(run: &RunReader) -> String {
    match &run.state.started {
        Some(started) => started.study.clone(),
        None => (run.request.study.file_name())
            .map_or_else(String::new, |name| name.to_string_lossy().into_owned()),
    }
}

fn sandbox_of(choice: SandboxChoice) -> &'static str {
    match choice {
        SandboxChoice::Auto => "auto",
        SandboxChoice::Docker => "docker",
        SandboxChoice::Local => "local",
        SandboxChoice::Landlock => "landlock",
    }
}

/// The reason for which a study has no label that a verdict can equal.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoLabel {
    #[error("the study's references could not be read")]
    Unread,
    #[error("the study is labelled `mixed`, which no verdict can equal")]
    Mixed,
    #[error("the study has no label")]
    Unlabelled,
}

/// The study's label.
///
/// # Errors
/// References that cannot be read, no label, or the label `mixed`.
pub fn label(gold: &Result<Gold, UnreadReferences>) -> Result<Label, NoLabel> {
    label_of(gold.as_ref().map_err(|_| NoLabel::Unread)?)
}

/// The label among a study's references.
///
/// # Errors
/// No label, or the label `mixed`.
pub fn label_of(gold: &Gold) -> Result<Label, NoLabel> {
    match gold.outcome.as_ref().map(|outcome| outcome.label) {
        Some(HumanLabel::Met) => Ok(Label::Met),
        Some(HumanLabel::Unmet) => Ok(Label::Unmet),
        Some(HumanLabel::Mixed) => Err(NoLabel::Mixed),
        None => Err(NoLabel::Unlabelled),
    }
}

fn outcome(verdict: Option<&Verdict>, label: Option<Label>, has_ended: bool) -> OutcomeCard {
    let outcome = verdict.map(|verdict| verdict.outcome);
    OutcomeCard {
        verdict: outcome,
        reason: verdict.map(|verdict| verdict.reason.clone()),
        agent: verdict.and_then(|verdict| verdict.agent),
        right: label.filter(|_| has_ended).map(|label| {
            matches!(
                (label, outcome),
                (Label::Met, Some(Outcome::Met)) | (Label::Unmet, Some(Outcome::Unmet))
            )
        }),
        label,
    }
}
