//! Attempts at capsules as the HAL harness keeps them: `RUN_UPLOAD.json` and
//! `RUN_RAW_SUBMISSIONS.jsonl`, graded by its own grader.
//!
//! One HAL run holds each task once, so that repeats are runs of their own, whose names end
//! in `_k0`, `_k1` and so on, as the harness names them.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde_json::{Map, Value, json};

use super::exported_run::ExportedRun;
use super::member::Member;
use crate::capsule::layout::level::Level;
use crate::capsule::task_file::CapsuleTask;
use crate::domain::digest::Digest;
use crate::domain::format;
use crate::domain::usage::Usage;
use crate::report::capsule::from_runs;
use crate::report::money;
use crate::run::event::Event;
use crate::scoring::released::capsule::grade::grade;
use crate::scoring::released::capsule::tallies::{Aliases, GraderName, Tallies};
use crate::scoring::released::capsule::value::PythonValue;

/// An attempt with its task, which holds gold: tallies alone are taken from it.
pub struct HalAttempt<'a> {
    pub exported: &'a ExportedRun<'a>,
    pub task: &'a CapsuleTask,
    pub level: Level,
}

/// The files of an export, and the attempts that are in none.
#[derive(Debug, Default)]
pub struct HalExport {
    pub members: Vec<Member>,
    /// Each with its reason.
    pub left_out: Vec<String>,
}

/// The runs of HAL that attempts make up.
pub fn export(attempts: &[HalAttempt<'_>]) -> HalExport {
    let mut export = HalExport::default();
    let mut runs = BTreeMap::<HalKey, Vec<GradedAttempt<'_>>>::new();
    for attempt in attempts {
        let exported = attempt.exported;
        match GradedAttempt::new(attempt) {
            Ok(graded) => {
                let key = HalKey {
                    agent: exported.agent.clone(),
                    level: attempt.level.to_string(),
                    repeat: exported.repeat,
                };
                runs.entry(key).or_default().push(graded);
            }
            Err(why) => export
                .left_out
                .push(format!("{}: {why}", exported.run.folder.path().display())),
        }
    }
    for (key, attempts) in &runs {
        export.members.extend(key.files(attempts));
    }
    export
}

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct HalKey {
    agent: String,
    level: String,
    /// Counted from 1.
    repeat: u32,
}

struct GradedAttempt<'a> {
    exported: &'a ExportedRun<'a>,
    task: String,
    prompt: &'a str,
    answer: Value,
    /// `Err` where the grader raises, as the harness then keeps zeros and an error.
    tallies: Result<Tallies, String>,
}

impl<'a> GradedAttempt<'a> {
    fn new(attempt: &HalAttempt<'a>) -> Result<Self, String> {
        let run = attempt.exported.run;
        if let Some(why) = from_runs::unscored(run) {
            return Err(why);
        }
        let stage = run.state.track().result_stage();
        let artifact = stage.and_then(|stage| run.state.stages.get(&stage)?.artifact());
        let text = artifact.and_then(|artifact| run.text(artifact).ok());
        // What was not handed in is an empty answer.
        let text = text.unwrap_or_else(|| "{}".to_owned());
        let answer = serde_json::from_str(&text).unwrap_or(Value::Null);
        let id = attempt.task.id.as_str();
        let gold = PythonValue::parse(attempt.task.gold.json()).map_err(|error| error.to_string())?;
        let given = PythonValue::parse(&text).unwrap_or(PythonValue::None);
        let tallies = grade(GraderName::Hal, id, &gold, &given, &Aliases::default());
        Ok(Self {
            exported: attempt.exported,
            task: id.to_owned(),
            prompt: &attempt.task.prompt,
            answer,
            tallies: tallies.map_err(|raised| raised.to_string()),
        })
    }

    fn is_solved(&self) -> bool {
        let tallies = self.tallies.as_ref();
        tallies.is_ok_and(|tallies| tallies.solves(GraderName::Hal))
    }

    fn raw_result(&self) -> Value {
        match &self.tallies {
            Ok(tallies) => json!(tallies),
            Err(raised) => {
                let mut zeros = json!(Tallies::default());
                zeros["error"] = raised.clone().into();
                zeros
            }
        }
    }

    fn cost(&self) -> Option<f64> {
        let run = self.exported.run;
        money::money(run, run.state.stages.values()).map(|cost| cost.0 as f64 / 1e6)
    }

    /// The times of the first and of the last answer of a model.
    fn answered(&self) -> Option<Answered> {
        let answers = self.exported.run.records.iter();
        let mut answers = answers.filter(|record| matches!(record.event, Event::ModelAnswered { .. }));
        let first = answers.next()?.at;
        Some(Answered {
            first,
            last: answers.next_back().map_or(first, |last| last.at),
        })
    }

    fn calls(&self) -> Vec<Value> {
        let own = self.exported.started.settings.model.as_str();
        let stages = self.exported.run.state.stages.values();
        let calls = stages.flat_map(|stage| stage.calls(own));
        calls
            .map(|call| {
                json!({
                    "task_id": self.task,
                    "model": call.model,
                    "usage": hal_usage(call.usage),
                })
            })
            .collect()
    }
}

struct Answered {
    first: Timestamp,
    last: Timestamp,
}

/// Tokens in the words of the harness, which counts cached ones apart.
fn hal_usage(usage: Usage) -> Value {
    json!({
        "prompt_tokens": usage.input.saturating_sub(usage.cached),
        "completion_tokens": usage.output,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": usage.cached,
    })
}

impl HalKey {
    fn benchmark(&self) -> String {
        format!("corebench_{}", self.level)
    }

    fn files(&self, attempts: &[GradedAttempt<'_>]) -> [Member; 2] {
        let begun = attempts.iter().filter_map(|one| one.exported.first_event()).min();
        let begun = begun.unwrap_or(Timestamp::UNIX_EPOCH);
        let agent: String = self
            .agent
            .chars()
            .map(|letter| match letter {
                letter if letter.is_ascii_alphanumeric() => letter.to_ascii_lowercase(),
                _ => '-',
            })
            .take(60)
            .collect();
        let id = format!(
            "{}_{agent}_{}_k{}",
            self.benchmark(),
            begun.as_second(),
            self.repeat.saturating_sub(1)
        );
        let lines = attempts.iter().map(|one| {
            let line = Map::from_iter([(one.task.clone(), one.answer.clone())]);
            format!("{}\n", json!(line))
        });
        let submissions = lines.collect::<String>().into_bytes();
        [
            Member::json(
                format!("{id}/{id}_UPLOAD.json"),
                &self.upload(&id, begun, attempts),
            ),
            Member {
                path: format!("{id}/{id}_RAW_SUBMISSIONS.jsonl"),
                bytes: submissions,
            },
        ]
    }

    fn upload(&self, id: &str, begun: Timestamp, attempts: &[GradedAttempt<'_>]) -> Value {
        let of_each = |value: &dyn Fn(&GradedAttempt<'_>) -> Option<Value>| {
            let values = attempts
                .iter()
                .filter_map(|one| Some((one.task.clone(), value(one)?)));
            Value::Object(values.collect())
        };
        let models: Vec<&str> = attempts
            .iter()
            .map(|one| one.exported.started.settings.model.as_str())
            .collect();
        let catalogs: Vec<_> = attempts
            .iter()
            .map(|one| one.exported.started.settings.catalog)
            .collect();
        let mut agent_args = json!({ "model_name": models.first(), "benchmark_name": self.benchmark() });
        // What a program was told by name.
        let told = attempts
            .iter()
            .filter_map(|one| one.exported.run.request.agent.as_ref());
        for (name, value) in told.flat_map(|agent| &agent.arguments) {
            agent_args[name] = json!(value);
        }
        // No sum of what is not known.
        let cost: Option<f64> = attempts.iter().map(GradedAttempt::cost).sum();
        json!({
            "config": {
                "agent_name": self.agent,
                "benchmark_name": self.benchmark(),
                "date": format::day(begun),
                "run_id": id,
                "agent_args": agent_args,
                "run_command": format!("reprise capsule run --level {}", self.level),
                "prompt_sensitivity": false,
            },
            "results": results(attempts, cost, of_each(&latency)),
            "raw_eval_results": of_each(&|one| Some(one.raw_result())),
            "raw_logging_results": attempts.iter().flat_map(GradedAttempt::calls).collect::<Vec<_>>(),
            "task_prompts": of_each(&|one| Some(json!(one.prompt))),
            "total_usage": total_usage(attempts),
            "total_cost": cost,
            "git_info": { "error": format!("reprise {} is no git checkout", env!("CARGO_PKG_VERSION")) },
            "agent_hash": Digest::compute_json(&catalogs).hex(),
            "wall_clock_times": of_each(&|one| {
                Some(json!(one.exported.run.state.elapsed.clocks().wall_ms as f64 / 1e3))
            }),
            "task_step_counts": of_each(&|one| {
                let stages = one.exported.run.state.stages.values();
                Some(json!(stages.map(|stage| stage.turns.len()).sum::<usize>()))
            }),
        })
    }
}

fn latency(attempt: &GradedAttempt<'_>) -> Option<Value> {
    let answered = attempt.answered()?;
    Some(json!({
        "first_call_timestamp": answered.first.to_string(),
        "last_call_timestamp": answered.last.to_string(),
        "total_time": answered.last.duration_since(answered.first).as_secs_f64(),
    }))
}

fn total_usage(attempts: &[GradedAttempt<'_>]) -> Value {
    let mut spent = BTreeMap::<&str, Usage>::new();
    for attempt in attempts {
        let own = attempt.exported.started.settings.model.as_str();
        let stages = attempt.exported.run.state.stages.values();
        for call in stages.flat_map(|stage| stage.calls(own)) {
            *spent.entry(call.model).or_default() += call.usage;
        }
    }
    let models = spent
        .into_iter()
        .map(|(model, usage)| (model.to_owned(), hal_usage(usage)));
    Value::Object(models.collect())
}

/// Accuracy by tasks, as the harness sums it: of those with a kind of question, the ones that are
/// right in all of these; 0 of none.
fn results(attempts: &[GradedAttempt<'_>], cost: Option<f64>, latencies: Value) -> Value {
    let tallies: Vec<Tallies> = attempts
        .iter()
        .map(|one| *one.tallies.as_ref().unwrap_or(&Tallies::default()))
        .collect();
    let share = |of: &dyn Fn(&Tallies) -> u32, right: &dyn Fn(&Tallies) -> u32| {
        let asked: Vec<&Tallies> = tallies.iter().filter(|one| of(one) > 0).collect();
        let hits = asked.iter().filter(|one| right(one) == of(one)).count();
        if asked.is_empty() {
            0.0
        } else {
            hits as f64 / asked.len() as f64
        }
    };
    let names = |solved: bool| {
        let chosen = attempts.iter().filter(move |one| one.is_solved() == solved);
        chosen.map(|one| one.task.clone()).collect::<Vec<_>>()
    };
    let solved = names(true).len() as f64;
    json!({
        "accuracy": if attempts.is_empty() { 0.0 } else { solved / attempts.len() as f64 },
        "written_accuracy": share(&|one| one.total_written_questions, &|one| one.correct_written_answers),
        "vision_accuracy": share(&|one| one.total_vision_questions, &|one| one.correct_vision_answers),
        "successful_tasks": names(true),
        "failed_tasks": names(false),
        "total_cost": cost,
        "latencies": latencies,
    })
}
