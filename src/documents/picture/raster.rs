//! Pixels of eight bits a channel, out of image files and into PNG.

use std::io::Cursor;

use gif::{ColorOutput, DecodeOptions, MemoryLimit};
use png::{BitDepth, ColorType, Compression, Transformations};
use tiny_skia::Pixmap;
use zune_jpeg::JpegDecoder;
use zune_jpeg::zune_core::colorspace::ColorSpace;
use zune_jpeg::zune_core::options::DecoderOptions;

use crate::documents::limits::ReadError;

/// Most pixels that are decoded: 64 million, a page of A4 at 800 dots per inch.
pub const PIXELS: u64 = 64 << 20;

/// A grey picture, or one of red, green and blue; rows from the top.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Raster {
    pub width: u32,
    pub height: u32,
    /// 1 or 3.
    pub channels: usize,
    /// `width * height * channels` values.
    pub data: Vec<u8>,
}

impl Raster {
    /// What was drawn over an opaque ground, so that nothing of it is transparent.
    pub fn of_opaque(drawn: &Pixmap) -> Self {
        let pixels = drawn.data().chunks_exact(4);
        Self {
            width: drawn.width(),
            height: drawn.height(),
            channels: 3,
            data: pixels.flat_map(|pixel| [pixel[0], pixel[1], pixel[2]]).collect(),
        }
    }

    /// Pixels of the longer side.
    pub fn longer(&self) -> u32 {
        self.width.max(self.height)
    }

    /// The picture with its longer side at most `side`, by the mean of what falls together.
    #[must_use]
    pub fn shrunk(self, side: u32) -> Self {
        let longer = self.longer();
        if longer <= side.max(1) {
            return self;
        }
        let scaled = |length: u32| {
            let length = (u64::from(length) * u64::from(side.max(1))).div_ceil(u64::from(longer));
            u32::try_from(length).unwrap_or(1).max(1)
        };
        let (width, height) = (scaled(self.width), scaled(self.height));
        self.resized(width, height)
    }

    /// The picture at a size that is not larger.
    fn resized(&self, width: u32, height: u32) -> Self {
        let row = self.width as usize * self.channels;
        // Where each pixel that comes out begins and ends among those that went in.
        let spans = |from: u32, to: u32| -> Vec<(usize, usize)> {
            (0..u64::from(to))
                .map(|at| {
                    let begin = at * u64::from(from) / u64::from(to);
                    let end = (at + 1) * u64::from(from) / u64::from(to);
                    (begin as usize, end.max(begin + 1) as usize)
                })
                .collect()
        };
        let across = spans(self.width, width);
        let mut data = Vec::with_capacity(width as usize * height as usize * self.channels);
        for (top, bottom) in spans(self.height, height) {
            for &(left, right) in &across {
                for channel in 0..self.channels {
                    let sum: u64 = (top..bottom)
                        .flat_map(|y| (left..right).map(move |x| y * row + x * self.channels + channel))
                        .map(|at| u64::from(self.data.get(at).copied().unwrap_or(255)))
                        .sum();
                    let count = ((bottom - top) * (right - left)) as u64;
                    data.push(u8::try_from((sum + count / 2) / count).unwrap_or(255));
                }
            }
        }
        Self {
            width,
            height,
            channels: self.channels,
            data,
        }
    }

    /// The picture at any size, each pixel taken from where it falls.
    #[must_use]
    pub fn sampled(self, width: u32, height: u32) -> Self {
        if (width, height) == (self.width, self.height) {
            return self;
        }
        if width <= self.width && height <= self.height {
            return self.resized(width, height);
        }
        let row = self.width as usize * self.channels;
        let from =
            |at: u32, of: u32, to: u32| (u64::from(at) * u64::from(of) / u64::from(to.max(1))) as usize;
        let mut data = Vec::with_capacity(width as usize * height as usize * self.channels);
        for y in (0..height).map(|y| from(y, self.height, height)) {
            for x in (0..width).map(|x| from(x, self.width, width)) {
                let pixel = y * row + x * self.channels;
                data.extend(
                    (pixel..pixel + self.channels).map(|at| self.data.get(at).copied().unwrap_or(255)),
                );
            }
        }
        Self {
            width,
            height,
            channels: self.channels,
            data,
        }
    }

    /// The picture as a PNG file.
    ///
    /// # Errors
    /// A picture that the encoder refuses.
    pub fn png(&self) -> Result<Vec<u8>, ReadError> {
        let mut file = Vec::new();
        let mut encoder = png::Encoder::new(&mut file, self.width, self.height);
        encoder.set_color(if self.channels == 1 {
            ColorType::Grayscale
        } else {
            ColorType::Rgb
        });
        encoder.set_depth(BitDepth::Eight);
        encoder.set_compression(Compression::Fast);
        encoder
            .write_header()
            .and_then(|mut writer| writer.write_image_data(&self.data))
            .map_err(damaged)?;
        Ok(file)
    }
}

fn damaged(error: impl std::fmt::Display) -> ReadError {
    ReadError::Damaged(format!("its pixels cannot be read: {error}"))
}

/// Refuses a picture for its size before anything is decoded.
fn within(width: u64, height: u64) -> Result<(), ReadError> {
    if width * height <= PIXELS {
        return Ok(());
    }
    Err(ReadError::Unsupported(format!(
        "a picture of {width} × {height} pixels; at most {} million are decoded",
        PIXELS >> 20
    )))
}

/// Decodes a PNG file; transparency is laid on white.
///
/// # Errors
/// A damaged file, or one with too many pixels.
pub fn decode_png(file: &[u8]) -> Result<Raster, ReadError> {
    let mut decoder = png::Decoder::new(Cursor::new(file));
    decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
    let mut reader = decoder.read_info().map_err(damaged)?;
    within(u64::from(reader.info().width), u64::from(reader.info().height))?;
    let size = reader.output_buffer_size();
    let mut data = vec![0; size.ok_or_else(|| damaged("its size is out of range"))?];
    let info = reader.next_frame(&mut data).map_err(damaged)?;
    let (channels, data) = match info.color_type {
        ColorType::Grayscale => (1, data),
        ColorType::GrayscaleAlpha => (1, on_white(&data, 1)),
        ColorType::Rgba => (3, on_white(&data, 3)),
        ColorType::Rgb | ColorType::Indexed => (3, data),
    };
    Ok(Raster {
        width: info.width,
        height: info.height,
        channels,
        data,
    })
}

/// Decodes a JPEG file.
///
/// # Errors
/// A damaged file, or one with too many pixels.
pub fn decode_jpeg(file: &[u8]) -> Result<Raster, ReadError> {
    let options = DecoderOptions::default()
        .set_max_width(1 << 16)
        .set_max_height(1 << 16)
        .jpeg_set_out_colorspace(ColorSpace::RGB);
    let mut decoder = JpegDecoder::new_with_options(Cursor::new(file), options);
    decoder
        .decode_headers()
        .map_err(|error| damaged(format!("{error:?}")))?;
    let (width, height) = decoder
        .info()
        .map(|info| (u32::from(info.width), u32::from(info.height)))
        .ok_or_else(|| damaged("it has no header"))?;
    within(u64::from(width), u64::from(height))?;
    let data = decoder.decode().map_err(|error| damaged(format!("{error:?}")))?;
    Ok(Raster {
        width,
        height,
        channels: 3,
        data,
    })
}

/// Decodes the first picture of a GIF file; what it leaves open is white.
///
/// # Errors
/// A damaged file, one with too many pixels, or one without a picture.
pub fn decode_gif(file: &[u8]) -> Result<Raster, ReadError> {
    let mut options = DecodeOptions::new();
    options.set_color_output(ColorOutput::RGBA);
    options.set_memory_limit(MemoryLimit::Bytes(
        std::num::NonZeroU64::MIN.saturating_add(4 * PIXELS),
    ));
    let mut decoder = options.read_info(file).map_err(damaged)?;
    let (width, height) = (u32::from(decoder.width()), u32::from(decoder.height()));
    within(u64::from(width), u64::from(height))?;
    let frame = decoder
        .read_next_frame()
        .map_err(damaged)?
        .ok_or_else(|| damaged("it holds no picture"))?;
    let row = width as usize * 3;
    let mut data = vec![255; row * height as usize];
    let colours = on_white(&frame.buffer, 3);
    for (y, line) in colours
        .chunks_exact(usize::from(frame.width).max(1) * 3)
        .enumerate()
    {
        let from = (usize::from(frame.top) + y) * row + usize::from(frame.left) * 3;
        let fits = line.len().min(row.saturating_sub(usize::from(frame.left) * 3));
        if let (Some(place), Some(line)) = (data.get_mut(from..from + fits), line.get(..fits)) {
            place.copy_from_slice(line);
        }
    }
    Ok(Raster {
        width,
        height,
        channels: 3,
        data,
    })
}

/// Colours whose last channel is opacity, laid on white.
fn on_white(data: &[u8], colours: usize) -> Vec<u8> {
    let over = |colour: u8, opacity: u8| {
        let (colour, opacity) = (u16::from(colour), u16::from(opacity));
        u8::try_from((colour * opacity + 255 * (255 - opacity) + 127) / 255).unwrap_or(255)
    };
    data.chunks_exact(colours + 1)
        .flat_map(|pixel| {
            pixel[..colours]
                .iter()
                .map(move |colour| over(*colour, pixel[colours]))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shrinking_keeps_the_mean_and_a_png_the_pixels() {
        let data = (0..64).flat_map(|_| (0..64u8).map(|x| x * 4)).collect();
        let ramp = Raster {
            width: 64,
            height: 64,
            channels: 1,
            data,
        };
        let small = ramp.clone().shrunk(4);
        assert_eq!((small.width, small.height), (4, 4));
        assert_eq!(small.data[..4], [30, 94, 158, 222]);
        assert_eq!(decode_png(&ramp.png().unwrap()).unwrap(), ramp);
        assert_eq!(ramp.clone().shrunk(64), ramp);
    }

    #[test]
    fn transparency_is_white() {
        assert_eq!(
            on_white(&[0, 0, 0, 0, 10, 20, 30, 255], 3),
            [255, 255, 255, 10, 20, 30]
        );
    }

    #[test]
    fn a_gif_shows_its_first_picture() {
        let mut file = Vec::new();
        let mut encoder = gif::Encoder::new(&mut file, 4, 3, &[0, 0, 0, 200, 0, 0]).unwrap();
        let frame = gif::Frame {
            width: 2,
            height: 2,
            left: 1,
            top: 1,
            buffer: vec![1, 0, 0, 1].into(),
            ..gif::Frame::default()
        };
        encoder.write_frame(&frame).unwrap();
        drop(encoder);
        let shown = decode_gif(&file).unwrap();
        assert_eq!((shown.width, shown.height), (4, 3));
        assert_eq!(shown.data[..3], [255; 3]);
        assert_eq!(shown.data[(4 + 1) * 3..(4 + 3) * 3], [200, 0, 0, 0, 0, 0]);
    }

    #[test]
    fn a_picture_of_too_many_pixels_is_refused_by_its_head() {
        let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\x0DIHDR".to_vec();
        let head = [
            &100_000u32.to_be_bytes()[..],
            &100_000u32.to_be_bytes(),
            &[8, 0, 0, 0, 0],
        ]
        .concat();
        file.extend(&head);
        let mut sum = flate2::Crc::new();
        sum.update(b"IHDR");
        sum.update(&head);
        file.extend(sum.sum().to_be_bytes());
        file.extend(b"\0\0\0\0IDAT\x35\xAF\x06\x1E");
        let error = decode_png(&file).unwrap_err().to_string();
        assert!(error.contains("100000 × 100000"), "{error}");
        assert!(decode_jpeg(b"\xFF\xD8\xFF\xE0").is_err());
        assert!(decode_gif(b"GIF89a").is_err());
    }
}
