//! The rules of a site's `robots.txt` (RFC 9309).

use std::time::Duration;

use reqwest::Url;
use robotxt::{AccessResult, Robots};

/// The name that rules address us by.
pub const NAME: &str = "reprise";
/// Bytes that are read, which is what the RFC asks for at least.
pub const MOST: usize = 512 << 10;
/// The longest pause between requests that a site is granted.
const LONGEST: Duration = Duration::from_secs(10);

/// The rules of one site for us.
pub struct Rules(Robots);

/// A site's rules for one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotsAnswer {
    pub allowed: bool,
    /// The pause that the site asks for.
    pub apart: Option<Duration>,
}

impl Rules {
    /// The rules of a site without a file.
    pub fn open() -> Self {
        Self(Robots::allow_all())
    }

    /// The rules that an answer holds: none if there is no file, and everything
    /// refused if the server failed (section 2.3.1).
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        let access = match status {
            200..=299 => AccessResult::Successful(&body[..body.len().min(MOST)]),
            500..=599 | 429 => AccessResult::Unreachable,
            _ => AccessResult::Unavailable,
        };
        Self(Robots::from_access(access, NAME))
    }

    /// What the rules say of an address.
    pub fn answer(&self, url: &Url) -> RobotsAnswer {
        RobotsAnswer {
            allowed: self.0.is_url_allowed(url),
            apart: self
                .0
                .crawl_delay()
                .filter(|delay| !delay.is_zero())
                .map(|delay| delay.min(LONGEST)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(rules: &Rules, url: &str) -> RobotsAnswer {
        rules.answer(&Url::parse(url).unwrap())
    }

    fn allowed(status: u16, body: &[u8]) -> bool {
        answer(&Rules::from_response(status, body), "https://example.org/a").allowed
    }

    #[test]
    fn rules_for_us_stand_above_rules_for_all() {
        let rules = Rules::from_response(
            200,
            b"User-agent: *\nDisallow: /\n\nUser-agent: Reprise\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 3\n",
        );
        assert!(answer(&rules, "https://example.org/data").allowed);
        assert!(!answer(&rules, "https://example.org/private/x").allowed);
        assert!(answer(&rules, "https://example.org/private/open.html").allowed);
        assert_eq!(
            answer(&rules, "https://example.org/data").apart,
            Some(Duration::from_secs(3))
        );
    }

    #[test]
    fn a_pause_is_never_longer_than_the_longest_and_never_zero() {
        let apart = |line: &str| {
            let rules = Rules::from_response(200, format!("User-agent: *\n{line}\n").as_bytes());
            answer(&rules, "https://example.org/a").apart
        };
        assert_eq!(apart("Crawl-delay: 86400"), Some(LONGEST));
        for none in [
            "Crawl-delay: 0",
            "Crawl-delay: -4",
            "Crawl-delay: NaN",
            "Crawl-delay: soon",
        ] {
            assert_eq!(apart(none), None, "{none}");
        }
        assert_eq!(apart("Crawl-delay: 1e300").unwrap_or(LONGEST), LONGEST);
    }

    #[test]
    fn no_file_opens_and_a_failing_server_shuts() {
        assert!(allowed(404, b""));
        assert!(!allowed(503, b""));
        assert!(!allowed(429, b""));
        assert!(!allowed(200, b"User-agent: *\nDisallow: /"));
        assert!(allowed(200, b"\xff\xfe<html>not rules</html>"));
    }
}
