//! Requests of Messages, read key by key.

use super::conversation::{Conversation, MessagePart, ToolResult, WholeConversation};
use super::dropped::Dropped;
use super::key_table::KeyRule::{Advice, Bookkeeping, Carried, Idle, Lost};
use super::key_table::{CheckedObject, KeyTable, ListItem, listed};
use super::loss::Loss;
use super::pictures;
use super::settings_reading::{effort, parameters, schema, stop_texts, unknown_kind};
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
        ("system", Carried),
        ("max_tokens", Carried),
        ("tools", Carried),
        ("tool_choice", Carried),
        ("stream", Carried),
        ("temperature", Carried),
        ("top_p", Carried),
        ("stop_sequences", Carried),
        ("output_config", Carried),
        ("output_format", Carried),
        ("context_management", Carried),
        ("cache_control", Advice),
        ("metadata", Advice),
        ("thinking", Advice),
        (
            "top_k",
            Lost("is a rule of drawing that other dialects do not have"),
        ),
    ],
};
const OUTPUT: KeyTable = KeyTable {
    of: "output_config",
    keys: &[("effort", Carried), ("format", Carried)],
};
const CONTEXT: KeyTable = KeyTable {
    of: "context_management",
    keys: &[("edits", Carried)],
};
const TOOL: KeyTable = KeyTable {
    of: "tools",
    keys: &[
        ("type", Carried),
        ("name", Carried),
        ("description", Carried),
        ("input_schema", Carried),
        ("strict", Carried),
        ("cache_control", Advice),
        ("eager_input_streaming", Advice),
        ("defer_loading", Idle),
        ("input_examples", Idle),
    ],
};
const CHOICE: KeyTable = KeyTable {
    of: "tool_choice",
    keys: &[
        ("type", Carried),
        ("name", Carried),
        ("disable_parallel_tool_use", Advice),
    ],
};
const MESSAGE: KeyTable = KeyTable {
    of: "messages",
    keys: &[("role", Carried), ("content", Carried), ("id", Bookkeeping)],
};
const BLOCK: KeyTable = KeyTable {
    of: "blocks",
    keys: &[
        ("type", Carried),
        ("text", Carried),
        ("cache_control", Advice),
        ("citations", Idle),
    ],
};
const IMAGE: KeyTable = KeyTable {
    of: "pictures",
    keys: &[("type", Carried), ("source", Carried), ("cache_control", Advice)],
};
const SOURCE: KeyTable = KeyTable {
    of: "pictures",
    keys: &[
        ("type", Carried),
        ("media_type", Carried),
        ("data", Carried),
        ("file_id", Lost("stands at the provider")),
        ("url", Lost("is an address that the provider would fetch")),
    ],
};
const CALL: KeyTable = KeyTable {
    of: "calls",
    keys: &[
        ("type", Carried),
        ("id", Carried),
        ("name", Carried),
        ("input", Carried),
        ("cache_control", Advice),
        ("caller", Bookkeeping),
    ],
};
const RESULT: KeyTable = KeyTable {
    of: "results",
    keys: &[
        ("type", Carried),
        ("tool_use_id", Carried),
        ("content", Carried),
        ("is_error", Carried),
        ("cache_control", Advice),
    ],
};

/// Reads a request; what it advises its provider goes to `dropped`.
///
/// # Errors
/// The first part that other dialects have no place for.
pub fn read(text: &str, efforts: Option<Efforts>, dropped: &mut Dropped) -> Result<ReadRequest, Loss> {
    let request = CheckedObject::open(text, "", REQUEST, dropped)?;
    request.check_limit("max_tokens")?;
    let mut sampling = Sampling {
        temperature: request.number("temperature")?,
        top_p: request.number("top_p")?,
        ..Sampling::default()
    };
    if let Some(raw) = request.raw("stop_sequences") {
        sampling.stop = stop_texts(raw, "stop_sequences")?;
    }
    let mut form = AnswerForm::Text;
    if let Some(raw) = request.raw("output_format") {
        form = answer_form(raw, "output_format", dropped)?;
    }
    if let Some(raw) = request.raw("output_config") {
        let output = CheckedObject::open(raw, "output_config", OUTPUT, dropped)?;
        if let Some(word) = output.text("effort")? {
            sampling.effort = effort(&word, efforts, "effort of output_config", dropped);
        }
        if let Some(raw) = output.raw("format") {
            form = answer_form(raw, "output_config.format", dropped)?;
        }
    }
    if let Some(raw) = request.raw("context_management") {
        edits(raw, dropped)?;
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
        form,
    };
    Ok(ReadRequest { request, late_system })
}

fn answer_form(raw: &str, place: &str, dropped: &mut Dropped) -> Result<AnswerForm, Loss> {
    let kind = CheckedObject::parse(raw, place)?.needed_text("type")?;
    match kind.as_str() {
        "json_schema" => schema(raw, place, dropped),
        other => Err(unknown_kind(place, other)),
    }
}

/// Clearing of thoughts is nothing to a conversation that holds none; any other edit would be lost.
fn edits(raw: &str, dropped: &mut Dropped) -> Result<(), Loss> {
    let context = CheckedObject::open(raw, "context_management", CONTEXT, dropped)?;
    for item in context.list("edits")? {
        let edit = CheckedObject::parse(item.text, &item.place)?;
        let kind = edit.needed_text("type")?;
        if !kind.starts_with("clear_thinking") {
            return Err(unknown_kind(&edit.at("type"), &kind));
        }
    }
    dropped.add("context_management that clears thoughts alone");
    Ok(())
}

fn conversation(request: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<WholeConversation, Loss> {
    let mut conversation = Conversation::default();
    if let Some(raw) = request.raw("system") {
        for text in texts(raw, "system", dropped)? {
            conversation.system(&text, "system");
        }
    }
    let messages = request.list("messages")?;
    let mut is_prefilled = None;
    for item in &messages {
        let message = CheckedObject::open(item.text, &item.place, MESSAGE, dropped)?;
        let role = message.needed_text("role")?;
        is_prefilled = (role == "assistant").then(|| item.place.clone());
        let content = message.raw("content").unwrap_or("[]");
        let place = message.at("content");
        match role.as_str() {
            "user" => user(content, &place, &mut conversation, dropped)?,
            "assistant" => assistant(content, &place, &mut conversation, dropped)?,
            "system" => {
                let text = texts(content, &place, dropped)?.join("\n\n");
                conversation.system(&text, &item.place);
            }
            other => return Err(unknown_kind(&message.at("role"), other)),
        }
    }
    match is_prefilled {
        Some(place) => Err(Loss::new(
            place,
            "begins the answer in the model's place, which only Messages can",
        )),
        None => Ok(conversation.whole()),
    }
}

/// The blocks of a content: a text alone is one.
fn blocks<'a>(raw: &'a str, place: &str) -> Result<Result<Vec<ListItem<'a>>, String>, Loss> {
    match serde_json::from_str::<String>(raw) {
        Ok(text) => Ok(Err(text)),
        Err(_) => listed(raw, place).map(Ok),
    }
}

/// The texts of a content that holds nothing else.
fn texts(raw: &str, place: &str, dropped: &mut Dropped) -> Result<Vec<String>, Loss> {
    let items = match blocks(raw, place)? {
        Err(text) => return Ok(vec![text]),
        Ok(items) => items,
    };
    let mut texts = Vec::new();
    for item in items {
        let block = CheckedObject::parse(item.text, &item.place)?;
        match block.needed_text("type")?.as_str() {
            "text" => texts.push(text_of(&block, dropped)?),
            other => return Err(unknown_kind(&block.at("type"), other)),
        }
    }
    Ok(texts)
}

fn text_of(block: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<String, Loss> {
    block.hold(BLOCK, dropped)?;
    block.needed_text("text")
}

fn user(raw: &str, place: &str, conversation: &mut Conversation, dropped: &mut Dropped) -> Result<(), Loss> {
    let items = match blocks(raw, place)? {
        Err(text) => {
            conversation.user(vec![MessagePart::Text(text)]);
            return Ok(());
        }
        Ok(items) => items,
    };
    let (mut parts, mut has_results) = (Vec::new(), false);
    for item in items {
        let block = CheckedObject::parse(item.text, &item.place)?;
        match block.needed_text("type")?.as_str() {
            "tool_result" if !parts.is_empty() => {
                return Err(Loss::new(
                    item.place,
                    "is a result behind words of the same message",
                ));
            }
            "tool_result" => {
                has_results = true;
                conversation.result(result(&block, dropped)?, &item.place)?;
            }
            _ => parts.push(part(&block, dropped)?),
        }
    }
    if !parts.is_empty() || !has_results {
        conversation.user(parts);
    }
    Ok(())
}

/// A text or a picture.
fn part(block: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<MessagePart, Loss> {
    match block.needed_text("type")?.as_str() {
        "text" => text_of(block, dropped).map(MessagePart::Text),
        "image" => {
            block.hold(IMAGE, dropped)?;
            let place = block.at("source");
            let source = block.raw("source").unwrap_or("{}");
            let source = CheckedObject::open(source, &place, SOURCE, dropped)?;
            let (media, data) = (source.needed_text("media_type")?, source.needed_text("data")?);
            pictures::of_base64(&media, &data, &place).map(MessagePart::Picture)
        }
        other => Err(unknown_kind(&block.at("type"), other)),
    }
}

fn result(block: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<ToolResult, Loss> {
    block.hold(RESULT, dropped)?;
    let mut parts = Vec::new();
    match blocks(block.raw("content").unwrap_or("[]"), &block.at("content"))? {
        Err(text) => parts.push(MessagePart::Text(text)),
        Ok(items) => {
            for item in items {
                let inner = CheckedObject::parse(item.text, &item.place)?;
                parts.push(part(&inner, dropped)?);
            }
        }
    }
    Ok(ToolResult {
        call: block.needed_text("tool_use_id")?,
        parts,
        is_error: block.is_true("is_error"),
    })
}

fn assistant(
    raw: &str,
    place: &str,
    conversation: &mut Conversation,
    dropped: &mut Dropped,
) -> Result<(), Loss> {
    let items = match blocks(raw, place)? {
        Err(text) => return conversation.said(&text, place),
        Ok(items) => items,
    };
    let mut said: Vec<String> = Vec::new();
    let mut calls = Vec::new();
    for item in items {
        let block = CheckedObject::parse(item.text, &item.place)?;
        match block.needed_text("type")?.as_str() {
            "text" if !calls.is_empty() => {
                return Err(Loss::new(
                    item.place,
                    "is a text of the model behind a call of the same turn",
                ));
            }
            "text" => said.push(text_of(&block, dropped)?),
            "tool_use" => calls.push(call(&block, dropped)?),
            "thinking" | "redacted_thinking" => {
                return Err(Loss::new(
                    item.place,
                    "is a signed thought, which only its own provider reads",
                ));
            }
            other => return Err(unknown_kind(&block.at("type"), other)),
        }
    }
    if !said.is_empty() || calls.is_empty() {
        conversation.said(&said.concat(), place)?;
    }
    calls.into_iter().for_each(|call| conversation.call(call));
    Ok(())
}

fn call(block: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<ToolCall, Loss> {
    block.hold(CALL, dropped)?;
    Ok(ToolCall {
        id: block.needed_text("id")?,
        name: block.needed_text("name")?,
        // As it was written: a reading would round its numbers.
        arguments: block.raw("input").unwrap_or("{}").to_owned(),
    })
}

fn tool(item: &ListItem<'_>, dropped: &mut Dropped) -> Result<TranslatedTool, Loss> {
    let object = CheckedObject::parse(item.text, &item.place)?;
    if let Some(kind) = object.text("type")?.filter(|kind| kind != "custom") {
        return Err(Loss::new(
            &item.place,
            format!("is a tool of the type `{kind}`, which only models of Messages know"),
        ));
    }
    object.hold(TOOL, dropped)?;
    let parameters = parameters(object.raw("input_schema"), &object.at("input_schema"))?;
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
    let object = CheckedObject::open(raw, "tool_choice", CHOICE, dropped)?;
    match object.needed_text("type")?.as_str() {
        "auto" => Ok(ToolChoice::Auto),
        "none" => Ok(ToolChoice::Never),
        "any" => Ok(ToolChoice::Any),
        "tool" => Ok(ToolChoice::Named(object.needed_text("name")?)),
        other => Err(unknown_kind("tool_choice.type", other)),
    }
}
