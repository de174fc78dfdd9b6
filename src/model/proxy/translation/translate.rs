//! The translation of a request.

use super::dropped::Dropped;
use super::fitting::{DialectPair, fitted};
use super::loss::NotTranslated;
use super::translated_request::TranslatedCall;
use super::{from_chat, from_generate_content, from_messages, from_responses};
use crate::domain::call_translation::CallTranslation;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::model::efforts::Efforts;

/// The rules by which the calls of a run are translated.
#[derive(Debug, Clone)]
pub struct TranslationRules {
    pub dialects: CallTranslation,
    /// The efforts that the model is known to take.
    pub efforts: Option<Efforts>,
}

/// A translated request, and what was taken out of it.
#[derive(Debug)]
pub struct Translation {
    pub call: TranslatedCall,
    /// What was taken out, in words.
    pub removed: Vec<String>,
}

impl TranslationRules {
    /// Translates a request.
    ///
    /// # Errors
    /// The first part of it that would be lost.
    pub fn translate(&self, from: ProxyDialect, text: &str) -> Result<Translation, NotTranslated> {
        let into = self.dialects.into;
        let between = DialectPair { from, into };
        let mut dropped = Dropped::default();
        let read = match from {
            ProxyDialect::ChatCompletions => from_chat::read(text, self.efforts, &mut dropped),
            ProxyDialect::Responses => from_responses::read(text, self.efforts, &mut dropped),
            ProxyDialect::Messages => from_messages::read(text, self.efforts, &mut dropped),
            ProxyDialect::GenerateContent => from_generate_content::read(text, self.efforts, &mut dropped),
        };
        let fitted = read.and_then(|read| fitted(read, between, &mut dropped));
        let request = fitted.map_err(|loss| loss.between(from, into))?;
        Ok(Translation {
            call: TranslatedCall { into, request },
            removed: dropped.into_words(),
        })
    }
}
