//! Pages drawn as pictures, beside `pdftoppm`; and image files within limits.

use std::path::Path;
use std::process::Command;

use reprise::documents::limits::ReadError;
use reprise::documents::picture::raster::{Raster, decode_png};
use reprise::documents::picture::view::{PictureRequest, View, view};

use crate::need::need;
use crate::shared;

/// Pixels of the longer side of what is compared.
const SIDE: u32 = 600;
/// Blocks each way over which the ink is compared.
const BLOCKS: u32 = 60;

/// Mean darkness of each block of a picture.
fn ink(raster: Raster) -> Vec<f64> {
    let channels = raster.channels;
    raster
        .sampled(BLOCKS, BLOCKS)
        .data
        .chunks_exact(channels)
        .map(|pixel| 255.0 - pixel.iter().map(|value| f64::from(*value)).sum::<f64>() / channels as f64)
        .collect()
}

fn correlation(one: &[f64], two: &[f64]) -> f64 {
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    let (a, b) = (mean(one), mean(two));
    let sum = |f: &dyn Fn(f64, f64) -> f64| one.iter().zip(two).map(|(x, y)| f(x - a, y - b)).sum::<f64>();
    let spread = (sum(&|x, _| x * x) * sum(&|_, y| y * y)).sqrt();
    if spread == 0.0 {
        1.0
    } else {
        sum(&|x, y| x * y) / spread
    }
}

fn drawn(path: &Path, page: u32) -> View {
    let wanted = PictureRequest {
        page,
        side: SIDE,
        ..PictureRequest::default()
    };
    view(std::fs::read(path).unwrap(), &wanted).unwrap()
}

fn by_poppler(path: &Path, page: u32, folder: &Path) -> Option<Raster> {
    let page = page.to_string();
    let out = folder.join("page");
    let status = Command::new("pdftoppm")
        .args([
            "-singlefile",
            "-cropbox",
            "-png",
            "-f",
            &page,
            "-l",
            &page,
            "-scale-to",
            &SIDE.to_string(),
        ])
        .arg(path)
        .arg(&out)
        .stderr(std::process::Stdio::null())
        .status();
    match status {
        Err(_) => None,
        Ok(status) => {
            assert!(status.success(), "{}", path.display());
            Some(decode_png(&std::fs::read(out.with_extension("png")).unwrap()).unwrap())
        }
    }
}

#[test]
fn pages_look_as_another_program_draws_them() {
    let Some(folder) = shared::folder("replicatorbench/original") else {
        return;
    };
    let out = tempfile::tempdir().unwrap();
    let mut worst = (1.0, String::new());
    let mut compared = 0;
    for path in shared::files(&folder) {
        if path.extension().is_none_or(|extension| extension != "pdf") {
            continue;
        }
        let first = drawn(&path, 1);
        // A page in the middle, where tables and figures are.
        let page = first.pages.unwrap().div_ceil(2);
        let ours = drawn(&path, page);
        let drawn_there = by_poppler(&path, page, out.path());
        let Some(theirs) =
            need(drawn_there.ok_or("pdftoppm is not installed: apt-get install poppler-utils"))
        else {
            return;
        };
        let shape = |width: u32, height: u32| f64::from(width) / f64::from(height);
        let name = path.strip_prefix(&folder).unwrap().display().to_string();
        assert!(
            (shape(ours.width, ours.height) - shape(theirs.width, theirs.height)).abs() < 0.02,
            "{name} is {} × {}",
            ours.width,
            ours.height
        );
        let alike = correlation(&ink(decode_png(&ours.bytes).unwrap()), &ink(theirs));
        println!("{name:<40} page {page:>3} {alike:.4} {:?}", ours.notes);
        if alike < worst.0 {
            worst = (alike, format!("{name} page {page}"));
        }
        compared += 1;
    }
    println!("{compared} pages, worst {worst:?}");
    // Thin rules and small type are darker in the other program: the least alike page is a table of rules.
    assert!(compared >= 30 && worst.0 > 0.8, "{worst:?}");
}

#[test]
fn a_page_that_is_not_there_is_named() {
    let Some(folder) = shared::folder("replicatorbench/original/6/input") else {
        return;
    };
    let paper = std::fs::read(folder.join("original_paper.pdf")).unwrap();
    for page in [0, 9_999] {
        let wanted = PictureRequest {
            page,
            ..PictureRequest::default()
        };
        let error = view(paper.clone(), &wanted).unwrap_err();
        assert!(
            matches!(&error, ReadError::Unsupported(what) if what.contains("the document has")),
            "{error}"
        );
    }
}
