//! Names of files of an index.

use std::str::FromStr as _;

use pep508_rs::pep440_rs::Version;

use crate::domain::names::normalized;

/// A file by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FileName {
    pub version: Version,
    pub kind: FileKind,
}

/// The kind of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileKind {
    Wheel(WheelTags),
    Source,
}

/// The tags of a wheel, each part as its name has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WheelTags {
    pub python: Vec<String>,
    pub abi: Vec<String>,
    pub platform: Vec<String>,
}

/// Reads the name of a file of a package; `None` of one that is neither a wheel nor a source, is of another package, or
/// whose version is none.
pub fn parse(file: &str, package: &str) -> Option<FileName> {
    if let Some(stem) = file.strip_suffix(".whl") {
        let parts: Vec<&str> = stem.split('-').collect();
        let (name, version, tags) = match parts.as_slice() {
            [name, version, python, abi, platform] | [name, version, _, python, abi, platform] => {
                (name, version, [python, abi, platform])
            }
            _ => return None,
        };
        if normalized(name) != normalized(package) {
            return None;
        }
        let [python, abi, platform] = tags.map(|tag| tag.split('.').map(str::to_owned).collect());
        return Some(FileName {
            version: Version::from_str(&version.replace('_', "-")).ok()?,
            kind: FileKind::Wheel(WheelTags {
                python,
                abi,
                platform,
            }),
        });
    }
    let stem = [".tar.gz", ".zip", ".tar.bz2"]
        .iter()
        .find_map(|end| file.strip_suffix(end))?;
    // The name's separators vary, and so does its length in letters, which is that of the package.
    let (name, rest) = (stem.get(..package.len())?, stem.get(package.len()..)?);
    if normalized(name) != normalized(package) {
        return None;
    }
    let rest = rest.strip_prefix('-')?;
    Some(FileName {
        version: Version::from_str(rest).ok()?,
        kind: FileKind::Source,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_and_sources_have_versions() {
        let version = |file: &str| parse(file, "scikit-learn").map(|read| read.version.to_string());
        assert_eq!(
            version("scikit_learn-0.21.2-cp37-cp37m-manylinux1_x86_64.whl").as_deref(),
            Some("0.21.2")
        );
        assert_eq!(
            version("scikit_learn-1.0-1-py3-none-any.whl").as_deref(),
            Some("1.0")
        );
        assert_eq!(version("scikit-learn-0.20rc1.tar.gz").as_deref(), Some("0.20rc1"));
        for other in [
            "scikit-learn-0.1.exe",
            "scikit-learn-x.tar.gz",
            "a.whl",
            "x.tar.gz",
            "",
            "scikit-learn.tar.gz",
            // Of other packages, or out of the folder.
            "numpy-0.21.2-cp37-cp37m-manylinux1_x86_64.whl",
            "scikit-image-1.0.tar.gz",
            "../scikit_learn-0.21.2-py3-none-any.whl",
            "../ikit-learn-0.20.tar.gz",
        ] {
            assert_eq!(version(other), None, "{other}");
        }
    }
}
