//! The capsules that are attempted, and the request of an attempt.

use std::fs;
use std::path::{Path, PathBuf};

use clap::Args;

use crate::app::program::Program;
use crate::capsule::dockerfile::base_table::{self, BaseImages};
use crate::capsule::harbor::HarborFolder;
use crate::capsule::layout::level::{Layout, Level};
use crate::capsule::task_file::CapsuleTask;
use crate::capsule::terms::TRACK;
use crate::cli::capsule_task;
use crate::cli::exit::{Failure, Status};
use crate::cli::host_name::host_name;
use crate::cli::lock_args::{self, LockArgs};
use crate::cli::run_request::{self, RequestedRun};
use crate::cli::session_args::SessionLimits;
use crate::cli::task_file_place::TaskFilePlace;
use crate::domain::track::StageSelection;
use crate::engine::choice::capsule::CapsuleChoice;
use crate::engine::choice::run::RunChoice;
use crate::engine::choice::session::NetworkChoice;
use crate::engine::request::{AgentRequest, CapsuleRequest, RunRequest};

/// The capsules that are attempted, and what is there for the attempts.
#[derive(Debug, Clone, Args)]
pub struct CapsuleArgs {
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

/// An attempt at a task of a file, under a name that other runs may have as well.
pub struct RequestedAttempt<'a> {
    pub file: &'a Path,
    pub task: &'a CapsuleTask,
    pub name: &'a str,
    pub folder: &'a Path,
    pub model: String,
    /// The third-party agent.
    pub agent: Option<AgentRequest>,
}

/// The request of an attempt.
///
/// # Errors
/// A task file or a capsule that cannot be used, or an approval or a budget that cannot be had.
pub async fn request(
    program: &Program,
    choice: &CapsuleChoice,
    of: RequestedAttempt<'_>,
) -> Result<RunRequest, Failure> {
    let (settings, run, task) = (&program.settings, &choice.run, of.task);
    let TaskFilePlace { root, name: tasks } = TaskFilePlace::find(of.file)?;
    let capsules = choice.capsules.as_deref().unwrap_or(&root);
    let source = capsule_task::source(settings, capsules, &task.id)?;
    let catalog = program.tracks.catalog(Some(TRACK), run.stages_dir.as_deref())?;
    let base_images = choice.base_images.as_deref().map(base_images).transpose()?;
    let requested = RequestedRun {
        root,
        track: Some(TRACK.to_owned()),
        name: of.name,
        folder: of.folder,
        stages: StageSelection::default(),
        model: of.model,
        agent: of.agent,
    };
    let mut request = run_request::request(settings, &catalog, run, requested).await?;
    if let Some(published) = choice.published {
        published.lay_under(&mut request.budget);
    }
    Ok(RunRequest {
        dated: lock_args::dated(&run.lock, &source, &source.display().to_string())?,
        capsule: Some(CapsuleRequest {
            tasks,
            id: task.id.clone(),
            source,
            level: choice.level,
            layout: choice.layout,
            hosts: choice.network.hosts(&run.hosts),
            base_images: base_images.unwrap_or_default(),
            lost_session: choice.lost_session,
            agent: None,
            beneath: None,
        }),
        ..request
    })
}

impl CapsuleArgs {
    /// The choice as it was typed.
    pub fn choice(self) -> CapsuleChoice {
        let run = RunChoice {
            sandbox: self.session.sandbox,
            hosts: self.hosts,
            stages_dir: self.stages_dir,
            lock: self.lock.choice(),
            ..RunChoice::new(self.session.limits())
        };
        CapsuleChoice {
            run,
            capsules: self.capsules,
            level: self.level,
            layout: self.layout,
            base_images: self.base_images,
            network: self.network,
            ..CapsuleChoice::default()
        }
    }

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
