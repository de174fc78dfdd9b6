//! The calls of a program that a journal holds, to be answered again.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

use crate::artifacts::store::StoreError;
use crate::domain::content::Content;
use crate::domain::conversation::ChatResponse;
use crate::domain::digest::Digest;
use crate::domain::stage::Stage;
use crate::model::proxy::call_failure::ToldFailure;
use crate::model::proxy::fault_reply::FaultReply;
use crate::run::program::{ProgramCallFailed, RequestDifference};
use crate::run::program_state::RoundBegin;
use crate::run::stage_state::StageState;

use super::normalised::Normalisation;

/// A call of a journal with what came of it.
#[derive(Debug, Clone)]
pub struct EarlierCall {
    pub digest: Digest,
    pub asked: Vec<u8>,
    pub end: EarlierEnd,
}

/// The end of a call of a journal.
#[derive(Debug, Clone)]
pub enum EarlierEnd {
    Answered {
        /// The bytes that the program was given.
        served: Vec<u8>,
        response: Box<ChatResponse>,
    },
    Failed(ToldFailure),
}

/// The bytes behind a name.
pub type LoadContent<'a> = dyn Fn(&Content) -> Result<Vec<u8>, StoreError> + 'a;

/// The requests of earlier calls that are kept whole: together they may be much larger than what is recorded of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WholeRequests {
    All,
    /// That of the last call; the others are distinguished by their digests alone.
    Last,
}

/// The calls of a stage that were answered to a program, in their order.
///
/// # Errors
/// A request or an answer that the store lacks or holds damaged.
pub fn gather(
    stage: &StageState,
    normalisation: &Normalisation,
    kept: WholeRequests,
    load: &LoadContent<'_>,
) -> Result<Vec<EarlierCall>, StoreError> {
    let mut calls: Vec<EarlierCall> = Vec::new();
    for turn in &stage.turns {
        let Some(call) = &turn.program else { continue };
        let before = calls.last().map_or(&[][..], |call| &call.asked);
        let asked = whole(&call.asked, before, load)?;
        if let (WholeRequests::Last, Some(before)) = (kept, calls.last_mut()) {
            before.asked = Vec::new();
        }
        calls.push(EarlierCall {
            digest: normalisation.digest(call.dialect, call.streamed, &asked),
            asked,
            end: EarlierEnd::Answered {
                served: load(&call.served)?,
                response: Box::new(ChatResponse {
                    text: String::from_utf8_lossy(&load(&turn.text)?).into_owned(),
                    calls: turn.calls.clone(),
                    finish: turn.finish,
                    usage: turn.usage,
                    thoughts: None,
                }),
            },
        });
    }
    Ok(calls)
}

/// A call of a program that got no answer, and the last one before it that did.
fn failed(
    failed: &ProgramCallFailed,
    before: &[u8],
    normalisation: &Normalisation,
    load: &LoadContent<'_>,
) -> Result<EarlierCall, StoreError> {
    let asked = whole(&failed.asked, before, load)?;
    Ok(EarlierCall {
        digest: normalisation.digest(failed.dialect, failed.streamed, &asked),
        asked,
        end: EarlierEnd::Failed(ToldFailure {
            reached: failed.reached,
            why: failed.why.clone(),
            reply: FaultReply {
                status: failed.status,
                body: load(&failed.served)?,
            },
        }),
    })
}

/// The calls of a run that is replayed, by stage and by the rounds of its program.
#[derive(Debug, Default)]
pub struct ReplayedCalls(BTreeMap<Stage, Vec<Vec<EarlierCall>>>);

impl ReplayedCalls {
    /// Adds the calls of a stage that a program carried.
    ///
    /// # Errors
    /// A request or an answer that the store lacks or holds damaged.
    pub fn add(
        &mut self,
        stage: Stage,
        state: &StageState,
        normalisation: &Normalisation,
        load: &LoadContent<'_>,
    ) -> Result<(), StoreError> {
        let mut calls = gather(state, normalisation, WholeRequests::All, load)?;
        // Behind a start that was cut off its calls are asked anew: the last start of a round tells how they ended.
        let last_starts = state.rounds().starts_by_round();
        let told = state
            .failed_calls
            .iter()
            .filter(|one| last_starts.contains(&one.starts));
        let mut failures = Vec::new();
        for one in told {
            let at = one.calls_before.min(calls.len());
            let before = calls[..at].last().map_or(&[][..], |call| &call.asked);
            failures.push((one.starts, at, failed(&one.failed, before, normalisation, load)?));
        }
        let begins: Vec<RoundBegin> = state.rounds().begins().collect();
        let mut rounds = Vec::new();
        for (begin, starts) in begins.iter().zip(last_starts).rev() {
            let from = begin.calls_before.min(calls.len());
            let mut round = calls.split_off(from);
            let own = failures.iter().rev().filter(|(of, ..)| *of == starts);
            for (_, at, failure) in own {
                round.insert((*at - from.min(*at)).min(round.len()), failure.clone());
            }
            rounds.push(round);
        }
        rounds.reverse();
        self.0.insert(stage, rounds);
        Ok(())
    }

    /// The calls of a round; none of one that the run did not have.
    pub fn of_round(&self, stage: Stage, round: u32) -> Vec<EarlierCall> {
        let rounds = self.0.get(&stage);
        let found = rounds.and_then(|rounds| rounds.get(usize::try_from(round).ok()?));
        found.cloned().unwrap_or_default()
    }
}

/// A request by its difference from the one before.
///
/// # Errors
/// A difference that the store lacks or holds damaged.
pub fn whole(
    difference: &RequestDifference,
    before: &[u8],
    load: &LoadContent<'_>,
) -> Result<Vec<u8>, StoreError> {
    let length = |bytes: u64| usize::try_from(bytes).unwrap_or(usize::MAX).min(before.len());
    let mut body = before[..length(difference.beginning)].to_vec();
    body.extend(load(&difference.between)?);
    body.extend_from_slice(&before[before.len() - length(difference.end)..]);
    Ok(body)
}

/// The bytes at both ends of a request that are those of the one before.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SharedEnds {
    pub beginning: usize,
    pub end: usize,
}

impl SharedEnds {
    /// Of a request and the one before it.
    pub fn new(before: &[u8], body: &[u8]) -> Self {
        let most = before.len().min(body.len());
        let pairs = before.iter().zip(body);
        let beginning = pairs.take_while(|(one, other)| one == other).count();
        let pairs = before.iter().rev().zip(body.iter().rev()).take(most - beginning);
        let end = pairs.take_while(|(one, other)| one == other).count();
        Self { beginning, end }
    }
}

/// The earlier calls that were not served again yet.
#[derive(Debug, Default)]
pub struct EarlierQueue(Mutex<Vec<EarlierCall>>);

impl EarlierQueue {
    pub fn new(calls: Vec<EarlierCall>) -> Self {
        Self(Mutex::new(calls))
    }

    /// Whether no call is left.
    pub fn is_empty(&self) -> bool {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).is_empty()
    }

    /// The first call left that asked the same, once.
    pub fn take(&self, digest: Digest) -> Option<EarlierCall> {
        let mut calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = calls.iter().position(|call| call.digest == digest)?;
        Some(calls.remove(at))
    }

    /// What is to be known of a request that is none of those left, beside its place.
    pub fn divergence(&self, normalisation: &Normalisation, asked: &[u8]) -> String {
        let calls = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match calls.first() {
            Some(next) => normalisation.parting(&next.asked, asked),
            None => "the run that is replayed has no further call".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::artifacts::content;
    use crate::artifacts::disk::DiskStore;

    #[test]
    fn a_request_comes_back_whole_from_its_difference() {
        let folder = tempfile::tempdir().unwrap();
        let store = DiskStore::open(folder.path()).unwrap();
        let bodies: [&[u8]; 6] = [b"{[a]}", b"{[a,b]}", b"", b"aaaa", b"aaa", b"xaaay"];
        let mut before: &[u8] = b"";
        for body in bodies {
            let shared = SharedEnds::new(before, body);
            let between = &body[shared.beginning..body.len() - shared.end];
            let difference = RequestDifference {
                beginning: shared.beginning as u64,
                end: shared.end as u64,
                between: content::keep(between, &store).unwrap(),
            };
            let load = |name: &Content| content::load(name, &store);
            assert_eq!(whole(&difference, before, &load).unwrap(), body);
            before = body;
        }
        assert_eq!(
            SharedEnds::new(b"{[a]}", b"{[a,b]}"),
            SharedEnds { beginning: 3, end: 2 }
        );
    }
}
