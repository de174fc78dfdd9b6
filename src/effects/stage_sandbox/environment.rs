//! The environment of a program that carries one stage.

use std::collections::BTreeMap;
use std::sync::Arc;

use async_trait::async_trait;
use tokio_util::sync::CancellationToken;

use super::stage_copy::{CopyOrder, EXCHANGE};
use crate::domain::execution::{EnvironmentSpec, Limits, Tier};
use crate::domain::failure::FailureCause;
use crate::domain::r_defaults::RDefaults;
use crate::domain::stage::Stage;
use crate::effects::environment::{ConfinementTerms, Environment, OpenedSession, SessionTerms};
use crate::effects::helpers;
use crate::effects::lasting::open::{self as lasting, LastingSpec};
use crate::effects::lasting::program_shell;
use crate::effects::lasting::words;
use crate::effects::lasting::workspace::HOME;
use crate::effects::lock_wish::LockWish;
use crate::effects::made_environment::MadeEnvironment;
use crate::effects::program::session::{OpenedProgram, ProgramOrder, ProgramPlace};
use crate::engine::error::EngineError;
use crate::environment::lock::EnvironmentLock;
use crate::run::event::RunStarted;
use crate::run::program::DataReach;
use crate::sandbox::contract::{INSIDE, Lines, Sandbox};
use crate::sandbox::session::shell::{SessionKind, SessionSpec};
use crate::tools::contract::Tool;

/// The name of the environment.
pub const NAME: &str = "stage";

/// The sandbox of a program for one stage.
pub struct StageSandbox {
    pub stage: Stage,
    /// What it works on.
    pub copy: CopyOrder,
    /// The packages that are there.
    pub packages: EnvironmentSpec,
    /// The seconds that the program may take.
    pub seconds: u64,
    pub r_defaults: Option<RDefaults>,
}

impl StageSandbox {
    fn limits(&self, limits: Limits) -> Limits {
        Limits {
            seconds: self.seconds,
            ..limits
        }
    }

    /// What of the data is there, in a sentence.
    fn data(&self) -> &'static str {
        match self.copy.reach {
            DataReach::Task => "The data are there, and it does not write them.",
            DataReach::Withheld => {
                "Of the data it sees documents and facts on the columns, and no row, since this stage makes the plan."
            }
            DataReach::BeforePlan => {
                "It sees all data although this stage makes the plan, since --agent-data was given: the run never counts as \
                 preregistered."
            }
        }
    }

    async fn made(
        &self,
        sandbox: &dyn Sandbox,
        lock: Option<&EnvironmentLock>,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<MadeEnvironment, EngineError> {
        let HeldPackages { mut spec, mut notes } = held(&self.packages, lock);
        let plain = held(&plain(), lock).spec;
        loop {
            let made = match sandbox.resolve(&spec).await {
                Ok(digest) => {
                    let prepared = sandbox.prepare(&spec, cancel, progress).await;
                    prepared.map(|environment| (digest, environment))
                }
                Err(failure) => Err(failure),
            };
            let failure = match made {
                Ok((digest, environment)) => {
                    notes.extend(lock.iter().flat_map(|lock| lock.differences_of(&environment)));
                    return Ok(MadeEnvironment {
                        digest,
                        tier: sandbox.tier(),
                        environment,
                        notes,
                    });
                }
                Err(failure) => failure,
            };
            // Without R on this machine a local sandbox has none; packages are the plan's to mend.
            let is_of_packages = failure.cause == FailureCause::Setup
                || (failure.cause == FailureCause::Infrastructure && sandbox.tier() != Tier::Docker);
            if !is_of_packages || spec == plain || cancel.is_cancelled() {
                return Err(EngineError::Environment(failure));
            }
            let note = format!(
                "The packages of the stage could not be had: {} {PLAIN}",
                failure.summary
            );
            progress(&note);
            notes.push(note);
            spec.clone_from(&plain);
        }
    }

    fn specification(
        &self,
        terms: &SessionTerms<'_>,
        made: &MadeEnvironment,
    ) -> Result<SessionSpec, EngineError> {
        let own = LastingSpec {
            kind: SessionKind::Shell,
            exchange: EXCHANGE,
            hosts: hosts(terms.confinement),
            variables: self.variables(made.tier),
        };
        let mut spec = lasting::specification(terms, made, own)?;
        spec.limits = self.limits(spec.limits);
        Ok(spec)
    }

    /// Variables by which installations go to where they may be written, and code finds the helpers.
    fn variables(&self, tier: Tier) -> BTreeMap<String, String> {
        let inside = match tier {
            Tier::Landlock => self.copy.target.display().to_string(),
            _ => INSIDE.to_owned(),
        };
        let mut variables = lasting::variables(&inside);
        for (name, value) in helpers::paths(&self.copy.target, tier, self.r_defaults) {
            let both = match variables.get(&name) {
                Some(own) => format!("{value}:{own}"),
                None => value,
            };
            variables.insert(name, both);
        }
        variables
    }
}

/// What a program is given where the packages of its stage cannot be had.
const PLAIN: &str = "The program was given Python and nothing more.";

/// Python and nothing more.
fn plain() -> EnvironmentSpec {
    EnvironmentSpec {
        python: Some(Vec::new()),
        ..EnvironmentSpec::default()
    }
}

/// The packages of a stage, as they are asked for.
struct HeldPackages {
    spec: EnvironmentSpec,
    /// A sentence each.
    notes: Vec<String>,
}

/// Packages as a lock has them; Python alone where it lacks one, which is told.
fn held(packages: &EnvironmentSpec, lock: Option<&EnvironmentLock>) -> HeldPackages {
    let as_they_are = || HeldPackages {
        spec: packages.clone(),
        notes: Vec::new(),
    };
    let Some(lock) = lock else {
        return as_they_are();
    };
    let notes = vec![of_lock(lock)];
    match lock.held_to(packages) {
        Ok(spec) => HeldPackages { spec, notes },
        Err(refused) => {
            let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
            let note = format!(
                "The packages of the stage do not fit the lock: {}. {PLAIN}",
                refused.join("; ")
            );
            let spec = lock.held_to(&plain()).unwrap_or_else(|_| plain());
            HeldPackages {
                spec,
                notes: notes.into_iter().chain([note]).collect(),
            }
        }
    }
}

/// The lock that a stage's packages are held to, in a sentence.
fn of_lock(lock: &EnvironmentLock) -> String {
    format!(
        "Those packages are held to the lock {}, as of {}.",
        lock.digest().short(),
        lock.as_of.day
    )
}

/// The hosts that a session reaches, and how far the run's day holds what is installed from them.
fn network(terms: ConfinementTerms<'_>) -> String {
    let hosts = hosts(terms);
    words::network(hosts) + &words::day(hosts, terms.request.as_of())
}

/// The hosts that a session reaches.
fn hosts(terms: ConfinementTerms<'_>) -> &[String] {
    match terms.sandbox.is_some_and(|sandbox| sandbox.opens_hosts().is_ok()) {
        true => &terms.request.hosts,
        false => &[],
    }
}

#[async_trait]
impl Environment for StageSandbox {
    fn name(&self) -> &str {
        NAME
    }

    fn tools(&self) -> Vec<Arc<dyn Tool>> {
        Vec::new()
    }

    fn needs_sandbox(&self) -> bool {
        true
    }

    fn wished(&self, _: ConfinementTerms<'_>, _: &RunStarted) -> Option<LockWish> {
        Some(LockWish::of_plan(&self.packages))
    }

    fn confinement(&self, terms: ConfinementTerms<'_>) -> String {
        let limits = self.limits(terms.request.limits);
        let HeldPackages { spec, notes } = held(&self.packages, terms.lock);
        let notes: String = notes.iter().map(|note| format!(" {note}")).collect();
        format!(
            "A shell for the stage {}, confined by {}: whatever the program types is run without a further question. It \
             reads a copy of the workspace and writes the folders work/, {HOME}/ and {EXCHANGE}/ of it. {} {} It may take {} \
             seconds, {} MiB of memory and {} processes. Beforehand these packages are installed from their indexes: {}.{notes} \
             What it leaves in work/ is taken over by the run; what is executed for the verdict is asked about by itself.",
            self.stage,
            words::confined_by(terms.sandbox.map(|sandbox| sandbox.tier())),
            self.data(),
            network(terms),
            limits.seconds,
            limits.memory >> 20,
            limits.processes,
            spec.lines().join("; ").replace('\n', " "),
        )
    }

    fn program_place(&self) -> Option<ProgramPlace> {
        program_shell::place()
    }

    async fn open_program(
        &self,
        terms: &SessionTerms<'_>,
        order: &ProgramOrder,
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<OpenedProgram, EngineError> {
        let sandbox = lasting::sandbox_of(terms)?;
        program_shell::ensure_reachable(sandbox.as_ref())?;
        let mut made = self
            .made(sandbox.as_ref(), terms.confinement.lock, cancel, progress)
            .await?;
        let day = words::day(hosts(terms.confinement), terms.confinement.request.as_of());
        made.notes
            .extend((!day.is_empty()).then(|| day.trim_start().to_owned()));
        program_shell::clear(terms).await?;
        let (copy, stop) = (self.copy.clone(), cancel.clone());
        let laid_out = tokio::task::spawn_blocking(move || copy.lay_out(&stop)).await;
        laid_out
            .map_err(|error| EngineError::Unusable(format!("a copy of the workspace broke: {error}")))??;
        let terms = SessionTerms {
            workspace: self.copy.target.clone(),
            ..terms.clone()
        };
        let spec = self.specification(&terms, &made)?;
        program_shell::open(&terms, order, made, spec).await
    }

    async fn open(
        &self,
        _: &SessionTerms<'_>,
        _: &CancellationToken,
        _: Lines<'_>,
    ) -> Result<OpenedSession, EngineError> {
        Err(EngineError::Unusable(format!(
            "the environment `{NAME}` is opened for programs alone"
        )))
    }
}
