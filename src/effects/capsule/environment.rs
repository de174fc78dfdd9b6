//! The environment of a session: by the language of the capsule's code, or as the capsule was
//! published.

use std::collections::BTreeMap;

use super::capsule_files::{ENVIRONMENT, published_file};
use crate::capsule::dockerfile::base_table::{self, BaseImages};
use crate::capsule::dockerfile::published::{
    CodeLanguage, NotFollowed, NotFollowedReason, PublishedEnvironment,
};
use crate::capsule::dockerfile::read::read;
use crate::capsule::layout::level::Level;
use crate::domain::execution::{EnvironmentSpec, Tier};
use crate::engine::request::CapsuleRequest;
use crate::environment::language::Language;
use crate::environment::lock::EnvironmentLock;
use crate::sandbox::docker::image::packages::{r_packages, system_packages};
use crate::sandbox::requirements::canonical;

/// Packages of Python, and of each other kind, that an environment has at most.
const MOST_PYTHON: usize = 200;
const MOST: usize = 300;

/// The environment that is asked for, and what is to be known of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WantedEnvironment {
    pub spec: EnvironmentSpec,
    /// The language of the capsule's code.
    pub language: CodeLanguage,
    /// How it differs from the published one, a sentence each.
    pub notes: Vec<String>,
    /// The languages' versions that it was published with, by the names of a made environment.
    pub versions: BTreeMap<&'static str, String>,
}

impl WantedEnvironment {
    /// The environment with nothing but a language.
    pub fn plain(language: CodeLanguage) -> Self {
        Self {
            spec: plain(language),
            language,
            notes: Vec::new(),
            versions: BTreeMap::new(),
        }
    }
}

impl WantedEnvironment {
    /// The environment with what a lock holds of it in the lock's versions. What the lock lacks stays out,
    /// and is named.
    pub fn held_to(mut self, lock: &EnvironmentLock) -> Self {
        let mut left_out = Vec::new();
        if let Some(python) = &mut self.spec.python {
            python.retain_mut(|requirement| {
                let end = requirement.find(['=', '<', '>', '!', '~', '[']);
                requirement.truncate(end.unwrap_or(requirement.len()));
                let has = lock.has(Language::Python, requirement);
                if !has {
                    left_out.push(requirement.clone());
                }
                has
            });
        }
        if let Some(r) = &mut self.spec.r {
            r.retain(|name, version| {
                *version = None;
                let has = lock.has(Language::R, name);
                if !has {
                    left_out.push(name.clone());
                }
                has
            });
        }
        let day = lock.as_of.day;
        match lock.held_to(&self.spec) {
            // The image is the operator's choice, by the table of stand-ins.
            Ok(spec) => {
                self.spec = EnvironmentSpec {
                    base_image: self.spec.base_image.take(),
                    ..spec
                };
            }
            Err(refused) => {
                let refused: Vec<String> = refused.iter().map(ToString::to_string).collect();
                self.notes
                    .push(format!("The lock is not followed: {}.", refused.join("; ")));
            }
        }
        self.notes.push(format!(
            "Packages are those of the lock {}, as of {day}.",
            lock.digest().short()
        ));
        if !left_out.is_empty() {
            let names: Vec<&str> = left_out.iter().map(String::as_str).collect();
            self.notes.push(format!(
                "The lock has not, and so are left out: {}.",
                listed(&names)
            ));
        }
        self
    }
}

/// The language of a capsule, as its task says it; Python unless it is R.
pub fn language(word: &str) -> CodeLanguage {
    match word.trim().eq_ignore_ascii_case("r") {
        true => CodeLanguage::R,
        false => CodeLanguage::Python,
    }
}

/// The environment with nothing but the language: agents install the rest.
pub fn plain(language: CodeLanguage) -> EnvironmentSpec {
    let is_r = language == CodeLanguage::R;
    EnvironmentSpec {
        python: (!is_r).then(Vec::new),
        r: is_r.then(BTreeMap::new),
        ..EnvironmentSpec::default()
    }
}

/// Whether the published environment is made: at the level that is run in it, and wherever
/// agents could install nothing.
pub fn is_published(level: Level, tier: Tier) -> bool {
    level == Level::Medium || tier != Tier::Docker
}

/// The environment of an attempt.
pub fn wanted(request: &CapsuleRequest, language: CodeLanguage, tier: Tier) -> WantedEnvironment {
    let nothing = |notes| WantedEnvironment {
        notes,
        ..WantedEnvironment::plain(language)
    };
    if !is_published(request.level, tier) {
        return nothing(Vec::new());
    }
    let name = format!("{ENVIRONMENT}/Dockerfile");
    let Some(content) = published_file(&request.source, &name) else {
        return nothing(vec![format!(
            "The capsule has no {name} that can be read: its environment is {} and nothing more.",
            language.word()
        )]);
    };
    let files = |path: &str| published_file(&request.source, path);
    match read(&content, &files) {
        Ok(published) => from_published(published, language, &request.base_images, tier),
        Err(error) => nothing(vec![format!(
            "{name} is not followed, since {error}: the environment is {} and nothing more.",
            language.word()
        )]),
    }
}

fn from_published(
    mut published: PublishedEnvironment,
    language: CodeLanguage,
    images: &BaseImages,
    tier: Tier,
) -> WantedEnvironment {
    let mut spec = plain(language);
    let mut not_followed = std::mem::take(&mut published.not_followed);
    let mut notes = Vec::new();
    let mut refuse = |line: usize, text: &str, why| {
        not_followed.push(NotFollowed {
            line,
            text: text
                .chars()
                .filter(|letter| !letter.is_control())
                .take(80)
                .collect(),
            why,
        });
    };
    for requirement in &published.python {
        let known = spec.python.get_or_insert_default();
        match canonical(std::slice::from_ref(&requirement.text)) {
            Ok(mut one) if known.len() < MOST_PYTHON => known.append(&mut one),
            Ok(_) => refuse(requirement.line, &requirement.text, NotFollowedReason::TooMuch),
            Err(_) => refuse(requirement.line, &requirement.text, NotFollowedReason::NoPackage),
        }
    }
    let mut unnamed = Vec::new();
    for (name, version) in &published.r {
        let known = spec.r.get_or_insert_default();
        let one = |version: Option<String>| r_packages(&BTreeMap::from([(name.clone(), version)]));
        let found = one(version.clone()).or_else(|_| {
            let version = version.as_deref().unwrap_or_default();
            notes.push(format!(
                "The R package `{name}` is taken in any version, not in `{version}`."
            ));
            one(None)
        });
        match found {
            Ok(mut one) if known.len() < MOST => known.append(&mut one),
            _ => unnamed.push(name.as_str()),
        }
    }
    for name in &published.system {
        match system_packages(std::slice::from_ref(name)) {
            Ok(mut one) if spec.system.len() < MOST => spec.system.append(&mut one),
            _ => unnamed.push(name),
        }
    }
    if !unnamed.is_empty() {
        notes.push(format!(
            "These are not installed, since they are no names of packages or too many: {}.",
            listed(&unnamed)
        ));
    }
    if let Some(published) = &published.base {
        let image = base_table::stand_in(images, published).filter(|_| tier == Tier::Docker);
        spec.base_image = image.map(str::to_owned);
        notes.push(base_note(published, image, &spec, tier));
    }
    notes.extend(published.adapted.iter().map(|how| sentence(how)));
    if !not_followed.is_empty() {
        let parts: Vec<String> = not_followed.iter().map(NotFollowed::words).collect();
        let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
        notes.push(format!("Not followed of the Dockerfile: {}.", listed(&parts)));
    }
    let versions = [("python", published.python_version), ("R", published.r_version)];
    let versions = versions
        .into_iter()
        .filter_map(|(name, version)| Some((name, version?)));
    WantedEnvironment {
        spec,
        language,
        notes,
        versions: versions.collect(),
    }
}

fn base_note(published: &str, image: Option<&str>, spec: &EnvironmentSpec, tier: Tier) -> String {
    let mut languages = Vec::new();
    if spec.python.is_some() {
        languages.push(CodeLanguage::Python.word());
    }
    if spec.r.is_some() {
        languages.push(CodeLanguage::R.word());
    }
    let languages = languages.join(" and ");
    let known = match base_table::languages(published).is_empty() {
        true => ", which no table of base images knows",
        false => "",
    };
    let stands = match (image, tier) {
        (Some(image), _) => format!("the image {image}, by the table of --base-images"),
        (None, Tier::Docker) => format!("the engine's own image for {languages}"),
        (None, _) => format!("this machine's own {languages}"),
    };
    format!("In place of the published image {published}{known} stands {stands}.")
}

fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string());
    format!("{}{}.", first.unwrap_or_default(), letters.as_str())
}

/// The first ones of a list, and how many more there are.
fn listed(parts: &[&str]) -> String {
    const SHOWN: usize = 12;
    let shown = parts.iter().take(SHOWN).copied().collect::<Vec<_>>().join("; ");
    match parts.len().saturating_sub(SHOWN) {
        0 => shown,
        more => format!("{shown}; and {more} more"),
    }
}

#[cfg(test)]
#[path = "environment_tests.rs"]
mod tests;
