use std::path::Path;

use lopdf::{Dictionary, Document, Object, Stream, decode_text_string, dictionary};

use super::support::{Place, RUN, copy, tree};

#[test]
fn a_run_is_looked_up_in_its_paper() {
    let place = Place::finished();
    let called = place.call(&["report", "ground", "out", "--all"]);
    insta::assert_snapshot!("ground", place.plain(&called.stdout));
    let called = place.call(&["report", "ground", "out", "--json"]);
    let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(value["format"], "reprise-grounding/1");
    let report = std::fs::read_to_string(place.path().join("out/report.html")).unwrap();
    assert!(
        report.contains("were found as stated"),
        "no lookups in the report"
    );
}

/// The bundled study, whose paper is real text with a table.
#[test]
fn a_number_that_was_changed_is_absent_and_shown_beside_its_claim() {
    let place = Place::new();
    let study = place.path().join("duncan");
    copy(
        &Path::new(env!("CARGO_MANIFEST_DIR")).join("studies/duncan-1961"),
        &study,
    );
    let run = [
        "run",
        "duncan",
        "--stages",
        "extract..extract",
        "--approve",
        "auto",
        "--out",
        "out",
    ];
    let called = place.call(&run);
    assert_eq!(called.status, 0, "{}", called.stderr);
    let called = place.call(&["report", "ground", "out"]);
    assert_eq!(called.status, 0, "{}{}", called.stdout, called.stderr);
    // The same answer about a paper with another number in it.
    let paper = std::fs::read(study.join("gt/human_report.pdf")).unwrap();
    let workspace = place.path().join("out/workspace/original_paper.pdf");
    std::fs::remove_file(&workspace).unwrap();
    std::fs::write(&workspace, paper).unwrap();
    let called = place.call(&["report", "ground", "out"]);
    assert_eq!(called.status, 1, "{}{}", called.stdout, called.stderr);
    assert!(
        called.stdout.contains("absent: number `0.867`") && called.stdout.contains("it supports: "),
        "{}",
        called.stdout
    );
}

#[test]
fn a_run_without_an_extraction_is_refused() {
    let place = Place::new();
    place.study();
    place
        .command(&RUN)
        .env("REPRISE_DIE_AFTER_EVENT", "3")
        .output()
        .unwrap();
    let called = place.call(&["report", "ground", "out"]);
    assert_eq!(called.status, 2, "{}", called.stdout);
    assert!(
        called.stderr.contains("no post-registration"),
        "{}",
        called.stderr
    );
}

/// The paper of the fixture's run with another p-value, set in Courier at 10 points, so that
/// a character is 6 points wide.
fn paper() -> Vec<u8> {
    let lines = [
        "Yield and dose. A brief invented for the tests of reprise.",
        "Method: least squares of yield on dose in four plots.",
        "Results: slope 1.9 (SE = 0.2, p = .037, n = 4).",
    ];
    let mut document = Document::with_version("1.4");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier", "Encoding" => "WinAnsiEncoding"
    });
    let mut content = "BT /F 10 Tf 72 720 Td 16 TL ".to_owned();
    for line in lines {
        content.push_str(&format!(
            "({}) Tj T* ",
            line.replace('(', "\\(").replace(')', "\\)")
        ));
    }
    let content = document.add_object(Stream::new(
        Dictionary::new(),
        format!("{content}ET").into_bytes(),
    ));
    let page =
        document.add_object(dictionary! { "Type" => "Page", "Parent" => pages, "Contents" => content });
    document.set_object(
        pages,
        dictionary! {
            "Type" => "Pages", "Count" => 1, "Kids" => vec![Object::from(page)],
            "MediaBox" => vec![0.into(), 0.into(), 612.into(), 792.into()],
            "Resources" => dictionary! { "Font" => dictionary! { "F" => font } }
        },
    );
    let root = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", root);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

/// A finished run whose paper is that one.
fn with_paper(content: &[u8]) -> Place {
    let place = Place::finished();
    let paper = place.path().join("out/workspace/original_paper.pdf");
    std::fs::remove_file(&paper).unwrap();
    std::fs::write(&paper, content).unwrap();
    place
}

/// The annotations of the first page: what each is, what it says, and its bounds.
fn annotations(pdf: &Path) -> Vec<(String, String, [f32; 4])> {
    let document = Document::load(pdf).unwrap();
    let page = document.page_iter().next().unwrap();
    let annotations = document.get_page_annotations(page).unwrap();
    let read = annotations.into_iter().map(|annotation| {
        let kind = annotation.get(b"Subtype").unwrap().as_name().unwrap();
        let edges = annotation.get(b"Rect").unwrap().as_array().unwrap();
        let edges: Vec<f32> = edges.iter().map(|edge| edge.as_float().unwrap()).collect();
        (
            String::from_utf8(kind.to_vec()).unwrap(),
            decode_text_string(annotation.get(b"Contents").unwrap()).unwrap(),
            edges.try_into().unwrap(),
        )
    });
    read.collect()
}

#[test]
fn a_copy_of_the_paper_shows_each_lookup_at_its_place() {
    let place = with_paper(&paper());
    let before = tree(&place.path().join("out"));
    let called = place.call(&["report", "ground", "out", "--pdf"]);
    assert_eq!(called.status, 1, "{}{}", called.stdout, called.stderr);
    insta::assert_snapshot!("ground_pdf", place.plain(&called.stdout));
    let mut after = tree(&place.path().join("out"));
    after.retain(|(name, _)| name != "original_paper.marked.pdf");
    assert!(after == before, "the run itself was changed");

    let copy = place.path().join("out/original_paper.marked.pdf");
    let all = annotations(&copy);
    let texts: Vec<String> = all
        .iter()
        .map(|(kind, text, _)| format!("[{kind}]\n{text}\n"))
        .collect();
    insta::assert_snapshot!("ground_pdf_annotations", texts.join("\n"));
    // `Results: slope 1.9` of the third line: characters 15 to 18, and no more.
    let (_, text, [left, bottom, right, top]) = all
        .iter()
        .find(|(_, text, _)| text.contains("numerical_results[0].value"))
        .unwrap();
    assert!(
        text.contains("claim.statement"),
        "one mark for both fields: {text}"
    );
    assert!(
        (157.0..=162.1).contains(left) && (179.9..=185.0).contains(right),
        "{left} {right}"
    );
    assert!(
        (682.0..=688.1).contains(bottom) && (694.0..=702.0).contains(top),
        "{bottom} {top}"
    );

    let text = |file: &str| place.call(&["read", file]).stdout;
    let original = text("out/workspace/original_paper.pdf");
    assert!(original.contains("slope 1.9"), "{original}");
    assert_eq!(text("out/original_paper.marked.pdf"), original);
}

#[test]
fn the_file_of_the_copy_is_named_in_json_and_written_again() {
    let place = with_paper(&paper());
    for _ in 0..2 {
        let called = place.call(&[
            "report",
            "ground",
            "out",
            "--pdf",
            "--out",
            "marked.pdf",
            "--json",
        ]);
        assert_eq!(called.status, 1, "{}", called.stderr);
        let value: serde_json::Value = serde_json::from_str(&called.stdout).unwrap();
        assert_eq!(value["marked"]["file"], "marked.pdf");
        let marked = &value["marked"];
        assert_eq!(marked["absent"], 2, "{marked}");
        let highlighted = marked["highlighted"].as_object().unwrap().values();
        let counts = highlighted.chain([&marked["pages"], &marked["without_place"], &marked["absent"]]);
        let shown: u64 = counts.map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(shown, value["lines"].as_array().unwrap().len() as u64, "{marked}");
        assert!(value["lines"][0]["spans"].is_null(), "{}", value["lines"][0]);
        assert!(place.path().join("marked.pdf").is_file());
    }
    assert!(!place.path().join("out/original_paper.marked.pdf").exists());
}

#[test]
fn nothing_that_is_no_marked_copy_is_written_over() {
    let place = with_paper(&paper());
    std::fs::write(place.path().join("mine.pdf"), paper()).unwrap();
    let before = tree(place.path());
    let mut complaints = String::new();
    for file in [
        "mine.pdf",
        "out/workspace/original_paper.pdf",
        "out/workspace/other.pdf",
        "out/probe.json",
        "nowhere/marked.pdf",
        "-",
    ] {
        complaints += &place.complaint(&["report", "ground", "out", "--pdf", "--out", file]);
    }
    complaints += &place.complaint(&["report", "ground", "out", "--out", "marked.pdf"]);
    insta::assert_snapshot!("ground_pdf_refused", place.plain(&complaints));
    assert!(tree(place.path()) == before, "something was written");
}

#[test]
fn a_paper_that_cannot_be_marked_is_named() {
    let place = with_paper(b"<html><body><p>slope 1.9 (SE = 0.2)</p></body></html>");
    let mut complaints = place.complaint(&["report", "ground", "out", "--pdf"]);
    let paper = place.path().join("out/workspace/original_paper.pdf");
    std::fs::write(&paper, b"%PDF-1.4\nnothing of the kind").unwrap();
    complaints += &place.complaint(&["report", "ground", "out", "--pdf"]);
    insta::assert_snapshot!("ground_pdf_no_pdf", place.plain(&complaints));
    assert!(!place.path().join("out/original_paper.marked.pdf").exists());
}
