//! Pictures that a request holds itself.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use super::loss::Loss;
use crate::domain::picture::{MediaType, Picture};

/// The picture of a `data:` address (RFC 2397).
///
/// # Errors
/// Another address, or a picture that not every dialect takes.
pub fn of_address(address: &str, place: &str) -> Result<Picture, Loss> {
    let inside = address
        .strip_prefix("data:")
        .and_then(|rest| rest.split_once(";base64,"));
    let (media, data) =
        inside.ok_or_else(|| Loss::new(place, "is a picture that the request does not hold itself"))?;
    of_base64(media, data, place)
}

/// The picture of a text in Base64.
///
/// # Errors
/// Another kind than PNG and JPEG, or a text that is no Base64.
pub fn of_base64(media: &str, data: &str, place: &str) -> Result<Picture, Loss> {
    let media = match media {
        "image/png" => MediaType::Png,
        "image/jpeg" | "image/jpg" => MediaType::Jpeg,
        other => {
            let what =
                format!("is a picture of the kind `{other}`, and PNG and JPEG alone are taken everywhere");
            return Err(Loss::new(place, what));
        }
    };
    let bytes = STANDARD
        .decode(data)
        .map_err(|_| Loss::new(place, "is no Base64"))?;
    // Its size in pixels is told to nobody.
    Ok(Picture::new(media, 0, 0, bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_comes_whole_or_not_at_all() {
        let picture = of_address("data:image/png;base64,AAEC", "p").unwrap();
        assert_eq!((picture.media, picture.bytes()), (MediaType::Png, &[0, 1, 2][..]));
        for address in [
            "https://example.org/a.png",
            "data:image/webp;base64,AAEC",
            "data:image/png;base64,A",
            "data:image/png,raw",
            "",
        ] {
            assert!(of_address(address, "p").is_err(), "{address}");
        }
    }
}
