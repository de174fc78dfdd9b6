//! A task that an agent proposes, in a run of its own over the repository.

use std::fs;

use serde_json::json;

use crate::cli::exit::{Failure, Status};
use crate::cli::output::one_line;
use crate::engine::error::EngineError;

use super::args::MakeArgs;
use super::folder::MadeFolder;
use super::proposal::Proposal;
use super::runs::{TaskRuns, WantedRun};

/// The task of proposing one.
const TASK: &str = "\
Make a task of this repository for another agent. That agent will get a fresh copy of the repository and your words, work in a \
notebook as you do, and report what you ask for; its answer will be compared with what your cells print.

The task: set the repository up and run one of its scripts with settings that you name, so small that it takes less than ten \
minutes on one processor without a GPU, and report one to five values that it prints. What has to be set up, changed or found \
out is what makes the task; what is to be reported, and the settings that decide it, have to be said in full. Two runs have to \
print the same: fix a seed where there is one.

Look at the repository, run what you mean to ask for, and see the values printed. Then submit one JSON object:
- `task`: what is to be done, in words for that agent, with all settings
- `report`: what is to be reported, as a JSON object with which keys
- `instructions`: further instructions, or an empty text
- `cells`: the cells that solve it from the beginning, in the folder above the repository, as a list of texts; nothing else is run
- `values`: for each key of the answer, a regular expression with one group that finds its value in what your cells print; the \
last match counts
- `landmarks`: one to five regular expressions of Python's, each found in what one cell prints and only where the task was done so \
far
- `entry_point`: the path of the script that is run, from the top of the repository, or null";

const REPORT: &str = "Report the JSON object with these keys.";

/// Has an agent propose the task.
///
/// # Errors
/// A run that ends without a proposal, or a proposal that cannot be used.
pub async fn drafted(
    runs: &TaskRuns<'_>,
    folder: &MadeFolder,
    args: &MakeArgs,
    model: &str,
) -> Result<Proposal, Failure> {
    let draft = folder.draft();
    fs::create_dir_all(&draft)
        .map_err(|error| Failure::new(Status::Infrastructure, format!("{}: {error}", draft.display())))?;
    let tasks = draft.join("tasks.jsonl");
    let record = json!({
        "task_id": "draft", "github_repo": folder.address, "git_commit": folder.commit,
        "query": format!("{TASK}\n\n{REPORT}\n\nGit repository: {}", folder.address),
        "query_components": {"e2e_task": TASK, "scenario_task": "", "report": REPORT, "instructions": ""},
        "pre_execute_cells": [], "answer": "", "landmarks": [], "solution_dependencies": "",
    });
    MadeFolder::write_task(&tasks, &record)?;
    let session = runs
        .made(WantedRun {
            what: "the proposal".to_owned(),
            tasks: &tasks,
            repositories: &folder.repositories(),
            model: model.to_owned(),
            out: draft.join("run"),
            record: None,
            is_solution: false,
        })
        .await?;
    let artifact = session.state.stages.values().find_map(|stage| stage.artifact());
    let refuse = |why: &str| {
        Failure::new(
            Status::StageFailed,
            format!(
                "the proposal in {} cannot be used: {}",
                draft.display(),
                one_line(why)
            ),
        )
    };
    let artifact = artifact.ok_or_else(|| refuse("nothing was submitted"))?;
    let submitted = session.text(artifact).map_err(EngineError::from)?;
    Proposal::by_model(&submitted, args).map_err(|why| refuse(&why.to_string()))
}
