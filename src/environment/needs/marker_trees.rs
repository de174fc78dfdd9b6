//! The markers of pins, read once.

use std::collections::HashMap;
use std::str::FromStr as _;

use pep508_rs::{MarkerEnvironment, MarkerTree};

use super::super::evidence::Pin;
use super::super::python_index::bounded::is_bounded;

/// Every marker of some pins with its tree; `None` of one that cannot be read.
#[derive(Debug, Default)]
pub struct MarkerTrees {
    by_text: HashMap<String, Option<MarkerTree>>,
}

impl MarkerTrees {
    /// Reads the markers of pins and of the ways to them.
    pub fn of(pins: &[Pin]) -> Self {
        let mut trees = Self::default();
        for marker in pins.iter().flat_map(markers_of) {
            if !trees.by_text.contains_key(marker) {
                trees.by_text.insert(marker.to_owned(), read(marker));
            }
        }
        trees
    }

    /// Whether a marker holds in one of some environments.
    pub fn holds(&self, marker: &str, environments: &[MarkerEnvironment]) -> bool {
        environments.iter().any(|one| self.holds_in(Some(marker), one))
    }

    /// Whether a marker holds in an environment; no marker does.
    pub fn holds_in(&self, marker: Option<&str>, environment: &MarkerEnvironment) -> bool {
        let Some(marker) = marker else { return true };
        let tree = self.by_text.get(marker).and_then(Option::as_ref);
        tree.is_some_and(|tree| tree.evaluate(environment, &[]))
    }

    /// The first marker of a pin or of a way to it that cannot be read.
    pub fn unread<'a>(&self, pin: &'a Pin) -> Option<&'a str> {
        markers_of(pin).find(|marker| self.by_text.get(*marker).is_none_or(Option::is_none))
    }

    /// The first marker of a pin that holds in one of two environments alone.
    pub fn first_that_differs<'a>(
        &self,
        pin: &'a Pin,
        one: &MarkerEnvironment,
        other: &MarkerEnvironment,
    ) -> Option<&'a str> {
        markers_of(pin).find(|marker| self.holds_in(Some(marker), one) != self.holds_in(Some(marker), other))
    }
}

/// The markers of a pin and of the ways to it.
pub fn markers_of(pin: &Pin) -> impl Iterator<Item = &str> {
    let ways = pin.ways.iter().flatten();
    let ways = ways.filter_map(|way| way.marker.as_deref());
    pin.marker.as_deref().into_iter().chain(ways)
}

/// The tree of a marker; `None` of a text that is none, or is too large to be one.
pub fn read(marker: &str) -> Option<MarkerTree> {
    is_bounded(marker)
        .then(|| MarkerTree::from_str(marker).ok())
        .flatten()
}
