//! Copies of PDFs that `lopdf` writes for the purpose, read again by `lopdf` and by our reader.

mod files;

use std::collections::BTreeMap;

use lopdf::{Dictionary, Document, Object, ObjectId, Stream, decode_text_string, dictionary};

use crate::documents::limits::Limits;
use crate::documents::pdf::marks::copy::{is_marked_copy, mark};
use crate::documents::pdf::marks::request::{Mark, MarkRequest, MarkedPart, PageNote};
use crate::documents::read::read;

/// Width of a character of Courier at 10 points, and a height that no digit exceeds.
const WIDTH: f64 = 6.0;
const HEIGHT: f64 = 6.0;

/// Some text of a page: what the text matrix is, and the line that is drawn with it.
type DrawnLine = ([f64; 6], &'static str);

/// A line that runs to the right from a point.
fn line(x: f64, y: f64, text: &'static str) -> DrawnLine {
    ([1.0, 0.0, 0.0, 1.0, x, y], text)
}

/// A page of its own: what its dictionary holds besides, and its lines.
struct TestPage {
    extra: Dictionary,
    lines: Vec<DrawnLine>,
}

impl TestPage {
    fn new(lines: Vec<DrawnLine>) -> Self {
        Self {
            extra: Dictionary::new(),
            lines,
        }
    }
}

/// A document whose pages inherit their size from the page tree.
fn built(pages: Vec<TestPage>) -> (Document, Vec<ObjectId>) {
    let mut document = Document::with_version("1.5");
    let tree = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier", "Encoding" => "WinAnsiEncoding"
    });
    let mut kids = Vec::new();
    for page in pages {
        let mut content = String::new();
        for (matrix, text) in &page.lines {
            let matrix: Vec<String> = matrix.iter().map(f64::to_string).collect();
            content.push_str(&format!("BT /F 10 Tf {} Tm ({text}) Tj ET\n", matrix.join(" ")));
        }
        let content = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
        let mut dictionary = dictionary! { "Type" => "Page", "Parent" => tree, "Contents" => content };
        dictionary.extend(&page.extra);
        kids.push(document.add_object(dictionary));
    }
    let pages: Vec<Object> = kids.iter().map(|kid| (*kid).into()).collect();
    document.set_object(
        tree,
        dictionary! {
            "Type" => "Pages", "Count" => pages.len() as i64, "Kids" => pages,
            "MediaBox" => vec![0.into(), 0.into(), 600.into(), 800.into()],
            "Resources" => dictionary! { "Font" => dictionary! { "F" => font } }
        },
    );
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => tree });
    document.trailer.set("Root", root);
    (document, kids)
}

fn bytes(document: &mut Document) -> Vec<u8> {
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

fn simple(pages: Vec<TestPage>) -> Vec<u8> {
    bytes(&mut built(pages).0)
}

/// The marks of the lines of a page that hold some texts, all in one annotation.
fn marks(pdf: &[u8], page: u32, texts: &[&str]) -> MarkRequest {
    let document = read("paper.pdf", pdf, &Limits::default()).unwrap();
    let lines = &document.pages[page as usize - 1].lines;
    let parts = texts.iter().map(|text| {
        let (line, start) = lines
            .iter()
            .find_map(|line| Some((line, line.text.find(text)?)))
            .unwrap_or_else(|| panic!("no line of {lines:?} holds {text}"));
        MarkedPart {
            line: line.text.clone(),
            bytes: start..start + text.len(),
            area: line.area,
            below: None,
        }
    });
    MarkRequest {
        marks: vec![Mark {
            page,
            parts: parts.collect(),
            colour: [0.5, 1.0, 0.5],
            note: "claim.statement – “é”".to_owned(),
        }],
        notes: Vec::new(),
    }
}

/// The annotations of each page of a copy.
fn annotations(pdf: &[u8]) -> Vec<Vec<Dictionary>> {
    let document = Document::load_mem(pdf).unwrap();
    let pages: BTreeMap<u32, ObjectId> = document.get_pages();
    let own = pages
        .values()
        .map(|page| document.get_page_annotations(*page).unwrap());
    own.map(|annotations| annotations.into_iter().cloned().collect())
        .collect()
}

/// The bounds of each quad of an annotation.
fn quads(annotation: &Dictionary) -> Vec<[f64; 4]> {
    let numbers: Vec<f64> = annotation
        .get(b"QuadPoints")
        .unwrap()
        .as_array()
        .unwrap()
        .iter()
        .map(|number| f64::from(number.as_float().unwrap()))
        .collect();
    let bounds = |quad: &[f64]| {
        let across = quad.iter().step_by(2).copied();
        let up = quad.iter().skip(1).step_by(2).copied();
        [
            across.clone().fold(f64::INFINITY, f64::min),
            up.clone().fold(f64::INFINITY, f64::min),
            across.fold(f64::NEG_INFINITY, f64::max),
            up.fold(f64::NEG_INFINITY, f64::max),
        ]
    };
    numbers.chunks(8).map(bounds).collect()
}

/// Checks that a quad encloses the characters of a line from one to another, and not those beside them.
fn assert_encloses([left, bottom, right, top]: [f64; 4], matrix: [f64; 6], from: usize, to: usize) {
    let [a, b, c, d, e, f] = matrix;
    let corner = |x: f64, y: f64| (a * x + c * y + e, b * x + d * y + f);
    let inside = |x: f64, y: f64| {
        let (x, y) = corner(x, y);
        x >= left - 0.1 && x <= right + 0.1 && y >= bottom - 0.1 && y <= top + 0.1
    };
    let (first, end) = (from as f64 * WIDTH, to as f64 * WIDTH);
    let shown = [left, bottom, right, top];
    for (x, y) in [(first, 0.0), (end, 0.0), (first, HEIGHT), (end, HEIGHT)] {
        assert!(inside(x, y), "{shown:?} does not hold {:?}", corner(x, y));
    }
    for (x, y) in [(first - 3.0, 3.0), (end + 3.0, 3.0), (first, 11.0), (first, -6.0)] {
        assert!(!inside(x, y), "{shown:?} holds {:?} too", corner(x, y));
    }
}

fn text(pdf: &[u8]) -> String {
    read("paper.pdf", pdf, &Limits::default()).unwrap().whole_text()
}

#[test]
fn a_number_is_enclosed_on_a_plain_page_and_the_note_says_its_field() {
    let pdf = simple(vec![TestPage::new(vec![
        line(72.0, 700.0, "The effect is 0.45 of it, not 0.54"),
        line(72.0, 688.0, "and the effect of 0.45 is another"),
    ])]);
    let copy = mark(&pdf, &marks(&pdf, 1, &["0.45 of"])).unwrap();
    assert!(copy.unplaced.is_empty());
    assert!(copy.pdf.starts_with(&pdf), "the file itself was changed");
    assert_eq!(text(&copy.pdf), text(&pdf));
    assert!(is_marked_copy(&copy.pdf) && !is_marked_copy(&pdf));
    let all = annotations(&copy.pdf);
    let [highlight] = &all[0][..] else {
        panic!("{all:?}");
    };
    assert_encloses(quads(highlight)[0], [1.0, 0.0, 0.0, 1.0, 72.0, 700.0], 14, 21);
    let said = |key: &[u8]| decode_text_string(highlight.get(key).unwrap()).unwrap();
    assert_eq!(said(b"Contents"), "claim.statement – “é”");
    assert_eq!(said(b"T"), "reprise");
    assert_eq!(
        highlight.get(b"Subtype").unwrap().as_name().unwrap(),
        b"Highlight"
    );
    assert_eq!(highlight.get(b"F").unwrap().as_i64().unwrap() & 4, 4);
    let appearance = highlight.get(b"AP").unwrap().as_dict().unwrap();
    assert!(appearance.get(b"N").unwrap().as_reference().is_ok());
}

#[test]
fn a_number_is_enclosed_on_pages_that_are_turned_and_cut() {
    // The text runs to the right as the page is shown, or up the page itself.
    for (turn, [a, b, c, d]) in [
        (0, [1.0, 0.0, 0.0, 1.0]),
        (90, [0.0, 1.0, -1.0, 0.0]),
        (180, [-1.0, 0.0, 0.0, -1.0]),
        (270, [0.0, -1.0, 1.0, 0.0]),
        (90, [1.0, 0.0, 0.0, 1.0]),
        (0, [0.0, 1.0, -1.0, 0.0]),
    ] {
        let matrix = [a, b, c, d, 300.0, 400.0];
        let mut page = TestPage::new(vec![(matrix, "an effect of 0.45 there")]);
        page.extra.set("Rotate", turn);
        page.extra
            .set("CropBox", vec![50.into(), 120.into(), 560.into(), 700.into()]);
        let pdf = simple(vec![page]);
        let mut request = marks(&pdf, 1, &["0.45"]);
        request.notes.push(PageNote {
            page: 1,
            colour: [1.0, 0.0, 0.0],
            text: "absent".to_owned(),
        });
        let copy = mark(&pdf, &request).unwrap();
        let all = annotations(&copy.pdf);
        assert_encloses(quads(&all[0][0])[0], matrix, 13, 17);
        let note: Vec<f32> = all[0][1]
            .get(b"Rect")
            .unwrap()
            .as_array()
            .unwrap()
            .iter()
            .map(|edge| edge.as_float().unwrap())
            .collect();
        // In the corner that is shown as the upper left one.
        let corner = match turn {
            0 => (60.0, 690.0),
            90 => (60.0, 130.0),
            180 => (550.0, 130.0),
            _ => (550.0, 690.0),
        };
        assert!(
            note[0] - 0.1 <= corner.0
                && corner.0 <= note[2] + 0.1
                && note[1] - 0.1 <= corner.1
                && corner.1 <= note[3] + 0.1,
            "{turn}: {note:?}"
        );
    }
}

#[test]
fn a_quotation_over_two_lines_is_one_mark_of_two_quads() {
    let pdf = simple(vec![TestPage::new(vec![
        line(72.0, 700.0, "It is said that the effect grows"),
        line(72.0, 688.0, "with every year of it, and more"),
    ])]);
    let copy = mark(&pdf, &marks(&pdf, 1, &["the effect grows", "with every year"])).unwrap();
    let all = annotations(&copy.pdf);
    let [upper, lower] = quads(&all[0][0])[..] else {
        panic!("{all:?}");
    };
    assert_encloses(upper, [1.0, 0.0, 0.0, 1.0, 72.0, 700.0], 16, 32);
    assert_encloses(lower, [1.0, 0.0, 0.0, 1.0, 72.0, 688.0], 0, 15);
}

#[test]
fn what_has_no_place_is_in_the_note_of_its_page() {
    let pdf = simple(vec![TestPage::new(vec![line(
        72.0,
        700.0,
        "nothing of the kind",
    )])]);
    let mut request = marks(&pdf, 1, &["kind"]);
    request.marks[0].parts[0].line = "0.45 altogether".to_owned();
    request.marks[0].parts[0].bytes = 0..4;
    let copy = mark(&pdf, &request).unwrap();
    assert_eq!(copy.unplaced, [0]);
    let all = annotations(&copy.pdf);
    let said = decode_text_string(all[0][0].get(b"Contents").unwrap()).unwrap();
    assert!(
        said.starts_with("Somewhere on this page: claim.statement"),
        "{said}"
    );
}
