//! A pool of episodes that are ready before a client asks for them.
//!
//! Each is begun, laid out, with its container and its shell, and used once: the next reset
//! takes it, and another is begun in its place.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, OwnedSemaphorePermit, Semaphore};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;

use super::episode::{Episode, EpisodeError};
use super::place::EpisodePlace;
use super::refills::Refills;
use crate::app::program::Program;
use crate::domain::ids::RunId;
use crate::engine::request::RunRequest;

/// The beginning of the name of an episode's folder.
const EPISODE: &str = "episode-";

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
    /// How many are being made ready to wait; changed with `ready` locked.
    underway: AtomicUsize,
    places: Arc<Semaphore>,
    number: AtomicU64,
    refills: Refills,
    filling: TaskTracker,
    over: CancellationToken,
}

impl EpisodePool {
    /// A pool whose episodes are made from one request, in folders below `folder`; those that are there
    /// stay.
    pub fn new(program: Arc<Program>, request: RunRequest, folder: PathBuf, bounds: PoolBounds) -> Arc<Self> {
        let before = last_number(&folder);
        Arc::new(Self {
            program,
            request,
            folder,
            bounds,
            ready: Mutex::default(),
            underway: AtomicUsize::new(0),
            places: Arc::new(Semaphore::new(bounds.most)),
            number: AtomicU64::new(before),
            refills: Refills::default(),
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
            {
                let ready = pool.ready.lock().await;
                let coming = ready.len() + pool.underway.load(Ordering::Relaxed);
                if pool.over.is_cancelled() || coming >= pool.bounds.warm {
                    return;
                }
                pool.underway.fetch_add(1, Ordering::Relaxed);
            }
            let next = pool.next();
            let place = Some(pool.place(place));
            let begun = Episode::begin(Arc::clone(&pool.program), next.request, next.folder, place);
            let begun = begun.await;
            let mut ready = pool.ready.lock().await;
            pool.underway.fetch_sub(1, Ordering::Relaxed);
            // What keeps one from being begun is told to the client that has to wait for another.
            if let Ok(episode) = begun {
                pool.refills.add(episode.ready_ms);
                ready.push_back(episode);
            }
        });
    }

    /// A place that has an episode begun in it when it is free again.
    fn place(self: &Arc<Self>, permit: OwnedSemaphorePermit) -> EpisodePlace {
        let pool = Arc::downgrade(self);
        EpisodePlace::new(permit, move || {
            // Where there is no runtime any more, nothing is to be begun.
            if let (Some(pool), Ok(_)) = (pool.upgrade(), Handle::try_current()) {
                pool.refill();
            }
        })
    }

    /// How the pool stands: the episodes that wait, and what making them ready took.
    pub async fn told(&self) -> Value {
        json!({ "waiting": self.ready.lock().await.len(), "refills": self.refills.told() })
    }

    async fn begin(self: &Arc<Self>) -> Result<Episode, ResetError> {
        let PoolBounds { most, patience, .. } = self.bounds;
        let full = || ResetError::Full { most, patience };
        let place = tokio::time::timeout(patience, Arc::clone(&self.places).acquire_owned()).await;
        let place = place.map_err(|_| full())?.map_err(|_| full())?;
        let PlannedEpisode { request, folder } = self.next();
        let place = Some(self.place(place));
        let episode = Episode::begin(Arc::clone(&self.program), request, folder, place).await?;
        self.refills.add(episode.ready_ms);
        Ok(episode)
    }

    fn next(&self) -> PlannedEpisode {
        let number = self.number.fetch_add(1, Ordering::Relaxed) + 1;
        PlannedEpisode {
            request: RunRequest {
                run: RunId::new(format!("{}-{number}", self.request.run)),
                ..self.request.clone()
            },
            folder: self.folder.join(format!("{EPISODE}{number}")),
        }
    }
}

/// The number of the last episode that a server before has left in a folder.
fn last_number(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let numbers = entries.filter_map(|entry| {
        let name = entry.file_name();
        name.to_str()?.strip_prefix(EPISODE)?.parse::<u64>().ok()
    });
    numbers.max().unwrap_or(0)
}

/// An episode that is to be begun.
struct PlannedEpisode {
    request: RunRequest,
    folder: PathBuf,
}
