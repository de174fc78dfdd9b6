//! Declared names of Python that stand in the index for another distribution, or are those of another one's module.

use super::super::language::Language;
use super::super::need::{Certainty, PackageNeed};
use super::super::tables::python_names::{held_by_other, stood_for};
use super::needed::{NeededPackages, PackageFindings};
use super::pinned::PinnedPackages;
use crate::domain::names::normalized;

/// Takes the distribution that a name stands for in its place, and asks about names of modules.
pub fn tell(findings: &PackageFindings<'_>, needed: &mut NeededPackages) {
    let pinned = PinnedPackages::of(Language::Python, findings.pins);
    for name in pinned.names() {
        let is_it = |need: &&PackageNeed| need.language == Language::Python && need.package == name;
        let Some(need) = needed.needs.iter().find(is_it) else {
            continue;
        };
        let place = pinned.places(name).into_iter().next();
        let place = place.map_or_else(String::new, |place| {
            format!("{}, line {}", place.file, place.line)
        });
        match (
            need.certainty,
            stood_for(name, findings.day),
            held_by_other(name, findings.day),
        ) {
            (Certainty::Elsewhere, _, _) | (_, None, None) => {}
            (_, Some(other), _) => replace(needed, name, &normalized(other), &place),
            (Certainty::Exact, None, Some(other)) => needed.contradictions.push(format!(
                "{place} has `{name}` in a version, which is taken: the module of that name is held by `{other}`, and not by \
                 the index's `{name}`."
            )),
            (_, None, Some(other)) => {
                let question = format!(
                    "`{name}` is the name of a module that `{other}` holds, and in the index that of another project or of \
                     none: which is meant? Name `{other}` in its place, or the version of `{name}`; it is not installed."
                );
                needed.doubt(name, question, &pinned);
            }
        }
    }
}

fn replace(needed: &mut NeededPackages, name: &str, other: &str, place: &str) {
    needed
        .needs
        .retain(|need| need.language != Language::Python || need.package != name);
    let reason =
        format!("{place} asks for `{name}`, which holds nothing and stands in the index for {other}");
    needed
        .contradictions
        .push(format!("{reason}: that is taken in its place."));
    let reason = format!("{reason}.");
    let is_other = |need: &&mut PackageNeed| need.language == Language::Python && need.package == other;
    match needed.needs.iter_mut().find(is_other) {
        Some(need) => need.reasons.push(reason),
        None => needed.needs.push(PackageNeed {
            language: Language::Python,
            package: other.to_owned(),
            loaded_as: Vec::new(),
            certainty: Certainty::ByDate,
            version: None,
            bounds: Vec::new(),
            sha256: Vec::new(),
            reasons: vec![reason],
        }),
    }
}
