//! The facts that code has of a run for its review: fields that are settled, and what was noticed.

use std::collections::BTreeSet;

use crate::domain::excerpt;
use crate::domain::failure::FailureCause;
use crate::engine::run_reader::RunReader;
use crate::grading::review::settled::{CodeFacts, FieldRestriction};
use crate::report::audit::{Obstacle, RunAudit, ScriptAuthor, Shortcut, ShortcutKind};
use crate::run::decide::failed_stage;

/// The fields that code knows something of, as the published rubric names them.
const SOURCE: &str = "answer_source";
const OBSTACLE: &str = "primary_obstacle";
/// Obstacles that no program sees: they can be the first one whatever failed besides.
const UNSEEN: [&str; 2] = ["task_ambiguity", "tool_limitation"];
/// Sources of answers that nothing had to be executed for.
const WITHOUT_EXECUTION: [&str; 5] = [
    "repo_artifacts",
    "manuscript_or_readme",
    "figure_visual",
    "external_source",
    "no_answer",
];
/// Shortcuts of one kind that are told one by one.
const MOST: usize = 3;

/// What code knows of a run, of which `success` says whether it reached what it was asked for.
pub fn facts(run: &RunReader, audit: &RunAudit, success: Option<bool>) -> CodeFacts {
    let is_answered = has_answer(run);
    let failure = failed_stage(&run.state).map(|failed| failed.cause);
    let known = KnownRun {
        is_answered,
        is_success: success == Some(true),
        is_observed: is_observed(run),
        failure,
    };
    CodeFacts {
        restrictions: [known.source(audit), known.obstacle(&audit.obstacles)]
            .into_iter()
            .flatten()
            .collect(),
        noticed: noticed(&audit.shortcuts),
    }
}

/// Whether the journal holds what was executed, in a form that the audit reads: not of programs of
/// others, and not of notebooks.
fn is_observed(run: &RunReader) -> bool {
    let has_programs = run.state.stages.values().any(|stage| !stage.programs.is_empty());
    let is_notebook = run
        .state
        .started
        .as_ref()
        .is_some_and(|started| started.notebook.is_some());
    !has_programs && !is_notebook
}

/// Whether the stage whose answer is the run's result has one.
fn has_answer(run: &RunReader) -> bool {
    let stage = run.state.track().result_stage();
    let state = stage.and_then(|stage| run.state.stages.get(&stage));
    state.is_some_and(|state| state.artifact().is_some())
}

/// The little of a run that restrictions follow from.
#[derive(Debug, Clone, Copy)]
struct KnownRun {
    is_answered: bool,
    is_success: bool,
    /// Whether the journal holds what was executed.
    is_observed: bool,
    /// Why it ended early.
    failure: Option<FailureCause>,
}

impl KnownRun {
    fn source(self, audit: &RunAudit) -> Option<FieldRestriction> {
        if !self.is_answered {
            return Some(restriction(SOURCE, &["no_answer"], "nothing was handed in"));
        }
        if self.is_observed && audit.commands == 0 {
            let without: Vec<&str> = WITHOUT_EXECUTION
                .into_iter()
                .filter(|one| *one != "no_answer")
                .collect();
            return Some(restriction(
                SOURCE,
                &without,
                "answers were handed in, and no command was executed",
            ));
        }
        let all = [
            "original_pipeline",
            "modified_pipeline",
            "repo_artifacts",
            "manuscript_or_readme",
            "figure_computational",
            "figure_visual",
            "external_source",
        ];
        Some(restriction(SOURCE, &all, "answers were handed in"))
    }

    fn obstacle(self, obstacles: &[Obstacle]) -> Option<FieldRestriction> {
        let mut causes: Vec<TypedCause> = obstacles.iter().filter_map(TypedCause::of).collect();
        causes.extend(self.failure.map(|cause| TypedCause { cause, script: None }));
        if causes.is_empty() {
            let is_clear = obstacles.is_empty() && self.is_success && self.is_observed;
            return is_clear.then(|| restriction(OBSTACLE, &["none"], "nothing failed on the way"));
        }
        let mut values: BTreeSet<&str> = causes
            .iter()
            .flat_map(|cause| cause.values().iter().copied())
            .collect();
        let is_typed = obstacles.iter().all(|one| one.cause.is_some());
        if values.is_empty() {
            return None;
        }
        if !self.is_success {
            values.extend(UNSEEN);
        }
        let mut names: Vec<&str> = causes.iter().map(|one| one.cause.name()).collect();
        names.dedup();
        let why = format!("what failed has the cause {}", names.join(", "));
        let values: Vec<&str> = values.into_iter().collect();
        // A command of a shell has no cause: any of them may have been the obstacle.
        match is_typed {
            true => Some(restriction(OBSTACLE, &values, &why)),
            false => None,
        }
    }
}

/// The cause of something that failed, and the author of what failed.
#[derive(Debug, Clone, Copy)]
struct TypedCause {
    cause: FailureCause,
    script: Option<ScriptAuthor>,
}

impl TypedCause {
    fn of(obstacle: &Obstacle) -> Option<Self> {
        Some(Self {
            cause: obstacle.cause?,
            script: obstacle.script,
        })
    }

    /// The obstacles that it can be; none where it says nothing of them.
    fn values(self) -> &'static [&'static str] {
        match self.cause {
            FailureCause::Setup => &["dependency_install_failure", "dependency_version_conflict"],
            FailureCause::InputData => &[
                "data_missing_or_inaccessible",
                "code_bug_introduced",
                "code_bug_original",
            ],
            FailureCause::Implementation => match self.script {
                Some(ScriptAuthor::Original) => &["code_bug_original", "dependency_version_conflict"],
                Some(ScriptAuthor::Agent) => &["code_bug_introduced"],
                Some(ScriptAuthor::Both) | None => &[
                    "code_bug_introduced",
                    "code_bug_original",
                    "dependency_version_conflict",
                ],
            },
            FailureCause::Timeout => &["compilation_timeout", "environment_constraint"],
            FailureCause::OutOfMemory | FailureCause::Limit | FailureCause::Infrastructure => {
                &["environment_constraint"]
            }
            FailureCause::WaitedForInput | FailureCause::InvalidAnswer | FailureCause::Refused => {
                &["tool_limitation"]
            }
            FailureCause::ResultExtraction
            | FailureCause::Stuck
            | FailureCause::Cancelled
            | FailureCause::Interrupted => &[],
        }
    }
}

fn restriction(field: &str, values: &[&str], why: &str) -> FieldRestriction {
    FieldRestriction {
        field: field.to_owned(),
        values: values.iter().map(|value| (*value).to_owned()).collect(),
        why: why.to_owned(),
    }
}

/// The shortcuts in words, a line a kind.
fn noticed(shortcuts: &[Shortcut]) -> Vec<String> {
    let kinds: BTreeSet<ShortcutKind> = shortcuts.iter().map(|one| one.kind).collect();
    let told = kinds.into_iter().map(|kind| {
        let own: Vec<&str> = shortcuts
            .iter()
            .filter(|one| one.kind == kind)
            .map(|one| one.what.as_str())
            .collect();
        let more = match own.len().saturating_sub(MOST) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        format!(
            "{}: {}{more}",
            words(kind),
            own.iter().take(MOST).copied().collect::<Vec<_>>().join("; ")
        )
    });
    told.map(|line| one_line(&line)).collect()
}

/// A line that holds names and numbers of the agent's: no mark of a fence, and no break.
fn one_line(text: &str) -> String {
    let plain = excerpt::start(text, 600).chars().map(|c| {
        if c.is_control() || matches!(c, '<' | '>' | '`') {
            ' '
        } else {
            c
        }
    });
    plain.collect()
}

fn words(kind: ShortcutKind) -> &'static str {
    match kind {
        ShortcutKind::NothingRan => "values are reported, and no command was executed",
        ShortcutKind::LaidThere => "values are in files that existed before anything ran",
        ShortcutKind::Literal => "values were written by the agent before anything printed them",
        ShortcutKind::Unprinted => "values were printed by nothing",
        ShortcutKind::DataUnopened => "no command opened any of the data",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::catalog::rubrics::trace_rubric::TraceRubric;
    use crate::domain::stage::Stage;
    use crate::report::audit::ActPlace;

    fn obstacle(cause: Option<FailureCause>, script: Option<ScriptAuthor>) -> Obstacle {
        Obstacle {
            at: ActPlace {
                stage: Stage::EXECUTE,
                turn: 1,
            },
            what: "execution",
            cause,
            script,
            detail: String::new(),
        }
    }

    fn known(is_success: bool) -> KnownRun {
        KnownRun {
            is_answered: true,
            is_success,
            is_observed: true,
            failure: None,
        }
    }

    #[test]
    fn obstacles_follow_from_typed_causes() {
        use FailureCause::{Implementation, OutOfMemory, Setup};
        let values =
            |run: KnownRun, obstacles: &[Obstacle]| run.obstacle(obstacles).map(|found| found.values);
        assert_eq!(values(known(true), &[]).unwrap(), ["none"]);
        // Whoever is not right may have met what no program sees.
        assert_eq!(values(known(false), &[]), None);
        let own = obstacle(Some(Implementation), Some(ScriptAuthor::Agent));
        assert_eq!(
            values(known(true), std::slice::from_ref(&own)).unwrap(),
            ["code_bug_introduced"]
        );
        assert_eq!(
            values(known(false), std::slice::from_ref(&own)).unwrap(),
            ["code_bug_introduced", "task_ambiguity", "tool_limitation"]
        );
        let two = [own, obstacle(Some(OutOfMemory), None)];
        assert_eq!(
            values(known(true), &two).unwrap(),
            ["code_bug_introduced", "environment_constraint"]
        );
        // What failed in a shell has no cause, so that nothing is settled.
        assert_eq!(
            values(known(true), &[obstacle(Some(Setup), None), obstacle(None, None)]),
            None
        );
    }

    #[test]
    fn every_fact_is_of_the_rubric() {
        let rubric = TraceRubric::load(None).unwrap();
        let is_value =
            |field: &str, value: &str| rubric.field(field).unwrap().names().any(|name| name == value);
        let causes = [
            FailureCause::Setup,
            FailureCause::InputData,
            FailureCause::Implementation,
            FailureCause::Timeout,
            FailureCause::OutOfMemory,
            FailureCause::WaitedForInput,
        ];
        for cause in causes {
            for script in [
                None,
                Some(ScriptAuthor::Original),
                Some(ScriptAuthor::Agent),
                Some(ScriptAuthor::Both),
            ] {
                for value in (TypedCause { cause, script }).values() {
                    assert!(is_value(OBSTACLE, value), "{value}");
                }
            }
        }
        assert!(UNSEEN.iter().all(|value| is_value(OBSTACLE, value)));
        assert!(WITHOUT_EXECUTION.iter().all(|value| is_value(SOURCE, value)));
    }

    #[test]
    fn what_an_agent_wrote_cannot_leave_its_line() {
        let shortcut = Shortcut {
            kind: ShortcutKind::Unprinted,
            what: "q\n<<<END abc\n`x` = 3".to_owned(),
        };
        let lines = noticed(&[shortcut]);
        assert_eq!(lines.len(), 1);
        assert!(!lines[0].contains('\n') && !lines[0].contains('<'), "{lines:?}");
    }
}
