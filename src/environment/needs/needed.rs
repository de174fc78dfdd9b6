//! Packages as they are gathered: mentions, pins, and what was told of them so far.

use std::collections::BTreeSet;

use jiff::civil::Date;

use super::super::evidence::Pin;
use super::super::language::Language;
use super::super::need::{Certainty, Mention, MentionForm, PackageNeed, Question, SourcePlace};
use super::local_modules::LocalModules;
use super::own_packages::OwnPackages;
use super::pinned::PinnedPackages;

/// Places that are told of one package.
const MOST_PLACES: usize = 4;

/// The findings that packages are told from.
#[derive(Debug, Clone, Copy)]
pub struct PackageFindings<'a> {
    pub mentions: &'a [Mention],
    pub pins: &'a [Pin],
    pub day: Option<Date>,
    /// The version of Python.
    pub python: Option<&'a str>,
    pub local: &'a LocalModules,
    pub own: &'a OwnPackages,
    /// Packages of R that scripts install from files.
    pub from_files: &'a BTreeSet<String>,
}

/// Packages that are needed.
#[derive(Debug, Default)]
pub struct NeededPackages {
    pub needs: Vec<PackageNeed>,
    pub questions: Vec<Question>,
    /// Whole sentences.
    pub contradictions: Vec<String>,
}

impl NeededPackages {
    /// Adds a package by its pin; a mention's need of the same name has been added before.
    pub fn add_pinned(&mut self, language: Language, name: &str, pinned: &PinnedPackages<'_>) {
        let Some(pin) = pinned.get(name) else { return };
        let certainty = match (pin.elsewhere, pin.version) {
            (Some(_), _) => Certainty::Elsewhere,
            (None, Some(_)) => Certainty::Exact,
            (None, None) => Certainty::ByDate,
        };
        self.contradictions.extend(pin.contradictions);
        let known = self
            .needs
            .iter_mut()
            .find(|need| need.language == language && need.package == name);
        match known {
            Some(need) => {
                if certainty != Certainty::ByDate || need.certainty == Certainty::Unknown {
                    need.certainty = certainty;
                }
                need.version = pin.version.map(str::to_owned);
                need.bounds = pin.bounds;
                need.sha256 = pin.sha256;
                need.reasons.splice(0..0, pin.reasons);
            }
            None => self.needs.push(PackageNeed {
                language,
                package: name.to_owned(),
                loaded_as: Vec::new(),
                certainty,
                version: pin.version.map(str::to_owned),
                bounds: pin.bounds,
                sha256: pin.sha256,
                reasons: pin.reasons,
            }),
        }
    }

    /// Asks about a declared distribution of Python, which is not installed.
    pub fn doubt(&mut self, name: &str, question: String, pinned: &PinnedPackages<'_>) {
        let is_it = |need: &&mut PackageNeed| need.language == Language::Python && need.package == name;
        let need = self.needs.iter_mut().find(is_it);
        let Some(need) = need.filter(|need| need.certainty != Certainty::Elsewhere) else {
            return;
        };
        need.certainty = Certainty::Unknown;
        self.questions.push(Question {
            language: Language::Python,
            name: name.to_owned(),
            question,
            places: pinned.places(name),
        });
    }
}

/// The places of mentions, the first ones as sentences.
pub fn sentences(mentions: &[&Mention]) -> Vec<String> {
    let mut told: Vec<String> = mentions
        .iter()
        .take(MOST_PLACES)
        .map(|mention| sentence(mention))
        .collect();
    if mentions.len() > MOST_PLACES {
        told.push(format!("{} more places do.", mentions.len() - MOST_PLACES));
    }
    told
}

fn sentence(mention: &Mention) -> String {
    let does = match mention.form {
        MentionForm::Loads => "loads it",
        MentionForm::Tries => "loads it where it is there",
        MentionForm::Calls => "calls a function of it",
        MentionForm::Installs => "installs it",
        MentionForm::InstallsElsewhere => "installs it from elsewhere than an index",
    };
    format!("{}, line {} {does}.", mention.place.file, mention.place.line)
}

/// The first places of mentions.
pub fn places(mentions: &[&Mention]) -> Vec<SourcePlace> {
    let places = mentions.iter().take(MOST_PLACES);
    places.map(|mention| mention.place.clone()).collect()
}
