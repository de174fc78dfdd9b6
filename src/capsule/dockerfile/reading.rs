//! The packages of a stage, as they are come upon.

use std::collections::{BTreeMap, BTreeSet};

use indexmap::IndexMap;

use super::published::{NotFollowed, NotFollowedReason, PublishedRequirement};
use crate::domain::excerpt;

/// Packages of one kind, and parts that are not followed, at most.
const MOST: usize = 1_000;
/// Characters that are told of one part.
const SHOWN: usize = 160;

/// A reading of files of a capsule, by the paths that its Dockerfile names them by.
pub type CapsuleFiles<'a> = &'a dyn Fn(&str) -> Option<Vec<u8>>;

/// The packages of a stage.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    /// By the name in its usual spelling.
    pub python: IndexMap<String, PublishedRequirement>,
    pub r: BTreeMap<String, Option<String>>,
    pub system: BTreeSet<String>,
    pub python_version: Option<String>,
    pub r_version: Option<String>,
    /// Requirements that were looked at, in whichever file.
    pub requirements: usize,
    pub has_conda: bool,
    pub has_debian_versions: bool,
    pub not_followed: Vec<NotFollowed>,
}

impl Reading {
    /// Names a part that is not followed.
    pub fn refuse(&mut self, line: usize, text: &str, why: NotFollowedReason) {
        if self.not_followed.len() > MOST {
            return;
        }
        let why = match self.not_followed.len() {
            MOST => NotFollowedReason::TooMuch,
            _ => why,
        };
        let text = shown(text);
        let entry = NotFollowed { line, text, why };
        if self.not_followed.last() != Some(&entry) {
            self.not_followed.push(entry);
        }
    }

    /// A requirement; the later one of a package counts, unless it asks for any version.
    pub fn python(&mut self, line: usize, name: &str, text: &str) {
        let spelled = name.to_ascii_lowercase().replace(['_', '.'], "-");
        let asks_for_any = text.len() == name.len();
        if asks_for_any && self.python.contains_key(&spelled) {
            return;
        }
        if self.python.len() >= MOST && !self.python.contains_key(&spelled) {
            self.refuse(line, text, NotFollowedReason::TooMuch);
            return;
        }
        let text = text.to_owned();
        self.python.insert(spelled, PublishedRequirement { line, text });
    }

    /// An R package; the later version of two counts.
    pub fn r(&mut self, line: usize, name: &str, version: Option<&str>) {
        if self.r.len() >= MOST && !self.r.contains_key(name) {
            self.refuse(line, name, NotFollowedReason::TooMuch);
            return;
        }
        let version = version.map(str::to_owned);
        let known = self.r.entry(name.to_owned()).or_default();
        *known = version.or(known.take());
    }

    /// A Debian package.
    pub fn system(&mut self, line: usize, name: &str) {
        if self.system.len() >= MOST {
            self.refuse(line, name, NotFollowedReason::TooMuch);
        } else {
            self.system.insert(name.to_owned());
        }
    }
}

/// The start of a text, on one line.
fn shown(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        if shown.chars().count() > SHOWN {
            break;
        }
        if !shown.is_empty() {
            shown.push(' ');
        }
        shown.extend(
            excerpt::start(word, SHOWN + 1)
                .chars()
                .filter(|letter| !letter.is_control()),
        );
    }
    excerpt::shortened(&shown, SHOWN)
}
