//! The first step at which two runs part.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::domain::digest::Digest;
use crate::domain::stage::Stage;
use crate::run::stage_state::TurnState;
use crate::run::state::State;

/// The first step that differs between two runs, on the side of what agents did and of
/// what they were told.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Parting {
    /// An answer or a call of a tool.
    pub did: Option<PartingStep>,
    /// A prompt or a tool's result.
    pub told: Option<PartingStep>,
}

/// A step that differs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PartingStep {
    pub stage: Stage,
    /// Counted from 1; absent of the prompt that a stage begins with.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub turn: Option<usize>,
    /// The step of the first run, in a few words; absent where it had ended.
    pub first: Option<String>,
    pub second: Option<String>,
}

/// A step of a run, with what it is compared by.
struct Step {
    stage: Stage,
    turn: Option<usize>,
    words: String,
    content: Digest,
}

impl Parting {
    /// Holds the steps of two runs against each other, in their order.
    pub fn new(first: &State, second: &State) -> Self {
        Self {
            did: first_difference(&did(first), &did(second)),
            told: first_difference(&told(first), &told(second)),
        }
    }

    /// The steps as sentences.
    pub fn sentences(&self) -> Vec<String> {
        match (&self.did, &self.told) {
            (None, None) => {
                vec!["Both runs took the same steps and were told the same.".to_owned()]
            }
            (did, told) => {
                let did = did
                    .as_ref()
                    .map(|step| format!("What was done differs first in {}.", step.words()));
                let told = told
                    .as_ref()
                    .map(|step| format!("What was told differs first in {}.", step.words()));
                let same = "Both took the same steps.".to_owned();
                vec![
                    did.unwrap_or(same),
                    told.unwrap_or_else(|| "Both were told the same.".to_owned()),
                ]
            }
        }
    }
}

impl PartingStep {
    fn words(&self) -> String {
        let turn = self.turn.map_or(String::new(), |turn| format!(", turn {turn}"));
        let side = |words: &Option<String>| words.clone().unwrap_or_else(|| "nothing more".to_owned());
        let (first, second) = (side(&self.first), side(&self.second));
        if first == second {
            return format!("{}{turn}: {first}, with other content", self.stage);
        }
        format!(
            "{}{turn}: {first} in the first run, {second} in the second",
            self.stage
        )
    }
}

fn first_difference(first: &[Step], second: &[Step]) -> Option<PartingStep> {
    let longest = first.len().max(second.len());
    let at = (0..longest).find(|at| match (first.get(*at), second.get(*at)) {
        (Some(one), Some(other)) => {
            (one.stage, one.turn, &one.content) != (other.stage, other.turn, &other.content)
        }
        _ => true,
    })?;
    let (one, other) = (first.get(at), second.get(at));
    let place = one.or(other)?;
    let words = |step: Option<&Step>| {
        step.map(|step| match step.stage == place.stage {
            true => step.words.clone(),
            false => format!("{} of the stage {}", step.words, step.stage),
        })
    };
    Some(PartingStep {
        stage: place.stage,
        turn: place.turn,
        first: words(one),
        second: words(other),
    })
}

/// Answers, with the calls in them.
fn did(state: &State) -> Vec<Step> {
    let mut steps = Vec::new();
    for (stage, one) in &state.stages {
        for (turn, answer) in one.turns.iter().enumerate() {
            steps.push(Step {
                stage: *stage,
                turn: Some(turn + 1),
                words: answer_words(answer),
                content: answer_content(answer),
            });
        }
    }
    steps
}

/// Prompts, and what tools said.
fn told(state: &State) -> Vec<Step> {
    let mut steps = Vec::new();
    for (stage, one) in &state.stages {
        let prompt = format!("{} {}", one.system.digest(), one.user.digest());
        steps.push(Step {
            stage: *stage,
            turn: None,
            words: "the prompt".to_owned(),
            content: Digest::compute(prompt),
        });
        for (turn, answer) in one.turns.iter().enumerate() {
            for result in answer.results.values() {
                let said = result.stable.as_ref().unwrap_or(&result.observation);
                let how = if result.ok { "" } else { ", which failed" };
                steps.push(Step {
                    stage: *stage,
                    turn: Some(turn + 1),
                    words: format!("the result of {}{how}", result.tool),
                    content: Digest::compute(format!("{} {} {}", result.tool, result.ok, said.digest())),
                });
            }
        }
    }
    steps
}

fn answer_words(answer: &TurnState) -> String {
    let calls: Vec<String> = answer
        .calls
        .iter()
        .map(|call| {
            let arguments: Option<Value> = serde_json::from_str(&call.arguments).ok();
            let path = arguments
                .as_ref()
                .and_then(|arguments| arguments.get("path")?.as_str());
            path.map_or_else(|| call.name.clone(), |path| format!("{} {path}", call.name))
        })
        .collect();
    match calls.is_empty() {
        true => "an answer".to_owned(),
        false => calls.join(" and "),
    }
}

/// Of an answer with calls, these alone: the words around them do nothing.
fn answer_content(answer: &TurnState) -> Digest {
    if answer.calls.is_empty() {
        return answer.text.digest();
    }
    // Arguments count as values, not as they are spaced.
    let calls: Vec<(&str, Value)> = answer
        .calls
        .iter()
        .map(|call| {
            let arguments = serde_json::from_str(&call.arguments);
            let as_it_is = |_| Value::String(call.arguments.clone());
            (call.name.as_str(), arguments.unwrap_or_else(as_it_is))
        })
        .collect();
    Digest::compute_json(&calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(turn: usize, words: &str, content: &str) -> Step {
        Step {
            stage: Stage::DESIGN,
            turn: Some(turn),
            words: words.to_owned(),
            content: Digest::compute(content),
        }
    }

    #[test]
    fn the_first_step_that_differs_is_named_from_both_sides() {
        let first = [step(1, "list_files", "a"), step(2, "write_file work/a.py", "b")];
        let second = [step(1, "list_files", "a"), step(2, "read_file input/x.csv", "c")];
        let parting = first_difference(&first, &second).unwrap();
        assert_eq!(
            parting.words(),
            "design, turn 2: write_file work/a.py in the first run, read_file input/x.csv in the second"
        );
        assert_eq!(first_difference(&first, &first), None);
    }

    #[test]
    fn a_run_that_ends_earlier_parts_at_its_end() {
        let first = [step(1, "list_files", "a")];
        let second = [step(1, "list_files", "a"), step(2, "an answer", "b")];
        let parting = first_difference(&first, &second).unwrap();
        assert_eq!(
            parting.words(),
            "design, turn 2: nothing more in the first run, an answer in the second"
        );
    }

    #[test]
    fn the_same_call_with_other_content_is_told_as_such() {
        let first = [step(1, "write_file work/a.py", "a")];
        let second = [step(1, "write_file work/a.py", "b")];
        let parting = first_difference(&first, &second).unwrap();
        assert_eq!(
            parting.words(),
            "design, turn 1: write_file work/a.py, with other content"
        );
    }
}
