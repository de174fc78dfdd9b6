//! The tools of a run as clients are offered them, and their results.

use std::sync::Arc;

use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::{Value, json};

use super::client_run::{ClientReply, RunStanding};
use crate::model::chat::ToolSpec;
use crate::tools::contract::CommandProgress;
use crate::tools::{bash, submit};

/// The tool that tells the task, which is no act of the run.
pub const TASK: &str = "task";

/// Tools that change nothing.
const READERS: [&str; 4] = ["list_files", "read_file", "search_files", "inspect_data"];

/// The tools of a stage, behind the one that tells the task.
pub fn tools(specs: &[ToolSpec]) -> Vec<Tool> {
    std::iter::once(task()).chain(specs.iter().map(tool)).collect()
}

fn task() -> Tool {
    let description = "Tells the task, its questions, and how far the run has come, with the last call and what it came \
        to. Call it first, and after a lost connection.";
    let input = json!({ "type": "object", "properties": {}, "additionalProperties": false });
    let output = json!({
        "type": "object",
        "properties": {
            "stage": { "type": ["string", "null"] },
            "task": { "type": "string" },
            "questions": { "type": "array", "items": { "type": "string" }, "description": "The keys of the answers." },
            "turn": { "type": "integer", "description": "The calls that were made." },
            "over": { "type": "boolean" },
            "standing": { "type": "string" },
            "last": { "type": ["object", "null"], "description": "The last call, and what it came to." },
        },
        "required": ["stage", "task", "questions", "turn", "over", "standing", "last"],
    });
    Tool::new(TASK, description, object(input))
        .with_raw_output_schema(object(output))
        .with_annotations(ToolAnnotations::new().read_only(true).open_world(false))
}

fn tool(spec: &ToolSpec) -> Tool {
    let annotations = match READERS.contains(&spec.name.as_str()) {
        true => ToolAnnotations::new().read_only(true).open_world(false),
        // What is written stays in the workspace of the run.
        false => ToolAnnotations::new().read_only(false).destructive(false),
    };
    Tool::new(
        spec.name.clone(),
        spec.description.clone(),
        object(spec.parameters.clone()),
    )
    .with_raw_output_schema(object(output(&spec.name)))
    .with_annotations(annotations)
}

/// The schema of a tool's structured result.
fn output(name: &str) -> Value {
    let mut properties = json!({
        "text": { "type": "string", "description": "What came of the call, cut to a cap where it is long." },
        "ok": { "type": "boolean", "description": "Whether the call did what it was asked to do." },
        "took_ms": { "type": "integer" },
    });
    let mut required = vec!["text", "ok", "took_ms"];
    if name == bash::NAME {
        properties["exit_status"] = json!({
            "type": ["integer", "null"], "description": "Null while the command runs, and where nothing was run.",
        });
        properties["running"] = json!({ "type": "boolean", "description": "Whether a command still runs." });
        required.extend(["exit_status", "running"]);
    }
    if name == submit::NAME {
        properties["accepted"] =
            json!({ "type": "boolean", "description": "Whether the answers count; no score is told." });
        required.push("accepted");
    }
    json!({ "type": "object", "properties": properties, "required": required })
}

/// The result of a call.
pub fn result(name: &str, reply: &ClientReply) -> CallToolResult {
    let is_submit = name == submit::NAME;
    // Answers that were handed back may have been taken by the tool, and do not count.
    let ok = if is_submit { reply.stage_over } else { reply.ok };
    let mut told = json!({ "text": reply.text, "ok": ok, "took_ms": reply.took_ms });
    if name == bash::NAME {
        let status = match reply.command {
            Some(CommandProgress::Ended(status)) => Some(status),
            Some(CommandProgress::Running) | None => None,
        };
        told["exit_status"] = json!(status);
        told["running"] = json!(reply.command == Some(CommandProgress::Running));
    }
    if is_submit {
        told["accepted"] = json!(reply.stage_over);
    }
    match ok {
        true => CallToolResult::structured(told),
        false => CallToolResult::structured_error(told),
    }
}

/// The result of a call that was not made.
pub fn not_made(name: &str, why: String) -> CallToolResult {
    let reply = ClientReply {
        text: why,
        ok: false,
        command: None,
        took_ms: 0,
        stage_over: false,
    };
    result(name, &reply)
}

/// The result of the tool that tells the task.
pub fn told(standing: &RunStanding, questions: &[String]) -> CallToolResult {
    let words = match &standing.end {
        Some(end) => end.words(),
        None => "The run waits for a call, or makes one.".to_owned(),
    };
    let last = standing.last.as_ref().map(|(call, reply)| {
        json!({ "tool": call.tool, "arguments": call.arguments, "ok": reply.ok, "text": reply.text })
    });
    CallToolResult::structured(json!({
        "stage": standing.stage.map(|stage| stage.to_string()),
        "task": standing.task.as_deref().unwrap_or_default(),
        "questions": questions,
        "turn": standing.turn,
        "over": standing.end.is_some(),
        "standing": words,
        "last": last,
    }))
}

fn object(value: Value) -> Arc<JsonObject> {
    match value {
        Value::Object(object) => Arc::new(object),
        _ => Arc::default(),
    }
}
