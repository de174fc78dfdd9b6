//! The end of one stage whose agent was a program: what it left is taken over, its plan is executed where
//! it has one, and its answer is held against what was asked for. What does not do is told to another
//! start of the program, as often as its definition allows.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::agent::reading::{AnswerForm, Reading, answer_in};
use crate::catalog::agents::load::LoadedAgent;
use crate::catalog::stages::inputs::AnswerReview;
use crate::domain::execution::RUN_ANALYSIS;
use crate::domain::failure::FailureCause;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::{self, Analysed};
use crate::effects::context::Effects;
use crate::effects::end_stage;
use crate::effects::extraction;
use crate::effects::halt::halt;
use crate::effects::plan_review;
use crate::effects::stage_sandbox::taken_over::{self, LeftWork};
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::chat::ModelError;
use crate::run::event::{CallRef, Event, ProgramObjection, StageEnd};
use crate::run::program::{ProgramEnded, ProgramEnding};
use crate::run::program_state::{ProgramState, executed_in};

use super::chosen::agent;
use super::conclude::{cause, no_answer, status};
use super::prepared::{answer_files, artifact, below};
use super::stage_place;

/// What a program left in its copy of the workspace; `None` where it had none.
///
/// # Errors
/// Files that cannot be read, or a store that cannot be written; [`EngineError::Stopped`] where `cancel`
/// came first.
pub fn left(
    effects: &Effects,
    session: &Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<Option<LeftWork>, EngineError> {
    let Some(sandbox) = stage_place::stage_sandbox(effects, session, stage)? else {
        return Ok(None);
    };
    let (_, loaded) = agent(effects)?;
    let work: WorkspacePath = WorkspacePath::WORK
        .parse()
        .map_err(|error| EngineError::Unusable(format!("{error}")))?;
    let answers = answer_files(&loaded.definition, artifact(session, stage)?);
    let answers: Vec<WorkspacePath> = answers.iter().map(|file| below(&work, file)).collect();
    taken_over::keep(session, stage, &sandbox.copy, &answers, cancel).map(Some)
}

/// Ends the stage, or has its program started again.
///
/// # Errors
/// An agent that cannot be used, files that cannot be taken over, an execution that fails for a reason
/// outside the study, or a journal that cannot be written.
pub async fn conclude(
    effects: &mut Effects,
    session: &mut Session,
    stage: Stage,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let ended = EndedProgram::find(effects, session, stage)?;
    take_over(session, &ended)?;
    let executes = ended.executes(effects);
    let mut faults = Vec::new();
    let answer = match &ended.end.answer {
        Some(content) => read(effects, session, stage, &session.load(content)?)?,
        None => StageAnswer::missing(no_answer(effects, session, stage)?),
    };
    // Without an answer a stage is over, unless its program is started again.
    if executes && (answer.value.is_some() || ended.may_begin_again()) {
        match executed(effects, session, &ended, cancel).await? {
            Executed::Well => {}
            Executed::Badly(said) => faults.push(Fault {
                detail: "the engine's run of the plan failed".to_owned(),
                words: format!("The engine ran the plan, and it failed:\n{said}"),
            }),
            Executed::Stopped(step) => return Ok(step),
            Executed::Refused(detail) => {
                let cause = FailureCause::Cancelled;
                end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
                return Ok(Step::Done);
            }
        }
    }
    faults.extend(answer.faults);
    if !faults.is_empty() && ended.may_begin_again() {
        return object(session, stage, &faults);
    }
    let said = format!("The program of `{}` {}.", ended.name, ended.end.ending.words());
    let details: Vec<&str> = faults.iter().map(|fault| fault.detail.as_str()).collect();
    let Some(value) = answer.value else {
        let cause = match ended.end.answer {
            Some(_) => FailureCause::InvalidAnswer,
            None => cause(
                &ended.end.ending,
                ended.loaded.definition.cause_of(status(&ended.end)),
            ),
        };
        let detail = format!("{said} {}", details.join("; "));
        end_stage::end(session, stage, StageEnd::Failed { cause, detail })?;
        return Ok(Step::Done);
    };
    let mut deviations = match ended.end.ending {
        ProgramEnding::Exited(0) => Vec::new(),
        _ => vec![format!("{said} The answer that it had left by then counts.")],
    };
    deviations.extend(answer.notes);
    let objected = details
        .iter()
        .map(|detail| format!("The answer stands although it was objected to: {detail}"));
    deviations.extend(objected);
    end_stage::finish(session, stage, &value, deviations)?;
    Ok(Step::Done)
}

/// The last start of a stage's program, which has ended.
struct EndedProgram {
    stage: Stage,
    name: String,
    loaded: LoadedAgent,
    state: ProgramState,
    end: ProgramEnded,
    /// The round that it was of, from 0.
    round: u32,
}

impl EndedProgram {
    fn find(effects: &Effects, session: &Session, stage: Stage) -> Result<Self, EngineError> {
        let none = || EngineError::Unusable(format!("no program of stage {stage} has ended"));
        let (request, loaded) = agent(effects)?;
        let programs = session.state.stages.get(&stage).ok_or_else(none)?;
        let state = programs.programs.last().cloned().ok_or_else(none)?;
        Ok(Self {
            stage,
            name: request.name.clone(),
            loaded,
            end: state.ended.clone().ok_or_else(none)?,
            state,
            round: programs.rounds().current(),
        })
    }

    fn executes(&self, effects: &Effects) -> bool {
        let definition = effects.ports.catalog.stage(self.stage);
        definition.is_some_and(|definition| definition.executes())
    }

    /// Whether another start may come further: of one that was ended at a limit none does.
    fn may_begin_again(&self) -> bool {
        let rounds = self.loaded.definition.limits.rounds;
        matches!(self.end.ending, ProgramEnding::Exited(_)) && self.round + 1 < rounds
    }

    fn at(&self) -> CallRef {
        executed_in(self.stage, self.round)
    }
}

/// Takes over what a program left, unless what was executed behind it has changed that already.
fn take_over(session: &Session, ended: &EndedProgram) -> Result<(), EngineError> {
    let Some(left) = &ended.state.left else {
        return Ok(());
    };
    let executions = &session.state.executions;
    let mut all = executions.iter().chain(executions.variants());
    match all.any(|one| one.started.at == ended.at() && !one.interrupted) {
        true => Ok(()),
        false => taken_over::take_over(session, left),
    }
}

/// Something that does not do.
struct Fault {
    /// For the journal and for people, a clause.
    detail: String,
    /// For the program.
    words: String,
}

/// A stage's answer, read, and what is to be said of it.
struct StageAnswer {
    /// `None` where it cannot be used.
    value: Option<Value>,
    notes: Vec<String>,
    faults: Vec<Fault>,
}

impl StageAnswer {
    fn missing(why: String) -> Self {
        Self::unusable(why.clone(), why)
    }

    fn unusable(detail: String, words: String) -> Self {
        Self {
            value: None,
            notes: Vec::new(),
            faults: vec![Fault { detail, words }],
        }
    }
}

/// Reads an answer, and holds it against its schema and against what its stage asks for.
fn read(
    effects: &Effects,
    session: &Session,
    stage: Stage,
    bytes: &[u8],
) -> Result<StageAnswer, EngineError> {
    let none = || EngineError::Unusable(format!("the track has no stage {stage}"));
    let definition = effects.ports.catalog.stage(stage).ok_or_else(none)?;
    let started = session.state.started.as_ref();
    let form = AnswerForm {
        stage,
        criterion: started.and_then(|started| started.claim.criterion.as_ref()),
        own_schema: definition.own_schema.as_ref(),
    };
    let text = String::from_utf8_lossy(bytes);
    let (answer, mut notes) = match answer_in(form, text.trim_start_matches('\u{feff}')) {
        Reading::Answer { answer, deviations } => (answer, deviations),
        Reading::Misfit { faults } => {
            let listed = faults.join("\n- ");
            return Ok(StageAnswer::unusable(
                format!("its answer does not fit: {}", faults.join("; ")),
                format!("The answer does not fit its shape:\n- {listed}\nWrite the whole answer again."),
            ));
        }
        _ => {
            let why = "its answer is no whole JSON object".to_owned();
            return Ok(StageAnswer::unusable(
                why.clone(),
                format!("The answer is not used: {why}."),
            ));
        }
    };
    let (answer, objection) = match effects.ports.catalog.review_of(stage) {
        Some(AnswerReview::Claim) => {
            let found = extraction::completed(effects, session, answer);
            notes.extend(found.notes);
            (found.answer, found.objection)
        }
        Some(AnswerReview::Plan) => {
            let objection = plan_review::objection(effects, session, &answer)?;
            (answer, objection)
        }
        Some(AnswerReview::Addresses) => {
            notes.push("The addresses are a program's, and were not held against the web.".to_owned());
            (answer, None)
        }
        Some(AnswerReview::Answers | AnswerReview::CheckedAnswers | AnswerReview::None) | None => {
            (answer, None)
        }
    };
    let faults = objection.map(|objection| Fault {
        detail: objection.detail,
        words: objection.words,
    });
    Ok(StageAnswer {
        value: Some(answer),
        notes,
        faults: faults.into_iter().collect(),
    })
}

/// The outcome of the engine's run of the plan.
enum Executed {
    Well,
    Badly(String),
    /// The run waits, was stopped, or is out of time.
    Stopped(Step),
    Refused(String),
}

/// Has the plan executed, as a call of [`RUN_ANALYSIS`] would.
async fn executed(
    effects: &mut Effects,
    session: &mut Session,
    ended: &EndedProgram,
    cancel: &CancellationToken,
) -> Result<Executed, EngineError> {
    let reason = format!(
        "the program of {} has ended, and its plan is run ({RUN_ANALYSIS})",
        ended.name
    );
    Ok(
        match analyse::run(effects, session, ended.at(), &reason, cancel).await? {
            Analysed::Observed(observation) if observation.ok => Executed::Well,
            Analysed::Observed(observation) | Analysed::Left(observation) => {
                Executed::Badly(observation.text)
            }
            Analysed::Parked => Executed::Stopped(Step::Parked),
            Analysed::Interrupted => Executed::Stopped(Step::Interrupted),
            Analysed::OutOfTime(spent) => {
                Executed::Stopped(halt(effects, session, ended.stage, ModelError::Spent(spent))?)
            }
            Analysed::Cancelled(detail) => Executed::Refused(detail),
        },
    )
}

/// Journals what does not do, so that the program is started again.
fn object(session: &mut Session, stage: Stage, faults: &[Fault]) -> Result<Step, EngineError> {
    let details: Vec<&str> = faults.iter().map(|fault| fault.detail.as_str()).collect();
    let words: Vec<&str> = faults.iter().map(|fault| fault.words.as_str()).collect();
    session.record(Event::ProgramObjected(Box::new(ProgramObjection {
        stage,
        detail: details.join("; "),
        remark: session.keep(words.join("\n\n").as_bytes())?,
    })))?;
    Ok(Step::Done)
}
