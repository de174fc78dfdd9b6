//! Python requirements, held to the files of a lock by their digests.

use crate::domain::execution::LockedFiles;

/// The name under which the versions of an environment say whether its files were held to a lock; no
/// package has it.
pub const FILES: &str = "files";
/// What stands there where they were.
pub const HELD: &str = "held to the lock's SHA-256 digests";

/// The lines of a requirements file that installers hold to digests.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileDigests {
    /// No lock has any.
    None,
    /// A line for each requirement, with its digest.
    Held(Vec<String>),
    /// The reason for which they cannot be held to, as a clause.
    Unusable(String),
}

impl FileDigests {
    /// Joins canonical requirements with the digests of a lock. Installers want a digest of all or of
    /// none, and the file of one Python is not that of another.
    pub fn of(requirements: &[String], files: Option<&LockedFiles>, python: &str) -> Self {
        let Some(files) = files.filter(|_| !requirements.is_empty()) else {
            return Self::None;
        };
        if release(&files.python) != release(python) {
            return Self::Unusable(format!("they are of Python {}", files.python));
        }
        let lines = requirements.iter().map(|requirement| line(requirement, files));
        match lines.collect() {
            Ok(lines) => Self::Held(lines),
            Err(why) => Self::Unusable(why),
        }
    }

    /// What an environment says of them; nothing where no lock has any.
    pub fn standing(&self) -> Option<String> {
        match self {
            Self::None => None,
            Self::Held(_) => Some(HELD.to_owned()),
            Self::Unusable(why) => Some(format!("not held to the lock's digests: {why}")),
        }
    }

    /// The lines, where there are any to be held to.
    pub fn lines(&self) -> Option<&[String]> {
        match self {
            Self::Held(lines) => Some(lines),
            _ => None,
        }
    }
}

/// The first two numbers of a version.
fn release(version: &str) -> Option<(&str, &str)> {
    let mut numbers = version.trim().split('.');
    Some((numbers.next()?, numbers.next()?))
}

/// The line of a requirement, or why it has none.
fn line(requirement: &str, files: &LockedFiles) -> Result<String, String> {
    let exact = requirement.split_once("==").filter(|(name, version)| {
        !name.contains(['[', '<', '>', '=', '!', '~', ',']) && !version.contains([',', '*'])
    });
    let Some((name, _)) = exact else {
        return Err(format!("`{requirement}` is not one package at one version"));
    };
    match files.sha256.get(name) {
        Some(digest) if digest.len() == 64 && digest.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
            Ok(format!("{requirement} --hash=sha256:{digest}"))
        }
        Some(_) => Err(format!("that of `{name}` is no SHA-256")),
        None => Err(format!("the lock has none of `{name}`")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn files(of: &[(&str, &str)]) -> LockedFiles {
        LockedFiles {
            python: "3.11".to_owned(),
            sha256: of
                .iter()
                .map(|&(name, digest)| (name.to_owned(), digest.to_owned()))
                .collect(),
        }
    }

    fn joined(requirements: &[&str], files: &LockedFiles, python: &str) -> FileDigests {
        let owned: Vec<String> = requirements.iter().map(|&text| text.to_owned()).collect();
        FileDigests::of(&owned, Some(files), python)
    }

    #[test]
    fn every_requirement_has_the_digest_of_its_file() {
        let digest = "0123456789abcdef".repeat(4);
        let files = files(&[("six", &digest), ("numpy", &digest)]);
        assert_eq!(
            joined(&["six==1.16.0"], &files, "3.11.2"),
            FileDigests::Held(vec![format!("six==1.16.0 --hash=sha256:{digest}")])
        );
        assert_eq!(joined(&[], &files, "3.11.2"), FileDigests::None);
        assert_eq!(
            FileDigests::of(&["six==1".to_owned()], None, "3.11"),
            FileDigests::None
        );
    }

    #[test]
    fn one_that_cannot_be_held_frees_all_and_says_why() {
        let digest = "ab".repeat(32);
        let files = files(&[
            ("six", &digest),
            ("bad", "0 --index-url=http://evil"),
            ("short", "ab"),
        ]);
        for (requirements, python, why) in [
            (&["six==1.16.0"][..], "3.12.1", "of Python 3.11"),
            (&["six==1.16.0", "tqdm==4.0"], "3.11", "none of `tqdm`"),
            (&["six"], "3.11", "`six` is not one package at one version"),
            (&["six==1.*"], "3.11", "not one package"),
            (&["six<=1,==1.0"], "3.11", "not one package"),
            (&["six[test]==1.0"], "3.11", "not one package"),
            (&["bad==1.0"], "3.11", "that of `bad` is no SHA-256"),
            (&["short==1.0"], "3.11", "that of `short` is no SHA-256"),
        ] {
            let found = joined(requirements, &files, python);
            let told = found.standing().unwrap();
            assert!(
                found.lines().is_none() && told.contains(why),
                "{requirements:?}: {told}"
            );
        }
    }
}
