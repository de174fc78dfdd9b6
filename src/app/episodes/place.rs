//! The place of an episode among those that may be under way at once.

use std::fmt;

use tokio::sync::OwnedSemaphorePermit;

/// A place; when one that an episode had is let go of, whoever gave it is told.
pub struct EpisodePlace {
    permit: Option<OwnedSemaphorePermit>,
    freed: Box<dyn Fn() + Send + Sync>,
    had_episode: bool,
}

impl EpisodePlace {
    /// A place of which `freed` is called once another may have it.
    pub fn new(permit: OwnedSemaphorePermit, freed: impl Fn() + Send + Sync + 'static) -> Self {
        Self {
            permit: Some(permit),
            freed: Box::new(freed),
            had_episode: false,
        }
    }

    /// An episode has begun in it. Where none could, another try would end as this one did.
    pub fn begun(&mut self) {
        self.had_episode = true;
    }
}

impl Drop for EpisodePlace {
    fn drop(&mut self) {
        drop(self.permit.take());
        if self.had_episode {
            (self.freed)();
        }
    }
}

impl fmt::Debug for EpisodePlace {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("EpisodePlace")
    }
}
