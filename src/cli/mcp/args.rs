//! The arguments of `reprise agents mcp`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use crate::cli::capsule_attempt::choice::CapsuleArgs;
use crate::domain::mode::{CodeAccess, CodeMode};
use crate::domain::track::StageSelection;

#[derive(Debug, Args)]
#[command(after_help = "\
One run, carried by a client of the Model Context Protocol (a desktop assistant, an editor, a coding agent): it gets the \
tools of the run's stages, and acts in its own model's name. That model's calls are not seen here, so the run is \
unmetered. A folder that holds the run already is gone on with. Of a capsule these are a lasting shell in the sandbox, \
files, data and submit; of a study files, data, run_analysis and the stages' answers.

Without --http it speaks over standard input and output, as clients start it. With it, it listens on loopback, behind a \
token. No score is told; `reprise show`, `report` and `capsule grade` have it.

Examples:
  reprise agents mcp capsules/sunspots/task.json --out /home/me/runs/sunspots
  reprise agents mcp studies/crime-1993 --out /home/me/runs/crime
  reprise agents mcp capsules/sunspots/task.json --http 127.0.0.1:8766 --token-file token --out runs/sunspots
  codex mcp add capsule -- reprise agents mcp /home/me/capsules/task.json --out /home/me/runs/first")]
pub struct McpArgs {
    #[command(flatten)]
    pub choice: CapsuleArgs,
    #[command(flatten)]
    pub study: ClientStudyArgs,
    /// The task, where the file has several
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// Who approves: `ask` (by `reprise approve` elsewhere), `auto`, `deny` or `policy:FILE`
    #[arg(long, default_value = "ask")]
    pub approve: String,
    /// Speak over standard input and output, as where no address is given
    #[arg(long, conflicts_with = "http")]
    pub stdio: bool,
    /// Listen at this address of loopback instead; port 0 takes a free one
    #[arg(long, value_name = "ADDRESS:PORT")]
    pub http: Option<SocketAddr>,
    /// The file with the token that clients over HTTP have to know; it is made where it is not there
    /// [default: another token with each start]
    #[arg(long, value_name = "FILE", requires = "http")]
    pub token_file: Option<PathBuf>,
    /// The run's folder; a run that it holds is gone on with [default: runs/TASK-LEVEL-mcp-TIME]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// Print where it listens as JSON.
    #[arg(long, requires = "http")]
    pub json: bool,
}

/// The part of a study that a client carries, and how.
#[derive(Debug, Args)]
pub struct ClientStudyArgs {
    /// Run the study's own scripts, or a Python translation
    #[arg(long, value_enum, default_value_t = CodeMode::Python, help_heading = "Studies")]
    pub code_mode: CodeMode,
    /// Whether the client sees the study's code
    #[arg(long, value_enum, default_value_t = CodeAccess::Code, help_heading = "Studies")]
    pub code_access: CodeAccess,
    /// The stages that the client carries
    #[arg(
        long,
        default_value = "design..execute",
        value_name = "FROM..TO",
        help_heading = "Studies"
    )]
    pub stages: StageSelection,
}
