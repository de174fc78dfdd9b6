//! Requirements in the metadata of a distribution.

use std::str::FromStr as _;

use pep508_rs::{ExtraName, VersionOrUrl};

use super::bounded;
use super::platform::TargetPlatform;
use super::repairs;
use crate::domain::names::normalized;

/// Requirements of one distribution that are read.
const MOST: usize = 2_000;

/// Words of markers that go by the patch release.
const PATCHED: [&str; 2] = ["python_full_version", "implementation_version"];

/// A package that a distribution requires, by name and bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequiredPackage {
    /// In the usual spelling.
    pub name: String,
    /// Such as `>=1.0,<2`; `None` of any version.
    pub bounds: Option<String>,
    pub extras: Vec<String>,
}

/// The requirements in a metadata file.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct MetadataRequirements {
    /// As written.
    written: Vec<String>,
}

/// The requirements of a distribution in an environment.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RequiredHere {
    pub packages: Vec<RequiredPackage>,
    /// Lines that cannot be read, or lead to an address.
    pub not_read: Vec<String>,
    /// Lines that hold or do not by the patch release of Python, which nothing tells: they count as for a late one.
    pub by_patch: Vec<String>,
}

impl MetadataRequirements {
    /// Reads the head of a `METADATA` file.
    pub fn parse(metadata: &str) -> Self {
        // A line of spaces goes on with a field, such as a licence.
        let head = metadata.lines().take_while(|line| !line.is_empty());
        let written = head.filter_map(|line| line.strip_prefix("Requires-Dist:"));
        Self {
            written: written.take(MOST).map(|line| line.trim().to_owned()).collect(),
        }
    }

    /// The requirements that hold for an interpreter, with some extras.
    pub fn here(&self, package: &str, target: &TargetPlatform, extras: &[String]) -> RequiredHere {
        let Some(markers) = target.markers() else {
            return RequiredHere::default();
        };
        let first = target.first_markers();
        let extras: Vec<ExtraName> = extras
            .iter()
            .filter_map(|extra| ExtraName::from_str(extra).ok())
            .collect();
        let mut here = RequiredHere::default();
        for written in &self.written {
            let text = repairs::requirement(package, written);
            let Some(read) = bounded::requirement(&text) else {
                here.not_read.push(shown(written));
                continue;
            };
            let holds = read.evaluate_markers(&markers, &extras);
            let is_of_first = |first| read.evaluate_markers(first, &extras);
            if PATCHED.iter().any(|word| text.contains(word))
                && first.as_ref().is_some_and(|first| is_of_first(first) != holds)
            {
                here.by_patch.push(shown(written));
            }
            if !holds {
                continue;
            }
            let bounds = match &read.version_or_url {
                None => None,
                Some(VersionOrUrl::VersionSpecifier(bounds)) => {
                    let bounds: Vec<String> = bounds.iter().map(ToString::to_string).collect();
                    Some(bounds.join(","))
                }
                Some(VersionOrUrl::Url(_)) => {
                    here.not_read.push(shown(written));
                    continue;
                }
            };
            here.packages.push(RequiredPackage {
                name: normalized(read.name.as_ref()),
                bounds,
                extras: read.extras.iter().map(ToString::to_string).collect(),
            });
        }
        here
    }
}

fn shown(text: &str) -> String {
    text.chars()
        .filter(|letter| !letter.is_control())
        .take(120)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requirements_hold_by_markers_and_extras() {
        let metadata = "Metadata-Version: 2.1\nName: x\nRequires-Dist: numpy (>=1.12.0)\nRequires-Dist: enum34; python_version < '3.4'\n\
                        Requires-Dist: pytest; extra == 'test'\nRequires-Dist: pytz (>=2011k)\nRequires-Dist: y @ https://example.org/y.whl\n\
                        Requires-Dist: nonsense !!\n\nRequires-Dist: body\n";
        let read = MetadataRequirements::parse(metadata);
        let target = TargetPlatform::new("3.7", "x86_64").unwrap();
        let here = read.here("pandas", &target, &[]);
        let shown: Vec<String> = (here.packages.iter())
            .map(|one| format!("{}{}", one.name, one.bounds.as_deref().unwrap_or("")))
            .collect();
        assert_eq!(shown, ["numpy>=1.12.0", "pytz>=2011.11"]);
        assert_eq!(here.not_read.len(), 2);
        let here = read.here("pandas", &target, &["test".to_owned()]);
        assert!(here.packages.iter().any(|one| one.name == "pytest"));
    }

    #[test]
    fn nested_brackets_are_not_followed() {
        let deep = "(".repeat(500_000);
        let metadata = format!("Requires-Dist: y; {deep}\nRequires-Dist: {deep}\nRequires-Dist: numpy\n");
        let target = TargetPlatform::new("3.7", "x86_64").unwrap();
        let here = MetadataRequirements::parse(&metadata).here("x", &target, &[]);
        assert_eq!(here.packages.len(), 1);
        assert_eq!(here.not_read.len(), 2);
    }

    #[test]
    fn markers_go_by_the_patch_release() {
        let metadata = "Requires-Dist: late; python_full_version >= '3.7.5'\nRequires-Dist: early; python_full_version < '3.7.5'\n\
                        Requires-Dist: series; python_full_version >= '3.7'\n";
        let read = MetadataRequirements::parse(metadata);
        let here = |python: &str| {
            let target = TargetPlatform::new(python, "x86_64").unwrap();
            let here = read.here("x", &target, &[]);
            let names: Vec<String> = here.packages.into_iter().map(|one| one.name).collect();
            (names.join(" "), here.by_patch.len())
        };
        assert_eq!(here("3.7.4"), ("early series".to_owned(), 0));
        assert_eq!(here("3.7.16"), ("late series".to_owned(), 0));
        // What nothing tells is taken as late, and said.
        assert_eq!(here("3.7"), ("late series".to_owned(), 2));
    }
}
