//! The model proxy of a program, with what it needs of the run.

use std::path::PathBuf;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::sync::mpsc::Receiver;

use crate::catalog::agents::definition::AgentDefinition;
use crate::domain::content::Content;
use crate::domain::stage::Stage;
use crate::domain::usage::Usage;
use crate::effects::context::Effects;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::model::proxy::admission::RunToken;
use crate::model::proxy::call_budget::CallBudget;
use crate::model::proxy::client_request::RequestRules;
use crate::model::proxy::server::{ProxyParts, ProxyServer};
use crate::model::proxy::serving::Patience;
use crate::run::program_state::ProgramRounds;
use crate::sandbox::socket_folder;

use super::calls::{KeptCall, KeptCalls, ProgramCalls};
use super::earlier_calls::{self, EarlierCall, WholeRequests};
use super::journal::CallJournal;
use super::normalised::Normalisation;
use super::program_model::{CallSource, ProgramModel};
use super::questions::CommandQuestion;
use super::recorded_bytes::RecordedBytes;
use super::supervise::{ProgramBounds, Supervision};

/// The tokens that an answer may take where a program sets no limit.
const PLANNED: u64 = 16_000;

/// The name of the socket in its folder.
const SOCKET: &str = "model";

/// A proxy that serves one start of a program.
pub struct CallServing {
    model: ProgramModel,
    calls: Arc<ProgramCalls>,
    ended: Receiver<KeptCall>,
    questions: Receiver<CommandQuestion>,
    journal: CallJournal,
    /// `None` once nobody is to ask.
    server: Option<ProxyServer>,
    /// Nobody else reaches the socket in it.
    folder: TempDir,
}

impl CallServing {
    /// Listens for the calls of a stage's program.
    ///
    /// # Errors
    /// A model that answers no program, earlier calls that cannot be read, or a socket that cannot be made.
    pub fn start(
        effects: &Effects,
        session: &Session,
        stage: Stage,
        definition: &AgentDefinition,
        token: RunToken,
    ) -> Result<Self, EngineError> {
        let model = model(effects)?;
        let normalisation = Normalisation::new(definition)?;
        let earlier = earlier(session, stage, &model, &normalisation)?;
        let most = definition.limits.recorded_megabytes.saturating_mul(1_000_000);
        let budget = CallBudget::new(effects.ports.account.clone(), effects.ports.model.name(), stage);
        let KeptCalls {
            calls,
            ended,
            questions,
        } = ProgramCalls::keeping(
            budget.clone(),
            normalisation,
            earlier.calls,
            RecordedBytes::of(&session.state, most),
            earlier.is_replay,
        );
        let folder = socket_folder::make().map_err(|error| EngineError::io(&std::env::temp_dir(), error))?;
        let parts = ProxyParts {
            upstream: match &model.source {
                CallSource::Provider(upstream) => Some(upstream.clone()),
                CallSource::Replayed(_) => None,
            },
            engine: calls.clone(),
            budget,
            rules: rules(effects, &model, &definition.model_names),
            token,
            patience: Patience::default(),
        };
        let socket = folder.path().join(SOCKET);
        let server =
            ProxyServer::on_socket(parts, &socket).map_err(|error| EngineError::io(&socket, error))?;
        Ok(Self {
            model,
            calls,
            ended,
            questions,
            journal: CallJournal::new(stage, earlier.before),
            server: Some(server),
            folder,
        })
    }

    /// The socket that it listens on.
    pub fn gateway(&self) -> PathBuf {
        self.folder.path().join(SOCKET)
    }

    /// The name by which programs call the model.
    pub fn model(&self) -> &str {
        &self.model.model
    }

    /// Takes no further call.
    pub fn stop(&mut self) {
        self.server = None;
    }

    /// What calls took whose answers nobody waits for any more.
    pub fn lost_under_way(&self) -> Usage {
        self.calls.lost_under_way()
    }

    /// The supervision of the program that it serves.
    pub fn supervision(&mut self, bounds: ProgramBounds) -> Supervision<'_> {
        Supervision {
            calls: &self.calls,
            ended: &mut self.ended,
            questions: &mut self.questions,
            journal: &mut self.journal,
            bounds,
        }
    }
}

fn model(effects: &Effects) -> Result<ProgramModel, EngineError> {
    effects.ports.program.clone().ok_or_else(|| {
        EngineError::Unusable(format!(
            "{} answers no program: an agent that is one needs a model that a provider serves, such as openai/gpt-5",
            effects.request.model
        ))
    })
}

/// The calls that are answered without being paid.
struct AnswerableCalls {
    calls: Vec<EarlierCall>,
    /// The request that was journaled last.
    before: Vec<u8>,
    is_replay: bool,
}

fn earlier(
    session: &Session,
    stage: Stage,
    model: &ProgramModel,
    normalisation: &Normalisation,
) -> Result<AnswerableCalls, EngineError> {
    let state = session.state.stages.get(&stage);
    let mut own = match state {
        Some(state) => {
            let load = |content: &Content| session.load(content);
            earlier_calls::gather(state, normalisation, WholeRequests::Last, &load)?
        }
        None => Vec::new(),
    };
    let rounds = ProgramRounds(state.map_or(&[][..], |state| state.programs.as_slice()));
    let before = own
        .last_mut()
        .map_or(Vec::new(), |call| std::mem::take(&mut call.asked));
    Ok(match &model.source {
        CallSource::Replayed(calls) => AnswerableCalls {
            calls: calls.of_round(stage, rounds.current()),
            before,
            is_replay: true,
        },
        CallSource::Provider(_) => AnswerableCalls {
            // Another round asks about what the one before has left.
            calls: own.split_off(rounds.calls_before_current(own.len()).min(own.len())),
            before,
            is_replay: false,
        },
    })
}

fn rules(effects: &Effects, model: &ProgramModel, further: &[String]) -> RequestRules {
    let names = [effects.ports.model.name().to_owned(), model.model.clone()];
    RequestRules {
        names: names.into_iter().chain(further.iter().cloned()).collect(),
        model: model.model.clone(),
        hosted_tools: false,
        chat_limit: model.chat_limit,
        planned: PLANNED,
    }
}
