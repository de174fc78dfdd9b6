//! Provider keys, which nothing prints.

use std::fmt;

use reqwest::header::HeaderValue;
use secrecy::{ExposeSecret, SecretString};

use crate::model::chat::ModelError;
use crate::model::providers::provider::Provider;
use crate::model::secret_spellings::{self, Span};

/// A secret key. It has no `Display`, its `Debug` is fixed, and its memory is
/// wiped when it goes.
#[derive(Clone)]
pub struct Key(SecretString);

/// A text that cannot be sent as a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "the key is empty or holds spaces, line ends or characters that no HTTP header may carry; check the variable or file that it comes from"
)]
pub struct NotAKey;

impl Key {
    /// A key from text; surrounding white space is dropped.
    ///
    /// # Errors
    /// A text that is too short for a key, or that no header can hold.
    pub fn new(text: &str) -> Result<Self, NotAKey> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(NotAKey);
        }
        Ok(Self(SecretString::from(text)))
    }

    /// The secret, for the places that put it into a request.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    /// The value of the header that carries the secret, which no log shows.
    pub(crate) fn header(&self, before: &str, provider: &Provider) -> Result<HeaderValue, ModelError> {
        let mut value = HeaderValue::try_from(format!("{before}{}", self.expose())).map_err(|_| {
            ModelError::Misconfigured(format!(
                "The key for {} cannot be sent in a header. Check where it comes from.",
                provider.prefix
            ))
        })?;
        value.set_sensitive(true);
        Ok(value)
    }

    /// `text` with the secret masked in every spelling; `None` where it is not in it.
    ///
    /// Providers have been seen to echo a key in an error page. A key of fewer
    /// than 8 characters is left alone: masking `x` would ruin every answer.
    pub fn masked(&self, text: &[u8]) -> Option<Vec<u8>> {
        let spans = self.spans(text);
        if spans.is_empty() {
            return None;
        }
        let mut masked = Vec::with_capacity(text.len());
        let mut rest = 0;
        for span in spans {
            masked.extend_from_slice(&text[rest..span.start]);
            masked.extend_from_slice(Self::MASK.as_bytes());
            rest = span.end;
        }
        masked.extend_from_slice(&text[rest..]);
        Some(masked)
    }

    /// Where `text` holds the secret in any spelling.
    pub(crate) fn spans(&self, text: &[u8]) -> Vec<Span> {
        let secret = self.expose().as_bytes();
        match secret.len() < SHORTEST_MASKED {
            true => Vec::new(),
            false => secret_spellings::spans(text, secret),
        }
    }

    /// What stands in its place.
    pub(crate) const MASK: &str = "[key]";
}

/// Bytes of the shortest key that is masked.
const SHORTEST_MASKED: usize = 8;

impl fmt::Debug for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Key(..)")
    }
}

/// The error for a provider that answers nobody without a key.
pub fn no_key(provider: &Provider) -> ModelError {
    ModelError::Misconfigured(format!(
        "{} answers nobody without a key, and none is set. Set {}, write the key into a keyring file, or choose another model.",
        provider.prefix, provider.key_variable
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_never_shown() {
        let key = Key::new(" sk-canary-0123456789\n").unwrap();
        assert_eq!(format!("{key:?}"), "Key(..)");
        let echoed = b"bad key sk-canary-0123456789, sk\\u002dcanary-0123456789!";
        assert_eq!(key.masked(echoed).unwrap(), b"bad key [key], [key]!");
        assert_eq!(key.masked(b"nothing"), None);
    }

    #[test]
    fn a_text_that_no_header_can_carry_is_not_a_key() {
        assert!(Key::new("").is_err());
        assert!(Key::new("two words").is_err());
        assert!(Key::new("k\u{e9}y").is_err());
    }
}
