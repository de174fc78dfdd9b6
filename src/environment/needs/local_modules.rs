//! Modules of Python that stand in the folder itself.

use std::collections::{BTreeMap, BTreeSet};

use super::super::source_tree::SourceTree;

/// Modules that stand in the folder itself.
#[derive(Debug, Default)]
pub struct LocalModules {
    /// Names of modules to the folders that hold them.
    folders: BTreeMap<String, BTreeSet<String>>,
    /// Names of folders that hold modules.
    packages: BTreeSet<String>,
}

impl LocalModules {
    /// The modules of a folder: its `.py` files, and folders that hold some.
    pub fn of(tree: &SourceTree) -> Self {
        let mut local = Self::default();
        for file in tree.files.iter().filter(|file| file.extension() == "py") {
            let stem = file.name().trim_end_matches(".py").to_owned();
            local
                .folders
                .entry(stem)
                .or_default()
                .insert(file.folder().to_owned());
            let mut folder = file.folder();
            local
                .packages
                .extend(folder.rsplit('/').next().map(str::to_owned));
            while !folder.is_empty() {
                let (above, name) = folder.rsplit_once('/').unwrap_or(("", folder));
                local
                    .folders
                    .entry(name.to_owned())
                    .or_default()
                    .insert(above.to_owned());
                folder = above;
            }
        }
        local
    }

    /// Whether a module of a name stands anywhere in the folder.
    pub fn is_there(&self, module: &str) -> bool {
        self.folders.contains_key(module)
    }

    /// Whether a name is that of a folder of modules.
    pub fn is_package(&self, module: &str) -> bool {
        self.packages.contains(module)
    }

    /// Whether a module that a script imports is a file of the folder; of another folder than the
    /// script's, only where the name is not that of a known package.
    pub fn holds(&self, module: &str, script: &str, is_known: bool) -> bool {
        let Some(folders) = self.folders.get(module) else {
            return false;
        };
        let own = script.rsplit_once('/').map_or("", |(folder, _)| folder);
        let stem = script
            .rsplit('/')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".py");
        // A script of a package's name imports the package, not itself.
        let is_itself = stem == module && folders.len() == 1;
        !is_itself && (!is_known || folders.contains(own))
    }
}
