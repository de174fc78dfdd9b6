//! Files made to do harm: each ends in one outcome, which has a name.

use std::fmt::Write as _;
use std::io::Write as _;

use reprise::documents::document::Document;

use reprise::documents::limits::{Limits, ReadError};

use crate::mutants::{LIMITS, helper};

/// Bounds in which time does not run out, however slow the machine is.
const PATIENT: Limits = Limits {
    seconds: 600,
    ..LIMITS
};

/// Bounds in which only memory can run out.
const TIGHT: Limits = Limits {
    memory: 64 << 20,
    ..PATIENT
};

/// The pages that were read, the beginning of the first and the notes; or the error in full.
fn outcome(answer: Result<Document, ReadError>) -> String {
    let document = match answer {
        Ok(document) => document,
        Err(error) => return format!("{error:?}"),
    };
    let first = document.pages.first().map_or("", |page| page.text.trim());
    let begin: String = first.chars().take(20).collect();
    let mut outcome = format!("{} read: {begin}", document.pages.len());
    for note in &document.notes {
        write!(outcome, " [{note}]").unwrap();
    }
    outcome
}

/// A stream of `count` times `unit`, packed as often as `filters` are named.
fn packed(unit: &[u8], count: usize, times: usize) -> Vec<u8> {
    let mut packed = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
    for _ in 0..count {
        packed.write_all(unit).unwrap();
    }
    let mut packed = packed.finish().unwrap();
    for _ in 1..times {
        let mut again = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::best());
        again.write_all(&packed).unwrap();
        packed = again.finish().unwrap();
    }
    packed
}

/// A file of these numbered objects, without a table: readers have to find them.
fn pdf(objects: &[(u32, Vec<u8>)]) -> Vec<u8> {
    let mut file = b"%PDF-1.4\n".to_vec();
    for (number, object) in objects {
        write!(file, "{number} 0 obj").unwrap();
        file.extend(object);
        file.extend(b"endobj\n");
    }
    file.extend(b"trailer<</Root 1 0 R>>\n%%EOF");
    file
}

fn stream(entries: &str, content: &[u8]) -> Vec<u8> {
    let mut stream = format!("<<{entries}/Length {}>>stream\n", content.len()).into_bytes();
    stream.extend(content);
    stream.extend(b"\nendstream ");
    stream
}

/// A page tree of the given children.
fn tree(kids: &str, count: usize) -> Vec<(u32, Vec<u8>)> {
    vec![
        (1, b"<</Type/Catalog/Pages 2 0 R>>".to_vec()),
        (
            2,
            format!("<</Type/Pages/Kids[{kids}]/Count {count}>>").into_bytes(),
        ),
    ]
}

/// One page with these resources and this content stream.
fn page(resources: &str, content: Vec<u8>, more: Vec<(u32, Vec<u8>)>) -> Vec<u8> {
    let mut objects = tree("3 0 R", 1);
    let page =
        format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<{resources}>>>>");
    objects.extend([(3, page.into_bytes()), (4, content)]);
    objects.extend(more);
    pdf(&objects)
}

const FONT: &str = "/Font<</F<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>>>";
/// What comes of a page that shows [`TEXT`].
const READ: &str = "1 read: b = 0.599, n = 45";
const TEXT: &[u8] = b"BT /F 12 Tf 72 700 Td (b = 0.599, n = 45) Tj ET";

fn fixture(name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/pdf/");
    std::fs::read(format!("{folder}{name}")).unwrap()
}

/// Pages that all show the same content.
fn many_pages(count: usize) -> Vec<u8> {
    let kids: String = (10..10 + count).map(|number| format!("{number} 0 R ")).collect();
    let mut objects = tree(&kids, count);
    objects.push((4, stream("", TEXT)));
    objects.extend((10..10 + count as u32).map(|number| {
        let page =
            format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<<{FONT}>>>>");
        (number, page.into_bytes())
    }));
    pdf(&objects)
}

#[test]
fn each_hostile_pdf_has_one_outcome() {
    let sound = page(FONT, stream("", TEXT), Vec::new());
    let bomb = |times: usize, filters: &str| {
        page(
            "",
            stream(
                &format!("/Filter[{filters}]"),
                &packed(&[b' '; 1 << 20], 512, times),
            ),
            Vec::new(),
        )
    };
    let drawn_over = b"BT /F 1 Tf (aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa) Tj ET\n"
        .repeat(8_000);
    let form = |number: u32, draws: &str| {
        let entries = "/Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</F 5 0 R/G 6 0 R>>>>";
        (number, stream(entries, draws.as_bytes()))
    };
    let cases: [(&str, Vec<u8>, Limits, &str); 15] = [
        ("sound", sound.clone(), PATIENT, READ),
        (
            "password",
            fixture("password.pdf"),
            PATIENT,
            r#"Encrypted("a password is needed to open it")"#,
        ),
        (
            "empty password, RC4 of 40 bits",
            fixture("empty-password-rc4-40.pdf"),
            PATIENT,
            READ,
        ),
        (
            "empty password, RC4 of 128 bits",
            fixture("empty-password-rc4-128.pdf"),
            PATIENT,
            READ,
        ),
        (
            "empty password, AES of 128 bits",
            fixture("empty-password-aes-128.pdf"),
            PATIENT,
            READ,
        ),
        (
            "empty password, AES of 256 bits",
            fixture("empty-password-aes-256.pdf"),
            PATIENT,
            READ,
        ),
        (
            "cut off in its head",
            sound[..60].to_vec(),
            PATIENT,
            r#"Damaged("it begins like a PDF and breaks off before its end, with no page that can be read; get a whole copy of it")"#,
        ),
        (
            "cut off behind its page",
            sound[..sound.len() - 40].to_vec(),
            PATIENT,
            "1 read:  [The file breaks off before its end: 1 page, of a number that is not known, could be read, and characters may be wrong in them. Get a whole copy of the file before relying on what is missing here.]",
        ),
        (
            "pages within themselves",
            pdf(&tree("2 0 R 2 0 R", 2)),
            PATIENT,
            r#"Damaged("its page tree is a circle that holds no page: node 2 0 is among what stands below it; get a whole copy of it")"#,
        ),
        (
            "forms that draw each other",
            page(
                "/XObject<</F 5 0 R>>",
                stream("", b"/F Do"),
                vec![form(5, "/G Do /G Do"), form(6, "/F Do /F Do")],
            ),
            PATIENT,
            "1 read: ",
        ),
        (
            "too many pages",
            many_pages(2_500),
            PATIENT,
            "2000 read: b = 0.599, n = 45 [Only 2000 of 2500 pages were read; the rest is beyond the limits.]",
        ),
        (
            "too many characters",
            page(FONT, stream("", &drawn_over), Vec::new()),
            PATIENT,
            "1 read: aaaaaaaaaaaaaaaaaaaa [Page 1 draws too many characters; the rest of it was left out.]",
        ),
        ("bomb", bomb(1, "/FlateDecode"), TIGHT, "TooBig(64)"),
        (
            "bomb in a bomb",
            bomb(2, "/FlateDecode/FlateDecode"),
            TIGHT,
            "TooBig(64)",
        ),
        (
            "picture of ten thousand million pixels",
            page(
                "/XObject<</I 5 0 R>>",
                stream("", b"600 0 0 700 0 0 cm /I Do"),
                vec![(
                    5,
                    stream(
                        "/Type/XObject/Subtype/Image/Width 100000/Height 100000/ColorSpace/DeviceGray/BitsPerComponent 8",
                        b"x",
                    ),
                )],
            ),
            Limits {
                pictures: 1 << 20,
                ..TIGHT
            },
            "1 read:  [There is no text layer on page 1: it is a picture of text, and only optical character recognition can read it (`reprise read --ocr`).]",
        ),
    ];
    let mut wrong = Vec::new();
    for (name, file, limits, expected) in cases {
        let found = outcome(helper().read("a.pdf", &file, &limits));
        println!("{name}: {found}");
        if found != expected {
            wrong.push(format!("{name}\n    comes to {found}\n    and not  {expected}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Data that unpacks to more than the memory, in each wrapping.
#[test]
fn packed_bombs_end_within_their_memory() {
    let row = b"1,2,3,4,5,6,7,8,9\n".repeat(64 << 10);
    let mut table = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    table.write_all(b"a,b,c,d,e,f,g,h,i\n").unwrap();
    for _ in 0..160 {
        table.write_all(&row).unwrap();
    }
    let answer = helper().read("bomb.csv.gz", &table.finish().unwrap(), &TIGHT);
    assert_eq!(answer, Err(ReadError::TooBig(64)));
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
        for _ in 0..600 {
            archive.write_all(&chunk).unwrap();
        }
        let answer = helper().read(name, &archive.finish().unwrap().into_inner(), &TIGHT);
        assert_eq!(answer, Err(ReadError::TooBig(64)), "{name}");
    }
}
