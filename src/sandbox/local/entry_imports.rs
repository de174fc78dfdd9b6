//! Modules that the script of a command imports, as its text has them.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::environment::scripts::python_imports::imported;

/// Bytes of a script that is read, scripts that import one another, and modules that are told.
const LARGEST: u64 = 1 << 20;
const MOST_SCRIPTS: usize = 30;
const MOST_MODULES: usize = 300;

/// The modules that the script of a command imports, and those that scripts of its folder import for it, by their
/// dotted names; none of a command without such a script. `folder` is the one that the command starts in.
pub fn of(command: &[String], folder: &Path) -> Vec<String> {
    let script = command.iter().skip(1).find(|word| word.ends_with(".py"));
    let Some(script) = script.map(|word| folder.join(word)) else {
        return Vec::new();
    };
    let beside = script.parent().unwrap_or(folder).to_owned();
    let mut modules = BTreeSet::new();
    let mut read = BTreeSet::new();
    let mut waiting = vec![script];
    while let Some(script) = waiting.pop() {
        if read.len() >= MOST_SCRIPTS || !read.insert(script.clone()) {
            continue;
        }
        for name in text(&script).map(|text| imported(&text)).unwrap_or_default() {
            let own = own_script(&beside, &name);
            match own {
                Some(own) => waiting.push(own),
                None if modules.len() < MOST_MODULES => drop(modules.insert(name)),
                None => {}
            }
        }
    }
    modules.into_iter().collect()
}

/// The script of the folder that a name leads to.
fn own_script(folder: &Path, name: &str) -> Option<PathBuf> {
    let first = name.split('.').next()?;
    let script = folder.join(format!("{first}.py"));
    script.symlink_metadata().is_ok().then_some(script)
}

/// The text of a script that no link leads to, since that could lead out of the workspace.
fn text(script: &Path) -> Option<String> {
    let found = script.symlink_metadata().ok()?;
    let is_read = found.is_file() && found.len() <= LARGEST;
    let bytes = is_read.then(|| fs::read(script).ok()).flatten()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modules_of_a_script_and_of_those_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(place.path().join(name), text).unwrap();
        fs::create_dir(place.path().join("work")).unwrap();
        write("work/main.py", "import helper, numpy\nfrom scipy import stats\n");
        write("work/helper.py", "import main\nimport pandas\n");
        write("work/other.py", "import never\n");
        let of = |words: &[&str]| {
            let command: Vec<String> = words.iter().map(|&word| word.to_owned()).collect();
            super::of(&command, place.path())
        };
        assert_eq!(
            of(&["python", "work/main.py", "--n", "3"]),
            ["numpy", "pandas", "scipy", "scipy.stats"]
        );
        std::os::unix::fs::symlink("other.py", place.path().join("work/link.py")).unwrap();
        for command in [
            &["python", "-c", "import numpy"][..],
            &["Rscript", "work/main.R"],
            &["python", "work/absent.py"],
            &["python", "work/link.py"],
            &["python"],
            &[],
        ] {
            assert!(of(command).is_empty(), "{command:?}");
        }
    }
}
