//! The parts of a request for which the dialect that it goes into has places.

use super::dropped::Dropped;
use super::loss::Loss;
use super::translated_request::{AnswerForm, ReadRequest, TranslatedRequest};
use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::chat::Message;

/// The dialect of a request, and the one that it goes into.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DialectPair {
    pub from: ProxyDialect,
    pub into: ProxyDialect,
}

impl DialectPair {
    /// Where the form of an answer stands in the request.
    fn form(self) -> &'static str {
        match self.from {
            ProxyDialect::Responses => "text.format",
            ProxyDialect::Messages => "output_config.format",
            ProxyDialect::ChatCompletions => "response_format",
            ProxyDialect::GenerateContent => "generationConfig.responseMimeType",
        }
    }

    /// Where the texts stand at which an answer ends.
    fn stop(self) -> &'static str {
        match self.from {
            ProxyDialect::Messages => "stop_sequences",
            ProxyDialect::GenerateContent => "generationConfig.stopSequences",
            ProxyDialect::ChatCompletions | ProxyDialect::Responses => "stop",
        }
    }
}

/// A request without what is advice and has no place in the other dialect.
///
/// # Errors
/// A part that has no place there and would be lost.
pub fn fitted(
    read: ReadRequest,
    between: DialectPair,
    dropped: &mut Dropped,
) -> Result<TranslatedRequest, Loss> {
    match between.into {
        ProxyDialect::ChatCompletions | ProxyDialect::GenerateContent => Ok(read.request),
        ProxyDialect::Responses => into_responses(read.request, between, dropped),
        ProxyDialect::Messages => into_messages(read, between, dropped),
    }
}

fn into_responses(
    mut request: TranslatedRequest,
    between: DialectPair,
    dropped: &mut Dropped,
) -> Result<TranslatedRequest, Loss> {
    if !request.sampling.stop.is_empty() {
        return Err(Loss::new(between.stop(), "has no place there"));
    }
    if request.sampling.seed.take().is_some() {
        dropped.add("seed");
    }
    Ok(request)
}

fn into_messages(
    read: ReadRequest,
    between: DialectPair,
    dropped: &mut Dropped,
) -> Result<TranslatedRequest, Loss> {
    let mut request = read.request;
    if let Some(place) = read.late_system {
        return Err(Loss::new(
            place,
            "is a message of the system's behind the beginning",
        ));
    }
    if matches!(request.messages.last(), Some(Message::Assistant { .. })) {
        let what = "ends with words of the model, which it would go on with";
        return Err(Loss::new("messages", what));
    }
    let has_place = match &request.form {
        AnswerForm::Text => true,
        AnswerForm::JsonObject => false,
        AnswerForm::Schema(schema) => schema.is_strict(),
    };
    if !has_place {
        let what = "asks for a form that is open somewhere, and closed schemas alone are taken there";
        return Err(Loss::new(between.form(), what));
    }
    if request.sampling.seed.take().is_some() {
        dropped.add("seed");
    }
    // Its thoughts are signed, and wanted back by a client that has no place for them.
    if request.sampling.effort.take().is_some() {
        dropped.add("effort");
    }
    if request.tools.iter().any(|tool| tool.is_strict) {
        dropped.add("strict of tools");
    }
    Ok(request)
}
