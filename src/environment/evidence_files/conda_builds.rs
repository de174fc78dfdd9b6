//! Packages that `pip freeze` names by the folder in which conda built them, such as
//! `numpy @ file:///croot/numpy_1682520569166/work`: that folder says nothing of where a package comes from.

use std::str::FromStr as _;

use jiff::Timestamp;
use jiff::civil::Date;
use jiff::tz::TimeZone;
use pep508_rs::pep440_rs::Version;

use super::super::evidence::{Evidence, EvidenceKind, FoundEvidence};
use crate::domain::lazy_regex::LazyRegex;

static FOLDER: LazyRegex = LazyRegex::new(r"(?i)^file:///(?:[^/]+/)*[^/]+_([0-9]{13}|[0-9]{10})/work(?:/|$)");
static ROOT: LazyRegex =
    LazyRegex::new(r"(?i)^file:///(?:[a-z]:/)?(?:croot|home/conda/feedstock_root|tmp/build/80754af9)/");
static ARCHIVE: LazyRegex =
    LazyRegex::new(r"^[A-Za-z0-9][A-Za-z0-9._]*-([0-9][A-Za-z0-9.!+]*)(?:-[^/]*\.whl|\.tar\.gz|\.zip)$");

/// A version and a day, as the address of a build folder tells them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct CondaBuild {
    /// The version, where the address is that of an archive.
    pub version: Option<String>,
    /// The day on which the package was built.
    pub day: Option<Date>,
}

impl CondaBuild {
    /// Reads an address; `None` of one that is no folder of conda's builders.
    pub fn of(address: &str) -> Option<Self> {
        let address = address.split('#').next().unwrap_or_default().trim();
        let folder = FOLDER.captures(address);
        if folder.is_none() && !ROOT.is_match(address) {
            return None;
        }
        let last = address.rsplit('/').next().unwrap_or_default();
        let version = ARCHIVE.captures(last).map(|found| found[1].to_owned());
        Some(Self {
            version: version.filter(|version| Version::from_str(version).is_ok()),
            day: folder.and_then(|folder| day(&folder[1])),
        })
    }
}

/// The day of an instant in milliseconds, or in seconds where it has ten digits.
fn day(digits: &str) -> Option<Date> {
    let number: i64 = digits.parse().ok()?;
    let instant = match digits.len() {
        10 => Timestamp::from_second(number),
        _ => Timestamp::from_millisecond(number),
    };
    Some(instant.ok()?.to_zoned(TimeZone::UTC).date())
}

/// Takes the day of a build as evidence: of each file, that of the newest.
pub fn take(file: &str, line: usize, name: &str, day: Date, found: &mut FoundEvidence) {
    let is_it = |one: &Evidence| one.kind == EvidenceKind::PackageBuild && one.file == file;
    if found
        .evidence
        .iter()
        .any(|one| is_it(one) && one.date >= Some(day))
    {
        return;
    }
    found.evidence.retain(|one| !is_it(one));
    let says = format!("Conda built `{name}`, the newest package of this file, on {day}.");
    let evidence = Evidence::new(EvidenceKind::PackageBuild, file, says).at(line);
    found.evidence.push(evidence.dated(Some(day)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_builders_are_told_from_those_of_people() {
        for (address, day, version) in [
            (
                "file:///croot/numpy_and_numpy_base_1682520569166/work",
                "2023-04-26",
                None,
            ),
            (
                "file:///C:/ci/numpy_and_numpy_base_1620831199783/work",
                "2021-05-12",
                None,
            ),
            (
                "file:///C:/b/abs_d8gtwgr6l7/croot/aiobotocore_1680004292094/work",
                "2023-03-28",
                None,
            ),
            (
                "file:///croot/certifi_1671487769961/work/certifi",
                "2022-12-19",
                None,
            ),
            (
                "file:///tmp/build/80754af9/attrs_1604765588209/work",
                "2020-11-07",
                None,
            ),
            (
                "file:///home/conda/feedstock_root/build_artifacts/tomli_1727974628237/work/dist/tomli-2.0.2-py3-none-any.whl",
                "2024-10-03",
                Some("2.0.2"),
            ),
            (
                "file:///home/conda/feedstock_root/build_artifacts/bld/rattler-build_pandas_1726878443/work",
                "2024-09-21",
                None,
            ),
            (
                "file:///Users/ktietz/demo/mc3/conda-bld/six_1629299742001/work#sha256=aa",
                "2021-08-18",
                None,
            ),
        ] {
            let build = CondaBuild::of(address).unwrap();
            assert_eq!(build.day.unwrap().to_string(), day, "{address}");
            assert_eq!(build.version.as_deref(), version, "{address}");
        }
        for other in [
            "file:///home/someone/mypkg",
            "file:///home/someone/work",
            "file:///home/someone/data_2020/work",
            "file:///home/someone/mypkg_1682520569166",
            "https://example.org/croot/x_1682520569166/work",
            "git+file:///croot/x_1682520569166/work",
        ] {
            assert_eq!(CondaBuild::of(other), None, "{other}");
        }
        let odd = CondaBuild::of("file:///croot/x/work/x-latest.tar.gz").unwrap();
        assert_eq!(odd, CondaBuild::default());
    }

    #[test]
    fn the_newest_build_of_a_file_is_evidence() {
        let mut found = FoundEvidence::default();
        for (line, day) in [(1, "2021-05-12"), (2, "2023-04-26"), (3, "2020-01-01")] {
            take("requirements.txt", line, "x", day.parse().unwrap(), &mut found);
        }
        assert_eq!((found.evidence.len(), found.evidence[0].line), (1, Some(2)));
        assert!(found.evidence[0].weight < 30);
    }
}
