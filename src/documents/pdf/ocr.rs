//! Pictures of text, given to `tesseract` where it is installed and wanted.

use std::io::{Read, Write};
use std::process::{Command, Stdio};

use hayro_interpret::font::GlyphRun;
use hayro_interpret::kurbo::BezPath;
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageData, ImageDrawProps, SoftMask,
};

/// Most bytes of a picture; a page of A4 at 600 dots per inch has 100 million.
const MOST: usize = 128 << 20;

/// Keeps the largest picture that a page draws.
#[derive(Debug, Default)]
pub struct Largest {
    /// Binary PPM or PGM.
    picture: Vec<u8>,
}

impl Largest {
    /// The text in the picture; `None` where `tesseract` is missing or fails.
    pub fn recognise(&self) -> Option<String> {
        if self.picture.is_empty() {
            return None;
        }
        let mut child = Command::new("tesseract")
            .args(["stdin", "stdout"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .ok()?;
        let (mut input, output) = (child.stdin.take()?, child.stdout.take()?);
        let text = std::thread::scope(|scope| {
            scope.spawn(move || input.write_all(&self.picture));
            let mut text = String::new();
            output.take(MOST as u64).read_to_string(&mut text).map(|_| text)
        });
        let done = child.wait().is_ok_and(|status| status.success());
        text.ok().filter(|text| done && !text.trim().is_empty())
    }

    fn keep(&mut self, kind: u8, width: u32, height: u32, data: &[u8]) {
        if data.len() > self.picture.len() && data.len() <= MOST {
            self.picture = format!("P{kind}\n{width} {height}\n255\n").into_bytes();
            self.picture.extend_from_slice(data);
        }
    }
}

impl<'a> Device<'a> for Largest {
    fn draw_image(&mut self, image: Image<'a, '_>, _: ImageDrawProps<'a>) {
        match image {
            Image::Raster(raster) => raster.with_rgba(
                |data, _| match data {
                    ImageData::Rgb(rgb) => self.keep(6, rgb.width, rgb.height, &rgb.data),
                    ImageData::Luma(luma) => self.keep(5, luma.width, luma.height, &luma.data),
                },
                None,
            ),
            Image::Stencil(stencil) => stencil.with_stencil(
                |luma, _| {
                    // A stencil paints where it is set: ink is dark.
                    let ink: Vec<u8> = luma.data.iter().map(|value| 255 - value).collect();
                    self.keep(5, luma.width, luma.height, &ink);
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
