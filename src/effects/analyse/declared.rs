//! What `replication_info.json` in the workspace asks for.

use std::collections::{BTreeMap, BTreeSet};

use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::normalise;
use crate::domain::execution::EnvironmentSpec;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::plan::{EntryPoint, ExecutionPlan, Interpreter};
use crate::domain::stage::Stage;
use crate::domain::variant::Variant;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::FileRecord;

use super::available::{self, Offer};
use super::variants::{self, IdleVariant, RunnableVariant};

/// A plan that can be run, and the environment that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub plan: ExecutionPlan,
    pub environment: EnvironmentSpec,
    /// What was asked for and is never honoured.
    pub ignored: Vec<String>,
    pub variants: Vec<RunnableVariant>,
    /// Variants that cannot be run.
    pub idle: Vec<IdleVariant>,
}

/// How the run was asked to treat code, and what it can run.
#[derive(Clone, Copy)]
pub struct CodeRules<'a> {
    pub mode: CodeMode,
    pub access: CodeAccess,
    /// The study's own code.
    pub code: &'a [FileRecord],
    /// Files that exist below the writable folder.
    pub present: &'a [FileRecord],
    pub offer: Offer<'a>,
    /// The variants that are registered.
    pub variants: &'a [Variant],
}

/// Reads the plan; the error tells the agent what to mend.
pub fn read(text: &str, rules: CodeRules<'_>) -> Result<Declared, String> {
    let file = Stage::Design.artifact();
    let value = serde_json::from_str(text).map_err(|error| {
        format!("`{file}` is not valid JSON any more: {error}. Mend it with `edit_file`.")
    })?;
    let info: ReplicationInfo = normalise::read(Stage::Design, value).map_err(|faults| {
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
    let mut r: BTreeMap<_, _> = packages.r.into_iter().collect();
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

/// Whether a script is there, and can be run in this setting.
pub fn check_entry(entry: &EntryPoint, rules: CodeRules<'_>) -> Result<(), String> {
    let path = &entry.path;
    if !rules.present.iter().any(|file| file.path == *path) {
        return Err(format!(
            "The entry point `{path}` does not exist. Files that could be meant: {}.",
            likely(path, rules.present)
        ));
    }
    match (rules.mode, rules.access) {
        (CodeMode::Python, _) if entry.interpreter != Interpreter::Python => {
            return Err(format!(
                "This run is in Python mode, and the entry point `{path}` is {}: name a Python script, the \
                 translation of the study's code.",
                entry.interpreter
            ));
        }
        (CodeMode::Native, CodeAccess::Code)
            if !languages(rules.code).contains(&entry.interpreter.language()) =>
        {
            return Err(format!(
                "This run is in native mode, where the study's own scripts are run and nothing is \
                 translated, and `{path}` is {}, while {}: name the study's own script.",
                entry.interpreter,
                written_in(rules.code)
            ));
        }
        _ => {}
    }
    if let Some(missing) = available::missing(entry.interpreter, path.as_str(), rules.offer) {
        let advice = match rules.access {
            CodeAccess::Code => {
                "Nothing is translated in native mode: report that the analysis could not be executed."
            }
            CodeAccess::DataOnly => "Write the analysis in Python or R.",
        };
        return Err(format!("{missing} {advice}"));
    }
    Ok(())
}

/// The languages of scripts.
pub fn languages<'a>(code: impl IntoIterator<Item = &'a FileRecord>) -> BTreeSet<Interpreter> {
    code.into_iter()
        .filter_map(|file| Interpreter::of(&file.path).ok())
        .map(Interpreter::language)
        .collect()
}

fn written_in(code: &[FileRecord]) -> String {
    let names: Vec<String> = languages(code).iter().map(ToString::to_string).collect();
    if names.is_empty() {
        "the study has no script".to_owned()
    } else {
        format!("the study's code is {}", names.join(" and "))
    }
}

fn likely(path: &WorkspacePath, present: &[FileRecord]) -> String {
    let scripts: Vec<String> = present
        .iter()
        .filter(|file| Interpreter::of(&file.path).is_ok() || file.path.file_name() == path.file_name())
        .take(8)
        .map(|file| format!("`{}`", file.path))
        .collect();
    if scripts.is_empty() {
        "none".to_owned()
    } else {
        scripts.join(", ")
    }
}

#[cfg(test)]
#[path = "declared_tests.rs"]
mod tests;
