//! An address as its parts, without what does not identify a page.

/// Query keys that never say which resource is meant.
pub const NOISE: [&str; 14] = [
    "fbclid",
    "gclid",
    "mc_cid",
    "mc_eid",
    "msclkid",
    "ref",
    "ref_src",
    "referrer",
    "view_only",
    "hl",
    "lang",
    "locale",
    "download",
    "usp",
];

/// Longest address that is looked at, in bytes.
const LONGEST: usize = 4096;

/// A web address in canonical form: no scheme, user, port, `www.`, fragment,
/// tracking keys, index page or trailing slash; host and path in lower case.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    pub host: String,
    /// Percent-decoded, without empty parts.
    pub path: Vec<String>,
    /// Sorted; keys in lower case, values percent-decoded.
    pub query: Vec<(String, String)>,
}

impl Address {
    /// Reads an address with or without a scheme; `None` of anything that is not
    /// a web address.
    pub fn read(raw: &str) -> Option<Self> {
        let text = bare(raw)?;
        let (scheme, rest) = match text.split_once("://") {
            Some((scheme, rest)) => (Some(scheme), rest),
            // Some archived addresses have lost a slash: `http:/host`.
            None => match text.split_once(":/") {
                Some((scheme, rest)) => (Some(scheme), rest),
                None => (None, text),
            },
        };
        let is_web = |scheme: &str| {
            ["http", "https", "ftp"]
                .iter()
                .any(|known| scheme.eq_ignore_ascii_case(known))
        };
        if !scheme.is_none_or(is_web) {
            return None;
        }
        let rest = rest.split('#').next()?;
        let (authority, tail) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
        let (path, query) = tail.split_once('?').unwrap_or((tail, ""));
        let host = host(authority)?;
        // Without a scheme only a real top-level domain tells a host from a file name.
        if scheme.is_none() && !psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known()) {
            return None;
        }
        let mut path: Vec<_> = path
            .split('/')
            .filter(|part| !part.is_empty())
            .map(|part| decode(part).to_lowercase())
            .collect();
        if path.last().is_some_and(|last| is_index(last)) {
            path.pop();
        }
        let mut query: Vec<_> = query
            .split('&')
            .filter(|pair| !pair.is_empty())
            .map(|pair| pair.split_once('=').unwrap_or((pair, "")))
            .map(|(key, value)| (decode(key).to_lowercase(), decode(value)))
            .filter(|(key, _)| !NOISE.contains(&key.as_str()) && !key.starts_with("utm_"))
            .collect();
        query.sort();
        query.dedup();
        Some(Self { host, path, query })
    }

    /// Whether the address names a host and nothing on it.
    pub fn is_bare_host(&self) -> bool {
        self.path.is_empty() && self.query.is_empty()
    }

    /// The value of a query key given in lower case.
    pub fn value(&self, key: &str) -> Option<&str> {
        let pair = self.query.iter().find(|(found, _)| found == key);
        pair.map(|(_, value)| value.as_str())
    }

    /// Whether one of the two pages lies below the other on the same host, on
    /// whole path parts; a bare host has nothing that could be below it.
    pub fn is_above_or_below(&self, other: &Self) -> bool {
        let (short, long) = if self.path.len() <= other.path.len() {
            (self, other)
        } else {
            (other, self)
        };
        let query_fits = short.query.is_empty() || (short.path == long.path && long.query.is_empty());
        self != other
            && self.host == other.host
            && !short.path.is_empty()
            && long.path.starts_with(&short.path)
            && query_fits
    }

    /// The domain that can be registered, by the public suffix list.
    pub fn registrable_domain(&self) -> Option<&str> {
        psl::domain_str(&self.host)
    }
}

/// An address without blanks, wrapping brackets, quotes and final punctuation;
/// `None` of texts with blanks inside, and of those too long to be one.
pub fn bare(raw: &str) -> Option<&str> {
    let mut text = raw.trim();
    if text.len() > LONGEST {
        return None;
    }
    loop {
        let before = text;
        text = text.trim_start_matches(['(', '[', '{', '<', '"', '\'', ' ']);
        text = text.trim_end_matches(['.', ',', ';', '>', '"', '\'', ' ', '\t']);
        for (open, close) in [('(', ')'), ('[', ']'), ('{', '}')] {
            let unbalanced = text.matches(close).count() > text.matches(open).count();
            if unbalanced && let Some(shorter) = text.strip_suffix(close) {
                text = shorter;
            }
        }
        if text == before {
            break;
        }
    }
    let usable = !text.is_empty() && !text.contains(char::is_whitespace);
    usable.then_some(text)
}

/// The text with `%xx` replaced; what is not UTF-8 afterwards becomes `�`.
pub fn decode(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let escape = (byte == b'%')
            .then(|| bytes.get(at + 1..at + 3))
            .flatten()
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        decoded.push(escape.unwrap_or(byte));
        at += if escape.is_some() { 3 } else { 1 };
    }
    String::from_utf8_lossy(&decoded).into_owned()
}

fn host(authority: &str) -> Option<String> {
    let host = authority.rsplit('@').next()?;
    let host = host.split(':').next()?.trim_end_matches('.').to_lowercase();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let is_name = host
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '-' | '.' | '_'));
    (is_name && psl::domain_str(host).is_some()).then(|| host.to_owned())
}

fn is_index(part: &str) -> bool {
    part.split_once('.').is_some_and(|(stem, extension)| {
        matches!(stem, "index" | "default") && matches!(extension, "html" | "htm" | "php" | "aspx" | "jsp")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn same(a: &str, b: &str) -> bool {
        let (a, b) = (Address::read(a).unwrap(), Address::read(b).unwrap());
        a == b
    }

    #[test]
    fn what_does_not_identify_is_dropped() {
        assert!(same(
            "HTTP://user@WWW.A.org:8080/X/?utm_source=m&id=3#top",
            "a.org/x?id=3"
        ));
        assert!(same(
            "(https://www.google.com/covid19/mobility/index.html?hl=en),",
            "google.com/covid19/mobility"
        ));
        assert!(same("https://osf.io/bmzp7/?view_only=12", "https://osf.io/bmzp7"));
        assert!(same(
            "https://a.org/p%20q?page=gss%2Fdata",
            "https://a.org/P q?page=gss/data".replace(' ', "%20").as_str()
        ));
        assert!(!same("https://a.org/x?id=3", "https://a.org/x?id=4"));
        assert!(same(
            "https://en.wikipedia.org/wiki/A_(b)",
            "https://en.wikipedia.org/wiki/A_(b))."
        ));
    }

    #[test]
    fn prose_is_no_address() {
        for prose in [
            "2018/5-Year Estimate",
            "from authors",
            "eurostat R package",
            "EIU",
            "doi:10.5061/x",
            "data.csv",
            "",
            "%",
        ] {
            assert_eq!(Address::read(prose), None, "{prose}");
        }
        assert!(Address::read("gssdataexplorer.norc.org").is_some());
    }

    #[test]
    fn below_means_whole_parts_of_one_host() {
        let related = |a: &str, b: &str| {
            Address::read(a)
                .unwrap()
                .is_above_or_below(&Address::read(b).unwrap())
        };
        assert!(related("a.org/data", "a.org/data/sets"));
        assert!(!related("a.org/data", "a.org/database"));
        assert!(!related("a.org", "a.org/data"));
        assert!(!related("osf.io/x", "osf.io.evil.org/x/y"));
        assert!(related("a.org/data?id=1", "a.org/data"));
        assert!(!related("a.org/data?id=1", "a.org/data?id=2"));
        assert!(!related("a.org/data?id=1", "a.org/data/sets"));
    }

    #[test]
    fn domains_follow_the_public_suffix_list() {
        let domain = |text: &str| {
            Address::read(text)
                .unwrap()
                .registrable_domain()
                .unwrap()
                .to_owned()
        };
        assert_eq!(domain("https://data.bts.gov/x"), "bts.gov");
        assert_eq!(domain("https://www.bbc.co.uk"), "bbc.co.uk");
        assert_eq!(domain("https://someone.github.io/x"), "someone.github.io");
    }
}
