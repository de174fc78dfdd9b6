//! A count of a stage's calls of network tools.

use crate::catalog::stages::inputs::AnswerReview;
use crate::engine::session::Session;
use crate::run::event::CallRef;
use crate::tools::look_at_image;

use super::context::Effects;

/// How many requests of the stage the network answered before this one; those
/// that were turned down never reached the network.
pub fn network_calls(effects: &Effects, session: &Session, at: CallRef) -> u32 {
    let finished = session.state.stages.get(&at.stage).map_or(0, |stage| {
        // Only what is held against the web asks the network.
        let reviews = match effects.ports.catalog.review_of(at.stage) {
            Some(AnswerReview::Addresses) => stage.reviews(),
            _ => 0,
        };
        let calls = stage
            .turns
            .iter()
            .flat_map(|turn| turn.results.values())
            .filter(|result| {
                result.ok
                    && matches!(
                        result.tool.as_str(),
                        "web_search" | "fetch_page" | look_at_image::NAME
                    )
            })
            .count();
        calls + reviews
    });
    u32::try_from(finished).unwrap_or(u32::MAX)
}
