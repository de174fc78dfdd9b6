//! Collects the request side of a recording while a run goes on.

use std::collections::BTreeMap;

use indexmap::IndexMap;

use crate::domain::conversation::Position;
use crate::domain::stage::Stage;
use crate::model::chat::{ChatRequest, Message};
use crate::model::recording::canonical::{Canonical, CanonicalTool, Chain};
use crate::model::recording::format::RecordedRequest;

/// The requests seen so far, by position.
#[derive(Debug, Default)]
pub struct Cassette {
    stages: IndexMap<Stage, StageCassette>,
}

#[derive(Debug, Default)]
struct StageCassette {
    chain: Chain,
    tools: Option<Vec<CanonicalTool>>,
    /// The last request's turn, and the message that its answer becomes.
    last: Option<(u32, Message)>,
    requests: BTreeMap<u32, RecordedRequest>,
}

impl Cassette {
    /// Takes note of a request, and of the message that its answer becomes.
    ///
    /// A request that does not follow on the last one, such as the first of a
    /// resumed run, is kept whole. One asked again unchanged changes nothing.
    pub fn add(&mut self, request: &ChatRequest, answer: Message) {
        let turn = request.position.turn;
        let stage = self.stages.entry(request.position.stage).or_default();
        if stage.last.as_ref().is_some_and(|(last, _)| *last == turn) {
            let again = stage.chain.digest(&request.messages, &request.tools);
            if stage
                .requests
                .get(&turn)
                .is_some_and(|known| known.digest == again.digest)
            {
                stage.last = Some((turn, answer));
                return;
            }
        }
        let follows = match &stage.last {
            Some((last, _)) => last.checked_add(1) == Some(turn),
            None => turn == 0,
        };
        if !follows {
            stage.chain = Chain::default();
            stage.tools = None;
            stage.last = None;
        }
        let chained = stage.chain.digest(&request.messages, &request.tools);
        let whole = !follows && turn > 0;
        let mut added: Vec<Canonical> = Vec::with_capacity(request.messages.len() - chained.kept);
        for message in &request.messages[chained.kept..] {
            let answered = stage.last.as_ref().is_some_and(|(_, before)| before == message);
            added.push(if answered && added.is_empty() {
                Canonical::Answer {}
            } else {
                Canonical::from_message(message)
            });
        }
        let changed = stage.tools.as_ref() != Some(&chained.tools);
        stage.requests.insert(
            turn,
            RecordedRequest {
                digest: chained.digest,
                tools: changed.then(|| chained.tools.clone()),
                kept: if whole {
                    Some(0)
                } else {
                    (chained.kept < chained.before).then_some(chained.kept)
                },
                added,
            },
        );
        stage.tools = Some(chained.tools);
        stage.last = Some((turn, answer));
    }

    /// The request at a position, if it was seen.
    pub fn request(&self, position: Position) -> Option<&RecordedRequest> {
        self.stages.get(&position.stage)?.requests.get(&position.turn)
    }
}
