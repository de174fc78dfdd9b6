//! What the head of an HTML page says of the page.

use std::sync::LazyLock;

use regex::Regex;

use super::page::one_line;

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

/// What was found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Head {
    pub title: Option<String>,
    /// As the page writes it.
    pub date: Option<String>,
}

struct Patterns {
    title: Regex,
    meta: Regex,
    attribute: Regex,
}

static PATTERNS: LazyLock<Option<Patterns>> = LazyLock::new(|| {
    Some(Patterns {
        title: Regex::new(r"(?is)<title[^>]{0,200}>(.{0,2000}?)</title").ok()?,
        meta: Regex::new(r"(?is)<meta\s([^>]{0,4000})>").ok()?,
        attribute: Regex::new(
            r#"(?is)([a-z:-]{1,40})\s*=\s*(?:"([^"]{0,2000})"|'([^']{0,2000})'|([^\s"'>]{1,2000}))"#,
        )
        .ok()?,
    })
});

/// Reads a page's title and date out of its text.
pub fn read(text: &str) -> Head {
    let mut end = text.len().min(HEAD);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let (text, Some(patterns)) = (&text[..end], PATTERNS.as_ref()) else {
        return Head::default();
    };
    let title = patterns
        .title
        .captures(text)
        .map(|found| one_line(&unescaped(&found[1]), 300))
        .filter(|title| !title.is_empty());
    let mut best: Option<(usize, String)> = None;
    for meta in patterns.meta.captures_iter(text) {
        let (mut name, mut content) = (String::new(), String::new());
        for pair in patterns.attribute.captures_iter(&meta[1]) {
            let value = pair.get(2).or(pair.get(3)).or(pair.get(4));
            let value = value.map_or("", |value| value.as_str());
            match pair[1].to_ascii_lowercase().as_str() {
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
        title,
        date: best.map(|(_, date)| date),
    }
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
    }
}
