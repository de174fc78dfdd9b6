//! The code that a program brings for a track, and the code that a run goes by.

use std::sync::Arc;

use super::environment::Environment;
use super::grader::Grader;
use super::staging::Staging;

/// The code of a track; its stages are data (`stages/tracks/`), which choose an environment
/// and a grader by their names: one of these, or one that the program has from elsewhere.
#[derive(Clone)]
pub struct TrackParts {
    /// The track's name.
    pub track: String,
    pub staging: Arc<dyn Staging>,
    pub environments: Vec<Arc<dyn Environment>>,
    pub graders: Vec<Arc<dyn Grader>>,
}

/// The parts that the definition of a run's track has chosen.
#[derive(Clone)]
pub struct ChosenParts {
    pub staging: Arc<dyn Staging>,
    /// `None` where commands are executed one by one.
    pub environment: Option<Arc<dyn Environment>>,
    pub grader: Arc<dyn Grader>,
}
