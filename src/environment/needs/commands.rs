//! Commands of Stata and SPSS, and the packages and modules that they need.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::super::language::Language;
use super::super::need::{Certainty, Mention, MentionForm, PackageNeed, Question};
use super::super::scripts::findings::ScriptFindings;
use super::super::source_tree::SourceTree;
use super::super::tables::commands::{
    StataPackage, is_stata_command, spss_command, stata_package_of, stata_packages,
};
use super::needed::{places, sentences};
use crate::domain::excerpt;
use crate::domain::names::near;

/// A command that scripts use.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandUse {
    pub language: Language,
    pub command: String,
    /// The package or module that holds it; `None` of one that the program itself has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub held_by: Option<String>,
    /// Whether it is known at all.
    pub known: bool,
    pub times: usize,
}

/// The commands of scripts, with what they need.
#[derive(Debug, Default)]
pub struct UsedCommands {
    pub uses: Vec<CommandUse>,
    pub needs: Vec<PackageNeed>,
    pub questions: Vec<Question>,
}

/// Tells the commands of Stata and SPSS.
pub fn commands(findings: &ScriptFindings, tree: &SourceTree) -> UsedCommands {
    let mut used = UsedCommands::default();
    stata(findings, tree, &mut used);
    spss(findings, &mut used);
    used
}

fn stata(findings: &ScriptFindings, tree: &SourceTree, used: &mut UsedCommands) {
    let ado = tree.files.iter().filter(|file| file.extension() == "ado");
    let ado: BTreeSet<&str> = ado
        .map(|file| file.name().rsplit_once('.').map_or("", |(stem, _)| stem))
        .collect();
    let mut packages: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    let mut by_command: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    for mention in findings
        .mentions
        .iter()
        .filter(|mention| mention.language == Language::Stata)
    {
        match mention.form {
            MentionForm::Installs => packages.entry(&mention.name).or_default().push(mention),
            _ => by_command.entry(&mention.name).or_default().push(mention),
        }
    }
    for (command, mentions) in by_command {
        let is_own = findings.defined.iter().any(|defined| defined == command) || ado.contains(command);
        let package = stata_package_of(command).filter(|_| !is_own);
        let is_installed = packages.contains_key(command);
        if let Some(package) = package {
            packages.entry(&package.name).or_default().extend(&mentions);
        } else if is_installed {
            packages.entry(command).or_default().extend(&mentions);
        } else if !is_own && !is_stata_command(command) && command != "end" {
            used.questions.push(unknown(command, &mentions));
        }
        let is_known = package.is_some() || is_own || is_installed || is_stata_command(command);
        if command != "end" {
            used.uses.push(CommandUse {
                language: Language::Stata,
                command: command.to_owned(),
                held_by: match (package, is_own, is_installed) {
                    (Some(package), _, _) => Some(package.name.clone()),
                    (None, true, _) => Some("the folder itself".to_owned()),
                    (None, false, true) => Some(command.to_owned()),
                    _ => None,
                },
                known: is_known,
                times: mentions.len(),
            });
        }
    }
    for (name, mentions) in packages {
        let known = stata_packages().iter().find(|package| package.name == name);
        used.needs.push(stata_need(name, known, sentences(&mentions)));
        for needed in known.into_iter().flat_map(|package| &package.needs) {
            if !used.needs.iter().any(|need| need.package == *needed) {
                let known = stata_packages().iter().find(|package| package.name == *needed);
                used.needs.push(stata_need(
                    needed,
                    known,
                    vec![format!("`{name}` does not run without it.")],
                ));
            }
        }
    }
    used.needs.sort_by(|one, other| one.package.cmp(&other.package));
    used.needs.dedup_by(|later, first| later.package == first.package);
}

/// Versions of Stata's packages have no index by date: they are had from a folder of the operator's.
fn stata_need(name: &str, known: Option<&StataPackage>, mut reasons: Vec<String>) -> PackageNeed {
    let place = match known.map(|package| package.place.as_str()) {
        Some("ssc") => Some("the SSC archive"),
        Some("sj") => Some("the Stata Journal"),
        Some(_) => Some("its author's address"),
        None => None,
    };
    if let Some(place) = place {
        reasons.push(format!(
            "It is had from {place}, which keeps its newest version alone."
        ));
    }
    PackageNeed {
        language: Language::Stata,
        package: name.to_owned(),
        loaded_as: Vec::new(),
        certainty: Certainty::Elsewhere,
        version: None,
        bounds: Vec::new(),
        sha256: Vec::new(),
        reasons,
    }
}

fn unknown(command: &str, mentions: &[&Mention]) -> Question {
    let all = stata_packages()
        .iter()
        .flat_map(|package| &package.commands)
        .map(String::as_str);
    let question = match near(command, all) {
        Some(close) => {
            format!("`{command}` is no known command of Stata and nearly `{close}`: is it a slip?")
        }
        None => format!("`{command}` is no known command of Stata: which package holds it?"),
    };
    Question {
        language: Language::Stata,
        name: command.to_owned(),
        question,
        places: places(mentions),
    }
}

fn spss(findings: &ScriptFindings, used: &mut UsedCommands) {
    let mut by_command: BTreeMap<&str, (Option<&str>, Vec<&Mention>)> = BTreeMap::new();
    let mut unknown: BTreeMap<String, Vec<&Mention>> = BTreeMap::new();
    for mention in findings
        .mentions
        .iter()
        .filter(|mention| mention.language == Language::Spss)
    {
        match spss_command(&mention.name) {
            Some(found) => by_command
                .entry(found.name)
                .or_insert((found.module, Vec::new()))
                .1
                .push(mention),
            None => {
                let word = mention.name.split_whitespace().next().unwrap_or_default();
                unknown
                    .entry(excerpt::start(word, 40).to_owned())
                    .or_default()
                    .push(mention);
            }
        }
    }
    let mut modules: BTreeMap<&str, Vec<&Mention>> = BTreeMap::new();
    for (command, (module, mentions)) in by_command {
        if let Some(module) = module {
            modules.entry(module).or_default().extend(&mentions);
        }
        used.uses.push(CommandUse {
            language: Language::Spss,
            command: command.to_owned(),
            held_by: module.map(str::to_owned),
            known: true,
            times: mentions.len(),
        });
    }
    for (module, mentions) in modules {
        used.needs.push(PackageNeed {
            language: Language::Spss,
            package: module.to_owned(),
            loaded_as: Vec::new(),
            certainty: Certainty::Elsewhere,
            version: None,
            bounds: Vec::new(),
            sha256: Vec::new(),
            reasons: sentences(&mentions),
        });
    }
    for (word, mentions) in unknown {
        used.questions.push(Question {
            language: Language::Spss,
            question: format!("`{word}` is no known command of SPSS: is it a macro of another file?"),
            name: word,
            places: places(&mentions),
        });
    }
}
