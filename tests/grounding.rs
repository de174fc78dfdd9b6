//! The human post-registrations of the shared studies, looked up in their papers;
//! and the same with every digit changed in turn, which must not be found.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::print_stdout)]

mod documents_shared;

use std::collections::BTreeMap;
use std::path::Path;

use reprise::documents::document::Limits;
use reprise::documents::read::read;
use reprise::scoring::grounding::figures::{Figure, figures};
use reprise::scoring::grounding::ground::ground;
use reprise::scoring::grounding::items::items;
use reprise::scoring::grounding::line::{Line, Sought, Standing};
use reprise::scoring::grounding::number::look_up;
use reprise::scoring::grounding::paper::Paper;
use serde_json::Value;

/// The fields whose numbers are the claim's own.
fn is_focal(field: &str) -> bool {
    field == "claim.statement" || field.contains("numerical_results")
}

/// The figures that differ from `text` in one digit, keeping its length.
fn changed(text: &str) -> Vec<Figure> {
    let mut found = Vec::new();
    for (at, digit) in text.char_indices().filter(|(_, c)| c.is_ascii_digit()) {
        for step in [1, 4, 7] {
            let other = char::from(b'0' + (digit as u8 - b'0' + step) % 10);
            let mut changed = text.to_owned();
            changed.replace_range(at..=at, &other.to_string());
            found.extend(figures(&changed));
        }
    }
    found
}

fn references(folder: &Path) -> Vec<Value> {
    std::fs::read_dir(folder.join("gt"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "json"))
        .map(|path| serde_json::from_slice(&std::fs::read(&path).unwrap()).unwrap())
        .collect()
}

fn tally<'l>(lines: impl Iterator<Item = &'l Line>) -> BTreeMap<Standing, usize> {
    let mut counts = BTreeMap::new();
    for line in lines {
        *counts.entry(line.standing).or_default() += 1;
    }
    counts
}

#[test]
fn numbers_of_human_references_are_found_and_changed_ones_are_not() {
    let Some(original) = documents_shared::folder("replicatorbench/original") else {
        return;
    };
    let mut folders: Vec<_> = std::fs::read_dir(original)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    folders.sort();
    let (mut lines, mut of_changed) = (Vec::new(), BTreeMap::<Standing, usize>::new());
    let mut of_changed_long = BTreeMap::<Standing, usize>::new();
    for folder in folders {
        let references = references(&folder);
        if references.is_empty() {
            continue;
        }
        let bytes = std::fs::read(folder.join("input/original_paper.pdf")).unwrap();
        let paper = Paper::of(&read("paper.pdf", &bytes, &Limits::default()).unwrap());
        for reference in &references {
            let found = ground(reference, &paper);
            lines.extend(found);
            for asked in items(reference)
                .numbers
                .iter()
                .filter(|asked| is_focal(&asked.field) && !asked.figure.bound)
            {
                let written = asked
                    .text
                    .trim_end_matches(" %")
                    .trim_start_matches('-')
                    .to_owned();
                for mut figure in changed(&written) {
                    figure.negative = asked.figure.negative;
                    figure.percent = asked.figure.percent;
                    let standing = look_up(&figure, &asked.company, &paper).standing;
                    *of_changed.entry(standing).or_default() += 1;
                    if figure.significant >= 3 {
                        *of_changed_long.entry(standing).or_default() += 1;
                    }
                }
            }
        }
    }
    let numbers = || lines.iter().filter(|line| line.sought == Sought::Number);
    let locations = tally(lines.iter().filter(|line| line.sought == Sought::Location));
    let focal = tally(numbers().filter(|line| is_focal(&line.field)));
    println!(
        "quotations {:?}",
        tally(lines.iter().filter(|line| line.sought == Sought::Quotation))
    );
    println!(
        "locations {locations:?}\nall numbers {:?}\nnumbers of the claim {focal:?}",
        tally(numbers())
    );
    println!("one digit changed {of_changed:?}; of three digits and more {of_changed_long:?}");
    let share = |tally: &BTreeMap<Standing, usize>, standings: &[Standing]| {
        let chosen: usize = standings.iter().filter_map(|standing| tally.get(standing)).sum();
        chosen as f64 / tally.values().sum::<usize>() as f64
    };
    assert!(share(&focal, &[Standing::Absent]) <= 0.02, "{focal:?}");
    assert!(
        share(&focal, &[Standing::Found, Standing::Elsewhere]) >= 0.8,
        "{focal:?}"
    );
    assert!(share(&locations, &[Standing::Absent]) <= 0.05, "{locations:?}");
    assert!(share(&of_changed, &[Standing::Found]) <= 0.08, "{of_changed:?}");
    assert!(
        share(&of_changed_long, &[Standing::Found]) <= 0.04,
        "{of_changed_long:?}"
    );
}
