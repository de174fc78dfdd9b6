//! Ranges of answers.
//!
//! Source: RFC 9110, sections 8.8 (validators), 13.1.5 (`If-Range`) and 14 (ranges).

use reqwest::header::{CONTENT_RANGE, ETAG, HeaderMap};

/// The part of a file that an answer holds, of `Content-Range`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct AnsweredRange {
    /// The first byte; absent where the answer holds none.
    pub first: Option<u64>,
    /// Of the whole file.
    pub length: Option<u64>,
}

impl AnsweredRange {
    /// Reads `bytes FIRST-LAST/LENGTH`, in which numbers may be `*`.
    pub fn from_headers(headers: &HeaderMap) -> Option<Self> {
        let text = headers.get(CONTENT_RANGE)?.to_str().ok()?;
        let (range, length) = text.trim().strip_prefix("bytes")?.trim_start().split_once('/')?;
        let first = match range.split_once('-') {
            Some((first, _)) => Some(first.trim().parse().ok()?),
            None => None,
        };
        Some(Self {
            first,
            length: length.trim().parse().ok(),
        })
    }
}

/// The strong validator of an answer: an `ETag` that is not weak.
pub(super) fn strong_etag(headers: &HeaderMap) -> Option<String> {
    let text = headers.get(ETAG)?.to_str().ok()?.trim();
    text.starts_with('"').then(|| text.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_are_read_and_weak_validators_are_none() {
        let range = |text: &str| {
            let headers = [(CONTENT_RANGE, text.parse().unwrap())].into_iter().collect();
            AnsweredRange::from_headers(&headers).map(|range| (range.first, range.length))
        };
        assert_eq!(range("bytes 5-9/10"), Some((Some(5), Some(10))));
        assert_eq!(range("bytes 5-9/*"), Some((Some(5), None)));
        assert_eq!(range("bytes */10"), Some((None, Some(10))));
        assert_eq!(range("bytes x-9/10"), None);
        assert_eq!(range("lines 1-2/3"), None);
        let etag = |text: &str| strong_etag(&[(ETAG, text.parse().unwrap())].into_iter().collect());
        assert_eq!(etag("\"a\"").as_deref(), Some("\"a\""));
        assert_eq!(etag("W/\"a\""), None);
    }
}
