//! The execution that a plan in the workspace asks for.

use std::collections::BTreeMap;

use crate::catalog::artifacts::own_plan;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::normalise;
use crate::domain::execution::EnvironmentSpec;
use crate::domain::plan::{EntryPoint, ExecutionPlan, Interpreter};
use crate::domain::replication;
use crate::domain::stage::Stage;

use super::available::{self};
use super::rules::{CodeRules, Declared, check_entry};
use super::variants;

/// A plan as it stands in the workspace.
#[derive(Debug, Clone, Copy)]
pub struct PlanText<'a> {
    /// Its file: that of replication's plan, or the answer of another track's stage.
    pub file: &'a str,
    pub text: &'a str,
}

/// Reads the plan; the error tells the agent what to mend.
///
/// # Errors
/// What keeps the plan from being run, in a sentence for the agent.
pub fn read(plan: PlanText<'_>, rules: CodeRules<'_>) -> Result<Declared, String> {
    let PlanText { file, text } = plan;
    let value = serde_json::from_str(text).map_err(|error| {
        format!("`{file}` is not valid JSON any more: {error}. Mend it with `edit_file`.")
    })?;
    let read = if file == replication::artifact(Stage::DESIGN) {
        normalise::read(Stage::DESIGN, value)
    } else {
        own_plan::read(value)
    };
    let info: ReplicationInfo = read.map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        format!("`{file}` does not fit its schema:\n- {}", faults.join("\n- "))
    })?;
    let plan = info.plan().map_err(|fault| format!("`{file}`: {fault}."))?;
    check(&plan, rules)?;
    let packages = info.environment().map_err(|faults| {
        let faults: Vec<String> = faults.iter().map(ToString::to_string).collect();
        format!(
            "The environment in `{file}` cannot be used as declared:\n- {}",
            faults.join("\n- ")
        )
    })?;
    let (runnable, idle) = variants::declared(rules.variants, &plan, rules);
    let further = runnable.iter().flat_map(|variant| &variant.entries);
    let entries: Vec<&EntryPoint> = plan.0.iter().chain(further).collect();
    let uses = |wanted: Interpreter| entries.iter().any(|entry| entry.interpreter == wanted);
    let declared = packages.r.into_iter();
    let mut r: BTreeMap<_, _> = declared.map(|package| (package.name, package.version)).collect();
    if uses(Interpreter::RMarkdown) {
        r.entry("rmarkdown".to_owned()).or_insert(None);
    }
    let environment = EnvironmentSpec {
        base_image: available::image(&plan, rules.offer)?.or(packages.base_image),
        python: (uses(Interpreter::Python) || !packages.python.is_empty()).then_some(packages.python),
        r: (uses(Interpreter::R) || !r.is_empty()).then_some(r),
        system: packages.system,
    };
    Ok(Declared {
        file: file.to_owned(),
        ignored: info.ignored(),
        plan,
        environment,
        variants: runnable,
        idle,
    })
}

fn check(plan: &ExecutionPlan, rules: CodeRules<'_>) -> Result<(), String> {
    plan.0.iter().try_for_each(|entry| check_entry(entry, rules))
}

#[cfg(test)]
#[path = "declared_tests.rs"]
mod tests;
