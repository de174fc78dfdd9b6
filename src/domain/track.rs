//! Tracks: ordered stages, an environment and a grader.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use super::failure::FailureCause;
use super::stage::{NoStageName, Stage};

/// The environment that has no session: commands are executed one by one, each call of
/// [`RUN_ANALYSIS`](super::execution::RUN_ANALYSIS) under an approval of its own.
pub const EXECUTIONS: &str = "executions";

/// A track, as `stages/tracks/NAME.toml` and the first event of a run hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Track {
    pub track: String,
    /// In what its stages act, by its name: [`EXECUTIONS`], or one with sessions.
    pub environment: String,
    /// What says how well the task was done, by its name.
    pub grader: String,
    /// In the order in which they are gone through.
    pub stages: Vec<TrackStage>,
}

/// A stage's place in a track.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TrackStage {
    pub stage: Stage,
    /// The heading that it is reported under.
    pub group: String,
    /// The file that its agent answers with.
    pub artifact: String,
    #[serde(default, skip_serializing_if = "OnFailure::is_stop")]
    pub on_failure: OnFailure,
    /// Whether it gives the result: a run that ends before it has none to be judged, and
    /// behind it is probed whether the result comes from the data. Where no stage does,
    /// the last one gives it.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gives_result: bool,
}

/// The course of a run after a stage that fails.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum OnFailure {
    /// It ends.
    #[default]
    Stop,
    /// It goes on, unless the stage was cancelled.
    GoOn,
    /// It goes on where the failure is the agent's own, and ends where something
    /// outside the agent's reach stopped the stage.
    GoOnIfAgents,
}

impl OnFailure {
    fn is_stop(&self) -> bool {
        *self == Self::Stop
    }

    /// Whether a failure of this cause ends the run.
    pub fn stops(self, cause: FailureCause) -> bool {
        match self {
            Self::Stop => true,
            Self::GoOn => cause == FailureCause::Cancelled,
            Self::GoOnIfAgents => !cause.is_agents(),
        }
    }
}

/// A track that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum UnusableTrack {
    #[error("the track `{0}` has no stages")]
    NoStages(String),
    #[error("the stage {stage}, or its answer, stands twice in the track `{track}`")]
    Twice { track: String, stage: Stage },
    #[error("the stage {stage} belongs to another track: name that of the track `{track}` otherwise")]
    Taken { track: String, stage: Stage },
    #[error("`{artifact}` cannot be the answer of the stage {stage}: name a file in .json, without a folder")]
    Artifact { stage: Stage, artifact: String },
    #[error("{0}")]
    Name(String),
}

impl Track {
    /// Holds a track to what the engine relies on; `taken` are the stages of other tracks.
    ///
    /// # Errors
    /// Where it has no stages, one twice, one that is taken, or an answer that is no
    /// plain file name.
    pub fn check(&self, taken: &[Stage]) -> Result<(), UnusableTrack> {
        let track = || self.track.clone();
        if let Err(error) = self.track.parse::<Stage>() {
            return Err(UnusableTrack::Name(
                error.to_string().replace("a stage", "a track"),
            ));
        }
        if self.stages.is_empty() {
            return Err(UnusableTrack::NoStages(track()));
        }
        for (index, place) in self.stages.iter().enumerate() {
            let stage = place.stage;
            let twin = |other: &TrackStage| other.stage == stage || other.artifact == place.artifact;
            if self.stages[..index].iter().any(twin) {
                return Err(UnusableTrack::Twice {
                    track: track(),
                    stage,
                });
            }
            if taken.contains(&stage) {
                return Err(UnusableTrack::Taken {
                    track: track(),
                    stage,
                });
            }
            let stem = place.artifact.strip_suffix(".json").unwrap_or_default();
            let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
            if stem.is_empty() || !stem.bytes().all(plain) {
                return Err(UnusableTrack::Artifact {
                    stage,
                    artifact: place.artifact.clone(),
                });
            }
        }
        Ok(())
    }

    /// A stage's place, where it has one.
    pub fn place(&self, stage: Stage) -> Option<&TrackStage> {
        self.stages.iter().find(|place| place.stage == stage)
    }

    /// The stages in their order.
    pub fn stages(&self) -> impl DoubleEndedIterator<Item = Stage> {
        self.stages.iter().map(|place| place.stage)
    }

    /// The stage that gives the result.
    pub fn result_stage(&self) -> Option<Stage> {
        let named = self.stages.iter().find(|place| place.gives_result);
        named.or(self.stages.last()).map(|place| place.stage)
    }

    /// Whether a stage comes before the one that gives the result.
    pub fn is_before_result(&self, stage: Stage) -> bool {
        self.result_stage()
            .is_some_and(|result| self.is_before(stage, result))
    }

    /// Refuses a stage that is none of the track's.
    ///
    /// # Errors
    /// A name that no stage of the track has.
    pub fn has(&self, stage: Stage) -> Result<(), RangeError> {
        if self.position(stage).is_some() {
            return Ok(());
        }
        let names: Vec<String> = self.stages().map(|stage| stage.to_string()).collect();
        Err(RangeError::NoStage {
            stage,
            known: names.join(", "),
        })
    }

    /// How many stages come before `stage`.
    pub fn position(&self, stage: Stage) -> Option<usize> {
        self.stages.iter().position(|place| place.stage == stage)
    }

    /// Whether one stage comes before another.
    pub fn is_before(&self, one: Stage, other: Stage) -> bool {
        match (self.position(one), self.position(other)) {
            (Some(one), Some(other)) => one < other,
            _ => false,
        }
    }

    /// The file that a stage's agent answers with.
    pub fn artifact(&self, stage: Stage) -> Option<&str> {
        self.place(stage).map(|place| place.artifact.as_str())
    }

    /// Every stage, as a range.
    pub fn whole(&self) -> Option<StageRange> {
        Some(StageRange {
            from: self.stages.first()?.stage,
            to: self.stages.last()?.stage,
        })
    }

    /// The places of a range, in order.
    pub fn range(&self, range: StageRange) -> &[TrackStage] {
        match (self.position(range.from), self.position(range.to)) {
            (Some(from), Some(to)) => self.stages.get(from..=to).unwrap_or_default(),
            _ => &[],
        }
    }

    /// Whether a stage lies in a range.
    pub fn covers(&self, range: StageRange, stage: Stage) -> bool {
        self.range(range).iter().any(|place| place.stage == stage)
    }
}

/// The error of a range of stages that is none of a track's.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RangeError {
    #[error("`{stage}` is not a stage: expected one of {known}")]
    NoStage { stage: Stage, known: String },
    #[error("the track `{0}` has no stages")]
    Empty(String),
    #[error("`{range}` runs backwards: {} comes before {}", .range.to, .range.from)]
    Backwards { range: StageRange },
}

/// A closed range of a track's stages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StageRange {
    pub from: Stage,
    pub to: Stage,
}

impl fmt::Display for StageRange {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}..{}", self.from, self.to)
    }
}

/// A range as it is asked for, before its track is known: `FROM..TO`, `FROM..`, `..TO`,
/// `..` or one name.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct StageSelection {
    from: Option<Stage>,
    to: Option<Stage>,
}

impl StageSelection {
    /// The same, from `stage` on where nothing says where it begins.
    pub fn beginning_with(self, stage: Stage) -> Self {
        Self {
            from: self.from.or(Some(stage)),
            ..self
        }
    }

    /// The range of a track that was asked for.
    ///
    /// # Errors
    /// Where the track has no such stage, or the range runs backwards.
    pub fn within(self, track: &Track) -> Result<StageRange, RangeError> {
        let none = || RangeError::Empty(track.track.to_string());
        let whole = track.whole().ok_or_else(none)?;
        let range = StageRange {
            from: self.from.unwrap_or(whole.from),
            to: self.to.unwrap_or(whole.to),
        };
        track.has(range.from)?;
        track.has(range.to)?;
        if track.is_before(range.to, range.from) {
            return Err(RangeError::Backwards { range });
        }
        Ok(range)
    }
}

impl FromStr for StageSelection {
    type Err = NoStageName;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let one = |name: &str| match name {
            "" => Ok(None),
            name => name.parse().map(Some),
        };
        let (from, to) = text.split_once("..").unwrap_or((text, text));
        Ok(Self {
            from: one(from)?,
            to: one(to)?,
        })
    }
}
