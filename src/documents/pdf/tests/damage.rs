//! Files that can be opened and not be read.

use lopdf::{Dictionary, Object, Stream, dictionary};

use super::{TestPdf, shown};
use crate::documents::limits::{Limits, ReadError};
use crate::documents::pdf::read::read;

fn refused(bytes: Vec<u8>) -> String {
    match read(bytes, &Limits::default()) {
        Err(ReadError::Damaged(why)) => why,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_page_tree_that_is_a_circle_is_an_error_that_names_it() {
    let mut pdf = TestPdf::new();
    let tree = pdf.tree;
    let below = pdf.document.add_object(dictionary! {
        "Type" => "Pages", "Count" => 3, "Kids" => vec![tree.into()]
    });
    pdf.pages.push(below);
    let why = refused(pdf.bytes());
    assert!(
        why.contains("circle") && why.contains(&format!("node {} 0", tree.0)),
        "{why}"
    );
    let why = refused(TestPdf::new().bytes());
    assert!(why.contains("holds no page"), "{why}");
}

#[test]
fn a_page_whose_content_cannot_be_decoded_is_named() {
    let mut pdf = TestPdf::of(&shown("F", 10.0, [72.0, 700.0], "whole"));
    let text: String = (0..400)
        .map(|line| {
            shown(
                "F",
                10.0,
                [72.0, 790.0 - f64::from(line)],
                &format!("line {line}"),
            )
        })
        .collect();
    let mut packed = Stream::new(Dictionary::new(), text.into_bytes());
    packed.compress().unwrap();
    packed.content.truncate(packed.content.len() / 2);
    let half = pdf.document.add_object(packed);
    pdf.page_of(half.into());
    let filter = dictionary! { "Filter" => "FlateDecode" };
    let noise = pdf
        .document
        .add_object(Stream::new(filter, b"no such data".to_vec()));
    let whole = pdf
        .document
        .add_object(Stream::new(Dictionary::new(), b"q Q".to_vec()));
    pdf.page_of(Object::Array(vec![whole.into(), noise.into()]));
    let text = pdf.read();
    assert!(
        text.notes.len() == 1 && text.notes[0].contains("content of pages 2-3 is damaged"),
        "{:?}",
        text.notes
    );
}
