//! Damaged files of every format: an answer or an error, in time and in memory.
//!
//! `REPRISE_MUTANTS` sets how many are made of each file (25 unless set).

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod documents_shared;

use std::path::Path;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reprise::documents::document::{Limits, ReadError};
use reprise::documents::helper::{Helper, serve};

/// Serves the other tests as their helper process.
#[test]
#[ignore = "is started by the other tests, with a request on standard input"]
fn helper_process() {
    let code = serve(std::io::stdin(), std::io::stdout());
    assert!(code <= 2);
}

fn helper() -> Helper {
    Helper {
        program: std::env::current_exe().unwrap(),
        arguments: ["--ignored", "--exact", "helper_process", "--nocapture"]
            .map(Into::into)
            .to_vec(),
    }
}

const LIMITS: Limits = Limits {
    seconds: 10,
    memory: 512 << 20,
    pages: 2000,
    text: 64 << 20,
    recognise: false,
};

/// One to four changes: flipped bits, swollen numbers, cut and repeated parts.
fn mutate(bytes: &[u8], random: &mut StdRng) -> Vec<u8> {
    let mut mutant = bytes.to_vec();
    for _ in 0..random.random_range(1..=4) {
        if mutant.is_empty() {
            break;
        }
        // Headers decide most: a third of the changes falls into the first part.
        let reach = if random.random_bool(0.3) {
            mutant.len().min(2048)
        } else {
            mutant.len()
        };
        let at = random.random_range(0..reach);
        match random.random_range(0..6) {
            0 => mutant[at] ^= 1 << random.random_range(0..8),
            1 => {
                mutant[at] = *[0, 1, 0x7F, 0x80, 0xFF, b'9']
                    .get(random.random_range(0..6usize))
                    .unwrap()
            }
            2 => {
                let end = (at + 4).min(mutant.len());
                mutant[at..end].fill(0xFF);
            }
            3 => mutant.truncate(at),
            4 => {
                let end = (at + random.random_range(1..64)).min(mutant.len());
                mutant.drain(at..end);
            }
            _ => {
                let end = (at + random.random_range(1..64)).min(mutant.len());
                let part = mutant[at..end].to_vec();
                mutant.splice(at..at, part);
            }
        }
    }
    mutant
}

/// Mutates one file; readers of our own must not panic, and crates must be contained.
fn torture(name: &str, bytes: &[u8], ours: bool) {
    let count = std::env::var("REPRISE_MUTANTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(25);
    let helper = helper();
    let mut random = StdRng::seed_from_u64(20_260_211);
    let (mut read, mut refused, mut contained, mut longest) = (0, 0, 0, Duration::ZERO);
    for index in 0..count {
        let mutant = mutate(bytes, &mut random);
        let start = Instant::now();
        let answer = helper.read(name, &mutant, &LIMITS);
        let took = start.elapsed();
        longest = longest.max(took);
        let keep = |what: &str| {
            let path = std::env::temp_dir().join(format!("reprise-mutant-{index}-{name}"));
            std::fs::write(&path, &mutant).unwrap();
            panic!("{what} on mutant {index} of {name}, kept as {}", path.display());
        };
        match answer {
            Ok(_) => read += 1,
            Err(ReadError::Crashed(what)) if ours => keep(&what),
            Err(ReadError::TooSlow(_)) if ours => keep("too slow"),
            Err(ReadError::Crashed(_) | ReadError::TooSlow(_)) => contained += 1,
            Err(_) => refused += 1,
        }
        assert!(
            took < Duration::from_secs(12),
            "mutant {index} of {name} took {took:?}"
        );
    }
    println!(
        "{name}: {count} mutants, {read} read, {refused} refused, {contained} contained, longest {longest:?}"
    );
}

fn shared(path: &str) -> Option<Vec<u8>> {
    let folder = documents_shared::folder("replicatorbench/original")?;
    Some(std::fs::read(folder.join(path)).unwrap())
}

macro_rules! mutants {
    ($($test:ident: $path:literal, $ours:literal;)*) => {
        $(#[test]
        fn $test() {
            if let Some(bytes) = shared($path) {
                torture(Path::new($path).file_name().unwrap().to_str().unwrap(), &bytes, $ours);
            }
        })*
    };
}

mutants! {
    damaged_pdf: "5/gt/human_report.pdf", false;
    damaged_docx: "37/gt/human_report.docx", false;
    damaged_rds: "3/input/replication_data/COVID replication.rds", true;
    damaged_dta: "30/input/replication_data/Full_wide.dta", true;
    damaged_sav: "37/input/replication_data/Ohtsubo -score-2.sav", true;
    damaged_xlsx: "37/input/replication_data/codebook.xlsx", false;
    damaged_csv: "37/input/replication_data/ohtsubo data.csv", true;
}

/// Serialised R without compression, so that the damage reaches the grammar.
#[test]
fn damaged_plain_rds() {
    let Some(packed) = shared("3/input/replication_data/COVID replication.rds") else {
        return;
    };
    let mut plain = Vec::new();
    std::io::Read::read_to_end(&mut flate2::read::GzDecoder::new(packed.as_slice()), &mut plain).unwrap();
    torture("plain.rds", &plain, true);
}

/// A page of a few hundred bytes that unpacks to a gigabyte.
#[test]
fn a_bomb_ends_within_its_memory() {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    let chunk = vec![b' '; 1 << 20];
    for _ in 0..1024 {
        std::io::Write::write_all(&mut packed, &chunk).unwrap();
    }
    let content = packed.finish().unwrap();
    let mut pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R>>endobj\n"
        .to_vec();
    pdf.extend(format!("4 0 obj<</Filter/FlateDecode/Length {}>>stream\n", content.len()).bytes());
    pdf.extend(&content);
    pdf.extend(b"\nendstream endobj\ntrailer<</Root 1 0 R>>\n%%EOF");
    let answer = helper().read("bomb.pdf", &pdf, &LIMITS);
    assert!(matches!(answer, Err(ReadError::TooBig(512))), "{answer:?}");
}

/// Pages that contain themselves, and a form that draws itself.
#[test]
fn cycles_end() {
    let pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[2 0 R 3 0 R]/Count 2>>endobj\n\
        3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</XObject<</F 5 0 R>>>>>>endobj\n\
        4 0 obj<</Length 5>>stream\n/F Do\nendstream endobj\n\
        5 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Length 11/Resources<</XObject<</F 5 0 R>>>>>>stream\n/F Do /F Do\nendstream endobj\n\
        trailer<</Root 1 0 R>>\n%%EOF";
    let start = Instant::now();
    let answer = helper().read("cycle.pdf", pdf, &Limits { seconds: 5, ..LIMITS });
    println!("{answer:?} after {:?}", start.elapsed());
    assert!(start.elapsed() < Duration::from_secs(7));
}

#[test]
fn an_undamaged_file_comes_through_the_helper_whole() {
    let Some(bytes) = shared("5/gt/human_report.pdf") else {
        return;
    };
    let inside = reprise::documents::read::read("a.pdf", &bytes, &LIMITS).unwrap();
    let outside = helper().read("a.pdf", &bytes, &LIMITS).unwrap();
    assert_eq!(inside, outside);
}

/// A helper that never answers is ended at the deadline; one that dies is named.
#[test]
fn a_silent_helper_is_ended_and_a_dead_one_is_reported() {
    let limits = Limits { seconds: 1, ..LIMITS };
    let endless = Helper {
        program: "tail".into(),
        arguments: ["-f", "/dev/null"].map(Into::into).to_vec(),
    };
    let start = Instant::now();
    assert_eq!(
        endless.read("a.pdf", b"%PDF-", &limits),
        Err(ReadError::TooSlow(1))
    );
    assert!(start.elapsed() < Duration::from_secs(5));
    let dead = Helper {
        program: "false".into(),
        arguments: Vec::new(),
    };
    let answer = dead.read("a.pdf", b"%PDF-", &limits);
    assert!(
        matches!(&answer, Err(ReadError::Crashed(what)) if what.contains("exit status: 1")),
        "{answer:?}"
    );
    let absent = Helper {
        program: "/no/such/program".into(),
        arguments: Vec::new(),
    };
    assert!(matches!(
        absent.read("a.pdf", b"%PDF-", &limits),
        Err(ReadError::Crashed(_))
    ));
}

/// Markup nested so deep that converting it would take for ever, or the whole stack.
#[test]
fn bottomless_nesting_is_contained() {
    let page = format!("<!doctype html><html><body>{}x", "<div>".repeat(400_000));
    let answer = helper().read(
        "deep.html",
        page.as_bytes(),
        &Limits {
            seconds: 20,
            ..LIMITS
        },
    );
    println!("{:?}", answer.as_ref().map(|document| document.text.len()));
    assert!(!matches!(answer, Err(ReadError::TooSlow(_))), "{answer:?}");
}

/// A sheet whose one cell stands in the last corner is not a billion cells.
#[test]
fn a_far_cell_costs_no_memory() {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let mut member = |name: &str, content: &str| {
        archive
            .start_file(name, zip::write::SimpleFileOptions::default())
            .unwrap();
        std::io::Write::write_all(&mut archive, content.as_bytes()).unwrap();
    };
    member(
        "[Content_Types].xml",
        "<Types xmlns='http://schemas.openxmlformats.org/package/2006/content-types'/>",
    );
    member(
        "_rels/.rels",
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship Id='r1' \
         Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument' \
         Target='xl/workbook.xml'/></Relationships>",
    );
    member(
        "xl/workbook.xml",
        "<workbook xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main' \
         xmlns:r='http://schemas.openxmlformats.org/officeDocument/2006/relationships'>\
         <sheets><sheet name='s' sheetId='1' r:id='r1'/></sheets></workbook>",
    );
    member(
        "xl/_rels/workbook.xml.rels",
        "<Relationships xmlns='http://schemas.openxmlformats.org/package/2006/relationships'><Relationship Id='r1' \
         Type='http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet' \
         Target='worksheets/sheet1.xml'/></Relationships>",
    );
    member(
        "xl/worksheets/sheet1.xml",
        "<worksheet xmlns='http://schemas.openxmlformats.org/spreadsheetml/2006/main'><sheetData>\
         <row r='1'><c r='A1'><v>1</v></c></row><row r='1048576'><c r='XFD1048576'><v>2</v></c></row>\
         </sheetData></worksheet>",
    );
    let bytes = archive.finish().unwrap().into_inner();
    let document = helper().read("far.xlsx", &bytes, &LIMITS).unwrap();
    assert_eq!(
        (document.tables[0].rows, document.tables[0].columns.len()),
        (1_048_575, 2)
    );
}

/// Data that unpacks to more than the memory, in each wrapping.
#[test]
fn packed_bombs_end_within_their_memory() {
    let row = b"1,2,3,4,5,6,7,8,9\n".repeat(64 << 10);
    let mut packed = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    std::io::Write::write_all(&mut packed, b"a,b,c,d,e,f,g,h,i\n").unwrap();
    for _ in 0..600 {
        std::io::Write::write_all(&mut packed, &row).unwrap();
    }
    let bytes = packed.finish().unwrap();
    let answer = helper().read("bomb.csv.gz", &bytes, &LIMITS);
    assert_eq!(answer, Err(ReadError::TooBig(512)));
    // An office file whose only part is a gigabyte of spaces.
    for (name, part) in [
        ("bomb.docx", "word/document.xml"),
        ("bomb.xlsx", "xl/workbook.xml"),
    ] {
        let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
        archive
            .start_file(part, zip::write::SimpleFileOptions::default())
            .unwrap();
        let chunk = vec![b' '; 1 << 20];
        for _ in 0..1024 {
            std::io::Write::write_all(&mut archive, &chunk).unwrap();
        }
        let bytes = archive.finish().unwrap().into_inner();
        let answer = helper().read(name, &bytes, &LIMITS);
        assert!(
            matches!(answer, Err(ReadError::TooBig(_) | ReadError::Damaged(_))),
            "{name}: {answer:?}"
        );
    }
}

/// A PDF of one page that shows `content`, with `extra` in its trailer; every
/// offset of its table is wrong, so that it has to be rebuilt.
fn small_pdf(content: &[u8], resources: &str, objects: &[u8], extra: &str) -> Vec<u8> {
    let mut pdf = b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"
        .to_vec();
    pdf.extend(
        format!(
            "3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<{resources}>>>>endobj\n\
             4 0 obj<</Length {}>>stream\n",
            content.len()
        )
        .bytes(),
    );
    pdf.extend(content);
    pdf.extend(b"\nendstream endobj\n");
    pdf.extend(objects);
    pdf.extend(
        format!("xref\n0 2\n0000000000 65535 f \n0000099999 00000 n \ntrailer<</Root 1 0 R/Size 9{extra}>>\nstartxref\n77777\n%%EOF")
            .bytes(),
    );
    pdf
}

const FONT: &str = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";

#[test]
fn a_broken_table_of_objects_is_rebuilt_and_a_password_is_named() {
    let content = b"BT /F 12 Tf 72 700 Td (b = 0.599, n = 45) Tj ET";
    let whole = helper()
        .read("a.pdf", &small_pdf(content, FONT, b"", ""), &LIMITS)
        .unwrap();
    assert_eq!(whole.pages[0].text.trim(), "b = 0.599, n = 45");
    let locked = "6 0 obj<</Filter/Standard/V 2/R 3/Length 128/P -4/O(aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa)\
                  /U(bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb)>>endobj\n";
    let pdf = small_pdf(
        content,
        FONT,
        locked.as_bytes(),
        "/Encrypt 6 0 R/ID[(abcdefghijklmnop)(abcdefghijklmnop)]",
    );
    let answer = helper().read("locked.pdf", &pdf, &LIMITS);
    assert!(matches!(&answer, Err(ReadError::Encrypted(_))), "{answer:?}");
    assert!(answer.unwrap_err().to_string().contains("without a password"));
}

/// A page that is a picture is said to be one, and goes to `tesseract` where that is wanted.
#[test]
fn a_picture_of_text_is_named_and_recognised() {
    let picture = "5 0 obj<</Type/XObject/Subtype/Image/Width 8/Height 8/ColorSpace/DeviceGray/BitsPerComponent 8/Length 64>>stream\n";
    let mut objects = picture.as_bytes().to_vec();
    objects.extend([b'x'; 64]);
    objects.extend(b"\nendstream endobj\n");
    let pdf = small_pdf(b"600 0 0 700 0 0 cm /I Do", "/XObject<</I 5 0 R>>", &objects, "");
    let plain = helper().read("scan.pdf", &pdf, &LIMITS).unwrap();
    assert!(
        plain
            .notes
            .iter()
            .any(|note| note.contains("no text layer on pages 1")),
        "{:?}",
        plain.notes
    );
    let folder = tempfile::tempdir().unwrap();
    let script = folder.path().join("tesseract");
    // The picture arrives as a PGM of 8 by 8; its head is shown to have come.
    std::fs::write(
        &script,
        "#!/bin/sh\nhead -n 2 | tr '\\n' ' '\necho seen\ncat >/dev/null\n",
    )
    .unwrap();
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let plain = helper();
    let mut arguments = vec![format!("PATH={}:/usr/bin:/bin", folder.path().display()).into()];
    arguments.push(plain.program.clone().into_os_string());
    arguments.extend(plain.arguments);
    let with_script = Helper {
        program: "/usr/bin/env".into(),
        arguments,
    };
    let limits = Limits {
        recognise: true,
        ..LIMITS
    };
    let read = with_script.read("scan.pdf", &pdf, &limits).unwrap();
    assert_eq!(read.pages[0].text.trim(), "P5 8 8 seen");
    assert!(
        read.notes.iter().any(|note| note.contains("tesseract read")),
        "{:?}",
        read.notes
    );
}
