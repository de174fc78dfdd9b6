//! One picture of a file, as a model or a person is shown it.

use serde::{Deserialize, Serialize};

use crate::documents::kind::Kind;
use crate::documents::limits::ReadError;
use crate::documents::pdf::drawing;
use crate::documents::picture::raster::{self, Raster};
#[cfg(feature = "svg")]
use crate::documents::picture::svg;
use crate::documents::sniff::sniff;

/// Bytes in which the root of an SVG file has to begin.
const HEAD: usize = 4096;

/// The page that is wanted of a file as a picture, and the most that it may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PictureRequest {
    /// The page of a PDF, from 1; an image file has no pages, and ignores it.
    pub page: u32,
    /// Most pixels of the longer side.
    pub side: u32,
    /// Most bytes of the file that comes out.
    pub bytes: usize,
}

impl Default for PictureRequest {
    /// Sides and sizes that every provider of models that see takes.
    fn default() -> Self {
        Self {
            page: 1,
            side: 1568,
            bytes: 4 << 20,
        }
    }
}

/// A picture that keeps to the limits.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct View {
    /// `image/png` or `image/jpeg`.
    pub media_type: String,
    /// In pixels.
    pub width: u32,
    pub height: u32,
    /// The file.
    pub bytes: Vec<u8>,
    /// Pages of the PDF; none for an image file.
    pub pages: Option<u32>,
    /// What differs from the original, in sentences.
    pub notes: Vec<String>,
}

/// Draws a page of a PDF or an SVG file, or fits a PNG, JPEG or GIF file, in this process.
///
/// A PNG or JPEG file that keeps to the limits stays as it is. Call
/// [`Helper::view`](crate::documents::helper::Helper::view) for files that are
/// not trusted.
///
/// # Errors
/// A file that is no picture and no PDF, is damaged, has too many pixels or no such page.
pub fn view(content: Vec<u8>, wanted: &PictureRequest) -> Result<View, ReadError> {
    let kind = sniff(&content);
    if kind == Kind::Pdf {
        let page = drawing::page(content, wanted.page, wanted.side)?;
        let mut view = fitted(page.raster, wanted)?;
        view.pages = Some(page.pages);
        view.notes.splice(0..0, page.notes);
        return Ok(view);
    }
    if is_svg(&content) {
        return drawing_view(&content, wanted);
    }
    let raster = match kind {
        Kind::Png => raster::decode_png(&content)?,
        Kind::Jpeg => raster::decode_jpeg(&content)?,
        Kind::Gif => raster::decode_gif(&content)?,
        kind => {
            return Err(ReadError::NotReadable {
                what: format!("This is {kind}; PDF, PNG, JPEG, GIF and SVG files can be looked at.",),
                kind,
            });
        }
    };
    let kept = kind != Kind::Gif && raster.longer() <= wanted.side && content.len() <= wanted.bytes;
    if !kept {
        return fitted(raster, wanted);
    }
    Ok(View {
        media_type: if kind == Kind::Png {
            "image/png"
        } else {
            "image/jpeg"
        }
        .to_owned(),
        width: raster.width,
        height: raster.height,
        bytes: content,
        pages: None,
        notes: Vec::new(),
    })
}

/// Whether the root of the file is that of an SVG file.
fn is_svg(content: &[u8]) -> bool {
    let head = String::from_utf8_lossy(&content[..content.len().min(HEAD)]);
    let start = head.trim_start_matches('\u{feff}').trim_start();
    let before = start
        .split("<svg")
        .next()
        .filter(|before| before.len() < start.len());
    before.is_some_and(|before| {
        start.starts_with('<') && !before.contains("<html") && !before.contains("<body")
    })
}

#[cfg(feature = "svg")]
fn drawing_view(content: &[u8], wanted: &PictureRequest) -> Result<View, ReadError> {
    let drawn = svg::draw(content, wanted.side)?;
    let mut view = fitted(drawn.raster, wanted)?;
    view.notes.splice(0..0, drawn.notes);
    Ok(view)
}

#[cfg(not(feature = "svg"))]
fn drawing_view(_: &[u8], _: &PictureRequest) -> Result<View, ReadError> {
    Err(ReadError::Unsupported(
        "an SVG drawing, which this program draws when it is built with its feature `svg` (`cargo build --release \
         --features svg`); its text can be read as that of any file"
            .to_owned(),
    ))
}

/// Shrinks until both limits hold.
fn fitted(raster: Raster, wanted: &PictureRequest) -> Result<View, ReadError> {
    let (width, height) = (raster.width, raster.height);
    let mut small = raster.shrunk(wanted.side);
    let bytes = loop {
        let bytes = small.png()?;
        if bytes.len() <= wanted.bytes {
            break bytes;
        }
        let side = small.longer() * 3 / 4;
        if side < 16 {
            return Err(ReadError::Unsupported(format!(
                "no picture of it fits {} bytes",
                wanted.bytes
            )));
        }
        small = small.shrunk(side);
    };
    let mut notes = Vec::new();
    if small.width < width {
        notes.push(format!(
            "Shown at {} × {} of {width} × {height} pixels.",
            small.width, small.height
        ));
    }
    Ok(View {
        media_type: "image/png".to_owned(),
        width: small.width,
        height: small.height,
        bytes,
        pages: None,
        notes,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(width: u32, height: u32) -> Raster {
        let data = (0..width * height * 3)
            .map(|at| (at.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        Raster {
            width,
            height,
            channels: 3,
            data,
        }
    }

    #[test]
    fn a_small_file_stays_as_it_is_and_a_large_one_shrinks() {
        let file = noise(300, 200).png().unwrap();
        let same = view(file.clone(), &PictureRequest::default()).unwrap();
        assert_eq!((same.bytes, same.width, same.height), (file.clone(), 300, 200));
        let wanted = PictureRequest {
            side: 100,
            ..PictureRequest::default()
        };
        let small = view(file.clone(), &wanted).unwrap();
        assert_eq!((small.width, small.height), (100, 67));
        assert_eq!(small.notes, ["Shown at 100 × 67 of 300 × 200 pixels."]);
        let wanted = PictureRequest {
            bytes: 20_000,
            ..PictureRequest::default()
        };
        let light = view(file, &wanted).unwrap();
        assert!(light.bytes.len() <= 20_000 && light.width > 30, "{light:?}");
    }

    #[test]
    fn a_drawing_is_told_from_a_page_that_has_one() {
        for drawing in [
            "<svg/>",
            "\u{feff} <?xml version='1.0'?><!-- by hand -->\n<svg xmlns='x'/>",
        ] {
            assert!(is_svg(drawing.as_bytes()), "{drawing}");
        }
        for other in [
            "a,b\n1,2\n",
            "<html><body><svg></svg></body></html>",
            "",
            "see <svg>",
        ] {
            assert!(!is_svg(other.as_bytes()), "{other}");
        }
        let drawing = br#"<svg xmlns="http://www.w3.org/2000/svg" width="2" height="1"/>"#;
        match view(drawing.to_vec(), &PictureRequest::default()) {
            Ok(view) => assert_eq!((cfg!(feature = "svg"), view.width, view.height), (true, 16, 8)),
            Err(error) => assert!(
                !cfg!(feature = "svg") && error.to_string().contains("--features svg"),
                "{error}"
            ),
        }
    }

    #[test]
    fn what_is_no_picture_is_named() {
        let error = view(b"a,b\n1,2\n3,4\n".to_vec(), &PictureRequest::default()).unwrap_err();
        assert!(error.to_string().contains("comma-separated"), "{error}");
    }
}
