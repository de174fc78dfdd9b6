//! The last program that `cargo test` starts: counts the tests that this machine could not run.
//!
//! Cargo sorts test programs by package, and `reprise-scoring` is the last one.

#![allow(clippy::print_stdout, reason = "a program of tests prints")]

#[path = "skips.rs"]
#[allow(dead_code, reason = "nothing is skipped here")]
mod skips;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What the lines of a run's file amount to; nothing if no test was skipped.
fn summary(lines: &str) -> String {
    let mut tests = BTreeSet::new();
    let mut reasons: BTreeMap<&str, BTreeSet<(usize, &str, &str)>> = BTreeMap::new();
    for (number, line) in lines.lines().enumerate() {
        let mut parts = line.splitn(3, '\t');
        let mut part = || parts.next().unwrap_or_default();
        let (program, test, why) = (part(), part(), part());
        // With one thread all tests run in `main`, and each line counts.
        let number = if test.is_empty() || test == "main" {
            number + 1
        } else {
            0
        };
        tests.insert((number, program, test));
        reasons.entry(why).or_default().insert((number, program, test));
    }
    if tests.is_empty() {
        return String::new();
    }
    let mut text = format!(
        "{} tests were skipped here, whole or in part, and count as passed above:\n",
        tests.len()
    );
    for (why, tests) in reasons {
        text += &format!("  {}: {why}\n", tests.len());
    }
    text
}

/// Removes files of runs that ended before their last program.
fn remove_old(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if !Path::new("/proc").join(entry.file_name()).exists() {
            let _gone = std::fs::remove_file(entry.path());
        }
    }
}

fn main() {
    // Tools that list tests first, such as nextest.
    if std::env::args().any(|argument| argument == "--list") {
        return;
    }
    let example = "a\tone\tno R\na\tone\tno R\na\ttwo\tno R\nb\tmain\tno Docker\nb\tmain\tno Docker\n";
    let counted = "4 tests were skipped here, whole or in part, and count as passed above:\n  2: no Docker\n  2: no R\n";
    assert_eq!(summary(example), counted);
    assert_eq!(summary(""), "");
    let Some(file) = skips::file() else {
        return;
    };
    let lines = std::fs::read_to_string(&file).unwrap_or_default();
    print!("\n{}", summary(&lines));
    let _gone = std::fs::remove_file(&file);
    if let Some(folder) = file.parent() {
        remove_old(folder);
    }
}
