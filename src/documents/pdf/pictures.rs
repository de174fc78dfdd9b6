//! The pictures that pages draw, as PNG files for people and for models that see.
//!
//! Only raster images are pictures here; a chart that is drawn with lines is
//! part of its page.

use hayro_interpret::font::GlyphRun;
use hayro_interpret::kurbo::BezPath;
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps, SoftMask,
};

use crate::documents::document::Picture;
use crate::documents::picture::raster::{PIXELS, Raster};

/// Least width and height in pixels; smaller ones are rules, bullets and logos.
const LEAST: u32 = 64;

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

    fn keep(&mut self, width: u32, height: u32, channels: usize, data: Vec<u8>) {
        if width < LEAST || height < LEAST {
            return;
        }
        let fits = u64::from(width) * u64::from(height) <= PIXELS && self.left > 0;
        let png = if fits {
            let raster = Raster {
                width,
                height,
                channels,
                data,
            };
            raster.png().ok()
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

impl<'a> Device<'a> for Pictures {
    fn draw_image(&mut self, image: Image<'a, '_>, _: ImageDrawProps<'a>) {
        match image {
            Image::Raster(raster) => raster.with_rgba(
                |data, _| match data {
                    ImageData::Rgb(rgb) => self.keep(rgb.width, rgb.height, 3, rgb.data),
                    ImageData::Luma(luma) => self.keep(luma.width, luma.height, 1, luma.data),
                },
                None,
            ),
            Image::Stencil(stencil) => stencil.with_stencil(
                |luma, _| {
                    // A stencil paints where it is set: ink is dark.
                    let ink: Vec<u8> = luma.data.iter().map(|value| 255 - value).collect();
                    self.keep(luma.width, luma.height, 1, ink);
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
    use super::*;
    use crate::documents::picture::raster::decode_png;

    #[test]
    fn a_picture_is_a_png_of_its_pixels() {
        let pixels: Vec<u8> = (0..64 * 64 * 3).map(|at| at as u8).collect();
        let mut pictures = Pictures::new(1 << 20);
        pictures.keep(64, 64, 3, pixels.clone());
        pictures.keep(8, 8, 3, pixels.clone());
        let [picture] = pictures.found.as_slice() else {
            panic!("{:?}", pictures.found);
        };
        assert_eq!(decode_png(&picture.png).unwrap().data, pixels);
    }

    #[test]
    fn what_does_not_fit_is_counted() {
        let mut pictures = Pictures::new(10);
        pictures.keep(64, 64, 1, vec![0; 64 * 64]);
        assert_eq!((pictures.found.len(), pictures.left_out), (0, 1));
        pictures.keep(64, 64, 3, vec![0; 10]);
        assert_eq!(pictures.left_out, 2);
    }
}
