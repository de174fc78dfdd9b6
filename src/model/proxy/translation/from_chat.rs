//! Requests of chat completions, read key by key.

use super::conversation::{Conversation, MessagePart, ToolResult, WholeConversation, text_alone};
use super::dropped::Dropped;
use super::key_table::KeyRule::{Advice, Bookkeeping, Carried, Idle, Lost};
use super::key_table::{CheckedObject, KeyTable, ListItem, listed};
use super::loss::Loss;
use super::pictures;
use super::settings_reading::{effort, is_text_alone, parameters, schema, stop_texts, unknown_kind};
use super::translated_request::{AnswerForm, ReadRequest, ToolChoice, TranslatedRequest, TranslatedTool};
use crate::domain::conversation::ToolCall;
use crate::domain::sampling::Sampling;
use crate::model::chat::ToolSpec;
use crate::model::efforts::Efforts;

const REQUEST: KeyTable = KeyTable {
    of: "",
    keys: &[
        ("model", Carried),
        ("messages", Carried),
        ("tools", Carried),
        ("tool_choice", Carried),
        ("stream", Carried),
        ("max_tokens", Carried),
        ("max_completion_tokens", Carried),
        ("temperature", Carried),
        ("top_p", Carried),
        ("stop", Carried),
        ("seed", Carried),
        ("response_format", Carried),
        ("reasoning_effort", Carried),
        ("modalities", Carried),
        ("n", Carried),
        ("stream_options", Bookkeeping),
        ("metadata", Advice),
        ("parallel_tool_calls", Advice),
        ("prediction", Advice),
        ("prompt_cache_key", Advice),
        ("prompt_cache_retention", Advice),
        ("store", Advice),
        ("verbosity", Advice),
        ("frequency_penalty", Idle),
        ("presence_penalty", Idle),
        ("logit_bias", Idle),
        ("logprobs", Idle),
        ("top_logprobs", Idle),
    ],
};
const FORMAT: KeyTable = KeyTable {
    of: "response_format",
    keys: &[("type", Carried), ("json_schema", Carried)],
};
const TOOL: KeyTable = KeyTable {
    of: "tools",
    keys: &[
        ("type", Carried),
        ("function", Carried),
        ("cache_control", Advice),
    ],
};
const FUNCTION: KeyTable = KeyTable {
    of: "tools",
    keys: &[
        ("name", Carried),
        ("description", Carried),
        ("parameters", Carried),
        ("strict", Carried),
        ("cache_control", Advice),
    ],
};
const CHOICE: KeyTable = KeyTable {
    of: "tool_choice",
    keys: &[("type", Carried), ("function", Carried)],
};
const NAMED: KeyTable = KeyTable {
    of: "tool_choice",
    keys: &[("name", Carried)],
};
const MESSAGE: KeyTable = KeyTable {
    of: "messages",
    keys: &[
        ("role", Carried),
        ("content", Carried),
        ("refusal", Carried),
        ("tool_calls", Carried),
        ("tool_call_id", Carried),
        ("name", Advice),
        ("cache_control", Advice),
        ("reasoning", Advice),
        ("reasoning_content", Advice),
        ("annotations", Idle),
        ("audio", Idle),
        ("function_call", Idle),
        (
            "reasoning_details",
            Lost("is signed reasoning, which only its own provider reads"),
        ),
        (
            "extra_content",
            Lost("is a signed thought, which only its own provider reads"),
        ),
    ],
};
const CALL: KeyTable = KeyTable {
    of: "calls",
    keys: &[
        ("id", Carried),
        ("type", Carried),
        ("function", Carried),
        ("index", Bookkeeping),
        (
            "extra_content",
            Lost("is a signed thought, which only its own provider reads"),
        ),
    ],
};
const CALLED: KeyTable = KeyTable {
    of: "calls",
    keys: &[("name", Carried), ("arguments", Carried)],
};
const PART: KeyTable = KeyTable {
    of: "parts",
    keys: &[
        ("type", Carried),
        ("text", Carried),
        ("refusal", Carried),
        ("image_url", Carried),
        ("cache_control", Advice),
        ("prompt_cache_breakpoint", Advice),
    ],
};
const IMAGE: KeyTable = KeyTable {
    of: "pictures",
    keys: &[("url", Carried), ("detail", Advice)],
};

/// Reads a request; what it advises its provider goes to `dropped`.
///
/// # Errors
/// The first part that other dialects have no place for.
pub fn read(text: &str, efforts: Option<Efforts>, dropped: &mut Dropped) -> Result<ReadRequest, Loss> {
    let request = CheckedObject::open(text, "", REQUEST, dropped)?;
    request.check_limit("max_tokens")?;
    request.check_limit("max_completion_tokens")?;
    if let Some(raw) = request.raw("modalities")
        && !is_text_alone(raw, "modalities")?
    {
        return Err(Loss::new("modalities", "asks for more than text"));
    }
    let mut sampling = Sampling {
        temperature: request.number("temperature")?,
        top_p: request.number("top_p")?,
        ..Sampling::default()
    };
    if let Some(raw) = request.raw("seed") {
        let seed = raw
            .parse()
            .map_err(|_| Loss::new("seed", "is no whole number from 0 on"))?;
        sampling.seed = Some(seed);
    }
    if let Some(raw) = request.raw("stop") {
        sampling.stop = stop_texts(raw, "stop")?;
    }
    if let Some(word) = request.text("reasoning_effort")? {
        sampling.effort = effort(&word, efforts, "reasoning_effort", dropped);
    }
    let form = request.raw("response_format");
    let form = form.map(|raw| answer_form(raw, dropped)).transpose()?;
    let mut tools = Vec::new();
    for item in request.list("tools")? {
        tools.push(tool(&item, dropped)?);
    }
    let choice = request.raw("tool_choice");
    let choice = choice.map(|raw| chosen(raw, dropped)).transpose()?;
    let mut conversation = Conversation::default();
    for item in request.list("messages")? {
        message(&item, &mut conversation, dropped)?;
    }
    let WholeConversation {
        messages,
        late_system,
    } = conversation.whole();
    let request = TranslatedRequest {
        messages,
        tools,
        choice,
        sampling,
        form: form.unwrap_or(AnswerForm::Text),
    };
    Ok(ReadRequest { request, late_system })
}

fn answer_form(raw: &str, dropped: &mut Dropped) -> Result<AnswerForm, Loss> {
    let object = CheckedObject::open(raw, "response_format", FORMAT, dropped)?;
    match object.needed_text("type")?.as_str() {
        "text" => Ok(AnswerForm::Text),
        "json_object" => Ok(AnswerForm::JsonObject),
        "json_schema" => {
            let inner = object.raw("json_schema").unwrap_or("{}");
            schema(inner, "response_format.json_schema", dropped)
        }
        other => Err(unknown_kind("response_format.type", other)),
    }
}

fn message(item: &ListItem<'_>, conversation: &mut Conversation, dropped: &mut Dropped) -> Result<(), Loss> {
    let object = CheckedObject::open(item.text, &item.place, MESSAGE, dropped)?;
    let role = object.needed_text("role")?;
    let parts = parts(&object, dropped)?;
    match role.as_str() {
        "user" => conversation.user(parts),
        "system" | "developer" => {
            let text = text_alone(parts, &object.at("content"), "\n\n")?;
            conversation.system(&text, &item.place);
        }
        "assistant" => assistant(&object, parts, conversation, dropped)?,
        "tool" => {
            let result = ToolResult {
                call: object.needed_text("tool_call_id")?,
                parts,
                is_error: false,
            };
            conversation.result(result, &item.place)?;
        }
        other => return Err(unknown_kind(&object.at("role"), other)),
    }
    Ok(())
}

fn assistant(
    object: &CheckedObject<'_>,
    parts: Vec<MessagePart>,
    conversation: &mut Conversation,
    dropped: &mut Dropped,
) -> Result<(), Loss> {
    let mut text = text_alone(parts, &object.at("content"), "")?;
    text.push_str(&object.text("refusal")?.unwrap_or_default());
    let calls = object.list("tool_calls")?;
    if !text.is_empty() || calls.is_empty() {
        conversation.said(&text, object.place())?;
    }
    for item in calls {
        let call = CheckedObject::open(item.text, &item.place, CALL, dropped)?;
        if let Some(kind) = call.text("type")?.filter(|kind| kind != "function") {
            return Err(unknown_kind(&call.at("type"), &kind));
        }
        let function = call.raw("function").unwrap_or("{}");
        let function = CheckedObject::open(function, &call.at("function"), CALLED, dropped)?;
        conversation.call(ToolCall {
            id: call.needed_text("id")?,
            name: function.needed_text("name")?,
            arguments: function.text("arguments")?.unwrap_or_default(),
        });
    }
    Ok(())
}

fn parts(object: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<Vec<MessagePart>, Loss> {
    let Some(raw) = object.raw("content") else {
        return Ok(Vec::new());
    };
    if let Ok(text) = serde_json::from_str::<String>(raw) {
        return Ok(vec![MessagePart::Text(text)]);
    }
    let mut parts = Vec::new();
    for item in listed(raw, &object.at("content"))? {
        let part = CheckedObject::open(item.text, &item.place, PART, dropped)?;
        parts.push(match part.needed_text("type")?.as_str() {
            "text" => MessagePart::Text(part.needed_text("text")?),
            "refusal" => MessagePart::Text(part.needed_text("refusal")?),
            "image_url" => {
                let place = part.at("image_url");
                let image =
                    CheckedObject::open(part.raw("image_url").unwrap_or("{}"), &place, IMAGE, dropped)?;
                MessagePart::Picture(pictures::of_address(&image.needed_text("url")?, &place)?)
            }
            other => return Err(unknown_kind(&part.at("type"), other)),
        });
    }
    Ok(parts)
}

fn tool(item: &ListItem<'_>, dropped: &mut Dropped) -> Result<TranslatedTool, Loss> {
    let object = CheckedObject::open(item.text, &item.place, TOOL, dropped)?;
    if let Some(kind) = object.text("type")?.filter(|kind| kind != "function") {
        let what = format!("is a tool of the type `{kind}`, which only models of chat completions know");
        return Err(Loss::new(&item.place, what));
    }
    let inner = object.raw("function").unwrap_or("{}");
    let function = CheckedObject::open(inner, &object.at("function"), FUNCTION, dropped)?;
    let parameters = parameters(function.raw("parameters"), &function.at("parameters"))?;
    Ok(TranslatedTool {
        spec: ToolSpec {
            name: function.needed_text("name")?,
            description: function.text("description")?.unwrap_or_default(),
            parameters,
        },
        is_strict: function.is_true("strict"),
    })
}

fn chosen(raw: &str, dropped: &mut Dropped) -> Result<ToolChoice, Loss> {
    if let Ok(word) = serde_json::from_str::<String>(raw) {
        return ToolChoice::of_word(&word).ok_or_else(|| unknown_kind("tool_choice", &word));
    }
    let object = CheckedObject::open(raw, "tool_choice", CHOICE, dropped)?;
    match object.needed_text("type")?.as_str() {
        "function" => {
            let inner = object.raw("function").unwrap_or("{}");
            let function = CheckedObject::open(inner, "tool_choice.function", NAMED, dropped)?;
            Ok(ToolChoice::Named(function.needed_text("name")?))
        }
        other => Err(unknown_kind("tool_choice.type", other)),
    }
}
