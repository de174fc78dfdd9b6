//! A picture on its way to a model.

use std::fmt;
use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::digest::Digest;

/// The kinds of picture that every dialect takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum MediaType {
    #[serde(rename = "image/png")]
    Png,
    #[serde(rename = "image/jpeg")]
    Jpeg,
}

impl fmt::Display for MediaType {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Png => "image/png",
            Self::Jpeg => "image/jpeg",
        })
    }
}

/// A picture: written as its kind, size and digest, so that whatever holds one
/// serialises the same everywhere and stays small.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Picture {
    pub media: MediaType,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    pub digest: Digest,
    /// The file; empty in a picture that was read back.
    #[serde(skip)]
    bytes: Arc<[u8]>,
}

impl Picture {
    /// A picture from its file.
    pub fn new(media: MediaType, width: u32, height: u32, bytes: Vec<u8>) -> Self {
        Self {
            media,
            width,
            height,
            digest: Digest::compute(&bytes),
            bytes: bytes.into(),
        }
    }

    /// The file.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

impl fmt::Debug for Picture {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Picture({}, {} x {}, {})",
            self.media, self.width, self.height, self.digest
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_is_written_without_its_bytes_and_the_same_every_time() {
        let picture = Picture::new(MediaType::Png, 2, 3, b"abc".to_vec());
        let text = serde_json::to_string(&picture).unwrap();
        assert_eq!(
            text,
            format!(
                r#"{{"media":"image/png","width":2,"height":3,"digest":{}}}"#,
                serde_json::to_string(&Digest::compute(b"abc")).unwrap()
            )
        );
        let back: Picture = serde_json::from_str(&text).unwrap();
        assert_eq!((back.digest, back.bytes().len()), (picture.digest, 0));
        assert_eq!(serde_json::to_string(&back).unwrap(), text);
    }
}
