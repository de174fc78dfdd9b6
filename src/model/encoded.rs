//! Pictures as text, which is how every dialect carries them.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::domain::picture::Picture;

/// The file in Base64.
pub fn base64(picture: &Picture) -> String {
    STANDARD.encode(picture.bytes())
}

/// The file as a `data:` address (RFC 2397).
pub fn data_url(picture: &Picture) -> String {
    format!("data:{};base64,{}", picture.media, base64(picture))
}
