//! Files that are damaged, encrypted or put together in unusual ways.

use std::sync::LazyLock;

use lopdf::{
    Document, EncryptionState, EncryptionVersion, Object, Permissions, decode_text_string, dictionary,
};
use proptest::prelude::*;

use super::{TestPage, annotations, assert_encloses, built, bytes, line, marks, quads, simple, text};
use crate::documents::limits::{Limits, ReadError};
use crate::documents::pdf::marks::copy::mark;
use crate::documents::pdf::marks::request::MarkRequest;
use crate::documents::read::read;

#[test]
fn annotations_that_pages_share_stay_and_each_page_has_its_own_besides() {
    let two = || TestPage::new(vec![line(72.0, 700.0, "a mean of 3.14 here")]);
    let (mut document, pages) = built(vec![two(), two()]);
    let link = document.add_object(dictionary! {
        "Type" => "Annot", "Subtype" => "Link", "Rect" => vec![0.into(), 0.into(), 9.into(), 9.into()]
    });
    let shared = document.add_object(vec![Object::Reference(link)]);
    for page in pages {
        document.get_dictionary_mut(page).unwrap().set("Annots", shared);
    }
    let pdf = bytes(&mut document);
    let copy = mark(&pdf, &marks(&pdf, 2, &["3.14"])).unwrap();
    let kinds: Vec<Vec<Vec<u8>>> = annotations(&copy.pdf)
        .iter()
        .map(|page| {
            page.iter()
                .map(|own| own.get(b"Subtype").unwrap().as_name().unwrap().to_vec())
                .collect()
        })
        .collect();
    assert_eq!(
        kinds,
        [
            vec![b"Link".to_vec()],
            vec![b"Link".to_vec(), b"Highlight".to_vec()]
        ]
    );
}

#[test]
fn a_file_whose_table_is_damaged_is_written_anew_and_says_the_same() {
    let whole = simple(vec![TestPage::new(vec![line(
        72.0,
        700.0,
        "a mean of 3.14 here",
    )])]);
    let end = memchr::memmem::rfind(&whole, b"startxref").unwrap();
    let mut pdf = whole[..end].to_vec();
    pdf.extend_from_slice(b"\nstartxref\n7\n%%EOF\n");
    let copy = mark(&pdf, &marks(&pdf, 1, &["3.14"])).unwrap();
    assert!(
        !copy.pdf.starts_with(&pdf),
        "an update of a table that is not there"
    );
    assert_eq!(text(&copy.pdf), text(&whole));
    assert_encloses(
        quads(&annotations(&copy.pdf)[0][0])[0],
        [1.0, 0.0, 0.0, 1.0, 72.0, 700.0],
        10,
        14,
    );
    // Bytes before the file's mark move every place in it.
    let mut late = b"From a server\r\n".to_vec();
    late.extend_from_slice(&whole);
    let copy = mark(&late, &marks(&late, 1, &["3.14"])).unwrap();
    assert_eq!(text(&copy.pdf), text(&whole));
}

#[test]
fn a_page_tree_that_holds_itself_is_walked_once() {
    let (mut document, _) = built(vec![TestPage::new(vec![line(
        72.0,
        700.0,
        "a mean of 3.14 here",
    )])]);
    let root = document
        .catalog()
        .unwrap()
        .get(b"Pages")
        .unwrap()
        .as_reference()
        .unwrap();
    let tree = document.get_dictionary_mut(root).unwrap();
    tree.get_mut(b"Kids")
        .unwrap()
        .as_array_mut()
        .unwrap()
        .push(root.into());
    tree.set("Count", 7);
    let pdf = bytes(&mut document);
    let copy = mark(&pdf, &marks(&pdf, 1, &["3.14"])).unwrap();
    assert_eq!(annotations(&copy.pdf)[0].len(), 1);
}

fn encrypted(user_password: &str) -> Vec<u8> {
    let (mut document, _) = built(vec![TestPage::new(vec![line(
        72.0,
        700.0,
        "a mean of 3.14 here",
    )])]);
    let id = Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    let state = EncryptionState::try_from(EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password,
        key_length: 128,
        permissions: Permissions::PRINTABLE,
    })
    .unwrap();
    document.encrypt(&state).unwrap();
    bytes(&mut document)
}

#[test]
fn an_encrypted_file_stays_encrypted_and_one_with_a_password_is_refused() {
    let pdf = encrypted("");
    let copy = mark(&pdf, &marks(&pdf, 1, &["3.14"])).unwrap();
    assert_eq!(text(&copy.pdf), text(&pdf));
    assert!(memchr::memmem::find(&copy.pdf, b"claim.statement").is_none());
    let said = annotations(&copy.pdf)[0][0].get(b"Contents").cloned().unwrap();
    assert_eq!(decode_text_string(&said).unwrap(), "claim.statement – “é”");
    let closed = mark(&encrypted("secret"), &MarkRequest::default());
    assert!(matches!(closed, Err(ReadError::Encrypted(_))), "{closed:?}");
}

#[test]
fn what_cannot_be_marked_is_refused() {
    let pdf = simple(vec![TestPage::new(vec![line(
        72.0,
        700.0,
        "a mean of 3.14 here",
    )])]);
    let word = mark(b"<html><body>0.45</body></html>", &MarkRequest::default()).unwrap_err();
    assert!(word.to_string().contains("only a PDF can be marked"), "{word}");
    let mut beyond = marks(&pdf, 1, &["3.14"]);
    beyond.marks[0].page = 9;
    let beyond = mark(&pdf, &beyond).unwrap_err().to_string();
    assert!(beyond.contains("page 9; the document has 1 pages"), "{beyond}");
    // A page that stands in the tree itself has no object that could be replaced.
    let (mut document, pages) = built(vec![TestPage::new(vec![line(
        72.0,
        700.0,
        "a mean of 3.14 here",
    )])]);
    let own = document.get_dictionary(pages[0]).unwrap().clone();
    let root = document
        .catalog()
        .unwrap()
        .get(b"Pages")
        .unwrap()
        .as_reference()
        .unwrap();
    document
        .get_dictionary_mut(root)
        .unwrap()
        .set("Kids", vec![own.into()]);
    let pdf = bytes(&mut document);
    let inline = mark(&pdf, &marks(&pdf, 1, &["3.14"])).unwrap_err();
    assert!(inline.to_string().contains("expected type a page"), "{inline}");
}

/// Two pages, with their table as a table and as a stream behind compressed objects.
static WHOLE: LazyLock<[Vec<u8>; 2]> = LazyLock::new(|| {
    let (mut document, _) = built(vec![
        TestPage::new(vec![
            line(72.0, 700.0, "a mean of 3.14 here"),
            line(72.0, 688.0, "and more of it"),
        ]),
        TestPage::new(vec![line(72.0, 700.0, "a mean of 3.15 here")]),
    ]);
    let plain = bytes(&mut document);
    let mut packed = Vec::new();
    document.save_modern(&mut packed).unwrap();
    [plain, packed]
});

/// How many marks and notes of ours a file holds, on pages or on what only some
/// readers take for one.
fn our_annotations(pdf: &[u8]) -> usize {
    let document = Document::load_mem(pdf).unwrap();
    let ours = |object: &&Object| object.as_dict().is_ok_and(|own| own.has(b"RepriseMark"));
    document.objects.values().filter(ours).count()
}

#[test]
fn a_page_that_does_not_say_what_it_is_gets_its_mark() {
    let whole = &WHOLE[0];
    let at = whole
        .windows(11)
        .position(|window| window == b"/Type/Page/")
        .unwrap();
    let mut damaged = whole.clone();
    damaged[at..at + 11].copy_from_slice(b"/Type/age1/");
    let copy = mark(&damaged, &marks(whole, 1, &["3.14"])).unwrap();
    assert_eq!(our_annotations(&copy.pdf), 1);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn a_damaged_file_is_refused_or_its_copy_says_what_it_says(
        packed in 0..2_usize,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0..24_usize), 1..4),
    ) {
        let whole = &WHOLE[packed];
        let mut damaged = whole.clone();
        for (at, byte, cut) in changes {
            let at = at.index(damaged.len());
            damaged[at] = byte;
            let end = (at + cut).min(damaged.len());
            damaged.drain(at..end);
        }
        if let Ok(copy) = mark(&damaged, &marks(whole, 1, &["3.14"])) {
            let said = |pdf: &[u8]| read("paper.pdf", pdf, &Limits::default()).map(|paper| paper.whole_text());
            prop_assert_eq!(said(&copy.pdf), said(&damaged));
            prop_assert_eq!(our_annotations(&copy.pdf), 1);
        }
    }
}
