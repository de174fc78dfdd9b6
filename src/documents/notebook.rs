//! Jupyter notebooks with their outputs, as Markdown.

use serde_json::Value;

use crate::documents::document::Document;
use crate::domain::excerpt;

use crate::documents::capped::capped;
use crate::documents::html;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::text;

/// Bytes of one output that are kept.
const MOST_OUTPUT: usize = 20_000;

/// Reads a notebook of format 4, or of format 3 as far as it is the same.
///
/// # Errors
/// JSON that is not valid.
pub fn read(bytes: &[u8], limits: &Limits, document: &mut Document) -> Result<(), ReadError> {
    let decoded = text::decode(bytes);
    let notebook: Value = serde_json::from_str(&decoded.text)
        .map_err(|error| ReadError::Damaged(format!("the notebook is not valid JSON: {error}")))?;
    let language = notebook["metadata"]["kernelspec"]["language"]
        .as_str()
        .or_else(|| notebook["metadata"]["language_info"]["name"].as_str())
        .unwrap_or("python")
        .to_owned();
    let mut markdown = String::new();
    let mut images = 0;
    for cell in notebook["cells"].as_array().into_iter().flatten() {
        let source = joined(&cell["source"]);
        match cell["cell_type"].as_str() {
            Some("code") => {
                let number = cell["execution_count"].as_u64();
                let title = number.map_or_else(|| "not run".to_owned(), |number| format!("run {number}"));
                markdown.push_str(&format!(
                    "[{title}]\n```{language}\n{}\n```\n\n",
                    source.trim_end()
                ));
                for output in cell["outputs"].as_array().into_iter().flatten() {
                    self::output(output, &mut markdown, &mut images);
                }
            }
            _ => markdown.push_str(&format!("{}\n\n", source.trim_end())),
        }
    }
    if images > 0 {
        document
            .notes
            .push(format!("{images} pictures in the outputs are not shown."));
    }
    document.encoding = Some(decoded.encoding);
    document.text = capped(markdown, limits, &mut document.notes);
    Ok(())
}

fn output(output: &Value, markdown: &mut String, images: &mut u32) {
    let data = &output["data"];
    let text = match output["output_type"].as_str() {
        Some("stream") => joined(&output["text"]),
        Some("error") => format!(
            "{}: {}",
            output["ename"].as_str().unwrap_or("error"),
            output["evalue"].as_str().unwrap_or_default()
        ),
        _ if data["text/html"].is_null() => joined(&data["text/plain"]),
        // Tables come as HTML, which keeps their columns apart.
        _ => html::markdown(&joined(&data["text/html"])).unwrap_or_else(|_| joined(&data["text/plain"])),
    };
    let pictures = data.as_object().into_iter().flat_map(|data| data.keys());
    *images += u32::from(pictures.filter(|kind| kind.starts_with("image/")).count() > 0);
    let text = text.trim_end();
    if text.is_empty() {
        return;
    }
    let kept = excerpt::first_bytes(text, MOST_OUTPUT);
    markdown.push_str(&format!("Output:\n```\n{kept}\n```\n"));
    if kept.len() < text.len() {
        markdown.push_str(&format!("(the first {} of {} bytes)\n", kept.len(), text.len()));
    }
    markdown.push('\n');
}

/// Text that a notebook stores as one string or as a list of lines.
fn joined(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(lines) => lines.iter().filter_map(Value::as_str).collect(),
        _ => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::kind::Kind;

    #[test]
    fn code_outputs_and_errors_are_kept() {
        let notebook = r##"{"nbformat": 4, "metadata": {"kernelspec": {"language": "R"}}, "cells": [
            {"cell_type": "markdown", "source": ["# Title"]},
            {"cell_type": "code", "execution_count": 3, "source": "mean(x)",
             "outputs": [{"output_type": "execute_result", "data": {"text/plain": ["[1] -0.25"], "image/png": "x"}},
                         {"output_type": "error", "ename": "E", "evalue": "no"}]}]}"##;
        let mut document = Document::new(Kind::Notebook);
        read(notebook.as_bytes(), &Limits::default(), &mut document).unwrap();
        for part in ["# Title", "[run 3]\n```R\nmean(x)", "[1] -0.25", "E: no"] {
            assert!(document.text.contains(part), "{part} in {}", document.text);
        }
        assert_eq!(document.notes.len(), 1);
    }
}
