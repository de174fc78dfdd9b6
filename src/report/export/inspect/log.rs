//! A log: runs of one agent at tasks of one track.

use std::collections::{BTreeMap, BTreeSet};

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::archive::zipped;
use super::model_name::model_name;
use super::sample::{Sample, model_usage};
use super::score::results;
use crate::domain::digest::Digest;
use crate::domain::usage::Usage;
use crate::report::export::exported_run::{ExportStanding, ExportedRun};
use crate::report::export::member::Member;

/// The version of the format.
const VERSION: u32 = 2;

/// The logs of some runs, one for each agent, model and track, by names that Inspect lists them under.
///
/// # Errors
/// More than a zip can hold.
pub fn logs(runs: &[ExportedRun<'_>]) -> zip::result::ZipResult<Vec<Member>> {
    let mut groups = BTreeMap::<LogKey, Vec<&ExportedRun<'_>>>::new();
    for run in runs {
        let key = LogKey {
            track: run.track().to_owned(),
            agent: run.agent.clone(),
            model: run.started.settings.model.clone(),
        };
        groups.entry(key).or_default().push(run);
    }
    let logs = groups.into_iter().map(|(key, runs)| Log::new(&key, &runs).file());
    logs.collect()
}

/// Names that the runs of one log share.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct LogKey {
    track: String,
    agent: String,
    model: String,
}

struct Log {
    created: Timestamp,
    track: String,
    /// No two logs of different runs may have one: Inspect takes them for retries.
    id: String,
    eval: Value,
    plan: Value,
    samples: Vec<Sample>,
    /// Whether some run is under way: Inspect shows such a log as running.
    is_open: bool,
    ended: Timestamp,
}

impl Log {
    fn new(key: &LogKey, runs: &[&ExportedRun<'_>]) -> Self {
        let names: Vec<String> = runs.iter().map(|one| one.run.request.run.to_string()).collect();
        let id = Digest::compute_json(&names).hex()[..22].to_owned();
        let begun = runs.iter().filter_map(|run| run.first_event()).min();
        let ended = runs.iter().filter_map(|run| run.last_event()).max();
        let created = begun.unwrap_or(Timestamp::UNIX_EPOCH);
        let samples: Vec<Sample> = runs.iter().map(|run| Sample::new(run)).collect();
        let stages: BTreeSet<String> = runs
            .iter()
            .flat_map(|run| run.run.state.stages.keys().map(ToString::to_string))
            .collect();
        Self {
            created,
            track: key.track.clone(),
            eval: eval(key, &id, created, runs, &samples),
            plan: json!({
                "name": "plan",
                "steps": [{ "solver": "reprise", "params": { "stages": stages }, "params_passed": {} }],
                "config": {},
            }),
            id,
            samples,
            is_open: runs.iter().any(|run| run.standing() == ExportStanding::Open),
            ended: ended.unwrap_or(created),
        }
    }

    fn file(&self) -> zip::result::ZipResult<Member> {
        let time = self.created.strftime("%Y-%m-%dT%H-%M-%S+00-00");
        let track = self.track.replace('_', "-");
        Ok(Member {
            path: format!("{time}_{track}_{}.eval", self.id),
            bytes: zipped(&self.members())?,
        })
    }

    fn members(&self) -> Vec<Member> {
        let start = json!({ "version": VERSION, "eval": self.eval, "plan": self.plan });
        let mut members = vec![Member::json("_journal/start.json", &start)];
        for sample in &self.samples {
            let (id, epoch) = (&sample.whole["id"], &sample.whole["epoch"]);
            let name = format!("samples/{}_epoch_{epoch}.json", id.as_str().unwrap_or_default());
            members.push(Member::json(name, &sample.whole));
        }
        let summaries: Vec<&Value> = self.samples.iter().map(|sample| &sample.summary).collect();
        members.push(Member::json("_journal/summaries/1.json", &json!(summaries)));
        if !self.is_open {
            members.push(Member::json("summaries.json", &json!(summaries)));
            members.push(Member::json("header.json", &self.header()));
        }
        members
    }

    fn header(&self) -> Value {
        let mut spent = BTreeMap::<String, Usage>::new();
        for (model, usage) in self.samples.iter().flat_map(|sample| &sample.usage) {
            *spent.entry(model.clone()).or_default() += *usage;
        }
        let scores: Vec<Map<String, Value>> =
            self.samples.iter().map(|sample| sample.scores.clone()).collect();
        json!({
            "version": VERSION,
            "status": "success",
            "eval": self.eval,
            "plan": self.plan,
            "results": {
                "total_samples": self.samples.len(),
                "completed_samples": self.samples.len(),
                "scores": results(&scores),
            },
            "stats": {
                "started_at": self.created.to_string(),
                "completed_at": self.ended.to_string(),
                "model_usage": model_usage(&spent),
                "role_usage": {},
                "connection_limit_history": [],
            },
            "invalidated": false,
            "tags": [],
            "metadata": {},
        })
    }
}

fn eval(key: &LogKey, id: &str, created: Timestamp, runs: &[&ExportedRun<'_>], samples: &[Sample]) -> Value {
    let mut sample_ids = Vec::new();
    for run in runs {
        let sample = run.sample();
        if !sample_ids.contains(&sample) {
            sample_ids.push(sample);
        }
    }
    let scorers: BTreeSet<&String> = samples.iter().flat_map(|sample| sample.scores.keys()).collect();
    let engines: BTreeSet<&str> = runs.iter().map(|run| run.started.engine.as_str()).collect();
    let engines = engines.into_iter().collect::<Vec<_>>().join(", ");
    let approvers: BTreeSet<&String> = runs.iter().map(|run| &run.started.settings.approve).collect();
    json!({
        "eval_id": format!("e{id}"),
        "run_id": format!("r{id}"),
        "task_id": id,
        "created": created.to_string(),
        "task": key.track,
        "task_version": 0,
        "task_attribs": {},
        "task_args": {},
        "task_args_passed": {},
        "solver": "reprise",
        "dataset": {
            "name": key.track,
            "samples": sample_ids.len(),
            "sample_ids": sample_ids,
            "shuffled": false,
        },
        "model": model_name(&key.model),
        "model_generate_config": {},
        "model_args": {},
        "config": { "epochs": runs.iter().map(|run| run.repeat).max() },
        "packages": { "reprise": engines },
        "metadata": { "agent": key.agent, "model": key.model, "approve": approvers },
        "scorers": scorers.iter().map(|scorer| json!({ "name": scorer })).collect::<Vec<_>>(),
    })
}
