//! Requests of Responses, read key by key.

use super::conversation::{Conversation, MessagePart, ToolResult, WholeConversation, text_alone};
use super::dropped::Dropped;
use super::key_table::KeyRule::{Advice, Bookkeeping, Carried, Idle, Lost};
use super::key_table::{CheckedObject, KeyTable, ListItem, listed};
use super::loss::Loss;
use super::pictures;
use super::settings_reading::{effort, form, parameters, unknown_kind};
use super::translated_request::{AnswerForm, ReadRequest, ToolChoice, TranslatedRequest, TranslatedTool};
use crate::domain::conversation::ToolCall;
use crate::domain::sampling::Sampling;
use crate::model::chat::ToolSpec;
use crate::model::efforts::Efforts;

const REQUEST: KeyTable = KeyTable {
    of: "",
    keys: &[
        ("model", Carried),
        ("input", Carried),
        ("instructions", Carried),
        ("tools", Carried),
        ("tool_choice", Carried),
        ("stream", Carried),
        ("max_output_tokens", Carried),
        ("temperature", Carried),
        ("top_p", Carried),
        ("reasoning", Carried),
        ("text", Carried),
        ("background", Idle),
        ("include", Advice),
        ("max_tool_calls", Advice),
        ("metadata", Advice),
        ("parallel_tool_calls", Advice),
        ("prompt_cache_key", Advice),
        ("prompt_cache_retention", Advice),
        ("store", Advice),
        ("stream_options", Advice),
        ("truncation", Advice),
        ("top_logprobs", Idle),
        ("context_management", Idle),
    ],
};
const REASONING: KeyTable = KeyTable {
    of: "reasoning",
    keys: &[
        ("effort", Carried),
        ("summary", Advice),
        ("generate_summary", Advice),
        ("context", Advice),
    ],
};
const TEXT: KeyTable = KeyTable {
    of: "text",
    keys: &[("format", Carried), ("verbosity", Advice)],
};
const FUNCTION: KeyTable = KeyTable {
    of: "tools",
    keys: &[
        ("type", Carried),
        ("name", Carried),
        ("description", Carried),
        ("parameters", Carried),
        ("strict", Carried),
        ("defer_loading", Idle),
    ],
};
const CHOICE: KeyTable = KeyTable {
    of: "tool_choice",
    keys: &[("type", Carried), ("name", Carried)],
};
const MESSAGE: KeyTable = KeyTable {
    of: "messages",
    keys: &[
        ("type", Carried),
        ("role", Carried),
        ("content", Carried),
        ("id", Bookkeeping),
        ("status", Bookkeeping),
        ("phase", Advice),
    ],
};
const CALL: KeyTable = KeyTable {
    of: "calls",
    keys: &[
        ("type", Carried),
        ("call_id", Carried),
        ("name", Carried),
        ("arguments", Carried),
        ("id", Bookkeeping),
        ("status", Bookkeeping),
        (
            "namespace",
            Lost("names a group of tools, which only Responses has"),
        ),
    ],
};
const RESULT: KeyTable = KeyTable {
    of: "results",
    keys: &[
        ("type", Carried),
        ("call_id", Carried),
        ("output", Carried),
        ("id", Bookkeeping),
        ("status", Bookkeeping),
    ],
};
const THOUGHT: KeyTable = KeyTable {
    of: "reasoning",
    keys: &[
        ("type", Carried),
        ("id", Bookkeeping),
        ("status", Bookkeeping),
        ("summary", Advice),
        ("content", Advice),
        (
            "encrypted_content",
            Lost("is encrypted reasoning, which only its own provider reads"),
        ),
    ],
};
const PART: KeyTable = KeyTable {
    of: "parts",
    keys: &[
        ("type", Carried),
        ("text", Carried),
        ("refusal", Carried),
        ("image_url", Carried),
        ("detail", Advice),
        ("prompt_cache_breakpoint", Advice),
        ("annotations", Idle),
        ("logprobs", Idle),
        ("file_id", Lost("stands at the provider")),
    ],
};

/// Reads a request; what it advises its provider goes to `dropped`.
///
/// # Errors
/// The first part that other dialects have no place for.
pub fn read(text: &str, efforts: Option<Efforts>, dropped: &mut Dropped) -> Result<ReadRequest, Loss> {
    let request = CheckedObject::open(text, "", REQUEST, dropped)?;
    request.check_limit("max_output_tokens")?;
    let mut sampling = Sampling {
        temperature: request.number("temperature")?,
        top_p: request.number("top_p")?,
        ..Sampling::default()
    };
    if let Some(raw) = request.raw("reasoning") {
        let reasoning = CheckedObject::open(raw, "reasoning", REASONING, dropped)?;
        if let Some(word) = reasoning.text("effort")? {
            sampling.effort = effort(&word, efforts, "effort of reasoning", dropped);
        }
    }
    let mut answer = AnswerForm::Text;
    if let Some(raw) = request.raw("text") {
        let text = CheckedObject::open(raw, "text", TEXT, dropped)?;
        if let Some(raw) = text.raw("format") {
            answer = form(raw, "text.format", dropped)?;
        }
    }
    let mut tools = Vec::new();
    for item in request.list("tools")? {
        tools.push(tool(&item, dropped)?);
    }
    let choice = request.raw("tool_choice");
    let choice = choice.map(|raw| chosen(raw, dropped)).transpose()?;
    let WholeConversation {
        messages,
        late_system,
    } = conversation(&request, dropped)?;
    let request = TranslatedRequest {
        messages,
        tools,
        choice,
        sampling,
        form: answer,
    };
    Ok(ReadRequest { request, late_system })
}

fn conversation(request: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<WholeConversation, Loss> {
    let mut conversation = Conversation::default();
    if let Some(text) = request.text("instructions")? {
        conversation.system(&text, "instructions");
    }
    let Some(input) = request.raw("input") else {
        return Ok(conversation.whole());
    };
    if let Ok(text) = serde_json::from_str::<String>(input) {
        conversation.user(vec![MessagePart::Text(text)]);
        return Ok(conversation.whole());
    }
    for item in listed(input, "input")? {
        self::item(&item, &mut conversation, dropped)?;
    }
    Ok(conversation.whole())
}

fn item(item: &ListItem<'_>, conversation: &mut Conversation, dropped: &mut Dropped) -> Result<(), Loss> {
    let object = CheckedObject::parse(item.text, &item.place)?;
    match object.text("type")?.as_deref() {
        None | Some("message") => {
            object.hold(MESSAGE, dropped)?;
            message(&object, conversation, dropped)
        }
        Some("function_call") => {
            object.hold(CALL, dropped)?;
            conversation.call(ToolCall {
                id: object.needed_text("call_id")?,
                name: object.needed_text("name")?,
                arguments: object.needed_text("arguments")?,
            });
            Ok(())
        }
        Some("function_call_output") => {
            object.hold(RESULT, dropped)?;
            let result = ToolResult {
                call: object.needed_text("call_id")?,
                parts: parts(&object, "output", dropped)?,
                is_error: false,
            };
            conversation.result(result, &item.place)
        }
        Some("reasoning") => {
            object.hold(THOUGHT, dropped)?;
            dropped.add("reasoning that is not encrypted");
            Ok(())
        }
        Some(other) => Err(unknown_kind(&object.at("type"), other)),
    }
}

fn message(
    object: &CheckedObject<'_>,
    conversation: &mut Conversation,
    dropped: &mut Dropped,
) -> Result<(), Loss> {
    let role = object.needed_text("role")?;
    let parts = parts(object, "content", dropped)?;
    match role.as_str() {
        "user" => {
            conversation.user(parts);
            Ok(())
        }
        "system" | "developer" => {
            conversation.system(&text_alone(parts, &object.at("content"), "\n\n")?, object.place());
            Ok(())
        }
        // The pieces of one text.
        "assistant" => conversation.said(&text_alone(parts, &object.at("content"), "")?, object.place()),
        other => Err(unknown_kind(&object.at("role"), other)),
    }
}

/// The parts of a message or a result: a text, or a list.
fn parts(object: &CheckedObject<'_>, key: &str, dropped: &mut Dropped) -> Result<Vec<MessagePart>, Loss> {
    let Some(raw) = object.raw(key) else {
        return Ok(Vec::new());
    };
    if let Ok(text) = serde_json::from_str::<String>(raw) {
        return Ok(vec![MessagePart::Text(text)]);
    }
    let mut parts = Vec::new();
    for item in listed(raw, &object.at(key))? {
        let part = CheckedObject::open(item.text, &item.place, PART, dropped)?;
        parts.push(match part.needed_text("type")?.as_str() {
            "input_text" | "output_text" | "text" => MessagePart::Text(part.needed_text("text")?),
            "refusal" => MessagePart::Text(part.needed_text("refusal")?),
            "input_image" => {
                let address = part.needed_text("image_url")?;
                MessagePart::Picture(pictures::of_address(&address, &part.at("image_url"))?)
            }
            other => return Err(unknown_kind(&part.at("type"), other)),
        });
    }
    Ok(parts)
}

fn tool(item: &ListItem<'_>, dropped: &mut Dropped) -> Result<TranslatedTool, Loss> {
    let object = CheckedObject::parse(item.text, &item.place)?;
    let kind = object.text("type")?.unwrap_or_default();
    if kind != "function" {
        let name = object.text("name")?.unwrap_or_default();
        let what = match kind.as_str() {
            "custom" => format!("is the freeform tool `{name}`, which only models of Responses call"),
            "namespace" => format!("is the group of tools `{name}`, which only Responses has"),
            kind => format!("is a tool of the type `{kind}`, which only models of Responses know"),
        };
        return Err(Loss::new(&item.place, what));
    }
    object.hold(FUNCTION, dropped)?;
    let parameters = parameters(object.raw("parameters"), &object.at("parameters"))?;
    Ok(TranslatedTool {
        spec: ToolSpec {
            name: object.needed_text("name")?,
            description: object.text("description")?.unwrap_or_default(),
            parameters,
        },
        is_strict: object.is_true("strict"),
    })
}

fn chosen(raw: &str, dropped: &mut Dropped) -> Result<ToolChoice, Loss> {
    if let Ok(word) = serde_json::from_str::<String>(raw) {
        return ToolChoice::of_word(&word).ok_or_else(|| unknown_kind("tool_choice", &word));
    }
    let object = CheckedObject::open(raw, "tool_choice", CHOICE, dropped)?;
    match object.needed_text("type")?.as_str() {
        "function" => Ok(ToolChoice::Named(object.needed_text("name")?)),
        other => Err(unknown_kind("tool_choice.type", other)),
    }
}
