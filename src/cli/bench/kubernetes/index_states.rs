//! The state of each index of a Job, by the job's status and its pods.

use std::collections::BTreeMap;

use serde_json::Value;

use crate::cli::bench::slurm::queue::QueuedJob;

/// The annotation of a pod that says which index it is of.
const INDEX: &str = "batch.kubernetes.io/job-completion-index";
/// The label of a pod that says which job it is of.
const JOB_NAME: &str = "batch.kubernetes.io/job-name";

/// The indices of jobs, in the words of a queue: `PENDING`, `RUNNING`, `COMPLETED`, `FAILED`, `CANCELLED`. Jobs and
/// pods are as the API has them in JSON.
pub fn index_states(jobs: &[Value], pods: &[Value]) -> Vec<QueuedJob> {
    let mut of_index: BTreeMap<(&str, usize), &Value> = BTreeMap::new();
    for pod in pods {
        let Some(place) = place(pod) else { continue };
        // Of several pods of an index the one that is not over counts.
        let known = of_index.entry(place).or_insert(pod);
        if !is_over(pod) || is_over(known) {
            *known = pod;
        }
    }
    jobs.iter().flat_map(|job| states(job, &of_index)).collect()
}

fn states(job: &Value, pods: &BTreeMap<(&str, usize), &Value>) -> Vec<QueuedJob> {
    let Some(name) = job["metadata"]["name"].as_str() else {
        return Vec::new();
    };
    let count = job["spec"]["completions"].as_u64().unwrap_or_default();
    let ranges = |key: &str| indices(job["status"][key].as_str().unwrap_or_default());
    let (completed, failed) = (ranges("completedIndexes"), ranges("failedIndexes"));
    let conditions = job["status"]["conditions"].as_array();
    let ended = conditions.into_iter().flatten().find(|condition| {
        let is_end = ["Complete", "Failed"].iter().any(|end| condition["type"] == *end);
        is_end && condition["status"] == "True"
    });
    let is_going = job["metadata"]["deletionTimestamp"].is_string();
    let state = |index: usize| {
        let pod = pods.get(&(name, index)).copied();
        let is_in =
            |ranges: &[(usize, usize)]| ranges.iter().any(|(from, to)| (*from..=*to).contains(&index));
        match pod.filter(|pod| !is_over(pod)) {
            _ if is_in(&completed) => ("COMPLETED", String::new()),
            _ if is_in(&failed) => ("FAILED", pod.map(why).unwrap_or_default()),
            Some(pod) if phase(pod) == "Running" => ("RUNNING", String::new()),
            Some(pod) => ("PENDING", why(pod)),
            None => match ended {
                Some(condition) => ("CANCELLED", text(&condition["reason"]).unwrap_or_default()),
                None if is_going => ("CANCELLED", "its job is deleted".to_owned()),
                None => ("PENDING", "no pod of it yet".to_owned()),
            },
        }
    };
    let all = 0..usize::try_from(count).unwrap_or_default();
    all.map(|index| {
        let (state, reason) = state(index);
        QueuedJob {
            id: format!("{name}_{index}"),
            name: name.to_owned(),
            state: state.to_owned(),
            reason,
        }
    })
    .collect()
}

fn place(pod: &Value) -> Option<(&str, usize)> {
    let job = pod["metadata"]["labels"][JOB_NAME].as_str()?;
    let index = pod["metadata"]["annotations"][INDEX].as_str()?;
    Some((job, index.parse().ok()?))
}

fn phase(pod: &Value) -> &str {
    pod["status"]["phase"].as_str().unwrap_or("Pending")
}

fn is_over(pod: &Value) -> bool {
    ["Succeeded", "Failed"].contains(&phase(pod))
}

/// Why a pod waits, or ended.
fn why(pod: &Value) -> String {
    let status = &pod["status"];
    let containers = status["containerStatuses"].as_array();
    let mut containers = containers.into_iter().flatten();
    let waiting = containers.find_map(|one| text(&one["state"]["waiting"]["reason"]));
    let conditions = status["conditions"].as_array();
    let mut conditions = conditions.into_iter().flatten();
    let unscheduled = conditions
        .find(|condition| condition["type"] == "PodScheduled" && condition["status"] == "False")
        .and_then(|condition| text(&condition["message"]).or_else(|| text(&condition["reason"])));
    waiting
        .or_else(|| text(&status["reason"]))
        .or(unscheduled)
        .unwrap_or_default()
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// The ranges of a text such as `0,2-4`; what is none is left out.
fn indices(text: &str) -> Vec<(usize, usize)> {
    let range = |part: &str| {
        let (from, to) = part.split_once('-').unwrap_or((part, part));
        Some((from.trim().parse().ok()?, to.trim().parse().ok()?))
    };
    text.split(',').filter_map(range).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn pod(index: usize, status: Value) -> Value {
        json!({
            "metadata": {
                "labels": { JOB_NAME: "reprise-ab-1-1" },
                "annotations": { INDEX: index.to_string() },
            },
            "status": status,
        })
    }

    #[test]
    fn each_index_stands_where_its_job_and_its_pods_say() {
        let job = json!({
            "metadata": { "name": "reprise-ab-1-1" },
            "spec": { "completions": 7, "template": {} },
            "status": { "completedIndexes": "0,2-3", "failedIndexes": "5" },
        });
        let pulled = json!({
            "phase": "Pending",
            "containerStatuses": [{ "name": "cell", "image": "", "imageID": "", "ready": false, "restartCount": 0,
                "state": { "waiting": { "reason": "ImagePullBackOff" } } }],
        });
        let pods = [
            pod(1, json!({ "phase": "Failed", "reason": "Evicted" })),
            pod(1, json!({ "phase": "Running" })),
            pod(1, json!({ "phase": "Failed" })),
            pod(4, pulled),
            pod(5, json!({ "phase": "Failed", "reason": "DeadlineExceeded" })),
        ];
        let states = index_states(std::slice::from_ref(&job), &pods);
        let states: Vec<_> = states
            .iter()
            .map(|one| (one.state.as_str(), one.reason.as_str()))
            .collect();
        assert_eq!(
            states,
            [
                ("COMPLETED", ""),
                ("RUNNING", ""),
                ("COMPLETED", ""),
                ("COMPLETED", ""),
                ("PENDING", "ImagePullBackOff"),
                ("FAILED", "DeadlineExceeded"),
                ("PENDING", "no pod of it yet"),
            ]
        );
        let mut deleted = job;
        deleted["metadata"]["deletionTimestamp"] = json!("2026-01-01T00:00:00Z");
        assert_eq!(index_states(&[deleted], &[])[6].state, "CANCELLED");
    }

    #[test]
    fn ranges_are_read_leniently() {
        assert_eq!(indices("0,2-4,x,5-"), [(0, 0), (2, 4)]);
        assert!(indices("").is_empty());
    }
}
