//! The signals that end a run, to be resumed.

use std::fs;
use std::future::poll_fn;
use std::task::Poll;

use tokio::signal::unix::{Signal, SignalKind, signal};

/// The signals that end a run: Ctrl-C, a request to end, and a terminal that hung up.
pub struct StopSignals(Vec<Signal>);

impl StopSignals {
    /// Listens from here on. A hangup that was ignored at the start, as `nohup` does it,
    /// stays ignored.
    pub fn listen() -> Self {
        let mut kinds = vec![SignalKind::interrupt(), SignalKind::terminate()];
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        if !is_ignored(&status, SignalKind::hangup()) {
            kinds.push(SignalKind::hangup());
        }
        Self(kinds.into_iter().filter_map(|kind| signal(kind).ok()).collect())
    }

    /// Waits for one of them; false where none can arrive.
    pub async fn received(&mut self) -> bool {
        if self.0.is_empty() {
            return tokio::signal::ctrl_c().await.is_ok();
        }
        let any = |context: &mut std::task::Context<'_>| {
            let mut ready = self.0.iter_mut().map(|signal| signal.poll_recv(context));
            ready.find(Poll::is_ready).unwrap_or(Poll::Pending)
        };
        poll_fn(any).await.is_some()
    }
}

/// Whether a process with this `/proc/PID/status` ignores a signal.
fn is_ignored(status: &str, kind: SignalKind) -> bool {
    let number = u32::try_from(kind.as_raw_value()).unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("SigIgn:"))
        .and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
        .is_some_and(|mask| number > 0 && mask >> (number - 1) & 1 == 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hangup_that_nohup_ignores_stays_ignored() {
        let status = |mask: &str| format!("Name:\tx\nSigBlk:\t0000000000000001\nSigIgn:\t{mask}\n");
        assert!(is_ignored(&status("0000000000000001"), SignalKind::hangup()));
        assert!(!is_ignored(&status("0000000000001000"), SignalKind::hangup()));
        assert!(!is_ignored("", SignalKind::hangup()));
    }
}
