//! Pins with markers: those that count for a Python on Linux, and those that are for another.

use std::collections::{BTreeMap, BTreeSet};

use pep508_rs::{MarkerEnvironment, MarkerTree};

use super::super::evidence::{FileFault, Pin, PinWay};
use super::super::language::Language;
use super::super::python_index::platform::TargetPlatform;
use super::super::release_span::{ReleaseSpan, release_numbers};
use super::super::tables::releases::releases;
use super::marker_trees::{MarkerTrees, markers_of, read};
use super::pinned::key;
use super::reached::{PinKey, reached};

/// Pins that are told one by one, and packages that are named in one sentence.
const MOST_TOLD: usize = 50;
const MOST_NEEDING: usize = 4;

/// The pins that count, and what is to be said of the others.
#[derive(Debug, Default)]
pub struct CountedPins {
    pub pins: Vec<Pin>,
    /// A whole sentence each.
    pub left_out: Vec<String>,
    /// Markers that cannot be read: their pins do not count.
    pub faults: Vec<FileFault>,
}

impl CountedPins {
    /// The pins that count for a version of Python; where none is known, for any.
    pub fn of(pins: Vec<Pin>, python: Option<&str>) -> Self {
        let trees = MarkerTrees::of(&pins);
        let environments = environments(python);
        let place = match python {
            Some(version) => format!("does not hold for Python {version} on Linux"),
            None => "holds for no Python on Linux".to_owned(),
        };
        let first = python.and_then(|version| TargetPlatform::new(version, std::env::consts::ARCH));
        let first = first.and_then(|target| target.first_markers());
        let reached = reached(&pins, &trees, &environments);
        let wanted: BTreeSet<PinKey> = pins
            .iter()
            .zip(&reached)
            .filter(|(_, is)| **is)
            .map(|(pin, _)| PinKey::of(pin))
            .collect();
        let mut counted = Self::default();
        for (pin, is_reached) in pins.into_iter().zip(reached) {
            let at = format!("{}, line {}", pin.file, pin.line);
            if let Some(unread) = trees.unread(&pin).filter(|_| !is_reached) {
                counted.faults.push(FileFault {
                    file: pin.file.clone(),
                    problem: format!(
                        "line {}: the marker `{}` of {} cannot be read, so that it does not count",
                        pin.line,
                        shown(unread),
                        pin.name
                    ),
                });
                continue;
            }
            if let (Some(first), Some(late)) = (&first, environments.first())
                && let Some(marker) = trees.first_that_differs(&pin, first, late)
            {
                counted.left_out.push(format!(
                    "{at}: {} is for `{}`, which goes by the patch release of Python {}: nothing tells that, and it is taken \
                     as for a late one.",
                    named(&pin),
                    shown(marker),
                    python.unwrap_or_default()
                ));
            }
            if is_reached {
                counted.pins.push(pin);
                continue;
            }
            let holds = |marker: &str| trees.holds(marker, &environments);
            let own = pin.marker.as_deref().filter(|marker| !holds(marker));
            let ways = pin.ways.iter().flatten();
            let is_wanted = |way: &&PinWay| {
                way.by
                    .as_ref()
                    .is_none_or(|by| PinKey::needing(&pin, by).is_in(&wanted))
            };
            let way = ways.clone().find(is_wanted).and_then(|way| way.marker.as_deref());
            counted.left_out.push(match own.or(way) {
                Some(marker) => format!(
                    "{at}: {} is for `{}`, which {place}: it is not wanted here.",
                    named(&pin),
                    shown(marker)
                ),
                None => {
                    let by = ways.filter_map(|way| way.by.as_ref()).map(|by| by.name.as_str());
                    let by: BTreeSet<&str> = by.collect();
                    let by: Vec<&str> = by.into_iter().take(MOST_NEEDING).collect();
                    format!(
                        "{at}: {} is only needed by {}, of which nothing is wanted here.",
                        named(&pin),
                        by.join(", ")
                    )
                }
            });
        }
        let more = counted.left_out.len().saturating_sub(MOST_TOLD);
        if more > 0 {
            counted.left_out.truncate(MOST_TOLD);
            counted.left_out.push(format!(
                "{more} more packages are for other machines or interpreters."
            ));
        }
        counted
    }
}

/// A span without the releases for which other pins of a package would count than for the chosen one.
pub fn narrowed(span: ReleaseSpan, chosen: &str, pins: &[Pin]) -> ReleaseSpan {
    let mut by_name: BTreeMap<String, Vec<&Pin>> = BTreeMap::new();
    for pin in pins.iter().filter(|pin| pin.language == Language::Python) {
        by_name
            .entry(key(Language::Python, &pin.name))
            .or_default()
            .push(pin);
    }
    let forked = by_name.into_values().filter(|pins| pins.len() > 1).flatten();
    let markers = forked.flat_map(markers_of);
    let trees: Vec<MarkerTree> = markers.filter_map(read).collect();
    let counted = |release: &str| -> Vec<bool> {
        let environment = environment(release);
        let holds = |tree: &MarkerTree| environment.as_ref().is_some_and(|one| tree.evaluate(one, &[]));
        trees.iter().map(holds).collect()
    };
    let Some(own) = release_numbers(chosen) else {
        return span;
    };
    let of_chosen = counted(chosen);
    let others = releases(Language::Python)
        .iter()
        .filter_map(|release| Some((release_numbers(&release.version)?, release.version.as_str())))
        .filter(|(numbers, version)| numbers.0 == own.0 && *numbers != own && counted(version) != of_chosen);
    others.fold(span, |span, ((major, minor), _)| match minor < own.1 {
        true => span.not_before(&format!("{major}.{}", minor + 1)),
        false => span.not_behind(&format!("{major}.{}", minor.saturating_sub(1))),
    })
}

fn environments(python: Option<&str>) -> Vec<MarkerEnvironment> {
    match python {
        Some(version) => environment(version).into_iter().collect(),
        None => releases(Language::Python)
            .iter()
            .filter_map(|release| environment(&release.version))
            .collect(),
    }
}

/// The environment of a version; of a release such as `3.8`, of a late one of its series.
fn environment(version: &str) -> Option<MarkerEnvironment> {
    TargetPlatform::new(version, std::env::consts::ARCH)?.markers()
}

fn named(pin: &Pin) -> String {
    match (&pin.version, &pin.bounds) {
        (Some(version), _) => format!("{} {version}", pin.name),
        (None, Some(bounds)) => format!("{} {bounds}", pin.name),
        (None, None) => pin.name.clone(),
    }
}

fn shown(marker: &str) -> String {
    marker
        .chars()
        .filter(|letter| !letter.is_control())
        .take(120)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence::{EvidenceKind, NeedingPackage};

    fn pin(name: &str, version: &str, marker: &str) -> Pin {
        let pin = Pin::new(
            Language::Python,
            name,
            EvidenceKind::LockFile,
            "requirements.txt",
            1,
        );
        Pin {
            marker: Some(marker.to_owned()).filter(|marker| !marker.is_empty()),
            ..pin.with_version(Some(version.to_owned()))
        }
    }

    fn counted(python: Option<&str>, pins: &[Pin]) -> Vec<String> {
        let found = CountedPins::of(pins.to_vec(), python);
        found.pins.iter().map(named).collect()
    }

    fn some() -> Vec<Pin> {
        vec![
            pin("pandas", "0.24.2", "python_version < \"3.6\""),
            pin("pandas", "1.0.3", "python_version >= \"3.6\""),
            pin("pywin32", "227", "sys_platform == 'win32'"),
            pin("pypy-only", "1", "platform_python_implementation == 'PyPy'"),
            pin("late", "1", "python_full_version >= \"3.7.1\""),
            pin("extra", "1", "extra == 'test'"),
            pin("plain", "1", ""),
        ]
    }

    #[test]
    fn pins_count_by_their_markers() {
        assert_eq!(
            counted(Some("3.8"), &some()),
            ["pandas 1.0.3", "late 1", "plain 1"]
        );
        assert_eq!(counted(Some("3.5.2"), &some()), ["pandas 0.24.2", "plain 1"]);
        // The very patch release counts where it is known, and `3.10` lies behind `3.6`.
        assert_eq!(counted(Some("3.7.0"), &some()), ["pandas 1.0.3", "plain 1"]);
        assert_eq!(
            counted(Some("3.10"), &some()),
            ["pandas 1.0.3", "late 1", "plain 1"]
        );
        // Without an interpreter, those that some release allows.
        assert_eq!(
            counted(None, &some()),
            ["pandas 0.24.2", "pandas 1.0.3", "late 1", "plain 1"]
        );
        let found = CountedPins::of(some(), Some("3.8"));
        assert_eq!(
            found.left_out[1],
            "requirements.txt, line 1: pywin32 227 is for `sys_platform == 'win32'`, which does not hold for Python 3.8 \
             on Linux: it is not wanted here."
        );
        assert!(found.faults.is_empty());
    }

    #[test]
    fn markers_that_are_none_are_said_and_count_for_nothing() {
        let deep = format!(
            "{}python_version > '3'{}",
            "(".repeat(100_000),
            ")".repeat(100_000)
        );
        let shallow = format!("{}python_version > '3'{}", "(".repeat(3_900), ")".repeat(3_900));
        for marker in [
            "python_version <",
            "windows",
            "os.getenv('x')",
            "; ;",
            &deep,
            &shallow,
        ] {
            let found = CountedPins::of(vec![pin("pandas", "1.0", marker)], Some("3.8"));
            assert!(found.pins.is_empty() && found.left_out.is_empty(), "{marker:.40}");
            assert!(found.faults[0].problem.contains("cannot be read"), "{marker:.40}");
        }
    }

    #[test]
    fn forks_hold_the_releases_together() {
        let span = |pins: &[Pin]| narrowed(ReleaseSpan::since("3.0"), "3.8", pins);
        let forked = span(&some());
        assert!(forked.admits("3.6") && forked.admits("3.13") && !forked.admits("3.5"));
        let both = span(&[
            pin("numpy", "1", "python_version < '3.8'"),
            pin("numpy", "2", "python_version == '3.8'"),
            pin("NumPy", "3", "python_version > '3.8'"),
        ]);
        assert!(both.admits("3.8") && !both.admits("3.7") && !both.admits("3.9"));
        // A backport that one release needs holds nothing.
        let backport = span(&[pin("dataclasses", "0.7", "python_version == '3.6'")]);
        assert!(backport.admits("3.6") && backport.admits("3.9"));
    }

    fn needed(name: &str, by: Option<&str>, marker: &str) -> Pin {
        let way = PinWay {
            by: by.map(|name| NeedingPackage {
                name: name.to_owned(),
                version: None,
            }),
            marker: Some(marker.to_owned()).filter(|marker| !marker.is_empty()),
        };
        Pin {
            ways: Some(vec![way]),
            ..pin(name, "1", "")
        }
    }

    #[test]
    fn what_is_only_reached_by_ways_that_do_not_hold_does_not_count() {
        let two_ways = Pin {
            ways: Some(
                [
                    needed("x", Some("win"), ""),
                    needed("x", Some("Main_One"), "os_name == 'nt'"),
                ]
                .iter()
                .flat_map(|pin| pin.ways.clone().unwrap())
                .collect(),
            ),
            ..pin("neither", "1", "")
        };
        let pins = [
            needed("main-one", None, ""),
            needed("win", None, "sys_platform == 'win32'"),
            needed("below-win", Some("win"), ""),
            needed("below-both", Some("below-win"), ""),
            needed("circle-a", Some("circle-b"), ""),
            needed("circle-b", Some("circle-a"), ""),
            needed("below-main", Some("main_one"), "python_version >= '3.6'"),
            pin("by-itself", "1", ""),
            two_ways,
        ];
        assert_eq!(
            counted(Some("3.8"), &pins),
            ["main-one 1", "below-main 1", "by-itself 1"]
        );
        let found = CountedPins::of(pins.to_vec(), Some("3.8"));
        let told = |name: &str| found.left_out.iter().find(|one| one.contains(name)).unwrap();
        assert!(
            told(" win 1").contains("is for `sys_platform == 'win32'`, which does not hold for Python 3.8")
        );
        assert!(
            told("below-both").ends_with("is only needed by below-win, of which nothing is wanted here.")
        );
        assert!(
            told("neither").contains("is for `os_name == 'nt'`"),
            "{}",
            told("neither")
        );
        // The same name in another file is another package, and a chain that holds for some Python counts for any.
        let other = Pin {
            file: "other.lock".to_owned(),
            ..needed("below-win", Some("main-one"), "")
        };
        assert_eq!(counted(Some("3.8"), &[pins[0].clone(), other]), ["main-one 1"]);
        let old = [
            needed("old", None, "python_version < '3.6'"),
            needed("below-old", Some("old"), "python_version >= '3.6'"),
        ];
        assert_eq!(counted(None, &old), ["old 1"]);
    }

    #[test]
    fn a_patch_release_that_nothing_tells_is_said() {
        let pins = [
            pin("late", "1", "python_full_version >= '3.7.1'"),
            pin("series", "1", "python_full_version >= '3.7'"),
        ];
        let told = |python: &str| CountedPins::of(pins.to_vec(), Some(python)).left_out;
        assert!(
            told("3.7")[0].contains("goes by the patch release of Python 3.7"),
            "{:?}",
            told("3.7")
        );
        assert_eq!(told("3.7").len(), 1);
        assert_eq!(told("3.7.3"), Vec::<String>::new());
    }
}
