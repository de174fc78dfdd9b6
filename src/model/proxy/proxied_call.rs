//! A call of a client's, ready to be sent on.

use axum::body::Bytes;
use reqwest::header::HeaderMap;

use crate::domain::digest::Digest;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::proxy::object_text::{FieldChanges, ObjectFault, ObjectText};

/// A call of a client's. Its body is the client's own, but for what was replaced or taken out.
#[derive(Debug, Clone)]
pub struct ProxiedCall {
    /// Counted from 1 in the order in which calls come, resends apart.
    pub number: u64,
    pub dialect: ProxyDialect,
    /// Whether the answer is streamed.
    pub streamed: bool,
    /// Of the client's bytes.
    pub digest: Digest,
    /// The body as the client sent it.
    pub asked: Bytes,
    /// The body as it goes on, before the limit on its answer is lowered.
    pub body: Bytes,
    /// What was taken out of the body, in words.
    pub removed: Vec<String>,
    /// The names of headers that were not sent on.
    pub stripped: Vec<String>,
    /// Headers of the client's that are sent on.
    pub headers: HeaderMap,
    /// Bytes that are counted as a prompt.
    pub prompt_bytes: u64,
    pub limit: OutputLimit,
    /// Whether tokens of the stream are counted for us alone, so that the client does not see them.
    pub hides_usage: bool,
}

/// The limit on an answer's tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputLimit {
    /// The tokens that the client asks for; `None`: it sets no limit.
    pub asked: Option<u64>,
    /// The tokens that are planned for.
    pub planned: u64,
    /// The fewest with which the provider takes the request, since it is told to think within some.
    pub least: u64,
    /// The fields with the limit: the last one, or the only one of an object before it.
    pub fields: Vec<&'static str>,
    /// The object that holds the fields.
    pub within: Option<&'static str>,
}

impl ProxiedCall {
    /// The body with at most so many tokens for the answer; as it is where that is no less than what
    /// is asked for.
    ///
    /// # Errors
    /// A body that is no object, which no call has.
    pub fn limited(&self, output: Option<u64>) -> Result<Bytes, ObjectFault> {
        let Some(output) = output.filter(|most| self.limit.asked.is_none_or(|asked| *most < asked)) else {
            return Ok(self.body.clone());
        };
        let text = String::from_utf8_lossy(&self.body);
        let object = ObjectText::parse(&text)?;
        let mut changes = FieldChanges::default();
        let value = output.to_string();
        match self.limit.within {
            None => self
                .limit
                .fields
                .iter()
                .for_each(|field| changes.set(field, value.clone())),
            Some(outer) => {
                let inner = object.get(outer).unwrap_or("{}");
                let mut limits = FieldChanges::default();
                self.limit
                    .fields
                    .iter()
                    .for_each(|field| limits.set(field, value.clone()));
                changes.set(outer, ObjectText::parse(inner)?.changed(&limits));
            }
        }
        Ok(object.changed(&changes).into())
    }
}
