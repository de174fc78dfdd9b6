//! What `replication_info.json` in the workspace asks for.

use std::collections::BTreeMap;

use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::normalise;
use crate::domain::execution::EnvironmentSpec;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::plan::{ExecutionPlan, Interpreter};
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::run::event::FileRecord;

/// A plan that can be run, and the environment that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    pub plan: ExecutionPlan,
    pub environment: EnvironmentSpec,
    /// What was asked for and is never honoured.
    pub ignored: Vec<String>,
}

/// How the run was asked to treat code.
#[derive(Debug, Clone, Copy)]
pub struct CodeRules<'a> {
    pub mode: CodeMode,
    pub access: CodeAccess,
    /// The study's own code.
    pub code: &'a [FileRecord],
    /// Files that exist below the writable folder.
    pub present: &'a [FileRecord],
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
    let uses = |wanted: &[Interpreter]| plan.0.iter().any(|entry| wanted.contains(&entry.interpreter));
    let environment = EnvironmentSpec {
        base_image: packages.base_image,
        python: (uses(&[Interpreter::Python]) || !packages.python.is_empty()).then_some(packages.python),
        r: (uses(&[Interpreter::R, Interpreter::RMarkdown]) || !packages.r.is_empty())
            .then(|| packages.r.into_iter().collect::<BTreeMap<_, _>>()),
        system: packages.system,
    };
    Ok(Declared {
        ignored: info.ignored(),
        plan,
        environment,
    })
}

fn check(plan: &ExecutionPlan, rules: CodeRules<'_>) -> Result<(), String> {
    for entry in &plan.0 {
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
                    "This run is in Python mode, and the entry point `{path}` is {}: name a Python script.",
                    entry.interpreter
                ));
            }
            (CodeMode::Native, CodeAccess::Code)
                if entry.interpreter == Interpreter::Python && !has_python(rules.code) =>
            {
                return Err(format!(
                    "This run is in native mode, where the study's own scripts are run and nothing is \
                     translated, and `{path}` is a Python script: name the study's own script."
                ));
            }
            _ => {}
        }
    }
    Ok(())
}

fn has_python(code: &[FileRecord]) -> bool {
    code.iter()
        .any(|file| Interpreter::of(&file.path) == Ok(Interpreter::Python))
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
