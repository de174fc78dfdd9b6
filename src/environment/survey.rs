//! Everything that a folder tells of the environment of its analysis.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use jiff::civil::Date;
use serde::{Deserialize, Serialize};

use super::copy_day;
use super::date::{self, AsOf};
use super::error::EnvironmentError;
use super::evidence::{Evidence, FileFault, Pin};
use super::evidence_files;
use super::interpreter::{self, InterpreterChoice};
use super::language::Language;
use super::need::{Certainty, Mention, PackageNeed, Question, SourcePlace};
use super::needs::commands::{self, CommandUse};
use super::needs::local_modules::LocalModules;
use super::needs::markers::{self, CountedPins};
use super::needs::needed::PackageFindings;
use super::needs::own_packages::OwnPackages;
use super::needs::{groups, module_span, packages, readable};
use super::scripts;
use super::scripts::findings::ScriptFindings;
use super::scripts::other_languages;
use super::source_tree::SourceTree;

/// The format of what is written.
pub const FORMAT: &str = "reprise-env/1";

/// Contradictions that are told.
const MOST_TOLD: usize = 50;
/// Places that are told of one package.
const MOST_PLACES: usize = 4;

/// The needs of an analysis, and the evidence for them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct EnvironmentSurvey {
    pub format: String,
    /// The date of the analysis; `None` where nothing tells it.
    pub as_of: Option<AsOf>,
    pub interpreters: Vec<InterpreterChoice>,
    pub packages: Vec<PackageNeed>,
    /// Commands of Stata and SPSS, with what holds them.
    pub commands: Vec<CommandUse>,
    pub questions: Vec<Question>,
    /// The first places of scripts that load each package of R; not written.
    #[serde(skip)]
    pub r_places: BTreeMap<String, Vec<SourcePlace>>,
    /// Whole sentences.
    pub contradictions: Vec<String>,
    /// Packages that files name for other machines or interpreters, or in extras and groups of which no script
    /// loads anything, in whole sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left_out: Vec<String>,
    /// Scripts in languages of which nothing is locked, in whole sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_locked: Vec<String>,
    /// Interpreters that the machine which was asked has not, in whole sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_here: Vec<String>,
    /// The strongest first.
    pub evidence: Vec<Evidence>,
    /// Files that should tell and cannot be used.
    pub faults: Vec<FileFault>,
}

/// Reads a folder; `told` is the day that a person names.
///
/// # Errors
/// A folder that cannot be read.
pub fn survey(folder: &Path, told: Option<Date>) -> Result<EnvironmentSurvey, EnvironmentError> {
    survey_with(folder, told, &[])
}

/// The same with further evidence.
///
/// # Errors
/// A folder that cannot be read.
pub fn survey_with(
    folder: &Path,
    told: Option<Date>,
    more: &[Evidence],
) -> Result<EnvironmentSurvey, EnvironmentError> {
    let tree = SourceTree::open(folder)?;
    let read = scripts::read::read(&tree);
    let mut found = evidence_files::read::read(&tree);
    found.evidence.extend(read.findings.evidence.iter().cloned());
    found.pins.extend(read.findings.pins.iter().cloned());
    found.faults.extend(readable::unreadable(&mut found.pins));
    found.evidence.extend(told.map(date::told));
    found.evidence.extend(more.iter().cloned());
    found.faults.extend(read.faults.iter().cloned());
    found.faults.extend(tree.faults());
    let choice = date::choose(&found.evidence);
    let day = choice.as_of.as_ref().map(|as_of| as_of.day);
    let mut contradictions = choice.contradictions;
    let mut interpreters = Vec::new();
    for language in languages(&read.findings, &found.pins) {
        let finding = interpreter::choose(language, day, &found.evidence);
        contradictions.extend(finding.contradictions);
        interpreters.push(finding.choice);
    }
    let local = LocalModules::of(&tree);
    let mut own = OwnPackages::of(&tree, &local);
    found
        .faults
        .extend(own.add_files(&read.findings.package_files, &tree));
    let not_loaded = groups::unloaded(&mut found.pins, &read.findings.mentions, day);
    let mut all = interpreters.iter_mut();
    let python = all.find(|one| one.language == Language::Python);
    let python = python.map(|choice| {
        if let (Some(others), Some(version)) = (choice.others.take(), &choice.version) {
            let mentions = &read.findings.mentions;
            let others = module_span::narrowed(others, version, mentions, &local);
            choice.others = Some(markers::narrowed(others, version, &found.pins));
        }
        &*choice
    });
    let python = python.and_then(|one| one.version.as_deref());
    let counted = CountedPins::of(std::mem::take(&mut found.pins), python);
    found.faults.extend(counted.faults);
    let files = read.findings.package_files.iter();
    let from_files: BTreeSet<String> = files.map(|file| file.name.clone()).collect();
    let packages = packages::packages(&PackageFindings {
        mentions: &read.findings.mentions,
        pins: &counted.pins,
        day,
        python,
        local: &local,
        own: &own,
        from_files: &from_files,
    });
    let mut left_out = counted.left_out;
    left_out.extend(not_loaded);
    let commands = commands::commands(&read.findings, &tree);
    contradictions.extend(copy_day::sentence(choice.as_of.as_ref(), &packages.needs));
    contradictions.extend(packages.contradictions);
    contradictions.truncate(MOST_TOLD);
    let mut needs = packages.needs;
    needs.extend(commands.needs);
    let mut questions = packages.questions;
    questions.extend(commands.questions);
    questions.append(&mut found.questions);
    questions.extend(read.findings.questions.iter().cloned());
    questions.sort();
    questions.dedup();
    found.evidence.sort_by(|one, other| {
        let key = |one: &Evidence| (std::cmp::Reverse(one.weight), one.file.clone(), one.line);
        key(one).cmp(&key(other))
    });
    found.faults.sort();
    found.faults.dedup();
    Ok(EnvironmentSurvey {
        format: FORMAT.to_owned(),
        as_of: choice.as_of,
        interpreters,
        packages: needs,
        commands: commands.uses,
        questions,
        r_places: r_places(&read.findings.mentions),
        contradictions,
        left_out,
        not_here: Vec::new(),
        not_locked: other_languages::told(&tree, read.findings.other_languages.iter()),
        evidence: found.evidence,
        faults: found.faults,
    })
}

impl EnvironmentSurvey {
    /// Whether the date is weak, or no more than the time of an interpreter.
    pub fn is_date_vague(&self) -> bool {
        self.as_of.as_ref().is_none_or(|as_of| {
            let is_it = |one: &&Evidence| one.kind == as_of.from && one.date == Some(as_of.day);
            let mut chosen = self.evidence.iter().filter(is_it);
            as_of.weak || chosen.any(|one| one.not_before.is_some())
        })
    }

    /// The packages of Python whose very version the evidence gives, by name and version.
    pub fn pinned_python(&self) -> Vec<(String, String)> {
        let exact = self
            .packages
            .iter()
            .filter(|need| need.language == Language::Python && need.certainty == Certainty::Exact);
        exact
            .filter_map(|need| Some((need.package.clone(), need.version.clone()?)))
            .collect()
    }
}

fn r_places(mentions: &[Mention]) -> BTreeMap<String, Vec<SourcePlace>> {
    let mut by_name: BTreeMap<String, Vec<SourcePlace>> = BTreeMap::new();
    for mention in mentions.iter().filter(|mention| mention.language == Language::R) {
        let places = by_name.entry(mention.name.clone()).or_default();
        if places.len() < MOST_PLACES && !places.contains(&mention.place) {
            places.push(mention.place.clone());
        }
    }
    by_name
}

fn languages(findings: &ScriptFindings, pins: &[Pin]) -> BTreeSet<Language> {
    let of_mentions = findings.mentions.iter().map(|mention| mention.language);
    let of_pins = pins.iter().map(|pin| pin.language);
    let of_code = findings.languages.iter().copied();
    of_code.chain(of_mentions).chain(of_pins).collect()
}
