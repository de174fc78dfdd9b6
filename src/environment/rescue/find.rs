//! Matching of a command's output, and of its script, against the table.

use regex::Captures;

use crate::domain::excerpt;
use crate::domain::rescue::{Basis, ExportedName, KnownFault, Risk};

use super::super::language::Language;
use super::entry::{Entry, EntryLanguage, Needs};
use super::exports::Exports;
use super::expression::TableExpression;
use super::masked::Masked;
use super::script::Script;
use super::table::Table;
use super::version::Version;

/// The most bytes of what was printed that are looked at: the last ones, where errors stand.
const PRINTED: usize = 256 << 10;
/// The largest script that is looked at, in bytes.
const LARGEST_SCRIPT: usize = 2 << 20;
/// The most characters of a line that are shown.
const SHOWN: usize = 200;

/// A command and its script, as far as they are known.
#[derive(Debug, Clone, Copy)]
pub struct Evidence<'a> {
    pub language: Language,
    /// The interpreter's release; unknown, every entry is held against it.
    pub interpreter: Option<&'a Version>,
    /// What the command printed; empty where it was not run.
    pub printed: &'a str,
    pub script: Option<Script<'a>>,
    /// Names that this R was asked for, with its packages that export them.
    pub installed: &'a [ExportedName],
}

/// The findings: those of messages first, then silent ones of the script, each in the table's order.
pub fn find(table: &Table, evidence: Evidence<'_>) -> Vec<KnownFault> {
    with_held(evidence, |held| {
        let mut found = by_entries(table, held);
        let looked_up: Vec<Matched> = unexplained(held, &found)
            .into_iter()
            .filter_map(|at| held.looked_up(&table.exports, at))
            .collect();
        found.extend(looked_up);
        found.sort_by_key(|one| (one.finding.basis == Basis::Script, one.at));
        let mut findings: Vec<KnownFault> = Vec::new();
        for one in found {
            if !findings.iter().any(|before| before.id == one.finding.id) {
                findings.push(one.finding);
            }
        }
        findings
    })
}

/// Names of R that are asked for at most.
const LACKING: usize = 8;
/// Characters of such a name.
const LONGEST_NAME: usize = 100;

/// The functions that R says it lacks and that no entry of the table explains: an R can be asked which
/// of its packages export them.
pub fn lacking_functions(table: &Table, evidence: Evidence<'_>) -> Vec<String> {
    if evidence.language != Language::R {
        return Vec::new();
    }
    with_held(evidence, |held| {
        let mut names: Vec<String> = Vec::new();
        for at in unexplained(held, &by_entries(table, held)) {
            let name = lacking_function(held.lines[at]);
            let fits = |name: &&str| name.len() <= LONGEST_NAME && !name.chars().any(char::is_control);
            let Some(name) = name.filter(fits) else { continue };
            if !names.iter().any(|known| known == name) {
                names.push(name.to_owned());
            }
        }
        names.truncate(LACKING);
        names
    })
}

fn lacking_function(line: &str) -> Option<&str> {
    between(line, "could not find function \"", "\"")
}

fn with_held<T>(evidence: Evidence<'_>, told: impl FnOnce(&Held<'_>) -> T) -> T {
    let printed = excerpt::last_bytes(evidence.printed, PRINTED);
    let script = evidence
        .script
        .filter(|script| script.text.len() <= LARGEST_SCRIPT);
    let masked = script.map(|script| Masked::new(script.text, evidence.language));
    told(&Held {
        evidence,
        lines: printed.lines().collect(),
        masked: masked.as_ref(),
    })
}

/// What the entries of the table match, a general one only where no special one does.
fn by_entries(table: &Table, held: &Held<'_>) -> Vec<Matched> {
    let matched = |python2: bool| {
        (table.entries.iter())
            .filter(move |entry| (entry.language == EntryLanguage::Python2) == python2)
            .filter(|entry| held.concerns(entry))
            .filter_map(|entry| held.matched(entry))
    };
    let mut found: Vec<Matched> = matched(false).collect();
    if found.iter().any(|one| shows_python2(table, &one.finding)) {
        found.extend(matched(true));
    }
    let explained: Vec<usize> = (found.iter())
        .filter(|one| !one.general)
        .filter_map(|one| one.at)
        .collect();
    found.retain(|one| !one.general || one.at.is_none_or(|at| !explained.contains(&at)));
    found
}

fn unexplained(held: &Held<'_>, found: &[Matched]) -> Vec<usize> {
    (0..held.lines.len())
        .filter(|at| found.iter().all(|one| one.at != Some(*at)))
        .collect()
}

/// Entries whose lines no script of Python 3 can hold.
const PYTHON2_ALONE: &[&str] = &[
    "python2-print",
    "python2-except",
    "python2-raise",
    "python2-not-equal",
    "python2-long",
    "python2-tuple-parameter",
];

/// True if a finding says that the script is Python 2: Python 3 stopped at it, or could not read its line.
fn shows_python2(table: &Table, finding: &KnownFault) -> bool {
    let shows_it = |entry: &Entry| entry.id == finding.id && entry.python2;
    PYTHON2_ALONE.contains(&finding.id.as_str())
        || finding.basis == Basis::Message && table.entries.iter().any(shows_it)
}

struct Held<'a> {
    evidence: Evidence<'a>,
    lines: Vec<&'a str>,
    masked: Option<&'a Masked<'a>>,
}

struct Matched {
    finding: KnownFault,
    /// The printed line.
    at: Option<usize>,
    general: bool,
}

impl Held<'_> {
    fn concerns(&self, entry: &Entry) -> bool {
        if !entry.language.holds_for(self.evidence.language) {
            return false;
        }
        let Some(release) = self.evidence.interpreter else {
            // Code that is too new for an interpreter is no matter of an unknown one.
            return entry.before.is_none();
        };
        entry.from.as_ref().is_none_or(|from| release >= from)
            && entry.before.as_ref().is_none_or(|before| release < before)
    }

    fn matched(&self, entry: &Entry) -> Option<Matched> {
        let message = entry.message.as_ref().and_then(|message| {
            (self.lines.iter().enumerate()).find_map(|(at, line)| Some((at, message.captures(line)?)))
        });
        if entry.needs == Needs::Both && message.is_none() {
            return None;
        }
        let script = self.script_line(entry);
        match entry.needs {
            Needs::Both if script.is_none() => return None,
            Needs::Script if script.is_none() => return None,
            _ => {}
        }
        if let Some((at, captures)) = message {
            let name = captured(&captures);
            let line = traceback_line(&self.lines[..=at], self.evidence)
                .or_else(|| script.as_ref().map(|line| line.number))
                .or_else(|| self.line_with(name.as_deref()?));
            return Some(Matched {
                finding: finding(entry, Basis::Message, name.as_deref(), self.lines[at], line),
                at: Some(at),
                general: entry.general,
            });
        }
        let line = script?;
        Some(Matched {
            finding: finding(
                entry,
                Basis::Script,
                line.name.as_deref(),
                &line.text,
                Some(line.number),
            ),
            at: None,
            general: false,
        })
    }

    /// The first line of the script that an entry's expression meets.
    fn script_line(&self, entry: &Entry) -> Option<ScriptLine> {
        let (masked, script) = (self.masked?, entry.script.as_ref()?);
        let also = |expression: &TableExpression| expression.is_match(&masked.code);
        if entry.also.as_ref().is_some_and(|expression| !also(expression))
            || entry.unless.as_ref().is_some_and(also)
        {
            return None;
        }
        let seen = if entry.in_code {
            &masked.code
        } else {
            &masked.without_comments
        };
        let captures = script.captures(seen)?;
        let at = captures.get(0)?;
        // An expression may begin with the end of the line before.
        let blank = at.as_str().len() - at.as_str().trim_start().len();
        let number = masked.line_of(at.start() + blank);
        Some(ScriptLine {
            number,
            text: masked.text[masked.line_range(number)?].trim().to_owned(),
            name: captured(&captures),
        })
    }

    fn line_with(&self, name: &str) -> Option<u64> {
        let masked = self.masked?;
        let at = masked.without_comments.find(name)?;
        Some(masked.line_of(at))
    }

    /// A name that a script lacks, looked up among what packages export.
    fn looked_up(&self, exports: &Exports, at: usize) -> Option<Matched> {
        let line = self.lines[at];
        let found = match self.evidence.language {
            Language::R => {
                let name = lacking_function(line)?;
                let asked = self.evidence.installed.iter().find(|one| one.name == name);
                let mut here: Vec<&str> = asked
                    .iter()
                    .flat_map(|one| one.packages.iter().map(String::as_str))
                    .collect();
                Exports::makers_first(&mut here);
                let known = exports.r_packages(name);
                let packages = if here.is_empty() { known } else { &here };
                let (first, more) = packages.split_first()?;
                let (place, declare) = match asked {
                    None => (
                        ", and no package that is attached has it",
                        "; the package has to be declared",
                    ),
                    Some(_) if here.is_empty() => (", which is not installed here", "; declare the package"),
                    Some(_) => (", which is installed here and not attached", ""),
                };
                KnownFault {
                    id: R_FUNCTION.to_owned(),
                    basis: Basis::Message,
                    cell: None,
                    line: self.line_with(name),
                    shown: excerpt::start(line, SHOWN).to_owned(),
                    cause: format!("`{name}` belongs to the package `{first}`{}{place}", others(more)),
                    mend: format!("write `{first}::{name}`, or `library({first})` at the top{declare}"),
                    risk: Risk::MayChange,
                    since: "any".to_owned(),
                    textual: more.is_empty(),
                    attach: more.is_empty().then(|| (*first).to_owned()),
                }
            }
            Language::Python => {
                let name = between(line, "NameError: name '", "' is not defined")?;
                let import = exports.python_import(name)?;
                KnownFault {
                    id: PYTHON_NAME.to_owned(),
                    basis: Basis::Message,
                    cell: None,
                    line: traceback_line(&self.lines[..=at], self.evidence).or_else(|| self.line_with(name)),
                    shown: excerpt::start(line, SHOWN).to_owned(),
                    cause: format!("`{name}` is used and never imported"),
                    mend: format!("write `{import}` at the top"),
                    risk: Risk::None,
                    since: "any".to_owned(),
                    textual: false,
                    attach: None,
                }
            }
            Language::Stata | Language::Spss => return None,
        };
        Some(Matched {
            finding: found,
            at: Some(at),
            general: false,
        })
    }
}

/// The finding of a function of R that another package has.
const R_FUNCTION: &str = "r-function-elsewhere";
/// The finding of a name of Python that was never imported.
const PYTHON_NAME: &str = "python-name-not-imported";

struct ScriptLine {
    number: u64,
    text: String,
    name: Option<String>,
}

fn finding(entry: &Entry, basis: Basis, name: Option<&str>, shown: &str, line: Option<u64>) -> KnownFault {
    let new = name
        .and_then(|name| entry.renamed(name))
        .map(|renamed| renamed.new.as_str());
    let filled = |text: &str| {
        text.replace("{new}", new.unwrap_or("what stands for it"))
            .replace("{name}", name.unwrap_or("it"))
            .replace("`it`", "it")
    };
    KnownFault {
        id: entry.id.clone(),
        basis,
        cell: None,
        line,
        shown: excerpt::start(shown.trim(), SHOWN).to_owned(),
        cause: filled(&entry.cause),
        mend: filled(&entry.mend),
        risk: entry.risk,
        since: entry.since.clone(),
        textual: entry.repair.is_some(),
        attach: None,
    }
}

/// The name that an expression found, whichever of its groups did.
fn captured(captures: &Captures<'_>) -> Option<String> {
    ["name", "other", "third", "fourth"]
        .iter()
        .find_map(|group| captures.name(group))
        .map(|found| excerpt::start(found.as_str(), SHOWN).to_owned())
}

/// The line of the script that the last traceback before a message names.
fn traceback_line(lines: &[&str], evidence: Evidence<'_>) -> Option<u64> {
    if evidence.language != Language::Python {
        return None;
    }
    let path = evidence.script?.path;
    let name = path.rsplit(['/', '\\']).next()?;
    lines.iter().rev().find_map(|line| {
        let file = between(line, "File \"", "\", line ")?;
        if file.rsplit(['/', '\\']).next()? != name {
            return None;
        }
        let number = line.split_once("\", line ")?.1;
        number
            .split(|letter: char| !letter.is_ascii_digit())
            .next()?
            .parse()
            .ok()
    })
}

fn between<'a>(line: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let rest = line.split_once(before)?.1;
    Some(rest.split_once(after)?.0)
}

/// Further packages that export a name.
fn others(more: &[&str]) -> String {
    if more.is_empty() {
        return String::new();
    }
    let named: Vec<String> = more.iter().take(3).map(|one| format!("`{one}`")).collect();
    format!(" (so do {})", named.join(", "))
}
