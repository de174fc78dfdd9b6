//! Files in which a merge was left unfinished: neither side is taken for the other.

use std::collections::{BTreeMap, BTreeSet};

use super::super::evidence::{FoundEvidence, Pin};
use super::super::names::normalized;

/// Packages that are named in the sentence.
const MOST_NAMED: usize = 8;

/// A text with the sides of its conflicts apart; lines that are of another part are empty, so that numbers stay.
#[derive(Debug, Default)]
pub struct MergedText {
    pub outside: String,
    pub ours: String,
    pub theirs: String,
    /// The line of the first mark.
    pub line: usize,
}

impl MergedText {
    /// Takes a text apart; `None` of one without the marks of a merge.
    pub fn parse(text: &str) -> Option<Self> {
        let mut merged = Self::default();
        let mut part = MergePart::Outside;
        let mut has_end = false;
        for (at, line) in text.lines().enumerate() {
            let (next, is_mark) = match part {
                MergePart::Outside if line.starts_with("<<<<<<<") => (MergePart::Ours, true),
                MergePart::Ours if line.starts_with("|||||||") => (MergePart::Base, true),
                MergePart::Ours | MergePart::Base if line.starts_with("=======") => (MergePart::Theirs, true),
                MergePart::Theirs if line.starts_with(">>>>>>>") => (MergePart::Outside, true),
                same => (same, false),
            };
            if is_mark && merged.line == 0 {
                merged.line = at + 1;
            }
            has_end |= part == MergePart::Theirs && next == MergePart::Outside;
            part = next;
            match part {
                _ if is_mark => {}
                MergePart::Outside => merged.outside.push_str(line),
                MergePart::Ours => merged.ours.push_str(line),
                MergePart::Theirs => merged.theirs.push_str(line),
                MergePart::Base => {}
            }
            for text in [&mut merged.outside, &mut merged.ours, &mut merged.theirs] {
                text.push('\n');
            }
        }
        has_end.then_some(merged)
    }

    /// Joins what was read of both sides: what they agree on is taken, of the rest the name where both have it.
    pub fn join(&self, file: &str, ours: FoundEvidence, theirs: FoundEvidence, found: &mut FoundEvidence) {
        let mut sides: BTreeMap<String, MergedPins> = BTreeMap::new();
        for pin in ours.pins {
            sides.entry(normalized(&pin.name)).or_default().ours.push(pin);
        }
        for pin in theirs.pins {
            sides.entry(normalized(&pin.name)).or_default().theirs.push(pin);
        }
        let mut told = Vec::new();
        for (name, pins) in sides {
            match (pins.ours.as_slice(), pins.theirs.as_slice()) {
                ([], _) | (_, []) => told.push(format!("`{name}` stands on one side alone and is not taken")),
                (ours, theirs) if shown(ours) == shown(theirs) => found.pins.extend(pins.ours),
                ([first, ..], _) => {
                    let pin = Pin::new(first.language, &first.name, first.kind, file, first.line);
                    found.pins.push(pin);
                    told.push(format!(
                        "`{name}` has {} on one side and {} on the other, and neither is taken",
                        joined(&pins.ours),
                        joined(&pins.theirs)
                    ));
                }
            }
        }
        let more = told.len().saturating_sub(MOST_NAMED);
        told.truncate(MOST_NAMED);
        if more > 0 {
            told.push(format!("and {more} more"));
        }
        let told = match told.is_empty() {
            true => "both sides ask for the same".to_owned(),
            false => told.join("; "),
        };
        found.fault(
            file,
            format!("line {}: a merge was left unfinished here: {told}", self.line),
        );
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MergePart {
    Outside,
    Ours,
    /// What both sides began from.
    Base,
    Theirs,
}

#[derive(Debug, Default)]
struct MergedPins {
    ours: Vec<Pin>,
    theirs: Vec<Pin>,
}

fn shown(pins: &[Pin]) -> BTreeSet<String> {
    let one = |pin: &Pin| {
        let version = pin.version.as_ref().map(|version| format!("=={version}"));
        let asked = version
            .or_else(|| pin.bounds.clone())
            .unwrap_or_else(|| "any".to_owned());
        match &pin.marker {
            Some(marker) => format!("{asked}; {marker}"),
            None => asked,
        }
    };
    pins.iter().map(one).collect()
}

fn joined(pins: &[Pin]) -> String {
    Vec::from_iter(shown(pins)).join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_ways_of_two_conflicts_and_rules_that_are_no_marks() {
        let merged = MergedText::parse(
            "<<<<<<< a\nx\n||||||| b\ny\n=======\nz\n>>>>>>> c\nw\n<<<<<<< a\n=======\nv\n>>>>>>> c\n",
        )
        .unwrap();
        assert_eq!(
            (merged.ours.trim(), merged.theirs.split_whitespace().count()),
            ("x", 2)
        );
        assert_eq!(merged.outside.trim(), "w");
        for none in ["", "Title\n=======\nx", "<<<<<<< a\nx\n", ">>>>>>> a\n"] {
            assert!(MergedText::parse(none).is_none(), "{none}");
        }
    }
}
