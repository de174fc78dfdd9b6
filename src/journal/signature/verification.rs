//! A journal held against the signatures beside it, and a reader's key.

use serde::Serialize;

use crate::domain::digest::RunningDigest;
use crate::domain::ids::RunId;
use crate::journal::line::CheckSum;
use crate::journal::read::JournalContents;
use crate::run::event::{Event, RunStarted};

use super::file::Signature;
use super::keys::PublicKey;
use super::statement::{FORMAT, SignedEvent, Statement};

/// The standing of an event by the signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "standing")]
pub enum Standing {
    /// Signed with the reader's key, with all of the journal before it.
    Signed,
    Unsigned,
    /// By a key that is not the reader's.
    OtherKey {
        key: String,
    },
    /// There is a signature, and it is not one of this journal.
    Forged,
}

/// An event that is to be signed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct CheckedEvent {
    pub seq: u64,
    pub event: SignedEvent,
    #[serde(flatten)]
    pub standing: Standing,
}

/// The verification of a run by its signatures.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Verification {
    pub run: Option<RunId>,
    /// Events of the journal.
    pub events: u64,
    /// The last event that a good signature covers, and all before it; 0 without one.
    pub covered: u64,
    /// Decisions by persons, and the end, in order.
    pub checked: Vec<CheckedEvent>,
    /// Signatures, by the number of their event, of which this journal holds no such event.
    pub strays: Vec<u64>,
}

impl Verification {
    /// Holds a journal, by its bytes and as it was read, against signatures.
    pub fn new(bytes: &[u8], journal: &JournalContents, signatures: &[Signature], key: &PublicKey) -> Self {
        let started = journal.records.iter().find_map(|record| match &record.event {
            Event::RunStarted(started) => Some(started.as_ref()),
            _ => None,
        });
        let mut so_far = RunningDigest::default();
        let mut checked = Vec::new();
        let mut covered = 0;
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        for ((record, line), head) in journal.records.iter().zip(lines).zip(&journal.sums) {
            so_far.add(line);
            let Some(event) = SignedEvent::from_event(&record.event) else {
                continue;
            };
            let statement = started.map(|started| state(started, record.seq, &event, head, &so_far));
            let standing = standing(statement.as_ref(), record.seq, signatures, key);
            if standing == Standing::Signed {
                covered = record.seq;
            }
            checked.push(CheckedEvent {
                seq: record.seq,
                event,
                standing,
            });
        }
        let is_known = |seq: u64| checked.iter().any(|event| event.seq == seq);
        let strays = signatures.iter().map(|one| one.statement.seq);
        Self {
            run: started.map(|started| started.run.clone()),
            events: journal.records.len() as u64,
            covered,
            strays: strays.filter(|seq| !is_known(*seq)).collect(),
            checked,
        }
    }

    /// The end of the run, where the journal holds one.
    pub fn end(&self) -> Option<&CheckedEvent> {
        self.checked.iter().find(|one| one.event == SignedEvent::End)
    }

    /// Whether every decision by a person and the end are signed with the reader's key.
    pub fn is_good(&self) -> bool {
        let all_signed = self.checked.iter().all(|one| one.standing == Standing::Signed);
        all_signed && self.end().is_some() && self.strays.is_empty()
    }
}

/// The statement that a signature of an event is made over.
fn state(
    started: &RunStarted,
    seq: u64,
    event: &SignedEvent,
    head: &CheckSum,
    so_far: &RunningDigest,
) -> Statement {
    Statement {
        format: FORMAT.to_owned(),
        run: started.run.clone(),
        run_format: started.format,
        seq,
        event: event.clone(),
        head: head.clone(),
        journal: so_far.digest(),
    }
}

fn standing(statement: Option<&Statement>, seq: u64, signatures: &[Signature], key: &PublicKey) -> Standing {
    let own = || signatures.iter().filter(|one| one.statement.seq == seq);
    let message = statement.and_then(|statement| statement.message().ok());
    // What a signature says of itself counts for nothing: the journal's own statement does.
    let is_good = |one: &Signature| {
        message
            .as_ref()
            .is_some_and(|message| key.verifies(message, &one.bytes()))
    };
    if own().any(is_good) {
        return Standing::Signed;
    }
    let other = own().find(|one| one.key != key.encoded());
    match (other, own().next()) {
        (Some(other), _) => Standing::OtherKey {
            key: other.key.clone(),
        },
        (None, Some(_)) => Standing::Forged,
        (None, None) => Standing::Unsigned,
    }
}
