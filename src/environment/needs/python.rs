//! Distributions that Python scripts need.

use std::collections::{BTreeMap, BTreeSet};

use jiff::civil::Date;

use super::super::language::Language;
use super::super::need::{Certainty, Mention, MentionForm, PackageNeed, Question};
use super::super::tables::{python_names, standard_library};
use super::needed::{NeededPackages, PackageFindings, places, sentences};
use super::pinned::PinnedPackages;
use crate::domain::names::normalized;

/// Tells the distributions.
pub fn tell(findings: &PackageFindings<'_>, needed: &mut NeededPackages) {
    let pinned = PinnedPackages::of(Language::Python, findings.pins);
    let mut by_module: BTreeMap<String, Vec<&Mention>> = BTreeMap::new();
    for mention in findings
        .mentions
        .iter()
        .filter(|mention| mention.language == Language::Python)
    {
        let is_shared = mention.name.starts_with("google.");
        let module = match is_shared {
            true => mention.name.as_str(),
            false => mention.name.split('.').next().unwrap_or_default(),
        };
        by_module.entry(module.to_owned()).or_default().push(mention);
    }
    let mut teller = Teller {
        findings,
        pinned: &pinned,
        needs: BTreeMap::new(),
        own: Vec::new(),
        needed,
    };
    for (module, mentions) in &by_module {
        teller.module(module, mentions);
    }
    let Teller { needs, own, .. } = teller;
    let loaded: BTreeSet<String> = needs.keys().cloned().collect();
    needed.needs.extend(needs.into_values());
    // A name that another script has from an index is that package.
    needed
        .needs
        .extend(own.into_iter().filter(|need| !loaded.contains(&need.package)));
    for name in pinned.names() {
        needed.add_pinned(Language::Python, name, &pinned);
        let is_loaded = loaded.contains(name);
        // Who gives a version has had the package.
        let is_meant = is_loaded && pinned.get(name).is_some_and(|pin| pin.version.is_some());
        let slip = python_names::declared_slip_of(name).filter(|_| !is_meant);
        if let Some(close) = slip {
            let why = match is_loaded {
                true => "no version of it is given",
                false => "no script loads it",
            };
            let question = format!(
                "`{name}` is nearly `{close}`, and {why}: is it a slip? It is not installed, since such names are also taken \
                 by packages that do harm."
            );
            needed.doubt(name, question, &pinned);
        }
    }
}

/// Whether the name of a distribution, in its usual spelling, is that of a slip or of another one's module.
fn is_doubtful(name: &str, day: Option<Date>) -> bool {
    // A hyphen, an underscore and a point are one in the names of distributions.
    let is_other = |close: &str| normalized(close) != normalized(name);
    python_names::declared_slip_of(name).is_some()
        || python_names::slip_of(name).is_some_and(is_other)
        || python_names::held_by_other(name, day).is_some()
}

struct Teller<'a> {
    findings: &'a PackageFindings<'a>,
    pinned: &'a PinnedPackages<'a>,
    needs: BTreeMap<String, PackageNeed>,
    own: Vec<PackageNeed>,
    needed: &'a mut NeededPackages,
}

impl Teller<'_> {
    fn module(&mut self, module: &str, mentions: &[&Mention]) {
        let distribution = python_names::distribution(module, self.findings.day);
        let local = self.findings.local;
        let is_described = self.findings.own.file(Language::Python, module).is_some();
        let is_known = distribution.is_some() && !is_described;
        let (held, mentions): (Vec<&Mention>, Vec<&Mention>) = (mentions.iter().copied())
            .partition(|mention| is_described || local.holds(module, &mention.place.file, is_known));
        if !held.is_empty() && (is_described || local.is_package(module)) {
            let need = self.findings.own.need(Language::Python, module, sentences(&held));
            self.own.push(need);
        }
        if mentions.is_empty() || self.is_of_python(module, &mentions) {
            return;
        }
        let spelled = normalized(module);
        let is_installed = mentions
            .iter()
            .any(|mention| mention.form == MentionForm::Installs);
        let is_loaded = mentions
            .iter()
            .any(|mention| mention.form != MentionForm::Installs);
        match distribution {
            Some(distribution) => self.need(&normalized(distribution), module, Certainty::ByDate, &mentions),
            // A version that is installed and never loaded may be of a slip: it is doubted with what is declared.
            None if self.pinned.get(&spelled).is_some()
                && !is_loaded
                && python_names::declared_slip_of(&spelled).is_some() => {}
            None if self.pinned.get(&spelled).is_some() => {
                self.need(&spelled, module, Certainty::ByDate, &mentions);
            }
            // The author names the distribution, so that nothing is guessed; a slip would be one all the same.
            None if is_installed && !is_doubtful(&spelled, self.findings.day) => {
                self.need(&spelled, module, Certainty::ByDate, &mentions);
            }
            None => self.ask(module, &mentions),
        }
    }

    /// Whether Python brings it, in the chosen version; where it did in another, that is asked about.
    fn is_of_python(&mut self, module: &str, mentions: &[&Mention]) -> bool {
        if module == "__future__" || module == "__main__" || module.starts_with('_') {
            return true;
        }
        let Some(span) = standard_library::span(module) else {
            return false;
        };
        let Some(python) = self.findings.python.filter(|python| !span.holds(python)) else {
            return true;
        };
        // A backport has the name of what came later, and what is tried has something in its place.
        let is_tried = mentions.iter().all(|mention| mention.form == MentionForm::Tries);
        let (major, minor) = span.first;
        let until = span
            .last
            .map_or(String::new(), |(major, minor)| format!(" to {major}.{minor}"));
        if !is_tried {
            let question = format!(
                "`{module}` comes with Python {major}.{minor}{until}, and the analysis is taken to run on {python}: which Python \
                 did it run on? Name a day of that Python with `--as-of`."
            );
            self.needed.questions.push(Question {
                language: Language::Python,
                name: module.to_owned(),
                question,
                places: places(mentions),
            });
        }
        true
    }

    fn need(&mut self, package: &str, module: &str, certainty: Certainty, mentions: &[&Mention]) {
        let need = self
            .needs
            .entry(package.to_owned())
            .or_insert_with(|| PackageNeed {
                language: Language::Python,
                package: package.to_owned(),
                loaded_as: Vec::new(),
                certainty,
                version: None,
                bounds: Vec::new(),
                sha256: Vec::new(),
                reasons: Vec::new(),
            });
        if module != package && !need.loaded_as.iter().any(|known| known == module) {
            need.loaded_as.push(module.to_owned());
        }
        need.reasons.extend(sentences(mentions));
    }

    fn ask(&mut self, module: &str, mentions: &[&Mention]) {
        let close = python_names::slip_of(module).or_else(|| python_names::declared_slip_of(module));
        let question = match close {
            Some(close) => format!(
                "`{module}` is no known module and nearly `{close}`: is it a slip? It is not installed, since such names are \
                 also taken by packages that do harm."
            ),
            None => format!(
                "`{module}` is no known module: which package of the index holds it? Name that package in a \
                 requirements.txt in the folder; a guess is not installed."
            ),
        };
        self.need(&normalized(module), module, Certainty::Unknown, mentions);
        self.needed.questions.push(Question {
            language: Language::Python,
            name: module.to_owned(),
            question,
            places: places(mentions),
        });
    }
}
