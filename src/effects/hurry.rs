//! The wish of whoever waits for an act that it be left before its end.

use std::sync::{Mutex, PoisonError};

use tokio_util::sync::CancellationToken;

/// Hurries acts under way; one that can be left then comes back at once, and what it began goes on.
#[derive(Debug, Default)]
pub struct Hurry {
    token: Mutex<Option<CancellationToken>>,
}

impl Hurry {
    /// Begins a call, which is not hurried by what was said of an earlier one.
    pub fn begin(&self) {
        *self.token.lock().unwrap_or_else(PoisonError::into_inner) = Some(CancellationToken::new());
    }

    /// Hurries the call that was begun last.
    pub fn hurry(&self) {
        if let Some(token) = self.token() {
            token.cancel();
        }
    }

    /// The token of the call that was begun last; `None` where nobody hurries.
    pub fn token(&self) -> Option<CancellationToken> {
        self.token.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
