//! Metadata in the head of an HTML page: title and date.

use super::one_line::one_line;
use crate::domain::excerpt;

/// Bytes of a page that are looked at; heads stand at the top.
const HEAD: usize = 256 << 10;
/// The names under which pages tell when they were changed or published, the best first.
const DATES: [&str; 10] = [
    "article:modified_time",
    "dcterms.modified",
    "last-modified",
    "article:published_time",
    "citation_publication_date",
    "citation_date",
    "dc.date",
    "dcterms.issued",
    "dcterms.date",
    "date",
];

/// The metadata of a page's head.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    pub title: Option<String>,
    /// As the page writes it.
    pub date: Option<String>,
}

/// Tags that are looked at, and bytes of each.
const TAGS: usize = 300;
const TAG: usize = 4_000;

/// Reads a page's title and date out of its text.
pub fn read(text: &str) -> Head {
    let text = excerpt::first_bytes(text, HEAD);
    // Lower case of ASCII alone, so that places in one are places in the other.
    let lower = text.to_ascii_lowercase();
    let mut best: Option<(usize, String)> = None;
    for (at, _) in lower.match_indices("<meta").take(TAGS) {
        let tag = excerpt::between(text, at + 5, at + TAG);
        let Some(end) = tag.find('>') else { continue };
        let (mut name, mut content) = (String::new(), String::new());
        for (key, value) in attributes(&tag[..end]) {
            match key.as_str() {
                "name" | "property" | "http-equiv" | "itemprop" => name = value.to_ascii_lowercase(),
                "content" => content = one_line(&unescaped(value), 60),
                _ => {}
            }
        }
        let rank = DATES.iter().position(|known| *known == name);
        if let Some(rank) = rank.filter(|_| content.bytes().any(|byte| byte.is_ascii_digit()))
            && best.as_ref().is_none_or(|(known, _)| rank < *known)
        {
            best = Some((rank, content));
        }
    }
    Head {
        title: title(text, &lower),
        date: best.map(|(_, date)| date),
    }
}

fn title(text: &str, lower: &str) -> Option<String> {
    let open = lower.find("<title")?;
    let start = open + lower[open..].find('>')? + 1;
    let end = start + lower[start..].find("</title")?;
    let title = &text[start..end];
    let title = one_line(&unescaped(excerpt::first_bytes(title, TAG)), 300);
    (!title.is_empty()).then_some(title)
}

/// The attributes of a tag: keys in lower case, values as written.
fn attributes(tag: &str) -> Vec<(String, &str)> {
    let (mut rest, mut found) = (tag, Vec::new());
    while let Some((key, after)) = rest.split_once('=') {
        let key = key.rsplit(char::is_whitespace).find(|word| !word.is_empty());
        let after = after.trim_start();
        let quote = after.chars().next().filter(|one| matches!(one, '"' | '\''));
        let (value, next) = match quote {
            Some(quote) => after[1..].split_once(quote).unwrap_or((&after[1..], "")),
            None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
        };
        found.push((key.unwrap_or_default().to_ascii_lowercase(), value));
        rest = next;
    }
    found
}

/// The five references that titles are written with.
fn unescaped(text: &str) -> String {
    text.replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&quot;", "\"")
        .replace("&#39;", "'")
        .replace("&nbsp;", " ")
        .replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_and_the_best_date_are_read_in_any_spelling() {
        let page = "<HTML><head><TITLE lang=en>Data &amp;\n code</TITLE>\
                    <meta name=\"dc.date\" content='2001-02-03'>\
                    <meta content=2019-05-06 property=article:published_time />\
                    <meta name=date content=unknown></head>";
        let head = read(page);
        assert_eq!(head.title.as_deref(), Some("Data & code"));
        assert_eq!(head.date.as_deref(), Some("2019-05-06"));
        assert_eq!(read("<p>none</p>"), Head::default());
    }

    #[test]
    fn a_hostile_head_costs_little() {
        let page = format!("<title>{}{}", "<meta ".repeat(200_000), "<title".repeat(200_000));
        assert_eq!(read(&page), Head::default());
        assert_eq!(read(&"<meta =\u{e9}='>".repeat(50_000)), Head::default());
    }
}
