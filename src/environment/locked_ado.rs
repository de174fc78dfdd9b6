//! The ado-files that a lock holds, found again in a folder by their digests.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use super::ado_folder::{AdoFolder, AdoRefusal};
use super::error::EnvironmentError;
use super::language::Language;
use super::lock::EnvironmentLock;
use super::tables::commands::stata_packages;
use crate::domain::excerpt;

/// Files by their places below a folder of Stata's path.
pub type AdoFiles = BTreeMap<PathBuf, Vec<u8>>;

/// The fault of a folder that does not have what a lock holds.
#[derive(Debug, thiserror::Error)]
pub enum LockedAdoError {
    #[error(transparent)]
    Folder(#[from] EnvironmentError),
    #[error("the package {name}: {refusal}")]
    Package { name: String, refusal: AdoRefusal },
    #[error("two packages have a file called {}, and they differ", .0.display())]
    Twice(PathBuf),
}

/// The files of all packages of Stata that a lock holds, each below the first letter of its name, as Stata's own
/// PLUS folder has them.
///
/// # Errors
/// A folder that cannot be read, lacks a package, or has it with other files than the lock.
pub fn locked_files(lock: &EnvironmentLock, folder: &Path) -> Result<AdoFiles, LockedAdoError> {
    let opened = AdoFolder::open(folder, lock.as_of.day)?;
    let mut all = AdoFiles::new();
    for package in lock.packages_of(Language::Stata) {
        let known = stata_packages().iter().find(|known| known.name == package.name);
        let commands = known.map_or(&[][..], |known| &known.commands);
        let digest = package.sha256.as_deref().unwrap_or_default();
        let files = opened.held_to(&package.name, commands, digest);
        let files = files.map_err(|refusal| LockedAdoError::Package {
            name: package.name.clone(),
            refusal,
        })?;
        for file in files {
            let place = place(&file.path);
            match all.get(&place) {
                Some(before) if *before != file.bytes => return Err(LockedAdoError::Twice(place)),
                _ => drop(all.insert(place, file.bytes)),
            }
        }
    }
    Ok(all)
}

/// The place of a file in a folder of Stata's path, by its name.
fn place(path: &str) -> PathBuf {
    let name = path.rsplit('/').next().unwrap_or(path);
    let letter = excerpt::start(name, 1).to_lowercase();
    PathBuf::from(letter).join(name)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use serde_json::json;

    use super::*;

    fn write(root: &Path, path: &str, text: &str) {
        let file = root.join(path);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, text).unwrap();
    }

    /// A lock of packages by their names and digests.
    fn lock(packages: &[(&str, &str)]) -> EnvironmentLock {
        let package = |(name, sha256): &(&str, &str)| {
            json!({
                "language": "stata", "name": name, "version": "1", "file": "f", "url": "u", "sha256": sha256,
                "build": false, "certainty": "by-date", "required_by": [], "reasons": [],
            })
        };
        let text = json!({
            "format": "reprise-lock/1",
            "as_of": {
                "instant": "2020-06-30T23:59:59Z", "day": "2020-06-30", "from": "told", "reason": "A person says so.",
                "weak": false,
            },
            "platform": "linux-x86_64", "interpreters": [], "sources": [],
            "packages": packages.iter().map(package).collect::<Vec<_>>(),
            "not_had": [], "questions": [], "notes": [],
        });
        EnvironmentLock::parse(text.to_string().as_bytes()).unwrap()
    }

    fn digest(root: &Path, name: &str) -> String {
        let folder = AdoFolder::open(root, "2020-06-30".parse().unwrap()).unwrap();
        folder.package(name, &[]).unwrap().sha256
    }

    #[test]
    fn files_are_those_of_the_lock_and_lie_where_stata_looks() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        write(root, "mine/reghdfe/reghdfe.ado", "*! version 5.7.3 13nov2019\n");
        write(root, "mine/_grubbs.ado", "program _grubbs\n");
        let locked = lock(&[
            ("reghdfe", &digest(root, "reghdfe")),
            ("_grubbs", &digest(root, "_grubbs")),
        ]);
        let files = locked_files(&locked, root).unwrap();
        let places: Vec<String> = files.keys().map(|path| path.display().to_string()).collect();
        assert_eq!(places, ["_/_grubbs.ado", "r/reghdfe.ado"]);
        assert_eq!(
            files[Path::new("r/reghdfe.ado")],
            b"*! version 5.7.3 13nov2019\n".to_vec()
        );
        // One byte more is another file.
        write(root, "mine/reghdfe/reghdfe.ado", "*! version 5.7.3 13nov2019\n\n");
        let other = locked_files(&locked, root).unwrap_err().to_string();
        assert!(
            other.starts_with("the package reghdfe:") && other.contains("SHA-256"),
            "{other}"
        );
        fs::remove_dir_all(root.join("mine/reghdfe")).unwrap();
        let absent = locked_files(&locked, root).unwrap_err().to_string();
        assert!(absent.contains("has no file of it"), "{absent}");
    }

    #[test]
    fn two_packages_with_one_name_of_a_file_are_refused() {
        let place = tempfile::tempdir().unwrap();
        let root = place.path();
        let tracked =
            |name: &str, file: &str| format!("S x\nN {name}.pkg\nD 1 Jan 2019\nU 1\nd 'X'\nf {file}\ne\n");
        write(root, "one/h/helper.ado", "program helper\n");
        write(root, "one/stata.trk", &tracked("first", "h/helper.ado"));
        write(root, "two/h/helper.ado", "program helper // other\n");
        write(root, "two/stata.trk", &tracked("second", "h/helper.ado"));
        let locked = lock(&[
            ("first", &digest(root, "first")),
            ("second", &digest(root, "second")),
        ]);
        let refused = locked_files(&locked, root).unwrap_err();
        assert!(matches!(refused, LockedAdoError::Twice(_)), "{refused}");
    }
}
