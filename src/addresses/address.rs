//! An address as its parts, without what does not identify a page.

use std::borrow::Cow;
use std::net::Ipv4Addr;

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use super::suffix_list;
use super::table::TABLE;

/// Longest address that is looked at, in bytes.
const LONGEST: usize = 4096;

/// A web address in canonical form: no scheme, user, port, `www.`, fragment,
/// tracking keys, index page, dot segments or trailing slash. Only the host is
/// in lower case: what else is one without case is for its site to say.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Address {
    /// In ASCII, as the name system has it; an IPv6 address in brackets.
    pub host: String,
    /// Percent-decoded, without empty parts.
    pub path: Vec<String>,
    /// Sorted and decoded.
    pub query: Vec<(String, String)>,
}

impl Address {
    /// Reads an address with or without a scheme; `None` of anything that is not
    /// a web address.
    pub fn read(raw: &str) -> Option<Self> {
        let (url, has_scheme) = parsed(&written(raw)?)?;
        let host = match url.host()? {
            Host::Domain(name) => domain(name, has_scheme)?,
            Host::Ipv4(number) => has_scheme.then(|| number.to_string())?,
            Host::Ipv6(number) => format!("[{number}]"),
        };
        let mut path: Vec<_> = (url.path().split('/'))
            .filter(|part| !part.is_empty())
            .map(decode)
            .collect();
        if path.last().is_some_and(|last| is_index(last)) {
            path.pop();
        }
        let mut query: Vec<(String, String)> = (url.query_pairs())
            .filter(|(key, _)| !TABLE.is_noise(key))
            .map(|(key, value)| (key.into_owned(), value.into_owned()))
            .collect();
        query.sort();
        query.dedup();
        Some(Self { host, path, query })
    }

    /// The address with everything in lower case, for lists that rather hold too
    /// much than too little.
    pub fn in_lower_case(mut self) -> Self {
        for part in &mut self.path {
            *part = part.to_lowercase();
        }
        for (key, value) in &mut self.query {
            (*key, *value) = (key.to_lowercase(), value.to_lowercase());
        }
        self.query.sort();
        self
    }

    /// Whether the address names a host and nothing on it.
    pub fn is_bare_host(&self) -> bool {
        self.path.is_empty() && self.query.is_empty()
    }

    /// The value of a query key, whatever its case.
    pub fn value(&self, key: &str) -> Option<&str> {
        let pair = (self.query.iter()).find(|(found, _)| found.eq_ignore_ascii_case(key));
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

    /// The domain that can be registered, by the public suffix list; numbers have none.
    pub fn registrable_domain(&self) -> Option<&str> {
        let is_number = self.host.starts_with('[') || self.host.parse::<Ipv4Addr>().is_ok();
        if is_number {
            return None;
        }
        suffix_list::registrable(&self.host)
    }
}

/// An address without wrapping brackets, quotes and final punctuation; `None` of
/// texts with blanks inside, and of those too long to be one.
pub fn bare(raw: &str) -> Option<&str> {
    unwrapped(raw).filter(|text| !text.contains(char::is_whitespace))
}

/// A bare address, in which blanks stand as `%20`: they are taken for a part of
/// it only where a scheme says that it is an address, and no second one follows.
pub(super) fn written(raw: &str) -> Option<Cow<'_, str>> {
    let text = unwrapped(raw)?;
    if !text.contains(char::is_whitespace) {
        return Some(Cow::Borrowed(text));
    }
    let (scheme, rest) = text.split_once("://")?;
    let is_address = is_web(scheme) && !rest.contains("://");
    let has_blanks_alone = !text.contains(|c: char| c.is_whitespace() && c != ' ');
    (is_address && has_blanks_alone).then(|| Cow::Owned(text.replace(' ', "%20")))
}

fn unwrapped(raw: &str) -> Option<&str> {
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
    (!text.is_empty()).then_some(text)
}

/// The text with `%xx` replaced; what is not UTF-8 afterwards becomes `�`.
pub fn decode(text: &str) -> String {
    percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// The address, and whether it came with a scheme.
fn parsed(text: &str) -> Option<(Url, bool)> {
    if let Some((host, path)) = text.strip_prefix("git@").and_then(|rest| rest.split_once(':')) {
        return repository(host, path);
    }
    let is_word = |word: &str| {
        word.bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-'))
    };
    match text.split_once(':').map(|(before, _)| before) {
        Some(scheme) if is_web(scheme) => Some((Url::parse(text).ok()?, true)),
        Some("ssh" | "git" | "git+ssh" | "git+https") => {
            let (_, rest) = text.split_once("://")?;
            let (host, path) = rest.strip_prefix("git@").unwrap_or(rest).split_once('/')?;
            repository(host, path)
        }
        // A word before a colon is a scheme; a host has dots in it.
        Some(word) if is_word(word) => None,
        _ => Some((Url::parse(&format!("https://{text}")).ok()?, false)),
    }
}

fn repository(host: &str, path: &str) -> Option<(Url, bool)> {
    if !TABLE.is_git(host) {
        return None;
    }
    Some((Url::parse(&format!("https://{host}/{path}")).ok()?, true))
}

fn is_web(scheme: &str) -> bool {
    ["http", "https", "ftp"]
        .iter()
        .any(|known| scheme.eq_ignore_ascii_case(known))
}

fn domain(name: &str, has_scheme: bool) -> Option<String> {
    let host = name.trim_end_matches('.');
    let host = host.strip_prefix("www.").unwrap_or(host);
    // Without a scheme only a real top-level domain tells a host from a file name.
    let is_plausible = has_scheme || suffix_list::has_listed_top(host);
    (is_plausible && suffix_list::registrable(host).is_some()).then(|| host.to_owned())
}

fn is_index(part: &str) -> bool {
    let part = part.to_ascii_lowercase();
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
            "a.org/X?id=3"
        ));
        assert!(same(
            "(https://www.google.com/covid19/mobility/index.html?hl=en),",
            "google.com/covid19/mobility"
        ));
        assert!(same("https://osf.io/bmzp7/?view_only=12", "https://osf.io/bmzp7"));
        assert!(same(
            "https://a.org/p%20q?page=gss%2Fdata",
            "https://a.org/p q?page=gss/data"
        ));
        assert!(!same("https://a.org/x?id=3", "https://a.org/x?id=4"));
        assert!(same(
            "https://en.wikipedia.org/wiki/A_(b)",
            "https://en.wikipedia.org/wiki/A_(b))."
        ));
    }

    #[test]
    fn only_the_host_is_without_case() {
        for (one, other) in [
            ("https://bit.ly/abC", "https://bit.ly/ABc"),
            (
                "https://drive.google.com/file/d/1AbC",
                "https://drive.google.com/file/d/1abc",
            ),
            ("https://a.org/x?id=A", "https://a.org/x?id=a"),
            ("https://a.org/x?ID=A", "https://a.org/x?id=A"),
        ] {
            assert!(!same(one, other), "{one} {other}");
        }
    }

    #[test]
    fn one_address_in_several_spellings() {
        for (one, other) in [
            ("https://bücher.example/x", "https://xn--bcher-kva.example/x"),
            ("https://a.org/a/b", "https://a.org/a/./c/../b"),
            ("https://a.org/a b", "https://a.org/a%20b"),
            ("https://a.org/~x", "https://a.org/%7Ex"),
            ("https://a.org./x", "http:/a.org/x"),
            (
                "a.org:8080/x?u=http://b.org",
                "https://a.org/x?u=http%3A%2F%2Fb.org",
            ),
            ("git@github.com:o/r.git", "ssh://git@github.com/o/r.git"),
        ] {
            assert!(same(one, other), "{one} {other}");
        }
        assert_eq!(Address::read("https://a.org/x y https://b.org/z"), None);
        assert_eq!(Address::read("git@evil.org:o/r.git"), None);
    }

    #[test]
    fn numbers_belong_to_no_domain() {
        for number in ["http://127.0.0.1/a", "http://0x7f.1/a", "http://[::1]/a"] {
            let address = Address::read(number).unwrap();
            assert_eq!(address.registrable_domain(), None, "{number}");
        }
        assert_eq!(Address::read("1.2.3.4/a"), None);
        assert_eq!(Address::read("10.5"), None);
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
            "mailto:a@b.org",
            "two words.org",
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
