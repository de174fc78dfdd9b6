//! A variant as it was declared: to be run, or why it cannot be.

use std::collections::BTreeMap;

use crate::domain::plan::EntryPoint;

/// A variant that can be run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunnableVariant {
    pub name: String,
    pub entries: Vec<EntryPoint>,
    /// Environment variables that are added, the one with its name included.
    pub variables: BTreeMap<String, String>,
}

/// A variant that cannot.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdleVariant {
    pub name: String,
    /// Why, in a sentence.
    pub why: String,
}
