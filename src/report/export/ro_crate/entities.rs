//! Entities of a crate: files, environments, executions and decisions.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Value, json};

use super::contents::{CrateFile, CratePart};
use crate::domain::code_file::CodeFile;
use crate::domain::execution::Environment;
use crate::domain::ids::{ApprovalId, ExecutionId};
use crate::report::export::exported_run::ExportedRun;
use crate::run::event::{BuildResult, DecidedBy, Event};
use crate::run::execution_state::ExecutionState;

/// The entity of the program itself.
pub const ENGINE: &str = "#reprise";
/// Whoever asked for the run and decided in it; the journal knows no names.
pub const PERSON: &str = "#person";

/// A reference to an entity.
pub fn reference(id: &str) -> Value {
    json!({ "@id": id })
}

/// The id of a file: its path as a URI.
pub fn file_id(path: &str) -> String {
    let mut id = String::new();
    for byte in path.bytes() {
        match byte {
            byte if byte.is_ascii_alphanumeric() || b"-._~/".contains(&byte) => id.push(byte.into()),
            byte => id += &format!("%{byte:02X}"),
        }
    }
    id
}

/// The entity of a file.
pub fn file_entity(file: &CrateFile) -> Value {
    let extension = file.path.rsplit_once('.').map_or("", |(_, extension)| extension);
    let format = match extension.to_ascii_lowercase().as_str() {
        "csv" => "text/csv",
        "json" => "application/json",
        "jsonl" => "application/jsonl",
        "md" => "text/markdown",
        "pdf" => "application/pdf",
        "py" => "text/x-python",
        "r" => "text/x-r",
        "txt" | "log" => "text/plain",
        _ => "application/octet-stream",
    };
    let kind = match is_code(file) {
        true => json!(["File", "SoftwareSourceCode"]),
        false => json!("File"),
    };
    json!({
        "@id": file_id(&file.path),
        "@type": kind,
        "name": file.path,
        "description": file.part.words(),
        "encodingFormat": format,
        "contentSize": file.size.to_string(),
        "sha256": file.digest.hex(),
    })
}

fn is_code(file: &CrateFile) -> bool {
    file.part == CratePart::Code || CodeFile::of(&file.path).is_some()
}

/// The environments that executions had, each once.
pub fn environments(exported: &ExportedRun<'_>) -> Vec<Value> {
    let mut found = BTreeMap::new();
    for build in &exported.run.state.builds {
        if let BuildResult::Ready(environment) = &build.result {
            found.insert(environment.id, environment);
        }
    }
    let entity = |environment: &&Environment| {
        let versions = environment.versions.iter();
        let versions: Vec<String> = versions
            .map(|(name, version)| format!("{name} {version}"))
            .collect();
        json!({
            "@id": format!("#environment-{}", environment.id.short()),
            "@type": "SoftwareApplication",
            "name": "Environment of executions",
            "description": versions.join("; "),
            "softwareVersion": environment.id.to_string(),
        })
    };
    found.values().map(entity).collect()
}

/// The commands that ran, each as an action with its script for an instrument.
pub fn executions(exported: &ExportedRun<'_>, files: &[CrateFile]) -> Vec<Value> {
    let ends = ends(exported);
    let is_there = |path: &str| files.iter().any(|file| file.path == path);
    let data = files.iter().filter(|file| file.part == CratePart::Data);
    let data: Vec<Value> = data.map(|file| reference(&file_id(&file.path))).collect();
    let state = &exported.run.state;
    let action = |execution: &ExecutionState| {
        let started = &execution.started;
        let script = format!("workspace/{}", started.path);
        let instrument = match is_there(&script) {
            true => file_id(&script),
            false => ENGINE.to_owned(),
        };
        let outputs = execution.finished.iter().flat_map(|finished| &finished.outputs);
        let outputs = outputs.map(|file| format!("workspace/{}", file.path));
        let ok = execution
            .finished
            .as_ref()
            .is_some_and(|finished| finished.ending.ok());
        let ends = ends.get(&started.id);
        json!({
            "@id": format!("#execution-{}", started.id),
            "@type": "CreateAction",
            "name": format!("Execution of {}", started.path),
            "description": started.command.join(" "),
            "agent": reference(PERSON),
            "instrument": reference(&instrument),
            "object": data,
            "result": outputs.filter(|path| is_there(path)).map(|path| reference(&file_id(&path))).collect::<Vec<_>>(),
            "startTime": ends.map(|ends| time(ends.from)),
            "endTime": ends.and_then(|ends| ends.to).map(time),
            "actionStatus": status(ok),
        })
    };
    state
        .executions
        .iter()
        .chain(state.executions.variants())
        .map(action)
        .collect()
}

/// The status of an action that is over.
pub fn status(ok: bool) -> &'static str {
    match ok {
        true => "http://schema.org/CompletedActionStatus",
        false => "http://schema.org/FailedActionStatus",
    }
}

/// A time in the form that the profiles ask for, to the millisecond.
pub fn time(at: Timestamp) -> String {
    at.strftime("%Y-%m-%dT%H:%M:%S%.3f+00:00").to_string()
}

struct ExecutionTimes {
    from: Timestamp,
    to: Option<Timestamp>,
}

fn ends(exported: &ExportedRun<'_>) -> BTreeMap<ExecutionId, ExecutionTimes> {
    let mut times = BTreeMap::new();
    for record in &exported.run.records {
        match &record.event {
            Event::ExecutionStarted(started) => {
                let begun = ExecutionTimes {
                    from: record.at,
                    to: None,
                };
                times.insert(started.id, begun);
            }
            Event::ExecutionFinished(finished) => {
                if let Some(begun) = times.get_mut(&finished.id) {
                    begun.to = Some(record.at);
                }
            }
            _ => {}
        }
    }
    times
}

/// The decisions of the run, by persons and by rules, each with the digest of what it holds for.
pub fn decisions(exported: &ExportedRun<'_>) -> Vec<Value> {
    let mut times = BTreeMap::<ApprovalId, Timestamp>::new();
    for record in &exported.run.records {
        if let Event::Decided(decided) = &record.event {
            times.insert(decided.id, record.at);
        }
    }
    let decided = exported.run.state.gate.all();
    let decided = decided.filter_map(|(asked, decided)| Some((asked, decided?)));
    let action = decided.map(|(asked, decided)| {
        json!({
            "@id": format!("#decision-{}", asked.id),
            "@type": if decided.allowed { "AuthorizeAction" } else { "RejectAction" },
            "name": asked.summary,
            "description": decided.words,
            "identifier": asked.digest.to_string(),
            "agent": reference(match decided.by {
                DecidedBy::Person => PERSON,
                DecidedBy::Policy | DecidedBy::Setting => ENGINE,
            }),
            "endTime": times.get(&asked.id).map(|at| time(*at)),
        })
    });
    action.collect()
}
