//! Packages that are named by conda's names: those that an index has as the same project, and the others.

use std::collections::BTreeMap;

use super::super::evidence::{Pin, PinSource};
use super::super::language::Language;
use super::super::need::{Certainty, Mention, MentionForm, PackageNeed, Question, SourcePlace};
use super::super::tables::{python_names, r_packages, standard_library};
use super::needed::NeededPackages;
use crate::domain::names::normalized;

/// Names that a question has at most.
const MOST_NAMED: usize = 30;

/// The pins under names of indexes, and those of conda that are none.
#[derive(Debug, Default)]
pub struct IndexNames {
    pub pins: Vec<Pin>,
    pub others: Vec<Pin>,
}

impl IndexNames {
    /// Maps conda's names where the tables know the project, or a script loads it by that name.
    pub fn of(pins: &[Pin], mentions: &[Mention]) -> Self {
        let mut named = Self::default();
        for pin in pins {
            if pin.source != PinSource::Conda {
                named.pins.push(pin.clone());
                continue;
            }
            match index_name(pin, mentions) {
                Some(name) => named.pins.push(Pin {
                    name,
                    source: PinSource::Index,
                    ..pin.clone()
                }),
                // Libraries of the system have such names by the dozen.
                None if pin.language == Language::Python && pin.name.starts_with("lib") => {}
                None => named.others.push(pin.clone()),
            }
        }
        named
    }

    /// Asks about the names that are none of an index; a version stands where another package needs it.
    pub fn ask(&self, needed: &mut NeededPackages) {
        let mut by_file: BTreeMap<(Language, &str), Vec<&Pin>> = BTreeMap::new();
        for pin in &self.others {
            by_file.entry((pin.language, &pin.file)).or_default().push(pin);
        }
        for ((language, file), pins) in by_file {
            let named: Vec<String> = (pins.iter().take(MOST_NAMED))
                .map(|pin| format!("`{}`", pin.name))
                .collect();
            let more = match pins.len().saturating_sub(MOST_NAMED) {
                0 => String::new(),
                more => format!(" and {more} more"),
            };
            let (index, way) = match language {
                Language::R => ("CRAN", "in a script"),
                _ => ("the index of Python", "in a requirements.txt in the folder"),
            };
            needed.questions.push(Question {
                language,
                name: file.to_owned(),
                question: format!(
                    "Conda's {}{more} are not known to be packages of {index} by these names: name those that the analysis needs \
                     {way}; a guess is not installed.",
                    named.join(", ")
                ),
                places: vec![SourcePlace {
                    file: file.to_owned(),
                    line: pins.first().map_or(1, |pin| pin.line),
                }],
            });
        }
        for pin in &self.others {
            let is_told = |need: &PackageNeed| (need.language, &need.package) == (pin.language, &pin.name);
            if !needed.needs.iter().any(is_told) {
                needed.needs.push(PackageNeed {
                    language: pin.language,
                    package: pin.name.clone(),
                    loaded_as: Vec::new(),
                    certainty: Certainty::Unknown,
                    version: pin.version.clone(),
                    bounds: pin.bounds.iter().cloned().collect(),
                    sha256: Vec::new(),
                    reasons: vec![format!("{}, line {} has it by conda's name.", pin.file, pin.line)],
                });
            }
        }
    }
}

fn index_name(pin: &Pin, mentions: &[Mention]) -> Option<String> {
    let loaded = mentions
        .iter()
        .filter(|mention| mention.language == pin.language && mention.form != MentionForm::InstallsElsewhere);
    match pin.language {
        Language::R => {
            let is_it = |name: &&str| name.eq_ignore_ascii_case(&pin.name);
            let mut loaded = loaded.map(|mention| mention.name.as_str());
            let name = loaded.find(is_it).or_else(|| r_packages::known().find(is_it))?;
            Some(name.to_owned())
        }
        _ => {
            let name = normalized(&pin.name);
            let is_module = |mention: &Mention| {
                let module = mention.name.split('.').next().unwrap_or_default();
                normalized(module) == name
                    && standard_library::span(module).is_none()
                    && python_names::distribution(module, None).is_none()
            };
            let is_same = python_names::is_distribution(&name) || loaded.into_iter().any(is_module);
            is_same.then_some(name)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::environment::evidence::EvidenceKind;
    use crate::environment::need::SourcePlace;

    fn conda(language: Language, name: &str) -> Pin {
        let pin = Pin::new(language, name, EvidenceKind::LockFile, "environment.yml", 3);
        pin.with_source(PinSource::Conda)
            .with_version(Some("1.0".to_owned()))
    }

    fn loads(language: Language, name: &str) -> Mention {
        Mention {
            language,
            name: name.to_owned(),
            place: SourcePlace {
                file: "a".to_owned(),
                line: 1,
            },
            form: MentionForm::Loads,
        }
    }

    #[test]
    fn only_the_same_project_is_taken() {
        let python = [
            "pandas",
            "scikit-learn",
            "vc",
            "tk",
            "icu",
            "git-lfs",
            "readline",
            "yaml",
            "libxml2",
            "fieldnotes",
            "panadas",
        ];
        let mut pins: Vec<Pin> = python.map(|name| conda(Language::Python, name)).into();
        pins.extend(["mass", "lme4", "nowhere", "ownpackage"].map(|name| conda(Language::R, name)));
        // A module of Python itself is not what conda has by its name, and `yaml` is PyYAML's.
        let mentions = [
            loads(Language::Python, "readline"),
            loads(Language::Python, "yaml"),
            loads(Language::Python, "fieldnotes.io"),
            loads(Language::R, "OwnPackage"),
        ];
        let named = IndexNames::of(&pins, &mentions);
        let names = |pins: &[Pin]| pins.iter().map(|pin| pin.name.clone()).collect::<Vec<_>>();
        assert_eq!(
            names(&named.pins),
            [
                "pandas",
                "scikit-learn",
                "fieldnotes",
                "MASS",
                "lme4",
                "OwnPackage"
            ]
        );
        assert_eq!(
            names(&named.others),
            [
                "vc", "tk", "icu", "git-lfs", "readline", "yaml", "panadas", "nowhere"
            ]
        );
        let mut needed = NeededPackages::default();
        named.ask(&mut needed);
        assert!(
            needed
                .needs
                .iter()
                .all(|need| need.certainty == Certainty::Unknown)
        );
        assert_eq!(needed.questions.len(), 2);
        assert!(
            needed.questions[0].question.contains("`vc`, `tk`"),
            "{:?}",
            needed.questions
        );
    }
}
