//! The material of probes: the commands of the last successful call, and all that they had.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use tokio_util::sync::CancellationToken;

use crate::artifacts::content;
use crate::artifacts::store::Store;
use crate::domain::digest::Digest;
use crate::domain::execution::Limits;
use crate::domain::plan::Interpreter;
use crate::domain::workspace_path::WorkspacePath;
use crate::effects::analyse::workspace_files;
use crate::engine::error::EngineError;
use crate::engine::facts;
use crate::engine::folder::RunFolder;
use crate::policy::subject::{CodeFile, Execute, Subject};
use crate::run::event::{CallRef, FileRecord};
use crate::run::execution_state::ExecutionState;
use crate::run::state::State;
use crate::study::kind::Kind;
use crate::study::manifest::CodeTable;

/// The largest code file that is looked through for the focal number, in bytes.
const CODE: u64 = 1 << 20;

/// Everything that a sub-run is made of.
pub struct ProbeMaterial {
    /// The calls that are run, in order; all but the last made files that it reads.
    pub calls: Vec<ProbeCall>,
    /// Every file of the study's data.
    pub data: Vec<FileRecord>,
    /// Those that were opened, or all where that is not known.
    pub opened: Vec<WorkspacePath>,
    /// Code that was run, or could have been.
    pub code: Vec<ProbedCode>,
    /// The plan that was approved with the last call, which code can read.
    pub plan: Option<KeptFile>,
    /// What stood in the writable folder before the last call.
    pub present: Vec<FileRecord>,
    pub variables: BTreeMap<String, String>,
    pub hosts: Vec<String>,
    pub limits: Limits,
    /// What the last call printed and recorded.
    pub stdout: String,
    pub results: String,
    /// What the calls took.
    pub wall_ms: u64,
}

/// One call of `run_analysis`.
pub struct ProbeCall {
    /// The writable folder as it was, without what earlier executions had made.
    pub files: Vec<KeptFile>,
    pub folders: Vec<WorkspacePath>,
    pub commands: Vec<Vec<String>>,
}

/// A file with its content as it was.
pub struct KeptFile {
    pub path: WorkspacePath,
    pub bytes: Vec<u8>,
}

/// Code in the language of its interpreter.
pub struct ProbedCode {
    pub path: WorkspacePath,
    pub language: Interpreter,
    pub text: String,
}

/// The reason for which nothing can be run again.
pub struct NoMaterial {
    /// In a clause.
    pub why: String,
    /// Whether the code's own doing is the cause.
    pub by_code: bool,
}

impl NoMaterial {
    fn new(why: impl Into<String>) -> Self {
        Self {
            why: why.into(),
            by_code: false,
        }
    }

    fn changed(path: &WorkspacePath) -> Self {
        Self {
            why: format!("{path} was too large to be kept and has changed since"),
            by_code: true,
        }
    }
}

/// Gathers what the last successful call had; the inner error says why it cannot
/// be run again.
///
/// # Errors
/// An event's text that the store lacks, or a workspace that cannot be read.
pub fn gather(
    state: &State,
    store: &dyn Store,
    folder: &RunFolder,
) -> Result<Result<ProbeMaterial, NoMaterial>, EngineError> {
    let Some(at) = state.executions.last_success() else {
        return Ok(Err(NoMaterial::new("no call ended well")));
    };
    let gatherer = Gatherer { state, store, folder };
    let last = gatherer.executions(at);
    let Some(execute) = last
        .first()
        .map(|one| gatherer.approved(one.started.digest))
        .transpose()?
        .flatten()
    else {
        return Ok(Err(NoMaterial::new("the approval of what ran cannot be read")));
    };
    let plan = match execute.plan.map(|file| gatherer.plan(*file)).transpose() {
        Ok(plan) => plan,
        Err(why) => return Ok(Err(why)),
    };
    let present = match last.first() {
        Some(first) => facts::before(first, store)?.files,
        None => Vec::new(),
    };
    let made = gatherer.made_before(at)?;
    let mut material = ProbeMaterial {
        calls: Vec::new(),
        data: workspace_files::list(
            &folder.workspace(),
            WorkspacePath::DATA,
            &CancellationToken::new(),
        )?
        .files,
        opened: Vec::new(),
        code: Vec::new(),
        plan,
        present,
        variables: execute.variables,
        hosts: execute.hosts,
        limits: execute.limits,
        stdout: String::new(),
        results: String::new(),
        wall_ms: 0,
    };
    let mut complete = true;
    // A script that is run again makes anew what it had found there.
    let mut opened: BTreeSet<WorkspacePath> = gatherer
        .makers(at, &made)
        .into_iter()
        .flat_map(|maker| gatherer.opened(maker))
        .cloned()
        .collect();
    for one in gatherer.earlier_needed(at, &made).into_iter().chain([at]) {
        let executions = gatherer.executions(one);
        for finished in executions.iter().filter_map(|one| one.finished.as_ref()) {
            complete &= finished.opened.complete;
            opened.extend(finished.opened.files.iter().cloned());
            material.wall_ms = material.wall_ms.saturating_add(finished.wall_ms);
        }
        match gatherer.call(&executions, &made)? {
            Ok(call) => material.calls.push(call),
            Err(why) => return Ok(Err(why)),
        }
    }
    material.opened = match complete {
        true => material
            .data
            .iter()
            .map(|file| &file.path)
            .filter(|path| opened.contains(path))
            .cloned()
            .collect(),
        false => material.data.iter().map(|file| file.path.clone()).collect(),
    };
    for finished in last.iter().filter_map(|one| one.finished.as_ref()) {
        material.stdout.push_str(&text(&finished.stdout, store)?);
    }
    material.results = facts::results(&last, store)?;
    let entries: BTreeSet<&WorkspacePath> = last.iter().map(|one| &one.started.path).collect();
    material.code = material
        .calls
        .iter()
        .flat_map(|call| &call.files)
        .filter(|KeptFile { path, bytes }| {
            bytes.len() as u64 <= CODE && (!complete || opened.contains(path) || entries.contains(path))
        })
        .filter_map(|KeptFile { path, bytes }| {
            Some(ProbedCode {
                path: path.clone(),
                language: Interpreter::from_path(path).ok()?,
                text: String::from_utf8_lossy(bytes).into_owned(),
            })
        })
        .collect();
    Ok(Ok(material))
}

struct Gatherer<'a> {
    state: &'a State,
    store: &'a dyn Store,
    folder: &'a RunFolder,
}

impl Gatherer<'_> {
    /// The commands of a call that ended, in order.
    fn executions(&self, at: CallRef) -> Vec<&ExecutionState> {
        self.state
            .executions
            .iter()
            .filter(|one| one.started.at == at && one.finished.is_some())
            .collect()
    }

    /// What was approved under a digest.
    fn approved(&self, digest: Digest) -> Result<Option<Execute>, EngineError> {
        let asked = self.state.gate.all().find(|(asked, _)| asked.digest == digest);
        let Some((asked, _)) = asked else { return Ok(None) };
        Ok(
            match serde_json::from_slice(&content::load(&asked.subject, self.store)?) {
                Ok(Subject::Execute(execute)) => Some(*execute),
                _ => None,
            },
        )
    }

    /// The plan as it was approved.
    fn plan(&self, file: CodeFile) -> Result<KeptFile, NoMaterial> {
        let record = FileRecord {
            path: file.path,
            digest: file.digest,
            size: file.size,
        };
        match self.bytes(&record) {
            Some(bytes) => Ok(KeptFile {
                path: record.path,
                bytes,
            }),
            None => Err(NoMaterial::changed(&record.path)),
        }
    }

    /// The data that executions of earlier calls made and that were there when the
    /// call began, with the call that made each.
    fn made_before(&self, at: CallRef) -> Result<BTreeMap<FileRecord, CallRef>, EngineError> {
        let mut made = BTreeMap::new();
        for one in self.state.executions.iter().filter(|one| one.started.at < at) {
            let outputs = one.finished.iter().flat_map(|finished| &finished.outputs);
            for file in
                outputs.filter(|file| Kind::from_path(&file.path, &CodeTable::default()) != Kind::Code)
            {
                made.insert(file.clone(), one.started.at);
            }
        }
        Ok(made)
    }

    /// The earlier calls whose files the last one opened. A call of the same scripts
    /// was repeated by it, and makes no difference.
    fn earlier_needed(&self, at: CallRef, made: &BTreeMap<FileRecord, CallRef>) -> Vec<CallRef> {
        let scripts = |at: CallRef| -> BTreeSet<&WorkspacePath> {
            self.executions(at).iter().map(|one| &one.started.path).collect()
        };
        let last = scripts(at);
        let mut needed = self.makers(at, made);
        needed.retain(|maker| !scripts(*maker).is_subset(&last));
        needed
    }

    /// The earlier calls whose files the last one opened, and those whose files they opened.
    fn makers(&self, at: CallRef, made: &BTreeMap<FileRecord, CallRef>) -> Vec<CallRef> {
        let mut makers: BTreeSet<CallRef> = BTreeSet::new();
        let mut open = vec![at];
        while let Some(call) = open.pop() {
            let read = self.opened(call);
            for (file, maker) in made.iter().filter(|(_, maker)| **maker < call) {
                if read.contains(&file.path) && makers.insert(*maker) {
                    open.push(*maker);
                }
            }
        }
        makers.into_iter().collect()
    }

    /// The files that a call opened.
    fn opened(&self, at: CallRef) -> BTreeSet<&WorkspacePath> {
        let executions = self.executions(at);
        executions
            .iter()
            .filter_map(|one| one.finished.as_ref())
            .flat_map(|finished| &finished.opened.files)
            .collect()
    }

    fn call(
        &self,
        executions: &[&ExecutionState],
        made: &BTreeMap<FileRecord, CallRef>,
    ) -> Result<Result<ProbeCall, NoMaterial>, EngineError> {
        let Some(first) = executions.first() else {
            return Ok(Err(NoMaterial::new("a call that it rests on did not end")));
        };
        let before = facts::before(first, self.store)?;
        let mut files = Vec::new();
        for file in before.files.iter().filter(|file| !made.contains_key(*file)) {
            match self.bytes(file) {
                Some(bytes) => files.push(KeptFile {
                    path: file.path.clone(),
                    bytes,
                }),
                None => return Ok(Err(NoMaterial::changed(&file.path))),
            }
        }
        Ok(Ok(ProbeCall {
            files,
            folders: before.folders,
            commands: executions.iter().map(|one| one.started.command.clone()).collect(),
        }))
    }

    /// A file's content as it was: from the store, or from the workspace where it is
    /// the same.
    fn bytes(&self, file: &FileRecord) -> Option<Vec<u8>> {
        if let Ok(bytes) = self.store.get(&file.digest) {
            return Some(bytes);
        }
        let path: PathBuf = file.path.below(&self.folder.workspace());
        let bytes = std::fs::read(path).ok()?;
        (Digest::compute(&bytes) == file.digest).then_some(bytes)
    }
}

fn text(name: &crate::domain::content::Content, store: &dyn Store) -> Result<String, EngineError> {
    Ok(String::from_utf8_lossy(&content::load(name, store)?).into_owned())
}
