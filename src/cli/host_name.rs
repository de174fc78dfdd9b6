//! The name of a host, as it is typed.

/// A text that is no name of a host.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("give a host name alone, such as raw.githubusercontent.com")]
pub struct NoHostName;

/// A name that DNS knows, in lower case.
///
/// # Errors
/// A text that is none.
pub fn host_name(text: &str) -> Result<String, NoHostName> {
    let host = text.trim_end_matches('.').to_ascii_lowercase();
    let labels = host.split('.').all(|label| {
        !label.is_empty()
            && label.len() <= 63
            && !label.starts_with('-')
            && label
                .chars()
                .all(|letter| letter.is_ascii_alphanumeric() || letter == '-')
    });
    if host.contains('.') && labels && host.len() <= 253 {
        Ok(host)
    } else {
        Err(NoHostName)
    }
}
