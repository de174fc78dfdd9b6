//! Files that hold a package of R, as scripts name them.

use super::super::need::SourcePlace;
use crate::domain::lazy_regex::LazyRegex;

/// The name of a package of R.
pub static PACKAGE: LazyRegex = LazyRegex::new(r"^[A-Za-z][A-Za-z0-9.]*$");

/// A file with a package, or the folder of one: `pkgs/mine_0.1.tar.gz`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PackageFile {
    pub name: String,
    pub version: Option<String>,
    /// As the script has it.
    pub path: String,
    /// The place that installs it.
    pub place: SourcePlace,
}

impl PackageFile {
    /// Reads a path; `None` where its name is that of no package.
    pub fn parse(path: &str, place: SourcePlace) -> Option<Self> {
        let stem = path.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
        let stem = archive_stem(stem).unwrap_or(stem);
        let (name, version) = match stem.split_once('_') {
            Some((name, rest)) => (name, rest.split('_').next().map(str::to_owned)),
            None => (stem, None),
        };
        PACKAGE.is_match(name).then(|| Self {
            name: name.to_owned(),
            version,
            path: path.to_owned(),
            place,
        })
    }

    /// Whether a path is that of an archive.
    pub fn is_archive(path: &str) -> bool {
        archive_stem(path).is_some()
    }

    /// Whether it lies in CRAN's archive, whose versions an index knows.
    pub fn is_of_cran(&self) -> bool {
        let address = self.path.to_ascii_lowercase();
        address.contains("://") && address.contains("/src/contrib/") && address.contains("cran")
    }

    /// Whether a file of the folder, by its path below that, is meant.
    pub fn is_at(&self, path: &str) -> bool {
        let wanted = self.path.replace('\\', "/");
        let Some(wanted) = wanted.trim_end_matches('/').rsplit('/').next() else {
            return false;
        };
        match Self::is_archive(wanted) {
            true => path.rsplit('/').next() == Some(wanted),
            false => path.rsplit('/').skip(1).any(|folder| folder == wanted),
        }
    }
}

fn archive_stem(path: &str) -> Option<&str> {
    [".tar.gz", ".tgz", ".zip", ".tar.bz2"]
        .iter()
        .find_map(|end| path.strip_suffix(end))
}

#[cfg(test)]
mod tests {
    use super::super::findings::place;
    use super::*;

    #[test]
    fn names_and_versions_stand_in_paths() {
        let named = |path: &str| {
            let file = PackageFile::parse(path, place("a.R", 1))?;
            Some((
                file.name.clone(),
                file.version.clone().unwrap_or_default(),
                file.is_of_cran(),
            ))
        };
        let all =
            |name: &str, version: &str, is_of_cran| Some((name.to_owned(), version.to_owned(), is_of_cran));
        assert_eq!(named("pkgs/mine_0.1.tar.gz"), all("mine", "0.1", false));
        assert_eq!(named("C:\\pkgs\\mine2_0.1-3.zip"), all("mine2", "0.1-3", false));
        assert_eq!(named("mine_1.0_R_x86_64.tgz"), all("mine", "1.0", false));
        assert_eq!(
            named("https://cran.r-project.org/src/contrib/Archive/rgdal/rgdal_1.5-8.tar.gz"),
            all("rgdal", "1.5-8", true)
        );
        assert_eq!(
            named("https://x.github.io/drat/src/contrib/own_1.tar.gz"),
            all("own", "1", false)
        );
        assert_eq!(named("own-master.zip"), None);
        let is_at = |file: &str, path: &str| PackageFile::parse(file, place("a.R", 1)).unwrap().is_at(path);
        assert!(
            is_at("../pkgs/mine_0.1.tar.gz", "pkgs/mine_0.1.tar.gz")
                && is_at("pkgs/own/", "pkgs/own/DESCRIPTION")
        );
        assert!(!is_at("mine_0.1.tar.gz", "mine_0.2.tar.gz") && !is_at("own", "pkgs/own"));
        assert_eq!(named("pkgs/own/"), all("own", "", false));
    }
}
