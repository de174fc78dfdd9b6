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
use crate::effects::made_environment::MadeEnvironment;
use crate::effects::program::session::{OpenedProgram, ProgramOrder, ProgramPlace};
use crate::engine::error::EngineError;
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
        cancel: &CancellationToken,
        progress: Lines<'_>,
    ) -> Result<MadeEnvironment, EngineError> {
        let plain = EnvironmentSpec {
            python: Some(Vec::new()),
            ..EnvironmentSpec::default()
        };
        let mut notes = Vec::new();
        let mut packages = &self.packages;
        loop {
            let made = match sandbox.resolve(packages).await {
                Ok(digest) => {
                    let prepared = sandbox.prepare(packages, cancel, progress).await;
                    prepared.map(|environment| (digest, environment))
                }
                Err(failure) => Err(failure),
            };
            let failure = match made {
                Ok((digest, environment)) => {
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
            if !is_of_packages || *packages == plain || cancel.is_cancelled() {
                return Err(EngineError::Environment(failure));
            }
            let note = format!(
                "The packages of the stage could not be had: {} The program was given Python and nothing more.",
                failure.summary
            );
            progress(&note);
            notes.push(note);
            packages = &plain;
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

    fn confinement(&self, terms: ConfinementTerms<'_>) -> String {
        let limits = self.limits(terms.request.limits);
        format!(
            "A shell for the stage {}, confined by {}: whatever the program types is run without a further question. It \
             reads a copy of the workspace and writes the folders work/, {HOME}/ and {EXCHANGE}/ of it. {} {} It may take {} \
             seconds, {} MiB of memory and {} processes. Beforehand these packages are installed from their indexes: {}. \
             What it leaves in work/ is taken over by the run; what is executed for the verdict is asked about by itself.",
            self.stage,
            words::confined_by(terms.sandbox.map(|sandbox| sandbox.tier())),
            self.data(),
            words::network(hosts(terms)),
            limits.seconds,
            limits.memory >> 20,
            limits.processes,
            self.packages.lines().join("; ").replace('\n', " "),
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
        let made = self.made(sandbox.as_ref(), cancel, progress).await?;
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
