//! HTML pages as Markdown.

use htmd::HtmlToMarkdown;

use crate::documents::document::Document;

use crate::documents::capped::capped;
use crate::documents::html_elements;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::text;

/// Bytes of markup beyond which a page is shown as it is.
const MOST: usize = 16 << 20;
/// Deepest nesting that is converted; the converter's time grows with its square.
const DEEPEST: usize = 400;
/// Elements that have no end tag, or may lack it.
const UNCLOSED: [&str; 30] = [
    "area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track",
    "wbr", "p", "li", "dt", "dd", "option", "optgroup", "thead", "tbody", "tfoot", "tr", "td", "th", "rp",
    "rt", "colgroup", "body",
];

/// Converts a page; scripts, styles and images leave no trace.
///
/// # Errors
/// HTML that cannot be converted.
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
    if depth(&decoded.text) > DEEPEST {
        document
            .notes
            .push("The page is nested too deep to be converted; its markup is left out.".to_owned());
        document.text = capped(without_tags(&decoded.text), limits, &mut document.notes);
        return Ok(());
    }
    document.text = capped(markdown(&decoded.text)?, limits, &mut document.notes);
    Ok(())
}

/// How deep elements stand inside each other, counted by their tags.
fn depth(html: &str) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for tag in html.split('<').skip(1) {
        let closing = tag.starts_with('/');
        let name: String = tag
            .trim_start_matches('/')
            .chars()
            .take_while(char::is_ascii_alphanumeric)
            .take(12)
            .collect::<String>()
            .to_ascii_lowercase();
        let head = tag.split('>').next().unwrap_or_default();
        if name.is_empty() || head.ends_with('/') || UNCLOSED.contains(&name.as_str()) {
            continue;
        }
        depth = if closing {
            depth.saturating_sub(1)
        } else {
            depth + 1
        };
        deepest = deepest.max(depth);
    }
    deepest
}

/// The text between the tags.
fn without_tags(html: &str) -> String {
    let after = |part: &str| {
        part.split_once('>')
            .map(|(_, text)| text.trim().to_owned())
            .unwrap_or_default()
    };
    let parts: Vec<String> = html
        .split('<')
        .map(after)
        .filter(|text| !text.is_empty())
        .collect();
    parts.join("\n")
}

/// Markdown of some HTML.
///
/// # Errors
/// HTML that cannot be converted.
pub fn markdown(html: &str) -> Result<String, ReadError> {
    HtmlToMarkdown::builder()
        .skip_tags(vec!["script", "style", "noscript", "svg", "iframe", "head"])
        .add_handler(vec!["table"], html_elements::table)
        .add_handler(vec!["sup"], html_elements::raised)
        .add_handler(vec!["sub"], html_elements::lowered)
        .build()
        .convert(html)
        .map_err(|error| ReadError::Damaged(format!("the HTML cannot be converted: {error}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::kind::Kind;

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

    #[test]
    fn powers_and_cells_over_several_rows_keep_their_place() {
        let text = markdown(
            "<p>p &lt; 10<sup>-5</sup>, x<sub>1</sub>, e<sup>a/b</sup>, see<sup><a href='#n'>3</a></sup></p>",
        )
        .unwrap();
        assert!(text.contains("10⁻⁵, x₁, e^(a/b), see[3](#n)"), "{text}");
        let page = "<table><thead><tr><th>who</th><th colspan=2>model</th></tr></thead><tbody>\
                    <tr><th rowspan=2>men</th><td>b</td><td>0.5</td></tr><tr><td>se</td><td>0.1</td></tr>\
                    <tr><th>all</th><td></td><td>4|5</td></tr></tbody></table>";
        let rows: Vec<String> = markdown(page).unwrap().lines().map(str::to_owned).collect();
        assert_eq!(
            rows,
            [
                "| who | model |  |",
                "| --- | --- | --- |",
                "| men | b | 0.5 |",
                "|  | se | 0.1 |",
                "| all |  | 4\\|5 |"
            ]
        );
    }

    #[test]
    fn a_page_without_end_is_shown_without_markup() {
        let page = format!("<html><body>{}end", "<div>".repeat(5000));
        let mut document = Document::new(Kind::Html);
        read(page.as_bytes(), &Limits::default(), &mut document).unwrap();
        assert_eq!((document.text.as_str(), document.notes.len()), ("end", 1));
        assert_eq!(depth("<ul><li>a<li>b<br></ul><div><div></div></div>"), 2);
    }
}
