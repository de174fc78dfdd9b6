//! The keys by which the released web-search score compares addresses.
//!
//! Source: `data/results/web-search/evaluate.py`, which splits with Python's `urlsplit`.

/// Characters that are stripped from both ends of an address.
const PUNCTUATION: &[char] = &[
    ' ', '\t', '\r', '\n', ')', '.', ',', ';', ']', '}', '>', '"', '\'',
];

/// The keys by which two addresses are compared: host and path, and that with the query.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Keys {
    pub strict: String,
    pub loose: String,
}

impl Keys {
    /// Both, the strict one first.
    pub fn both(&self) -> [&str; 2] {
        [&self.strict, &self.loose]
    }
}

/// The keys of an address; `None` where nothing of it is left.
pub(super) fn keys(raw: &str) -> Option<Keys> {
    let text = raw.trim().trim_matches(PUNCTUATION);
    if text.is_empty() {
        return None;
    }
    let address = if text.starts_with("www.") {
        format!("https://{text}")
    } else {
        text.to_owned()
    };
    let mut parts = split(&address);
    if parts.scheme.is_empty() && parts.host.is_empty() && !parts.path.is_empty() {
        parts = split(&format!("https://{address}"));
    }
    let path = parts.path.to_lowercase();
    let path = match path.strip_suffix('/') {
        Some(shorter) if path != "/" => shorter,
        _ => &path,
    };
    let loose = format!("{}{path}", parts.host.to_lowercase());
    let strict = if parts.query.is_empty() {
        loose.clone()
    } else {
        format!("{loose}?{}", parts.query)
    };
    Some(Keys { strict, loose })
}

struct Parts {
    scheme: String,
    host: String,
    path: String,
    query: String,
}

/// Splits an address as Python's `urlsplit` does.
fn split(address: &str) -> Parts {
    let clean: String = address
        .chars()
        .filter(|c| !matches!(c, '\t' | '\r' | '\n'))
        .collect();
    let mut rest = clean.trim_start_matches(|c: char| c <= ' ');
    let mut scheme = "";
    if let Some((before, after)) = rest.split_once(':') {
        let legal = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '-' | '.');
        if before.starts_with(|c: char| c.is_ascii_alphabetic()) && before.chars().all(legal) {
            (scheme, rest) = (before, after);
        }
    }
    let mut host = "";
    if let Some(after) = rest.strip_prefix("//") {
        (host, rest) = after.split_at(after.find(['/', '?', '#']).unwrap_or(after.len()));
    }
    let before_fragment = rest.split('#').next().unwrap_or_default();
    let (path, query) = before_fragment.split_once('?').unwrap_or((before_fragment, ""));
    Parts {
        scheme: scheme.to_owned(),
        host: host.to_owned(),
        path: path.to_owned(),
        query: query.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strict(raw: &str) -> String {
        keys(raw).map_or_else(String::new, |keys| keys.strict)
    }

    #[test]
    fn keys_keep_and_drop_what_the_reference_does() {
        assert_eq!(
            strict(" HTTP://User@WWW.Example.org:80/A/B/?Q=X#f). "),
            "user@www.example.org:80/a/b?Q=X"
        );
        assert_eq!(strict("www.a.org/"), "www.a.org/");
        assert_eq!(strict("a.org/x/"), "a.org/x");
        assert_eq!(strict("doi:10.1/X"), "10.1/x");
        assert_eq!(strict("(https://a.org)"), "(https://a.org");
        assert_eq!(strict("https://"), "");
        assert_eq!(strict(" . "), "");
    }
}
