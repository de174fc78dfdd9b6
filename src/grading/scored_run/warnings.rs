//! Warnings that stand beside the marks of judges.

use crate::domain::excerpt;
use crate::grading::judge::family::kinship;
use crate::grading::scorecard::card::{JudgeCard, Scorecard};
use crate::model::capabilities::Capabilities;
use crate::model::name::is_recording;

use super::grading_request::GradingRequest;

/// Most characters of the reason why a judge did not answer.
const LONGEST_FAULT: usize = 160;

/// The warning of a run whose stages a person did.
pub const BY_HAND: &str = "A person did this run's stages, so no judge was asked: a person's prose is not scored as a \
                           model's. What code decides is scored.";

/// A warning about a temperature that a judge does not take.
pub fn untold_temperature(request: &GradingRequest, judge: &str, known: &Capabilities) -> Option<String> {
    let told = request.sampling(judge, known).temperature;
    let wanted = request.temperature.filter(|_| told.is_none())?;
    Some(format!(
        "{judge} chooses its own temperature, so it was asked without `--judge-temperature {wanted}`."
    ))
}

/// A warning about a judge that was named in two ways.
pub fn one_judge(judge: &str, name: &str) -> String {
    format!("{judge} is the same recording as {name}, and one judge with it.")
}

/// Warnings about the judges of a card: kin of the agent, silent ones, and recordings.
pub fn judges(card: &Scorecard) -> Vec<String> {
    let of_one = |judge: &JudgeCard| {
        let name = &judge.judge;
        let own = if judge.is_silent() {
            Some(silent(judge))
        } else if is_recording(name) {
            Some(format!(
                "The marks of {name} come from a recording, which says nothing about any agent."
            ))
        } else {
            None
        };
        kinship(name, &card.model).into_iter().chain(own)
    };
    card.judges.iter().flat_map(of_one).collect()
}

/// A judge of which nothing came, in one line with the way out.
fn silent(judge: &JudgeCard) -> String {
    let name = &judge.judge;
    let fault = judge.cost.fault.as_deref().unwrap_or_default();
    let fault = excerpt::shortened(excerpt::first_line(fault).trim_end_matches('.'), LONGEST_FAULT);
    format!(
        "{name} answered none of its calls ({fault}): all that is marked below its name was decided by code. \
         `--drop-judge {name}` leaves it out."
    )
}
