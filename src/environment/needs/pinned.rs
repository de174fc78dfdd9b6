//! Pins by package, the strongest first, and those that contradict it.

use std::collections::BTreeMap;

use super::super::evidence::{Pin, PinSource};
use super::super::language::Language;
use super::super::need::SourcePlace;
use crate::domain::names::normalized;

/// Places that are told of one package.
const MOST_PLACES: usize = 4;

/// The pins of one language, by the usual spelling of their names.
#[derive(Debug, Default)]
pub struct PinnedPackages<'a> {
    by_name: BTreeMap<String, Vec<&'a Pin>>,
}

/// The settled pin of a package.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettledPin<'a> {
    pub name: &'a str,
    pub version: Option<&'a str>,
    pub bounds: Vec<String>,
    /// The digests that go with the version.
    pub sha256: Vec<String>,
    /// The address, where it is had from no index.
    pub elsewhere: Option<&'a str>,
    pub reasons: Vec<String>,
    pub contradictions: Vec<String>,
}

/// The spelling under which names of a language are compared.
pub fn key(language: Language, name: &str) -> String {
    match language {
        Language::Python => normalized(name),
        _ => name.to_owned(),
    }
}

impl<'a> PinnedPackages<'a> {
    /// The pins of a language.
    pub fn of(language: Language, pins: &'a [Pin]) -> Self {
        let mut by_name: BTreeMap<String, Vec<&Pin>> = BTreeMap::new();
        for pin in pins.iter().filter(|pin| pin.language == language) {
            by_name.entry(key(language, &pin.name)).or_default().push(pin);
        }
        for pins in by_name.values_mut() {
            pins.sort_by_key(|pin| {
                (
                    std::cmp::Reverse(pin.kind.weight()),
                    pin.version.is_none(),
                    &pin.file,
                    pin.line,
                )
            });
        }
        Self { by_name }
    }

    /// The names that are pinned.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.by_name.keys().map(String::as_str)
    }

    /// The first places of a package's pins.
    pub fn places(&self, name: &str) -> Vec<SourcePlace> {
        let pins = self.by_name.get(name).into_iter().flatten();
        let place = |pin: &&Pin| SourcePlace {
            file: pin.file.clone(),
            line: pin.line,
        };
        pins.map(place).take(MOST_PLACES).collect()
    }

    /// The pin of a package by the usual spelling of its name.
    pub fn get(&self, name: &str) -> Option<SettledPin<'a>> {
        let pins = self.by_name.get(name)?;
        let first = pins.first()?;
        let exact = pins.iter().find(|pin| pin.version.is_some());
        let version = exact.and_then(|pin| pin.version.as_deref());
        let bounds = pins.iter().filter_map(|pin| pin.bounds.clone());
        let elsewhere = pins.iter().find_map(|pin| match &pin.source {
            PinSource::Elsewhere(address) => Some(address.as_str()),
            PinSource::Index | PinSource::Conda => None,
        });
        let others = pins
            .iter()
            .filter(|pin| pin.version.is_some() && pin.version.as_deref() != version);
        let against = others.filter_map(|pin| {
            let other = pin.version.as_deref()?;
            let from = exact?;
            Some(format!(
                "{}, line {} has {} {other}; {}, which weighs more or comes first, has {}.",
                pin.file,
                pin.line,
                pin.name,
                from.file,
                version.unwrap_or_default()
            ))
        });
        Some(SettledPin {
            name: &first.name,
            version,
            bounds: bounds.collect(),
            sha256: exact.map_or_else(Vec::new, |pin| pin.sha256.clone()),
            elsewhere,
            reasons: pins.iter().take(3).map(|pin| sentence(pin)).collect(),
            contradictions: against.collect(),
        })
    }
}

fn sentence(pin: &Pin) -> String {
    let place = format!("{}, line {}", pin.file, pin.line);
    match (&pin.source, &pin.version, &pin.bounds) {
        (PinSource::Elsewhere(address), _, _) => format!("{place} has it from `{address}`."),
        (_, Some(version), _) => format!("{place} has version {version}."),
        (_, None, Some(bounds)) => format!("{place} asks for {bounds}."),
        _ => match &pin.unread {
            Some(unread) => {
                format!(
                    "{place} asks for it in a version that cannot be read (`{unread}`): that is not followed."
                )
            }
            None => format!("{place} asks for it."),
        },
    }
}
