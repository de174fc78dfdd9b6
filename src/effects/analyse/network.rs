//! The hosts that executed code may reach: named by the operator, each with an
//! approval of its own.

use tokio_util::sync::CancellationToken;

use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::policy::subject::Network;
use crate::run::event::CallRef;

use crate::effects::context::Effects;
use crate::effects::gate::{self, GateDecision, NetworkQuestion};

/// Who reaches out, as approvals and policy files see it.
const CODE: &str = "executed code";

/// The hosts that stand approved; `None` when the run waits for an answer.
pub async fn hosts(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    cancel: &CancellationToken,
) -> Result<Option<Vec<String>>, EngineError> {
    let mut open = Vec::new();
    for host in &effects.request.hosts {
        let network = Network {
            tool: CODE.to_owned(),
            target: host.clone(),
            operators: false,
        };
        let details = format!(
            "Code of the study or of the agent could then send to {host} whatever it can read, \
             and use whatever it answers. All else stays closed.\n"
        );
        let question = NetworkQuestion {
            network,
            summary: format!("let {CODE} reach {host}"),
            details,
        };
        match gate::reach(effects, session, at, question, cancel).await? {
            GateDecision::Open => open.push(host.clone()),
            GateDecision::Parked => return Ok(None),
            GateDecision::Refused { .. } => {}
        }
    }
    Ok(Some(open))
}
