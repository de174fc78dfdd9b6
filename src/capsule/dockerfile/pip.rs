//! `pip install`.

use super::placed_word::PlacedWord;
use super::published::NotFollowedReason;
use super::reading::{CapsuleFiles, Reading};
use super::requirements;

/// Options with a value behind them that change nothing here.
const WITH_VALUE: &[&str] = &[
    "-t",
    "--target",
    "--prefix",
    "--root",
    "--src",
    "--platform",
    "--python-version",
    "--implementation",
    "--abi",
    "--no-binary",
    "--only-binary",
    "--progress-bar",
    "--timeout",
    "--default-timeout",
    "--retries",
    "--proxy",
    "--trusted-host",
    "--cert",
    "--cache-dir",
    "--global-option",
    "--install-option",
    "--upgrade-strategy",
    "--log",
    "--python",
    "-p",
    "-C",
    "--config-settings",
    "--report",
    "--exists-action",
];
/// Options that name an index.
const INDEXES: &[&str] = &["-i", "--index-url", "--extra-index-url", "-f", "--find-links"];
/// What else pip is asked for that leaves no package behind.
const WITHOUT_PACKAGES: &[&str] = &["cache", "check", "list", "freeze", "show"];

/// Reads the words behind `pip`; false where they ask for something else.
pub fn read(words: &[PlacedWord<'_>], files: CapsuleFiles<'_>, reading: &mut Reading) -> bool {
    let mut words = words.iter();
    let verb = words.by_ref().find(|word| !word.text.starts_with('-'));
    let verb = verb.map_or("", |word| word.text);
    if verb != "install" {
        return WITHOUT_PACKAGES.contains(&verb);
    }
    while let Some(word) = words.next() {
        if !word.text.starts_with('-') {
            match word.is_dynamic {
                true => reading.refuse(word.line, word.text, NotFollowedReason::Dynamic),
                false => requirements::requirement(word.line, word.text, reading),
            }
            continue;
        }
        let Some(option) = PipOption::of(word.text) else {
            continue;
        };
        let value = match option.value {
            Some(value) => value,
            None => words.next().map_or("", |word| word.text),
        };
        let told = format!("{} {value}", option.name);
        match option.name {
            "-r" | "--requirement" | "--requirements" => match files(value) {
                Some(content) => requirements::file(word.line, &content, reading),
                None => reading.refuse(word.line, &told, NotFollowedReason::NoFile),
            },
            "-c" | "--constraint" => reading.refuse(word.line, &told, NotFollowedReason::FurtherFile),
            "-e" | "--editable" => requirements::requirement(word.line, value, reading),
            name if INDEXES.contains(&name) => {
                reading.refuse(word.line, &told, NotFollowedReason::OtherIndex);
            }
            _ => {}
        }
    }
    true
}

/// An option with a value.
struct PipOption<'a> {
    name: &'a str,
    /// `None` where it is the next word.
    value: Option<&'a str>,
}

impl<'a> PipOption<'a> {
    /// `None` of an option without a value.
    fn of(word: &'a str) -> Option<Self> {
        if let Some((name, value)) = word.split_once('=') {
            let value = Some(value);
            return Some(Self { name, value });
        }
        let files = [
            "-r",
            "--requirement",
            "--requirements",
            "-c",
            "--constraint",
            "-e",
            "--editable",
        ];
        if files.contains(&word) || INDEXES.contains(&word) || WITH_VALUE.contains(&word) {
            return Some(Self {
                name: word,
                value: None,
            });
        }
        // `-rrequirements.txt`
        let name = word
            .get(..2)
            .filter(|name| ["-r", "-c", "-e", "-i", "-f"].contains(name))?;
        let value = word.get(2..);
        Some(Self { name, value })
    }
}
