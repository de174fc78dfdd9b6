//! Commands that a program asks about on their way to the gate.

use tokio::sync::{mpsc, oneshot};
use tokio_util::sync::CancellationToken;

use crate::domain::stage::Stage;
use crate::effects::command_gate::{self, CommandDecision};
use crate::effects::context::Effects;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::proxy::asked_command::{AskedCommand, CommandReply};
use crate::policy::subject::{AskingProgram, SessionCommand};
use crate::run::event::CallRef;

/// What a program is told where the run ends before a decision.
const OVER: &str = "The run ended before the command was decided on. Nothing was run.";

/// A command that a program waits with.
pub struct CommandQuestion {
    pub command: AskedCommand,
    pub reply: oneshot::Sender<CommandReply>,
}

/// Hands a question to the engine, and waits for the decision.
pub async fn ask(engine: &mpsc::Sender<CommandQuestion>, command: AskedCommand) -> CommandReply {
    let (reply, decided) = oneshot::channel();
    if engine.send(CommandQuestion { command, reply }).await.is_err() {
        return CommandReply::Refused(OVER.to_owned());
    }
    decided
        .await
        .unwrap_or_else(|_| CommandReply::Refused(OVER.to_owned()))
}

/// The gate of one start of a program.
pub struct ProgramGate<'a> {
    pub effects: &'a Effects,
    pub stage: Stage,
    /// The name of the agent.
    pub agent: &'a str,
    /// The name of the environment that it acts in.
    pub environment: &'a str,
}

impl ProgramGate<'_> {
    /// Has a command decided on and tells its program. Where nobody is there to decide, the question comes back:
    /// its program waits as long as it is kept, and would take its end for a refusal.
    ///
    /// # Errors
    /// A question that cannot be kept in the store, or a journal that cannot be written.
    pub async fn decide(
        &self,
        session: &mut Session,
        question: CommandQuestion,
        cancel: &CancellationToken,
    ) -> Result<Option<CommandQuestion>, EngineError> {
        let AskedCommand { command, directory } = question.command.clone();
        let at = CallRef {
            stage: self.stage,
            turn: 0,
            call: 0,
        };
        let command = SessionCommand {
            environment: self.environment.to_owned(),
            text: command,
            program: Some(AskingProgram {
                agent: self.agent.to_owned(),
                directory,
            }),
        };
        let reply = match command_gate::decided_on(self.effects, session, command, at, cancel).await? {
            CommandDecision::Open => CommandReply::Allowed,
            CommandDecision::Refused(words) => CommandReply::Refused(words),
            CommandDecision::Parked => return Ok(Some(question)),
        };
        // A program that has gone needs no reply.
        let _ = question.reply.send(reply);
        Ok(None)
    }
}
