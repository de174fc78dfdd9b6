//! The ways by which packages of `poetry.lock` and `uv.lock` are needed, from the project itself on.

use std::collections::BTreeMap;

use serde::Deserialize;

use super::super::evidence::{NeedingPackage, PinWay};
use crate::domain::names::normalized;

/// The packages that one needs: uv lists them, Poetry has a table.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum Dependencies {
    Listed(Vec<LockedDependency>),
    Table(BTreeMap<String, PoetryDependency>),
    Other(serde::de::IgnoredAny),
}

impl Default for Dependencies {
    fn default() -> Self {
        Self::Listed(Vec::new())
    }
}

/// A dependency in a `uv.lock`.
#[derive(Deserialize)]
pub struct LockedDependency {
    pub name: String,
    pub version: Option<String>,
    pub marker: Option<String>,
}

/// A dependency in a `poetry.lock`: bounds alone, a table, or one for each marker.
#[derive(Deserialize)]
#[serde(untagged)]
pub enum PoetryDependency {
    Bounds(String),
    One(PoetryEdge),
    Many(Vec<PoetryEdge>),
}

/// One dependency in Poetry's words; its version is that of the package in the lock.
#[derive(Deserialize)]
pub struct PoetryEdge {
    markers: Option<String>,
}

/// The ways by which packages are needed, by their names in the usual spelling.
#[derive(Debug, Default)]
pub struct LockedWays {
    by_name: BTreeMap<String, Vec<LockedWay>>,
}

#[derive(Debug)]
struct LockedWay {
    /// The version that is needed; any where it says none.
    version: Option<String>,
    way: PinWay,
}

impl LockedWays {
    /// Adds what one package needs; `None` is the project itself.
    pub fn add(&mut self, by: Option<&NeedingPackage>, dependencies: &Dependencies) {
        match dependencies {
            Dependencies::Listed(listed) => {
                for one in listed {
                    self.push(by, &one.name, one.version.clone(), one.marker.clone());
                }
            }
            Dependencies::Table(table) => {
                for (name, dependency) in table {
                    match dependency {
                        PoetryDependency::Bounds(_) => self.push(by, name, None, None),
                        PoetryDependency::One(edge) => self.push(by, name, None, edge.markers.clone()),
                        PoetryDependency::Many(edges) => {
                            for edge in edges {
                                self.push(by, name, None, edge.markers.clone());
                            }
                        }
                    }
                }
            }
            Dependencies::Other(_) => {}
        }
    }

    /// Adds one way.
    pub fn push(
        &mut self,
        by: Option<&NeedingPackage>,
        name: &str,
        version: Option<String>,
        marker: Option<String>,
    ) {
        let by = by.cloned();
        let way = LockedWay {
            version,
            way: PinWay { by, marker },
        };
        self.by_name.entry(normalized(name)).or_default().push(way);
    }

    /// The ways by which a version of a package is needed; `None` where nothing tells.
    pub fn of(&self, name: &str, version: Option<&str>) -> Option<Vec<PinWay>> {
        let ways = self.by_name.get(&normalized(name))?.iter();
        let ways = ways.filter(|one| one.version.is_none() || one.version.as_deref() == version);
        let ways: Vec<PinWay> = ways.map(|one| one.way.clone()).collect();
        Some(ways).filter(|ways| !ways.is_empty())
    }
}
