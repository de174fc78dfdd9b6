//! The addresses that an answer proposes are held against the web before its stage ends.

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use crate::agent::dialogue::Dialogue;
use crate::domain::stage::Stage;
use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::network::check;
use crate::network::review::{AddressOrigin, SeenAddresses, assess, proposed, words};
use crate::policy::subject::Network;
use crate::run::event::CallRef;
use crate::run::stage_state::ReviewState;
use crate::tools::contract::Request;

use super::context::Effects;
use super::gate::{self, GateDecision, NetworkQuestion};
use super::network_calls::network_calls;
use super::paper::{has_paper, read_paper};
use super::reviewed::{OBJECTIONS, Reviewed, objections, record};

/// The tool that an approval to reach a host was given to.
const TOOL: &str = "fetch_page";

/// Reviews the answer of the last turn, once; what was found is journaled before
/// it is acted on.
///
/// # Errors
/// A paper that cannot be read, a check of the network that cannot be made, or a journal that cannot be
/// written.
pub async fn review(
    effects: &mut Effects,
    session: &mut Session,
    conversation: &mut Dialogue,
    answer: Value,
    cancel: &CancellationToken,
) -> Result<Reviewed, EngineError> {
    let position = conversation.position();
    let at = CallRef {
        stage: position.stage,
        turn: position.turn.saturating_sub(1),
        call: 0,
    };
    let turn = |session: &Session| -> Option<ReviewState> {
        let stage = session.state.stages.get(&at.stage)?;
        stage.turns.get(at.turn as usize)?.review.clone()
    };
    if let Some(review) = turn(session) {
        let checks = check::read(&session.text(&review.checks)?);
        let (seen, queries) = seen(effects, session, at.stage)?;
        return Ok(Reviewed::stands(assess(&answer, &checks, &seen, &queries).answer));
    }
    let urls = proposed(&answer);
    if urls.is_empty()
        && assess(&answer, &[], &SeenAddresses::default(), &[])
            .objections
            .is_empty()
    {
        return Ok(Reviewed::stands(answer));
    }
    let refused = match refusals(effects, session, at, &urls, cancel).await? {
        Some(refused) => refused,
        None => return Ok(Reviewed::Step(Step::Parked)),
    };
    let port = effects.ports.network.clone();
    let request = Request::CheckAddresses { urls, refused };
    let observation = tokio::select! {
        () = cancel.cancelled() => return Ok(Reviewed::Step(Step::Interrupted)),
        observation = port.answer(at, network_calls(effects, session, at), &request) => observation?,
    };
    if !observation.ok {
        return Ok(Reviewed::stands(answer));
    }
    let checks = check::read(&observation.text);
    let (seen, queries) = seen(effects, session, at.stage)?;
    let review = assess(&answer, &checks, &seen, &queries);
    let told = session.state.stages.get(&at.stage).map_or(0, objections);
    let objects = !review.objections.is_empty() && told < OBJECTIONS && conversation.turns_left() > 0;
    let remark = objects.then(|| words(&review.objections));
    record(session, at.stage, at.turn, &observation.text, remark.as_deref())?;
    Ok(match remark {
        Some(remark) => {
            conversation.objected(&remark);
            Reviewed::Objected
        }
        None => Reviewed::stands(review.answer),
    })
}

/// The hosts that may not be reached; `None` when the run waits for an answer.
async fn refusals(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    urls: &[String],
    cancel: &CancellationToken,
) -> Result<Option<Vec<String>>, EngineError> {
    let mut refused = Vec::new();
    let port = effects.ports.network.clone();
    if !port.is_live() {
        return Ok(Some(refused));
    }
    let mut hosts: Vec<String> = urls.iter().filter_map(|url| check::host(url)).collect();
    hosts.sort();
    hosts.dedup();
    for host in hosts {
        let network = Network {
            tool: TOOL.to_owned(),
            target: host.clone(),
            operators: port.opens(&host),
        };
        let question = NetworkQuestion {
            network,
            summary: format!("check that the proposed addresses on {host} are there"),
            details: String::new(),
        };
        match gate::reach(effects, session, at, question, cancel).await? {
            GateDecision::Open => {}
            GateDecision::Parked => return Ok(None),
            GateDecision::Refused { .. } => refused.push(host),
        }
    }
    Ok(Some(refused))
}

/// Every address that a stage has seen before the answer, and every query that it tried.
fn seen(
    effects: &Effects,
    session: &Session,
    stage: Stage,
) -> Result<(SeenAddresses, Vec<String>), EngineError> {
    let mut seen = SeenAddresses::default();
    let mut queries: Vec<String> = Vec::new();
    if has_paper(session)
        && let Ok(paper) = read_paper(effects, session)?
    {
        seen.text(&paper.whole_text(), AddressOrigin::Paper);
    }
    let turns = session.state.stages.get(&stage);
    for turn in turns.map_or(&[][..], |stage| &stage.turns) {
        for (index, result) in turn.results.iter().filter(|(_, result)| result.ok) {
            let text = session.text(&result.observation)?;
            match result.tool.as_str() {
                "web_search" => {
                    seen.search(&text);
                    let query = serde_json::from_str::<Value>(&text).ok();
                    let query = query.as_ref().and_then(|answer| answer["query"].as_str());
                    queries.extend(query.map(str::to_owned));
                }
                "fetch_page" => seen.page(&text),
                // An earlier answer of the model's own is no source.
                "read_file" => {
                    let path = turn
                        .calls
                        .get(*index as usize)
                        .map(|call| call.arguments.to_string());
                    if path.is_some_and(|path| path.contains("replication_data")) {
                        seen.text(&text, AddressOrigin::Study);
                    }
                }
                _ => {}
            }
        }
    }
    queries.dedup();
    Ok((seen, queries))
}
