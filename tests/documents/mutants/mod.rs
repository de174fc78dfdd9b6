//! Damaged files of every format: an answer or an error, in time and in memory.
//! Files made to do harm, and pages that are pictures of text, stand beside them.
//!
//! `REPRISE_MUTANTS` sets how many are made of each file (25 unless set).

mod hostile;
mod scan;

use std::path::Path;
use std::time::{Duration, Instant};

use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use reprise::documents::helper::{Helper, serve};
use reprise::documents::limits::{Limits, ReadError};
use reprise::domain::lenient_json::parse;

use crate::need::PATIENCE;
use crate::shared;

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
        arguments: ["--ignored", "--exact", "mutants::helper_process", "--nocapture"]
            .map(Into::into)
            .to_vec(),
    }
}

const LIMITS: Limits = Limits {
    seconds: 60,
    memory: 512 << 20,
    pages: 2000,
    text: 64 << 20,
    recognise: false,
    pictures: 0,
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

/// How many mutants are made of each file.
fn mutants() -> usize {
    std::env::var("REPRISE_MUTANTS")
        .ok()
        .and_then(|count| count.parse().ok())
        .unwrap_or(25)
}

/// Mutates one file; readers of our own must not panic, and crates must be contained.
fn torture(name: &str, bytes: &[u8], ours: bool) {
    let count = mutants();
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
            took < Duration::from_secs(LIMITS.seconds) + PATIENCE,
            "mutant {index} of {name} took {took:?}"
        );
    }
    println!(
        "{name}: {count} mutants, {read} read, {refused} refused, {contained} contained, longest {longest:?}"
    );
}

fn shared(path: &str) -> Option<Vec<u8>> {
    let folder = shared::folder("replicatorbench/original")?;
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

/// JSON as models write it: what is read of a mutant is JSON when it is written again.
#[test]
fn damaged_json() {
    let sound = r#"{"claim": {"b": -0.599, "n": 45, "p": "< .001"}, // focal
        'focal': [True, None, +1, .5, "a é \"quoted\" line",], "empty": {}, "text": """two
lines""", "interval": {"low": 1e-3, "high": 2.5E+2}}"#;
    let mut random = StdRng::seed_from_u64(20_260_211);
    let (mut read, mut refused) = (0, 0);
    for index in 0..mutants() {
        let mutant = String::from_utf8_lossy(&mutate(sound.as_bytes(), &mut random)).into_owned();
        match parse(&mutant) {
            Ok(parsed) => {
                read += 1;
                let written = serde_json::to_string(&parsed.value).unwrap();
                let again = parse(&written).unwrap();
                assert!(
                    again.repairs.is_empty() && again.value == parsed.value,
                    "{index}: {mutant}"
                );
            }
            Err(_) => refused += 1,
        }
    }
    println!("JSON: {read} read, {refused} refused");
    assert!(read > 0 && refused > 0);
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
    assert_eq!(
        endless.read("a.pdf", b"%PDF-", &limits),
        Err(ReadError::TooSlow(1))
    );
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
