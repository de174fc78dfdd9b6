//! The Pythons of this machine by release: on the path, of pyenv, and of uv.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use super::shared::Shared;

/// Python 2 makes no environments here, and neither does what lacks `venv`.
const MAJOR: u32 = 3;
/// Folders of one kind that are looked into.
const MOST: usize = 200;

/// A release of Python, such as `3.7`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct PythonRelease {
    pub major: u32,
    pub minor: u32,
}

impl PythonRelease {
    /// The release of a version such as `3.7.12`.
    pub fn parse(version: &str) -> Option<Self> {
        let mut numbers = version.trim().split('.');
        let major = numbers.next()?.parse().ok()?;
        let minor = numbers.next()?.parse().ok()?;
        Some(Self { major, minor })
    }
}

/// A program that should be a Python of a release.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct PythonCandidate {
    pub release: PythonRelease,
    pub program: PathBuf,
}

/// The folder of Pythons that uv has fetched for us.
pub fn fetched(shared: &Shared) -> PathBuf {
    shared.cache.join("pythons")
}

/// The programs for a release: those of it first, then those of the next newer ones.
pub fn candidates(shared: &Shared, wanted: PythonRelease) -> Vec<PythonCandidate> {
    let operator = |name: &str| shared.settings.operator.get(name).map_or("", String::as_str);
    let mut folders: Vec<PathBuf> = operator("PATH")
        .split(':')
        .chain(["/usr/local/bin", "/usr/bin"])
        .filter(|folder| folder.starts_with('/'))
        .map(PathBuf::from)
        .collect();
    let home = Path::new(operator("HOME"));
    let pyenv = match operator("PYENV_ROOT") {
        "" => home.join(".pyenv"),
        root => PathBuf::from(root),
    };
    let uv = match operator("UV_PYTHON_INSTALL_DIR") {
        "" => home.join(".local/share/uv/python"),
        folder => PathBuf::from(folder),
    };
    for versions in [pyenv.join("versions"), uv, fetched(shared)]
        .iter()
        .filter(|one| one.is_absolute())
    {
        let entries = fs::read_dir(versions).into_iter().flatten().flatten();
        let mut inside: Vec<PathBuf> = entries.take(MOST).map(|entry| entry.path().join("bin")).collect();
        inside.sort();
        folders.extend(inside);
    }
    let mut seen = BTreeSet::new();
    folders.retain(|folder| seen.insert(folder.clone()));
    of_folders(&folders, wanted)
}

/// The releases, such as `3.8`, that a program is there for, the oldest first.
pub fn known(shared: &Shared) -> Vec<String> {
    let oldest = PythonRelease {
        major: MAJOR,
        minor: 0,
    };
    let mut releases: Vec<PythonRelease> = candidates(shared, oldest).iter().map(|one| one.release).collect();
    releases.dedup();
    let text = |release: PythonRelease| format!("{}.{}", release.major, release.minor);
    releases.into_iter().map(text).collect()
}

fn of_folders(folders: &[PathBuf], wanted: PythonRelease) -> Vec<PythonCandidate> {
    let mut found = Vec::new();
    for folder in folders {
        let entries = fs::read_dir(folder).into_iter().flatten().flatten();
        let names = entries.filter_map(|entry| entry.file_name().into_string().ok());
        let mut releases: Vec<PythonRelease> = names.filter_map(|name| of_name(&name)).collect();
        releases.sort();
        releases.dedup();
        found.extend(releases.into_iter().filter_map(|release| {
            let program = folder.join(format!("python{}.{}", release.major, release.minor));
            let is_program = program
                .metadata()
                .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0);
            (is_program && release >= wanted).then_some(PythonCandidate { release, program })
        }));
    }
    // Stable, so that the path's order decides among those of one release.
    found.sort_by_key(|one| one.release);
    found
}

/// The release in the name of a program such as `python3.7`.
fn of_name(name: &str) -> Option<PythonRelease> {
    let numbers = name.strip_prefix("python")?;
    let release = PythonRelease::parse(numbers)?;
    let is_whole = numbers == format!("{}.{}", release.major, release.minor);
    (is_whole && release.major == MAJOR).then_some(release)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn release(minor: u32) -> PythonRelease {
        PythonRelease { major: 3, minor }
    }

    #[test]
    fn those_of_the_release_come_first_then_the_next_newer() {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str, programs: &[&str]| {
            let folder = place.path().join(name);
            fs::create_dir(&folder).unwrap();
            for program in programs {
                let file = folder.join(program);
                fs::write(&file, "").unwrap();
                fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).unwrap();
            }
            folder
        };
        let folders = [
            folder("one", &["python3.11", "python3", "python2.7", "python3.8-config"]),
            folder("two", &["python3.8", "python3.11", "python3.6", "python3.x"]),
        ];
        fs::write(folders[0].join("python3.9"), "no program").unwrap();
        let found = |minor| {
            let found = of_folders(&folders, release(minor)).into_iter();
            found
                .map(|one| {
                    one.program
                        .strip_prefix(place.path())
                        .unwrap()
                        .display()
                        .to_string()
                })
                .collect::<Vec<_>>()
        };
        assert_eq!(found(7), ["two/python3.8", "one/python3.11", "two/python3.11"]);
        assert_eq!(found(6)[0], "two/python3.6");
        assert!(found(12).is_empty());
    }
}
