//! Conversations, as a journal knows them.

use std::sync::Arc;

use crate::agent::brief::{Brief, BriefDialogue, OwnSchema, TurnLimits};
use crate::agent::conversation::Move;
use crate::agent::dialogue::Dialogue;
use crate::agent::pending_call::PendingCall;
use crate::artifacts::store::StoreError;
use crate::catalog::stages::load::Catalog;
use crate::domain::claim::Claim;
use crate::domain::content::Content;
use crate::domain::conversation::ChatResponse;
use crate::domain::reasoning::Reasoning;
use crate::domain::stage::Stage;
use crate::engine::error::EngineError;
use crate::notebook::terms::NotebookTerms;
use crate::run::event::ActedBeforehand;
use crate::run::stage_state::{StageState, TurnState};
use crate::tools::contract::Observation;
use crate::tools::registry::Registry;

use super::notebook::beforehand_text;

/// The text behind a name.
pub type Text<'a> = dyn Fn(&Content) -> Result<String, StoreError> + 'a;

/// The material of a conversation besides its stage's state.
pub struct Known<'a> {
    pub catalog: &'a Catalog,
    pub tools: &'a Registry,
    /// The terms of a notebook task, which may have fewer turns than the stage's definition.
    pub notebook: Option<&'a NotebookTerms>,
    /// The claim under test; none before the run has started.
    pub claim: Option<&'a Claim>,
    pub text: &'a Text<'a>,
}

/// A turn, as it goes by.
pub enum Passing<'a> {
    /// Its answer, before the conversation takes it in.
    Answer(&'a TurnState, &'a ChatResponse),
    /// The calls of that answer, before what they came to.
    Calls(&'a TurnState, Vec<PendingCall>),
}

/// Sees each turn go by.
pub type OnTurn<'a> = dyn FnMut(&Dialogue, Passing<'_>) -> Result<(), EngineError> + 'a;

impl Known<'_> {
    /// A stage's conversation, carried as far as its state goes.
    ///
    /// # Errors
    /// A text of the stage that the store lacks, what `on_turn` fails with, or a brief that cannot be
    /// made.
    pub fn conversation(
        &self,
        stage: Stage,
        state: &StageState,
        on_turn: &mut OnTurn<'_>,
    ) -> Result<Dialogue, EngineError> {
        let mut conversation = Dialogue::new(self.brief(stage, state)?);
        let mut attempts = Attempts::new(state);
        self.tell(&mut conversation, attempts.beforehand())?;
        for (index, turn) in state.turns.iter().enumerate() {
            attempts.end_at(index, &mut conversation);
            let was_reflecting = conversation.is_reflecting();
            let response = ChatResponse {
                text: (self.text)(&turn.text)?,
                calls: turn.calls.clone(),
                finish: turn.finish,
                usage: turn.usage,
                thoughts: turn.thoughts.as_ref().and_then(|kept| self.thoughts(kept)),
            };
            on_turn(&conversation, Passing::Answer(turn, &response))?;
            conversation.answered(&response);
            if was_reflecting {
                self.tell(&mut conversation, attempts.beforehand())?;
            }
            if let Move::Act(calls) = conversation.next() {
                on_turn(&conversation, Passing::Calls(turn, calls))?;
            }
            for (index, result) in &turn.results {
                let stable = result.stable.as_ref().map(self.text).transpose()?;
                let observation = Observation {
                    text: (self.text)(&result.observation)?,
                    stable,
                    ok: result.ok,
                    command: None,
                };
                conversation.observed(*index, observation);
            }
            if let Some(remark) = turn.review.as_ref().and_then(|review| review.remark.as_ref()) {
                conversation.objected(&(self.text)(remark)?);
            }
        }
        attempts.end_at(state.turns.len(), &mut conversation);
        Ok(conversation)
    }

    fn tell(&self, conversation: &mut Dialogue, acts: &[ActedBeforehand]) -> Result<(), EngineError> {
        if let Some(told) = beforehand_text::told(acts, self.text)? {
            conversation.told(told);
        }
        Ok(())
    }

    /// What cannot be read is left out: a provider does without, and says so.
    fn thoughts(&self, kept: &Content) -> Option<Arc<Reasoning>> {
        let text = (self.text)(kept).ok()?;
        serde_json::from_str(&text).ok().map(Arc::new)
    }

    fn brief(&self, stage: Stage, state: &StageState) -> Result<Brief, EngineError> {
        let none = || EngineError::Unusable(format!("the track has no stage {stage}"));
        let definition = self.catalog.stage(stage).ok_or_else(none)?;
        let tools = self
            .tools
            .specs(state.tools.iter().map(String::as_str))
            .map_err(|error| EngineError::Unusable(error.to_string()))?;
        Ok(Brief {
            stage,
            system: (self.text)(&state.system)?.into(),
            user: (self.text)(&state.user)?.into(),
            tools: tools.into(),
            native_calls: state.native_calls,
            limits: TurnLimits {
                turns: self.notebook.map_or(definition.turns, |terms| {
                    terms.limits.iterations.min(definition.turns)
                }),
                output_tokens: definition.output_tokens,
                repairs: definition.repairs,
            },
            shrink_at: state.shrink_at,
            shrink_from: state.shrink_from,
            earlier_results: definition.earlier_results.map(|most| most as usize),
            criterion: self.claim.and_then(|claim| claim.criterion.clone()),
            own_schema: definition.own_schema.as_ref().map(|schema| OwnSchema {
                name: definition.schema.clone(),
                schema: Arc::new(schema.clone()),
            }),
            dialogue: definition.dialogue.as_ref().map(|dialogue| BriefDialogue {
                form: dialogue.form,
                attempts: self.notebook.map_or(dialogue.attempts, NotebookTerms::attempts),
                reflection: dialogue
                    .reflection
                    .as_ref()
                    .map_or_else(|| "".into(), |template| template.source.trim().into()),
            }),
        })
    }
}

/// The attempts of a stage, as its turns go by.
struct Attempts<'a> {
    state: &'a StageState,
    /// Those that are over by now.
    over: usize,
}

impl<'a> Attempts<'a> {
    fn new(state: &'a StageState) -> Self {
        Self { state, over: 0 }
    }

    /// Ends those that were over before a turn.
    fn end_at(&mut self, turn: usize, conversation: &mut Dialogue) {
        let all = &self.state.attempts_over;
        while let Some(over) = all.get(self.over).filter(|over| over.turns <= turn) {
            conversation.attempt_over(&over.why);
            self.over += 1;
        }
    }

    /// The acts before the first turn of the one under way.
    fn beforehand(&self) -> &'a [ActedBeforehand] {
        let all = &self.state.attempts_over;
        let from = self.over.checked_sub(1).and_then(|before| all.get(before));
        let upto = all.get(self.over);
        let from = from.map_or(0, |over| over.beforehand);
        let upto = upto.map_or(self.state.beforehand.len(), |over| over.beforehand);
        self.state.beforehand.get(from..upto).unwrap_or_default()
    }
}
