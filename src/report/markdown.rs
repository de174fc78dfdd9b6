//! The picture as Markdown, for readers of plain text.

use minijinja::context;
use minijinja::value::Value;

use super::merged_rows::MergedRows;
use super::template::{TemplateError, environment, value};
use super::text::SHOWN;
use super::variant_table::VariantTable;
use super::view::View;
use crate::domain::excerpt;
use crate::report::sanitize;

/// The view as GitHub-flavoured Markdown, without the transcript.
///
/// # Errors
/// A template that does not fit the view.
pub fn render(view: &View) -> Result<String, TemplateError> {
    let mut environment = environment()?;
    environment.add_filter("code", |text: &str| {
        Value::from_safe_string(sanitize::code_span(text))
    });
    environment.add_filter("prose", |text: &str| {
        Value::from_safe_string(sanitize::markdown_prose(text))
    });
    environment.add_filter("fence", |text: &str, language: &str| {
        Value::from_safe_string(sanitize::fence(excerpt::first_bytes(text, SHOWN), language))
    });
    environment.add_template("grade.md", include_str!("templates/grade.md"))?;
    environment.add_template("narrative.md", include_str!("templates/narrative.md"))?;
    environment.add_template("report.md", include_str!("templates/report.md"))?;
    let page = environment.get_template("report.md")?.render(context! {
        view => value(view),
        variants => value(VariantTable::from_view(view)),
        merged => value(MergedRows::from_view(view)),
    })?;
    Ok(page)
}
