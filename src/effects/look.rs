//! A question about a picture, put to whoever sees.

use tokio_util::sync::CancellationToken;

use crate::engine::dispatch::Step;
use crate::engine::error::EngineError;
use crate::engine::session::Session;
use crate::run::event::{CallRef, PictureAnswer};
use crate::tools::contract::Observation;
use crate::tools::look::Look;

use super::context::Effects;
use super::halt::halt;
use super::network_calls::network_calls;

/// The outcome of a look.
pub enum VisionOutcome {
    /// What the model is told, and what the journal keeps.
    Seen(Observation, Option<PictureAnswer>),
    /// It was interrupted, or the run stops here.
    Step(Step),
}

/// Puts a question about a picture.
///
/// # Errors
/// Settings or a recording that cannot be used, or a store or journal that cannot be written.
pub async fn look(
    effects: &Effects,
    session: &mut Session,
    at: CallRef,
    look: &Look,
    cancel: &CancellationToken,
) -> Result<VisionOutcome, EngineError> {
    let Some(vision) = &effects.ports.vision else {
        let text = "Nobody in this run sees pictures: its model does not, and no other was named for it. Go on \
                    without the picture, and say so where it matters.";
        return Ok(VisionOutcome::Seen(Observation::bad(text), None));
    };
    let index = network_calls(effects, session, at);
    let seen = tokio::select! {
        // An answer that has arrived is kept even if Ctrl-C came with it.
        biased;
        seen = vision.look(at, index, look) => seen,
        () = cancel.cancelled() => return Ok(VisionOutcome::Step(Step::Interrupted)),
    };
    let seen = match seen {
        Ok(seen) => seen,
        Err(error) => return halt(effects, session, at.stage, error).map(VisionOutcome::Step),
    };
    let looked = PictureAnswer {
        model: seen.model,
        media: look.picture.media,
        picture: session.keep(look.picture.bytes())?,
        usage: seen.usage,
    };
    let observation = if seen.ok {
        Observation::good(seen.text)
    } else {
        Observation::bad(seen.text)
    };
    Ok(VisionOutcome::Seen(observation, Some(looked)))
}
