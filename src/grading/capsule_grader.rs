//! The grader of capsules: our own for each question, and what the published ones count.

use crate::artifacts::content;
use crate::capsule::task_file::TaskFile;
use crate::domain::failure::FailureCause;
use crate::domain::grade::{Grade, GradedPart, OtherCount};
use crate::effects::grader::{EndedRun, Grader, Judgement};
use crate::engine::error::EngineError;
use crate::run::decide::failed_stage;
use crate::scoring::capsule::strict::{self, GradedAnswer};
use crate::scoring::released::capsule::grade::grade;
use crate::scoring::released::capsule::tallies::{Aliases, GraderName};
use crate::scoring::released::capsule::value::PythonValue;

/// The name that a track's definition chooses it by.
pub const NAME: &str = "capsule-answers";

/// Whether all answers about a capsule are right, as the benchmark counts; `None` if one was not
/// scored, or if the grade is of another task.
pub fn is_solved(grade: &Grade) -> Option<bool> {
    if grade.grader != NAME || grade.parts.is_empty() {
        return None;
    }
    let scores: Option<Vec<f64>> = grade.parts.iter().map(|part| part.score).collect();
    Some(scores?.iter().all(|score| *score >= 1.0))
}

/// Grades the answers to the questions about a capsule.
pub struct CapsuleAnswers;

impl Grader for CapsuleAnswers {
    fn name(&self) -> &str {
        NAME
    }

    fn grade(&self, run: &EndedRun<'_>) -> Result<Judgement, EngineError> {
        let unusable = |error: &dyn std::fmt::Display| EngineError::Unusable(error.to_string());
        let started = run.state.started.as_ref();
        let terms = started
            .and_then(|started| started.capsule.as_ref())
            .ok_or_else(|| EngineError::Unusable("the run is no attempt at a capsule".to_owned()))?;
        let path = run.task.join(&terms.tasks);
        let file = TaskFile::open(&path).map_err(|error| unusable(&error))?;
        let task = file.get(&terms.id).ok_or_else(|| {
            EngineError::Unusable(format!("{} holds no task {} any more", path.display(), terms.id))
        })?;
        let not_gold = || {
            EngineError::Unusable(format!(
                "{}: the answers of {} cannot be read",
                path.display(),
                terms.id
            ))
        };
        let gold = PythonValue::parse(task.gold.json()).map_err(|_| not_gold())?;
        let result = run.state.track().result_stage();
        let artifact = result.and_then(|stage| run.state.stages.get(&stage)?.artifact());
        let report = match artifact {
            Some(artifact) => {
                let bytes = content::load(artifact, run.store)?;
                PythonValue::parse(&String::from_utf8_lossy(&bytes)).map_err(|error| unusable(&error))?
            }
            // What is not handed in is wrong, as it is for the published graders.
            None => PythonValue::Dict(Default::default()),
        };
        let answers = strict::grade(&gold, &report).ok_or_else(not_gold)?;
        let failure = failed_stage(run.state).map(|failure| failure.cause);
        let not_agents = failure.filter(|cause| !cause.is_agents());
        let others = GraderName::ALL.into_iter().filter_map(|name| {
            let tallies = grade(name, terms.id.as_str(), &gold, &report, &Aliases::default()).ok()?;
            Some(OtherCount {
                grader: name.word().to_owned(),
                right: tallies.correct_written_answers + tallies.correct_vision_answers,
                of: tallies.total_written_questions + tallies.total_vision_questions,
            })
        });
        Ok(Judgement::Parts {
            parts: answers
                .into_iter()
                .map(|answer| part(answer, not_agents))
                .collect(),
            others: others.collect(),
            also: Vec::new(),
        })
    }
}

fn part(answer: GradedAnswer, not_agents: Option<FailureCause>) -> GradedPart {
    let score = f64::from(u8::from(answer.right));
    GradedPart {
        name: answer.question,
        // What the machine or a person ended says nothing of the agent.
        score: not_agents.is_none().then_some(score),
        detail: match (not_agents, answer.why) {
            (Some(cause), _) => format!("unscored, since the attempt ended by {}", cause.name()),
            (None, Some(why)) => why.words().to_owned(),
            (None, None) => "right".to_owned(),
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_capsule_is_solved_by_all_of_its_answers() {
        let grade = |grader: &str, scores: &[Option<f64>]| Grade {
            grader: grader.to_owned(),
            parts: scores
                .iter()
                .map(|score| GradedPart {
                    name: "q".to_owned(),
                    score: *score,
                    detail: String::new(),
                })
                .collect(),
            others: Vec::new(),
            also: Vec::new(),
        };
        assert_eq!(is_solved(&grade(NAME, &[Some(1.0), Some(1.0)])), Some(true));
        assert_eq!(is_solved(&grade(NAME, &[Some(1.0), Some(0.0)])), Some(false));
        for other in [
            grade(NAME, &[Some(1.0), None]),
            grade(NAME, &[]),
            grade("super", &[Some(1.0)]),
        ] {
            assert_eq!(is_solved(&other), None);
        }
    }
}
