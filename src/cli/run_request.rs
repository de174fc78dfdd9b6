//! The request of a run, from what was chosen.

use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use crate::app;
use crate::catalog::stages::load::Catalog;
use crate::domain::digest::Digest;
use crate::domain::ids::RunId;
use crate::domain::text_place::in_utf8;
use crate::domain::track::StageSelection;
use crate::engine::choice::run::RunChoice;
use crate::engine::request::{AgentRequest, Approve, PolicyText, RunRequest};
use crate::policy::limits::Caps;
use crate::policy::scope::Scope;
use crate::settings::Settings;

use super::exit::Failure;
use super::{budget, lock_args};

/// The task of a run, under a name that other runs may have as well, and who goes through it.
pub struct RequestedRun<'a> {
    pub root: PathBuf,
    /// Of a task that is no study.
    pub track: Option<String>,
    pub name: &'a str,
    pub folder: &'a Path,
    pub stages: StageSelection,
    pub model: String,
    /// The third-party agent.
    pub agent: Option<AgentRequest>,
}

/// The request of a run of a task, with everything that does not depend on its track.
///
/// # Errors
/// An approval, stages, a budget or a lock that cannot be had as it was chosen.
pub async fn request(
    settings: &Settings,
    catalog: &Catalog,
    choice: &RunChoice,
    of: RequestedRun<'_>,
) -> Result<RunRequest, Failure> {
    let approve = approve(&choice.approve)?;
    let track = catalog.track();
    let stages = of.stages.within(track);
    let stages = stages.map_err(|problem| Failure::usage(format!("--stages: {problem}")))?;
    let budget = budget::resolve(&approve, &choice.budget)?;
    budget::check(&budget, track)?;
    let run = run_id(of.name, of.folder);
    Ok(RunRequest {
        track: of.track,
        sampling: choice.sampling,
        patience: choice.patience,
        sandbox: app::sandboxes::settled(settings, choice.sandbox).await,
        limits: choice.limits,
        budget,
        allow_unpriced: choice.allow_unpriced,
        vision_model: choice.vision_model.clone(),
        stages_dir: choice.stages_dir.clone(),
        agent: of.agent,
        lock: lock_args::given(&choice.lock)?,
        ..RunRequest::new(run, of.root, stages, of.model, approve)
    })
}

/// The caps on several runs together, from the policy file and the choice.
///
/// # Errors
/// An approval or a budget that cannot be had as it was chosen.
pub fn together(choice: &RunChoice) -> Result<Caps, Failure> {
    Ok(budget::resolve(&approve(&choice.approve)?, &choice.budget)?.caps(Scope::Batch))
}

/// Unlike every other run's on this machine, since no two have one folder.
pub fn run_id(name: &str, folder: &Path) -> RunId {
    let folder = std::path::absolute(folder).unwrap_or_else(|_| folder.to_owned());
    let place = Digest::compute(folder.as_os_str().as_encoded_bytes()).short();
    RunId::new(format!("{name}-{}", &place[..6]))
}

/// The longest policy file, in bytes.
const POLICY: u64 = 1 << 20;

fn policy_text(file: &str) -> io::Result<String> {
    let mut bytes = Vec::new();
    // A device or a pipe may never end.
    fs::File::open(file)?.take(POLICY + 1).read_to_end(&mut bytes)?;
    let text = in_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))?;
    if text.len() as u64 > POLICY {
        let why = format!("more than {POLICY} bytes are no policy: name a TOML file of rules");
        return Err(io::Error::new(io::ErrorKind::FileTooLarge, why));
    }
    Ok(text)
}

/// The approver that asks about the session and about each command that is given to it.
const ASK_COMMANDS: &str = "ask:commands";

/// The approver that was typed, with the policy that it names.
///
/// # Errors
/// Something that is no approver, or a policy file that cannot be read.
pub fn approve(text: &str) -> Result<Approve, Failure> {
    match text {
        "ask" => Ok(Approve::Ask),
        ASK_COMMANDS => Ok(Approve::Policy(PolicyText {
            name: ASK_COMMANDS.to_owned(),
            text: "[[rule]]\naction = \"command\"\ndecision = \"ask\"\n".to_owned(),
        })),
        "auto" => Ok(Approve::Auto),
        "deny" => Ok(Approve::Deny),
        _ => match text.strip_prefix("policy:") {
            Some(file) => {
                let text = policy_text(file)
                    .map_err(|error| Failure::usage(format!("--approve: {file}: {error}")))?;
                Ok(Approve::Policy(PolicyText {
                    name: file.to_owned(),
                    text,
                }))
            }
            None => Err(Failure::usage(format!(
                "--approve {text}: expected ask, {ASK_COMMANDS}, auto, deny or policy:FILE"
            ))),
        },
    }
}
