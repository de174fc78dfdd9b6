//! Pins of locks that are reached from what their project asks for.

use std::collections::{BTreeMap, BTreeSet};

use pep508_rs::MarkerEnvironment;

use super::super::evidence::{NeedingPackage, Pin, PinWay};
use super::marker_trees::MarkerTrees;
use crate::domain::names::normalized;

/// A package of a lock: the file, the name in its usual spelling, and the version; of any version without one.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PinKey {
    file: String,
    name: String,
    version: Option<String>,
}

impl PinKey {
    /// The key of a pin.
    pub fn of(pin: &Pin) -> Self {
        Self {
            file: pin.file.clone(),
            name: normalized(&pin.name),
            version: pin.version.clone(),
        }
    }

    /// The key of what needs a pin, in the same file.
    pub fn needing(pin: &Pin, by: &NeedingPackage) -> Self {
        Self {
            file: pin.file.clone(),
            name: normalized(&by.name),
            version: by.version.clone(),
        }
    }

    /// Whether it is among some; without a version, in any.
    pub fn is_in(&self, keys: &BTreeSet<Self>) -> bool {
        match self.version {
            Some(_) => keys.contains(self),
            None => {
                let next = keys.range(self..).next();
                next.is_some_and(|key| (&key.file, &key.name) == (&self.file, &self.name))
            }
        }
    }
}

/// Whether each pin is reached in one of some environments: one without ways by its marker alone, another by a way
/// that holds, from the project itself or from a pin that is reached.
pub fn reached(pins: &[Pin], trees: &MarkerTrees, environments: &[MarkerEnvironment]) -> Vec<bool> {
    let mut all = vec![false; pins.len()];
    let ways = WaysByNeed::of(pins);
    for environment in environments {
        for (at, is_reached) in reached_in(pins, &ways, trees, environment)
            .into_iter()
            .enumerate()
        {
            all[at] |= is_reached;
        }
    }
    all
}

/// The ways of pins by what needs them, so that each is looked at once.
struct WaysByNeed<'a> {
    by_name: BTreeMap<(String, String), Vec<(usize, &'a PinWay)>>,
}

impl<'a> WaysByNeed<'a> {
    fn of(pins: &'a [Pin]) -> Self {
        let mut by_name: BTreeMap<(String, String), Vec<(usize, &PinWay)>> = BTreeMap::new();
        for (at, pin) in pins.iter().enumerate() {
            for way in pin.ways.iter().flatten() {
                if let Some(by) = &way.by {
                    let key = (pin.file.clone(), normalized(&by.name));
                    by_name.entry(key).or_default().push((at, way));
                }
            }
        }
        Self { by_name }
    }
}

fn reached_in(
    pins: &[Pin],
    ways: &WaysByNeed<'_>,
    trees: &MarkerTrees,
    environment: &MarkerEnvironment,
) -> Vec<bool> {
    let counts = |pin: &Pin| trees.holds_in(pin.marker.as_deref(), environment);
    let holds = |way: &PinWay| trees.holds_in(way.marker.as_deref(), environment);
    let mut reached = vec![false; pins.len()];
    let mut open: Vec<usize> = Vec::new();
    for (at, pin) in pins.iter().enumerate() {
        let is_first = match &pin.ways {
            None => true,
            Some(ways) => ways.iter().any(|way| way.by.is_none() && holds(way)),
        };
        if is_first && counts(pin) {
            reached[at] = true;
            open.push(at);
        }
    }
    while let Some(at) = open.pop() {
        let pin = &pins[at];
        let key = (pin.file.clone(), normalized(&pin.name));
        for (next, way) in ways.by_name.get(&key).into_iter().flatten() {
            let version = way.by.as_ref().and_then(|by| by.version.as_deref());
            let is_by_it = version.is_none() || version == pin.version.as_deref();
            if is_by_it && !reached[*next] && holds(way) && counts(&pins[*next]) {
                reached[*next] = true;
                open.push(*next);
            }
        }
    }
    reached
}
