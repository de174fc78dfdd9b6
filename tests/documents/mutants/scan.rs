//! Pages that are pictures of text, and what `tesseract` makes of them.

use std::collections::HashMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use reprise::documents::document::Document;

use reprise::documents::helper::Helper;
use reprise::documents::limits::Limits;
use reprise::documents::pdf::read::read;
use reprise::documents::picture::raster::decode_png;
use reprise::documents::picture::view::{PictureRequest, view};

use crate::mutants::{LIMITS, helper};
use crate::need;
use crate::shared;

/// Least share of a page's words that are recognised in its picture.
const LEAST: f64 = 0.97;

/// Limits under which a busy machine has the time to recognise a page.
const RECOGNISE: Limits = Limits {
    seconds: 600,
    recognise: true,
    ..LIMITS
};

/// A page of 8.5 by 11 inches that is a picture and nothing else: grey values
/// from the top left. `entries` go into the page, `place` puts the unit square.
fn scanned(width: u32, height: u32, grey: &[u8], entries: &str, place: &str) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    packed.write_all(grey).unwrap();
    let packed = packed.finish().unwrap();
    let content = format!("{place} cm /I Do");
    let mut file = format!(
        "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
         3 0 obj<</Type/Page/Parent 2 0 R{entries}/Contents 4 0 R/Resources<</XObject<</I 5 0 R>>>>>>endobj\n\
         4 0 obj<</Length {}>>stream\n{content}\nendstream endobj\n\
         5 0 obj<</Type/XObject/Subtype/Image/Width {width}/Height {height}/ColorSpace/DeviceGray/BitsPerComponent 8\
         /Filter/FlateDecode/Length {}>>stream\n",
        content.len(),
        packed.len()
    )
    .into_bytes();
    file.extend(packed);
    file.extend(b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF");
    file
}

/// A grey square of no meaning, as a page.
fn blank() -> Vec<u8> {
    scanned(8, 8, &[b'x'; 64], "/MediaBox[0 0 612 792]", "600 0 0 700 0 0")
}

/// A helper that finds programs in one folder alone.
fn helper_with(programs: &Path) -> Helper {
    let plain = helper();
    let mut arguments = vec![format!("PATH={}", programs.display()).into()];
    arguments.push(plain.program.into_os_string());
    arguments.extend(plain.arguments);
    Helper {
        program: "/usr/bin/env".into(),
        arguments,
    }
}

fn script(folder: &Path, lines: &str) {
    let script = folder.join("tesseract");
    std::fs::write(&script, format!("#!/bin/sh\nPATH=/usr/bin:/bin\n{lines}\n")).unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
}

/// A page that is a picture is said to be one, and goes to `tesseract` where that is wanted.
#[test]
fn a_picture_of_text_is_named_and_recognised() {
    let plain = helper()
        .read(
            "scan.pdf",
            &blank(),
            &Limits {
                recognise: false,
                ..RECOGNISE
            },
        )
        .unwrap();
    assert_eq!(
        plain.notes,
        [
            "There is no text layer on page 1: it is a picture of text, and only optical character recognition can \
             read it (`reprise read --ocr`)."
        ]
    );
    let folder = tempfile::tempdir().unwrap();
    // The page arrives as a PGM of 300 dots per inch; its head is shown to have come.
    script(
        folder.path(),
        "head -n 2 | tr '\\n' ' '\necho \"$@\"\ncat >/dev/null",
    );
    let read = helper_with(folder.path())
        .read("scan.pdf", &blank(), &RECOGNISE)
        .unwrap();
    assert_eq!(read.pages[0].text.trim(), "P5 2550 3300 stdin stdout --dpi 300");
    assert_eq!(
        read.notes,
        ["Page 1 is a picture that tesseract read; check numbers against the page."]
    );
}

#[test]
fn without_tesseract_the_way_to_it_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let read = helper_with(folder.path())
        .read("scan.pdf", &blank(), &RECOGNISE)
        .unwrap();
    assert!(
        read.notes[0].starts_with("Page 1 was not recognised: tesseract")
            && read.notes[0].contains("apt-get install tesseract-ocr tesseract-ocr-eng"),
        "{:?}",
        read.notes
    );
    script(folder.path(), "cat >/dev/null; echo 'no model' >&2; exit 1");
    let read = helper_with(folder.path())
        .read("scan.pdf", &blank(), &RECOGNISE)
        .unwrap();
    assert_eq!(
        read.notes,
        [
            "Page 1 was not recognised: tesseract failed: no model.",
            "There is no text layer on page 1: it is a picture in which no text was recognised."
        ]
    );
}

fn words(text: &str) -> Vec<String> {
    text.split(|character: char| !character.is_alphanumeric())
        .filter(|word| word.chars().count() > 1)
        .map(str::to_lowercase)
        .collect()
}

/// The share of the first text's words that the second holds, each as often.
fn recall(wanted: &str, held: &str) -> f64 {
    let mut left: HashMap<String, usize> = HashMap::new();
    for word in words(held) {
        *left.entry(word).or_default() += 1;
    }
    let wanted = words(wanted);
    let found = wanted.iter().filter(|word| {
        left.get_mut(*word)
            .is_some_and(|count| count.checked_sub(1).map(|less| *count = less).is_some())
    });
    found.count() as f64 / wanted.len() as f64
}

/// Whether the real program is here.
fn tesseract() -> bool {
    need::program("tesseract", "apt-get install tesseract-ocr tesseract-ocr-eng").is_some()
}

/// The picture of a page at 300 dots per inch: its sides and its grey values.
fn picture(paper: &[u8], page: u32) -> (u32, u32, Vec<u8>) {
    let wanted = PictureRequest {
        page,
        side: 3_300,
        bytes: 64 << 20,
    };
    let drawn = decode_png(&view(paper.to_vec(), &wanted).unwrap().bytes).unwrap();
    let grey = drawn.data.chunks(drawn.channels).map(|pixel| pixel[0]).collect();
    (drawn.width, drawn.height, grey)
}

/// Turned a quarter to the left: what was the right edge is the upper one.
fn turned((width, height, grey): &(u32, u32, Vec<u8>)) -> (u32, u32, Vec<u8>) {
    let (across, down) = (*width as usize, *height as usize);
    let turned = (0..across)
        .rev()
        .flat_map(|x| (0..down).map(move |y| grey[y * across + x]))
        .collect();
    (*height, *width, turned)
}

fn check(name: &str, scan: &[u8], wanted: &str) -> Document {
    let read = helper().read("scan.pdf", scan, &RECOGNISE).unwrap();
    let share = recall(wanted, &read.pages[0].text);
    println!("{name}: {share:.4} of {} words recognised", words(wanted).len());
    assert!(share >= LEAST, "{name}: {share}\n{}", read.pages[0].text);
    assert!(
        read.notes.iter().any(|note| note.contains("tesseract read")),
        "{:?}",
        read.notes
    );
    read
}

/// A page of a paper as a scanner gives it, upright and fed in sideways.
#[test]
fn the_words_of_a_scanned_page_are_recognised() {
    if !tesseract() {
        return;
    }
    let paper = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/studies/duncan-1961/input/original_paper.pdf"
    );
    let paper = std::fs::read(paper).unwrap();
    let text = read(paper.clone(), &Limits::default()).unwrap().pages[0]
        .text
        .clone();
    assert!(words(&text).len() > 500);
    let upright = picture(&paper, 1);
    let scan = scanned(
        upright.0,
        upright.1,
        &upright.2,
        "/MediaBox[0 0 612 792]",
        "612 0 0 792 0 0",
    );
    check("upright", &scan, &text);
    let sideways = turned(&upright);
    let scan = scanned(
        sideways.0,
        sideways.1,
        &sideways.2,
        "/MediaBox[0 0 792 612]/Rotate 90",
        "792 0 0 612 0 0",
    );
    check("sideways", &scan, &text);
}

/// A published page, and each paper of the shared studies that has no text of its own.
#[test]
fn pages_of_the_shared_papers_are_recognised() {
    let Some(folder) = shared::folder("replicatorbench/original") else {
        return;
    };
    if !tesseract() {
        return;
    }
    let paper = std::fs::read(folder.join("6/input/original_paper.pdf")).unwrap();
    let text = read(paper.clone(), &Limits::default()).unwrap().pages[1]
        .text
        .clone();
    let page = picture(&paper, 2);
    let scan = scanned(
        page.0,
        page.1,
        &page.2,
        "/MediaBox[0 0 612 792]",
        "612 0 0 792 0 0",
    );
    check("study 6, page 2", &scan, &text);
    for path in shared::files(&folder) {
        if path.extension().is_none_or(|extension| extension != "pdf") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let plain = read(bytes.clone(), &Limits { pages: 1, ..LIMITS }).unwrap();
        if plain
            .pages
            .iter()
            .any(|page| page.images == 0 || !page.text.trim().is_empty())
        {
            continue;
        }
        let limits = Limits {
            pages: 1,
            ..RECOGNISE
        };
        let scan = helper().read("scan.pdf", &bytes, &limits).unwrap();
        let count = words(&scan.pages[0].text).len();
        println!("{}: {count} words on its first page", path.display());
        assert!(count >= 50, "{}: {}", path.display(), scan.pages[0].text);
    }
}
