//! The export of one capsule.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use serde_json::{Value, json};

use super::dockerfile::{CopiedCapsule, WORKSPACE, dockerfile};
use super::error::ExportError;
use super::task_toml::ToldTask;
use crate::capsule::harbor::{ENVIRONMENT, ExportedCapsule, FORMAT, INSTRUCTION, TASK, TASK_FILE, TESTS};
use crate::capsule::layout::lay_out::lay_out;
use crate::capsule::layout::reproducing::needs_gpu;
use crate::capsule::task_file::CapsuleTask;
use crate::domain::execution::Tier;
use crate::effects::capsule::environment::{language, wanted};
use crate::effects::capsule::staging::{folder, reproducing};
use crate::effects::capsule::task_text::TaskText;
use crate::engine::request::CapsuleRequest;
use crate::scoring::capsule::accepted::{Accepted, AcceptedAnswer, accepted};

/// The file that an agent leaves its answers in.
const REPORT: &str = "report.json";
/// The verifier's files.
const VERIFIER: [(&str, &str); 3] = [
    ("Dockerfile", include_str!("verifier/Dockerfile")),
    ("test.sh", include_str!("verifier/test.sh")),
    ("grade.py", include_str!("verifier/grade.py")),
];
/// The answers as the verifier compares them.
const ACCEPTED: &str = "accepted.json";

/// A capsule that was exported.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct ExportedFolder {
    pub folder: PathBuf,
    pub questions: usize,
    /// The files of the capsule that the agent is given.
    pub files: usize,
    /// What whoever uses the folder has to know, a sentence each.
    pub notes: Vec<String>,
}

/// A capsule, and how it is laid out.
pub struct WantedExport<'a> {
    pub task: &'a CapsuleTask,
    /// The attempt that the folder stands for: capsule, level, layout, hosts.
    pub request: &'a CapsuleRequest,
}

/// Writes a task folder below a folder, named after the capsule and its level.
///
/// # Errors
/// A folder that is there, gold that cannot be read, a capsule that cannot be laid out, or a disk that cannot
/// be written.
pub fn export(wanted_export: &WantedExport<'_>, below: &Path) -> Result<ExportedFolder, ExportError> {
    let WantedExport { task, request } = wanted_export;
    let answers = accepted(task.gold.json()).ok_or_else(|| ExportError::NoGold(task.id.clone()))?;
    let name = format!("{}-{}", task.id, request.level.word());
    let root = below.join(&name);
    ensure_free(&root)?;
    let files = environment(wanted_export, &root)?;
    write(&root.join(INSTRUCTION), &instruction(wanted_export, &answers))?;
    verifier(task, &answers, &root.join(TESTS))?;
    write(&root.join(TASK), &task_toml(wanted_export, &name)?)?;
    Ok(ExportedFolder {
        folder: root,
        questions: answers.len(),
        files: files.count,
        notes: notes(&answers, files.notes),
    })
}

fn ensure_free(root: &Path) -> Result<(), ExportError> {
    let is_used = fs::read_dir(root).is_ok_and(|mut entries| entries.next().is_some());
    match is_used {
        true => Err(ExportError::NotEmpty(root.to_owned())),
        false => Ok(()),
    }
}

fn write(path: &Path, text: &str) -> Result<(), ExportError> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(ExportError::at(folder))?;
    }
    fs::write(path, text).map_err(ExportError::at(path))
}

/// The files that an agent is given, and notes on its environment.
struct LaidOutFiles {
    count: usize,
    notes: Vec<String>,
}

/// Writes what the agent's image is built from.
fn environment(export: &WantedExport<'_>, root: &Path) -> Result<LaidOutFiles, ExportError> {
    let WantedExport { task, request } = export;
    let capsule = root.join(ENVIRONMENT).join(task.id.as_str());
    fs::create_dir_all(&capsule).map_err(ExportError::at(&capsule))?;
    let laid_out = lay_out(&request.source, &capsule, request.layout, request.level)?;
    let environment = wanted(request, language(&task.language), Tier::Docker);
    let text = dockerfile(
        &environment.spec,
        CopiedCapsule {
            from: task.id.as_str(),
            to: &folder(request),
        },
    );
    write(&root.join(ENVIRONMENT).join("Dockerfile"), &text)?;
    let mut notes = environment.notes;
    notes.extend(laid_out.left_out);
    Ok(LaidOutFiles {
        count: laid_out.kept.len(),
        notes,
    })
}

/// What the agent is told.
fn instruction(export: &WantedExport<'_>, answers: &[AcceptedAnswer]) -> String {
    let WantedExport { task, request } = export;
    let questions: Vec<String> = answers.iter().map(|answer| answer.question.clone()).collect();
    let text = TaskText {
        prompt: &task.prompt,
        questions: &questions,
        level: request.level,
        layout: request.layout,
        folder: &folder(request),
    }
    .text();
    format!(
        "{text}\n\nYou start in `{WORKSPACE}`, and paths are from there. Write the answers to `{WORKSPACE}/{REPORT}`: one \
         JSON object whose keys are the questions to the letter, each with a number, a text or a list of these as its \
         value.\n"
    )
}

/// Writes what the verifier's image is built from. No file of it is a part of the agent's.
fn verifier(task: &CapsuleTask, answers: &[AcceptedAnswer], folder: &Path) -> Result<(), ExportError> {
    for (name, text) in VERIFIER {
        write(&folder.join(name), text)?;
    }
    write(
        &folder.join(ACCEPTED),
        &format!("{:#}\n", json!({ "questions": answers })),
    )?;
    write(&folder.join(TASK_FILE), &task_file(task)?)
}

/// The task with its gold, as a task file of its own.
fn task_file(task: &CapsuleTask) -> Result<String, ExportError> {
    let unwritten = |error: serde_json::Error| ExportError::Unwritten {
        file: TASK_FILE,
        why: error.to_string(),
    };
    let results: Value = serde_json::from_str(task.gold.json()).map_err(unwritten)?;
    let mut written = json!({
        "field": task.field, "language": task.language, "capsule_title": task.title, "capsule_id": task.id,
        "task_prompt": task.prompt, "results": results, "capsule_doi": task.doi.as_deref().unwrap_or_default(),
    });
    if task.needs_gpu {
        written["gpu"] = json!(true);
    }
    Ok(format!("{:#}\n", json!([written])))
}

fn task_toml(export: &WantedExport<'_>, name: &str) -> Result<String, ExportError> {
    let WantedExport { task, request } = export;
    let exported = ExportedCapsule {
        format: FORMAT,
        capsule: task.id.clone(),
        level: request.level,
        layout: request.layout,
        program: env!("CARGO_PKG_VERSION").to_owned(),
    };
    let told = ToldTask {
        name,
        title: &task.title,
        field: &task.field,
        language: &task.language,
        doi: task.doi.as_deref(),
        needs_gpu: needs_gpu(request.layout, &reproducing(&request.source), task.needs_gpu),
        hosts: &request.hosts,
        report: &format!("{WORKSPACE}/{REPORT}"),
        exported: &exported,
    };
    told.text().map_err(|error| ExportError::Unwritten {
        file: TASK,
        why: error.to_string(),
    })
}

fn notes(answers: &[AcceptedAnswer], mut notes: Vec<String>) -> Vec<String> {
    let unanswerable = answers.iter().filter(|one| one.accepted == Accepted::Nothing);
    notes.extend(unanswerable.map(|one| {
        format!(
            "Nothing is right for `{}`: its gold cannot be compared, so that no agent solves the task.",
            one.question
        )
    }));
    notes
}
