//! The engine, as the proxy sees it.

use async_trait::async_trait;

use crate::model::proxy::answer_reading::ProviderAnswer;
use crate::model::proxy::asked_command::{AskedCommand, CommandReply};
use crate::model::proxy::call_budget::CallAllowance;
use crate::model::proxy::call_failure::CallFailure;
use crate::model::proxy::proxied_call::ProxiedCall;
use crate::model::proxy::upstream::Upstream;

/// The keeper of a run's calls: it says what may be asked, and records what came of it.
#[async_trait]
pub trait CallEngine: Send + Sync {
    /// Sets aside what a call could cost.
    ///
    /// # Errors
    /// A cap that does not allow the call, or a run that is over.
    async fn reserve(&self, call: &ProxiedCall) -> Result<CallAllowance, CallFailure>;

    /// Asks the provider, or answers out of a recording.
    ///
    /// # Errors
    /// No answer, or one that is a refusal.
    async fn ask(
        &self,
        call: &ProxiedCall,
        allowance: &CallAllowance,
        upstream: Option<&Upstream>,
    ) -> Result<ProviderAnswer, CallFailure> {
        match upstream {
            Some(upstream) => upstream.ask(call, allowance).await,
            None => Err(CallFailure::Over("nobody answers this run's calls".to_owned())),
        }
    }

    /// Takes in how a call ended, before its client learns of it. What it took is charged here.
    ///
    /// # Errors
    /// What keeps it from being recorded; then nothing is served.
    async fn record(&self, call: &ProxiedCall, ended: EndedCall<'_>) -> Result<(), CallFailure>;

    /// Decides on a command that a program asks about.
    async fn decide(&self, _command: AskedCommand) -> CommandReply {
        CommandReply::Refused("Nobody decides on commands of this run. Nothing was run.".to_owned())
    }

    /// Learns that a call was sent again, and that its client is given what the first one gets.
    fn resent(&self, _times: u64) {}

    /// Learns that a request was turned away before it was a call.
    fn turned_away(&self, _why: &str) {}
}

/// The end of a call.
#[derive(Debug)]
pub enum EndedCall<'a> {
    Answered {
        answer: &'a mut ProviderAnswer,
        allowance: CallAllowance,
    },
    /// Nothing is charged.
    Failed(&'a CallFailure),
}
