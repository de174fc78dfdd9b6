//! Web addresses in texts, and how an address is written down.

use reqwest::Url;

use crate::addresses::address::{Address, bare};
use crate::addresses::identity::Identity;
use crate::domain::lazy_regex::LazyRegex;

/// Keys that tell who sent a reader, and never what is read.
const TRACKING: [&str; 5] = ["fbclid", "gclid", "msclkid", "mc_cid", "mc_eid"];
/// Addresses that are taken from one text.
const MOST: usize = 5_000;

static WRITTEN: LazyRegex = LazyRegex::new(r#"(?i)\b(?:https?://|www\.|doi\.org/|doi:\s?10\.)[^\s<>"`\\|]+"#);

/// The addresses and DOIs that a text holds, as written, in order.
pub fn in_text(text: &str) -> Vec<String> {
    let found = WRITTEN.find_iter(text).take(MOST).map(|found| found.as_str());
    // A Markdown link ends where its parenthesis does.
    found
        .map(|written| written.rsplit("](").next().unwrap_or(written))
        .filter_map(|written| bare(&written.replace(": ", ":")).map(str::to_owned))
        .collect()
}

/// What makes two addresses the same page or record: equal keys.
pub fn key(address: &str) -> Option<String> {
    let identity = Identity::read(address)?;
    let record = identity.record.map(|record| record.to_string());
    record.or_else(|| {
        let Address { host, .. } = identity.address?;
        Some(format!("host:{host}"))
    })
}

/// An address as it is kept: no user, no fragment, no tracking keys.
pub fn canonical(url: &Url) -> Url {
    let mut url = url.clone();
    url.set_fragment(None);
    // Fails for addresses without a host alone, which have neither.
    let _ = url.set_username("");
    let _ = url.set_password(None);
    let is_tracking = |key: &str| {
        let key = key.to_ascii_lowercase();
        key.starts_with("utm_") || TRACKING.contains(&key.as_str())
    };
    if url.query_pairs().any(|(key, _)| is_tracking(&key)) {
        let kept: Vec<(String, String)> = url
            .query_pairs()
            .filter(|(key, _)| !is_tracking(key))
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect();
        url.set_query(None);
        if !kept.is_empty() {
            url.query_pairs_mut().extend_pairs(kept);
        }
    }
    url
}

/// A proposed address as one that can be asked; DOIs go by their resolver.
pub fn asked(proposed: &str) -> Option<Url> {
    let text = bare(proposed)?;
    let url = match Url::parse(text) {
        Ok(url) if matches!(url.scheme(), "http" | "https") && url.has_host() => url,
        _ => match Identity::read(text)? {
            Identity { doi: Some(doi), .. } => Url::parse(&format!("https://doi.org/{doi}")).ok()?,
            _ => Url::parse(&format!("https://{text}")).ok()?,
        },
    };
    Some(canonical(&url))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_found_in_prose_and_markdown() {
        let text = "See [the data](https://osf.io/mu4rs/) (also http://example.org/a_(b)), \
                    doi:10.7910/DVN/X and www.census.gov/data.";
        assert_eq!(
            in_text(text),
            [
                "https://osf.io/mu4rs/",
                "http://example.org/a_(b)",
                "doi:10.7910/DVN/X",
                "www.census.gov/data"
            ]
        );
        assert!(in_text("no address, only dots... and 10.5 of them").is_empty());
    }

    #[test]
    fn what_is_kept_names_the_page_alone() {
        for (proposed, kept) in [
            (
                "HTTPS://Example.ORG:443/A?utm_source=x&id=7&fbclid=y#top",
                "https://example.org/A?id=7",
            ),
            ("https://example.org/a?utm_medium=x", "https://example.org/a"),
            ("doi:10.7910/DVN/ABC", "https://doi.org/10.7910/dvn/abc"),
            ("www.census.gov/data", "https://www.census.gov/data"),
            ("(https://osf.io/mu4rs/).", "https://osf.io/mu4rs/"),
        ] {
            assert_eq!(
                asked(proposed).map(String::from).as_deref(),
                Some(kept),
                "{proposed}"
            );
        }
        for wrong in ["", "not an address", "javascript:alert(1)", "file:///etc/passwd"] {
            assert_eq!(asked(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn one_record_has_one_key() {
        let same = [
            "https://osf.io/abcde/",
            "https://doi.org/10.17605/OSF.IO/ABCDE",
            "api.osf.io/v2/nodes/abcde",
        ];
        let keys: Vec<_> = same.iter().map(|one| key(one).unwrap()).collect();
        assert!(keys.iter().all(|one| *one == keys[0]), "{keys:?}");
        assert_ne!(key("https://osf.io/"), key("https://osf.io/abcde"));
    }
}
