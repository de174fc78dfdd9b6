//! Mirrors of repositories in a folder that the operator names, which stand in for the code host.

use std::io;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use crate::domain::excerpt;
use crate::notebook::terms::RepositoryState;

/// A mirror.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mirror {
    pub folder: PathBuf,
    /// Whether it is a repository of git, with or without files beside its history.
    pub has_history: bool,
}

/// The fault of a mirror.
#[derive(Debug, thiserror::Error)]
pub enum MirrorFault {
    #[error("`{0}` is no https address of a repository, and no mirror is looked for under it")]
    NoAddress(String),
    #[error(
        "{folder} has no mirror of {address}: put a clone, a bare clone or the plain files there as {wanted}, or name \
         another folder with --repos", folder = .folder.display()
    )]
    Missing {
        folder: PathBuf,
        address: String,
        wanted: String,
    },
    #[error(
        "{folder} has no history, so that the commit that the task names cannot be taken: leave out `--at task`, or put a \
         clone there", folder = .0.display()
    )]
    NoHistory(PathBuf),
    #[error("the task names no commit: leave out `--at task`")]
    NoCommit,
    #[error("{folder} does not have {what}: {said}", folder = .folder.display())]
    NotThere {
        folder: PathBuf,
        what: String,
        said: String,
    },
    #[error("`git` cannot be called, which a mirror with a history needs: {0}")]
    NoGit(io::Error),
}

/// The folders of a mirror, relative to the folder of mirrors, the first one first:
/// `HOST/OWNER/NAME`, `OWNER/NAME`, `NAME`, each of them with `.git` too.
///
/// # Errors
/// An address that is none of a repository.
fn places(address: &str) -> Result<Vec<PathBuf>, MirrorFault> {
    let bad = || MirrorFault::NoAddress(excerpt::shortened(address, 200));
    let path = address.strip_prefix("https://").ok_or_else(bad)?;
    let path = path.trim_end_matches('/').trim_end_matches(".git");
    let parts: Vec<&str> = path.split('/').collect();
    let is_plain = |part: &&str| {
        !part.is_empty()
            && !part.starts_with('.')
            && part
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    if parts.len() < 2 || !parts.iter().all(is_plain) {
        return Err(bad());
    }
    let place = |from: usize| parts[from..].join("/");
    Ok((0..parts.len())
        .flat_map(|from| [format!("{}.git", place(from)), place(from)])
        .map(PathBuf::from)
        .collect())
}

/// The name of a repository, which is that of its folder.
///
/// # Errors
/// An address that is none of a repository.
pub fn name(address: &str) -> Result<String, MirrorFault> {
    let places = places(address)?;
    let last = places.last().and_then(|place| place.to_str());
    Ok(last.unwrap_or_default().to_owned())
}

/// The mirror of a repository.
///
/// # Errors
/// An address that is none, or a folder without the mirror.
pub fn find(folder: &Path, address: &str) -> Result<Mirror, MirrorFault> {
    let places = places(address)?;
    let found = places
        .iter()
        .map(|place| folder.join(place))
        .find(|place| place.is_dir());
    let wanted = places.get(1).map(|place| place.display().to_string());
    let folder = found.ok_or_else(|| MirrorFault::Missing {
        folder: folder.to_owned(),
        address: address.to_owned(),
        wanted: wanted.unwrap_or_default(),
    })?;
    Ok(Mirror::at(&folder))
}

impl Mirror {
    /// A folder as a mirror: a repository of git, or plain files.
    pub fn at(folder: &Path) -> Self {
        let is_bare = folder.join("HEAD").is_file() && folder.join("objects").is_dir();
        Self {
            folder: folder.to_owned(),
            has_history: is_bare || folder.join(".git").exists(),
        }
    }

    /// The commit that an attempt begins with; `None` of a mirror without a history.
    ///
    /// # Errors
    /// A commit that is asked for and not there, or no `git`.
    pub fn commit(&self, at: RepositoryState, of_task: Option<&str>) -> Result<Option<String>, MirrorFault> {
        let wanted = match at {
            RepositoryState::Head => "HEAD",
            RepositoryState::Task => of_task.ok_or(MirrorFault::NoCommit)?,
        };
        if !self.has_history {
            return match at {
                RepositoryState::Head => Ok(None),
                RepositoryState::Task => Err(MirrorFault::NoHistory(self.folder.clone())),
            };
        }
        let is_hex = wanted.len() == 40 && wanted.bytes().all(|byte| byte.is_ascii_hexdigit());
        if at == RepositoryState::Task && !is_hex {
            return Err(self.not_there(format!("the commit {wanted:?}"), "it is no 40 hexadecimal digits"));
        }
        let object = format!("{wanted}^{{commit}}");
        let output = git(
            &self.folder,
            &["rev-parse", "--verify", "--quiet", "--end-of-options", &object],
        )?;
        let commit = String::from_utf8_lossy(&output.stdout).trim().to_owned();
        match output.status.success() && !commit.is_empty() {
            true => Ok(Some(commit)),
            false => {
                let said = last_line(&output.stderr);
                let said = if said.is_empty() { "git finds none" } else { &said };
                Err(self.not_there(format!("the commit {wanted}"), said))
            }
        }
    }

    /// Clones it as a bare repository into a folder that is not there yet, with all its branches; its
    /// head is a commit.
    ///
    /// # Errors
    /// A commit or a repository that git does not take.
    pub fn clone_bare(&self, address: &str, commit: &str, target: &Path) -> Result<(), MirrorFault> {
        let (from, to) = (self.folder.display().to_string(), target.display().to_string());
        let clone = [
            "clone",
            "--quiet",
            "--bare",
            "--no-local",
            "--template=",
            "--",
            &from,
            &to,
        ];
        let mut output = git(Path::new("/"), &clone)?;
        let head = ["rev-parse", "--verify", "--quiet", "HEAD"];
        if output.status.success() && String::from_utf8_lossy(&git(target, &head)?.stdout).trim() != commit {
            output = git(target, &["update-ref", "--no-deref", "HEAD", commit])?;
        }
        if output.status.success() {
            output = git(target, &["config", "remote.origin.url", address])?;
        }
        match output.status.success() {
            true => Ok(()),
            false => Err(self.not_there(format!("the commit {commit}"), &last_line(&output.stderr))),
        }
    }

    fn not_there(&self, what: String, said: &str) -> MirrorFault {
        MirrorFault::NotThere {
            folder: self.folder.clone(),
            what,
            said: said.to_owned(),
        }
    }

    /// Clones it into a folder that is not there yet, as a clone of `address` at a commit. Neither
    /// submodules nor large files of LFS are fetched, and no hook runs.
    ///
    /// # Errors
    /// A commit or a repository that git does not take.
    pub fn clone_at(&self, address: &str, commit: &str, target: &Path) -> Result<(), MirrorFault> {
        let (from, to) = (self.folder.display().to_string(), target.display().to_string());
        let cloned = git(
            Path::new("/"),
            &[
                "clone",
                "--quiet",
                "--no-local",
                "--no-checkout",
                "--template=",
                "--",
                &from,
                &to,
            ],
        )?;
        let fault = |output: &Output| {
            let said = last_line(&output.stderr);
            Err(self.not_there(format!("the commit {commit}"), &said))
        };
        if !cloned.status.success() {
            return fault(&cloned);
        }
        let head = git(target, &["rev-parse", "--verify", "--quiet", "HEAD"])?;
        // A branch stays where it is the commit's own.
        let checked_out = match String::from_utf8_lossy(&head.stdout).trim() == commit {
            true => git(target, &["reset", "--quiet", "--hard"])?,
            false => git(target, &["checkout", "--quiet", "--detach", commit])?,
        };
        if !checked_out.status.success() {
            return fault(&checked_out);
        }
        // Nobody inside has to know where the mirror lies.
        let named = git(target, &["config", "remote.origin.url", address])?;
        match named.status.success() {
            true => Ok(()),
            false => fault(&named),
        }
    }
}

/// The settings of git in a session by which a mirror at a place stands in for an address.
pub fn stands_in(address: &str, place: &str) -> String {
    let base = address.trim_end_matches('/').trim_end_matches(".git");
    format!(
        "[safe]\n\tdirectory = *\n[protocol \"file\"]\n\tallow = always\n[url \"file://{place}\"]\n\
         \tinsteadOf = {base}.git\n\tinsteadOf = {base}/\n\tinsteadOf = {base}\n"
    )
}

/// Calls git of this machine, which reaches no network and asks nobody.
fn git(folder: &Path, arguments: &[&str]) -> Result<Output, MirrorFault> {
    Command::new("git")
        .args(["-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false"])
        .args(arguments)
        .current_dir(folder)
        .env("GIT_ALLOW_PROTOCOL", "file")
        .env("GIT_TERMINAL_PROMPT", "0")
        .env("GIT_LFS_SKIP_SMUDGE", "1")
        .env("GIT_NO_LAZY_FETCH", "1")
        .env_remove("GIT_DIR")
        .env_remove("GIT_WORK_TREE")
        .stdin(Stdio::null())
        .output()
        .map_err(MirrorFault::NoGit)
}

fn last_line(said: &[u8]) -> String {
    let said = String::from_utf8_lossy(said);
    excerpt::shortened(excerpt::last_line(&said).unwrap_or_default(), 300).replace(char::is_control, "")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_mirror_is_found_by_its_address() {
        let folder = tempfile::tempdir().unwrap();
        let address = "https://github.com/own/some.repo.git";
        let missing = find(folder.path(), address).unwrap_err().to_string();
        assert!(
            missing.contains("has no mirror of https://github.com/own/some.repo.git")
                && missing.contains("as github.com/own/some.repo,"),
            "{missing}"
        );
        for place in ["some.repo", "own/some.repo.git", "github.com/own/some.repo"] {
            fs::create_dir_all(folder.path().join(place)).unwrap();
            let found = find(folder.path(), address).unwrap();
            assert_eq!(found.folder, folder.path().join(place));
            assert!(!found.has_history);
        }
        assert_eq!(name(address).unwrap(), "some.repo");
        for bad in [
            "http://github.com/a/b",
            "https://github.com/../b",
            "https://github.com",
            "https://github.com/a/b c",
            "https://github.com//b",
        ] {
            assert!(matches!(name(bad), Err(MirrorFault::NoAddress(_))), "{bad}");
        }
    }

    #[test]
    fn a_commit_is_taken_where_there_is_a_history() {
        let folder = tempfile::tempdir().unwrap();
        let repository = folder.path().join("own/repo");
        fs::create_dir_all(&repository).unwrap();
        let mirror = find(folder.path(), "https://github.com/own/repo").unwrap();
        assert_eq!(mirror.commit(RepositoryState::Head, None).unwrap(), None);
        let said = |at, of_task| mirror.commit(at, of_task).unwrap_err().to_string();
        assert!(said(RepositoryState::Task, Some("1a")).contains("has no history"));
        assert!(said(RepositoryState::Task, None).contains("names no commit"));
        if crate::need::program("git", "apt-get install git").is_none() {
            return;
        }
        let call = |arguments: &[&str]| {
            let names = ["-c", "user.name=a", "-c", "user.email=a@example.org"];
            let output = git(&repository, &[&names[..], arguments].concat()).unwrap();
            assert!(output.status.success(), "{arguments:?}: {output:?}");
            String::from_utf8(output.stdout).unwrap().trim().to_owned()
        };
        call(&["init", "--quiet"]);
        let mut commits = Vec::new();
        for text in ["one", "two"] {
            fs::write(repository.join("a.txt"), text).unwrap();
            call(&["add", "a.txt"]);
            call(&["commit", "--quiet", "-m", text]);
            commits.push(call(&["rev-parse", "HEAD"]));
        }
        let mirror = find(folder.path(), "https://github.com/own/repo").unwrap();
        assert!(mirror.has_history);
        let head = mirror.commit(RepositoryState::Head, None).unwrap();
        assert_eq!(head.as_ref(), commits.last());
        let first = mirror
            .commit(RepositoryState::Task, Some(&commits[0]))
            .unwrap()
            .unwrap();
        let target = folder.path().join("copy");
        mirror
            .clone_at("https://github.com/own/repo", &first, &target)
            .unwrap();
        assert_eq!(fs::read_to_string(target.join("a.txt")).unwrap(), "one");
        let config = fs::read_to_string(target.join(".git/config")).unwrap();
        assert!(config.contains("url = https://github.com/own/repo"), "{config}");
        assert!(!config.contains(folder.path().to_str().unwrap()), "{config}");
        let other = "0".repeat(40);
        assert!(mirror.commit(RepositoryState::Task, Some(&other)).is_err());
        assert!(mirror.commit(RepositoryState::Task, Some("--help")).is_err());
    }
}
