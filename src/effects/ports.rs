//! The world, as the effects see it.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;

use crate::agent::by_hand::desk::HandWork;
use crate::catalog::stages::load::Catalog;
use crate::documents::helper::Helper;
use crate::domain::digest::Digest;
use crate::domain::plan::Interpreter;
use crate::engine::error::EngineError;
use crate::environment::lock::EnvironmentLock;
use crate::environment::lock_draft::LockDraft;
use crate::model::chat::{ChatModel, ModelError};
use crate::model::layers::spend_account::SpendAccount;
use crate::model::layers::waits::Waits;
use crate::network::check::{self, Check};
use crate::network::web::Web;
use crate::policy::approver::Approver;
use crate::run::event::{Asked, CallRef, Spent};
use crate::sandbox::contract::Sandbox;
use crate::tools::contract::{Observation, Request};
use crate::tools::registry::Registry;

use super::program::program_model::ProgramModel;
use super::track_parts::ChosenParts;
use super::vision::VisionModel;

/// A person's reply to a question.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reply {
    pub allowed: bool,
    /// Advice with a refusal, or the answer to a question.
    pub words: Option<String>,
}

/// The person who attends a run, or a stand-in.
#[async_trait]
pub trait Person: Send + Sync {
    /// Whether an answer on exactly this content was given before this run began.
    fn has_decided(&self, _digest: Digest) -> bool {
        false
    }

    /// Does work by hand, where the person is the run's model; `false` when nobody is there,
    /// or the work is left for later.
    async fn work(&self, _work: &HandWork) -> bool {
        false
    }

    /// Answers a question; `details` is what there is to look at. `None` when
    /// nobody is there, which parks the run.
    async fn answer(&self, asked: &Asked, details: &str) -> Option<Reply>;
}

/// Nobody attends.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

#[async_trait]
impl Person for Nobody {
    async fn answer(&self, _: &Asked, _: &str) -> Option<Reply> {
        None
    }
}

/// Answers the network tools, and the reviews that need the web.
#[async_trait]
pub trait Network: Send + Sync {
    /// Whether answers come from the live network, so that the gate has to ask.
    fn is_live(&self) -> bool;

    /// Whether pictures are looked at through this port, as they are where an
    /// earlier run answers; `None`: a model is asked.
    fn sees(&self) -> Option<bool> {
        None
    }

    /// The host of the search engine, which the operator named.
    fn search_host(&self) -> Option<&str> {
        None
    }

    /// Whether the operator's settings open a host that is not on the public web.
    fn opens(&self, _host: &str) -> bool {
        false
    }

    /// The model whose hosted search answers queries.
    fn search_model(&self) -> Option<&str> {
        None
    }

    /// What the last answer took of a hosted model, once.
    fn take_spent(&self) -> Option<Spent> {
        None
    }

    /// Answers a request: the `index`-th of its stage, counted from 0, that the
    /// network answered.
    async fn answer(&self, at: CallRef, index: u32, request: &Request) -> Result<Observation, ModelError>;
}

/// No search engine is configured.
#[derive(Debug, Clone, Copy)]
pub struct Offline;

#[async_trait]
impl Network for Offline {
    fn is_live(&self) -> bool {
        false
    }

    async fn answer(&self, _: CallRef, _: u32, request: &Request) -> Result<Observation, ModelError> {
        if let Request::CheckAddresses { urls, .. } = request {
            let why = "not checked: this run has no search engine and reaches no page";
            let checks = urls.iter().map(|url| Check::unasked(url, why)).collect();
            return Ok(Observation::good(check::written(checks)));
        }
        Ok(Observation::bad(
            "No search engine is configured for this run, and pages cannot be fetched. \
             List what you would have looked for under `missing`, with the query.",
        ))
    }
}

/// The live web.
#[async_trait]
impl Network for Web {
    fn is_live(&self) -> bool {
        true
    }

    fn search_host(&self) -> Option<&str> {
        Some(self.engine_host())
    }

    fn opens(&self, host: &str) -> bool {
        self.opens_host(host)
    }

    fn search_model(&self) -> Option<&str> {
        Some(self.engine_name())
    }

    fn take_spent(&self) -> Option<Spent> {
        let used = self.take_usage()?;
        Some(Spent {
            model: self.engine_name().to_owned(),
            usage: used.usage,
            searches: used.searches,
            fee: None,
        })
    }

    async fn answer(&self, _: CallRef, _: u32, request: &Request) -> Result<Observation, ModelError> {
        self.ask(request).await
    }
}

/// Is told in a sentence of an index that does not answer, every some seconds.
pub type ToldOfWaits<'a> = &'a (dyn Fn(&str) + Send + Sync);

/// The indexes of packages, asked for what was there on a day.
#[async_trait]
pub trait DatedIndexes: Send + Sync {
    /// The lock of a draft that a call, or the answer of a turn, made necessary.
    async fn settle(
        &self,
        at: CallRef,
        draft: LockDraft,
        told: ToldOfWaits<'_>,
    ) -> Result<EnvironmentLock, EngineError>;
}

/// Everything outside the process that a run needs.
#[derive(Clone)]
pub struct Ports {
    /// What the task's track adds to the engine.
    pub track: ChosenParts,
    pub model: Arc<dyn ChatModel>,
    /// The model as a program asks it; `None` where our own loop is the agent, or nobody answers one.
    pub program: Option<ProgramModel>,
    /// What the model's calls may cost.
    pub account: Arc<SpendAccount>,
    /// The same, for each further model that the run asks, by its full name.
    pub accounts: BTreeMap<String, Arc<SpendAccount>>,
    /// What the model's calls waited for.
    pub waits: Arc<Waits>,
    pub network: Arc<dyn Network>,
    pub indexes: Arc<dyn DatedIndexes>,
    /// Who looks at pictures; without anybody the tool for it is not offered.
    pub vision: Option<Arc<dyn VisionModel>>,
    /// `None` when the stages asked for need no sandbox.
    pub sandbox: Option<Arc<dyn Sandbox>>,
    pub person: Arc<dyn Person>,
    pub catalog: Arc<Catalog>,
    pub tools: Arc<Registry>,
    /// Reads the paper, in a process of its own.
    pub documents: Helper,
    pub approver: Approver,
    /// Images that the operator named for programs that no made image has.
    pub images: BTreeMap<Interpreter, String>,
    /// The folder of ado-files that the operator named.
    pub ado: Option<PathBuf>,
}
