//! One sub-run.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::domain::digest::Digest;
use crate::domain::execution::Ending;
use crate::domain::probe::{ProbeEnd, ProbeKind, ProbeRun, Trial};
use crate::domain::result_line;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::{command, workspace_files};
use crate::effects::helpers;
use crate::engine::error::EngineError;
use crate::sandbox::contract::SandboxError;
use crate::verdict::probe::case::digest_of_numbers;
use crate::verdict::probe::unchanged::AS_IT_WAS;

use super::copies::{self, Copy, NoCopy};
use super::focal::FocalReader;
use super::material::ProbeMaterial;
use super::scratch::{CopiedContent, Scratch};
use super::sub_run_context::SubRunContext;

/// Threads of the runs that change nothing else, and the repetition as their hash
/// seed: with one thread and hash seed 0 every other one was run.
const OTHERWISE: [(&str, &str); 3] = [
    ("OMP_NUM_THREADS", "2"),
    ("OPENBLAS_NUM_THREADS", "2"),
    ("MKL_NUM_THREADS", "2"),
];

/// Seconds that a command may always take, and times what the execution took.
/// Whoever takes longer on changed data, and not on the data as they are, refuses
/// them; four sub-runs that share a core stay below it.
const SECONDS: u64 = 10;
const TIMES: u64 = 8;

/// A trial with the data that it runs on.
pub struct Prepared<'a> {
    pub trial: Trial,
    /// Where the content of data is changed.
    pub copy: Option<&'a Result<Copy, NoCopy>>,
}

/// Runs the commands on changed data. `Ok(None)` says that it was cut short.
///
/// # Errors
/// A scratch folder that cannot be filled, or a sandbox that fails.
pub async fn run(
    place: &SubRunContext,
    material: &ProbeMaterial,
    reader: &FocalReader,
    prepared: Prepared<'_>,
    cancel: &CancellationToken,
) -> Result<Option<ProbeRun>, EngineError> {
    let trial = prepared.trial;
    let mut run = ProbeRun {
        trial,
        seed: trial.seed(place.seed),
        ended: ProbeEnd::Ran,
        focal: None,
        further: Vec::new(),
        numbers: None,
        dropped: None,
        rows: None,
        data: None,
        unwritten: Vec::new(),
        wall_ms: 0,
    };
    let copy = match prepared.copy {
        Some(Err(why)) => {
            run.ended = ProbeEnd::NotMade {
                why: why.to_string(),
                cause: Some(why.cause()),
            };
            return Ok(Some(run));
        }
        Some(Ok(copy)) => Some(copy),
        None => None,
    };
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let began = Instant::now();
    // A name that tells nothing of the kind.
    let name = Digest::compute(format!("{} {}", run.seed, copies::name(trial))).short();
    let scratch = Scratch::make(place.folder.join(name))?;
    let content = |path: &WorkspacePath| {
        let without = trial.kind == ProbeKind::Without && path.starts_with(WorkspacePath::DATA);
        match copy {
            _ if without && material.data.iter().any(|file| file.path == *path) => CopiedContent::Gone,
            Some(copy) if copy.files.contains(path) => CopiedContent::Other(path.below(&copy.folder)),
            _ => CopiedContent::Own,
        }
    };
    scratch.workspace(&place.workspace, &content)?;
    if let Some(plan) = &material.plan {
        scratch.replace(&plan.path, &plan.bytes)?;
    }
    if let Some(copy) = copy {
        run.dropped = copy.dropped;
        run.rows = copy.rows;
        run.data = Some(copy.data);
        run.unwritten.clone_from(&copy.unwritten);
    }
    let (mut stdout, mut lines) = (String::new(), Vec::new());
    for call in &material.calls {
        scratch.put(call, &place.workspace)?;
        let results = scratch.path().join(result_line::FILE);
        let _not_there_before = fs::remove_file(&results);
        stdout.clear();
        lines.clear();
        for command in &call.commands {
            let mut variables = material.variables.clone();
            variables.extend(helpers::paths(
                scratch.path(),
                place.sandbox.tier(),
                place.r_defaults,
            ));
            if trial.kind == ProbeKind::Unchanged && trial.repetition != AS_IT_WAS {
                variables.extend(OTHERWISE.map(|(name, value)| (name.to_owned(), value.to_owned())));
                variables.insert("PYTHONHASHSEED".to_owned(), trial.repetition.to_string());
            }
            let seconds = seconds(material.wall_ms);
            match execute(place, &scratch, command, seconds, variables, cancel).await? {
                None => return Ok(None),
                Some((ending, printed)) => {
                    stdout.push_str(&printed);
                    result_line::take_up(&mut lines, &recorded(&scratch)?);
                    if !ending.ok() {
                        run.ended = ProbeEnd::Failed { ending };
                        break;
                    }
                }
            }
        }
        if !run.ran() {
            break;
        }
    }
    let results: String = lines.iter().map(|line| format!("{line}\n")).collect();
    if run.ran() {
        run.focal = reader.read(&results, &stdout);
        run.further = reader.read_further(&results, &stdout);
        run.numbers = Some(digest_of_numbers(&results, &stdout));
    }
    run.wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Some(run))
}

/// Seconds that a command may take where the execution took so long.
fn seconds(wall_ms: u64) -> u64 {
    SECONDS.max(wall_ms.saturating_mul(TIMES).div_ceil(1000))
}

/// What stands in the results file.
fn recorded(scratch: &Scratch) -> Result<String, EngineError> {
    // Without a link in its way, what is read was written in this folder.
    workspace_files::open_up(scratch.path(), WorkspacePath::WORK);
    workspace_files::remove_odd(scratch.path(), WorkspacePath::WORK)?;
    workspace_files::text_if_there(&scratch.path().join(result_line::FILE))
}

async fn execute(
    place: &SubRunContext,
    scratch: &Scratch,
    command: &[String],
    seconds: u64,
    variables: BTreeMap<String, String>,
    cancel: &CancellationToken,
) -> Result<Option<(Ending, String)>, EngineError> {
    let mut execution = place.execution(scratch.path(), command.to_vec(), command::work()?, variables);
    execution.limits.seconds = execution.limits.seconds.min(seconds);
    let ended = match place.sandbox.execute(&execution, cancel).await {
        Ok(ended) if ended.ending == Ending::Cancelled => return Ok(None),
        Ok(ended) => ended,
        Err(SandboxError::NoProgram(_)) => return Ok(Some((Ending::Exited(127), String::new()))),
        Err(error) => return Err(error.into()),
    };
    let printed = workspace_files::text_if_there(&execution.stdout)?;
    for stream in [&execution.stdout, &execution.stderr] {
        let _removed_with_the_folder = fs::remove_file(stream);
    }
    Ok(Some((ended.ending, printed)))
}
