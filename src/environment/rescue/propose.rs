//! Repairs of a script's text, proposed from its findings: paths, and lines of `library()` that are missing.

use crate::domain::rescue::{KnownFault, Mend, Risk};

use super::super::language::Language;
use super::repairs::repair::Repair;
use super::repairs::{paths, working_folder};
use super::script::Script;
use super::table::Table;

/// Limits of repairs, and the files that they may know.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    pub language: Language,
    /// The greatest risk of a repair that is made.
    pub most: Risk,
    /// The files next to the script, relative to where it runs, with `/`.
    pub files: &'a [String],
}

/// A repaired script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub text: String,
    pub mends: Vec<Mend>,
}

/// The script with every repair made that its findings call for and the terms allow.
pub fn propose(table: &Table, script: Script<'_>, findings: &[KnownFault], terms: Terms<'_>) -> Proposal {
    let mut proposal = Proposal {
        text: script.text.to_owned(),
        mends: Vec::new(),
    };
    for finding in findings.iter().filter(|finding| finding.risk <= terms.most) {
        let entry = table.entries.iter().find(|entry| entry.id == finding.id);
        let text = match entry.and_then(|entry| entry.repair) {
            Some(Repair::Paths) => paths::within_study(&proposal.text, terms.language, terms.files),
            Some(Repair::Setwd) => without_folder(&proposal.text, terms),
            None => match &finding.attach {
                Some(package) => format!("library({package})\n{}", proposal.text),
                None => continue,
            },
        };
        if text != proposal.text {
            proposal.text = text;
            proposal.mends.push(Mend {
                id: finding.id.clone(),
                risk: finding.risk,
            });
        }
    }
    proposal
}

fn without_folder(text: &str, terms: Terms<'_>) -> String {
    let stays = working_folder::without_changes(text, terms.language);
    match stays == text {
        true => stays,
        false => paths::within_study(&stays, terms.language, terms.files),
    }
}
