//! The tracks that this program knows, and the code of each.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use crate::catalog::stages::load::{Catalog, CatalogSource};
use crate::domain::replication;
use crate::domain::track::Track;
use crate::effects::replication::Replication;
use crate::effects::track_parts::TrackParts;
use crate::engine::error::EngineError;

static OTHERS: OnceLock<Vec<Arc<dyn TrackParts>>> = OnceLock::new();

/// Adds tracks to those of the library; a program does so once, before its first verb.
pub fn add(tracks: Vec<Arc<dyn TrackParts>>) {
    let _only_the_first_counts = OTHERS.set(tracks);
}

/// A track as its definitions describe it, with the overrides of a folder.
///
/// # Errors
/// Where this program knows no track of that name, or a definition cannot be used.
pub fn described(name: Option<&str>, overrides: Option<&Path>) -> Result<Track, EngineError> {
    Ok(catalog(parts(name)?.as_ref(), overrides)?.track().clone())
}

/// The definitions of a track, with the overrides of a folder.
///
/// # Errors
/// Where a definition is missing or cannot be used.
pub fn catalog(parts: &dyn TrackParts, overrides: Option<&Path>) -> Result<Catalog, EngineError> {
    let acting = parts.environment().map(|environment| environment.tools());
    let names: Vec<String> = acting
        .iter()
        .flatten()
        .map(|tool| tool.name().to_owned())
        .collect();
    Ok(Catalog::load(CatalogSource {
        track: Some(parts.name()),
        overrides,
        tools: &names,
    })?)
}

/// The code of a track; of replication where none is named.
///
/// # Errors
/// Where this program knows no track of that name.
pub fn parts(name: Option<&str>) -> Result<Arc<dyn TrackParts>, EngineError> {
    let name = name.unwrap_or(replication::TRACK);
    if name == replication::TRACK {
        return Ok(Arc::new(Replication));
    }
    let others = OTHERS.get().map(Vec::as_slice).unwrap_or_default();
    let found = others.iter().find(|track| track.name() == name).cloned();
    found.ok_or_else(|| {
        let names = others.iter().map(|track| track.name());
        let known: Vec<&str> = std::iter::once(replication::TRACK).chain(names).collect();
        EngineError::Unusable(format!(
            "the task is of the track `{name}`, and this program knows {}: use the program that has it",
            known.join(", ")
        ))
    })
}
