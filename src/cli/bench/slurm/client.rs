//! The commands of Slurm that are called: `sbatch`, `squeue` and `scancel`.

use std::process::Stdio;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::process::Command;
use tokio::time::timeout;

use crate::domain::excerpt;

/// The longest that a command may take.
const LIMIT: Duration = Duration::from_secs(60);
/// The most that is read of what one prints, in bytes.
const LONGEST: u64 = 64 << 20;

/// A command of Slurm's that did not do what it was called for.
#[derive(Debug, thiserror::Error)]
pub enum SlurmError {
    #[error("{program} cannot be started ({source}): call this where Slurm's commands are, on a login node")]
    Unstartable { program: String, source: std::io::Error },
    #[error("{program} took longer than {} s", LIMIT.as_secs())]
    TooSlow { program: String },
    #[error("{program} said: {said}")]
    Failed { program: String, said: String },
}

impl SlurmError {
    /// Whether the cluster may have done all the same what it was called for: its answer was lost, and no more.
    pub fn may_be_done(&self) -> bool {
        match self {
            Self::Unstartable { .. } => false,
            Self::TooSlow { .. } => true,
            Self::Failed { said, .. } => {
                let said = said.to_ascii_lowercase();
                ["timed out", "contact", "transmission", "connect"]
                    .iter()
                    .any(|word| said.contains(word))
            }
        }
    }
}

/// Calls a command, and returns what it printed.
///
/// # Errors
/// A command that is not there, takes too long, or ends with another status than 0.
pub async fn call(program: &str, arguments: &[String]) -> Result<String, SlurmError> {
    let unstartable = |source| SlurmError::Unstartable {
        program: program.to_owned(),
        source,
    };
    let mut child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .map_err(unstartable)?;
    let (output, complaint) = (child.stdout.take(), child.stderr.take());
    let all = async { tokio::join!(whole(output), whole(complaint), child.wait()) };
    let (output, complaint, status) = timeout(LIMIT, all).await.map_err(|_| SlurmError::TooSlow {
        program: program.to_owned(),
    })?;
    let status = status.map_err(unstartable)?;
    match status.success() {
        true => Ok(output),
        false => Err(SlurmError::Failed {
            program: program.to_owned(),
            said: match complaint.trim() {
                "" => format!("nothing, and ended with {status}"),
                complaint => excerpt::shortened(complaint, 2000),
            },
        }),
    }
}

async fn whole(stream: Option<impl AsyncRead + Unpin>) -> String {
    let mut bytes = Vec::new();
    if let Some(stream) = stream {
        // What was read before a pipe broke still tells something.
        let _broken = stream.take(LONGEST).read_to_end(&mut bytes).await;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
