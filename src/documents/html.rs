//! HTML pages as Markdown.

use htmd::HtmlToMarkdown;

use crate::documents::document::{Document, Limits, ReadError};
use crate::documents::read::capped;
use crate::documents::text;

/// Bytes of markup beyond which a page is shown as it is.
const MOST: usize = 16 << 20;

/// Converts a page; scripts, styles and images leave no trace.
pub fn read(bytes: &[u8], limits: &Limits, document: &mut Document) -> Result<(), ReadError> {
    let decoded = text::decode(bytes);
    document.encoding = Some(decoded.encoding);
    if decoded.text.len() > MOST {
        document
            .notes
            .push("The page is too large to be converted and is shown as markup.".to_owned());
        document.text = capped(decoded.text, limits, &mut document.notes);
        return Ok(());
    }
    document.text = capped(markdown(&decoded.text)?, limits, &mut document.notes);
    Ok(())
}

/// Markdown of some HTML.
pub fn markdown(html: &str) -> Result<String, ReadError> {
    HtmlToMarkdown::builder()
        .skip_tags(vec!["script", "style", "noscript", "svg", "iframe", "head"])
        .build()
        .convert(html)
        .map_err(|error| ReadError::Damaged(format!("the HTML cannot be converted: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_and_headings_survive_and_scripts_do_not() {
        let page = "<html><head><title>t</title></head><body><h1>Two</h1><script>x()</script>\
                    <table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>−2</td></tr></table></body></html>";
        let text = markdown(page).unwrap();
        assert!(
            text.contains("# Two") && text.contains("−2") && !text.contains("x()"),
            "{text}"
        );
    }
}
