//! Analysis code inside documents, in runs that are to have data alone.

use lopdf::{
    Dictionary, Document, EncryptionState, EncryptionVersion, Object, Permissions, Stream, dictionary,
};

use super::support::{Called, Place};

const SCRIPT: &str =
    "library(lme4)\nsecret <- read.csv(\"d.csv\")\nm <- lm(y ~ x, data = secret)\nsummary(m)";

/// A PDF with one page for each text.
fn pdf(texts: &[&str]) -> Vec<u8> {
    let mut document = Document::with_version("1.5");
    let pages = document.new_object_id();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier",
    });
    let mut kids: Vec<Object> = Vec::new();
    for text in texts {
        let mut content = "BT /F1 10 Tf 12 TL 50 700 Td\n".to_owned();
        for line in text.lines() {
            let line = line.replace('(', "\\(").replace(')', "\\)");
            content.push_str(&format!("({line}) Tj T*\n"));
        }
        content.push_str("ET");
        let stream = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
        let page = document.add_object(dictionary! {
            "Type" => "Page", "Parent" => pages, "Contents" => stream,
        });
        kids.push(Object::Reference(page));
    }
    let count = i64::try_from(kids.len()).unwrap();
    let tree = dictionary! {
        "Type" => "Pages", "Kids" => kids, "Count" => count,
        "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
        "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
    };
    document.objects.insert(pages, Object::Dictionary(tree));
    let catalog = document.add_object(dictionary! { "Type" => "Catalog", "Pages" => pages });
    document.trailer.set("Root", catalog);
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

/// The fixture study with a script in the paper's second page, in an appendix and in a page of results.
fn with_scripts() -> Place {
    let place = Place::new();
    let study = place.study();
    let write = |name: &str, bytes: &[u8]| std::fs::write(study.join("input").join(name), bytes).unwrap();
    write(
        "original_paper.pdf",
        &pdf(&["A slope was found.", SCRIPT, "References"]),
    );
    write(
        "replication_data/appendix.pdf",
        &pdf(&["Items", "Scales", SCRIPT]),
    );
    let page = format!(
        "<html><body><h1>Results</h1><pre>{}</pre></body></html>",
        SCRIPT.replace('<', "&lt;")
    );
    write("replication_data/results.html", page.as_bytes());
    write(
        "replication_data/codebook.html",
        b"<html><body>x is the dose.</body></html>",
    );
    place
}

fn run(place: &Place, access: &str) -> Called {
    place.call(&[
        "run",
        "slope",
        "--stages",
        "extract",
        "--model",
        "scripted:ratio",
        "--approve",
        "auto",
        "--code-access",
        access,
        "--out",
        "out",
    ])
}

#[test]
fn a_data_only_run_has_copies_without_the_pages_that_hold_code() {
    let place = with_scripts();
    run(&place, "data-only");
    let workspace = place.path().join("out/workspace");
    let read = |name: &str| {
        place
            .call(&["read", workspace.join(name).to_str().unwrap()])
            .stdout
    };
    for (name, kept) in [
        ("original_paper.pdf", "References"),
        ("replication_data/appendix.pdf", "Scales"),
    ] {
        let text = read(name);
        assert!(text.contains(kept) && text.contains("withheld"), "{text}");
        assert!(!text.contains("secret"), "{text}");
    }
    assert!(!workspace.join("replication_data/results.html").exists());
    assert!(workspace.join("replication_data/codebook.html").exists());
    // Nothing of the run has it: neither a prompt nor the journal.
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap();
    assert!(!journal.contains("secret"));
    assert_eq!(place.call(&["report", "out", "--format", "md"]).status, 0);
    let report = std::fs::read_to_string(place.path().join("out/report.md")).unwrap();
    let report = report.replace("\\_", "_");
    for words in [
        "original_paper.pdf: it holds analysis code (page 2), and this run has data only: emptied",
        "replication_data/appendix.pdf: it holds analysis code (page 3)",
        "replication_data/results.html: it holds analysis code (in its text), and this run has data only: left out whole",
    ] {
        assert!(journal.contains(words), "{words}: {journal}");
        assert!(report.contains(words), "{words}: {report}");
    }
}

#[test]
fn a_run_with_code_has_everything() {
    let place = with_scripts();
    run(&place, "code");
    let workspace = place.path().join("out/workspace");
    assert!(workspace.join("replication_data/results.html").exists());
    let text = place
        .call(&["read", workspace.join("original_paper.pdf").to_str().unwrap()])
        .stdout;
    assert!(text.contains("secret"), "{text}");
}

/// The paper with a password that opens it to all and forbids changes.
fn encrypted(paper: &[u8]) -> Vec<u8> {
    let mut document = Document::load_mem(paper).unwrap();
    let id = Object::string_literal("0123456789abcdef");
    document.trailer.set("ID", vec![id.clone(), id]);
    let state = EncryptionState::try_from(EncryptionVersion::V2 {
        document: &document,
        owner_password: "owner",
        user_password: "",
        key_length: 128,
        permissions: Permissions::all(),
    });
    document.encrypt(&state.unwrap()).unwrap();
    let mut bytes = Vec::new();
    document.save_to(&mut bytes).unwrap();
    bytes
}

#[test]
fn a_paper_that_cannot_be_copied_without_its_code_is_refused() {
    let place = with_scripts();
    let paper = place.path().join("slope/input/original_paper.pdf");
    std::fs::write(&paper, encrypted(&std::fs::read(&paper).unwrap())).unwrap();
    let refused = run(&place, "data-only");
    assert_ne!(refused.status, 0);
    for words in [
        "the paper holds analysis code (page 2), and this run is to have data only; the code cannot be taken out",
        "put a copy without these pages in its place, or run with `--code-access code`",
    ] {
        assert!(refused.stderr.contains(words), "{words}: {}", refused.stderr);
    }
    // Nobody was asked anything.
    let journal = std::fs::read_to_string(place.path().join("out/journal.jsonl")).unwrap_or_default();
    assert!(!journal.contains("model_answered"), "{journal}");
    std::fs::remove_dir_all(place.path().join("out")).unwrap();
    run(&place, "code");
    assert!(place.path().join("out/workspace/original_paper.pdf").exists());
}
