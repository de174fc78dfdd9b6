//! This program: its settings, and the tracks that it knows.

use crate::settings::Settings;

use super::tracks::Tracks;

/// The settings and the tracks that verbs work with.
#[derive(Clone)]
pub struct Program {
    pub settings: Settings,
    pub tracks: Tracks,
}
