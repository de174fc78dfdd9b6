//! Scripts by their paths, as entry points.

use crate::domain::plan::{EntryPoint, ExecutionPlan, Interpreter, NoInterpreter};
use crate::domain::variant::Variant;
use crate::domain::workspace_path::{OutsideWorkspace, WorkspacePath};

/// The most scripts that one execution runs.
pub const MOST: usize = 64;

/// A fault for which an answer gives no execution plan.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PlanFault {
    #[error("no entry point is named, and `codebase.files` names no script")]
    Nothing,
    #[error(
        "no entry point is named, and `codebase.files` names several scripts ({0}); \
         list the ones to run, in order, under `entry_points`"
    )]
    Ambiguous(String),
    #[error("{0} entry points are named, and at most {MOST} are run; call the rest from one script")]
    TooMany(usize),
    #[error(transparent)]
    Outside(#[from] OutsideWorkspace),
    #[error(transparent)]
    NoInterpreter(#[from] NoInterpreter),
    #[error(
        "`{path}` asks for the interpreter `{asked}`, which is not known; \
         use python, r, rmarkdown, stata, spss, matlab or shell"
    )]
    UnknownInterpreter { path: String, asked: String },
}

/// The scripts of a variant, in order: those of the main analysis where it names none.
///
/// # Errors
/// A path that leads out of the workspace, or a script that no interpreter is known for.
pub fn variant_entries(variant: &Variant, main: &ExecutionPlan) -> Result<Vec<EntryPoint>, PlanFault> {
    if variant.entry.is_empty() {
        return Ok(main.0.clone());
    }
    let own = |path: &String| {
        let path = in_work(path)?;
        Ok(EntryPoint {
            interpreter: Interpreter::from_path(&path)?,
            path,
            arguments: Vec::new(),
        })
    };
    variant.entry.iter().map(own).collect()
}

/// A script's path below `work/`. The study's own scripts stand there under
/// the path that they have in the data folder.
///
/// # Errors
/// A path that leads out of the workspace, or is none.
pub fn in_work(path: &str) -> Result<WorkspacePath, OutsideWorkspace> {
    let path: WorkspacePath = path.trim().parse()?;
    if path.starts_with(WorkspacePath::WORK) {
        return Ok(path);
    }
    let data = format!("{}/", WorkspacePath::DATA);
    let below = path.as_str().strip_prefix(&data).unwrap_or(path.as_str());
    format!("{}/{below}", WorkspacePath::WORK).parse()
}
