//! The arguments of `reprise capsule`.

use std::fmt;
use std::fs;
use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, Subcommand};
use reqwest::Url;

use crate::capsule::encrypted::Passphrase;
use crate::capsule::layout::level::{Layout, Level};
use crate::cli::exit::Failure;
use crate::cli::host_name::host_name;
use crate::cli::task_choice::TaskChoice;
use crate::engine::choice::session::NetworkChoice;
use crate::network::download::bounds::DownloadBounds;
use crate::scoring::released::capsule::tallies::{GraderName, UnknownGrader};

use super::make::MakeArgs;
use super::report::ReportArgs;
use super::run_args::RunArgs;
use super::serve::ServeArgs;

#[derive(Debug, Args)]
pub struct CapsuleArgs {
    #[command(subcommand)]
    pub verb: CapsuleVerb,
}

/// The verbs of `reprise capsule`.
#[derive(Debug, Subcommand)]
pub enum CapsuleVerb {
    /// List the tasks of a file, with how many questions of which kind each has.
    List(ListArgs),
    /// Say which capsules are there, and which questions no published grader can be answered.
    Check(CheckArgs),
    /// Tell what trivial agents reach: answers that stand in the files that an agent could read.
    Baseline(BaselineArgs),
    /// Attempt a capsule: an agent in a shell, and its answers graded.
    Run(Box<RunArgs>),
    /// Make a capsule of anybody's code: execute it several times, and ask about what it printed.
    Make(Box<MakeArgs>),
    /// Serve capsules as episodes to a trainer, over HTTP.
    Serve(Box<ServeArgs>),
    /// Sum attempts up: figures of each agent, and pages of each task.
    Report(ReportArgs),
    /// Grade reports of answers by the graders that are in use.
    Grade(GradeArgs),
    /// Write capsules as task folders of Harbor, for other harnesses.
    Export(ExportArgs),
    /// Fetch the archives of capsules from an address, going on where an earlier call was cut.
    Fetch(FetchArgs),
}

/// The passphrase of an encrypted task file.
#[derive(Debug, Args)]
pub struct PassphraseChoice {
    /// A file whose first line is the passphrase of an encrypted task file [default: the public one of
    /// CORE-Bench's test file]
    #[arg(long, value_name = "FILE")]
    pub passphrase_file: Option<PathBuf>,
}

impl PassphraseChoice {
    /// The passphrase.
    ///
    /// # Errors
    /// A file that cannot be read.
    pub fn passphrase(&self) -> Result<Passphrase, Failure> {
        let Some(path) = &self.passphrase_file else {
            return Ok(Passphrase::default());
        };
        let text = fs::read_to_string(path)
            .map_err(|error| Failure::usage(format!("{} cannot be read: {error}", path.display())))?;
        Ok(Passphrase::from_text(&text))
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
A task file is the JSON list of CORE-Bench, HAL's, or a croissant file of v1.1; which it is, is found from its content.
One that is encrypted is decrypted in memory, by a program that is built with `--features encrypted`. No answer is printed.

Examples:
  reprise capsule list core_train.json
  reprise capsule list core_train.json --language R --modality vision --json")]
pub struct ListArgs {
    /// The task file.
    pub file: PathBuf,
    #[command(flatten)]
    pub choice: TaskChoice,
    #[command(flatten)]
    pub passphrase: PassphraseChoice,
    /// Print the tasks as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Exit codes: 0 every capsule is there and every question can be answered; 1 something is missing, or cannot be.

Example:
  reprise capsule check core_train.json --capsules capsules")]
pub struct CheckArgs {
    /// The task file.
    pub file: PathBuf,
    /// The folder that holds capsules, as folders or as `.tar.gz`
    #[arg(long, value_name = "DIR")]
    pub capsules: Option<PathBuf>,
    #[command(flatten)]
    pub passphrase: PassphraseChoice,
    /// Print the findings as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
Nothing submitted solves no task, by any grader. Answers of at least three significant digits or two words are looked \
for, word for word, in the text files that an agent could read at the level; beside them stands the same with the answers \
of other questions. No answer is printed.

Example:
  reprise capsule baseline core_train.json --capsules capsules --level hard")]
pub struct BaselineArgs {
    /// The task file.
    pub file: PathBuf,
    #[command(flatten)]
    pub passphrase: PassphraseChoice,
    /// The folder that holds the capsules, as folders
    #[arg(long, value_name = "DIR")]
    pub capsules: PathBuf,
    /// What of each capsule is there
    #[arg(long, default_value = "hard")]
    pub level: Level,
    /// Whose layout of the levels is followed: `original`, `hal`, `v1.1` or `inspect`
    #[arg(long, default_value = "original")]
    pub layout: Layout,
    /// Print the figures as JSON.
    #[arg(long)]
    pub json: bool,
}

/// The choice of a grader.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GraderChoice {
    Published(GraderName),
    /// Our own.
    Strict,
}

impl FromStr for GraderChoice {
    type Err = UnknownGrader;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "strict" => Ok(Self::Strict),
            other => other.parse().map(Self::Published),
        }
    }
}

impl fmt::Display for GraderChoice {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Published(grader) => grader.fmt(formatter),
            Self::Strict => formatter.pad("strict"),
        }
    }
}

#[derive(Debug, Args)]
#[command(after_help = "\
Reports are read as harnesses write them: a report.json with answers by question (named by --task, or by a folder or \
file with the task's name), answers by task (HAL's output.json, wrapped in `answer` or not), and lines of these \
(*_RAW_SUBMISSIONS.jsonl). The published graders are reproduced to the letter, quirks included; `strict` is ours: each \
question by itself, types respected (docs/capsules.md).

Exit codes: 0 everything was graded, whatever the grade; 2 some report could not be read, or names no task; the rest \
is graded all the same.

Examples:
  reprise capsule grade out/capsule-0851068/report.json --tasks core_train.json
  reprise capsule grade RAW_SUBMISSIONS.jsonl --tasks core_train.json --grader v1.1 --grader strict
  reprise capsule grade report.json --task capsule-0851068 --tasks core_train.json --json")]
pub struct GradeArgs {
    /// Files of answers.
    #[arg(required = true, value_name = "REPORT")]
    pub reports: Vec<PathBuf>,
    /// The task file with the gold answers
    #[arg(long, value_name = "FILE")]
    pub tasks: PathBuf,
    /// The task that reports without a name answer
    #[arg(long, value_name = "ID")]
    pub task: Option<String>,
    /// `original`, `hal`, `v1.1`, `v1.1-regrade`, `inspect` or `strict`; may be given again
    /// [default: original and strict]
    #[arg(long, value_name = "NAME")]
    pub grader: Vec<GraderChoice>,
    /// A TOML file with the aliases of v1.1, which are no part of this program: `[texts.ID]` and
    /// `[lists.ID]` with a list of answers for each question
    #[arg(long, value_name = "FILE")]
    pub aliases: Option<PathBuf>,
    #[command(flatten)]
    pub passphrase: PassphraseChoice,
    /// Print the grades as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
For each task ID of the file, URL/ID.tar.gz is fetched to DIR/ID.tar.gz: in five attempts with pauses of 1, 2, 4 and \
8 s, going on where an attempt or an earlier call broke off (DIR/ID.tar.gz.partial). What is there is not fetched again. \
Redirects to another scheme, and from the public web into a private network, are not followed.

Exit codes: 0 every capsule is there; 1 some is not to be had, is no archive, too large, or of another digest; 7 the \
network, the server or the disk failed, and the same command may succeed later; 130 stopped by Ctrl-C. One capsule that \
fails does not keep back the others.

Examples:
  reprise capsule fetch core_train.json --from https://corebench.cs.princeton.edu/capsules --into capsules
  reprise capsule fetch core_train.json --from URL --into capsules --task capsule-0851068 --sha256 SHA256SUMS")]
pub struct FetchArgs {
    /// The task file.
    pub file: PathBuf,
    /// The address that the archives stand below, http or https
    #[arg(long, value_name = "URL")]
    pub from: Url,
    /// The folder that they go into
    #[arg(long, value_name = "DIR")]
    pub into: PathBuf,
    /// The capsule of this task alone; may be given again
    #[arg(long, value_name = "ID")]
    pub task: Vec<String>,
    /// Digests that the archives must have: lines of `DIGEST  NAME`, as sha256sum writes them
    #[arg(long, value_name = "FILE")]
    pub sha256: Option<PathBuf>,
    /// Most bytes of an archive
    #[arg(long, value_name = "N", default_value_t = DownloadBounds::default().bytes)]
    pub max_bytes: u64,
    /// Milliseconds before the second attempt, doubled before each further one
    #[arg(long, value_name = "N", default_value_t = 1_000, hide = true)]
    pub pause_ms: u64,
    #[command(flatten)]
    pub passphrase: PassphraseChoice,
    /// Print the outcome as JSON.
    #[arg(long)]
    pub json: bool,
}

#[derive(Debug, Args)]
#[command(after_help = "\
For each task a folder DIR/ID-LEVEL: instruction.md, environment/ (the agent's image, with the capsule as the level has \
it), tests/ (the verifier's image, with the answers) and task.toml. The verifier is a container of its own, is given \
report.json alone, and grades by `strict`: reward 1 or 0. `reprise capsule run DIR/ID-LEVEL` reads a folder back. \
tests/ holds gold: keep it from agents.

Examples:
  reprise capsule export capsules/sunspots/task.json --harbor harbor
  reprise capsule export core_train.json --capsules capsules --task capsule-0851068 --level medium --harbor harbor")]
pub struct ExportArgs {
    /// The task file.
    pub file: PathBuf,
    /// The folder that Harbor's task folders go into
    #[arg(long, value_name = "DIR")]
    pub harbor: PathBuf,
    /// A task; may be given again [default: all whose capsule is there]
    #[arg(long, value_name = "ID")]
    pub task: Vec<String>,
    /// The folder that holds the capsules [default: that of the task file]
    #[arg(long, value_name = "DIR")]
    pub capsules: Option<PathBuf>,
    /// What of each capsule is there
    #[arg(long, default_value = "hard")]
    pub level: Level,
    /// Whose layout of the levels is followed: `original`, `hal`, `v1.1` or `inspect`
    #[arg(long, default_value = "original")]
    pub layout: Layout,
    /// Images that stand in for published ones: a TOML file, as of `capsule run`
    #[arg(long, value_name = "FILE")]
    pub base_images: Option<PathBuf>,
    /// What the agent's work may reach
    #[arg(long, value_enum, default_value_t = NetworkChoice::Indexes)]
    pub network: NetworkChoice,
    /// A further host that it may reach, such as that of its model; may be given again
    #[arg(long = "allow-host", value_name = "HOST", value_parser = host_name)]
    pub hosts: Vec<String>,
    #[command(flatten)]
    pub passphrase: PassphraseChoice,
    /// Print what was written as JSON.
    #[arg(long)]
    pub json: bool,
}
