//! The packages of Stata in a lock in the making.

use super::ado_folder::{AdoFolder, AdoPackage};
use super::date::end_of;
use super::language::Language;
use super::lock::{LockedPackage, NotHad};
use super::lock_draft::LockDraft;
use super::need::Certainty;
use super::tables::commands::stata_packages;

impl LockDraft {
    /// Takes the packages of Stata in that a folder of ado-files has of the day.
    pub fn take_ado(&mut self, folder: &AdoFolder) {
        let language = Language::Stata;
        let lacking = std::mem::take(&mut self.lock.not_had);
        let (wanted, others): (Vec<_>, Vec<_>) =
            lacking.into_iter().partition(|one| one.language == language);
        self.lock.not_had = others;
        if !wanted.is_empty() {
            self.source(language, &folder.shown);
        }
        for lacking in wanted {
            let known = stata_packages()
                .iter()
                .find(|package| package.name == lacking.name);
            let commands = known.map_or(&[][..], |package| &package.commands);
            match folder.package(&lacking.name, commands) {
                Ok(found) => self.ado(lacking, found),
                Err(why) => self.lock.not_had.push(NotHad {
                    why: why.to_string(),
                    ..lacking
                }),
            }
        }
    }

    fn ado(&mut self, wanted: NotHad, found: AdoPackage) {
        let name = wanted.name;
        if found.day.is_none() {
            let note = format!("No day is told of {name}, so that it may be newer than the chosen one.");
            self.lock.notes.push(note);
        }
        let day = found.day.map(|day| format!("of {day}"));
        self.lock.packages.push(LockedPackage {
            language: Language::Stata,
            version: found.version.or(day).unwrap_or_else(|| "not told".to_owned()),
            url: format!("ado:{}", found.file),
            file: found.file,
            sha256: Some(found.sha256),
            size: Some(found.size),
            came: found.day.and_then(end_of),
            build: false,
            certainty: match found.day {
                Some(_) => Certainty::ByDate,
                None => Certainty::Elsewhere,
            },
            required_by: Vec::new(),
            reasons: wanted.reasons,
            name,
        });
    }
}
