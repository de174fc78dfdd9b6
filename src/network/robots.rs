//! The rules of a site's `robots.txt` (RFC 9309).

use std::time::Duration;

use texting_robots::Robot;

/// The name that rules address us by.
pub const NAME: &str = "reprise";
/// Bytes that are read, which is what the RFC asks for at least.
pub const MOST: usize = 512 << 10;
/// The longest pause between requests that a site is granted.
const LONGEST: f32 = 10.0;

/// The rules of one site.
pub enum Rules {
    Open,
    /// The site could not tell, and the RFC reads this as a no.
    Closed,
    Written(Box<Robot>),
}

/// A site's rules for one page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RobotsAnswer {
    pub allowed: bool,
    /// The pause that the site asks for.
    pub apart: Option<Duration>,
}

impl Rules {
    /// The rules that an answer holds: none where there is no file, and all shut
    /// where the server failed (section 2.3.1).
    pub fn from_response(status: u16, body: &[u8]) -> Self {
        match status {
            200..=299 => {
                let body = &body[..body.len().min(MOST)];
                Robot::new(NAME, body).map_or(Self::Open, |robot| Self::Written(Box::new(robot)))
            }
            500..=599 | 429 => Self::Closed,
            _ => Self::Open,
        }
    }

    /// Whether an address may be fetched.
    pub fn allow(&self, url: &str) -> bool {
        match self {
            Self::Open => true,
            Self::Closed => false,
            Self::Written(robot) => robot.allowed(url),
        }
    }

    /// The pause that the site asks for between requests.
    pub fn apart(&self) -> Option<Duration> {
        match self {
            Self::Written(robot) => robot
                .delay
                .filter(|delay| delay.is_finite() && *delay > 0.0)
                .map(|delay| Duration::from_secs_f32(delay.min(LONGEST))),
            Self::Open | Self::Closed => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_for_us_stand_above_rules_for_all() {
        let rules = Rules::from_response(
            200,
            b"User-agent: *\nDisallow: /\n\nUser-agent: Reprise\nDisallow: /private/\nAllow: /private/open\nCrawl-delay: 3\n",
        );
        assert!(rules.allow("https://example.org/data"));
        assert!(!rules.allow("https://example.org/private/x"));
        assert!(rules.allow("https://example.org/private/open.html"));
        assert_eq!(rules.apart(), Some(Duration::from_secs(3)));
    }

    #[test]
    fn no_file_opens_and_a_failing_server_shuts() {
        assert!(Rules::from_response(404, b"").allow("https://example.org/"));
        assert!(!Rules::from_response(503, b"").allow("https://example.org/"));
        assert!(!Rules::from_response(200, b"User-agent: *\nDisallow: /").allow("https://example.org/a"));
        assert!(Rules::from_response(200, b"\xff\xfe<html>not rules</html>").allow("https://example.org/a"));
    }
}
