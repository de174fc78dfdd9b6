//! A copy of a study whose paper has a page of analysis code behind its own.

use std::path::{Path, PathBuf};
use std::process::Command;

use lopdf::{Dictionary, Document, Object, Stream, dictionary};

const CODE: [&str; 6] = [
    "library(sandwich)",
    "d <- read.csv(\"statecrime.csv\")",
    "m <- lm(violent ~ poverty + urban + single, data = d)",
    "alpha <- 0.05",
    "summary(m)",
    "confint(m, level = 1 - alpha)",
];

/// Copies a study into a folder and adds the page.
pub fn with_code_page(study: &Path, folder: &Path) -> PathBuf {
    let copy = folder.join(study.file_name().unwrap());
    let copied = Command::new("cp").arg("-a").arg(study).arg(&copy).status();
    assert!(copied.unwrap().success());
    let paper = copy.join("input/original_paper.pdf");
    let mut document = Document::load(&paper).unwrap();
    let first = document.page_iter().next().unwrap();
    let tree = document.get_dictionary(first).unwrap();
    let tree = tree.get(b"Parent").unwrap().as_reference().unwrap();
    let font = document.add_object(dictionary! {
        "Type" => "Font", "Subtype" => "Type1", "BaseFont" => "Courier",
    });
    let mut content = "BT /F1 10 Tf 12 TL 50 700 Td\n".to_owned();
    for line in CODE {
        let line = line.replace('(', "\\(").replace(')', "\\)");
        content.push_str(&format!("({line}) Tj T*\n"));
    }
    content.push_str("ET");
    let stream = document.add_object(Stream::new(Dictionary::new(), content.into_bytes()));
    let page = document.add_object(dictionary! {
        "Type" => "Page", "Parent" => tree, "Contents" => stream,
        "Resources" => dictionary! { "Font" => dictionary! { "F1" => font } },
        "MediaBox" => vec![0.into(), 0.into(), 595.into(), 842.into()],
    });
    let tree = document.get_object_mut(tree).unwrap().as_dict_mut().unwrap();
    let count = tree.get(b"Count").unwrap().as_i64().unwrap();
    tree.set("Count", count + 1);
    let kids = tree.get_mut(b"Kids").unwrap().as_array_mut().unwrap();
    kids.push(Object::Reference(page));
    document.save(&paper).unwrap();
    copy
}
