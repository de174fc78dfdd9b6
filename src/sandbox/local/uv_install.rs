//! Installing by uv: built packages alone, as links to a cache that only uv writes.

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use nix::unistd::geteuid;

use super::policy::Report;
use super::shared::Shared;
use super::step::StepEnded;
use super::uv::Uv;
use crate::sandbox::ownership::{INSTALLER, own_all};

/// Characters of a reason that are told.
const REASON: usize = 200;
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
pub struct UvInstallation<'a> {
    pub uv: &'a Uv,
    pub folder: &'a UvFolder,
    /// The folder that takes in what belongs into the environment.
    pub draft: &'a Path,
    /// The interpreter of the environment.
    pub python: &'a str,
    /// The options that name the packages.
    pub named: &'a [String],
}

impl UvInstallation<'_> {
    /// The same installation out of the cache alone, without a word.
    pub fn offline_command(&self) -> Vec<String> {
        let mut command = self.command();
        command.extend(["--offline", "-qq"].map(str::to_owned));
        command
    }

    /// The command that installs. No code of a package runs: what would have to be built is
    /// refused.
    pub fn command(&self) -> Vec<String> {
        let text = |path: &Path| path.display().to_string();
        let mut command: Vec<String> = [
            "/bin/sh",
            "-c",
            MASKED,
            "sh",
            &text(&self.uv.program),
            "pip",
            "install",
            "--no-config",
            "--no-python-downloads",
            "--no-build",
            "--index-strategy=unsafe-best-match",
            "--link-mode=hardlink",
            "--no-progress",
            "--color=never",
            "--cache-dir",
            &text(&self.folder.archive()),
            "--python",
            self.python,
            "--prefix",
            &text(self.draft),
        ]
        .map(str::to_owned)
        .to_vec();
        command.extend(self.named.iter().cloned());
        command
    }
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

/// The reason for which it failed, in a line.
pub fn reason(ended: &StepEnded) -> String {
    let Report::Exited(code) = ended.report else {
        return format!("it was ended from outside ({:?})", ended.report);
    };
    let told: Vec<&str> = ended
        .log
        .iter()
        .skip_while(|line| !line.starts_with("error:"))
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .take(2)
        .collect();
    if told.is_empty() {
        return format!("exit status {code}");
    }
    let told = without_credentials(&told.join("; "));
    let told: String = told.escape_debug().take(REASON).collect();
    told.trim_end_matches('.').to_owned()
}

/// A text without the users and passwords of its addresses.
fn without_credentials(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("://") {
        let end = after
            .find(|letter: char| letter == '/' || letter.is_whitespace())
            .unwrap_or(after.len());
        let host = after[..end].rfind('@').map_or(0, |at| at + 1);
        plain.push_str(before);
        plain.push_str("://");
        rest = &after[host..];
    }
    plain + rest
}

/// The first requirement that is not installed.
pub fn missing(requirements: &[String], installed: &BTreeMap<String, String>) -> Option<String> {
    requirements
        .iter()
        .map(|requirement| {
            let name = requirement
                .chars()
                .take_while(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter));
            name.collect::<String>()
        })
        .find(|name| !installed.keys().any(|there| same_name(there, name)))
}

/// Whether two names are those of one distribution (PEP 503).
fn same_name(one: &str, other: &str) -> bool {
    let normal = |name: &str| name.to_lowercase().replace(['_', '.'], "-");
    normal(one) == normal(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reason_is_one_line_of_its_own_words() {
        let ended = |report, log: &[&str]| StepEnded {
            report,
            log: log.iter().map(|&line| line.to_owned()).collect(),
        };
        let log = [
            "Using Python 3.11.7 environment at: v",
            "error: No solution found when resolving dependencies",
            "  cause: Because there is no version of x==9.",
            "  hint: y",
        ];
        assert_eq!(
            reason(&ended(Report::Exited(1), &log)),
            "error: No solution found when resolving dependencies; cause: Because there is no version of x==9"
        );
        let log = ["error: Failed to fetch: https://me:p@ss@index.example/simple/x/ or http://t@h"];
        assert_eq!(
            reason(&ended(Report::Exited(2), &log)),
            "error: Failed to fetch: https://index.example/simple/x/ or http://h"
        );
        assert_eq!(
            reason(&ended(Report::Exited(3), &["\u{1b}[2J garbage"])),
            "exit status 3"
        );
        assert!(reason(&ended(Report::Signalled(11), &[])).contains("11"));
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
