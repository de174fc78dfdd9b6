//! The names of the replication track: its grader and its five stages.

use std::sync::LazyLock;

use super::stage::Stage;
use super::track::{EXECUTIONS, OnFailure, StageRange, Track, TrackStage};

/// The track's name.
pub const TRACK: &str = "replication";

/// The grader's name: the preregistered rule, applied to the reported numbers.
pub const GRADER: &str = "preregistered-rule";

impl Track {
    /// True but of another track than replication.
    pub fn is_replication(&self) -> bool {
        self.track == TRACK
    }
}

/// Makes a stage of a name that is known to be one.
#[expect(clippy::panic, reason = "evaluated while it is compiled")]
const fn known(name: &str) -> Stage {
    match Stage::named(name) {
        Some(stage) => stage,
        None => panic!("not the name of a stage"),
    }
}

impl Stage {
    /// Paper and claim to a post-registration.
    pub const EXTRACT: Self = known("extract");
    /// Paper and claim to candidate data sources.
    pub const SEARCH: Self = known("search");
    /// Everything so far to a preregistered plan and code.
    pub const DESIGN: Self = known("design");
    /// The plan, in a sandbox, to an execution report.
    pub const EXECUTE: Self = known("execute");
    /// Everything to a conclusion.
    pub const INTERPRET: Self = known("interpret");
}

/// The stages, in their order.
pub const STAGES: [Stage; 5] = [
    Stage::EXTRACT,
    Stage::SEARCH,
    Stage::DESIGN,
    Stage::EXECUTE,
    Stage::INTERPRET,
];

/// Every stage.
pub const WHOLE: StageRange = StageRange {
    from: Stage::EXTRACT,
    to: Stage::INTERPRET,
};

/// The file that a stage's agent answers with; that of no replication stage is empty.
pub fn artifact(stage: Stage) -> &'static str {
    match stage {
        Stage::EXTRACT => "post_registration.json",
        Stage::SEARCH => "search_results.json",
        Stage::DESIGN => "replication_info.json",
        Stage::EXECUTE => "execution_results.json",
        Stage::INTERPRET => "interpret_results.json",
        _ => "",
    }
}

/// The track of a run whose journal names none: those of format 1.
pub fn track() -> &'static Track {
    static REPLICATION: LazyLock<Track> = LazyLock::new(|| Track {
        track: TRACK.to_owned(),
        environment: EXECUTIONS.to_owned(),
        grader: GRADER.to_owned(),
        stages: STAGES.map(place).to_vec(),
    });
    &REPLICATION
}

fn place(stage: Stage) -> TrackStage {
    let group = match stage {
        Stage::EXTRACT | Stage::SEARCH => "extraction",
        Stage::DESIGN | Stage::EXECUTE => "generation",
        _ => "interpretation",
    };
    TrackStage {
        stage,
        group: group.to_owned(),
        artifact: artifact(stage).to_owned(),
        on_failure: match stage {
            // The bundled data are left to work with.
            Stage::SEARCH => OnFailure::GoOn,
            // A failed execution is still interpreted, so that the report says what went wrong.
            Stage::EXECUTE => OnFailure::GoOnIfAgents,
            _ => OnFailure::Stop,
        },
        gives_result: stage == Stage::EXECUTE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::stage::NoStageName;
    use crate::domain::track::StageSelection;

    fn within(text: &str) -> Result<String, String> {
        let selection: StageSelection = text.parse().map_err(|error: NoStageName| error.to_string())?;
        let range = selection.within(track()).map_err(|error| error.to_string())?;
        Ok(range.to_string())
    }

    #[test]
    fn ranges_are_read_leniently_and_never_backwards() {
        for (text, range) in [
            ("extract..interpret", "extract..interpret"),
            ("..", "extract..interpret"),
            ("design", "design..design"),
            ("search..", "search..interpret"),
            ("..design", "extract..design"),
        ] {
            assert_eq!(within(text).as_deref(), Ok(range), "{text}");
        }
        assert!(within("interpret..extract").unwrap_err().contains("backwards"));
        assert!(within("desing").unwrap_err().contains("extract, search"));
        assert!(
            within("Extract!")
                .unwrap_err()
                .contains("`Extract!` cannot name a stage")
        );
    }

    #[test]
    fn a_track_that_the_engine_could_not_follow_is_refused() {
        let good = Track {
            track: "pair".to_owned(),
            ..track().clone()
        };
        assert_eq!(
            good.check(&STAGES),
            Err(crate::domain::track::UnusableTrack::Taken {
                track: "pair".to_owned(),
                stage: Stage::EXTRACT
            })
        );
        let stage = |name: &str, artifact: &str| TrackStage {
            stage: name.parse().unwrap(),
            artifact: artifact.to_owned(),
            ..good.stages[0].clone()
        };
        let with = |stages: Vec<TrackStage>| {
            Track {
                stages,
                ..good.clone()
            }
            .check(&STAGES)
        };
        assert_eq!(
            with(vec![stage("one", "one.json"), stage("two", "two.json")]),
            Ok(())
        );
        for stages in [
            vec![],
            vec![stage("one", "one.json"), stage("one", "two.json")],
            vec![stage("one", "one.json"), stage("two", "one.json")],
            vec![stage("one", "../one.json")],
            vec![stage("one", "one")],
        ] {
            assert!(with(stages.clone()).is_err(), "{stages:?}");
        }
    }
}
