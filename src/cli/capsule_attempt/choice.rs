//! The capsules that are attempted, and the request of an attempt.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::app;
use crate::app::program::Program;
use crate::capsule::dockerfile::base_table::{self, BaseImages};
use crate::capsule::harbor::HarborFolder;
use crate::capsule::layout::level::{Layout, Level};
use crate::capsule::task_file::CapsuleTask;
use crate::capsule::terms::TRACK;
use crate::cli::capsule_task;
use crate::cli::exit::{Failure, Status};
use crate::cli::host_name::host_name;
use crate::cli::lock_args::LockArgs;
use crate::cli::run_options;
use crate::cli::session_args::{NetworkChoice, SessionLimits};
use crate::cli::task_file_place::TaskFilePlace;
use crate::domain::claim_wording::ClaimWording;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::sampling::Sampling;
use crate::domain::track::StageSelection;
use crate::engine::request::{Approve, CapsuleRequest, FORMAT, LostSession, MendChoice, RunRequest};
use crate::policy::limits::Budget;

/// The capsules that are attempted, and what is there for the attempts.
#[derive(Debug, Args)]
pub struct CapsuleChoice {
    /// The task file, or a task folder of `capsule export --harbor`, which has its own level.
    pub file: PathBuf,
    /// The folder that holds the capsules [default: that of the task file]
    #[arg(long, value_name = "DIR")]
    pub capsules: Option<PathBuf>,
    /// What of the capsule is there
    #[arg(long, default_value = "hard")]
    pub level: Level,
    /// Whose layout of the levels is followed: `original`, `hal`, `v1.1` or `inspect`
    #[arg(long, default_value = "original", help_heading = "Task")]
    pub layout: Layout,
    /// Images that stand in for published ones in containers: a TOML file with lines such as
    /// `"registry.codeocean.com/codeocean/py-r:*" = "python:3.11-slim"`, the longest pattern that
    /// fits first
    #[arg(long, value_name = "FILE", help_heading = "Execution")]
    base_images: Option<PathBuf>,
    #[command(flatten)]
    pub lock: LockArgs,
    /// What the session reaches, where its sandbox can open hosts at all
    #[arg(long, value_enum, default_value_t = NetworkChoice::Indexes, help_heading = "Execution")]
    network: NetworkChoice,
    /// A further host that the session may reach over http and https; may be given again
    #[arg(long = "allow-host", value_name = "HOST", value_parser = host_name, help_heading = "Execution")]
    pub hosts: Vec<String>,
    #[command(flatten)]
    pub session: SessionLimits,
    /// A folder whose stage definitions take the place of the built-in ones.
    #[arg(long, help_heading = "Task")]
    pub stages_dir: Option<PathBuf>,
}

/// The actors of a run: the model that it asks, and the one who approves.
#[derive(Debug)]
pub struct RunActors {
    pub model: String,
    pub approve: Approve,
}

/// The request of an attempt without a budget, under a name that other runs may have as well.
///
/// # Errors
/// A task file or a capsule that cannot be used.
pub async fn request(
    program: &Program,
    choice: &CapsuleChoice,
    task: &CapsuleTask,
    name: &str,
    folder: &Path,
    actors: RunActors,
) -> Result<RunRequest, Failure> {
    let settings = &program.settings;
    let TaskFilePlace { root, name: tasks } = TaskFilePlace::find(&choice.file)?;
    let capsules = choice.capsules.as_deref().unwrap_or(&root);
    let source = capsule_task::source(settings, capsules, &task.id)?;
    let catalog = program
        .tracks
        .catalog(Some(TRACK), choice.stages_dir.as_deref())?;
    let stages = StageSelection::default().within(catalog.track());
    let base_images = choice.base_images.as_deref().map(base_images).transpose()?;
    Ok(RunRequest {
        format: FORMAT,
        run: run_options::run_id(name, folder),
        study: root,
        track: Some(TRACK.to_owned()),
        model: actors.model,
        sampling: Sampling::default(),
        code_mode: CodeMode::Native,
        code_access: CodeAccess::Code,
        stages: stages.map_err(|error| Failure::usage(error.to_string()))?,
        approve: actors.approve,
        sandbox: app::sandboxes::settled(settings, choice.session.sandbox).await,
        limits: choice.session.limits(),
        hosts: Vec::new(),
        budget: Budget::default(),
        allow_unpriced: false,
        record: None,
        search: None,
        vision_model: None,
        stages_dir: choice.stages_dir.clone(),
        registration: None,
        probe: None,
        capsule: Some(CapsuleRequest {
            tasks,
            id: task.id.clone(),
            source: source.clone(),
            level: choice.level,
            layout: choice.layout,
            hosts: choice.network.hosts(&choice.hosts),
            base_images: base_images.unwrap_or_default(),
            lost_session: LostSession::default(),
            agent: None,
            beneath: None,
        }),
        notebook: None,
        agent: None,
        mend: MendChoice::default(),
        lock: choice.lock.given()?,
        dated: choice.lock.dated(&source, &source.display().to_string())?,
        wording: ClaimWording::AsGiven,
    })
}

impl CapsuleChoice {
    /// Takes task file, capsule, level and layout out of a task folder of Harbor, where one was named.
    ///
    /// # Errors
    /// A folder that was not written here, or lacks a part.
    pub fn open_task_folder(&mut self) -> Result<(), Failure> {
        if !HarborFolder::is_one(&self.file) {
            return Ok(());
        }
        let found = HarborFolder::open(&self.file);
        let found = found.map_err(|error| Failure::new(Status::StudyInvalid, error.to_string()))?;
        self.file = found.tasks;
        self.capsules = Some(found.capsules);
        self.level = found.exported.level;
        self.layout = found.exported.layout;
        Ok(())
    }
}

/// The images of a file that a person wrote.
///
/// # Errors
/// A file that cannot be read, or is no table of names.
pub fn base_images(path: &Path) -> Result<BaseImages, Failure> {
    let refuse =
        |why: &dyn std::fmt::Display| Failure::usage(format!("--base-images {}: {why}", path.display()));
    let text = fs::read_to_string(path).map_err(|error| refuse(&error))?;
    base_table::parse(&text).map_err(|error| refuse(&error))
}
