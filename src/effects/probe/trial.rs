//! One sub-run.

use std::collections::BTreeMap;
use std::fs;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use crate::domain::execution::Ending;
use crate::domain::probe::{ProbeEnd, ProbeKind, ProbeRun, Trial};
use crate::domain::result_line;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::{files, subject};
use crate::effects::helpers;
use crate::engine::error::EngineError;
use crate::sandbox::contract::SandboxError;
use crate::verdict::probe::case::digest_of_numbers;

use super::copies::{self, Copy};
use super::focal::FocalReader;
use super::material::Material;
use super::probing::Place;
use super::scratch::{self, Scratch};

/// Variables of the run that changes nothing else: with one thread and hash seed 0
/// every other one was run.
const OTHERWISE: [(&str, &str); 4] = [
    ("OMP_NUM_THREADS", "2"),
    ("OPENBLAS_NUM_THREADS", "2"),
    ("MKL_NUM_THREADS", "2"),
    ("PYTHONHASHSEED", "1"),
];

/// A trial with the data that it runs on.
pub struct Prepared<'a> {
    pub trial: Trial,
    /// Where the content of data is changed.
    pub copy: Option<&'a Result<Copy, String>>,
}

/// Runs the commands on changed data. `Ok(None)` says that it was cut short.
pub async fn run(
    place: &Place,
    material: &Material,
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
        numbers: None,
        dropped: None,
        rows: None,
        data: None,
        wall_ms: 0,
    };
    let copy = match prepared.copy {
        Some(Err(why)) => {
            run.ended = ProbeEnd::NotMade { why: why.clone() };
            return Ok(Some(run));
        }
        Some(Ok(copy)) => Some(copy),
        None => None,
    };
    if cancel.is_cancelled() {
        return Ok(None);
    }
    let began = Instant::now();
    let scratch = Scratch::make(place.folder.join(copies::name(trial)))?;
    let gone = |path: &WorkspacePath| {
        path.starts_with(WorkspacePath::DATA)
            && (trial.kind == ProbeKind::Without && material.data.iter().any(|file| file.path == *path)
                || copy.is_some_and(|copy| copy.files.contains(path)))
    };
    scratch.workspace(&place.workspace, &gone)?;
    if let Some(copy) = copy {
        run.dropped = copy.dropped;
        run.rows = copy.rows;
        run.data = Some(copy.data);
        for path in &copy.files {
            let target = path.below(scratch.path());
            scratch::link(&path.below(&copy.folder), &target)
                .map_err(|error| EngineError::io(&target, error))?;
        }
    }
    let mut stdout = String::new();
    for call in &material.calls {
        scratch.put(call)?;
        let results = scratch.path().join(result_line::FILE);
        let _not_there_before = fs::remove_file(&results);
        stdout.clear();
        for command in &call.commands {
            let mut variables = material.variables.clone();
            variables.extend(helpers::paths(scratch.path(), place.sandbox.tier()));
            if trial.kind == ProbeKind::Unchanged {
                variables.extend(OTHERWISE.map(|(name, value)| (name.to_owned(), value.to_owned())));
            }
            match execute(place, &scratch, command, variables, cancel).await? {
                None => return Ok(None),
                Some((ending, printed)) => {
                    stdout.push_str(&printed);
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
    // Without a link in its way, what is read was written in this folder.
    files::open_up(scratch.path(), WorkspacePath::WORK);
    files::remove_odd(scratch.path(), WorkspacePath::WORK)?;
    let results = fs::read(scratch.path().join(result_line::FILE)).unwrap_or_default();
    let results = String::from_utf8_lossy(&results);
    if run.ran() {
        run.focal = reader.read(&results, &stdout);
        run.numbers = Some(digest_of_numbers(&results, &stdout));
    }
    run.wall_ms = u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX);
    Ok(Some(run))
}

async fn execute(
    place: &Place,
    scratch: &Scratch,
    command: &[String],
    variables: BTreeMap<String, String>,
    cancel: &CancellationToken,
) -> Result<Option<(Ending, String)>, EngineError> {
    let execution = place.execution(scratch.path(), command.to_vec(), subject::work()?, variables);
    let ended = match place.sandbox.execute(&execution, cancel).await {
        Ok(ended) if ended.ending == Ending::Cancelled => return Ok(None),
        Ok(ended) => ended,
        Err(SandboxError::NoProgram(_)) => return Ok(Some((Ending::Exited(127), String::new()))),
        Err(error) => return Err(error.into()),
    };
    let printed = fs::read(&execution.stdout).unwrap_or_default();
    for stream in [&execution.stdout, &execution.stderr] {
        let _removed_with_the_folder = fs::remove_file(stream);
    }
    Ok(Some((
        ended.ending,
        String::from_utf8_lossy(&printed).into_owned(),
    )))
}
