//! Stored text, loaded and cut to a hard cap.

use std::cell::RefCell;

use serde::{Deserialize, Serialize};

use crate::artifacts::store::StoreError;
use crate::domain::content::Content;
use crate::domain::excerpt;

/// Text as a report holds it: its beginning, and how long the whole is.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Text {
    pub text: String,
    /// Bytes of the whole.
    pub size: u64,
    /// Bytes that the report leaves out.
    pub omitted: u64,
}

/// The most that a report holds of one item of a transcript, in bytes.
pub const ITEM: usize = 256 << 10;
/// The most that a report holds of one output stream, in bytes.
pub const STREAM: usize = 32 << 10;
/// The most that a page shows of one item, in bytes.
pub const SHOWN: usize = 16 << 10;

impl Text {
    /// Text that is at hand, cut to `cap` bytes.
    pub fn new(text: &str, cap: usize) -> Self {
        let kept = excerpt::first_bytes(text, cap);
        Self {
            text: kept.to_owned(),
            size: text.len() as u64,
            omitted: (text.len() - kept.len()) as u64,
        }
    }
}

/// A reader of stored contents.
pub type LoadContent<'a> = &'a dyn Fn(&Content) -> Result<Vec<u8>, StoreError>;

/// Reads nothing, for a view without a store.
///
/// # Errors
/// Always: the content is missing.
pub fn nothing_stored(content: &Content) -> Result<Vec<u8>, StoreError> {
    Err(StoreError::Missing {
        digest: content.digest(),
    })
}

/// Reads contents and remembers what could not be read.
pub struct Loader<'a> {
    load: LoadContent<'a>,
    unread: RefCell<Vec<String>>,
}

impl<'a> Loader<'a> {
    pub fn new(load: LoadContent<'a>) -> Self {
        Self {
            load,
            unread: RefCell::default(),
        }
    }

    /// The beginning of a content; bytes that are no UTF-8 are replaced. A
    /// content that cannot be read is empty, and noted under `what`.
    pub fn text(&self, content: &Content, cap: usize, what: &str) -> Text {
        if let Content::Inline { text } = content {
            return Text::new(text, cap);
        }
        match (self.load)(content) {
            Ok(bytes) => {
                let kept = &bytes[..bytes.len().min(cap)];
                Text {
                    text: String::from_utf8_lossy(kept).into_owned(),
                    size: bytes.len() as u64,
                    omitted: (bytes.len() - kept.len()) as u64,
                }
            }
            Err(reason) => {
                self.unread.borrow_mut().push(format!(
                    "{what} ({}) could not be read: {reason}",
                    content.digest().short()
                ));
                Text {
                    text: String::new(),
                    size: content.size(),
                    omitted: content.size(),
                }
            }
        }
    }

    /// One sentence for each content that could not be read.
    pub fn unread(self) -> Vec<String> {
        self.unread.into_inner()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::digest::Digest;

    #[test]
    fn a_cut_falls_between_characters_and_is_told() {
        let text = Text::new("aéb", 2);
        assert_eq!((text.text.as_str(), text.size, text.omitted), ("a", 4, 3));
    }

    #[test]
    fn what_cannot_be_read_is_noted() {
        let stored = Content::Stored {
            blob: Digest::compute("x"),
            size: 9,
        };
        let digest = Digest::compute("x");
        let fail = |_: &Content| Err(StoreError::Missing { digest });
        let loader = Loader::new(&fail);
        assert_eq!(loader.text(&stored, 10, "The output of x1").omitted, 9);
        assert!(loader.unread()[0].starts_with("The output of x1 ("));
    }
}
