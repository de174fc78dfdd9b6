//! The desk: where a person is told of work to be done by hand.

use std::path::PathBuf;

use async_trait::async_trait;

use crate::domain::stage::Stage;

/// Work that waits for a person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HandWork {
    pub stage: Stage,
    /// The form to be filled in.
    pub form: PathBuf,
    /// Whole sentences: what there is to do, and what is wrong with what was done.
    pub words: String,
}

/// The desk of a person who can be told of work.
#[async_trait]
pub trait Desk: Send + Sync {
    /// Tells of the work and comes back when the person says that it is done; `false` where
    /// nobody is there, or the person leaves it for later.
    async fn work(&self, work: &HandWork) -> bool;
}
