//! The body of a translated request, by our own client of the dialect.

use serde_json::{Value, json};

use super::translated_request::{AnswerForm, ToolChoice, TranslatedCall, TranslatedTool};
use crate::domain::conversation::Position;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::chat::{ChatRequest, ModelError};
use crate::model::connection::Connection;
use crate::model::dialect::Dialect;
use crate::model::providers;
use crate::model::proxy::object_text::{FieldChanges, ObjectText};

/// A translated request, ready to be sent, and what reads its answer.
pub struct TranslatedBody {
    pub dialect: Box<dyn Dialect>,
    pub request: ChatRequest,
    pub body: String,
}

/// The particulars of one translated request.
#[derive(Debug, Clone, Copy)]
pub struct BodyTerms {
    pub position: Position,
    pub streamed: bool,
    /// Most tokens of the answer.
    pub output: Option<u64>,
}

impl TranslatedBody {
    /// The body for the model of a connection.
    ///
    /// # Errors
    /// A connection that cannot be asked, or a conversation that is no JSON.
    pub fn new(call: &TranslatedCall, connection: &Connection, terms: BodyTerms) -> Result<Self, ModelError> {
        let unusable = |why: String| ModelError::Misconfigured(format!("The request cannot be made: {why}."));
        let asked = &call.request;
        let mut connection = connection.clone();
        connection.sampling = asked.sampling;
        // The provider is the judge of what the client asks for.
        connection.capabilities.schema = Some(true);
        let most = match (terms.output, connection.capabilities.output) {
            (Some(asked), Some(known)) => Some(asked.min(u64::from(known))),
            (asked, _) => asked,
        };
        let dialect = providers::connect(connection)?;
        let request = ChatRequest {
            position: terms.position,
            messages: asked.messages.clone(),
            tools: asked.tools.iter().map(|tool| tool.spec.clone()).collect(),
            max_output_tokens: most.map(|most| u32::try_from(most).unwrap_or(u32::MAX)),
            form: match &asked.form {
                AnswerForm::Schema(schema) => Some(schema.clone().into()),
                AnswerForm::Text | AnswerForm::JsonObject => None,
            },
        };
        let body = dialect
            .body(&request, terms.streamed)
            .map_err(|error| unusable(error.to_string()))?;
        let object = ObjectText::parse(&body).map_err(|fault| unusable(fault.to_string()))?;
        let changes = beyond(call, &object);
        let body = object.changed(&changes);
        Ok(Self {
            dialect,
            request,
            body,
        })
    }
}

/// What our own client never asks for.
fn beyond(call: &TranslatedCall, body: &ObjectText<'_>) -> FieldChanges {
    let mut changes = FieldChanges::default();
    let asked = &call.request;
    if let Some(choice) = asked.choice.as_ref().filter(|_| !asked.tools.is_empty()) {
        changes.set("tool_choice", chosen(call.into, choice).to_string());
    }
    if asked.tools.iter().any(|tool| tool.is_strict)
        && let Some(tools) = body
            .get("tools")
            .and_then(|tools| strict(call.into, tools, &asked.tools))
    {
        changes.set("tools", tools.to_string());
    }
    if asked.form == AnswerForm::JsonObject {
        let form = json!({"type": "json_object"});
        match call.into {
            ProxyDialect::Responses => changes.set("text", json!({ "format": form }).to_string()),
            _ => changes.set("response_format", form.to_string()),
        }
    }
    changes
}

fn chosen(into: ProxyDialect, choice: &ToolChoice) -> Value {
    let is_messages = into == ProxyDialect::Messages;
    match choice {
        ToolChoice::Auto if is_messages => json!({"type": "auto"}),
        ToolChoice::Never if is_messages => json!({"type": "none"}),
        ToolChoice::Any if is_messages => json!({"type": "any"}),
        ToolChoice::Named(name) if is_messages => json!({"type": "tool", "name": name}),
        ToolChoice::Auto => json!("auto"),
        ToolChoice::Never => json!("none"),
        ToolChoice::Any => json!("required"),
        ToolChoice::Named(name) if into == ProxyDialect::Responses => {
            json!({"type": "function", "name": name})
        }
        ToolChoice::Named(name) => json!({"type": "function", "function": {"name": name}}),
    }
}

/// The tools with a word for those whose arguments are to keep to their schemas.
fn strict(into: ProxyDialect, tools: &str, asked: &[TranslatedTool]) -> Option<Value> {
    let mut tools: Value = serde_json::from_str(tools).ok()?;
    for (tool, asked) in tools.as_array_mut()?.iter_mut().zip(asked) {
        let place = match into {
            ProxyDialect::ChatCompletions => tool.get_mut("function")?,
            ProxyDialect::Responses => tool,
            ProxyDialect::Messages | ProxyDialect::GenerateContent => return None,
        };
        if asked.is_strict {
            place["strict"] = json!(true);
        }
    }
    Some(tools)
}
