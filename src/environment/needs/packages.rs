//! The packages of Python and R that an analysis needs.

use super::conda_names::IndexNames;
use super::needed::{NeededPackages, PackageFindings};
use super::{other_names, python, r};

/// Tells the packages of Python and R.
pub fn packages(findings: &PackageFindings<'_>) -> NeededPackages {
    let mut needed = NeededPackages::default();
    let names = IndexNames::of(findings.pins, findings.mentions);
    let findings = PackageFindings {
        pins: &names.pins,
        ..*findings
    };
    python::tell(&findings, &mut needed);
    other_names::tell(&findings, &mut needed);
    r::tell(&findings, &mut needed);
    names.ask(&mut needed);
    needed
        .needs
        .sort_by(|one, other| (one.language, &one.package).cmp(&(other.language, &other.package)));
    needed
}
