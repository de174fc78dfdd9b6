//! An SVG file as pixels.
//!
//! Letters that are outlines, as matplotlib and R's own device write them, are drawn. Letters that a font of the
//! reader's would have to draw are not, since they would be others on each machine: they are told in a note.

use resvg::usvg::roxmltree::{Document, Node, ParsingOptions};
use resvg::usvg::{Options, Tree};
use tiny_skia::{Color, Pixmap, Transform};

use crate::documents::limits::ReadError;
use crate::documents::picture::raster::Raster;
use crate::domain::excerpt;

/// Most elements and texts of a file.
const NODES: u32 = 2_000_000;
/// Pixels for one of the file's own units, at most.
const LARGEST_SCALE: f32 = 8.0;
/// Most texts that are told, and most characters of each.
const TEXTS: usize = 100;
const LONGEST: usize = 120;

/// A drawing.
#[derive(Debug)]
pub struct Drawn {
    pub raster: Raster,
    /// What differs from the original, in sentences.
    pub notes: Vec<String>,
}

/// Draws the file with its longer side `side` pixels long.
///
/// No other file and no address that it names is opened. Call this in a helper process where the file is not trusted.
///
/// # Errors
/// What is no SVG file, or is too large to draw.
pub fn draw(content: &[u8], side: u32) -> Result<Drawn, ReadError> {
    let text = std::str::from_utf8(content).map_err(|error| ReadError::Damaged(error.to_string()))?;
    let reading = ParsingOptions {
        // The head of an old file names its DTD; entities are limited by the parser.
        allow_dtd: true,
        nodes_limit: NODES,
        ..ParsingOptions::default()
    };
    let document = Document::parse_with_options(text.trim_start_matches('\u{feff}').trim_start(), reading)
        .map_err(|error| ReadError::Damaged(error.to_string()))?;
    let mut options = Options::default();
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    let tree =
        Tree::from_xmltree(&document, &options).map_err(|error| ReadError::Damaged(error.to_string()))?;
    let size = tree.size();
    let scale = (side as f32 / size.width().max(size.height())).min(LARGEST_SCALE);
    let pixels = |length: f32| ((length * scale).round() as u32).max(1);
    let (width, height) = (pixels(size.width()), pixels(size.height()));
    let mut pixmap = Pixmap::new(width, height)
        .ok_or_else(|| ReadError::Unsupported(format!("a drawing of {width} × {height} pixels")))?;
    pixmap.fill(Color::WHITE);
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixmap.as_mut());
    Ok(Drawn {
        raster: Raster::of_opaque(&pixmap),
        notes: notes(&document),
    })
}

/// What of the file is not drawn.
fn notes(document: &Document<'_>) -> Vec<String> {
    let elements = |name: &'static str| {
        let all = document.descendants();
        all.filter(move |node| node.has_tag_name(("http://www.w3.org/2000/svg", name)))
    };
    let texts: Vec<String> = elements("text").filter_map(written).collect();
    let foreign = elements("image")
        .filter(|image| {
            let named = image.attributes().find(|attribute| attribute.name() == "href");
            named.is_some_and(|href| !href.value().trim_start().starts_with("data:"))
        })
        .count();
    let mut notes = Vec::new();
    if !texts.is_empty() {
        let more = match texts.len().saturating_sub(TEXTS) {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        let told: Vec<String> = texts.iter().take(TEXTS).map(|text| format!("`{text}`")).collect();
        notes.push(format!(
            "Texts that need a font are not drawn; in the order of the file they are {}{more}.",
            told.join(", ")
        ));
    }
    if foreign > 0 {
        notes.push(format!(
            "{foreign} images that lie in other files or at addresses are not drawn."
        ));
    }
    notes
}

/// The words of a text element; `None` where it has none.
fn written(element: Node<'_, '_>) -> Option<String> {
    let parts = element
        .descendants()
        .filter_map(|node| node.text().filter(|_| node.is_text()));
    let whole: String = parts.collect::<Vec<_>>().join(" ");
    let text = excerpt::start(&excerpt::one_line(&whole), LONGEST).to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;
    use base64::prelude::BASE64_STANDARD as STANDARD;

    use super::*;

    const BAR: &str = r##"<?xml version="1.0"?>
<!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="40" height="20">
  <rect x="0" y="0" width="20" height="20" fill="#ff0000"/>
  <image xlink:href="file:///etc/hostname" width="10" height="10"/>
  <text x="1" y="9">Share of <tspan>votes</tspan></text>
</svg>"##;

    #[test]
    fn shapes_are_drawn_and_what_is_not_is_told() {
        let drawn = draw(BAR.as_bytes(), 100).unwrap();
        let raster = &drawn.raster;
        assert_eq!((raster.width, raster.height, raster.channels), (100, 50, 3));
        assert_eq!(raster.data[..3], [255, 0, 0]);
        assert_eq!(raster.data[3 * 99..3 * 100], [255, 255, 255]);
        assert_eq!(
            drawn.notes,
            [
                "Texts that need a font are not drawn; in the order of the file they are `Share of votes`.",
                "1 images that lie in other files or at addresses are not drawn.",
            ]
        );
    }

    #[test]
    fn a_picture_within_the_file_is_drawn() {
        let blue = Raster {
            width: 1,
            height: 1,
            channels: 3,
            data: vec![0, 0, 255],
        };
        let png = STANDARD.encode(blue.png().unwrap());
        let svg = format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="8" height="8"><image width="8" height="8" href="data:image/png;base64,{png}"/></svg>"#
        );
        let drawn = draw(svg.as_bytes(), 8).unwrap();
        assert_eq!(drawn.raster.data[3 * 36..3 * 37], [0, 0, 255]);
        assert!(drawn.notes.is_empty(), "{:?}", drawn.notes);
    }

    #[test]
    fn hostile_files_are_errors() {
        let many = format!(
            r#"<!DOCTYPE svg [<!ENTITY a "{0}"><!ENTITY b "{1}"><!ENTITY c "{2}">]><svg xmlns="http://www.w3.org/2000/svg"><text>{3}</text></svg>"#,
            "x".repeat(1000),
            "&a;".repeat(200),
            "&b;".repeat(200),
            "&c;".repeat(200)
        );
        for file in [
            many.as_str(),
            "<svg",
            r#"<svg xmlns="http://www.w3.org/2000/svg" width="0" height="0"/>"#,
        ] {
            assert!(
                draw(file.as_bytes(), 100).is_err(),
                "{}",
                &file[..file.len().min(80)]
            );
        }
    }
}
