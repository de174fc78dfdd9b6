//! The human post-registrations of the shared studies, looked up in their papers,
//! and in papers that they are not of; and the same with every digit changed in
//! turn. What is not there must not be found.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use reprise::documents::limits::Limits;
use reprise::documents::read::read;
use reprise::scoring::grounding::figures::{Figure, figures};
use reprise::scoring::grounding::ground::{ground, ground_within};
use reprise::scoring::grounding::items::items;
use reprise::scoring::grounding::line::{Line, Sought, Standing};
use reprise::scoring::grounding::number::look_up;
use reprise::scoring::grounding::paper::Paper;
use reprise::scoring::grounding::tolerances::Tolerances;
use serde_json::Value;

use crate::shared;

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

/// A study whose references are at hand.
struct Study {
    number: u32,
    references: Vec<Value>,
    paper: Paper,
}

/// The studies with references, by number; `None` without the shared data.
static STUDIES: LazyLock<Option<Vec<Study>>> = LazyLock::new(|| {
    let original = shared::folder("replicatorbench/original")?;
    let folders = std::fs::read_dir(original)
        .unwrap()
        .map(|entry| entry.unwrap().path());
    let mut studies: Vec<Study> = folders
        .filter_map(|folder| {
            let references = references(&folder);
            let number = folder.file_name()?.to_str()?.parse().ok()?;
            (!references.is_empty()).then(|| {
                let bytes = std::fs::read(folder.join("input/original_paper.pdf")).unwrap();
                let paper = Paper::new(&read("paper.pdf", &bytes, &Limits::default()).unwrap());
                Study {
                    number,
                    references,
                    paper,
                }
            })
        })
        .collect();
    studies.sort_by_key(|study| study.number);
    Some(studies)
});

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
    let Some(studies) = STUDIES.as_ref() else {
        return;
    };
    let (mut lines, mut of_changed) = (Vec::new(), BTreeMap::<Standing, usize>::new());
    let mut of_changed_long = BTreeMap::<Standing, usize>::new();
    for study in studies {
        let paper = &study.paper;
        for reference in &study.references {
            let found = ground(reference, paper);
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
                    let standing = look_up(&figure, &asked.company, paper, &Tolerances::default()).standing;
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

/// The rate of lookups that count as found.
#[derive(Debug, Clone, Copy, Default)]
struct Rate {
    found: usize,
    asked: usize,
}

impl Rate {
    fn add(&mut self, found: bool) {
        self.found += usize::from(found);
        self.asked += 1;
    }

    fn share(self) -> f64 {
        self.found as f64 / self.asked as f64
    }
}

/// What is looked up, as the rates tell it apart: any paper has a page 4 and a
/// Table 1, so that these say little.
const KINDS: [&str; 6] = [
    "quotations",
    "numbers",
    "numbers of the claim",
    "sections",
    "tables and figures",
    "pages",
];

fn kinds(line: &Line) -> Vec<&'static str> {
    match line.sought {
        Sought::Quotation => vec!["quotations"],
        Sought::Number if is_focal(&line.field) => vec!["numbers", "numbers of the claim"],
        Sought::Number => vec!["numbers"],
        Sought::Location if line.text.starts_with("section") => vec!["sections"],
        Sought::Location if line.text.starts_with("page") => vec!["pages"],
        Sought::Location => vec!["tables and figures"],
    }
}

fn is_found(line: &Line) -> bool {
    match line.sought {
        Sought::Quotation => matches!(line.standing, Standing::Found | Standing::Altered),
        _ => matches!(line.standing, Standing::Found | Standing::Elsewhere),
    }
}

/// Rates in the own paper and in those of the other studies, by kind.
type Rates = BTreeMap<&'static str, (Rate, Rate)>;

fn rates(studies: &[&Study], tolerances: &Tolerances) -> Rates {
    let mut rates = Rates::new();
    for study in studies {
        for other in studies {
            for reference in &study.references {
                for line in ground_within(reference, &other.paper, tolerances) {
                    for kind in kinds(&line) {
                        let (own, wrong) = rates.entry(kind).or_default();
                        let rate = if study.number == other.number { own } else { wrong };
                        rate.add(is_found(&line));
                    }
                }
            }
        }
    }
    rates
}

fn print(half: &str, rates: &Rates) {
    for kind in KINDS {
        let (own, wrong) = rates.get(kind).copied().unwrap_or_default();
        println!(
            "| {half} | {kind} | {} of {} | {:.1} % | {} of {} | {:.1} % |",
            own.found,
            own.asked,
            100.0 * own.share(),
            wrong.found,
            wrong.asked,
            100.0 * wrong.share()
        );
    }
}

/// The tolerance that decides most is chosen on the odd studies; what it comes
/// to is held on the even ones, which share neither references nor papers with them.
#[test]
fn what_a_reference_says_is_found_in_its_paper_and_not_in_others() {
    let Some(studies) = STUDIES.as_ref() else {
        return;
    };
    let (odd, even): (Vec<&Study>, Vec<&Study>) = studies.iter().partition(|study| study.number % 2 == 1);
    let used = Tolerances::default();
    let tried: Vec<(usize, Rates)> = (1..=3)
        .map(|shared| (shared, rates(&odd, &Tolerances { shared, ..used })))
        .collect();
    let gain = |rates: &Rates| {
        let (own, wrong) = rates["numbers of the claim"];
        own.share() - wrong.share()
    };
    for (shared, rates) in &tried {
        println!("{shared} shared topics: {:.3}", gain(rates));
    }
    let best = tried
        .iter()
        .max_by(|(_, one), (_, other)| gain(one).total_cmp(&gain(other)));
    assert_eq!(best.map(|(shared, _)| *shared), Some(used.shared));
    let held = rates(&even, &used);
    print("odd", &tried[used.shared - 1].1);
    print("even", &held);
    for (kind, least, most) in [
        ("quotations", 0.9, 0.2),
        ("numbers", 0.75, 0.15),
        ("numbers of the claim", 0.75, 0.1),
        ("sections", 0.85, 1.0),
        ("tables and figures", 0.95, 1.0),
    ] {
        let (own, wrong) = held[kind];
        assert!(
            own.share() >= least && wrong.share() <= most,
            "{kind}: {own:?}, {wrong:?}"
        );
    }
}
