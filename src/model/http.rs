//! The HTTP client that providers are reached through.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};
use reqwest::Url;
use reqwest::header::{DATE, HeaderMap, RETRY_AFTER};
use reqwest::redirect::Policy;

use crate::model::chat::ModelError;
use crate::model::loopback::is_loopback;
use crate::model::timeouts::AttemptBudget;

/// Whether an address can be asked at all. One with a user or a password is
/// refused without being shown, since addresses are printed and kept.
///
/// # Errors
/// A user or password in it, or a scheme that is neither `http` nor `https`.
pub fn check_base(base: &Url) -> Result<(), ModelError> {
    if !base.username().is_empty() || base.password().is_some() {
        return Err(ModelError::Misconfigured(format!(
            "The address of the provider at `{}` holds a user or a password. Take them out, and pass the key as a setting.",
            base.host_str().unwrap_or_default()
        )));
    }
    if !matches!(base.scheme(), "http" | "https") {
        return Err(ModelError::Misconfigured(format!(
            "The address `{base}` cannot be asked: it has to begin with http:// or https://."
        )));
    }
    Ok(())
}

/// An address with a path behind it.
///
/// # Errors
/// A base that is no address with the path behind it.
pub fn appended(base: &str, path: &str) -> Result<Url, ModelError> {
    format!("{}{path}", base.trim_end_matches('/'))
        .parse()
        .map_err(|error| ModelError::Misconfigured(format!("The address `{base}` takes no path: {error}.")))
}

/// A client for one provider: rustls with ring and the system's certificates,
/// no redirects, connections kept. An address on this machine is reached
/// without a proxy, and without reading certificates unless it asks for TLS.
///
/// # Errors
/// An address that cannot be asked, or certificates and proxy settings of the system that cannot be used.
pub fn client(base: &Url, budget: &AttemptBudget) -> Result<reqwest::Client, ModelError> {
    check_base(base)?;
    // Fails only if a provider is installed already, which does as well.
    let _ = rustls::crypto::ring::default_provider().install_default();
    let mut builder = reqwest::Client::builder()
        .user_agent(concat!("reprise/", env!("CARGO_PKG_VERSION")))
        .redirect(Policy::none())
        .connect_timeout(budget.connect)
        .tcp_nodelay(true);
    if is_loopback(base) {
        builder = builder.no_proxy();
    }
    if base.scheme() == "http" && is_loopback(base) {
        builder = builder.tls_certs_only([]);
    }
    builder.build().map_err(|error| {
        ModelError::Misconfigured(format!(
            "No HTTP client can be made for {base}: {}. Check the system's certificates and proxy settings.",
            chain(&error)
        ))
    })
}

/// How long a provider asks to be left alone: `retry-after-ms`, or `Retry-After`
/// as seconds or as a date (RFC 9110, section 10.2.3), which is taken relative
/// to the answer's own `Date` where it has one.
pub fn retry_after(headers: &HeaderMap, now: Timestamp) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(milliseconds) = text("retry-after-ms").and_then(|text| text.parse::<f64>().ok()) {
        return Duration::try_from_secs_f64(milliseconds / 1000.0).ok();
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let until = http_date(value)?;
    let now = text(DATE.as_str()).and_then(http_date).unwrap_or(now);
    let wait = until.duration_since(now).max(SignedDuration::ZERO);
    Some(wait.unsigned_abs())
}

/// A date as HTTP writes it (RFC 9110, section 5.6.7).
pub fn http_date(text: &str) -> Option<Timestamp> {
    let zoned = jiff::fmt::rfc2822::DateTimeParser::new().parse_zoned(text).ok()?;
    Some(zoned.timestamp())
}

/// An error with its causes, in one line.
pub fn chain(error: &(dyn std::error::Error + 'static)) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let more = error.to_string();
        if !text.contains(&more) {
            text.push_str(": ");
            text.push_str(&more);
        }
        cause = error.source();
    }
    excerpt(text.as_bytes())
}

/// Whether a connection failed because the other side is not who it says, which
/// no further attempt mends.
pub fn is_distrust(error: &(dyn std::error::Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        let inner = error
            .downcast_ref::<std::io::Error>()
            .and_then(std::io::Error::get_ref);
        let distrust = match inner {
            Some(inner) => inner.downcast_ref::<rustls::Error>(),
            None => error.downcast_ref::<rustls::Error>(),
        };
        if matches!(distrust, Some(rustls::Error::InvalidCertificate(_))) {
            return true;
        }
        next = match inner {
            Some(inner) => Some(inner),
            None => error.source(),
        };
    }
    false
}

/// Most characters of foreign text in a message.
const EXCERPT: usize = 400;

/// Foreign bytes as a short line: markup, control characters and runs of white
/// space removed, and a cut marked.
pub fn excerpt(bytes: &[u8]) -> String {
    // Enough to fill the excerpt even where markup takes most of it.
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(64 << 10)]);
    let markup = text.trim_start().starts_with('<');
    let mut line = String::new();
    let mut kept = 0_usize;
    let mut in_tag = false;
    let mut gap = false;
    for character in text.chars() {
        match character {
            '<' if markup => {
                in_tag = true;
                gap = true;
            }
            '>' if in_tag => in_tag = false,
            _ if in_tag => {}
            _ if character.is_whitespace() || character.is_control() => gap = true,
            _ => {
                if kept >= EXCERPT {
                    line.push_str("...");
                    return line;
                }
                if gap && !line.is_empty() {
                    line.push(' ');
                    kept += 1;
                }
                gap = false;
                line.push(character);
                kept += 1;
            }
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use reqwest::header::HeaderValue;

    use super::*;

    fn asked(headers: &[(&'static str, &str)]) -> Option<f64> {
        let headers = headers
            .iter()
            .map(|(name, value)| {
                (
                    reqwest::header::HeaderName::from_static(name),
                    HeaderValue::from_str(value).unwrap(),
                )
            })
            .collect();
        let now = "1994-11-06T08:49:00Z".parse().unwrap();
        retry_after(&headers, now).map(|wait| wait.as_secs_f64())
    }

    #[test]
    fn the_wait_is_read_in_every_form() {
        assert_eq!(asked(&[("retry-after", "7")]), Some(7.0));
        assert_eq!(asked(&[("retry-after", "0.5")]), Some(0.5));
        assert_eq!(
            asked(&[("retry-after-ms", "250"), ("retry-after", "7")]),
            Some(0.25)
        );
        let date = "Sun, 06 Nov 1994 08:49:37 GMT";
        assert_eq!(asked(&[("retry-after", date)]), Some(37.0));
        let server = "Sun, 06 Nov 1994 08:49:30 GMT";
        assert_eq!(asked(&[("retry-after", date), ("date", server)]), Some(7.0));
        let past = "Sun, 06 Nov 1994 08:00:00 GMT";
        assert_eq!(asked(&[("retry-after", past)]), Some(0.0));
        assert_eq!(asked(&[("retry-after", "-3")]), None);
        assert_eq!(asked(&[("retry-after", "soon")]), None);
        assert_eq!(asked(&[("retry-after", "1e300")]), None);
    }

    #[test]
    fn an_address_with_a_secret_is_refused_unseen() {
        for (base, part) in [
            ("https://user:canary@host/v1", "holds a user"),
            ("ftp://host/v1", "http:// or https://"),
        ] {
            let base = Url::parse(base).unwrap();
            let error = client(&base, &AttemptBudget::default()).unwrap_err().to_string();
            assert!(error.contains(part) && !error.contains("canary"), "{error}");
        }
    }

    #[test]
    fn distrust_is_found_below_other_errors() {
        let expired = rustls::Error::InvalidCertificate(rustls::CertificateError::Expired);
        let nested = std::io::Error::other(std::io::Error::other(expired));
        assert!(is_distrust(&nested));
        assert!(!is_distrust(&std::io::Error::other(
            rustls::Error::HandshakeNotComplete
        )));
        assert!(!is_distrust(&std::io::Error::from(
            std::io::ErrorKind::ConnectionRefused
        )));
    }

    #[test]
    fn foreign_text_becomes_a_short_line() {
        let page = b"<html><head><title>502 Bad Gateway</title></head>\n<body><h1>nginx</h1></body></html>";
        assert_eq!(excerpt(page), "502 Bad Gateway nginx");
        assert_eq!(excerpt(b"a < b\x1b[31m\n c"), "a < b [31m c");
        let long = excerpt("\u{e9}".repeat(1000).as_bytes());
        assert_eq!(long.chars().count(), EXCERPT + 3);
    }
}
