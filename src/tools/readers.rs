//! The readers of `documents/`, as the tools use them: in a helper process,
//! because files are hostile, and at most once for the same content.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

use super::conversion::convert::Conversion;
use super::inspect_data::DataReader;
use super::look_at_image::{NotedPicture, PictureReader};
use super::read_file::{DocumentReader, PlainText, RenderError, Rendered};
use crate::documents::document::Document;
use crate::documents::helper::Helper;
use crate::documents::kind::Kind;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::picture::view::PictureRequest;
use crate::documents::sniff::sniff;
use crate::domain::digest::Digest;
use crate::domain::picture::{MediaType, Picture};

/// Bytes of documents that are kept for the next question.
const KEPT: u64 = 256 << 20;

/// Reads documents and data sets by their content.
#[derive(Debug)]
pub struct Readers {
    helper: Helper,
    limits: Limits,
    conversion: Option<Conversion>,
    kept: Mutex<Kept>,
}

/// Documents that were read, the last used at the back.
#[derive(Debug)]
struct Kept {
    /// Most bytes.
    most: u64,
    documents: VecDeque<(Key, Arc<Document>, u64)>,
    bytes: u64,
}

/// Content, and the name that settles what content cannot.
type Key = (Digest, String);

impl Kept {
    fn new(most: u64) -> Self {
        Self {
            most,
            documents: VecDeque::new(),
            bytes: 0,
        }
    }

    fn find(&mut self, key: &Key) -> Option<Arc<Document>> {
        let at = self.documents.iter().position(|(known, ..)| known == key)?;
        let found = self.documents.remove(at)?;
        let document = found.1.clone();
        self.documents.push_back(found);
        Some(document)
    }

    fn keep(&mut self, key: Key, document: &Arc<Document>) {
        let size = document.bytes();
        if size > self.most {
            return;
        }
        self.documents.push_back((key, document.clone(), size));
        self.bytes += size;
        while self.bytes > self.most {
            match self.documents.pop_front() {
                Some((_, _, size)) => self.bytes -= size,
                None => break,
            }
        }
    }
}

impl Readers {
    /// Readers that start `helper` for each file.
    pub fn new(helper: Helper) -> Self {
        Self {
            helper,
            limits: Limits::default(),
            conversion: None,
            kept: Mutex::new(Kept::new(KEPT)),
        }
    }

    /// The same readers, with a sandbox for data that they do not understand.
    #[must_use]
    pub fn with_conversion(mut self, conversion: Conversion) -> Self {
        self.conversion = Some(conversion);
        self
    }

    fn document(&self, name: &str, bytes: &[u8]) -> Result<Arc<Document>, ReadError> {
        let key = (Digest::compute(bytes), name.to_owned());
        let known = self
            .kept
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .find(&key);
        if let Some(document) = known {
            return Ok(document);
        }
        let native = self.helper.read(name, bytes, &self.limits);
        let document = Arc::new(match &self.conversion {
            Some(conversion) => conversion.instead(&self.helper, name, bytes, &self.limits, native)?,
            None => native?,
        });
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.keep(key, &document);
        Ok(document)
    }
}

impl DocumentReader for Readers {
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Rendered, RenderError> {
        let kind = sniff(bytes);
        match kind {
            Kind::Pdf | Kind::Docx | Kind::Notebook => {
                let document = self.document(name, bytes)?;
                let text = document.with_notes();
                let pages = match document.pages.len() {
                    0 => String::new(),
                    1 => ", 1 page".to_owned(),
                    pages => format!(", {pages} pages"),
                };
                Ok(Rendered {
                    kind: format!("{}{pages}", kind.name()),
                    text,
                })
            }
            kind if kind.is_table() && !is_text(&kind) => Err(RenderError::Data(kind.name())),
            _ => PlainText.read(name, bytes),
        }
    }
}

fn is_text(kind: &Kind) -> bool {
    matches!(kind, Kind::Delimited(_) | Kind::Json | Kind::JsonLines)
}

impl PictureReader for Readers {
    fn picture(&self, bytes: &[u8], page: u32) -> Result<NotedPicture, ReadError> {
        let wanted = PictureRequest {
            page,
            ..PictureRequest::default()
        };
        let view = self.helper.view(bytes, &wanted, &self.limits)?;
        let media = match view.media_type.as_str() {
            "image/jpeg" => MediaType::Jpeg,
            _ => MediaType::Png,
        };
        Ok(NotedPicture {
            picture: Picture::new(media, view.width, view.height, view.bytes),
            notes: view.notes,
        })
    }
}

impl DataReader for Readers {
    fn read(&self, name: &str, bytes: &[u8]) -> Result<Arc<Document>, ReadError> {
        self.document(name, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(name: &str) -> Key {
        (Digest::compute(name), name.to_owned())
    }

    fn document(bytes: usize) -> Arc<Document> {
        let mut document = Document::new(Kind::Text);
        document.text = "x".repeat(bytes);
        Arc::new(document)
    }

    #[test]
    fn what_was_used_longest_ago_makes_room() {
        let mut kept = Kept::new(100);
        for name in ["a", "b"] {
            kept.keep(key(name), &document(40));
        }
        assert!(kept.find(&key("a")).is_some());
        kept.keep(key("c"), &document(40));
        kept.keep(key("d"), &document(101));
        let found = ["a", "b", "c", "d"].map(|name| kept.find(&key(name)).is_some());
        assert_eq!(found, [true, false, true, false]);
    }
}
