//! Requests without what differs from one start of a program to the next: ids, dates, names of
//! temporary files.

use serde_json::Value;

use crate::domain::digest::Digest;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::proxy_dialect::ProxyDialect;

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

/// A request as it is compared, in the text that its digest is of.
pub fn normalised(body: &[u8]) -> String {
    match serde_json::from_slice::<Value>(body) {
        Ok(mut value) => {
            strip(&mut value);
            value.to_string()
        }
        Err(_) => String::from_utf8_lossy(body).into_owned(),
    }
}

/// The digest by which a request is known again.
pub fn digest(dialect: ProxyDialect, streamed: bool, body: &[u8]) -> Digest {
    Digest::compute_json(&(dialect, streamed, normalised(body)))
}

fn strip(value: &mut Value) {
    match value {
        Value::Object(members) => {
            members.retain(|name, _| !VOLATILE.contains(&name.as_str()));
            members.values_mut().for_each(strip);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        Value::String(text) if VARYING.is_match(text) => {
            *text = VARYING.replace_all(text, "~").into_owned();
        }
        _ => {}
    }
}

/// The place where two requests part, in both, for people.
pub fn parting(recorded: &[u8], asked: &[u8]) -> String {
    const AROUND: usize = 60;
    let (one, other) = (normalised(recorded), normalised(asked));
    let same = one
        .chars()
        .zip(other.chars())
        .take_while(|(one, other)| one == other)
        .count();
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
        let of = |body: &str| digest(ProxyDialect::ChatCompletions, false, body.as_bytes());
        assert_eq!(of(&one), of(&same));
        assert_ne!(of(&one), of(&other));
        assert_ne!(
            of(&one),
            digest(ProxyDialect::ChatCompletions, true, one.as_bytes())
        );
        let said = parting(one.as_bytes(), other.as_bytes());
        assert!(said.contains("cat ~/x") && said.contains("cat ~/y"), "{said}");
        assert_eq!(normalised(b"no JSON"), "no JSON");
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
            assert_eq!(normalised(body.as_bytes()), "{\"text\":\"at ~ so\"}", "{text}");
        }
        let figures = serde_json::json!({"text": "mean 49.75 of 309 rows, 1749 to 2017"}).to_string();
        assert_eq!(normalised(figures.as_bytes()), figures);
    }
}
