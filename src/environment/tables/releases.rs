//! Releases of interpreters by their first days.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use jiff::civil::Date;
use serde::Deserialize;

use crate::environment::language::Language;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct ReleaseTable {
    python: BTreeMap<String, toml::value::Datetime>,
    r: BTreeMap<String, toml::value::Datetime>,
}

/// A release and its first day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Release {
    pub version: String,
    pub from: Date,
}

/// A table with a mistake knows no release; a test reads it.
static PYTHON: LazyLock<Vec<Release>> = LazyLock::new(|| sorted(|table| table.python));
static R: LazyLock<Vec<Release>> = LazyLock::new(|| sorted(|table| table.r));

fn sorted(part: impl Fn(ReleaseTable) -> BTreeMap<String, toml::value::Datetime>) -> Vec<Release> {
    let Ok(table) = toml::from_str::<ReleaseTable>(include_str!("releases.toml")) else {
        return Vec::new();
    };
    let mut releases: Vec<Release> = part(table)
        .into_iter()
        .filter_map(|(version, day)| {
            let from = day.to_string().parse().ok()?;
            Some(Release { version, from })
        })
        .collect();
    releases.sort_by_key(|one| one.from);
    releases
}

/// The releases of a language, the oldest first; none of one without a table.
pub fn releases(language: Language) -> &'static [Release] {
    match language {
        Language::Python => &PYTHON,
        Language::R => &R,
        Language::Stata | Language::Spss => &[],
    }
}

/// The release that a version as written belongs to: `3.8.12` is Python's 3.8, `4.0` is R's last 4.0.
pub fn release_of(language: Language, version: &str) -> Option<&'static Release> {
    series_of(language, version).map(|(_, last)| last)
}

/// The first and the last release that a version as written belongs to: of R's `4.0`, 4.0.0 and 4.0.5.
pub fn series_of(language: Language, version: &str) -> Option<(&'static Release, &'static Release)> {
    let numbers = |text: &str| -> Vec<u32> { text.split('.').map_while(|part| part.parse().ok()).collect() };
    let wanted = numbers(version);
    let fits = |release: &&Release| {
        let known = numbers(&release.version);
        let common = known.len().min(wanted.len());
        common >= 2 && known[..common] == wanted[..common]
    };
    let mut all = releases(language).iter().filter(fits);
    let first = all.next()?;
    Some((first, all.next_back().unwrap_or(first)))
}

/// The last day on which a release was the newest: the day before the next one came out.
pub fn last_day(language: Language, release: &Release) -> Option<Date> {
    let all = releases(language);
    let next = all.iter().find(|other| other.from > release.from)?;
    next.from.yesterday().ok()
}

/// The newest release of a day.
pub fn newest_at(language: Language, day: Date) -> Option<&'static Release> {
    releases(language)
        .iter()
        .rev()
        .find(|release| release.from <= day)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(text: &str) -> Date {
        text.parse().unwrap()
    }

    #[test]
    fn releases_are_told_by_version_and_by_day() {
        assert!(releases(Language::Python).len() >= 12 && releases(Language::R).len() >= 50);
        let python = release_of(Language::Python, "3.8.12").unwrap();
        assert_eq!(python.version, "3.8");
        assert_eq!(last_day(Language::Python, python), Some(day("2020-10-04")));
        assert_eq!(release_of(Language::R, "4.0").unwrap().version, "4.0.5");
        let (first, last) = series_of(Language::R, "4.0").unwrap();
        assert_eq!(
            (first.version.as_str(), last.version.as_str()),
            ("4.0.0", "4.0.5")
        );
        assert_eq!(release_of(Language::R, "3.6.1").unwrap().from, day("2019-07-05"));
        assert_eq!(release_of(Language::R, "9.9.9"), None);
        assert_eq!(release_of(Language::Python, "3"), None);
        assert_eq!(
            newest_at(Language::R, day("2019-12-11")).unwrap().version,
            "3.6.1"
        );
        assert_eq!(
            newest_at(Language::R, day("2019-12-12")).unwrap().version,
            "3.6.2"
        );
        assert_eq!(newest_at(Language::Python, day("1999-01-01")), None);
        assert_eq!(newest_at(Language::Stata, day("2019-12-12")), None);
    }
}
