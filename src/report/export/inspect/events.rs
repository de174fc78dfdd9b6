//! The events of a run in Inspect's form.

use jiff::{SignedDuration, Timestamp};
use serde_json::{Map, Value, json};

use super::conversation::{Conversation, arguments, call_id, text, tool_call};
use super::model_name::model_name;
use crate::domain::conversation::{Finish, ToolCall};
use crate::domain::excerpt;
use crate::domain::usage::Usage;
use crate::engine::run_reader::RunReader;
use crate::report::text::STREAM;
use crate::run::event::{
    CallRef, Decided, DecidedBy, Event, ExecutionFinished, ExecutionStarted, Record, StageEnd, ToolFinished,
};

/// The tokens of a model in Inspect's form.
pub fn usage(usage: Usage) -> Value {
    json!({
        "input_tokens": usage.input.saturating_sub(usage.cached),
        "input_tokens_cache_read": usage.cached,
        "output_tokens": usage.output,
        "reasoning_tokens": usage.reasoning,
        "total_tokens": usage.total(),
    })
}

/// An answer of a model in Inspect's form.
pub fn output(model: &str, message: &Value, finish: Finish, spent: Option<Usage>) -> Value {
    let stop_reason = match finish {
        Finish::Stop if message.get("tool_calls").is_some() => "tool_calls",
        Finish::Stop => "stop",
        Finish::Length => "max_tokens",
        Finish::Refused => "content_filter",
    };
    json!({
        "model": model,
        "choices": [{ "message": message, "stop_reason": stop_reason }],
        "completion": message["content"],
        "usage": spent.map(usage),
    })
}

/// The events of a run, in their order.
pub fn events(run: &RunReader, conversation: &Conversation, scores: &Map<String, Value>) -> Vec<Value> {
    let mut written = EventWriter {
        run,
        conversation,
        model: run
            .state
            .started
            .as_ref()
            .map_or_else(String::new, |started| model_name(&started.settings.model)),
        first: run
            .records
            .first()
            .map_or(Timestamp::UNIX_EPOCH, |first| first.at),
        stage: None,
        events: Vec::new(),
    };
    for record in &run.records {
        written.record(record);
    }
    if let Some(last) = run.records.last() {
        written.leave(last.at);
        for (scorer, score) in scores {
            written.push(
                last.at,
                json!({ "event": "score", "score": score, "scorer": scorer, "intermediate": false }),
            );
        }
    }
    written.events
}

struct EventWriter<'a> {
    run: &'a RunReader,
    conversation: &'a Conversation,
    /// The run's model, as Inspect knows it.
    model: String,
    first: Timestamp,
    /// The span that is open.
    stage: Option<String>,
    events: Vec<Value>,
}

impl EventWriter<'_> {
    fn push(&mut self, at: Timestamp, mut event: Value) {
        event["uuid"] = format!("{}-{}", self.run.request.run, self.events.len()).into();
        event["timestamp"] = at.to_string().into();
        event["working_start"] = at.duration_since(self.first).as_secs_f64().max(0.0).into();
        if let Some(stage) = &self.stage {
            event["span_id"] = stage.clone().into();
        }
        self.events.push(event);
    }

    fn info(&mut self, at: Timestamp, data: Value) {
        self.push(at, json!({ "event": "info", "source": "reprise", "data": data }));
    }

    /// Ends the span that is open.
    fn leave(&mut self, at: Timestamp) {
        if let Some(stage) = self.stage.clone() {
            self.push(at, json!({ "event": "span_end", "id": stage }));
            self.stage = None;
        }
    }

    fn record(&mut self, record: &Record) {
        let at = record.at;
        match &record.event {
            Event::StageStarted { stage, tools, .. } => {
                self.leave(at);
                let name = stage.to_string();
                let begun = json!({ "event": "span_begin", "id": name, "name": name, "metadata": { "tools": tools } });
                self.stage = Some(name);
                self.push(at, begun);
            }
            Event::ModelAnswered {
                stage,
                turn,
                finish,
                usage,
                wall_ms,
                ..
            } => {
                let asked = CallRef {
                    stage: *stage,
                    turn: *turn,
                    call: 0,
                };
                let spent = Spent {
                    usage: *usage,
                    wall_ms: *wall_ms,
                };
                self.model_event(at, asked, *finish, spent);
            }
            Event::ToolFinished(finished) => self.tool_event(at, finished),
            Event::Decided(decided) => self.approval(at, decided),
            Event::ExecutionStarted(started) => self.info(at, execution_started(started)),
            Event::ExecutionFinished(finished) => {
                let told = self.execution_finished(finished);
                self.info(at, told);
            }
            Event::StageEnded { stage, end } => {
                let end = match end {
                    StageEnd::Finished { deviations, .. } => {
                        json!({ "result": "finished", "deviations": deviations })
                    }
                    StageEnd::Failed { cause, detail } => {
                        json!({ "result": "failed", "cause": cause, "detail": detail })
                    }
                };
                self.info(at, json!({ "kind": "stage_ended", "stage": stage, "end": end }));
                self.leave(at);
            }
            // The first event is the sample itself, and the result is its scores.
            Event::RunStarted(_) | Event::RunFinished { .. } | Event::RunGraded { .. } => {}
            other => self.info(at, json!(other)),
        }
    }

    fn model_event(&mut self, at: Timestamp, asked: CallRef, finish: Finish, spent: Spent) {
        let Some(turn) = self.conversation.turn(asked.stage, asked.turn) else {
            return;
        };
        let Some(message) = self.conversation.messages.get(turn.answer) else {
            return;
        };
        let begun = at - SignedDuration::from_millis(i64::try_from(spent.wall_ms).unwrap_or(0));
        let event = json!({
            "event": "model",
            "model": self.model,
            "input": [],
            "input_refs": [[turn.begin, turn.answer]],
            "tools": [],
            "tool_choice": "auto",
            "config": {},
            "output": output(&self.model, message, finish, Some(spent.usage)),
            "completed": at.to_string(),
            "working_time": spent.wall_ms as f64 / 1e3,
        });
        self.push(begun, event);
    }

    fn call(&self, at: CallRef) -> Option<&ToolCall> {
        let stage = self.run.state.stages.get(&at.stage)?;
        let turn = stage.turns.get(at.turn as usize)?;
        turn.calls.get(at.call as usize)
    }

    fn tool_event(&mut self, at: Timestamp, finished: &ToolFinished) {
        let mut event = json!({
            "event": "tool",
            "type": "function",
            "id": call_id(finished.at),
            "function": finished.tool,
            "arguments": self.call(finished.at).map(arguments).unwrap_or_default(),
            "result": text(self.run, &finished.observation),
            "events": [],
            "completed": at.to_string(),
        });
        if !finished.ok {
            event["error"] = json!({ "type": "unknown", "message": "the tool reported an error" });
        }
        if let Some(change) = &finished.change {
            event["metadata"] = json!({ "file": change.path, "digest": change.after.digest() });
        }
        self.push(at, event);
    }

    fn approval(&mut self, at: Timestamp, decided: &Decided) {
        let asked = self
            .run
            .state
            .gate
            .all()
            .find(|(asked, _)| asked.id == decided.id);
        let Some((asked, _)) = asked else { return };
        let call = self.call(asked.at).map_or_else(
            || json!({ "id": call_id(asked.at), "function": "session", "arguments": {}, "type": "function" }),
            |call| tool_call(call, asked.at),
        );
        let event = json!({
            "event": "approval",
            "message": asked.summary,
            "call": call,
            "approver": match decided.by {
                DecidedBy::Person => "person",
                DecidedBy::Policy => "policy",
                DecidedBy::Setting => "setting",
            },
            "decision": if decided.allowed { "approve" } else { "reject" },
            "explanation": decided.words,
            "metadata": { "asking": asked.asking, "digest": asked.digest },
        });
        self.push(at, event);
    }

    fn execution_finished(&self, finished: &ExecutionFinished) -> Value {
        let stream = |content, bytes: u64| {
            let whole = text(self.run, content);
            let kept = excerpt::first_bytes(&whole, STREAM);
            match (kept.len() as u64) < bytes {
                true => format!("{kept}\n[cut: {} of {bytes} bytes]", kept.len()),
                false => kept.to_owned(),
            }
        };
        json!({
            "kind": "execution_finished",
            "execution": finished.id.to_string(),
            "ending": finished.ending,
            "stdout": stream(&finished.stdout, finished.stdout_bytes),
            "stderr": stream(&finished.stderr, finished.stderr_bytes),
            "outputs": finished.outputs,
            "wall_ms": finished.wall_ms,
            "peak_memory": finished.peak_memory,
            "notes": finished.notes,
        })
    }
}

/// Tokens and time of a call of a model.
#[derive(Clone, Copy)]
struct Spent {
    usage: Usage,
    wall_ms: u64,
}

fn execution_started(started: &ExecutionStarted) -> Value {
    json!({
        "kind": "execution_started",
        "execution": started.id.to_string(),
        "variant": started.variant,
        "path": started.path,
        "command": started.command,
        "approved": started.digest,
    })
}
