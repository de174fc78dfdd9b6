//! A pool of episodes that are ready before a client asks for them.
//!
//! Each is begun, laid out, with its container and its shell, and used once: the next reset
//! takes it, and another is begun in its place.

use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{Mutex, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::episode::{Episode, EpisodeError};
use crate::app::program::Program;
use crate::domain::ids::RunId;
use crate::engine::request::RunRequest;

/// The bounds of a pool.
#[derive(Debug, Clone, Copy)]
pub struct PoolBounds {
    /// Episodes that wait, ready.
    pub warm: usize,
    /// Episodes at once, those that wait included.
    pub most: usize,
    /// How long a reset may wait in the queue.
    pub patience: Duration,
}

/// The error of a reset.
#[derive(Debug, thiserror::Error)]
pub enum ResetError {
    #[error("{most} episodes are under way, and none ended within {} seconds: end one, or raise --episodes", patience.as_secs())]
    Full { most: usize, patience: Duration },
    #[error(transparent)]
    Episode(#[from] EpisodeError),
}

/// A pool of episodes of one task.
pub struct EpisodePool {
    program: Arc<Program>,
    request: RunRequest,
    folder: PathBuf,
    bounds: PoolBounds,
    ready: Mutex<VecDeque<Episode>>,
    places: Arc<Semaphore>,
    number: AtomicU64,
    filling: TaskTracker,
    over: CancellationToken,
}

impl EpisodePool {
    /// A pool whose episodes are made from one request, in folders below `folder`.
    pub fn new(program: Arc<Program>, request: RunRequest, folder: PathBuf, bounds: PoolBounds) -> Arc<Self> {
        Arc::new(Self {
            program,
            request,
            folder,
            bounds,
            ready: Mutex::default(),
            places: Arc::new(Semaphore::new(bounds.most)),
            number: AtomicU64::new(0),
            filling: TaskTracker::new(),
            over: CancellationToken::new(),
        })
    }

    /// Begins as many episodes as are to wait.
    pub fn fill(self: &Arc<Self>) {
        for _ in 0..self.bounds.warm.min(self.bounds.most) {
            self.refill();
        }
    }

    /// An episode that is ready: one that waits, or else one that is begun for it.
    ///
    /// # Errors
    /// No place for another, or an episode that cannot be begun.
    pub async fn take(self: &Arc<Self>) -> Result<Episode, ResetError> {
        let waiting = self.ready.lock().await.pop_front();
        let episode = match waiting {
            Some(episode) => episode,
            None => self.begin().await?,
        };
        self.refill();
        Ok(episode)
    }

    /// Ends every episode that waits, and begins no other.
    pub async fn close(&self) {
        self.over.cancel();
        self.filling.close();
        self.filling.wait().await;
        for episode in std::mem::take(&mut *self.ready.lock().await) {
            episode.end().await;
        }
    }

    fn refill(self: &Arc<Self>) {
        let pool = Arc::clone(self);
        self.filling.spawn(async move {
            // Room for those that a client asks for comes first.
            let Ok(place) = Arc::clone(&pool.places).try_acquire_owned() else {
                return;
            };
            if pool.over.is_cancelled() || pool.ready.lock().await.len() >= pool.bounds.warm {
                return;
            }
            let next = pool.next();
            let begun = Episode::begin(Arc::clone(&pool.program), next.request, next.folder, Some(place));
            // What keeps one from being begun is told to the client that has to wait for another.
            if let Ok(episode) = begun.await {
                pool.ready.lock().await.push_back(episode);
            }
        });
    }

    async fn begin(&self) -> Result<Episode, ResetError> {
        let PoolBounds { most, patience, .. } = self.bounds;
        let full = || ResetError::Full { most, patience };
        let place = tokio::time::timeout(patience, Arc::clone(&self.places).acquire_owned()).await;
        let place = place.map_err(|_| full())?.map_err(|_| full())?;
        let PlannedEpisode { request, folder } = self.next();
        Ok(Episode::begin(Arc::clone(&self.program), request, folder, Some(place)).await?)
    }

    fn next(&self) -> PlannedEpisode {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        PlannedEpisode {
            request: RunRequest {
                run: RunId::new(format!("{}-{number}", self.request.run)),
                ..self.request.clone()
            },
            folder: self.folder.join(format!("episode-{number}")),
        }
    }
}

/// An episode that is to be begun.
struct PlannedEpisode {
    request: RunRequest,
    folder: PathBuf,
}
