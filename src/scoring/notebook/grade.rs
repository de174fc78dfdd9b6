//! The grade of an attempt by a mode, and what the mode changed of the published one.

use serde::Serialize;

use crate::notebook::gold::NotebookGold;
use crate::notebook::history::step::{NotebookStep, StepContent};
use crate::scoring::released::capsule::value::PythonValue;
use crate::scoring::released::notebook::answer::is_true;
use crate::scoring::released::notebook::entry_point::EntryPointRaised;
use crate::scoring::released::notebook::grade::{self as published, PublishedRaised};

use super::answer::{GradedValue, NumberRule, share, strict_values};
use super::landmarks::landmarks;
use super::metric::{MetricScore, Unscored};
use super::mode::GradingMode;
use super::script::{Script, ScriptUntold};

/// The grade of an attempt.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct NotebookGrade {
    /// Whether the last step submits an answer; `None` where the published grader raises.
    pub submitted: Option<bool>,
    pub output_match: MetricScore,
    pub landmarks: MetricScore,
    pub entry_point: MetricScore,
    /// Each value of the gold; of `strict` alone.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<GradedValue>,
    /// The metrics that the published grader scores otherwise; none where that is the mode.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<ChangedMetric>,
}

/// A metric that a mode scores otherwise than the published grader.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ChangedMetric {
    pub metric: &'static str,
    pub published: MetricScore,
    pub here: MetricScore,
}

/// Grades an attempt.
pub fn grade(gold: &NotebookGold, steps: &[NotebookStep], mode: GradingMode) -> NotebookGrade {
    let as_published = by_published(gold, steps);
    let (rule, is_strict) = match mode {
        GradingMode::Published => return as_published,
        GradingMode::Gold { relative: None } => match gold.tolerance {
            Some(share) => (NumberRule::Relative(share), false),
            None => (NumberRule::Absolute, false),
        },
        GradingMode::Gold {
            relative: Some(share),
        } => (NumberRule::Relative(share), false),
        GradingMode::Strict => (NumberRule::Strict, true),
    };
    let submission = submission(steps);
    let (output_match, values) = answer(gold, submission.as_ref(), rule);
    let mut graded = NotebookGrade {
        submitted: Some(submission.is_some()),
        output_match,
        landmarks: landmarks(&gold.landmarks, steps, is_strict),
        entry_point: entry_point(gold, steps, is_strict),
        values,
        changed: Vec::new(),
    };
    graded.changed = changes(&as_published, &graded);
    graded
}

fn by_published(gold: &NotebookGold, steps: &[NotebookStep]) -> NotebookGrade {
    let of = |answer: Option<&str>| match answer {
        None => Unscored::NoAnswer,
        Some(_) => Unscored::FalsyGold,
    };
    let script = |gold: &NotebookGold| match gold.entry_point {
        None => Unscored::NoEntryPoint,
        Some(_) => Unscored::EntryPointNotGraded,
    };
    let (without_script, graded) = match published::grade(gold, steps) {
        // The grader asks for times that the file does not have: all but the script can be told.
        Err(PublishedRaised::EntryPoint(EntryPointRaised::NoTimes)) => {
            let rest = NotebookGold {
                entry_point: None,
                ..gold.clone()
            };
            (true, published::grade(&rest, steps))
        }
        graded => (false, graded),
    };
    match graded {
        Ok(graded) => NotebookGrade {
            submitted: Some(graded.submitted),
            output_match: MetricScore::or(graded.output_match, of(gold.answer.as_deref())),
            landmarks: match graded.landmarks {
                Ok(share) => MetricScore::or(share, Unscored::NoLandmarks),
                Err(untold) => MetricScore::Unscored(Unscored::LandmarkUntold(untold.to_string())),
            },
            entry_point: match without_script {
                true => MetricScore::Unscored(Unscored::NoTimes),
                false => MetricScore::or(graded.entry_point, script(gold)),
            },
            values: Vec::new(),
            changed: Vec::new(),
        },
        Err(raised) => {
            let unscored = || MetricScore::Unscored(Unscored::Raised(raised.to_string()));
            NotebookGrade {
                submitted: None,
                output_match: unscored(),
                landmarks: unscored(),
                entry_point: unscored(),
                values: Vec::new(),
                changed: Vec::new(),
            }
        }
    }
}

/// The submission of the last step; `null` alone is none.
fn submission(steps: &[NotebookStep]) -> Option<PythonValue> {
    let last = steps
        .last()
        .filter(|step| step.action.as_deref() == Some("submit"))?;
    let value = match last.content.as_ref()? {
        StepContent::Text(text) => PythonValue::Text(text.clone()),
        StepContent::Json(json) => PythonValue::parse(json).ok()?,
    };
    (value != PythonValue::None).then_some(value)
}

fn answer(
    gold: &NotebookGold,
    submission: Option<&PythonValue>,
    rule: NumberRule,
) -> (MetricScore, Vec<GradedValue>) {
    let unscored = |reason| (MetricScore::Unscored(reason), Vec::new());
    let Some(json) = &gold.answer else {
        return unscored(Unscored::NoAnswer);
    };
    let Ok(gold) = PythonValue::parse(json) else {
        return unscored(Unscored::GoldNotJson);
    };
    let holds_nothing = matches!(
        gold,
        PythonValue::None | PythonValue::List(_) | PythonValue::Dict(_)
    ) && !is_true(&gold);
    if holds_nothing {
        return unscored(Unscored::FalsyGold);
    }
    let none = PythonValue::None;
    let answer = submission.unwrap_or(&none);
    match rule {
        NumberRule::Strict => {
            let values = strict_values(&gold, answer);
            let all = values.iter().all(|value| value.wrong.is_none());
            (MetricScore::Scored(f64::from(all)), values)
        }
        rule => (MetricScore::Scored(share(&gold, answer, rule)), Vec::new()),
    }
}

fn entry_point(gold: &NotebookGold, steps: &[NotebookStep], must_run: bool) -> MetricScore {
    let Some(path) = &gold.entry_point else {
        return MetricScore::Unscored(Unscored::NoEntryPoint);
    };
    match Script::new(path, must_run).and_then(|script| script.was_executed(steps)) {
        Ok(was_executed) => MetricScore::Scored(f64::from(was_executed)),
        Err(ScriptUntold::NotGraded) => MetricScore::Unscored(Unscored::EntryPointNotGraded),
        Err(ScriptUntold::NoTimes) => MetricScore::Unscored(Unscored::NoTimes),
    }
}

fn changes(published: &NotebookGrade, here: &NotebookGrade) -> Vec<ChangedMetric> {
    let metrics = [
        ("output_match", &published.output_match, &here.output_match),
        ("landmarks", &published.landmarks, &here.landmarks),
        ("entry_point", &published.entry_point, &here.entry_point),
    ];
    let differs = metrics
        .into_iter()
        .filter(|(_, published, here)| published != here);
    differs
        .map(|(metric, published, here)| ChangedMetric {
            metric,
            published: published.clone(),
            here: here.clone(),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notebook::history::step::StepBy;

    fn step(action: &str, content: StepContent, seconds: Option<f64>) -> NotebookStep {
        NotebookStep {
            by: StepBy::Agent,
            action: Some(action.to_owned()),
            content: Some(content),
            observation: "seen".to_owned(),
            seconds,
            outcome: None,
            exit_code: None,
            file: None,
        }
    }

    fn gold(answer: &str) -> NotebookGold {
        NotebookGold {
            answer: Some(answer.to_owned()),
            landmarks: vec!["seen".to_owned()],
            entry_point: Some("train.py".to_owned()),
            ..NotebookGold::default()
        }
    }

    fn attempt(json: &str, seconds: Option<f64>) -> [NotebookStep; 2] {
        [
            step(
                "execute",
                StepContent::Text("!python pretrain.py".to_owned()),
                seconds,
            ),
            step("submit", StepContent::Json(json.to_owned()), None),
        ]
    }

    const GOLD: GradingMode = GradingMode::Gold { relative: None };

    #[test]
    fn what_a_mode_changes_is_told_with_both_scores() {
        let steps = attempt("{\"a\": 1.0}", Some(20.0));
        let gold = gold("{\"a\": 1.0, \"b\": 2.0}");
        let published = grade(&gold, &steps, GradingMode::Published);
        assert_eq!(published.output_match, MetricScore::Scored(1.0));
        assert_eq!(published.entry_point, MetricScore::Scored(1.0));
        assert!(published.changed.is_empty());
        let ours = grade(&gold, &steps, GOLD);
        assert_eq!(ours.output_match, MetricScore::Scored(0.5));
        let metrics: Vec<_> = ours
            .changed
            .iter()
            .map(|one| (one.metric, one.published.value(), one.here.value()))
            .collect();
        assert_eq!(
            metrics,
            [
                ("output_match", Some(1.0), Some(0.5)),
                ("entry_point", Some(1.0), Some(0.0))
            ]
        );
        let strict = grade(&gold, &steps, GradingMode::Strict);
        assert_eq!(strict.output_match, MetricScore::Scored(0.0));
        assert_eq!(strict.values.len(), 2);
    }

    #[test]
    fn no_answer_no_landmarks_and_no_script_are_unscored_and_never_0() {
        let steps = attempt("1", Some(20.0));
        for mode in [GradingMode::Published, GOLD, GradingMode::Strict] {
            let graded = grade(&NotebookGold::default(), &steps, mode);
            assert_eq!(graded.output_match, MetricScore::Unscored(Unscored::NoAnswer));
            assert_eq!(graded.landmarks, MetricScore::Unscored(Unscored::NoLandmarks));
            assert_eq!(graded.entry_point, MetricScore::Unscored(Unscored::NoEntryPoint));
        }
    }

    #[test]
    fn falsy_answers_and_submissions_by_mode() {
        let zero = attempt("0", Some(1.0));
        let graded = grade(&gold("0"), &zero, GradingMode::Published);
        assert_eq!(
            (graded.submitted, graded.output_match),
            (Some(false), MetricScore::Unscored(Unscored::FalsyGold))
        );
        let graded = grade(&gold("0"), &zero, GOLD);
        assert_eq!(
            (graded.submitted, graded.output_match),
            (Some(true), MetricScore::Scored(1.0))
        );
        for nothing in ["{}", "[]", "null"] {
            let graded = grade(&gold(nothing), &zero, GOLD);
            assert_eq!(
                graded.output_match,
                MetricScore::Unscored(Unscored::FalsyGold),
                "{nothing}"
            );
        }
        let graded = grade(&gold("{\"a\": 1}"), &attempt("null", Some(1.0)), GOLD);
        assert_eq!(
            (graded.submitted, graded.output_match),
            (Some(false), MetricScore::Scored(0.0))
        );
    }

    #[test]
    fn what_the_published_grader_raises_is_unscored_there_and_graded_here() {
        let steps = attempt("{\"a\": true}", Some(1.0));
        let graded = grade(&gold("{\"a\": true}"), &steps, GradingMode::Published);
        assert_eq!(graded.submitted, None);
        for score in [&graded.output_match, &graded.landmarks, &graded.entry_point] {
            assert!(
                matches!(score, MetricScore::Unscored(Unscored::Raised(_))),
                "{score:?}"
            );
        }
        assert_eq!(
            grade(&gold("{\"a\": true}"), &steps, GOLD).output_match,
            MetricScore::Scored(1.0)
        );
        // A history without times: everything but the script is told.
        let graded = grade(
            &gold("{\"a\": 1}"),
            &attempt("{\"a\": 1}", None),
            GradingMode::Published,
        );
        assert_eq!(graded.output_match, MetricScore::Scored(1.0));
        assert_eq!(graded.entry_point, MetricScore::Unscored(Unscored::NoTimes));
    }
}
