//! The admission of clients: whoever knows the run's token, at an address of this machine, may ask.

use std::fmt;

use axum::http::uri::Authority;
use axum::http::{HeaderMap, Uri, header};
use secrecy::{ExposeSecret, SecretString};
use subtle::ConstantTimeEq as _;

use crate::domain::digest::Digest;

/// The word that a client gives in the place of a key. It is good for one run.
#[derive(Clone)]
pub struct RunToken(SecretString);

impl fmt::Debug for RunToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("RunToken(..)")
    }
}

impl RunToken {
    /// A token of 32 random bytes or more, as letters and digits.
    pub fn new(random: &[u8]) -> Self {
        Self(SecretString::from(format!(
            "reprise-{}",
            Digest::compute(random).hex()
        )))
    }

    /// The token, for the places that hand it to the run's client.
    pub fn expose(&self) -> &str {
        self.0.expose_secret()
    }

    fn is(&self, given: &str) -> bool {
        self.expose().as_bytes().ct_eq(given.as_bytes()).into()
    }
}

/// A request that is turned away.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAdmitted {
    #[error(
        "This proxy serves programs of one run, by an address of this machine: the Host header names another."
    )]
    Host,
    #[error("This proxy serves programs of one run, and no web page.")]
    Origin,
    #[error("This proxy leads to the run's model and nowhere else.")]
    Elsewhere,
    #[error("The token is not that of this run, which its programs find in their environment.")]
    Token,
}

/// The rule by which requests are let in.
#[derive(Debug, Clone)]
pub struct Admission {
    pub token: RunToken,
    /// The port that is listened on; `None`: a socket, to which any port of a loopback may lead.
    pub port: Option<u16>,
}

impl Admission {
    /// Lets a request in.
    ///
    /// # Errors
    /// Another host, a page of a browser, a request that takes this for a way to elsewhere, or another
    /// token.
    pub fn check(&self, uri: &Uri, headers: &HeaderMap) -> Result<(), NotAdmitted> {
        if uri.scheme().is_some() || uri.authority().is_some() {
            return Err(NotAdmitted::Elsewhere);
        }
        if !is_by_loopback(headers, self.port) {
            return Err(NotAdmitted::Host);
        }
        if headers.contains_key(header::ORIGIN) {
            return Err(NotAdmitted::Origin);
        }
        match given(headers).is_some_and(|given| self.token.is(given)) {
            true => Ok(()),
            false => Err(NotAdmitted::Token),
        }
    }
}

/// Whether a request names this machine by one of its loopbacks, and the port if there is one.
pub fn is_by_loopback(headers: &HeaderMap, port: Option<u16>) -> bool {
    let mut hosts = headers.get_all(header::HOST).iter();
    let (Some(host), None) = (hosts.next(), hosts.next()) else {
        return false;
    };
    let Some(authority) = host.to_str().ok().and_then(|host| host.parse::<Authority>().ok()) else {
        return false;
    };
    let is_loopback = matches!(authority.host(), "localhost" | "127.0.0.1" | "[::1]");
    is_loopback && port.is_none_or(|port| authority.port_u16() == Some(port))
}

/// The token of a request, wherever its dialect puts a key.
fn given(headers: &HeaderMap) -> Option<&str> {
    let text = |name: &str| headers.get(name)?.to_str().ok();
    let bearer = text("authorization").and_then(|value| value.strip_prefix("Bearer "));
    bearer
        .or_else(|| text("x-api-key"))
        .or_else(|| text("x-goog-api-key"))
        .or_else(|| text("api-key"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn checked(port: Option<u16>, uri: &str, headers: &[(&'static str, &str)]) -> Result<(), NotAdmitted> {
        let token = RunToken::new(b"one");
        let mut given = HeaderMap::new();
        for (name, value) in headers {
            let value = value.replace("TOKEN", token.expose());
            given.append(*name, value.parse().unwrap());
        }
        Admission {
            token: token.clone(),
            port,
        }
        .check(&uri.parse().unwrap(), &given)
    }

    #[test]
    fn one_token_is_let_in_wherever_a_dialect_puts_it() {
        let host = ("host", "127.0.0.1:9");
        for given in [
            ("authorization", "Bearer TOKEN"),
            ("x-api-key", "TOKEN"),
            ("x-goog-api-key", "TOKEN"),
        ] {
            assert_eq!(checked(Some(9), "/v1/messages", &[host, given]), Ok(()));
        }
        let other = RunToken::new(b"two");
        for given in ["Bearer TOKEN2", "TOKEN", "Bearer ", other.expose()] {
            assert_eq!(
                checked(Some(9), "/", &[host, ("authorization", given)]),
                Err(NotAdmitted::Token),
                "{given}"
            );
        }
        assert_eq!(checked(Some(9), "/", &[host]), Err(NotAdmitted::Token));
        assert_eq!(format!("{other:?}"), "RunToken(..)");
    }

    #[test]
    fn a_forged_host_a_page_and_a_way_to_elsewhere_are_turned_away() {
        let token = ("x-api-key", "TOKEN");
        for (port, host, is_here) in [
            (Some(9), "127.0.0.1:9", true),
            (Some(9), "localhost:9", true),
            (Some(9), "127.0.0.1:8", false),
            (Some(9), "evil.example:9", false),
            (Some(9), "127.0.0.1.evil.example:9", false),
            (Some(9), "", false),
            (None, "localhost", true),
            (None, "127.0.0.1:4321", true),
            (None, "evil.example", false),
        ] {
            let expected = if is_here { Ok(()) } else { Err(NotAdmitted::Host) };
            assert_eq!(checked(port, "/", &[("host", host), token]), expected, "{host}");
        }
        let here = ("host", "localhost:9");
        let page = ("origin", "http://localhost:9");
        assert_eq!(
            checked(Some(9), "/", &[here, token, page]),
            Err(NotAdmitted::Origin)
        );
        let elsewhere = checked(Some(9), "http://api.example/v1", &[here, token]);
        assert_eq!(elsewhere, Err(NotAdmitted::Elsewhere));
        let twice = [here, ("host", "evil"), token];
        assert_eq!(checked(Some(9), "/", &twice), Err(NotAdmitted::Host));
    }
}
