//! The calls that are under way or were just answered, by what they ask.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::Instant;

use crate::domain::digest::Digest;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::proxy::answer_reading::ProviderAnswer;
use crate::model::proxy::call_failure::CallFailure;

/// How long an answer is kept for a client that did not get it.
const KEPT: Duration = Duration::from_secs(600);
/// Most answers that are kept, and their bytes.
const MOST: usize = 256;
const MOST_BYTES: usize = 64 << 20;

/// The end of a call, as all who asked for it see it.
pub type SharedEnd = Arc<Result<ProviderAnswer, CallFailure>>;

/// The key of a call: its dialect, its manner and its bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct CallKey {
    pub dialect: ProxyDialect,
    pub streamed: bool,
    pub digest: Digest,
}

/// The end of one call, without its request.
#[derive(Debug)]
pub struct KeptCall {
    end: watch::Receiver<Option<SharedEnd>>,
    ended: Option<Instant>,
    resends: u64,
}

/// A place in the table.
pub enum CallPlace {
    /// The call is under way, or was answered: its end, and how often it came again.
    Known {
        end: watch::Receiver<Option<SharedEnd>>,
        resends: u64,
    },
    /// Nobody has asked this: whoever makes the call says here how it ends.
    Open(
        watch::Sender<Option<SharedEnd>>,
        watch::Receiver<Option<SharedEnd>>,
    ),
}

/// The calls of one run.
#[derive(Debug, Default)]
pub struct CallTable(Mutex<HashMap<CallKey, KeptCall>>);

impl CallTable {
    /// The place of a call. One that says it is no resend, and whose like was answered, is a new one.
    pub fn place(&self, key: CallKey, says_first: bool) -> CallPlace {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        forget(&mut calls);
        if let Some(known) = calls.get_mut(&key)
            && !(says_first && known.ended.is_some())
        {
            known.resends += 1;
            return CallPlace::Known {
                end: known.end.clone(),
                resends: known.resends,
            };
        }
        let (sender, end) = watch::channel(None);
        let kept = KeptCall {
            end: end.clone(),
            ended: None,
            resends: 0,
        };
        calls.insert(key, kept);
        CallPlace::Open(sender, end)
    }

    /// Notes that a call is over. An answer is kept for a while; a failure is not, so that the client
    /// may try again.
    pub fn ended(&self, key: &CallKey, answered: bool) {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match answered {
            true => {
                if let Some(known) = calls.get_mut(key) {
                    known.ended = Some(Instant::now());
                }
            }
            false => {
                calls.remove(key);
            }
        }
    }
}

impl KeptCall {
    fn bytes(&self) -> usize {
        let end = self.end.borrow();
        let answer = end.as_deref().and_then(|end| end.as_ref().ok());
        answer.map_or(0, |answer| answer.body.len() + answer.response.text.len())
    }
}

/// Forgets answers that are old, and the oldest where there are too many or too large ones.
fn forget(calls: &mut HashMap<CallKey, KeptCall>) {
    calls.retain(|_, kept| kept.ended.is_none_or(|ended| ended.elapsed() < KEPT));
    while calls.len() >= MOST || calls.values().map(KeptCall::bytes).sum::<usize>() > MOST_BYTES {
        let ended = calls.iter().filter_map(|(key, kept)| Some((*key, kept.ended?)));
        let Some((oldest, _)) = ended.min_by_key(|(_, ended)| *ended) else {
            return;
        };
        calls.remove(&oldest);
    }
}
