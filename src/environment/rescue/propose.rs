//! Mends of a script's text, proposed from its findings.

use crate::domain::rescue::{KnownFault, Mend, Risk};

use super::entry::{Entry, EntryLanguage};
use super::find::{PYTHON_NAME, R_FUNCTION, shows_python2};
use super::masked::Masked;
use super::rules::rule::Rule;
use super::rules::{imports, install_packages, paths, python2, working_folder};
use super::script::{Script, ScriptLanguage};
use super::table::Table;

/// Limits of mends, and the files that they may know.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    pub language: ScriptLanguage,
    /// The greatest risk of a mend that is applied; mends that change results never are.
    pub most: Risk,
    /// The files beside the script, relative to where it runs, with `/`.
    pub files: &'a [String],
}

/// A mended script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    pub text: String,
    pub mends: Vec<Mend>,
    /// The findings for whose sake Python 2 was left as it is.
    pub held_back: Vec<String>,
}

/// The script with every mend applied that its findings call for and the terms allow.
pub fn propose(table: &Table, script: Script<'_>, findings: &[KnownFault], terms: Terms<'_>) -> Proposal {
    let mut proposal = Proposal {
        text: script.text.to_owned(),
        mends: Vec::new(),
        held_back: silent(table, findings),
    };
    let is_python2 = findings.iter().any(|finding| shows_python2(table, finding));
    let allowed = |risk: Risk| risk <= terms.most && risk < Risk::Changes;
    for finding in findings.iter().filter(|finding| allowed(finding.risk)) {
        let Some(entry) = table.entries.iter().find(|entry| entry.id == finding.id) else {
            continue;
        };
        if entry.rule == Some(Rule::Python2) && (!is_python2 || !proposal.held_back.is_empty()) {
            continue;
        }
        let text = mended(entry, finding, &proposal.text, terms);
        take(&mut proposal, finding, text);
    }
    // These add lines, so that they come behind what goes by a line's number.
    for finding in findings.iter().filter(|finding| allowed(finding.risk)) {
        let text = match finding.id.as_str() {
            PYTHON_NAME => quoted(&finding.mend).map(|import| imports::with_import(&proposal.text, import)),
            R_FUNCTION if finding.textual => qualified(&proposal.text, &finding.mend),
            _ => None,
        };
        if let Some(text) = text {
            take(&mut proposal, finding, text);
        }
    }
    proposal
}

fn take(proposal: &mut Proposal, finding: &KnownFault, text: String) {
    if text != proposal.text {
        proposal.text = text;
        proposal.mends.push(Mend {
            id: finding.id.clone(),
            risk: finding.risk,
        });
    }
}

/// Differences of Python 2 that nothing would tell of.
fn silent(table: &Table, findings: &[KnownFault]) -> Vec<String> {
    let is_silent = |id: &str| {
        (table.entries.iter()).any(|entry| {
            entry.id == id && entry.language == EntryLanguage::Python2 && entry.risk == Risk::Changes
        })
    };
    (findings.iter())
        .filter(|finding| is_silent(&finding.id))
        .map(|finding| finding.id.clone())
        .collect()
}

fn mended(entry: &Entry, finding: &KnownFault, text: &str, terms: Terms<'_>) -> String {
    let mut text = text.to_owned();
    for rewrite in &entry.rewrites {
        let masked = Masked::new(&text, terms.language);
        if let Some(new) = rewrite.apply(&masked, finding.line) {
            text = new;
        }
    }
    match entry.rule {
        Some(Rule::Python2) => python2::as_python3(&text),
        Some(Rule::Tabs) => without_tabs(&text),
        Some(Rule::Paths) => paths::within_study(&text, terms.language, terms.files),
        Some(Rule::Setwd) => {
            let stays = working_folder::without_changes(&text, terms.language);
            match stays == text {
                true => text,
                false => paths::within_study(&stays, terms.language, terms.files),
            }
        }
        Some(Rule::RInstallPackages) => install_packages::without_installs(&text),
        Some(Rule::CollectionsAbc) => imports::collections_abc(&text, entry),
        Some(Rule::ScipyMisc) => imports::scipy_misc(&text, entry),
        Some(Rule::SmartQuotes) => text
            .replace(['“', '”', '„'], "\"")
            .replace(['‘', '’'], "'")
            .replace(['–', '—'], "-"),
        Some(Rule::R3Shim) | None => text,
    }
}

/// Tabs before a line's first letter as spaces up to the next column that divides by eight.
fn without_tabs(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        let rest = line.trim_start_matches([' ', '\t']);
        let mut column = 0;
        for letter in line[..line.len() - rest.len()].chars() {
            column = if letter == '\t' {
                column / 8 * 8 + 8
            } else {
                column + 1
            };
        }
        out.push_str(&" ".repeat(column));
        out.push_str(rest);
    }
    out
}

/// The first part of a mend that is given as code.
fn quoted(mend: &str) -> Option<&str> {
    mend.split('`').nth(1)
}

/// Calls of a function of R with its package before it.
fn qualified(text: &str, mend: &str) -> Option<String> {
    let whole = quoted(mend)?;
    let (package, name) = whole.split_once("::")?;
    let masked = Masked::new(text, ScriptLanguage::R);
    if name.starts_with('%') {
        return Some(format!("library({package})\n{text}"));
    }
    let pattern = regex::Regex::new(&format!(r"(^|[^\w.:$@]){}(\s*\()", regex::escape(name))).ok()?;
    let rewrite = super::rewrite::Rewrite {
        pattern: pattern.into(),
        with: format!("${{1}}{package}::{name}${{2}}"),
        on_line_only: false,
        in_text: false,
    };
    rewrite.apply(&masked, None)
}
