//! Pages that are pictures of text, drawn and given to `tesseract` where it is
//! installed and wanted.
//!
//! The page is drawn rather than its image taken: scans come turned, cut into
//! strips and as stencils, and a page as it is shown is none of these.

use std::io::{ErrorKind, Read, Write};
use std::process::{Command, Stdio};

use crate::documents::pdf::lines::Draft;
use crate::documents::picture::raster::Raster;
use crate::domain::excerpt;

/// Dots per inch at which pages are drawn: what tesseract's models were made for.
const DOTS: f64 = 300.0;
/// Most pixels of the longer side; larger pages are drawn more coarsely.
const SIDE: f64 = 5_000.0;
/// Most bytes that are read of what tesseract says.
const MOST: u64 = 4 << 20;

/// The reason for which a picture was not read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unread {
    #[error(
        "tesseract, which reads pages that are pictures, is not installed in /usr/bin or /bin; on Debian and Ubuntu, \
         `apt-get install tesseract-ocr tesseract-ocr-eng` does that"
    )]
    Absent,
    #[error("tesseract failed: {0}")]
    Failed(String),
}

/// Pixels a point at which a page of this size in points is drawn.
pub fn scale(width: f32, height: f32) -> f64 {
    (DOTS / 72.0).min(SIDE / f64::from(width.max(height)).max(1.0))
}

/// The text in a picture that was drawn with so many pixels a point; it may be empty.
pub fn recognise(picture: &Raster, scale: f64) -> Result<String, Unread> {
    let failed = |error: std::io::Error| Unread::Failed(error.to_string());
    let dots = (72.0 * scale).round().max(1.0).to_string();
    let mut child = Command::new("tesseract")
        .args(["stdin", "stdout", "--dpi", &dots])
        // More threads take longer here, and more memory.
        .env("OMP_THREAD_LIMIT", "1")
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .map_err(|error| match error.kind() {
            ErrorKind::NotFound => Unread::Absent,
            _ => failed(error),
        })?;
    let (input, output, errors) = (child.stdin.take(), child.stdout.take(), child.stderr.take());
    let file = grey(picture);
    let (text, complaint) = std::thread::scope(|scope| {
        scope.spawn(move || input.map(|mut input| input.write_all(&file)));
        let complaint = scope.spawn(move || said(errors));
        (said(output), complaint.join().unwrap_or_default())
    });
    let status = child.wait().map_err(failed)?;
    if status.success() {
        return Ok(text);
    }
    Err(Unread::Failed(
        excerpt::last_line(&complaint).map_or_else(|| status.to_string(), str::to_owned),
    ))
}

/// The lines of a text that was recognised, with the gaps between its paragraphs.
pub fn lines(text: &str) -> Vec<Draft> {
    let mut after_gap = false;
    let mut drafts = Vec::new();
    for line in text.lines() {
        if line.trim().is_empty() {
            after_gap = true;
        } else {
            drafts.push(Draft::recognised(line, std::mem::take(&mut after_gap)));
        }
    }
    drafts
}

fn said(stream: Option<impl Read>) -> String {
    let mut bytes = Vec::new();
    if let Some(mut stream) = stream {
        let _ = stream.by_ref().take(MOST).read_to_end(&mut bytes);
        let _ = std::io::copy(&mut stream, &mut std::io::sink());
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// The picture as a binary PGM file: recognition looks at light and dark alone.
fn grey(picture: &Raster) -> Vec<u8> {
    let mut file = format!("P5\n{} {}\n255\n", picture.width, picture.height).into_bytes();
    if picture.channels == 1 {
        file.extend_from_slice(&picture.data);
        return file;
    }
    // Weights of ITU-R BT.601, in 256ths.
    let light = |pixel: &[u8]| match pixel {
        [red, green, blue] => {
            ((77 * u32::from(*red) + 150 * u32::from(*green) + 29 * u32::from(*blue)) >> 8) as u8
        }
        _ => u8::MAX,
    };
    file.extend(picture.data.chunks(3).map(light));
    file
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_becomes_shades_of_grey() {
        let picture = Raster {
            width: 2,
            height: 1,
            channels: 3,
            data: vec![255, 255, 255, 255, 0, 0],
        };
        assert_eq!(grey(&picture), b"P5\n2 1\n255\n\xFF\x4C");
    }

    #[test]
    fn a_wall_chart_is_drawn_more_coarsely_than_a_letter() {
        assert!((scale(612.0, 792.0) - 300.0 / 72.0).abs() < 1e-9);
        assert!((scale(2_500.0, 5_000.0) - 1.0).abs() < 1e-9);
    }

    #[test]
    fn paragraphs_keep_their_gap() {
        let drafts = lines("one\ntwo\n \nthree\n\x0c");
        let read: Vec<_> = drafts
            .iter()
            .map(|draft| (draft.line.text.as_str(), draft.after_gap))
            .collect();
        assert_eq!(read, [("one", false), ("two", false), ("three", true)]);
    }
}
