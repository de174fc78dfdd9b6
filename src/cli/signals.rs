//! Signals that stop what is under way.

use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use super::stop_signals::StopSignals;

/// The token that Ctrl-C cancels, as do a request to end and a hangup, and the task that waits
/// for them.
pub fn until_stopped() -> (CancellationToken, JoinHandle<()>) {
    let cancel = CancellationToken::new();
    let on_signal = cancel.clone();
    // From here on, whenever the task is first looked at.
    let mut signals = StopSignals::listen();
    let watcher = tokio::spawn(async move {
        if signals.received().await {
            on_signal.cancel();
        }
    });
    (cancel, watcher)
}
