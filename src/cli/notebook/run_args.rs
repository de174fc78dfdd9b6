//! The arguments of `reprise notebook run`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::agent_args::TypedProgramArgs;
use crate::cli::notebook_attempt::args::NotebookAttemptArgs;
use crate::cli::prepared_attempt::CarryArgs;

#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  reprise notebook run notebooks/tasks.jsonl --task degree-days --approve auto
  reprise notebook run tasks/masked.jsonl --task colbert_cpu --repos mirrors/ --model openai/gpt-5

`reprise notebook run --help-all` lists every option.",
    after_long_help = "\
The repository is copied out of the folder of mirrors into the workspace, and the agent acts in one kernel of IPython, \
which is approved once. Cells that a Masked task has executed beforehand come first and spend the budget. The answer is \
the run's submission.json, graded as the gold means it, as published and strictly; `reprise show`, `resume`, `replay` and \
`report` take the run as any other, and `reprise notebook export` writes it as a notebook.

A kernel needs ipykernel in its sandbox, which is installed once from the package index of Python.

`--lock FILE` has all of the lock's packages of Python installed beforehand, in its versions. `--as-of DATE` asks the index \
for what was there on the day of the packages that `--package` names and of the kernel's own; `--as-of evidence` goes by \
the repository's files and its commit.

Examples:
  reprise notebook run notebooks/tasks.jsonl --task degree-days --approve auto
  reprise notebook run tasks/masked.jsonl --task colbert_cpu --repos mirrors/ --at task --model openai/gpt-5
  reprise notebook run notebooks/tasks.jsonl --task degree-days --agent swe-agent --approve auto
  reprise notebook run tasks/expert.jsonl --task colbert --repos mirrors/ --package torch==2.2.1 --system git \
--model openai/gpt-5 --approve auto"
)]
pub struct RunArgs {
    #[command(flatten)]
    pub attempt: NotebookAttemptArgs,
    /// The run's folder; it must not exist [default: runs/TASK-notebook-TIME]
    #[arg(long)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub carry: CarryArgs,
    #[command(flatten)]
    pub program: TypedProgramArgs,
}
