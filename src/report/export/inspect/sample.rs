//! A run as a sample of a log.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::conversation::{Conversation, text};
use super::events::{events, output, usage};
use super::model_name::model_name;
use super::score::scores;
use crate::domain::conversation::Finish;
use crate::domain::usage::Usage;
use crate::report::export::exported_run::{ExportStanding, ExportedRun};
use crate::report::money;
use crate::run::decide::failed_stage;

/// A sample, and its line in the summaries.
#[derive(Debug)]
pub struct Sample {
    pub whole: Value,
    pub summary: Value,
    pub scores: Map<String, Value>,
    /// The tokens of each model, as Inspect names it.
    pub usage: BTreeMap<String, Usage>,
}

/// The tokens of models in Inspect's form.
pub fn model_usage(spent: &BTreeMap<String, Usage>) -> Value {
    let models = spent.iter().map(|(model, spent)| (model.clone(), usage(*spent)));
    Value::Object(models.collect())
}

impl Sample {
    /// The sample of a run.
    pub fn new(exported: &ExportedRun<'_>) -> Self {
        let run = exported.run;
        let conversation = Conversation::new(run);
        let scores = scores(exported);
        let spent = spent(exported);
        let mut summary = head(exported);
        summary["model_usage"] = model_usage(&spent);
        summary["role_usage"] = json!({});
        let mut whole = summary.clone();
        let model = model_name(&exported.started.settings.model);
        whole["messages"] = conversation.messages.clone().into();
        whole["output"] = last_output(&conversation, &model);
        whole["store"] = json!({});
        whole["attachments"] = json!({});
        whole["events"] = events(run, &conversation, &scores).into();
        whole["events_data"] = json!({ "messages": conversation.messages, "calls": [] });
        summary["completed"] = (exported.standing() != ExportStanding::Open).into();
        summary["message_count"] = conversation.messages.len().into();
        if !scores.is_empty() {
            whole["scores"] = scores.clone().into();
            summary["scores"] = scores.clone().into();
        }
        if let Some(failed) = failed_stage(&run.state) {
            let message = format!("{} ({}): {}", failed.stage, failed.cause, failed.detail);
            whole["error"] = json!({ "message": message, "traceback": "", "traceback_ansi": "" });
            summary["error"] = message.into();
        }
        Self {
            whole,
            summary,
            scores,
            usage: spent,
        }
    }
}

/// What a sample and its summary share.
fn head(exported: &ExportedRun<'_>) -> Value {
    let run = exported.run;
    let clocks = run.state.elapsed.clocks();
    let time = |at: Option<jiff::Timestamp>| at.map(|at| at.to_string());
    json!({
        "id": exported.sample(),
        "epoch": exported.repeat,
        "input": input(exported),
        "target": "",
        "uuid": run.request.run.to_string(),
        "started_at": time(exported.first_event()),
        "completed_at": time(exported.last_event()),
        "total_time": clocks.wall_ms as f64 / 1e3,
        "working_time": clocks.working_ms as f64 / 1e3,
        "metadata": metadata(exported),
    })
}

/// What was asked for: the claim, or the first message of another task.
fn input(exported: &ExportedRun<'_>) -> String {
    let claim = &exported.started.claim;
    if !claim.statement.is_empty() {
        return format!("{}\n\n{}", claim.statement, claim.hypotheses)
            .trim()
            .to_owned();
    }
    let first = exported.run.state.stages.values().next();
    first.map_or_else(String::new, |stage| text(exported.run, &stage.user))
}

fn metadata(exported: &ExportedRun<'_>) -> Value {
    let (run, started) = (exported.run, exported.started);
    let settings = &started.settings;
    json!({
        "run": started.run,
        "track": exported.track(),
        "title": started.title,
        "agent": exported.agent,
        "model": settings.model,
        "standing": exported.standing().word(),
        "engine": started.engine,
        "code_mode": settings.code_mode,
        "code_access": settings.code_access,
        "approve": settings.approve,
        "study_digest": started.study_digest,
        "data_digest": started.data_digest,
        "catalog": settings.catalog,
        "cost_usd": money::money(run, run.state.stages.values()).map(|cost| cost.0 as f64 / 1e6),
    })
}

fn spent(exported: &ExportedRun<'_>) -> BTreeMap<String, Usage> {
    let own = exported.started.settings.model.as_str();
    let mut models = BTreeMap::new();
    for call in exported
        .run
        .state
        .stages
        .values()
        .flat_map(|stage| stage.calls(own))
    {
        *models
            .entry(model_name(call.model))
            .or_insert_with(Usage::default) += call.usage;
    }
    models
}

/// The last answer of a model; an empty one where none answered.
fn last_output(conversation: &Conversation, model: &str) -> Value {
    let answers = conversation.messages.iter().rev();
    let last = answers.into_iter().find(|message| message["role"] == "assistant");
    match last {
        Some(message) => output(model, message, Finish::Stop, None),
        None => json!({ "model": model, "choices": [], "completion": "" }),
    }
}
