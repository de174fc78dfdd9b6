//! The address that a redirect leads to.

use reqwest::Url;

use super::client::WebReply;

/// The page that a redirect names.
pub fn location(from: &Url, reply: &WebReply) -> Option<Url> {
    if !matches!(reply.status, 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let mut next = from.join(reply.header("location")?).ok()?;
    next.set_fragment(None);
    Some(next)
}
