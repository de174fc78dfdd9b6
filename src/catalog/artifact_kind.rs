//! The kind of a released artifact, told by its keys and by its name.

use serde::Serialize;
use serde_json::Value;

use crate::domain::replication;
use crate::domain::stage::Stage;

/// The kind of a document of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ArtifactKind {
    /// A stage's answer, or a person's reference for one.
    Answer(Stage),
    /// The engine's own record of an execution, which has no schema.
    ExecutionRecord,
}

/// The sign by which a kind was told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KnownBy {
    Content,
    Name,
}

/// Keys of which one tells an answer of a stage, at its top or under its root.
const MARKS: [(Stage, &[&str]); 5] = [
    (Stage::EXTRACT, &["original_study", "claim", "original_paper_id"]),
    (
        Stage::DESIGN,
        &["replication_study", "data_plan", "planned_method", "docker_specs"],
    ),
    (Stage::EXECUTE, &["execution_summary", "code_executed"]),
    (
        Stage::INTERPRET,
        &[
            "interpretation_summary",
            "results_comparison",
            "fidelity_assessment",
        ],
    ),
    (Stage::SEARCH, &["urls"]),
];

impl ArtifactKind {
    /// The kind of a document and what told it; `None` of one that nothing tells. What a
    /// file holds counts more than its name.
    pub fn find(name: &str, value: &Value) -> Option<(Self, KnownBy)> {
        let by_content = Self::of_content(value).map(|kind| (kind, KnownBy::Content));
        by_content.or_else(|| Some((Self::of_name(name)?, KnownBy::Name)))
    }

    /// The kind that a file's name says.
    pub fn of_name(name: &str) -> Option<Self> {
        let stem = name.to_ascii_lowercase();
        let stem = stem.strip_suffix(".json").unwrap_or(&stem);
        if stem == "execution_result" {
            return Some(Self::ExecutionRecord);
        }
        let stem = stem.strip_prefix("expected_").unwrap_or(stem);
        let stage = replication::STAGES.into_iter().find(|stage| {
            let own = replication::artifact(*stage);
            let own = own.strip_suffix(".json").unwrap_or(own);
            // `expected_post_registration_2.json` is another version of the same.
            stem.strip_prefix(own).is_some_and(|rest| {
                rest.trim_start_matches('_')
                    .bytes()
                    .all(|byte| byte.is_ascii_digit())
            })
        });
        stage.map(Self::Answer)
    }

    fn of_content(value: &Value) -> Option<Self> {
        let members = value.as_object()?;
        let holds = |keys: &[&str]| keys.iter().any(|key| members.contains_key(*key));
        if holds(&["steps", "plan_id"]) && members.contains_key("ok") {
            return Some(Self::ExecutionRecord);
        }
        let stage = MARKS.into_iter().find(|(_, keys)| holds(keys))?.0;
        Some(Self::Answer(stage))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn content_counts_more_than_a_name() {
        let find = |name: &str, value: Value| ArtifactKind::find(name, &value);
        let answer = |stage, by| Some((ArtifactKind::Answer(stage), by));
        let plan = json!({"replication_study": {}});
        assert_eq!(
            find("x.json", plan.clone()),
            answer(Stage::DESIGN, KnownBy::Content)
        );
        assert_eq!(
            find("post_registration.json", plan),
            answer(Stage::DESIGN, KnownBy::Content)
        );
        assert_eq!(
            find("expected_post_registration_3.json", json!({})),
            answer(Stage::EXTRACT, KnownBy::Name)
        );
        assert_eq!(
            find("execution_results.json", json!({"note": 1})),
            answer(Stage::EXECUTE, KnownBy::Name)
        );
        assert_eq!(
            find("a.json", json!({"plan_id": "s", "steps": [], "ok": true})),
            Some((ArtifactKind::ExecutionRecord, KnownBy::Content))
        );
        assert_eq!(find("notes.json", json!({"a": 1})), None);
        assert_eq!(find("post_registration_old.json", json!([])), None);
    }
}
