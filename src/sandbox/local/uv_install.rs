//! The commands by which uv installs, and what they print.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use super::shared::Shared;
use super::uv::Uv;
use crate::domain::names::normalized;
use crate::sandbox::failure::package;
use crate::sandbox::ownership::{INSTALLER, own_all};

/// uv's settings: the requirements of old releases whose metadata no strict reader takes.
pub const OLD_METADATA: &str = include_str!("old_metadata.toml");
/// Files have the modes that this mask gives them, as they are links that nobody changes later.
const MASKED: &str = "umask 022; exec \"$@\"";

/// The folder of uv, which is closed to everybody else.
#[derive(Debug, Clone)]
pub struct UvFolder(PathBuf);

impl UvFolder {
    /// The one of the shared cache.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn make(shared: &Shared) -> io::Result<Self> {
        let folder = Self(shared.cache.join("uv"));
        for part in [folder.root().to_owned(), folder.archive(), folder.drafts()] {
            match fs::DirBuilder::new().mode(0o700).create(&part) {
                Ok(()) if geteuid().is_root() => own_all(&part, INSTALLER, INSTALLER),
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
                _ => {}
            }
        }
        Ok(folder)
    }

    pub fn root(&self) -> &Path {
        &self.0
    }

    /// What uv has unpacked, which environments are links to.
    fn archive(&self) -> PathBuf {
        self.0.join("archive")
    }

    /// A new folder to install into.
    ///
    /// # Errors
    /// A folder that cannot be made.
    pub fn draft(&self) -> io::Result<tempfile::TempDir> {
        tempfile::tempdir_in(self.drafts())
    }

    fn drafts(&self) -> PathBuf {
        self.0.join("drafts")
    }
}

/// The parts of one installation.
#[derive(Clone, Copy)]
pub struct UvInstallation<'a> {
    pub uv: &'a Uv,
    /// The file with [`OLD_METADATA`].
    pub settings: &'a Path,
    /// The interpreter of the environment.
    pub python: &'a str,
    /// The options that name the packages.
    pub named: &'a [String],
}

impl UvInstallation<'_> {
    /// The command that installs wheels into a draft of an environment. No code of a package runs: what would have
    /// to be built is refused.
    pub fn of_wheels(&self, folder: &UvFolder, draft: &Path) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let own = [
            "--no-build",
            "--link-mode=hardlink",
            "--cache-dir",
            &text(&folder.archive()),
            "--prefix",
            &text(draft),
        ];
        self.command(&own)
    }

    /// The command that installs into the environment itself, and builds what has no wheel.
    pub fn with_builds(&self, cache: &Path) -> Vec<String> {
        self.command(&["--cache-dir", &cache.display().to_string()])
    }

    fn command(&self, own: &[&str]) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let (program, settings) = (text(&self.uv.program), text(self.settings));
        let always = [
            "/bin/sh",
            "-c",
            MASKED,
            "sh",
            &program,
            "pip",
            "install",
            "--config-file",
            &settings,
            "--no-python-downloads",
            "--index-strategy=unsafe-best-match",
            "--no-progress",
            "--color=never",
            "--python",
            self.python,
        ];
        let words = always.iter().chain(own).map(|&word| word.to_owned());
        words.chain(self.named.iter().cloned()).collect()
    }
}

/// The same installation out of the cache alone, without a word.
pub fn offline(mut command: Vec<String>) -> Vec<String> {
    command.extend(["--offline", "-qq"].map(str::to_owned));
    command
}

/// Moves what was installed into an environment, which has the same shape. What is there already,
/// such as the interpreter, stays as it is.
///
/// # Errors
/// A folder that cannot be read or written.
pub fn take_in(draft: &Path, venv: &Path) -> io::Result<()> {
    for entry in fs::read_dir(draft)? {
        let entry = entry?;
        let there = venv.join(entry.file_name());
        if there.symlink_metadata().is_err() {
            fs::rename(entry.path(), &there)?;
        } else if entry.file_type()?.is_dir() && there.is_dir() {
            take_in(&entry.path(), &there)?;
        }
    }
    Ok(())
}

/// The version of a package that uv says it would install.
pub fn would_install(log: &[String], name: &str) -> Option<String> {
    let lines = log.iter().filter_map(|line| line.trim().strip_prefix("+ "));
    let mut found = lines.filter_map(|line| line.split_once("=="));
    let version = found.find(|(one, _)| same_name(one, name))?.1;
    Some(version.escape_debug().take(40).collect())
}

/// The first requirement that is not installed.
pub fn missing(requirements: &[String], installed: &BTreeMap<String, String>) -> Option<String> {
    requirements
        .iter()
        .map(|requirement| package(requirement))
        .find(|name| !installed.keys().any(|there| same_name(there, name)))
}

/// Whether two names are those of one distribution (PEP 503).
fn same_name(one: &str, other: &str) -> bool {
    normalized(one) == normalized(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_version_of_a_package_is_read() {
        let log = [
            "Resolved 1 package in 218ms",
            "Would install 1 package",
            " + low-pkg==2.0",
        ];
        let log = log.map(str::to_owned);
        assert_eq!(would_install(&log, "Low_Pkg").as_deref(), Some("2.0"));
        assert_eq!(would_install(&log, "six"), None);
    }

    #[test]
    fn old_releases_of_pandas_have_requirements_that_can_be_read() {
        let settings: toml::Table = toml::from_str(OLD_METADATA).unwrap();
        let rows = settings["dependency-metadata"].as_array().unwrap();
        let is_it = |row: &&toml::Value| row["version"].as_str() == Some("0.24.2");
        let requires = &rows.iter().find(is_it).unwrap()["requires-dist"];
        assert_eq!(requires.as_array().unwrap()[1].as_str(), Some("pytz>=2011.11"));
    }

    #[test]
    fn what_is_taken_in_leaves_the_interpreter_as_it_is() {
        let place = tempfile::tempdir().unwrap();
        let (draft, venv) = (place.path().join("draft"), place.path().join("venv"));
        for (file, text) in [
            ("draft/bin/python", "evil"),
            ("draft/bin/tool", "tool"),
            ("draft/lib/python3.11/site-packages/a/b.py", "b"),
            ("draft/share/man/a.1", "man"),
            ("venv/bin/python", "python"),
            ("venv/lib/python3.11/site-packages/kept", ""),
        ] {
            let file = place.path().join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        take_in(&draft, &venv).unwrap();
        let read = |file: &str| fs::read_to_string(venv.join(file)).unwrap();
        assert_eq!(read("bin/python"), "python");
        assert_eq!(read("bin/tool"), "tool");
        assert_eq!(read("lib/python3.11/site-packages/a/b.py"), "b");
        assert_eq!(read("share/man/a.1"), "man");
        assert_eq!(read("lib/python3.11/site-packages/kept"), "");
    }

    #[test]
    fn what_is_not_there_after_a_good_end_is_named() {
        let there = BTreeMap::from([("scikit-learn".to_owned(), "1.3.0".to_owned())]);
        let wanted = |name: &str| vec![name.to_owned()];
        assert_eq!(missing(&wanted("scikit-learn[x]<2,>=1"), &there), None);
        assert_eq!(missing(&wanted("Scikit.Learn"), &there), None);
        assert_eq!(missing(&wanted("six==1.16.0"), &there), Some("six".to_owned()));
    }
}
