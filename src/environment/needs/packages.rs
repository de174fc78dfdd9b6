//! The packages of Python and R that an analysis needs.

use super::super::evidence::Pin;
use super::conda_names::IndexNames;
use super::needed::{NeededPackages, PackageFindings};
use super::{other_names, python, r};

/// Tells the packages of Python and R.
pub fn packages(findings: &PackageFindings<'_>) -> NeededPackages {
    let mut needed = NeededPackages::default();
    let names = IndexNames::of(findings.pins, findings.mentions);
    let is_own = |pin: &Pin| findings.own.file(pin.language, &pin.name).is_some();
    // What a log or a lock says of the folder's own package pins nothing that an index has.
    let pins: Vec<Pin> = names.pins.iter().filter(|pin| !is_own(pin)).cloned().collect();
    let findings = PackageFindings {
        pins: &pins,
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
