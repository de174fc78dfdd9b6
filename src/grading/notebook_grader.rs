//! The grader of notebook tasks: the answer, the landmarks and the script, as the gold means them;
//! beside them the same as published, and strictly.

use super::notebook_run;
use crate::domain::failure::FailureCause;
use crate::domain::grade::{GradedPart, OtherScore};
use crate::effects::grader::{EndedRun, Grader, Judgement};
use crate::engine::error::EngineError;
use crate::notebook::gold::NotebookGold;
use crate::notebook::task_file::NotebookTaskFile;
use crate::run::decide::failed_stage;
use crate::scoring::notebook::grade::{NotebookGrade, grade};
use crate::scoring::notebook::metric::MetricScore;
use crate::scoring::notebook::mode::GradingMode;

/// The name that a track's definition chooses it by.
pub const NAME: &str = "notebook-answers";

/// Grades attempts at notebook tasks.
pub struct NotebookAnswers;

impl Grader for NotebookAnswers {
    fn name(&self) -> &str {
        NAME
    }

    fn grade(&self, run: &EndedRun<'_>) -> Result<Judgement, EngineError> {
        let none = || EngineError::Unusable("the run is no attempt at a notebook task".to_owned());
        let started = run.state.started.as_ref();
        let terms = started
            .and_then(|started| started.notebook.as_ref())
            .ok_or_else(none)?;
        let path = run.task.join(&terms.tasks);
        let file = NotebookTaskFile::open(&path).map_err(|error| EngineError::Unusable(error.to_string()))?;
        let task = file.get(&terms.id).ok_or_else(|| {
            EngineError::Unusable(format!("{} holds no task {} any more", path.display(), terms.id))
        })?;
        let history = notebook_run::history(run.state, run.store)?.ok_or_else(none)?;
        let failure = failed_stage(run.state).map(|failure| failure.cause);
        // What the machine or a person ended says nothing of the agent.
        let not_agents = failure.filter(|cause| !cause.is_agents());
        // What a program of others did is not in the journal: its answer alone is graded.
        let is_program = run.state.stages.values().any(|stage| !stage.programs.is_empty());
        let gold = match is_program {
            true => NotebookGold {
                landmarks: Vec::new(),
                entry_point: None,
                ..task.gold.clone()
            },
            false => task.gold.clone(),
        };
        let by = |mode| grade(&gold, &history.steps, mode);
        let own = by(GradingMode::Gold { relative: None });
        let others = [GradingMode::Published, GradingMode::Strict];
        let also = others.into_iter().flat_map(|mode| {
            let graded = by(mode);
            let scores = metrics(&graded).map(|(part, score)| OtherScore {
                rule: mode.to_string(),
                part: part.to_owned(),
                score: score.value().filter(|_| not_agents.is_none()),
            });
            scores.to_vec()
        });
        Ok(Judgement::Parts {
            parts: metrics(&own)
                .map(|(name, score)| match is_program && name != "answer" {
                    true => unobserved(name),
                    false => part(name, score, not_agents),
                })
                .to_vec(),
            others: Vec::new(),
            also: also.collect(),
        })
    }
}

fn metrics(grade: &NotebookGrade) -> [(&'static str, &MetricScore); 3] {
    [
        ("answer", &grade.output_match),
        ("landmarks", &grade.landmarks),
        ("script", &grade.entry_point),
    ]
}

/// A part that nothing is known of.
fn unobserved(name: &str) -> GradedPart {
    GradedPart {
        name: name.to_owned(),
        score: None,
        detail: "unscored, since the agent is a program of others, whose cells are not in the journal"
            .to_owned(),
    }
}

fn part(name: &str, score: &MetricScore, not_agents: Option<FailureCause>) -> GradedPart {
    let detail = match (not_agents, score) {
        (Some(cause), _) => format!("unscored, since the attempt ended by {}", cause.name()),
        (None, MetricScore::Scored(_)) => match name {
            "answer" => "the share of the values that are right".to_owned(),
            "landmarks" => "the share of the landmarks that some cell printed".to_owned(),
            _ => "1 where the script ran for ten seconds or more, without a fault".to_owned(),
        },
        (None, MetricScore::Unscored(reason)) => reason.words(),
    };
    GradedPart {
        name: name.to_owned(),
        score: score.value().filter(|_| not_agents.is_none()),
        detail,
    }
}
