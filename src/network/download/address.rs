//! Addresses that files are fetched from, and where these may lead.

use reqwest::Url;
use reqwest::redirect::{Action, Attempt};

use crate::addresses::private::is_private;
use crate::model::loopback::is_loopback;
use crate::network::guard::bare;

use super::error::DownloadError;

/// Most redirects that are followed.
const REDIRECTS: usize = 5;

/// Whether files can be fetched from below an address.
///
/// # Errors
/// A scheme that is neither http nor https, a user or password, a query or a fragment.
pub fn check_base(base: &Url) -> Result<(), DownloadError> {
    let fault = |url: &Url, reason| {
        Err(DownloadError::Address {
            url: url.to_string(),
            reason,
        })
    };
    if !base.username().is_empty() || base.password().is_some() {
        let mut shown = base.clone();
        // Fails only for addresses that have neither.
        let _shown_without = shown.set_username("").and_then(|()| shown.set_password(None));
        return fault(&shown, "it holds a user or a password");
    }
    if !matches!(base.scheme(), "http" | "https") {
        return fault(base, "it does not begin with http:// or https://");
    }
    if base.query().is_some() || base.fragment().is_some() {
        return fault(
            base,
            "names of files are put behind it, and it holds a query or a fragment",
        );
    }
    Ok(())
}

/// Follows a redirect, or says why not.
pub(super) fn follow(attempt: Attempt<'_>) -> Action {
    let first = attempt.previous().first().cloned();
    let to = attempt.url().clone();
    let Some(first) = first else {
        return attempt.stop();
    };
    if attempt.previous().len() > REDIRECTS {
        return attempt.error(RedirectRefusal::TooMany);
    }
    if to.scheme() != first.scheme() {
        return attempt.error(RedirectRefusal::Scheme(to.scheme().to_owned()));
    }
    if is_inside(&to) && !is_inside(&first) {
        return attempt.error(RedirectRefusal::Inside(
            to.host_str().unwrap_or_default().to_owned(),
        ));
    }
    attempt.follow()
}

/// The reason for which a redirect is not followed.
#[derive(Debug, thiserror::Error)]
enum RedirectRefusal {
    #[error("too many redirects")]
    TooMany,
    #[error("to an address of the scheme `{0}`")]
    Scheme(String),
    #[error("to `{0}`, which is not on the public web")]
    Inside(String),
}

/// Whether an address names this machine or a private network.
fn is_inside(url: &Url) -> bool {
    let literal = url.host_str().and_then(|host| bare(host).parse().ok());
    is_loopback(url) || literal.is_some_and(is_private)
}
