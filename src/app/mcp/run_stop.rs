//! The stop of a run that a client carries, as the client is told of it.

use crate::domain::failure::FailureCause;
use crate::engine::dispatch::EngineStop;
use crate::run::decide::failed_stage;
use crate::run::state::State;

/// The reason for which a client's run does not wait for its next call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RunStop {
    /// The answers were taken.
    Submitted,
    /// A stage failed, and the run with it.
    Failed { cause: FailureCause, detail: String },
    /// A person has to approve first.
    AwaitingApproval { questions: Vec<String>, folder: String },
    /// It can go on once something outside it is mended.
    Broken(String),
    /// The server ends.
    Ended,
}

impl RunStop {
    /// The stop of an engine.
    pub fn from_state(state: &State, stop: EngineStop, folder: String) -> Self {
        match stop {
            EngineStop::Finished => Self::of_finished(state),
            EngineStop::AwaitingApproval => Self::of_waiting(state, folder),
            EngineStop::Halted => Self::Broken(state.halted.as_ref().map_or_else(
                || "it stopped".to_owned(),
                |halted| format!("it stopped ({}): {}", halted.cause, halted.detail),
            )),
            EngineStop::Interrupted => Self::Ended,
        }
    }

    fn of_finished(state: &State) -> Self {
        match failed_stage(state) {
            Some(failure) => Self::Failed {
                cause: failure.cause,
                detail: failure.detail.to_owned(),
            },
            None => Self::Submitted,
        }
    }

    /// The stop of a run that waits for a person.
    pub fn of_waiting(state: &State, folder: String) -> Self {
        let questions = state.open_questions();
        Self::AwaitingApproval {
            questions: questions
                .iter()
                .map(|asked| format!("{}: {}", asked.id, asked.summary))
                .collect(),
            folder,
        }
    }

    /// Whether nothing comes behind it.
    pub fn is_end(&self) -> bool {
        matches!(self, Self::Submitted | Self::Failed { .. })
    }

    /// The stop in sentences for the client; never with a grade.
    pub fn words(&self) -> String {
        match self {
            Self::Submitted => {
                "The run is over: its answers were handed in. They are graded by whoever runs it.".to_owned()
            }
            Self::Failed { cause, detail } => format!("The run is over, by {cause}: {detail}"),
            Self::AwaitingApproval { questions, folder } => format!(
                "A person has to approve first: {}. `reprise approve {folder}`, where this server runs, answers; then \
                 make the same call again.",
                questions.join("; ")
            ),
            Self::Broken(why) => format!("The run does not go on: {why}. A further call tries again."),
            Self::Ended => "The server ends; the run goes on with the next one on its folder.".to_owned(),
        }
    }
}
