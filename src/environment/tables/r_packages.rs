//! Packages of R by where they are from.

use std::sync::LazyLock;

use serde::Deserialize;

use crate::domain::names::near;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct RTable {
    base: Vec<String>,
    recommended: Vec<String>,
    bioconductor: Vec<String>,
    known: Vec<String>,
    neighbours: Vec<String>,
}

/// A table with a mistake knows no package; a test reads it.
static TABLE: LazyLock<Result<RTable, toml::de::Error>> =
    LazyLock::new(|| toml::from_str(include_str!("r_packages.toml")));

/// The origin of an R package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ROrigin {
    /// Part of R itself.
    Base,
    /// On CRAN, and known here.
    Known,
    Bioconductor,
    /// Not in the table, as most of CRAN is.
    NotListed,
}

/// Whether a package comes with R: base, and what R's installations hold besides.
pub fn comes_with_r(package: &str) -> bool {
    let table = TABLE.as_ref().ok();
    table.is_some_and(|table| {
        table
            .base
            .iter()
            .chain(&table.recommended)
            .any(|name| name == package)
    })
}

/// The origin of a package.
pub fn origin(package: &str) -> ROrigin {
    let Ok(table) = TABLE.as_ref() else {
        return ROrigin::NotListed;
    };
    let is_in = |names: &[String]| names.iter().any(|name| name == package);
    match () {
        () if is_in(&table.base) => ROrigin::Base,
        () if [&table.recommended, &table.known, &table.neighbours]
            .into_iter()
            .any(|part| is_in(part)) =>
        {
            ROrigin::Known
        }
        () if is_in(&table.bioconductor) => ROrigin::Bioconductor,
        () => ROrigin::NotListed,
    }
}

/// Every known name.
pub fn known() -> impl Iterator<Item = &'static str> {
    let table = TABLE.as_ref().ok();
    let parts = table.map(|table| [&table.base, &table.recommended, &table.bioconductor, &table.known]);
    parts.into_iter().flatten().flatten().map(String::as_str)
}

/// The known name that a name of no table is likely a slip of.
pub fn slip_of(package: &str) -> Option<&'static str> {
    let is_listed = origin(package) != ROrigin::NotListed;
    near(package, known()).filter(|_| !is_listed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_have_an_origin() {
        assert_eq!(origin("stats"), ROrigin::Base);
        assert_eq!(origin("lme4"), ROrigin::Known);
        assert_eq!(origin("MASS"), ROrigin::Known);
        assert_eq!(origin("multtest"), ROrigin::Bioconductor);
        assert_eq!(origin("lme5"), ROrigin::NotListed);
        assert!(comes_with_r("stats") && comes_with_r("MASS") && !comes_with_r("lme4"));
        assert!(known().count() > 250);
        assert_eq!(slip_of("dyplr"), Some("dplyr"));
        for other in ["dplyr", "vroom", "dtplyr", "nonsuchpackage"] {
            assert_eq!(slip_of(other), None, "{other}");
        }
    }
}
