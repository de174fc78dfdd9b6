//! The facts of an execution, from a run's journal and workspace, for the checkpoints.

use std::collections::BTreeSet;
use std::fs;

use walkdir::WalkDir;

use crate::artifacts::store::Store;
use crate::catalog::artifacts::replication_info::ReplicationInfo;
use crate::catalog::normalise;
use crate::domain::execution::Ending;
use crate::domain::failure::FailureCause;
use crate::domain::replication;
use crate::domain::stage::Stage;
use crate::domain::workspace_path::WorkspacePath;
use crate::engine::error::EngineError;
use crate::engine::run_reader::{self, RunReader};
use crate::run::event::BuildResult;
use crate::sandbox::contract::INSIDE;
use crate::scoring::checkpoints::facts::{
    Build, CheckpointFacts, CodeFile, EntryFacts, EnvironmentFacts, OpenedFacts, OutputFacts,
};
use crate::study::kind::Kind;
use crate::study::manifest::CodeTable;

/// The largest code file, and the most output text, that is looked at, in bytes.
const LARGEST: u64 = 1 << 20;
const MOST_TEXT: usize = 16 << 20;

/// Gathers the facts; `planned_data` are the data files that the plan names.
///
/// # Errors
/// A stored value of the run that cannot be read.
pub fn gather(run: &RunReader, planned_data: &[String]) -> Result<CheckpointFacts, EngineError> {
    let info = plan(run)?;
    let workspace = run.folder.workspace();
    let existing = existing(&workspace);
    let report = run
        .state
        .stages
        .get(&Stage::EXECUTE)
        .and_then(|stage| stage.artifact());
    let report = report.map(|content| run.text(content)).transpose()?;
    let last = run
        .state
        .executions
        .iter()
        .rev()
        .find(|one| one.finished.is_some())
        .map(|one| one.started.at);
    let plan = info.as_ref().and_then(|info| info.plan().ok());
    let entries = plan.iter().flat_map(|plan| &plan.0).map(|entry| EntryFacts {
        path: entry.path.as_str().to_owned(),
        ending: ending(run, &entry.path),
    });
    let mut entries: Vec<EntryFacts> = entries.collect();
    // Entry points that were mended while executing count as they ran.
    for execution in run
        .state
        .executions
        .iter()
        .filter(|one| Some(one.started.at) == last)
    {
        if entries
            .iter()
            .all(|entry| entry.path != execution.started.path.as_str())
        {
            entries.retain(|entry| entry.ending.is_some());
            entries.push(EntryFacts {
                path: execution.started.path.as_str().to_owned(),
                ending: execution.finished.as_ref().map(|finished| finished.ending),
            });
        }
    }
    Ok(CheckpointFacts {
        environment: environment(run, info.as_ref()),
        code: code(run, &existing),
        inside: vec![INSIDE.to_owned()],
        planned_code: entries.iter().map(|entry| entry.path.clone()).collect(),
        planned_data: planned_data.to_vec(),
        opened: opened(run),
        entries,
        expected_outputs: Vec::new(),
        outputs: outputs(run),
        report: report.and_then(|text| serde_json::from_str(&text).ok()),
        output: output(run)?,
        existing,
    })
}

fn existing(workspace: &std::path::Path) -> BTreeSet<String> {
    WalkDir::new(workspace)
        .follow_links(false)
        .into_iter()
        .flatten()
        .filter(|entry| entry.file_type().is_file())
        .filter_map(|entry| Some(entry.path().strip_prefix(workspace).ok()?.to_str()?.to_owned()))
        .collect()
}

fn ending(run: &RunReader, path: &WorkspacePath) -> Option<Ending> {
    let mut executions = run.state.executions.iter().rev();
    let last = executions.find(|one| one.started.path == *path && one.finished.is_some())?;
    last.finished.as_ref().map(|finished| finished.ending)
}

/// The plan as it stands: the agent may have mended its working copy since the design.
///
/// # Errors
/// A stored plan that cannot be read.
pub fn plan(run: &RunReader) -> Result<Option<ReplicationInfo>, EngineError> {
    let name = replication::artifact(Stage::DESIGN);
    let mended = fs::read_to_string(run.folder.workspace().join(name)).ok();
    let mended = mended
        .and_then(|text| serde_json::from_str(&text).ok())
        .and_then(|value| normalise::read::<ReplicationInfo>(Stage::DESIGN, value).ok());
    match mended {
        Some(info) => Ok(Some(info)),
        None => run_reader::answer(&run.state, &run.store, Stage::DESIGN),
    }
}

fn environment(run: &RunReader, info: Option<&ReplicationInfo>) -> EnvironmentFacts {
    let declared = info.and_then(|info| info.environment().ok()).unwrap_or_default();
    let build = match run.state.builds.last().map(|build| &build.result) {
        None => Build::NotTried,
        Some(BuildResult::Ready(_)) => Build::Made,
        Some(BuildResult::Failed(failure)) if failure.cause == FailureCause::Infrastructure => {
            Build::Infrastructure(failure.summary.clone())
        }
        Some(BuildResult::Failed(failure)) => Build::Failed(failure.summary.clone()),
    };
    EnvironmentFacts {
        base_image: declared.base_image,
        python: declared.python,
        r: declared.r.into_iter().map(|package| package.name).collect(),
        manifests: if info.is_some() {
            vec![replication::artifact(Stage::DESIGN).to_owned()]
        } else {
            Vec::new()
        },
        build,
    }
}

fn code(run: &RunReader, existing: &BTreeSet<String>) -> Vec<CodeFile> {
    existing
        .iter()
        .filter_map(|name| name.parse::<WorkspacePath>().ok())
        .filter(|path| {
            path.starts_with(WorkspacePath::WORK)
                && Kind::from_path(path, &CodeTable::default()) == Kind::Code
        })
        .filter_map(|path| {
            let file = path.below(&run.folder.workspace());
            let small = fs::metadata(&file).is_ok_and(|metadata| metadata.len() <= LARGEST);
            let text = small.then(|| fs::read(&file).ok()).flatten()?;
            Some(CodeFile {
                path: path.as_str().to_owned(),
                text: String::from_utf8_lossy(&text).into_owned(),
            })
        })
        .collect()
}

fn opened(run: &RunReader) -> Option<OpenedFacts> {
    let mut all = OpenedFacts {
        files: BTreeSet::new(),
        complete: true,
    };
    let mut any = false;
    for finished in run
        .state
        .executions
        .iter()
        .filter_map(|one| one.finished.as_ref())
    {
        any = true;
        all.complete &= finished.opened.complete;
        all.files
            .extend(finished.opened.files.iter().map(|path| path.as_str().to_owned()));
    }
    any.then_some(all)
}

fn outputs(run: &RunReader) -> Vec<(String, u64)> {
    let finished = run
        .state
        .executions
        .iter()
        .filter_map(|one| one.finished.as_ref());
    finished
        .flat_map(|finished| &finished.outputs)
        .map(|file| (file.path.as_str().to_owned(), file.size))
        .collect()
}

/// Standard output and what was written, of the executions that succeeded.
fn output(run: &RunReader) -> Result<Option<OutputFacts>, EngineError> {
    let mut facts = OutputFacts {
        text: String::new(),
        complete: true,
    };
    let mut any = false;
    for finished in run
        .state
        .executions
        .iter()
        .filter_map(|one| one.finished.as_ref())
    {
        if !finished.ending.ok() {
            continue;
        }
        any = true;
        facts.complete &= finished.stdout_bytes == finished.stdout.size();
        for stream in [&finished.stdout, &finished.stderr] {
            facts.text.push_str(&run.text(stream)?);
            facts.text.push('\n');
        }
        for file in &finished.outputs {
            match run.store.get(&file.digest).map(String::from_utf8) {
                Ok(Ok(text)) if facts.text.len() + text.len() <= MOST_TEXT => {
                    facts.text.push_str(&text);
                    facts.text.push('\n');
                }
                _ => facts.complete = false,
            }
        }
    }
    Ok(any.then_some(facts))
}
