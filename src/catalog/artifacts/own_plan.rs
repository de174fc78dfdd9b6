//! The plan in the answer of a stage with a schema of its own: the keys by which a plan of
//! any track says what is executed.

use serde::Deserialize;
use serde_json::Value;

use crate::catalog::artifacts::replication_info::{
    Codebase, DockerSpecs, EntryPointPart, ReplicationInfo, ReplicationStudy,
};
use crate::catalog::fault::AnswerFault;

/// The keys; all others are the stage's own affair.
#[derive(Deserialize)]
struct PlanKeys {
    #[serde(default)]
    codebase: Codebase,
    #[serde(default)]
    entry_points: Vec<EntryPointPart>,
    #[serde(default)]
    docker_specs: DockerSpecs,
}

/// Reads the plan, with nothing of a replication but what is executed.
///
/// # Errors
/// Keys that cannot be read.
pub fn read(answer: Value) -> Result<ReplicationInfo, Vec<AnswerFault>> {
    let keys: PlanKeys = serde_json::from_value(answer).map_err(|error| {
        let expected = "`entry_points`, each with a `path`, and where packages are needed `docker_specs`";
        vec![AnswerFault::new("", error.to_string(), expected)]
    })?;
    Ok(ReplicationInfo {
        replication_study: ReplicationStudy {
            codebase: keys.codebase,
            entry_points: keys.entry_points,
            docker_specs: keys.docker_specs,
            ..ReplicationStudy::default()
        },
        extra: Default::default(),
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn other_keys_are_the_stages_own() {
        let answer = json!({
            "analysis": "a text", "criterion": 3,
            "entry_points": [{ "path": "work/mean.py", "arguments": ["--all"] }],
            "docker_specs": { "packages": { "python": ["numpy"] } },
        });
        let info = read(answer).unwrap();
        assert_eq!(info.plan().unwrap().0[0].path.as_str(), "work/mean.py");
        assert_eq!(info.environment().unwrap().python, ["numpy"]);
        assert!(info.criterion().is_none());
        assert!(read(json!({ "entry_points": "work/mean.py" })).is_err());
        assert!(read(json!({})).unwrap().plan().is_err());
    }
}
