//! A module imports only from rows above it in `ARCHITECTURE.md`'s table.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use std::path::Path;

/// The rows, from the top.
const ROWS: [&str; 26] = [
    "domain",
    "statistics",
    "policy",
    "verdict",
    "study",
    "documents",
    "catalog",
    "settings",
    "run",
    "artifacts",
    "journal",
    "model",
    "sandbox",
    "tools",
    "agent",
    "scoring",
    "analysis",
    "network",
    "engine",
    "effects",
    "bench",
    "report",
    "web",
    "app",
    "cli",
    "main",
];

/// Modules named by `crate::x` in one file, with their lines.
fn imports(text: &str) -> Vec<(usize, String)> {
    let pattern = regex::Regex::new(r"\bcrate::([a-z_]+)").unwrap();
    text.lines()
        .enumerate()
        .filter(|(_, line)| !line.trim_start().starts_with("//"))
        .flat_map(|(at, line)| {
            pattern
                .captures_iter(line)
                .map(move |found| (at + 1, found[1].to_owned()))
                .collect::<Vec<_>>()
        })
        .collect()
}

fn row(module: &str) -> usize {
    ROWS.iter()
        .position(|row| *row == module)
        .unwrap_or_else(|| panic!("`{module}` has no row in the table"))
}

#[test]
fn every_import_points_upwards() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut wrong = Vec::new();
    let mut files = 0;
    for entry in walkdir::WalkDir::new(&root) {
        let entry = entry.unwrap();
        if entry.path().extension().is_none_or(|extension| extension != "rs") {
            continue;
        }
        let name = entry
            .path()
            .strip_prefix(&root)
            .unwrap()
            .to_string_lossy()
            .into_owned();
        let module = name.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
        if module == "lib" {
            continue;
        }
        files += 1;
        let text = std::fs::read_to_string(entry.path()).unwrap();
        for (line, imported) in imports(&text) {
            if row(&imported) > row(&module) {
                wrong.push(format!(
                    "src/{name}:{line}: {module} imports {imported}, which lies below it"
                ));
            }
        }
    }
    assert!(files > 100, "only {files} files were looked at");
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_table_in_the_repository_names_the_same_rows() {
    let text =
        std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("ARCHITECTURE.md")).unwrap();
    let mut at = 0;
    for module in ROWS
        .iter()
        .filter(|module| row(module) < row("bench") || ["report", "app", "cli"].contains(module))
    {
        let found = text[at..]
            .find(&format!("\n{module}"))
            .unwrap_or_else(|| panic!("{module} is missing or out of order"));
        at += found + 1;
    }
}

#[test]
fn no_file_is_longer_than_800_lines() {
    for folder in ["src", "tests"] {
        for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join(folder)) {
            let entry = entry.unwrap();
            if entry
                .path()
                .extension()
                .is_some_and(|extension| extension == "rs")
            {
                let lines = std::fs::read_to_string(entry.path()).unwrap().lines().count();
                assert!(lines <= 800, "{} has {lines} lines", entry.path().display());
            }
        }
    }
}
