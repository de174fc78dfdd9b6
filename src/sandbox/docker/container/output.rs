//! Taking in what a container prints, raw and apart.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use bollard::container::LogOutput;
use bollard::errors::Error;
use futures::{Stream, StreamExt as _};
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;

use crate::sandbox::contract::SandboxError;

/// One stream on its way to a file: the first bytes are kept, all are counted.
struct Sink {
    file: File,
    cap: u64,
    total: Arc<AtomicU64>,
    failure: Option<std::io::Error>,
}

impl Sink {
    async fn take(&mut self, bytes: &[u8]) {
        let before = self.total.fetch_add(bytes.len() as u64, Ordering::Relaxed);
        let room = usize::try_from(self.cap.saturating_sub(before)).unwrap_or(usize::MAX);
        let kept = &bytes[..bytes.len().min(room)];
        // A full disk must not hold the command up: the stream is emptied all the same.
        if self.failure.is_none()
            && !kept.is_empty()
            && let Err(error) = self.file.write_all(kept).await
        {
            self.failure = Some(error);
        }
    }

    async fn close(mut self) -> std::io::Result<()> {
        match self.failure {
            Some(error) => Err(error),
            None => self.file.flush().await,
        }
    }
}

/// The two files that output goes to.
pub struct Sinks {
    stdout: Sink,
    stderr: Sink,
}

/// Bytes seen of both streams so far.
#[derive(Debug, Clone, Default)]
pub struct SeenBytes {
    pub stdout: Arc<AtomicU64>,
    pub stderr: Arc<AtomicU64>,
}

impl Sinks {
    /// Makes the files, empty.
    pub async fn create(
        stdout: &Path,
        stderr: &Path,
        cap: u64,
        seen: &SeenBytes,
    ) -> Result<Self, SandboxError> {
        let open = async |path: &Path, total: &Arc<AtomicU64>| {
            File::create(path)
                .await
                .map(|file| Sink {
                    file,
                    cap,
                    total: Arc::clone(total),
                    failure: None,
                })
                .map_err(|error| SandboxError::Failed(format!("cannot write {}: {error}", path.display())))
        };
        Ok(Self {
            stdout: open(stdout, &seen.stdout).await?,
            stderr: open(stderr, &seen.stderr).await?,
        })
    }

    /// Empties a container's output to its end.
    pub async fn fill(
        mut self,
        mut output: impl Stream<Item = Result<LogOutput, Error>> + Unpin,
    ) -> std::io::Result<()> {
        while let Some(piece) = output.next().await {
            match piece {
                Ok(LogOutput::StdErr { message }) => self.stderr.take(&message).await,
                Ok(piece) => self.stdout.take(piece.as_ref()).await,
                // The connection broke: whether the container did, too, is found out by waiting for it.
                Err(_) => break,
            }
        }
        self.stdout.close().await?;
        self.stderr.close().await
    }
}
