//! The rules of a run for code, and checks of a plan's entries against them.

use std::collections::BTreeSet;

use crate::domain::execution::EnvironmentSpec;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::plan::{EntryPoint, ExecutionPlan, Interpreter};
use crate::domain::variant::Variant;
use crate::domain::workspace_path::WorkspacePath;
use crate::environment::lock::EnvironmentLock;
use crate::run::event::FileRecord;

use super::available::{self, AvailablePrograms};
use super::declared_variant::{IdleVariant, RunnableVariant};

/// A plan that can be run, and the environment that it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Declared {
    /// The file of the workspace that it is declared in.
    pub file: String,
    pub plan: ExecutionPlan,
    pub environment: EnvironmentSpec,
    /// The lock that the environment is held to.
    pub lock: Option<Box<EnvironmentLock>>,
    /// What was asked for and is never honoured.
    pub ignored: Vec<String>,
    pub variants: Vec<RunnableVariant>,
    /// Variants that cannot be run.
    pub idle: Vec<IdleVariant>,
}

/// The rules of a run for code, and the programs that it can run code with.
#[derive(Clone, Copy)]
pub struct CodeRules<'a> {
    pub mode: CodeMode,
    pub access: CodeAccess,
    /// The study's own code.
    pub code: &'a [FileRecord],
    /// Files that exist below the writable folder.
    pub present: &'a [WorkspacePath],
    pub offer: AvailablePrograms<'a>,
    /// The variants that are registered.
    pub variants: &'a [Variant],
    /// The lock that the environment is held to.
    pub lock: Option<&'a EnvironmentLock>,
}

/// The refusal of a script that is not run, in a sentence for the agent.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EntryRefusal {
    #[error("The entry point `{path}` does not exist. Files that could be meant: {likely}.")]
    Absent { path: WorkspacePath, likely: String },
    #[error(
        "This run is in Python mode, and the entry point `{path}` is {interpreter}: name a Python script, the \
         translation of the study's code."
    )]
    NotPython {
        path: WorkspacePath,
        interpreter: Interpreter,
    },
    #[error(
        "This run is in native mode, where the study's own scripts are run and nothing is translated, and `{path}` \
         is {interpreter}, while {code}: name the study's own script."
    )]
    Translated {
        path: WorkspacePath,
        interpreter: Interpreter,
        /// The languages of the study's code, in a clause.
        code: String,
    },
    #[error("{missing} {advice}")]
    NoProgram { missing: String, advice: &'static str },
}

/// Whether a script is there, and can be run in this setting.
///
/// # Errors
/// What keeps the script from being run.
pub fn check_entry(entry: &EntryPoint, rules: CodeRules<'_>) -> Result<(), EntryRefusal> {
    let path = &entry.path;
    if !rules.present.contains(path) {
        return Err(EntryRefusal::Absent {
            path: path.clone(),
            likely: likely(path, rules.present),
        });
    }
    match (rules.mode, rules.access) {
        (CodeMode::Python, _) if entry.interpreter != Interpreter::Python => {
            return Err(EntryRefusal::NotPython {
                path: path.clone(),
                interpreter: entry.interpreter,
            });
        }
        (CodeMode::Native, CodeAccess::Code)
            if !languages(rules.code).contains(&entry.interpreter.language()) =>
        {
            return Err(EntryRefusal::Translated {
                path: path.clone(),
                interpreter: entry.interpreter,
                code: written_in(rules.code),
            });
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
        return Err(EntryRefusal::NoProgram { missing, advice });
    }
    Ok(())
}

/// The languages of scripts.
pub fn languages<'a>(code: impl IntoIterator<Item = &'a FileRecord>) -> BTreeSet<Interpreter> {
    code.into_iter()
        .filter_map(|file| Interpreter::from_path(&file.path).ok())
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

fn likely(path: &WorkspacePath, present: &[WorkspacePath]) -> String {
    let scripts: Vec<String> = present
        .iter()
        .filter(|file| Interpreter::from_path(file).is_ok() || file.file_name() == path.file_name())
        .take(8)
        .map(|file| format!("`{file}`"))
        .collect();
    if scripts.is_empty() {
        "none".to_owned()
    } else {
        scripts.join(", ")
    }
}
