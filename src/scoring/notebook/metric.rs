//! A score of one metric, or why there is none.

use serde::{Serialize, Serializer, ser::SerializeMap as _};

/// The reason for which a metric has no score. It is never a score of 0.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Unscored {
    /// The task has no answer.
    NoAnswer,
    /// The answer is one that the mode gives no score for.
    FalsyGold,
    /// The answer is no JSON.
    GoldNotJson,
    NoLandmarks,
    /// A landmark cannot be taken, or its search was given up.
    LandmarkUntold(String),
    /// Every landmark was reached before the agent's turn.
    LandmarksReachedBefore,
    NoEntryPoint,
    /// The script is none of those that are graded.
    EntryPointNotGraded,
    /// The history has no times.
    NoTimes,
    /// The published grader raises, and grades nothing of the attempt.
    Raised(String),
}

impl Unscored {
    /// The reason as a clause.
    pub fn words(&self) -> String {
        match self {
            Self::NoAnswer => "the task has no answer".to_owned(),
            Self::FalsyGold => "the task's answer is none that can be graded in this mode".to_owned(),
            Self::GoldNotJson => "the task's answer is no JSON".to_owned(),
            Self::NoLandmarks => "the task has no landmarks".to_owned(),
            Self::LandmarkUntold(why) => why.clone(),
            Self::LandmarksReachedBefore => "every landmark was reached before the agent's turn".to_owned(),
            Self::NoEntryPoint => "the task names no script".to_owned(),
            Self::EntryPointNotGraded => "the task's script is none of .py, .sh and .bash".to_owned(),
            Self::NoTimes => "the history has no times".to_owned(),
            Self::Raised(why) => format!("the published grader raises: {why}"),
        }
    }

    /// The name of its kind, by which reasons are counted.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::NoAnswer => "no_answer",
            Self::FalsyGold => "falsy_gold",
            Self::GoldNotJson => "gold_not_json",
            Self::NoLandmarks => "no_landmarks",
            Self::LandmarkUntold(_) => "landmark_untold",
            Self::LandmarksReachedBefore => "landmarks_reached_before",
            Self::NoEntryPoint => "no_entry_point",
            Self::EntryPointNotGraded => "entry_point_not_graded",
            Self::NoTimes => "no_times",
            Self::Raised(_) => "raised",
        }
    }
}

/// A score between 0 and 1, or why there is none.
#[derive(Debug, Clone, PartialEq)]
pub enum MetricScore {
    Scored(f64),
    Unscored(Unscored),
}

impl MetricScore {
    /// A score that may be null, with the reason for it.
    pub fn or(value: Option<f64>, reason: Unscored) -> Self {
        value.map_or(Self::Unscored(reason), Self::Scored)
    }

    /// The score.
    pub fn value(&self) -> Option<f64> {
        match self {
            Self::Scored(value) => Some(*value),
            Self::Unscored(_) => None,
        }
    }
}

impl Serialize for MetricScore {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        match self {
            Self::Scored(value) => map.serialize_entry("value", value)?,
            Self::Unscored(reason) => {
                map.serialize_entry("value", &None::<f64>)?;
                map.serialize_entry("unscored", reason.kind())?;
                map.serialize_entry("why", &reason.words())?;
            }
        }
        map.end()
    }
}
