//! A secret in foreign text, however it is spelled there: as it is, with characters escaped as
//! JSON, URLs or HTML escape them, once or several times, or in Base64 beside other bytes.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use secrecy::{ExposeSecret, SecretString};

/// Bytes of a text, from the first to the one behind the last.
pub type Span = std::ops::Range<usize>;

/// Most backslashes, or levels of percent signs, that are seen as one escape.
const LEVELS: usize = 16;

/// Named characters of HTML that a key can hold.
const ENTITIES: [(&[u8], u8); 5] = [
    (b"&amp;", b'&'),
    (b"&lt;", b'<'),
    (b"&gt;", b'>'),
    (b"&quot;", b'"'),
    (b"&apos;", b'\''),
];

/// Where `secret` stands in `text`, in order and apart from one another.
///
/// A span begins and ends between characters, and takes the backslashes in front
/// of it along, so that JSON stays JSON with something else in the span's place.
pub fn spans(text: &[u8], secret: &[u8]) -> Vec<Span> {
    let mut found = Vec::new();
    spelled(text, secret, &mut found);
    for part in encoded(secret) {
        let before = found.len();
        spelled(text, part.expose_secret().as_bytes(), &mut found);
        for span in &mut found[before..] {
            *span = with_neighbours(text, span);
        }
    }
    found.sort_by_key(|span| (span.start, span.end));
    let mut apart: Vec<Span> = Vec::with_capacity(found.len());
    for span in found {
        match apart.last_mut() {
            Some(last) if span.start < last.end => last.end = last.end.max(span.end),
            _ => apart.push(span),
        }
    }
    apart
}

fn spelled(text: &[u8], secret: &[u8], found: &mut Vec<Span>) {
    let Some(first) = secret.first() else { return };
    let mut at = 0;
    while at < text.len() {
        let can_begin = text[at] == *first || matches!(text[at], b'\\' | b'%' | b'&');
        match can_begin.then(|| end(text, at, secret)).flatten() {
            Some(end) => {
                found.push(at..end);
                at = end;
            }
            None => at += 1,
        }
    }
}

/// Where the secret ends that begins at `at`; the furthest, of several readings.
fn end(text: &[u8], at: usize, secret: &[u8]) -> Option<usize> {
    let mut ends = vec![at];
    let mut next = Vec::new();
    for byte in secret {
        next.clear();
        for from in &ends {
            push_ends(text, *from, *byte, &mut next);
        }
        if next.is_empty() {
            return None;
        }
        next.sort_unstable();
        next.dedup();
        std::mem::swap(&mut ends, &mut next);
    }
    ends.last().copied()
}

/// Every place where one character, in whatever spelling, that begins at `at` can end.
fn push_ends(text: &[u8], at: usize, character: u8, ends: &mut Vec<usize>) {
    let Some(first) = text.get(at) else { return };
    if *first == character {
        ends.push(at + 1);
    }
    match first {
        b'\\' => {
            let rest = &text[at..];
            let slashes = rest
                .iter()
                .take(LEVELS)
                .take_while(|byte| **byte == b'\\')
                .count();
            if character == b'\\' {
                ends.extend((2..=slashes).map(|count| at + count));
            }
            let behind = at + slashes;
            match text.get(behind) {
                Some(byte) if *byte == character => ends.push(behind + 1),
                _ => {}
            }
            let escaped = |mark: u8, digits: usize| {
                (text.get(behind) == Some(&mark)
                    && hexadecimal(text, behind + 1, digits) == Some(u32::from(character)))
                .then_some(behind + 1 + digits)
            };
            ends.extend(escaped(b'u', 4).into_iter().chain(escaped(b'x', 2)));
        }
        b'%' => {
            let mut behind = at + 1;
            for _ in 0..LEVELS {
                if hexadecimal(text, behind, 2) == Some(u32::from(character)) {
                    ends.push(behind + 2);
                }
                if text.get(behind..behind + 2) != Some(b"25") {
                    break;
                }
                behind += 2;
            }
        }
        b'&' => ends.extend(entity(text, at, character)),
        _ => {}
    }
}

/// The end of a character reference of HTML that stands for `character`.
fn entity(text: &[u8], at: usize, character: u8) -> Option<usize> {
    let rest = &text[at..];
    let named = ENTITIES.iter().find(|(name, _)| rest.starts_with(name));
    if let Some((name, meant)) = named {
        return (*meant == character).then_some(at + name.len());
    }
    let digits = rest.strip_prefix(b"&#")?;
    let length = digits.iter().take(9).position(|byte| *byte == b';')?;
    let number = std::str::from_utf8(&digits[..length]).ok()?;
    let meant = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    (meant == u32::from(character)).then_some(at + 2 + length + 1)
}

fn hexadecimal(text: &[u8], at: usize, digits: usize) -> Option<u32> {
    let text = std::str::from_utf8(text.get(at..at + digits)?).ok()?;
    let is_number = text.bytes().all(|byte| byte.is_ascii_hexdigit());
    is_number.then(|| u32::from_str_radix(text, 16).ok()).flatten()
}

/// The part of the secret's Base64 that is the same whatever stands before and behind
/// it, for each of the three places within a group, in both alphabets.
fn encoded(secret: &[u8]) -> Vec<SecretString> {
    let mut parts = Vec::new();
    for before in 0..3_usize {
        let mut bytes = vec![0; before];
        bytes.extend_from_slice(secret);
        let text = STANDARD_NO_PAD.encode(&bytes);
        let whole = (before * 8).div_ceil(6)..(bytes.len() * 8) / 6;
        let part = text.get(whole).unwrap_or_default();
        if part.contains(['+', '/']) {
            parts.push(SecretString::from(part.replace('+', "-").replace('/', "_")));
        }
        parts.push(SecretString::from(part));
    }
    parts
}

/// A part of Base64 with the characters beside it, which hold a few bits of the secret.
fn with_neighbours(text: &[u8], span: &Span) -> Span {
    let is_base64 = |at: usize| {
        text.get(at)
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || b"+/-_".contains(byte))
    };
    // A character behind a backslash belongs to an escape, which stays whole.
    let takes_left = span.start >= 2 && is_base64(span.start - 1) && text[span.start - 2] != b'\\';
    let start = if takes_left { span.start - 1 } else { span.start };
    let end = span.end + usize::from(is_base64(span.end));
    let padding = text[end..].iter().take(2).take_while(|byte| **byte == b'=');
    start..end + padding.count()
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE};
    use proptest::prelude::*;

    use super::*;

    const SECRET: &str = "sk-canary/0123456789";

    fn masked(text: &str, secret: &str) -> String {
        let mut masked = String::new();
        let mut rest = 0;
        for span in spans(text.as_bytes(), secret.as_bytes()) {
            masked.push_str(&text[rest..span.start]);
            masked.push('#');
            rest = span.end;
        }
        masked + &text[rest..]
    }

    #[test]
    fn every_spelling_is_found() {
        let spellings = [
            "sk-canary/0123456789",
            r"sk-canary\/0123456789",
            r"sk\u002dcanary\u002F0123456789",
            r"sk\\u002dcanary\\/0123456789",
            r"\x73k-canary/0123456789",
            "sk%2Dcanary%2f0123456789",
            "sk%252Dcanary%25252F0123456789",
            "sk&#45;canary&#x2F;0123456789",
        ];
        for spelling in spellings {
            assert_eq!(masked(&format!("<{spelling}>, {spelling}!"), SECRET), "<#>, #!");
        }
        assert_eq!(
            masked("sk-canary/012345678", SECRET),
            "sk-canary/012345678",
            "one short"
        );
    }

    #[test]
    fn base64_is_found_wherever_the_secret_begins() {
        for user in ["", "u", "me", "you", "anybody"] {
            for engine in [&STANDARD, &URL_SAFE] {
                let sent = engine.encode(format!("{user}:{SECRET}:more"));
                let said = masked(&format!("sent {{{sent}}}"), SECRET);
                assert!(said.contains('#'), "{user}: {said}");
                // Twenty bytes take more than 26 characters, and none of those is left.
                let left = said.len() - "sent {#}".len();
                assert!(left + 26 <= sent.len(), "{user}: {said} of {sent}");
            }
        }
    }

    #[test]
    fn what_a_mark_takes_the_place_of_stays_json() {
        let texts = [
            r#"{"a":"\\\\sk-canary\/0123456789\n"}"#,
            r#"{"a":"\nsk-canary/0123456789\\"}"#,
            r#"{"sk-canary/0123456789":"\u0073k-canary/0123456789"}"#,
        ];
        for text in texts {
            let masked = masked(text, SECRET);
            let read: Result<serde_json::Value, _> = serde_json::from_str(&masked);
            assert!(read.is_ok() && masked.contains('#'), "{masked}");
        }
    }

    #[test]
    fn a_secret_that_looks_escaped_itself_is_found() {
        for secret in [r"a\\b\u002dc", "100%25%2D&amp;x", r"\\\\\\\\"] {
            for text in [
                secret.to_owned(),
                serde_json::to_string(secret).unwrap(),
                secret.replace('%', "%25"),
            ] {
                assert!(!spans(text.as_bytes(), secret.as_bytes()).is_empty(), "{text}");
            }
        }
    }

    proptest! {
        #[test]
        fn no_text_breaks_it_and_marks_stand_between_characters(
            text in r#"(sk-|\\|%|&#|u00|25|2d|[a-z0-9é/;]){0,60}"#,
        ) {
            for span in spans(text.as_bytes(), b"sk-\\%&2") {
                prop_assert!(text.is_char_boundary(span.start) && text.is_char_boundary(span.end));
            }
        }

        #[test]
        fn what_json_makes_of_a_secret_is_found(
            secret in "[!-~]{8,40}",
            before in "[ -~]{0,9}",
        ) {
            let once = serde_json::to_string(&format!("{before}{secret}")).unwrap();
            let twice = serde_json::to_string(&once).unwrap();
            for text in [once, twice] {
                prop_assert!(!spans(text.as_bytes(), secret.as_bytes()).is_empty(), "{}", text);
            }
        }
    }
}
