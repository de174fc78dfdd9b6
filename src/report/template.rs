//! The template engine, with the filters that every writer shares.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::{Serde, Value};
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior};

use crate::domain::excerpt;
use crate::domain::finding::{Interval, PValue};
use crate::domain::rescue::Risk;
use crate::domain::usage::MicroDollars;

use crate::domain::format;
use crate::domain::sentence_figures;
use crate::report::sanitize;

/// A template that does not fit its view: a fault of this program.
#[derive(Debug, thiserror::Error)]
#[error("the report's template failed: {}", innermost(.0))]
pub struct TemplateError(#[from] Error);

/// The error that the others wrap: what an included template says.
fn innermost(error: &Error) -> String {
    let mut inner: &dyn std::error::Error = error;
    while let Some(source) = inner.source() {
        inner = source;
    }
    inner.to_string()
}

/// An engine that escapes by a template's name (`.html`, `.md`), disarms all
/// text, and fails on a name that the view does not have.
///
/// # Errors
/// A syntax that the engine does not take.
pub fn environment() -> Result<Environment<'static>, TemplateError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(
        SyntaxConfig::builder()
            .trim_blocks(true)
            .lstrip_blocks(true)
            .build()?,
    );
    environment.set_auto_escape_callback(|name| match name.rsplit('.').next() {
        Some("html") => AutoEscape::Html,
        _ => AutoEscape::Custom("markdown".into()),
    });
    environment.set_formatter(|out, state, value| {
        if value.is_none() || value.is_undefined() {
            return Err(Error::new(
                ErrorKind::UndefinedError,
                "an absent value is printed",
            ));
        }
        let text = value.to_string();
        let escaped = match (value.is_safe(), state.auto_escape()) {
            (true, _) => text,
            (false, AutoEscape::Html) => sanitize::html(&text),
            (false, _) => sanitize::markdown(&text),
        };
        out.write_str(&escaped).map_err(Error::from)
    });
    environment.add_filter("number", format::number);
    environment.add_filter("estimate", format::estimate);
    environment.add_filter("count", |count: u64| format::count(count));
    environment.add_filter("duration", format::duration);
    environment.add_filter("bytes", format::bytes);
    environment.add_filter("share", format::share);
    environment.add_filter("level", format::level);
    environment.add_filter("sentence", format::sentence);
    environment.add_filter("p", |p: Serde<PValue>| format::p_value(p.0));
    environment.add_filter("risk", |risk: Serde<Risk>| risk.0.to_string());
    environment.add_filter("interval", |interval: Serde<Interval>| {
        format::interval(&interval.0)
    });
    environment.add_filter("figures", sentence_figures::written);
    environment.add_filter("typeset", sentence_figures::typeset);
    environment.add_filter("outcome", |outcome: &str| match outcome {
        "unmet" => "not met".to_owned(),
        other => other.replace('_', " "),
    });
    environment.add_filter("money", |micro: u64| MicroDollars(micro).to_string());
    environment.add_filter("short", |digest: &str| {
        excerpt::start(digest.trim_start_matches("sha256:"), 12).to_owned()
    });
    environment.add_filter("moment", |at: &str| {
        at.split('.')
            .next()
            .unwrap_or(at)
            .trim_end_matches('Z')
            .replace('T', " ")
    });
    environment.add_filter("day", |at: &str| excerpt::start(at, 10).to_owned());
    environment.add_filter("clock", |at: &str| excerpt::between(at, 11, 19).to_owned());
    environment.add_filter("spaced", |name: &str| name.replace(['_', '-'], " "));
    Ok(environment)
}

/// Any serialisable value, for a template.
pub fn value<T: serde::Serialize>(value: T) -> Value {
    Value::from(Serde(value))
}
