//! An answer as something to read.

use encoding_rs::Encoding;
use jiff::tz::TimeZone;
use serde_json::Value;

use super::client::WebReply;
use super::markup;
use super::one_line::one_line;
use crate::documents::helper::Helper;
use crate::documents::kind::Kind;
use crate::documents::limits::Limits;
use crate::documents::sniff::sniff;
use crate::documents::text;
use crate::domain::excerpt;
use crate::model::http::http_date;

/// Bounds of reading one page.
const READING: Limits = Limits {
    seconds: 30,
    memory: 512 << 20,
    pages: 300,
    text: 4 << 20,
    recognise: false,
    pictures: 0,
};
/// Characters of one text inside JSON.
const LONGEST: usize = 2_000;
/// Lines of a data file that show what it is.
const SAMPLE: usize = 30;

/// The content of a page.
#[derive(Debug, Default)]
pub struct Page {
    /// What the content is, in words.
    pub kind: String,
    pub title: Option<String>,
    /// When it was changed or published, and who says so.
    pub date: Option<String>,
    pub text: String,
    /// What could not be read, in sentences.
    pub notes: Vec<String>,
}

/// When the server says that a page was changed, as a day.
pub fn last_modified(reply: &WebReply) -> Option<String> {
    let time = http_date(reply.header("last-modified")?)?;
    Some(time.to_zoned(TimeZone::UTC).date().to_string())
}

/// Reads an answer. Blocks: documents are read in a helper process.
pub fn read(helper: &Helper, reply: &WebReply) -> Page {
    let mut page = Page::default();
    if let Some(date) = last_modified(reply) {
        page.date = Some(format!("{date} (Last-Modified)"));
    }
    if reply.cut {
        page.notes.push(format!(
            "Only the first {} bytes were fetched; the rest is left out.",
            reply.body.len()
        ));
    }
    if let Some(text) = json(&reply.body) {
        page.kind = "JSON".to_owned();
        page.text = text;
        return page;
    }
    let content = in_utf8(reply);
    let kind = sniff(&content);
    page.kind = kind.name().to_owned();
    if kind == Kind::Html {
        let head = markup::read(&text::decode(&content).text);
        page.title = head.title;
        page.date = head.date.map(|date| format!("{date} (the page)")).or(page.date);
    }
    if kind.is_table() || matches!(kind, Kind::Text) && !text::looks_like_text(&content) {
        let sample = text::looks_like_text(&content).then(|| text::decode(&content).text);
        page.text = sample.map_or(String::new(), |text| {
            text.lines()
                .take(SAMPLE)
                .map(|line| one_line(line, 400) + "\n")
                .collect()
        });
        page.notes.push(format!(
            "The address leads to a file of {} bytes ({}); at most its first {SAMPLE} lines are shown.",
            content.len(),
            page.kind
        ));
        return page;
    }
    match helper.read("page", &content, &READING) {
        Ok(document) => {
            page.text = document.whole_text();
            page.notes.extend(document.notes);
            let titled = document
                .properties
                .iter()
                .find(|(name, value)| name.eq_ignore_ascii_case("title") && !value.trim().is_empty());
            if let Some((_, title)) = titled.filter(|_| page.title.is_none()) {
                page.title = Some(one_line(title, 300));
            }
        }
        Err(error) => page.notes.push(format!(
            "The content ({}, {} bytes) could not be read: {error}.",
            page.kind,
            content.len()
        )),
    }
    page
}

/// Text as UTF-8, by what the server says, then by what the page says; what
/// neither settles is left to guessing.
fn in_utf8(reply: &WebReply) -> Vec<u8> {
    let told = reply.header("content-type").and_then(charset);
    let told = told.or_else(|| {
        let head = String::from_utf8_lossy(&reply.body[..reply.body.len().min(2048)]);
        (sniff(&reply.body) == Kind::Html)
            .then(|| charset(&head))
            .flatten()
    });
    match told.filter(|encoding| *encoding != encoding_rs::UTF_8 && !reply.body.starts_with(b"%PDF")) {
        Some(encoding) => encoding.decode(&reply.body).0.into_owned().into_bytes(),
        None => reply.body.clone(),
    }
}

fn charset(text: &str) -> Option<&'static Encoding> {
    let lower = text.to_ascii_lowercase();
    let label = lower
        .split_once("charset=")?
        .1
        .trim_start_matches(['"', '\'', ' ']);
    let end = label
        .find(|one: char| !one.is_ascii_alphanumeric() && !"-_:.".contains(one))
        .unwrap_or(label.len());
    Encoding::for_label(&label.as_bytes()[..end])
}

/// JSON without what says nothing, a key a line.
fn json(body: &[u8]) -> Option<String> {
    let start = body
        .iter()
        .find(|byte| !byte.is_ascii_whitespace() && **byte < 0x80)?;
    if !matches!(start, b'{' | b'[') {
        return None;
    }
    let value: Value = serde_json::from_slice(body.strip_prefix(b"\xef\xbb\xbf").unwrap_or(body)).ok()?;
    let mut text = Vec::new();
    let formatter = serde_json::ser::PrettyFormatter::with_indent(b" ");
    let mut serializer = serde_json::Serializer::with_formatter(&mut text, formatter);
    serde::Serialize::serialize(&pruned(value), &mut serializer).ok()?;
    String::from_utf8(text).ok()
}

fn pruned(value: Value) -> Value {
    let says_nothing = |value: &Value| match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        Value::Bool(_) | Value::Number(_) => false,
    };
    match value {
        Value::Object(fields) => Value::Object(
            fields
                .into_iter()
                .map(|(name, value)| (name, pruned(value)))
                .filter(|(_, value)| !says_nothing(value))
                .collect(),
        ),
        Value::Array(items) => Value::Array(items.into_iter().map(pruned).collect()),
        Value::String(text) if text.chars().count() > LONGEST => {
            let mark = format!("... [{} characters in all]", text.chars().count());
            Value::String(excerpt::marked(&text, LONGEST, &mark))
        }
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use reqwest::header::{CONTENT_TYPE, HeaderMap};

    use super::*;

    #[test]
    fn lines_carry_nothing_that_acts() {
        assert_eq!(one_line(" a\n\tb\u{1b}[31m\u{202e}c ", 99), "a b[31mc");
        assert_eq!(one_line("abcdef", 3), "abc...");
    }

    #[test]
    fn json_loses_what_says_nothing() {
        let text = json(br#"{"data":[{"id":"10.1/x","note":null,"tags":[],"n":0}],"meta":{}}"#).unwrap();
        assert_eq!(
            text,
            "{\n \"data\": [\n  {\n   \"id\": \"10.1/x\",\n   \"n\": 0\n  }\n ]\n}"
        );
        assert_eq!(json(b"{not json"), None);
        assert_eq!(json("[".repeat(100_000).as_bytes()), None);
        let long = format!("[\"{}\"]", "\u{e9}".repeat(5000));
        assert!(
            json(long.as_bytes())
                .unwrap()
                .contains("[5000 characters in all]")
        );
    }

    #[test]
    fn the_server_and_the_page_tell_the_encoding() {
        let reply = |kind: &str, body: &[u8]| WebReply {
            status: 200,
            headers: HeaderMap::from_iter([(CONTENT_TYPE, kind.parse().unwrap())]),
            body: body.to_vec(),
            cut: false,
        };
        let told = reply("text/html; charset=ISO-8859-2", b"<html>\xb1</html>");
        assert_eq!(in_utf8(&told), "<html>\u{105}</html>".as_bytes());
        let meta = reply("text/html", b"<html><meta charset='windows-1251'>\xcf");
        assert!(String::from_utf8(in_utf8(&meta)).unwrap().ends_with('\u{41f}'));
        let wide = reply("text/plain; charset=utf-16le", b"a\0b\0");
        assert_eq!(in_utf8(&wide), b"ab");
    }
}
