//! The conversation of a request of generateContent, read part by part.

use super::conversation::{Conversation, MessagePart, ToolResult, WholeConversation, text_alone};
use super::dropped::Dropped;
use super::key_table::KeyRule::{Advice, Bookkeeping, Carried, Idle, Lost};
use super::key_table::{CheckedObject, KeyTable, ListItem};
use super::loss::Loss;
use super::open_calls::OpenCalls;
use super::pictures;
use super::settings_reading::unknown_kind;
use crate::domain::conversation::ToolCall;
use crate::domain::picture::Picture;
use crate::model::proxy::object_text::ObjectText;

const SYSTEM: KeyTable = KeyTable {
    of: "systemInstruction",
    keys: &[("role", Bookkeeping), ("parts", Carried)],
};
const CONTENT: KeyTable = KeyTable {
    of: "contents",
    keys: &[("role", Carried), ("parts", Carried)],
};
const PART: KeyTable = KeyTable {
    of: "parts",
    keys: &[
        ("text", Carried),
        ("inlineData", Carried),
        ("functionCall", Carried),
        ("functionResponse", Carried),
        ("thought", Carried),
        ("thoughtSignature", Carried),
        ("mediaResolution", Advice),
        ("videoMetadata", Idle),
        ("fileData", Lost("is a file that the provider would fetch")),
        ("executableCode", Lost("is code that the provider ran")),
        (
            "codeExecutionResult",
            Lost("is what came of code that the provider ran"),
        ),
    ],
};
/// The keys of a part that hold what is said.
const DATA: [&str; 4] = ["text", "inlineData", "functionCall", "functionResponse"];
const PICTURE: KeyTable = KeyTable {
    of: "pictures",
    keys: &[("mimeType", Carried), ("data", Carried), ("displayName", Advice)],
};
const CALL: KeyTable = KeyTable {
    of: "calls",
    keys: &[
        ("id", Carried),
        ("name", Carried),
        ("args", Carried),
        ("partialArgs", Idle),
        ("willContinue", Idle),
    ],
};
const RESULT: KeyTable = KeyTable {
    of: "results",
    keys: &[
        ("id", Carried),
        ("name", Carried),
        ("response", Carried),
        ("parts", Carried),
        ("scheduling", Idle),
        ("willContinue", Idle),
    ],
};
const RESULT_PART: KeyTable = KeyTable {
    of: "results",
    keys: &[
        ("inlineData", Carried),
        ("fileData", Lost("is a file that the provider would fetch")),
    ],
};
const RESULT_PICTURE: KeyTable = KeyTable {
    of: "results",
    keys: &[
        ("mimeType", Carried),
        ("data", Carried),
        (
            "displayName",
            Lost("is a name by which the result may speak of the picture"),
        ),
    ],
};

/// The signatures that sign nothing: clients write one where they have none, as Google has them do.
const UNSIGNED: [&str; 2] = [
    "skip_thought_signature_validator",
    "context_engineering_is_the_way_to_go",
];

/// A part of a content.
enum ContentPart {
    Message(MessagePart),
    Call(ToolCall),
    Result(FunctionResult),
    /// What the model thought, which is not carried.
    Thought,
}

/// A result that has not found its call.
struct FunctionResult {
    id: Option<String>,
    tool: String,
    result: ToolResult,
}

/// Reads the system's words and the contents.
///
/// # Errors
/// The first part that other dialects have no place for.
pub fn read(request: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<WholeConversation, Loss> {
    let mut reading = ContentReading::default();
    if let Some(raw) = request.raw("systemInstruction") {
        reading.system(raw, dropped)?;
    }
    let contents = request.list("contents")?;
    let mut last = None;
    for item in &contents {
        let content = CheckedObject::open_of_protobuf(item.text, &item.place, CONTENT, dropped)?;
        let is_models = is_models(&content, contents.len() == 1)?;
        match is_models {
            true => reading.model(&content, dropped)?,
            false => reading.user(&content, dropped)?,
        }
        last = is_models.then_some(&item.place);
    }
    match last {
        Some(place) => Err(Loss::new(
            place,
            "is the model's and comes last, so that the answer would go on with it",
        )),
        None => Ok(reading.conversation.whole()),
    }
}

/// Whether a content is the model's. One that is alone may say nothing of who speaks: it is the user.
fn is_models(content: &CheckedObject<'_>, is_alone: bool) -> Result<bool, Loss> {
    match content.text("role")?.as_deref() {
        Some("user" | "function") => Ok(false),
        Some("model") => Ok(true),
        None | Some("") if is_alone => Ok(false),
        None | Some("") => Err(Loss::new(content.at("role"), "is missing")),
        Some(other) => Err(unknown_kind(&content.at("role"), other)),
    }
}

/// A conversation whose contents are read one after the other.
#[derive(Default)]
struct ContentReading {
    conversation: Conversation,
    calls: OpenCalls,
    /// Whether the content before was the model's.
    is_models_turn: bool,
}

impl ContentReading {
    fn system(&mut self, raw: &str, dropped: &mut Dropped) -> Result<(), Loss> {
        let place = "systemInstruction";
        let content = CheckedObject::open_of_protobuf(raw, place, SYSTEM, dropped)?;
        let mut said = Vec::new();
        for item in content.list("parts")? {
            match part(&item, dropped)? {
                ContentPart::Message(words) => said.push(words),
                _ => return Err(Loss::new(item.place, "is not of the system's words")),
            }
        }
        if !said.is_empty() {
            self.conversation.system(&text_alone(said, place, "\n\n")?, place);
        }
        Ok(())
    }

    fn model(&mut self, content: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<(), Loss> {
        if !self.is_models_turn {
            self.calls.close();
        }
        self.is_models_turn = true;
        let (mut said, mut calls) = (String::new(), Vec::new());
        for item in content.list("parts")? {
            match part(&item, dropped)? {
                ContentPart::Message(MessagePart::Text(text)) if calls.is_empty() || text.is_empty() => {
                    said.push_str(&text);
                }
                ContentPart::Message(MessagePart::Text(_)) => {
                    let what = "is a text of the model behind a call of the same turn";
                    return Err(Loss::new(item.place, what));
                }
                ContentPart::Message(MessagePart::Picture(_)) => {
                    return Err(Loss::new(item.place, "holds a picture that is not the user's"));
                }
                ContentPart::Call(mut call) => {
                    let own = Some(call.id).filter(|id| !id.is_empty());
                    call.id = self.calls.call(own, &call.name, &item.place)?;
                    calls.push(call);
                }
                ContentPart::Result(_) => {
                    return Err(Loss::new(item.place, "is a result in the model's words"));
                }
                ContentPart::Thought => dropped.add("thoughts that are not signed"),
            }
        }
        if !said.is_empty() || calls.is_empty() {
            self.conversation.said(&said, content.place())?;
        }
        calls.into_iter().for_each(|call| self.conversation.call(call));
        Ok(())
    }

    fn user(&mut self, content: &CheckedObject<'_>, dropped: &mut Dropped) -> Result<(), Loss> {
        self.is_models_turn = false;
        let (mut said, mut has_results) = (Vec::new(), false);
        for item in content.list("parts")? {
            match part(&item, dropped)? {
                ContentPart::Message(words) => said.push(words),
                ContentPart::Result(result) => {
                    // Pictures that follow a result may go behind all of them, as those within one do.
                    if said.iter().any(|words| matches!(words, MessagePart::Text(_))) {
                        let what = "is a result behind words of the same message";
                        return Err(Loss::new(item.place, what));
                    }
                    has_results = true;
                    self.result(result, &item.place)?;
                }
                ContentPart::Call(_) => {
                    return Err(Loss::new(item.place, "is a call that is not the model's"));
                }
                ContentPart::Thought => {
                    return Err(Loss::new(item.place, "is a thought that is not the model's"));
                }
            }
        }
        if !said.is_empty() || !has_results {
            // Whoever speaks waits for no result any more.
            self.calls.close();
            self.conversation.user(said);
        }
        Ok(())
    }

    fn result(&mut self, given: FunctionResult, place: &str) -> Result<(), Loss> {
        let FunctionResult { id, tool, mut result } = given;
        result.call = self.calls.result(id.as_deref(), &tool, place)?;
        self.conversation.result(result, place)
    }
}

fn part(item: &ListItem<'_>, dropped: &mut Dropped) -> Result<ContentPart, Loss> {
    let object = CheckedObject::open_of_protobuf(item.text, &item.place, PART, dropped)?;
    match object.text("thoughtSignature")?.as_deref() {
        None | Some("") => {}
        Some(signature) if UNSIGNED.contains(&signature) => {
            dropped.add("thoughtSignature of parts, which signs nothing");
        }
        Some(_) => {
            let what = "is a signed thought, which only its own provider reads";
            return Err(Loss::new(object.at("thoughtSignature"), what));
        }
    }
    let mut data = DATA.into_iter().filter_map(|key| Some((key, object.raw(key)?)));
    let (first, second) = (data.next(), data.next());
    let is_thought = match object.raw("thought") {
        None | Some("false") => false,
        Some("true") => true,
        Some(_) => return Err(Loss::new(object.at("thought"), "is neither true nor false")),
    };
    if second.is_some() {
        return Err(Loss::new(object.place(), "holds several things in one part"));
    }
    match first {
        Some(("text", _)) | None if is_thought => Ok(ContentPart::Thought),
        Some((key, _)) if is_thought => Err(Loss::new(object.at(key), "is no text, and marked as a thought")),
        Some(("text", _)) => Ok(ContentPart::Message(MessagePart::Text(
            object.needed_text("text")?,
        ))),
        Some((key @ "inlineData", raw)) => {
            let picture = picture(raw, &object.at(key), PICTURE, dropped)?;
            Ok(ContentPart::Message(MessagePart::Picture(picture)))
        }
        Some((key @ "functionCall", raw)) => call(raw, &object.at(key), dropped).map(ContentPart::Call),
        Some((key, raw)) => result(raw, &object.at(key), dropped).map(ContentPart::Result),
        None => Err(Loss::new(object.place(), "holds nothing")),
    }
}

fn picture(raw: &str, place: &str, table: KeyTable, dropped: &mut Dropped) -> Result<Picture, Loss> {
    let object = CheckedObject::open_of_protobuf(raw, place, table, dropped)?;
    let (media, data) = (object.needed_text("mimeType")?, object.needed_text("data")?);
    // Protobuf's JSON takes Base64 of both alphabets, filled up or not.
    let mut data = data.trim_end_matches('=').replace('-', "+").replace('_', "/");
    data.extend(std::iter::repeat_n('=', (4 - data.len() % 4) % 4));
    pictures::of_base64(&media, &data, place)
}

/// A call, with an empty id where it has none.
fn call(raw: &str, place: &str, dropped: &mut Dropped) -> Result<ToolCall, Loss> {
    let object = CheckedObject::open_of_protobuf(raw, place, CALL, dropped)?;
    // As they were written: a reading would round their numbers.
    let arguments = object.raw("args").unwrap_or("{}");
    if !arguments.starts_with('{') {
        return Err(Loss::new(object.at("args"), "is no object"));
    }
    Ok(ToolCall {
        id: object.text("id")?.unwrap_or_default(),
        name: object.needed_text("name")?,
        arguments: arguments.to_owned(),
    })
}

fn result(raw: &str, place: &str, dropped: &mut Dropped) -> Result<FunctionResult, Loss> {
    let object = CheckedObject::open_of_protobuf(raw, place, RESULT, dropped)?;
    let response = object.raw("response");
    let response = response.ok_or_else(|| Loss::new(object.at("response"), "is missing"))?;
    let (text, is_error) = response_text(response, &object.at("response"))?;
    let mut parts = vec![MessagePart::Text(text)];
    for item in object.list("parts")? {
        let part = CheckedObject::open_of_protobuf(item.text, &item.place, RESULT_PART, dropped)?;
        let place = part.at("inlineData");
        let inner = part.raw("inlineData");
        let inner = inner.ok_or_else(|| Loss::new(part.place(), "holds nothing"))?;
        parts.push(MessagePart::Picture(picture(
            inner,
            &place,
            RESULT_PICTURE,
            dropped,
        )?));
    }
    Ok(FunctionResult {
        id: object.text("id")?,
        tool: object.needed_text("name")?,
        result: ToolResult {
            call: String::new(),
            parts,
            is_error,
        },
    })
}

/// What a function gave, and whether that is an error: the value of `output` or `error` where it is alone, a
/// text as such, and otherwise the whole object as it was written.
fn response_text(raw: &str, place: &str) -> Result<(String, bool), Loss> {
    let object = ObjectText::parse(raw).map_err(|fault| Loss::new(place, format!("is unusable: {fault}")))?;
    let names: Vec<&str> = object.names().collect();
    let alone = match names.as_slice() {
        [key @ ("output" | "error")] => object.get(key).map(|value| (value, *key == "error")),
        _ => None,
    };
    let (value, is_error) = alone.unwrap_or((raw, false));
    let text = serde_json::from_str(value).unwrap_or_else(|_| value.to_owned());
    Ok((text, is_error))
}
