//! Packages that scripts of R need.

use std::collections::BTreeMap;

use super::super::evidence::EvidenceKind;
use super::super::language::Language;
use super::super::need::{Certainty, Mention, MentionForm, PackageNeed, Question};
use super::super::tables::r_packages::{ROrigin, origin, slip_of};
use super::needed::{NeededPackages, PackageFindings, places, sentences};
use super::pinned::PinnedPackages;

/// Packages that manage a project's library, and that a session has loaded where no script does.
const MANAGERS: [&str; 2] = ["packrat", "renv"];

/// Whether a package only manages the library of a session.
fn is_manager(findings: &PackageFindings<'_>, name: &str) -> bool {
    let mut pins = findings.pins.iter();
    MANAGERS.contains(&name)
        && pins.all(|pin| {
            (pin.language, pin.name.as_str()) != (Language::R, name) || pin.kind == EvidenceKind::SessionInfo
        })
}

/// Tells the packages.
pub fn tell(findings: &PackageFindings<'_>, needed: &mut NeededPackages) {
    let pinned = PinnedPackages::of(Language::R, findings.pins);
    let mut by_name: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    for mention in findings
        .mentions
        .iter()
        .filter(|mention| mention.language == Language::R)
    {
        by_name.entry(&mention.name).or_default().push(mention);
    }
    for (name, mentions) in by_name {
        let origin = origin(name);
        if origin == ROrigin::Base {
            continue;
        }
        if findings.own.file(Language::R, name).is_some() {
            needed
                .needs
                .push(findings.own.need(Language::R, name, sentences(&mentions)));
            continue;
        }
        let is_pinned = pinned.get(name).is_some();
        let is_loaded = mentions.iter().any(|mention| {
            let form = mention.form;
            form != MentionForm::Installs && form != MentionForm::InstallsElsewhere
        });
        let slip = match origin {
            ROrigin::NotListed if (!is_pinned || !is_loaded) && !findings.from_files.contains(name) => {
                slip_of(name)
            }
            _ => None,
        };
        let is_elsewhere = origin == ROrigin::Bioconductor
            || mentions
                .iter()
                .any(|mention| mention.form == MentionForm::InstallsElsewhere);
        if let Some(close) = slip {
            needed.questions.push(Question {
                language: Language::R,
                name: name.to_owned(),
                question: format!(
                    "`{name}` is no known package and nearly `{close}`: is it a slip? It is not installed."
                ),
                places: places(&mentions),
            });
        }
        needed.needs.push(PackageNeed {
            language: Language::R,
            package: name.to_owned(),
            loaded_as: Vec::new(),
            certainty: match (slip, is_elsewhere) {
                (Some(_), _) => Certainty::Unknown,
                (None, true) => Certainty::Elsewhere,
                (None, false) => Certainty::ByDate,
            },
            version: None,
            bounds: Vec::new(),
            sha256: Vec::new(),
            reasons: sentences(&mentions),
        });
    }
    let is_loaded = |name: &str| {
        needed
            .needs
            .iter()
            .any(|need| need.language == Language::R && need.package == name)
    };
    let is_needed = |name: &&str| {
        let name = *name;
        origin(name) != ROrigin::Base && (!is_manager(findings, name) || is_loaded(name))
    };
    let names: Vec<&str> = pinned.names().filter(is_needed).collect();
    for name in names {
        let is_unknown = |need: &PackageNeed| {
            let is_it = need.language == Language::R && need.package == name;
            is_it && need.certainty == Certainty::Unknown
        };
        let is_doubted = needed.needs.iter().any(is_unknown);
        needed.add_pinned(Language::R, name, &pinned);
        let mut needs = needed.needs.iter_mut();
        let need = needs.find(|need| need.language == Language::R && need.package == name);
        if let Some(need) = need.filter(|_| is_doubted) {
            need.certainty = Certainty::Unknown;
        }
    }
}
