//! The arguments of `reprise capsule run`.

use std::path::PathBuf;

use clap::Args;

use crate::cli::agent_args::TypedProgramArgs;
use crate::cli::capsule_attempt::args::AttemptArgs;
use crate::cli::prepared_attempt::CarryArgs;

#[derive(Debug, Args)]
#[command(
    after_help = "\
Examples:
  reprise capsule run capsules/sunspots/task.json --approve auto
  reprise capsule run core_train.json --task capsule-0851068 --capsules capsules/ --model openai/gpt-5

`reprise capsule run --help-all` lists every option.",
    after_long_help = "\
The agent acts in one lasting shell, which is approved once. Its answers are the run's report.json, graded by our own \
grader and counted by the published ones; `reprise show`, `resume`, `replay` and `report` take the run as any other.

At the level medium, and on a local sandbox (which has no network) at every level, the packages that the capsule's \
environment/Dockerfile installs are there beforehand, in their versions where these can be had. The Dockerfile itself \
is not run: what of it is not followed is told.

Examples:
  reprise capsule run capsules/sunspots/task.json --approve auto
  reprise capsule run core_train.json --task capsule-0851068 --capsules capsules/ --level medium --model openai/gpt-5
  reprise capsule run core_train.json --task capsule-0851068 --capsules capsules/ --layout v1.1 --limits v1.1-cli \
--model anthropic/claude-sonnet-4-5 --approve auto
  reprise capsule run capsules/sunspots/task.json --model openai/gpt-5 --agent command --agent-files my-agent/ \
--approve auto -- python3 /agent/agent.py

A program that is the agent finds the address of the model and a key of this run alone in its environment \
(OPENAI_BASE_URL and OPENAI_API_KEY, ANTHROPIC_..., GOOGLE_GEMINI_BASE_URL and GEMINI_API_KEY), its task in the file \
REPRISE_PROMPT_FILE, and writes its answers into REPRISE_ANSWER_FILE."
)]
pub struct RunArgs {
    #[command(flatten)]
    pub attempt: AttemptArgs,
    #[command(flatten)]
    pub program: TypedProgramArgs,
    /// The run's folder; it must not exist [default: runs/TASK-LEVEL-capsule-TIME]
    #[arg(long)]
    pub out: Option<PathBuf>,
    #[command(flatten)]
    pub carry: CarryArgs,
}
