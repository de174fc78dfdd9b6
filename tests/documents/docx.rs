//! Word documents beside python-docx.

use std::path::Path;
use std::process::Command;

use reprise::documents::limits::Limits;
use reprise::documents::read::read;
use unicode_normalization::UnicodeNormalization;

use crate::shared;

/// Text without white space and without the marks that Markdown adds.
fn bare(text: &str) -> String {
    text.nfkc()
        .filter(|c| c.is_alphanumeric() || ".,%=<>+-−".contains(*c))
        .filter(|c| *c != '-')
        .collect()
}

#[test]
fn paragraphs_and_cells_are_those_of_python_docx() {
    let Some(folder) = shared::folder("replicatorbench/original") else {
        return;
    };
    let Some(python) = shared::python() else {
        return;
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/oracles/read_docx.py");
    let mut compared = 0;
    for path in shared::files(&folder) {
        if path.extension().is_none_or(|extension| extension != "docx") {
            continue;
        }
        let output = Command::new(&python).arg(&script).arg(&path).output().unwrap();
        assert!(
            output.status.success(),
            "{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let parts: Vec<String> = serde_json::from_slice(&output.stdout).unwrap();
        let document = read("a.docx", &std::fs::read(&path).unwrap(), &Limits::default()).unwrap();
        let whole = bare(&document.text);
        let lost: Vec<&String> = parts.iter().filter(|part| !whole.contains(&bare(part))).collect();
        println!(
            "{}: {} parts, {} lost, notes {:?}",
            path.display(),
            parts.len(),
            lost.len(),
            document.notes
        );
        assert!(lost.is_empty(), "{}: {lost:?}", path.display());
        let wanted: usize = parts.iter().map(|part| bare(part).len()).sum();
        assert!(
            whole.len() < wanted + wanted / 10 + 400,
            "{} bytes for {wanted}",
            whole.len()
        );
        compared += 1;
    }
    assert!(compared >= 3);
}
