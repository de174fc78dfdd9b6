//! The end of a stage whose agent was a program: by the answer that it left, or by how it ended.

use serde_json::Value;

use crate::capsule::submission;
use crate::domain::content::Content;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::effects::context::Effects;
use crate::effects::end_stage;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::StageEnd;
use crate::run::program::{ProgramEnded, ProgramEnding};
use crate::tools::workspace::{CannotRead, Workspace};

use super::chosen::agent;
use super::prepared::{answer_files, artifact, below, place};
use super::stage_place::{environment, workspace};

/// The most bytes of an answer.
const LARGEST: u64 = 1 << 20;

/// The answer that a program left in its files; `None` where there is none.
///
/// # Errors
/// A workspace that cannot be opened, an answer that this machine fails to read, or a store that cannot be written.
pub fn answer(effects: &Effects, session: &Session, stage: Stage) -> Result<Option<Content>, EngineError> {
    let (_, loaded) = agent(effects)?;
    let environment = environment(effects, session, stage)?;
    let start = place(effects, environment.as_ref())?.start;
    let root = workspace(effects, session, stage)?;
    let workspace = Workspace::open(&root).map_err(|error| EngineError::io(&root, error))?;
    for file in &answer_files(&loaded.definition, artifact(session, stage)?) {
        match workspace.read(&below(&start, file), LARGEST) {
            // One that is cut off is said to be too large later.
            Ok(found) => return Ok(Some(session.keep(&found.bytes)?)),
            Err(CannotRead::Missing(_)) => {}
            // Whether there is an answer is not known, so that none must be recorded.
            Err(CannotRead::Machine(path, why)) => {
                return Err(EngineError::io(&path.below(&root), std::io::Error::other(why)));
            }
            Err(error) => session.line(&format!("The answer is not read: {error}")),
        }
    }
    Ok(None)
}

/// Ends the stage.
///
/// # Errors
/// An answer that the store lacks, or a journal that cannot be written.
pub fn conclude(
    effects: &Effects,
    session: &mut Session,
    stage: Stage,
    ended: &ProgramEnded,
) -> Result<(), EngineError> {
    let (request, loaded) = agent(effects)?;
    let said = format!("The program of `{}` {}.", request.name, ended.ending.words());
    let failed = |session: &mut Session, cause, detail| {
        end_stage::end(session, stage, StageEnd::Failed { cause, detail })
    };
    let Some(content) = &ended.answer else {
        let detail = format!("{said} {}", no_answer(effects, session, stage)?);
        return failed(
            session,
            cause(&ended.ending, loaded.definition.cause_of(status(ended))),
            detail,
        );
    };
    match read(&session.load(content)?) {
        Ok(answer) => {
            let started = session.state.started.as_ref();
            let terms = started.and_then(|started| started.capsule.as_ref());
            let faults = terms.map_or(Vec::new(), |terms| submission::faults(&terms.questions, &answer));
            let mut deviations = match ended.ending {
                ProgramEnding::Exited(0) => Vec::new(),
                _ => vec![format!("{said} The answer that it had left by then counts.")],
            };
            deviations.extend(faults);
            end_stage::finish(session, stage, &answer, deviations)
        }
        Err(why) => failed(
            session,
            FailureCause::InvalidAnswer,
            format!("{said} Its answer is not used: {why}."),
        ),
    }
}

/// What is said of a program that left no answer.
///
/// # Errors
/// An agent that cannot be used, or a stage that the run's track has not.
pub fn no_answer(effects: &Effects, session: &Session, stage: Stage) -> Result<String, EngineError> {
    let (_, loaded) = agent(effects)?;
    let files = answer_files(&loaded.definition, artifact(session, stage)?);
    let files: Vec<String> = files.iter().map(ToString::to_string).collect();
    Ok(format!("It left no answer ({}).", files.join(", ")))
}

/// The exit status of a program; 0 of one that did not end by itself.
pub fn status(ended: &ProgramEnded) -> i32 {
    match ended.ending {
        ProgramEnding::Exited(status) => status,
        _ => 0,
    }
}

/// The cause of a stage's failure, by the end of a program that left no answer.
pub fn cause(ending: &ProgramEnding, of_status: FailureCause) -> FailureCause {
    match ending {
        ProgramEnding::Exited(_) => of_status,
        ProgramEnding::OutOfTime(_) | ProgramEnding::Idle(_) => FailureCause::Timeout,
        ProgramEnding::Spent(_) | ProgramEnding::Full(_) => FailureCause::Limit,
        ProgramEnding::Unanswered(_) => FailureCause::Infrastructure,
        ProgramEnding::SessionOver(over) => over.cause,
        ProgramEnding::Undecided => FailureCause::Cancelled,
    }
}

/// An answer, as a program wrote it.
fn read(bytes: &[u8]) -> Result<Value, String> {
    if bytes.len() as u64 >= LARGEST {
        return Err(format!("it is larger than {LARGEST} bytes"));
    }
    let text = String::from_utf8_lossy(bytes);
    let value: Value = serde_json::from_str(text.trim_start_matches('\u{feff}'))
        .map_err(|error| format!("it is no JSON ({error})"))?;
    match value.is_object() {
        true => Ok(value),
        false => Err("it is no JSON object".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_whole_object_is_an_answer() {
        assert!(read("\u{feff}{\"a\": 1}\n".as_bytes()).is_ok());
        assert!(read(b"[1]").unwrap_err().contains("no JSON object"));
        assert!(read(b"{\"a\": 1").unwrap_err().contains("no JSON ("));
        assert!(
            read(&vec![b' '; LARGEST as usize])
                .unwrap_err()
                .contains("larger")
        );
    }
}
