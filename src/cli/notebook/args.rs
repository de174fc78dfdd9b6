//! The arguments of `reprise notebook`.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use crate::scoring::notebook::mode::GradingMode;

use super::make::args::MakeArgs;
use super::run_args::RunArgs;

#[derive(Debug, Args)]
pub struct NotebookArgs {
    #[command(subcommand)]
    pub verb: NotebookVerb,
}

/// The verbs of `reprise notebook`.
#[derive(Debug, Subcommand)]
pub enum NotebookVerb {
    /// List the tasks of files, with what of each can be graded.
    List(ListArgs),
    /// Say what of the tasks of files cannot be read, run or graded.
    Check(CheckArgs),
    /// Attempt a task: set its repository up in a notebook, run it, and report an answer.
    Run(Box<RunArgs>),
    /// Make a task of a repository of your own, with the answer of several runs.
    Make(Box<MakeArgs>),
    /// Grade histories of attempts, as published or as meant.
    Grade(GradeArgs),
    /// Write a history as a notebook that can be opened and run again.
    Export(ExportArgs),
}

#[derive(Debug, Args)]
#[command(after_help = "\
A task file is lines of JSON, or a list of them, as SUPER published its Expert, Masked and Auto sets, in any revision. \
No answer, landmark, script or solution is printed.

Examples:
  reprise notebook list tasks/expert.jsonl tasks/masked.jsonl
  reprise notebook list tasks/masked.jsonl --json")]
pub struct ListArgs {
    /// Task files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the tasks as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 every task can be run and graded as its file means it; 1 some cannot. A column that no published layout \
has is named and wrong with nothing.

Example:
  reprise notebook check tasks/masked.jsonl")]
pub struct CheckArgs {
    /// Task files.
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Print the findings as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
An attempt is a run of `reprise notebook run`, a history of ours (reprise-notebook-history/1), the published runner's history.json, or a published \
history.ipynb: a file, a folder with one, or a folder of such folders. The task is named by the history, by the \
metadata.json beside it, or by the folder.

`published` is the published grader to the letter, quirks included; in `gold` the gold says what counts, and the script \
is looked for by its whole name in the agent's own cells; `strict` is ours. Every mode but `published` says which scores \
it changed (docs/notebooks.md). What a task has no gold for is unscored, never 0.

Exit codes: 0 everything was graded, whatever the grade; 2 some history could not be read, or names no task of the \
files; the rest is graded all the same.

Examples:
  reprise notebook grade runs/ --tasks tasks/masked.jsonl
  reprise notebook grade history.json --task colbert_cpu --tasks tasks/masked.jsonl --mode gold --relative 0.05 --json")]
pub struct GradeArgs {
    /// Runs, histories, folders with one, or folders of such folders.
    #[arg(required = true, value_name = "RUN")]
    pub runs: Vec<PathBuf>,
    /// A task file with the gold; may be given again
    #[arg(long, required = true, value_name = "FILE")]
    pub tasks: Vec<PathBuf>,
    /// The task of histories, whatever else names it
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// `published`, `gold` or `strict`; may be given again
    #[arg(long, value_name = "MODE", default_value = "published")]
    pub mode: Vec<GradingMode>,
    /// The share of the gold that numbers may differ by in the mode `gold`, in place of 0.01
    #[arg(long, value_name = "SHARE")]
    pub relative: Option<f64>,
    /// Print the grades as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Cells are as they were executed, with what was seen of them then; edits become cells that do them again.

Example:
  reprise notebook export runs/colbert_cpu --out colbert.ipynb")]
pub struct ExportArgs {
    /// A run, a history, or a folder with one.
    #[arg(value_name = "RUN")]
    pub run: PathBuf,
    /// The notebook; it must not exist
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
}
