//! The lock of the run's day that sessions are held to.

use crate::environment::lock::EnvironmentLock;

use super::lock_wish::LockWish;

/// A lock, with the wish that it was made for.
pub(super) struct SessionLock {
    pub wish: LockWish,
    pub lock: Box<EnvironmentLock>,
}
