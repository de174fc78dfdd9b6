//! Functions of R's scripts that load or install what they are given.

use std::collections::BTreeMap;

use super::super::need::MentionForm;

/// A parameter whose value is loaded or installed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LoadedParameter {
    pub name: String,
    /// Whether the text of what is given is taken: `load(dplyr)`.
    pub is_quoted: bool,
    pub form: MentionForm,
}

/// A function of a script.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnFunction {
    /// The names of the parameters, in their order.
    pub parameters: Vec<String>,
    /// Packages that stand in the defaults, by parameter.
    pub defaults: BTreeMap<String, Vec<String>>,
    /// Empty of one that loads nothing.
    pub loads: Vec<LoadedParameter>,
}

/// Functions of scripts, by name.
pub type OwnFunctions = BTreeMap<String, OwnFunction>;

/// The functions of a folder's scripts; a name that files define in different ways is none.
#[derive(Debug, Default)]
pub struct FolderFunctions {
    by_name: BTreeMap<String, Option<OwnFunction>>,
}

impl FolderFunctions {
    /// Adds those of a file.
    pub fn add(&mut self, functions: OwnFunctions) {
        for (name, function) in functions {
            let known = self.by_name.entry(name).or_insert_with(|| Some(function.clone()));
            if known.as_ref() != Some(&function) {
                *known = None;
            }
        }
    }

    /// Those that load or install something.
    pub fn loading(&self) -> OwnFunctions {
        let known = self.by_name.iter().filter_map(|(name, function)| {
            let function = function.as_ref().filter(|function| !function.loads.is_empty())?;
            Some((name.clone(), function.clone()))
        });
        known.collect()
    }
}
