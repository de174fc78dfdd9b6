//! The pictures that pages draw, as PNG files for people and for models that see.
//!
//! Only raster images are pictures here; a chart that is drawn with lines is
//! part of its page.

use std::io::Write;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Crc};
use hayro_interpret::font::GlyphRun;
use hayro_interpret::kurbo::BezPath;
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps, SoftMask,
};

use crate::documents::document::Picture;

/// Least width and height in pixels; smaller ones are rules, bullets and logos.
const LEAST: u32 = 64;
/// Most pixels of one picture.
const PIXELS: u64 = 64 << 20;
/// The first eight bytes of a PNG file (ISO/IEC 15948, 5.2).
const SIGNATURE: &[u8; 8] = b"\x89PNG\r\n\x1a\n";

/// Collects the pictures of pages up to a number of bytes.
#[derive(Debug)]
pub struct Pictures {
    pub found: Vec<Picture>,
    /// The page that is drawn.
    pub page: u32,
    /// Pictures that were larger than what was left.
    pub left_out: u32,
    left: u64,
}

impl Pictures {
    /// Room for so many bytes of PNG.
    pub fn new(most: u64) -> Self {
        Self {
            found: Vec::new(),
            page: 0,
            left_out: 0,
            left: most,
        }
    }

    fn keep(&mut self, width: u32, height: u32, channels: usize, data: &[u8]) {
        if width < LEAST || height < LEAST {
            return;
        }
        let fits = u64::from(width) * u64::from(height) <= PIXELS && self.left > 0;
        let png = if fits {
            png(width, height, channels, data)
        } else {
            None
        };
        match png.filter(|png| png.len() as u64 <= self.left) {
            Some(png) => {
                self.left -= png.len() as u64;
                self.found.push(Picture {
                    page: self.page,
                    width,
                    height,
                    png,
                });
            }
            None => self.left_out += 1,
        }
    }
}

/// An image of eight bits a channel, grey or of three colours, as a PNG file.
fn png(width: u32, height: u32, channels: usize, data: &[u8]) -> Option<Vec<u8>> {
    let row = width as usize * channels;
    let colour = if channels == 1 { 0 } else { 2 };
    let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
    for line in data.get(..row.checked_mul(height as usize)?)?.chunks_exact(row) {
        // Each row begins with the number of its filter: none.
        packed
            .write_all(&[0])
            .and_then(|()| packed.write_all(line))
            .ok()?;
    }
    let mut file = SIGNATURE.to_vec();
    let mut head = [width.to_be_bytes(), height.to_be_bytes()].concat();
    head.extend([8, colour, 0, 0, 0]);
    for (name, content) in [
        (b"IHDR", head),
        (b"IDAT", packed.finish().ok()?),
        (b"IEND", Vec::new()),
    ] {
        let mut sum = Crc::new();
        sum.update(name);
        sum.update(&content);
        file.extend(u32::try_from(content.len()).ok()?.to_be_bytes());
        file.extend(name);
        file.extend(&content);
        file.extend(sum.sum().to_be_bytes());
    }
    Some(file)
}

impl<'a> Device<'a> for Pictures {
    fn draw_image(&mut self, image: Image<'a, '_>, _: ImageDrawProps<'a>) {
        match image {
            Image::Raster(raster) => raster.with_rgba(
                |data, _| match data {
                    ImageData::Rgb(rgb) => self.keep(rgb.width, rgb.height, 3, &rgb.data),
                    ImageData::Luma(luma) => self.keep(luma.width, luma.height, 1, &luma.data),
                },
                None,
            ),
            Image::Stencil(stencil) => stencil.with_stencil(
                |luma, _| {
                    // A stencil paints where it is set: ink is dark.
                    let ink: Vec<u8> = luma.data.iter().map(|value| 255 - value).collect();
                    self.keep(luma.width, luma.height, 1, &ink);
                },
                None,
            ),
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {}

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {}

    fn draw_glyph_run(&mut self, _: &GlyphRun<'_, 'a>, _: DrawProps<'a>, _: &DrawMode) {}

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}

#[cfg(test)]
mod tests {
    use std::io::Read;

    use super::*;

    #[test]
    fn a_picture_is_a_png_of_its_pixels() {
        let pixels: Vec<u8> = (0..64 * 64 * 3).map(|at| at as u8).collect();
        let mut pictures = Pictures::new(1 << 20);
        pictures.keep(64, 64, 3, &pixels);
        pictures.keep(8, 8, 3, &pixels);
        let [picture] = pictures.found.as_slice() else {
            panic!("{:?}", pictures.found);
        };
        // IHDR ends at byte 33; the packed rows follow the length and name of IDAT.
        assert_eq!(&picture.png[16..26], [0, 0, 0, 64, 0, 0, 0, 64, 8, 2]);
        let mut rows = Vec::new();
        flate2::read::ZlibDecoder::new(&picture.png[41..])
            .read_to_end(&mut rows)
            .unwrap();
        assert_eq!(rows.len(), 64 * (64 * 3 + 1));
        assert_eq!(&rows[1..193], &pixels[..192]);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut pictures = Pictures::new(10);
        pictures.keep(64, 64, 1, &[0; 64 * 64]);
        assert_eq!((pictures.found.len(), pictures.left_out), (0, 1));
        pictures.keep(64, 64, 3, &[0; 10]);
        assert_eq!(pictures.left_out, 2);
    }
}
