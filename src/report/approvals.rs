//! Every question and answer, and the help that people gave.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::{Deserialize, Serialize};

use crate::domain::digest::Digest;
use crate::domain::ids::ApprovalId;
use crate::domain::stage::Stage;
use crate::run::event::{Asking, DecidedBy, Event, Record};
use crate::run::gate_state::GateState;

use super::text::{ITEM, Loader, Text};
use super::timeline::between;

/// One question with its answer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Approval {
    pub id: ApprovalId,
    pub stage: Stage,
    pub turn: u32,
    pub asking: Asking,
    pub summary: String,
    /// The content that the answer holds for.
    pub subject: Text,
    pub digest: Digest,
    pub asked_at: Option<Timestamp>,
    /// Milliseconds until the answer.
    pub waited_ms: Option<u64>,
    /// `None` while the question is open.
    pub allowed: Option<bool>,
    pub by: Option<DecidedBy>,
    pub words: Option<String>,
}

/// Questions, and what people added beyond a plain yes or no.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Approvals {
    pub all: Vec<Approval>,
    pub by_person: u64,
    pub by_policy: u64,
    pub by_setting: u64,
    pub open: u64,
    pub refused: u64,
    /// Free questions of the agent's that a person answered.
    pub answers: u64,
    /// Refusals of a person's that came with advice.
    pub advised_refusals: u64,
}

impl Approvals {
    /// Reads the gate; times come from the records.
    pub fn from_gate(gate: &GateState, records: &[Record], loader: &Loader<'_>) -> Self {
        let (asked_at, decided_at) = times(records);
        let mut approvals = Self::default();
        for (asked, decided) in gate.all() {
            let from = asked_at.get(&asked.id).copied();
            let to = decided.and_then(|_| decided_at.get(&asked.id).copied());
            let approval = Approval {
                id: asked.id,
                stage: asked.at.stage,
                turn: asked.at.turn,
                asking: asked.asking,
                summary: asked.summary.clone(),
                subject: loader.text(&asked.subject, ITEM, &format!("The subject of {}", asked.id)),
                digest: asked.digest,
                asked_at: from,
                waited_ms: from.zip(to).map(|(from, to)| between(from, to)),
                allowed: decided.map(|decided| decided.allowed),
                by: decided.map(|decided| decided.by),
                words: decided.and_then(|decided| decided.words.clone()),
            };
            approvals.count(&approval);
            approvals.all.push(approval);
        }
        approvals
    }

    fn count(&mut self, approval: &Approval) {
        match approval.by {
            None => self.open += 1,
            Some(DecidedBy::Person) => self.by_person += 1,
            Some(DecidedBy::Policy) => self.by_policy += 1,
            Some(DecidedBy::Setting) => self.by_setting += 1,
        }
        self.refused += u64::from(approval.allowed == Some(false));
        let said = approval
            .words
            .as_ref()
            .is_some_and(|words| !words.trim().is_empty());
        if approval.by == Some(DecidedBy::Person) && said {
            if approval.asking == Asking::Person {
                self.answers += 1;
            } else if approval.allowed == Some(false) {
                self.advised_refusals += 1;
            }
        }
    }
}

type Times = BTreeMap<ApprovalId, Timestamp>;

fn times(records: &[Record]) -> (Times, Times) {
    let (mut asked, mut decided) = (Times::new(), Times::new());
    for record in records {
        match &record.event {
            Event::Asked(question) => {
                asked.insert(question.id, record.at);
            }
            Event::Decided(answer) => {
                decided.insert(answer.id, record.at);
            }
            _ => {}
        }
    }
    (asked, decided)
}
