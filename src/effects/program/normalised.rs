//! Requests without what differs from one start of a program to the next: ids, dates, names of
//! temporary files.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use crate::catalog::agents::definition::AgentDefinition;
use crate::catalog::agents::varying::VaryingParts;
use crate::domain::digest::Digest;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::proxy_dialect::ProxyDialect;
use crate::engine::error::EngineError;

use super::plain_texts::PlainTexts;
use super::request_digest::{self, LeftOut};

/// Fields that hold a number of a call, an item, a session or an installation, or what a provider signed.
const VOLATILE: [&str; 21] = [
    "id",
    "call_id",
    "tool_call_id",
    "tool_use_id",
    "item_id",
    "response_id",
    "session_id",
    "prompt_cache_key",
    "safety_identifier",
    "client_metadata",
    "metadata",
    "user",
    "user_id",
    "encrypted_content",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "created",
    "created_at",
    "timestamp",
    "system_fingerprint",
];

/// Days, instants, UUIDs and temporary files in texts.
static VARYING: LazyRegex = LazyRegex::new(
    r"(?x)
    \b\d{4}-\d{2}-\d{2}(?:[T\ ]\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?(?:Z|[+-]\d{2}:?\d{2})?)?
    | \b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun)[a-z]*,?\ [A-Z][a-z]+\ \d{1,2},?\ \d{4}
    | \b(?:January|February|March|April|May|June|July|August|September|October|November|December)\ \d{1,2},\ \d{4}
    | \b\d{1,2}/\d{1,2}/\d{4}\b
    | \b[0-9a-fA-F]{8}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{4}-[0-9a-fA-F]{12}\b
    | /tmp/[A-Za-z0-9._-]+
    ",
);

/// The comparison of an agent's requests.
#[derive(Debug, Clone, Default)]
pub struct Normalisation {
    /// What varies in the requests of this agent, beside what varies in all.
    varying: VaryingParts,
    plain: Arc<PlainTexts>,
}

impl Normalisation {
    /// The comparison for an agent.
    ///
    /// # Errors
    /// A definition that cannot be used.
    pub fn new(definition: &AgentDefinition) -> Result<Self, EngineError> {
        let varying = definition
            .varying_parts()
            .map_err(|error| EngineError::Unusable(error.to_string()))?;
        Ok(Self::without(varying))
    }

    fn without(varying: VaryingParts) -> Self {
        Self {
            varying,
            plain: Arc::default(),
        }
    }

    /// A request as it is compared, in the text that its digest is of.
    pub fn text(&self, body: &[u8]) -> String {
        match serde_json::from_slice::<Value>(body) {
            Ok(mut value) => {
                self.strip(&mut value);
                value.to_string()
            }
            Err(_) => String::from_utf8_lossy(body).into_owned(),
        }
    }

    /// The digest by which a request is known again.
    pub fn digest(&self, dialect: ProxyDialect, streamed: bool, body: &[u8]) -> Digest {
        let body = request_digest::of_json(body, self).unwrap_or_else(|| Digest::compute(body));
        Digest::compute_json(&(dialect, streamed, body))
    }

    fn strip(&self, value: &mut Value) {
        match value {
            Value::Object(members) => {
                members.retain(|name, _| !self.leaves_out(name));
                members.values_mut().for_each(|value| self.strip(value));
            }
            Value::Array(items) => items.iter_mut().for_each(|value| self.strip(value)),
            Value::String(text) => {
                if let Cow::Owned(plain) = self.plain(text) {
                    *text = plain;
                }
            }
            _ => {}
        }
    }

    /// The place where two requests part, in both, for people.
    pub fn parting(&self, recorded: &[u8], asked: &[u8]) -> String {
        const AROUND: usize = 60;
        let (one, other) = (self.text(recorded), self.text(asked));
        let pairs = one.chars().zip(other.chars());
        let same = pairs.take_while(|(one, other)| one == other).count();
        let excerpt = |text: &str| -> String {
            let from = same.saturating_sub(AROUND / 2);
            text.chars().skip(from).take(AROUND).collect()
        };
        format!(
            "they part at character {} of the request without ids and dates: `{}` was recorded, and `{}` is asked",
            same + 1,
            excerpt(&one),
            excerpt(&other)
        )
    }
}

impl LeftOut for Normalisation {
    fn leaves_out(&self, field: &str) -> bool {
        VOLATILE.contains(&field)
    }

    fn plain<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let key = self.plain.key(text);
        if key.is_some_and(|key| self.plain.knows(&key)) {
            return Cow::Borrowed(text);
        }
        let plain = self.varying.blanked(VARYING.replace_all(text, "~"));
        if let (Some(key), Cow::Borrowed(_)) = (key, &plain) {
            self.plain.remember(key);
        }
        plain
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_and_dates_do_not_tell_requests_apart_and_words_do() {
        let body = |id: &str, text: &str| {
            let messages = serde_json::json!([{"role": "user", "content": text}, {"role": "tool", "tool_call_id": id, "content": "4"}]);
            serde_json::json!({"model": "m", "messages": messages, "metadata": {"user_id": id}}).to_string()
        };
        let one = body("call_1", "Today is 2026-11-26. cat /tmp/ab12/x");
        let same = body("call_2", "Today is 2026-11-27. cat /tmp/cd34/x");
        let other = body("call_1", "Today is 2026-11-26. cat /tmp/ab12/y");
        let all = Normalisation::default();
        let of = |body: &str| all.digest(ProxyDialect::ChatCompletions, false, body.as_bytes());
        assert_eq!(of(&one), of(&same));
        assert_ne!(of(&one), of(&other));
        assert_ne!(
            of(&one),
            all.digest(ProxyDialect::ChatCompletions, true, one.as_bytes())
        );
        let said = all.parting(one.as_bytes(), other.as_bytes());
        assert!(said.contains("cat ~/x") && said.contains("cat ~/y"), "{said}");
        assert_eq!(all.text(b"no JSON"), "no JSON");
    }

    #[test]
    fn what_a_definition_names_is_left_out_as_well() {
        let expressions = ["Chunk ID: [0-9a-f]+".to_owned()];
        let normalisation = Normalisation::without(VaryingParts::new(&expressions).unwrap());
        let body = b"{\"output\": \"Chunk ID: 740689\\nWall time: 3\"}";
        assert_eq!(normalisation.text(body), "{\"output\":\"~\\nWall time: 3\"}");
    }

    #[test]
    fn a_long_text_that_comes_again_has_the_same_digest_with_and_without_what_varies() {
        let all = Normalisation::default();
        for text in [
            "no date ".repeat(200),
            format!("{}2026-11-26", "a date ".repeat(200)),
        ] {
            let body = serde_json::json!({"text": text}).to_string();
            let of = |all: &Normalisation| all.digest(ProxyDialect::Responses, false, body.as_bytes());
            let first = of(&all);
            assert_eq!(of(&all), first);
            assert_eq!(of(&Normalisation::default()), first);
        }
    }

    #[test]
    fn dates_in_the_forms_of_clients_are_left_out() {
        for text in [
            "Thu Nov 26 2026",
            "Thursday, November 26, 2026",
            "November 26, 2026",
            "2026-11-26T07:30:00.123Z",
            "11/26/2026",
            "7c9e6679-7425-40de-944b-e07fc1f90ae7",
        ] {
            let body = serde_json::json!({"text": format!("at {text} so")}).to_string();
            assert_eq!(
                Normalisation::default().text(body.as_bytes()),
                "{\"text\":\"at ~ so\"}",
                "{text}"
            );
        }
        let figures = serde_json::json!({"text": "mean 49.75 of 309 rows, 1749 to 2017"}).to_string();
        assert_eq!(Normalisation::default().text(figures.as_bytes()), figures);
    }
}
