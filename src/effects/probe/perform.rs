//! The probes of a run under way, and those of a finished one.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use crate::artifacts::store::Store;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::documents::helper::Helper;
use crate::domain::condition::Test;
use crate::domain::failure::FailureCause;
use crate::domain::plan::Interpreter;
use crate::domain::probe::{ProbeSettings, ProbeSummary};
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::effects::analyse::ado;
use crate::effects::analyse::available::AvailablePrograms;
use crate::effects::analyse::declared::{self, FoundPlan, PlanRefusal, PlanText};
use crate::effects::analyse::rules::CodeRules;
use crate::effects::conclude;
use crate::effects::context::Effects;
use crate::effects::dated_lock;
use crate::effects::time_left;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::facts::RunFacts;
use crate::engine::folder::RunFolder;
use crate::engine::request::RunRequest;
use crate::engine::run_reader;
use crate::engine::session::Session;
use crate::engine::variants;
use crate::engine::watch::Watch;
use crate::run::event::Event;
use crate::run::state::State;
use crate::sandbox::contract::Sandbox;
use crate::sandbox::inside;
use crate::verdict::plan_words::PlanWords;
use crate::verdict::refit::compare::RecordedResult;

use super::assigned;
use super::focal::{self, FocalReader, FocalSources};
use super::material::{self, ProbeMaterial};
use super::probe_time::ProbeTime;
use super::probing::{Probing, Subject, width};
use super::refit::{Planned, Refitting};
use super::sub_run_context::SubRunContext;
use super::{programs, tables};

/// Why nothing was probed where a cap was reached before.
const TIME_IS_UP: &str = "the time that the run may take is up";

/// Makes the sub-runs that the journal lacks, and journals what they say.
///
/// # Errors
/// Files of the workspace or the store that cannot be read, an environment that cannot be made, a
/// sandbox that fails, or a journal that cannot be written.
pub async fn probe(
    effects: &mut Effects,
    session: &mut Session,
    cancel: &CancellationToken,
) -> Result<Step, EngineError> {
    let summary = match carry(effects, session, cancel).await? {
        Carried::Told(summary) => *summary,
        Carried::Interrupted => return Ok(Step::Interrupted),
    };
    session.record(Event::Probed(Box::new(summary)))?;
    Ok(Step::Done)
}

enum Carried {
    Told(Box<ProbeSummary>),
    Interrupted,
}

impl Carried {
    fn none(why: impl Into<String>) -> Self {
        Self::Told(Box::new(ProbeSummary::none(why)))
    }
}

async fn carry(
    effects: &Effects,
    session: &mut Session,
    cancel: &CancellationToken,
) -> Result<Carried, EngineError> {
    let (Some(settings), Some(sandbox)) = (effects.request.probe, effects.ports.sandbox.clone()) else {
        return Ok(Carried::none("it was asked for without probes when it went on"));
    };
    if time_left::compute(effects.ports.account.budget(), session, Stage::EXECUTE).is_err() {
        return Ok(Carried::none(TIME_IS_UP));
    }
    if session.state.resumed > 0 {
        // A process that is gone may have left sub-runs behind.
        sandbox.sweep(&session.folder.owner(&effects.request.run)).await?;
    }
    session.line("Probing whether the result comes from the data.");
    let bench = ProbedRun {
        state: &session.state,
        store: session.store.as_ref(),
        folder: &session.folder,
        request: &effects.request,
        sandbox,
        images: &effects.ports.images,
        documents: &effects.ports.documents,
        watch: session.watch(),
    };
    let mut probing = match bench.probing(settings, cancel).await? {
        Ready::Probing(probing) => probing,
        Ready::Unfit(summary) => return Ok(Carried::Told(summary)),
        Ready::Interrupted => return Ok(Carried::Interrupted),
    };
    // What made the environment ready has taken some of it.
    probing.time.most = match time_left::compute(effects.ports.account.budget(), session, Stage::EXECUTE) {
        Ok(time) => time.map(|time| time.milliseconds),
        Err(_) => return Ok(Carried::none(TIME_IS_UP)),
    };
    let made = session.state.probes.runs().to_vec();
    let carried = {
        let mut note = |run: &crate::domain::probe::ProbeRun| {
            session.record(Event::ProbeFinished(Box::new(run.clone())))
        };
        probing.carry(&made, &mut note, cancel).await?
    };
    Ok(match carried {
        Some(summary) => Carried::Told(Box::new(summary)),
        None => Carried::Interrupted,
    })
}

/// A run whose result is to be probed.
pub struct ProbedRun<'a> {
    pub state: &'a State,
    pub store: &'a dyn Store,
    pub folder: &'a RunFolder,
    pub request: &'a RunRequest,
    pub sandbox: Arc<dyn Sandbox>,
    pub images: &'a BTreeMap<Interpreter, String>,
    pub documents: &'a Helper,
    pub watch: Arc<dyn Watch>,
}

/// The readiness of a run for probes.
pub enum Ready {
    Probing(Box<Probing>),
    /// Nothing can be probed, and why.
    Unfit(Box<ProbeSummary>),
    Interrupted,
}

impl Ready {
    fn unfit(why: impl Into<String>) -> Self {
        Self::Unfit(Box::new(ProbeSummary::none(why)))
    }
}

impl ProbedRun<'_> {
    /// Gathers all that the probes of the run need, its environment included.
    ///
    /// # Errors
    /// Files of the workspace or the store that cannot be read, or an environment that cannot be made.
    pub async fn probing(
        &self,
        settings: ProbeSettings,
        cancel: &CancellationToken,
    ) -> Result<Ready, EngineError> {
        let (state, store) = (self.state, self.store);
        let material = match material::gather(state, store, self.folder)? {
            Ok(material) => material,
            Err(none) => {
                return Ok(Ready::Unfit(Box::new(ProbeSummary {
                    unrepeatable: none.by_code,
                    ..ProbeSummary::none(none.why)
                })));
            }
        };
        let Some(info) = run_reader::answer::<ReplicationInfo>(state, store, Stage::DESIGN)? else {
            return Ok(Ready::unfit("no plan was preregistered"));
        };
        let Some(criterion) = info.criterion() else {
            return Ok(Ready::unfit("the plan names no usable criterion"));
        };
        let facts = RunFacts::gather(state, store)?;
        let is_open_anyway = conclude::is_open_anyway(&facts);
        let reported = facts.reported.unwrap_or_default();
        let read = tables::read(&material.opened, &self.folder.workspace(), self.documents);
        let plan = PlanWords {
            tables: tables::sizes(&read, &facts.plan),
            ..facts.plan
        };
        let sources = FocalSources {
            results: &material.results,
            stdout: &material.stdout,
            reported: &reported,
            outputs: &facts.outputs,
            plan: &plan,
            data: &facts.data,
        };
        let reader = match FocalReader::find(&criterion, sources) {
            Ok(reader) => reader,
            Err(why) => return Ok(Ready::unfit(why.to_string())),
        };
        let declared = match self.declared(&material)? {
            FoundPlan::Runnable(declared) => declared,
            FoundPlan::Refused(why) => {
                return Ok(Ready::unfit(format!(
                    "its environment is not known any more: {why}"
                )));
            }
        };
        let watch = self.watch.clone();
        let progress = move |line: &str| watch.line(line);
        let prepared = tokio::select! {
            () = cancel.cancelled() => return Ok(Ready::Interrupted),
            prepared = self.sandbox.prepare(&declared.environment, cancel, &progress) => prepared,
        };
        let environment = match prepared {
            Ok(environment) => environment,
            Err(_) if cancel.is_cancelled() => return Ok(Ready::Interrupted),
            Err(failure) if failure.cause == FailureCause::Infrastructure => {
                return Err(EngineError::Environment(failure));
            }
            Err(failure) => {
                return Ok(Ready::unfit(format!(
                    "its environment cannot be made again: {failure}"
                )));
            }
        };
        // Some twenty executions follow.
        self.sandbox.warm_up(&environment, cancel).await;
        if cancel.is_cancelled() {
            return Ok(Ready::Interrupted);
        }
        let place = SubRunContext {
            run: self.folder.owner(&self.request.run),
            workspace: self.folder.workspace(),
            folder: self.folder.probes(),
            sandbox: self.sandbox.clone(),
            environment,
            limits: material.limits,
            hosts: material.hosts.clone(),
            ado: ado::laid_out(self.folder, &declared, self.sandbox.tier()).map(|shown| shown.folder),
            python: declared.environment.python.is_some(),
            r: declared.environment.r.is_some(),
            seed: programs::seed(state),
            r_defaults: state.r_defaults(),
        };
        let scale = criterion.scale.or(reader.focal.scale).unwrap_or_default();
        let level = (criterion.rule.is_default() && criterion.test == Test::Significance)
            .then(|| criterion.two_sided_alpha());
        let assigned = assigned::find(&read, &criterion.focal_term, &plan);
        let refitting = Refitting {
            run: self.folder.owner(&self.request.run),
            sandbox: self.sandbox.clone(),
            folder: self.folder.probes().join("refit"),
            watch: self.watch.clone(),
        };
        let of_plan = Planned {
            method: &info.replication_study.planned_method,
            fit: &info.replication_study.fit,
            result: RecordedResult {
                term: &criterion.focal_term,
                finding: &reader.focal,
                level,
                expected: facts.data.expected,
            },
            rows: &plan.rows,
        };
        let Some(refit) = refitting.refit(&read, of_plan, cancel).await? else {
            return Ok(Ready::Interrupted);
        };
        let whole = settings.milliseconds(material.wall_ms);
        let used: u64 = state.probes.runs().iter().map(|run| run.wall_ms).sum();
        Ok(Ready::Probing(Box::new(Probing {
            place,
            subject: Subject {
                null: criterion.null.unwrap_or(scale.null()),
                groups: focal::groups(&criterion),
                level,
                criterion,
                method: info.replication_study.planned_method,
                refit,
                assigned,
                tables: plan.tables,
                material,
                reader,
            },
            documents: self.documents.clone(),
            watch: self.watch.clone(),
            time: ProbeTime {
                given: whole,
                left: whole.saturating_sub(used / width() as u64),
                // Where the verdict stays open for another cause, more probes change nothing in it.
                spare: match settings.seconds.is_some() || is_open_anyway {
                    true => 0,
                    false => 2 * whole,
                },
                by_the_clock: settings.seconds.is_some(),
                most: None,
            },
        })))
    }

    /// What the plan asked for when it was approved with what ran.
    fn declared(&self, material: &ProbeMaterial) -> Result<FoundPlan, EngineError> {
        let text = match &material.plan {
            Some(plan) => String::from_utf8_lossy(&plan.bytes).into_owned(),
            // Approvals of earlier versions do not hold it.
            None => match std::fs::read_to_string(
                self.folder.workspace().join(replication::artifact(Stage::DESIGN)),
            ) {
                Ok(text) => text,
                Err(error) => return Ok(FoundPlan::Refused(PlanRefusal::Unread(error))),
            },
        };
        let code = self.state.started.as_ref().map(|started| started.code.clone());
        let registered = variants::registered(self.state, self.store)?;
        let lock = match &self.request.lock {
            Some(lock) => Some(lock.as_ref().clone()),
            None => dated_lock::last(self.state, self.store)?,
        };
        let present: Vec<_> = material.present.iter().map(|file| file.path.clone()).collect();
        let rules = CodeRules {
            mode: self.request.code_mode,
            access: self.request.code_access,
            code: code.as_deref().unwrap_or_default(),
            present: &present,
            offer: AvailablePrograms {
                tier: self.sandbox.tier(),
                images: self.images,
                installed: &inside::is_installed,
            },
            variants: &registered,
            lock: lock.as_ref(),
        };
        let plan = PlanText {
            file: replication::artifact(Stage::DESIGN),
            text: &text,
        };
        Ok(declared::read(plan, rules).into())
    }
}
