//! Citation of a run, and who or what carried it out.

use std::collections::BTreeSet;

use crate::domain::format;
use crate::model::recording::format::WRITTEN_BY_HAND;
use crate::run::event::Record;
use crate::run::program::ProgramStarted;
use crate::run::state::State;

/// What a reader has to know of answers that no model gave during the run.
pub fn replayed(state: &State) -> Option<String> {
    let settings = &state.started.as_ref()?.settings;
    let origin = settings.recording.as_deref()?;
    Some(match origin == WRITTEN_BY_HAND {
        true => "This run replays a session that was written by hand: no model took part, and its conclusions say \
                 nothing about any agent. The code was run."
            .to_owned(),
        false => format!("This run replays a recording ({origin}): no model was asked. The code was run."),
    })
}

/// How a run is cited: its study, its name, and the day on which it began.
pub fn citation(state: &State, first: Option<&Record>) -> Option<String> {
    let started = state.started.as_ref()?;
    let day = format::day(first?.at);
    let registered = state.registration.as_ref();
    let registered = registered.map_or_else(String::new, |place| {
        format!(" Plan said to be registered at {place}, not checked.")
    });
    let authors: BTreeSet<&str> = state
        .stages
        .values()
        .flat_map(|stage| &stage.turns)
        .filter_map(|turn| turn.author.as_deref())
        .collect();
    let program = state.stages.values().find_map(|stage| stage.programs.last());
    let by = if let Some(program) = program {
        let ProgramStarted {
            agent, definition, ..
        } = &program.started;
        format!("{agent} ({}) with {}", definition.short(), started.settings.model)
    } else if authors.is_empty() {
        started.settings.model.clone()
    } else {
        authors.into_iter().collect::<Vec<_>>().join(", ")
    };
    let track = state.track();
    let (what, task) = if track.is_replication() {
        ("Replication of", format!("study {}", started.study))
    } else {
        (
            "Attempt at",
            format!("task {} of the track {}", started.study, track.track),
        )
    };
    Some(format!(
        "{what} \u{201c}{}\u{201d} ({task}), run {} of {day}, carried out by {by} with reprise {}. Data {}.{registered}",
        started.title, started.run, started.engine, started.data_digest
    ))
}
