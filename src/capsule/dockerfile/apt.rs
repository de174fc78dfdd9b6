//! `apt-get install`.

use super::placed_word::PlacedWord;
use super::published::NotFollowedReason;
use super::reading::Reading;

/// Options with a value of their own behind them.
const WITH_VALUE: &[&str] = &[
    "-t",
    "--target-release",
    "-o",
    "--option",
    "-c",
    "--config-file",
    "-a",
];
/// What else apt is asked for that leaves no package behind.
const WITHOUT_PACKAGES: &[&str] = &[
    "update",
    "upgrade",
    "dist-upgrade",
    "full-upgrade",
    "clean",
    "autoclean",
    "autoremove",
];

/// Reads the words behind `apt-get`; false where they ask for something else.
pub fn read(words: &[PlacedWord<'_>], reading: &mut Reading) -> bool {
    let mut verb = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        if word.text.starts_with('-') {
            if WITH_VALUE.contains(&word.text) {
                words.next();
            }
            continue;
        }
        match verb {
            None => verb = Some(word.text),
            Some("install") => package(word, reading),
            Some(_) => {}
        }
    }
    verb.is_some_and(|verb| verb == "install" || WITHOUT_PACKAGES.contains(&verb))
}

fn package(word: &PlacedWord<'_>, reading: &mut Reading) {
    if word.is_dynamic {
        reading.refuse(word.line, word.text, NotFollowedReason::Dynamic);
        return;
    }
    if word.text.starts_with(['.', '/', '~']) || word.text.ends_with(".deb") {
        reading.refuse(word.line, word.text, NotFollowedReason::LocalPath);
        return;
    }
    // A version, a release or an architecture.
    let name = word.text.split(['=', '/', ':']).next().unwrap_or_default();
    reading.has_debian_versions |= word.text.contains('=');
    reading.system(word.line, name);
}
