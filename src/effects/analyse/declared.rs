//! The execution that a plan in the workspace asks for.

use std::collections::BTreeMap;
use std::io;

use crate::catalog::artifacts::entries::PlanFault;
use crate::catalog::artifacts::own_plan;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::fault::AnswerFault;
use crate::catalog::normalise;
use crate::domain::execution::EnvironmentSpec;
use crate::domain::plan::{EntryPoint, ExecutionPlan, Interpreter};
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::environment::lock::EnvironmentLock;
use crate::environment::locked_spec::LockRefusal;

use super::available::{self, AvailablePrograms, SeveralImages};
use super::rules::{CodeRules, Declared, EntryRefusal, check_entry};
use super::variants;

/// A plan as it stands in the workspace.
#[derive(Debug, Clone, Copy)]
pub struct PlanText<'a> {
    /// Its file: that of replication's plan, or the answer of another track's stage.
    pub file: &'a str,
    pub text: &'a str,
}

/// The refusal of a plan that is not run, in words for the agent.
#[derive(Debug, thiserror::Error)]
pub enum PlanRefusal {
    #[error("There is no `{0}` in the workspace.")]
    Absent(String),
    #[error(transparent)]
    Unread(io::Error),
    #[error("`{file}` is not valid JSON any more: {error}. Mend it with `edit_file`.")]
    NotJson { file: String, error: serde_json::Error },
    #[error("`{file}` does not fit its schema:\n- {}", listed(faults))]
    Schema { file: String, faults: Vec<AnswerFault> },
    #[error("`{file}`: {fault}.")]
    Fault { file: String, fault: PlanFault },
    #[error(transparent)]
    Entry(#[from] EntryRefusal),
    #[error(
        "The environment in `{file}` cannot be used as declared:\n- {}",
        listed(faults)
    )]
    Environment { file: String, faults: Vec<AnswerFault> },
    #[error(
        "The packages in `{file}` do not fit the lock of this run:\n- {}",
        listed(refused)
    )]
    Lock { file: String, refused: Vec<LockRefusal> },
    #[error(transparent)]
    Images(#[from] SeveralImages),
}

fn listed(faults: &[impl ToString]) -> String {
    let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
    faults.join("\n- ")
}

/// A plan that was looked for in a workspace.
pub enum FoundPlan {
    Runnable(Box<Declared>),
    Refused(PlanRefusal),
}

impl From<Result<Declared, PlanRefusal>> for FoundPlan {
    fn from(read: Result<Declared, PlanRefusal>) -> Self {
        match read {
            Ok(declared) => Self::Runnable(Box::new(declared)),
            Err(why) => Self::Refused(why),
        }
    }
}

/// Reads the plan.
///
/// # Errors
/// What keeps the plan from being run, and what to mend.
pub fn read(plan: PlanText<'_>, rules: CodeRules<'_>) -> Result<Declared, PlanRefusal> {
    let PlanText { file, text } = plan;
    let name = || file.to_owned();
    let value = serde_json::from_str(text).map_err(|error| PlanRefusal::NotJson { file: name(), error })?;
    let read = if file == replication::artifact(Stage::DESIGN) {
        normalise::read(Stage::DESIGN, value)
    } else {
        own_plan::read(value)
    };
    let info: ReplicationInfo = read.map_err(|faults| PlanRefusal::Schema { file: name(), faults })?;
    let plan = info
        .plan()
        .map_err(|fault| PlanRefusal::Fault { file: name(), fault })?;
    check(&plan, rules)?;
    let variants = variants::declared(rules.variants, &plan, rules);
    let further = variants.runnable.iter().flat_map(|variant| &variant.entries);
    let entries: Vec<&EntryPoint> = plan.0.iter().chain(further).collect();
    let environment =
        environment(&info, &entries).map_err(|faults| PlanRefusal::Environment { file: name(), faults })?;
    let declared = Declared {
        file: name(),
        lock: None,
        ignored: info.ignored(),
        environment: EnvironmentSpec {
            base_image: available::image(&plan, rules.offer)?.or(environment.base_image.clone()),
            ..environment
        },
        plan,
        variants: variants.runnable,
        idle: variants.idle,
    };
    match rules.lock {
        Some(lock) => declared.held_to(lock.clone()),
        None => Ok(declared),
    }
}

/// The environment that a plan declares for its entry points, those of variants included.
///
/// # Errors
/// Packages that are none.
pub fn environment(
    info: &ReplicationInfo,
    entries: &[&EntryPoint],
) -> Result<EnvironmentSpec, Vec<AnswerFault>> {
    let packages = info.environment()?;
    let uses = |wanted: Interpreter| entries.iter().any(|entry| entry.interpreter == wanted);
    let declared = packages.r.into_iter();
    let mut r: BTreeMap<_, _> = declared.map(|package| (package.name, package.version)).collect();
    if uses(Interpreter::RMarkdown) {
        r.entry("rmarkdown".to_owned()).or_insert(None);
    }
    Ok(EnvironmentSpec {
        base_image: packages.base_image,
        python: (uses(Interpreter::Python) || !packages.python.is_empty()).then_some(packages.python),
        r: (uses(Interpreter::R) || !r.is_empty()).then_some(r),
        system: packages.system,
        ..EnvironmentSpec::default()
    })
}

/// The environment that a plan of replication's asks for, by its text alone; `None` of one that no run
/// would take. Entries of variants are not looked at, and neither is whether a script is there.
pub fn environment_of(
    plan: serde_json::Value,
    offer: AvailablePrograms<'_>,
    lock: Option<&EnvironmentLock>,
) -> Option<EnvironmentSpec> {
    let info: ReplicationInfo = normalise::read(Stage::DESIGN, plan).ok()?;
    let plan = info.plan().ok()?;
    let entries: Vec<&EntryPoint> = plan.0.iter().collect();
    let declared = environment(&info, &entries).ok()?;
    let environment = EnvironmentSpec {
        base_image: available::image(&plan, offer)
            .ok()?
            .or(declared.base_image.clone()),
        ..declared
    };
    match lock {
        Some(lock) => lock.held_to(&environment).ok(),
        None => Some(environment),
    }
}

impl Declared {
    /// The same with its environment held to a lock.
    ///
    /// # Errors
    /// Packages that the lock lacks, or has in another version.
    pub fn held_to(self, lock: EnvironmentLock) -> Result<Self, PlanRefusal> {
        let environment = lock.held_to(&self.environment);
        let environment = environment.map_err(|refused| PlanRefusal::Lock {
            file: self.file.clone(),
            refused,
        })?;
        let chosen = self
            .environment
            .base_image
            .iter()
            .filter(|image| lock.chooses(image));
        let chosen = chosen.map(|image| format!("the image {image}, since the lock chooses the interpreter"));
        let ignored = self.ignored.iter().cloned().chain(chosen).collect();
        Ok(Self {
            environment,
            ignored,
            lock: Some(Box::new(lock)),
            ..self
        })
    }
}

fn check(plan: &ExecutionPlan, rules: CodeRules<'_>) -> Result<(), EntryRefusal> {
    plan.0.iter().try_for_each(|entry| check_entry(entry, rules))
}

#[cfg(test)]
#[path = "declared_tests.rs"]
mod tests;
