//! Requests of generateContent, read key by key.

use serde_json::Value;

use super::contents;
use super::conversation::WholeConversation;
use super::dropped::Dropped;
use super::key_table::KeyRule::{Advice, Bookkeeping, Carried, Idle, Lost};
use super::key_table::{CheckedObject, KeyTable, ListItem};
use super::loss::Loss;
use super::open_api_schema::json_schema;
use super::settings_reading::{effort, parameters, stop_texts, unknown_kind};
use super::translated_request::{AnswerForm, ReadRequest, ToolChoice, TranslatedRequest, TranslatedTool};
use crate::domain::sampling::Sampling;
use crate::model::chat::ToolSpec;
use crate::model::efforts::Efforts;
use crate::model::response_schema::ResponseSchema;

const REQUEST: KeyTable = KeyTable {
    of: "",
    keys: &[
        ("contents", Carried),
        ("systemInstruction", Carried),
        ("tools", Carried),
        ("toolConfig", Carried),
        ("generationConfig", Carried),
        // The path names it.
        ("model", Bookkeeping),
        ("labels", Advice),
        ("safetySettings", Advice),
        ("store", Advice),
        ("cachedContent", Lost("stands at the provider")),
    ],
};
const CONFIGURATION: KeyTable = KeyTable {
    of: "generationConfig",
    keys: &[
        ("temperature", Carried),
        ("topP", Carried),
        ("topK", Carried),
        ("maxOutputTokens", Carried),
        ("stopSequences", Carried),
        ("seed", Carried),
        ("candidateCount", Carried),
        ("responseMimeType", Carried),
        ("responseSchema", Carried),
        ("responseJsonSchema", Carried),
        ("responseModalities", Carried),
        ("thinkingConfig", Carried),
        ("mediaResolution", Advice),
        ("presencePenalty", Idle),
        ("frequencyPenalty", Idle),
        ("responseLogprobs", Idle),
        ("logprobs", Idle),
        ("audioTimestamp", Idle),
        ("enableEnhancedCivicAnswers", Idle),
    ],
};
const THINKING: KeyTable = KeyTable {
    of: "thinkingConfig",
    keys: &[
        ("thinkingLevel", Carried),
        ("thinkingBudget", Advice),
        ("includeThoughts", Advice),
    ],
};
const TOOL: KeyTable = KeyTable {
    of: "tools",
    keys: &[("functionDeclarations", Carried)],
};
const FUNCTION: KeyTable = KeyTable {
    of: "tools",
    keys: &[
        ("name", Carried),
        ("description", Carried),
        ("parameters", Carried),
        ("parametersJsonSchema", Carried),
        ("behavior", Carried),
        ("response", Advice),
        ("responseJsonSchema", Advice),
    ],
};
const TOOL_CONFIGURATION: KeyTable = KeyTable {
    of: "toolConfig",
    keys: &[
        ("functionCallingConfig", Carried),
        ("retrievalConfig", Idle),
        ("includeServerSideToolInvocations", Idle),
    ],
};
const CALLING: KeyTable = KeyTable {
    of: "functionCallingConfig",
    keys: &[
        ("mode", Carried),
        ("allowedFunctionNames", Carried),
        ("streamFunctionCallArguments", Advice),
    ],
};

/// The `topK` that Gemini CLI writes into every call: the default of the models that it is made for.
const USUAL_TOP_K: f64 = 64.0;

/// Reads a request; what it advises its provider goes to `dropped`.
///
/// # Errors
/// The first part that other dialects have no place for.
pub fn read(text: &str, efforts: Option<Efforts>, dropped: &mut Dropped) -> Result<ReadRequest, Loss> {
    let request = CheckedObject::open_of_protobuf(text, "", REQUEST, dropped)?;
    let mut settings = AnswerSettings {
        sampling: Sampling::default(),
        form: AnswerForm::Text,
    };
    if let Some(raw) = request.raw("generationConfig") {
        settings = configuration(raw, efforts, dropped)?;
    }
    let mut tools = Vec::new();
    for item in request.list("tools")? {
        declared(&item, &mut tools, dropped)?;
    }
    let choice = request.raw("toolConfig");
    let choice = choice.map(|raw| chosen(raw, &tools, dropped)).transpose()?;
    let WholeConversation {
        messages,
        late_system,
    } = contents::read(&request, dropped)?;
    let request = TranslatedRequest {
        messages,
        tools,
        choice: choice.flatten(),
        sampling: settings.sampling,
        form: settings.form,
    };
    Ok(ReadRequest { request, late_system })
}

/// The settings in `generationConfig`.
struct AnswerSettings {
    sampling: Sampling,
    form: AnswerForm,
}

fn configuration(raw: &str, efforts: Option<Efforts>, dropped: &mut Dropped) -> Result<AnswerSettings, Loss> {
    let object = CheckedObject::open_of_protobuf(raw, "generationConfig", CONFIGURATION, dropped)?;
    object.check_limit("maxOutputTokens")?;
    let mut sampling = Sampling {
        temperature: object.number("temperature")?,
        top_p: object.number("topP")?,
        ..Sampling::default()
    };
    match object.number("topK")? {
        Some(USUAL_TOP_K) => dropped.add("topK of generationConfig"),
        Some(_) => {
            let what = "is a rule of drawing that other dialects do not have";
            return Err(Loss::new(object.at("topK"), what));
        }
        None => {}
    }
    if object.number("candidateCount")?.is_some_and(|count| count != 1.0) {
        return Err(Loss::new(object.at("candidateCount"), "asks for several answers"));
    }
    if let Some(raw) = object.raw("seed") {
        let seed = raw.parse();
        sampling.seed = Some(seed.map_err(|_| Loss::new(object.at("seed"), "is no whole number from 0 on"))?);
    }
    if let Some(raw) = object.raw("stopSequences") {
        sampling.stop = stop_texts(raw, &object.at("stopSequences"))?;
    }
    for kind in object.list("responseModalities")? {
        if !kind.text.eq_ignore_ascii_case("\"TEXT\"") {
            return Err(Loss::new(kind.place, "asks for more than text"));
        }
    }
    if let Some(raw) = object.raw("thinkingConfig") {
        let thinking = CheckedObject::open_of_protobuf(raw, &object.at("thinkingConfig"), THINKING, dropped)?;
        if let Some(word) = thinking.text("thinkingLevel")? {
            let word = word.to_ascii_lowercase();
            sampling.effort = effort(&word, efforts, "thinkingLevel of thinkingConfig", dropped);
        }
    }
    let form = form(&object)?;
    Ok(AnswerSettings { sampling, form })
}

/// The form of the answer: a kind of document, and a schema of either kind with JSON alone.
fn form(object: &CheckedObject<'_>) -> Result<AnswerForm, Loss> {
    let schemas = ["responseSchema", "responseJsonSchema"];
    let mut schemas = schemas
        .into_iter()
        .filter_map(|key| Some((key, object.raw(key)?)));
    let first = schemas.next();
    if let Some((key, _)) = schemas.next() {
        return Err(Loss::new(object.at(key), "stands beside another schema"));
    }
    let kind = object.text("responseMimeType")?.unwrap_or_default();
    match (kind.as_str(), first) {
        ("" | "text/plain", None) => Ok(AnswerForm::Text),
        ("application/json", None) => Ok(AnswerForm::JsonObject),
        ("application/json", Some((key, raw))) => {
            let schema = value(raw, &object.at(key))?;
            Ok(AnswerForm::Schema(ResponseSchema {
                name: "answer".to_owned(),
                schema: match key {
                    "responseSchema" => json_schema(&schema, &object.at(key))?,
                    _ => schema,
                },
            }))
        }
        ("" | "text/plain", Some((key, _))) => {
            let what = "is a schema, and `responseMimeType` does not say `application/json`";
            Err(Loss::new(object.at(key), what))
        }
        (other, _) => Err(unknown_kind(&object.at("responseMimeType"), other)),
    }
}

fn value(raw: &str, place: &str) -> Result<Value, Loss> {
    serde_json::from_str(raw).map_err(|_| Loss::new(place, "is no schema"))
}

/// The functions of one tool.
fn declared(item: &ListItem<'_>, tools: &mut Vec<TranslatedTool>, dropped: &mut Dropped) -> Result<(), Loss> {
    let tool = CheckedObject::open_of_protobuf(item.text, &item.place, TOOL, dropped)?;
    for item in tool.list("functionDeclarations")? {
        let function = CheckedObject::open_of_protobuf(item.text, &item.place, FUNCTION, dropped)?;
        match function.text("behavior")?.as_deref() {
            None | Some("UNSPECIFIED" | "BLOCKING") => {}
            Some(other) => return Err(unknown_kind(&function.at("behavior"), other)),
        }
        tools.push(TranslatedTool {
            spec: ToolSpec {
                name: function.needed_text("name")?,
                description: function.text("description")?.unwrap_or_default(),
                parameters: arguments(&function)?,
            },
            is_strict: false,
        });
    }
    Ok(())
}

/// The schema of a function's arguments, which is written in one of two ways.
fn arguments(function: &CheckedObject<'_>) -> Result<Value, Loss> {
    let place = function.at("parametersJsonSchema");
    match (function.raw("parameters"), function.raw("parametersJsonSchema")) {
        (Some(_), Some(_)) => Err(Loss::new(place, "stands beside `parameters`")),
        (Some(raw), None) => {
            let place = function.at("parameters");
            json_schema(&value(raw, &place)?, &place)
        }
        (None, schema) => parameters(schema, &place),
    }
}

fn chosen(raw: &str, tools: &[TranslatedTool], dropped: &mut Dropped) -> Result<Option<ToolChoice>, Loss> {
    let object = CheckedObject::open_of_protobuf(raw, "toolConfig", TOOL_CONFIGURATION, dropped)?;
    let Some(raw) = object.raw("functionCallingConfig") else {
        return Ok(None);
    };
    let place = object.at("functionCallingConfig");
    let calling = CheckedObject::open_of_protobuf(raw, &place, CALLING, dropped)?;
    let mut allowed = Vec::new();
    for item in calling.list("allowedFunctionNames")? {
        let name = serde_json::from_str::<String>(item.text);
        allowed.push(name.map_err(|_| Loss::new(item.place, "is no text"))?);
    }
    let mode = calling.text("mode")?.unwrap_or_default();
    let choice = match mode.to_ascii_uppercase().as_str() {
        "" | "MODE_UNSPECIFIED" | "AUTO" => ToolChoice::Auto,
        "NONE" => ToolChoice::Never,
        "ANY" => return some_of(&allowed, tools, &calling.at("allowedFunctionNames")).map(Some),
        "VALIDATED" => {
            dropped.add("mode VALIDATED of functionCallingConfig");
            ToolChoice::Auto
        }
        _ => return Err(unknown_kind(&calling.at("mode"), &mode)),
    };
    match allowed.is_empty() {
        true => Ok(Some(choice)),
        false => {
            let what = "allows some functions without asking for a call";
            Err(Loss::new(calling.at("allowedFunctionNames"), what))
        }
    }
}

/// The choice by which one of the functions that are allowed is to be called; all are where none is named.
fn some_of(allowed: &[String], tools: &[TranslatedTool], place: &str) -> Result<ToolChoice, Loss> {
    let is_declared = |name: &&String| tools.iter().any(|tool| tool.spec.name == **name);
    if let Some(name) = allowed.iter().find(|name| !is_declared(name)) {
        return Err(Loss::new(
            place,
            format!("allows `{name}`, which is not declared"),
        ));
    }
    match allowed {
        [] => Ok(ToolChoice::Any),
        _ if tools.iter().all(|tool| allowed.contains(&tool.spec.name)) => Ok(ToolChoice::Any),
        [name] => Ok(ToolChoice::Named(name.clone())),
        _ => Err(Loss::new(place, "allows several of the functions, and not all")),
    }
}
