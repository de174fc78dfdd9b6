//! The arguments of `reprise notebook make`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::host_name::host_name;
use crate::cli::session_args::SessionLimits;
use crate::engine::choice::session::NetworkChoice;

use super::values::ValuePattern;

#[derive(Debug, Args)]
#[command(after_help = "\
The cells that solve the task are executed in runs of their own, three as a rule, each over a fresh copy of the repository. \
The task is written where every run came to its end and printed every value: numbers that differ from run to run get a \
tolerance, and a landmark or a script that a run did not reach is refused or left out, with the reason. With --model an \
agent looks at the repository, proposes the task, and its cells are held to the same runs.

The folder holds tasks.jsonl, the mirror of the repository, the runs, and a recording of the solution.

Examples:
  reprise notebook make my-repo --out task --id my-repo --task 'Train the model for 5 epochs.' \
--report 'Report the loss as a JSON object with the key `loss`.' --cells solution.ipynb --value 'loss=final loss: ([0-9.]+)' \
--entry-point train.py --approve auto
  reprise notebook make my-repo --out task --id my-repo --model openai/gpt-5 --approve auto")]
pub struct MakeArgs {
    /// The folder of the repository: a clone, a bare clone or plain files
    #[arg(value_name = "DIR")]
    pub repo: PathBuf,
    /// The folder that is written; it must not exist
    #[arg(long, value_name = "DIR", default_value = "notebook-task")]
    pub out: PathBuf,
    /// The task's name [default: that of the folder]
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// The address that stands for the repository [default: `own/NAME` at example.org]
    #[arg(long, value_name = "URL")]
    pub address: Option<String>,
    /// What is to be done
    #[arg(long, value_name = "TEXT", required_unless_present = "model")]
    pub task: Option<String>,
    /// What is to be reported, and in which form
    #[arg(long, value_name = "TEXT", required_unless_present = "model")]
    pub report: Option<String>,
    /// Further instructions
    #[arg(long, value_name = "TEXT", default_value = "")]
    pub instructions: String,
    /// A cell of the solution, from the folder above the repository; may be given again
    #[arg(long = "cell", value_name = "CODE", conflicts_with = "cells")]
    pub cell: Vec<String>,
    /// The solution's cells: a notebook, or a script with a line `# %%` before each cell
    #[arg(long, value_name = "FILE")]
    pub cells: Option<PathBuf>,
    /// A value of the answer and a regular expression whose group finds it in what the cells print, as
    /// `loss=final loss: ([0-9.]+)`; the last match counts; may be given again
    #[arg(long = "value", value_name = "NAME=REGEX")]
    pub values: Vec<ValuePattern>,
    /// The script that has to be run, from the top of the repository
    #[arg(long, value_name = "PATH")]
    pub entry_point: Option<String>,
    /// A landmark, a regular expression of Python's; may be given again [default: the lines of the values]
    #[arg(long = "landmark", value_name = "REGEX")]
    pub landmarks: Vec<String>,
    /// The runs
    #[arg(long, default_value_t = 3, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(2..=20))]
    pub times: u32,
    /// A model that proposes the task: `provider/model`
    #[arg(long, conflicts_with_all = ["task", "report", "cell", "cells", "values"])]
    pub model: Option<String>,
    /// Let a model of unknown price propose
    #[arg(long, requires = "model")]
    pub allow_unpriced: bool,
    /// Who approves the sessions: `ask`, `auto`, `deny` or `policy:FILE`
    #[arg(long, default_value = "ask")]
    pub approve: String,
    /// A package of Python that is installed beforehand; may be given again
    #[arg(long = "package", value_name = "NAME")]
    pub packages: Vec<String>,
    /// A package of Debian that is installed beforehand, in containers; may be given again
    #[arg(long, value_name = "NAME")]
    pub system: Vec<String>,
    /// What the sessions reach, where their sandbox can open hosts at all
    #[arg(long, value_enum, default_value_t = NetworkChoice::Indexes)]
    pub network: NetworkChoice,
    /// A further host that the sessions may reach; may be given again
    #[arg(long = "allow-host", value_name = "HOST", value_parser = host_name)]
    pub hosts: Vec<String>,
    #[command(flatten)]
    pub session: SessionLimits,
    /// Print what was made as JSON
    #[arg(long)]
    pub json: bool,
}
