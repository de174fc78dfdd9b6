//! Packages that a script of R loads.

use jiff::civil::Date;

use super::super::evidence::{Evidence, EvidenceKind, Pin};
use super::super::language::Language;
use super::super::need::MentionForm;
use super::findings::{ScriptFindings, place};
use super::r_calls::{CallArgument, arguments, assigned, texts};
use super::r_tokens::{RToken, RTokenKind, tokens};
use crate::domain::lazy_regex::LazyRegex;

static PACKAGE: LazyRegex = LazyRegex::new(r"^[A-Za-z][A-Za-z0-9.]*$");
static VERSION: LazyRegex = LazyRegex::new(r"^[0-9]\.[0-9]{1,2}(?:\.[0-9]{1,2})?$");
static DAY: LazyRegex = LazyRegex::new(r"\b(20[0-9]{2}-[0-9]{2}-[0-9]{2})\b");

/// Functions that load what their first argument names.
const LOADING: [&str; 6] = [
    "library",
    "require",
    "requireNamespace",
    "loadNamespace",
    "attachNamespace",
    "use",
];
/// Functions that go through a list of names.
const MAPPING: [&str; 6] = ["lapply", "sapply", "vapply", "map", "walk", "Map"];
/// Functions that install from a repository of code or an address.
const ELSEWHERE: [&str; 7] = [
    "install_github",
    "install_gitlab",
    "install_bitbucket",
    "install_git",
    "install_url",
    "install_local",
    "p_load_gh",
];

/// Reads the packages of a text.
pub fn read(file: &str, text: &str, findings: &mut ScriptFindings) {
    let tokens = tokens(text);
    let mut reader = CallReader {
        file,
        tokens: &tokens,
        findings,
    };
    for at in 0..tokens.len() {
        reader.token(at);
    }
}

struct CallReader<'a> {
    file: &'a str,
    tokens: &'a [RToken],
    findings: &'a mut ScriptFindings,
}

impl<'a> CallReader<'a> {
    fn mention(&mut self, name: &str, form: MentionForm, at: usize) {
        if PACKAGE.is_match(name) && name != "T" && name != "TRUE" && name != "FALSE" {
            let place = place(self.file, self.tokens[at].line);
            self.findings.mention(Language::R, name, form, place);
        }
    }

    fn token(&mut self, at: usize) {
        let RTokenKind::Name(name) = &self.tokens[at].kind else {
            return;
        };
        let next = self.tokens.get(at + 1).map(|token| &token.kind);
        match next {
            Some(RTokenKind::Inside) => self.mention(name, MentionForm::Calls, at),
            Some(RTokenKind::Sign('(')) if !self.is_member(at) => self.call(name, at),
            _ => {}
        }
    }

    /// Whether a name is that of a part of something, as in `x$library(y)`.
    fn is_member(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.tokens.get(before));
        before.is_some_and(|token| matches!(token.kind, RTokenKind::Sign('$' | '@')))
    }

    fn call(&mut self, name: &str, at: usize) {
        let arguments = arguments(self.tokens, at + 1);
        match name {
            "use" if self.is_inside("box", at) => self.box_use(&arguments, at),
            name if LOADING.contains(&name) => self.load(&arguments, at),
            name if MAPPING.contains(&name) => self.mapped(&arguments, at),
            name if ELSEWHERE.contains(&name) => self.elsewhere(&arguments, at),
            "p_load" | "p_library" => self.p_load(&arguments, at),
            "groundhog.library" | "groundhog" | "meta.groundhog" => self.groundhog(&arguments, at),
            "shelf" | "stock" => self.shelf(&arguments, at),
            "checkpoint" => self.checkpoint(&arguments, at),
            "install_version" => {
                self.install(&arguments, at);
                self.version(&arguments, at);
                self.snapshot(&arguments, at);
            }
            "install.packages" | "install_cran" => {
                self.install(&arguments, at);
                self.snapshot(&arguments, at);
            }
            // `BiocManager::install("x")`, and what pak and remotes have under this name.
            "install" | "biocLite" | "pkg_install" => self.install(&arguments, at),
            "options" | "setRepositories" => self.snapshot(&arguments, at),
            // `import::from(dplyr, filter)`
            "from" if self.is_inside("import", at) => self.load(&arguments, at),
            "use_package" => {}
            _ => {}
        }
    }

    fn is_inside(&self, package: &str, at: usize) -> bool {
        let before = at.checked_sub(2).and_then(|before| self.tokens.get(before..at));
        matches!(before, Some([RToken { kind: RTokenKind::Name(name), .. }, RToken { kind: RTokenKind::Inside, .. }]) if name == package)
    }

    /// `if (!require(x))` installs what is lacking, so the package is needed all the same.
    fn load(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let by_name = ["package", "pkg"].iter().find_map(|name| {
            let mut all = arguments.iter();
            all.find(|argument| argument.name == Some(name))
        });
        let Some(argument) = by_name.or_else(|| arguments.iter().find(|argument| argument.name.is_none()))
        else {
            return;
        };
        let is_text = arguments.iter().any(|argument| {
            let value = argument.single();
            argument.name == Some("character.only")
                && matches!(value, Some(RTokenKind::Name(yes)) if yes == "TRUE" || yes == "T")
        });
        match argument.single() {
            Some(RTokenKind::Text(name)) => self.mention(name, MentionForm::Loads, at),
            Some(RTokenKind::Name(name)) if !is_text => {
                let is_variable = ["pkg", "package", "p", "x", "i"].contains(&name.as_str());
                if !is_variable || assigned(self.tokens, name, at).is_none() {
                    self.mention(name, MentionForm::Loads, at);
                }
            }
            Some(RTokenKind::Name(variable)) => self.variable(variable, at),
            _ => {}
        }
    }

    /// A variable, or the one that a loop goes through: `for (p in packages) library(p, character.only = TRUE)`.
    fn variable(&mut self, variable: &str, at: usize) {
        let before = &self.tokens[..at];
        let looped = before.windows(3).rev().find_map(|three| match three {
            [
                RToken {
                    kind: RTokenKind::Name(one),
                    ..
                },
                RToken {
                    kind: RTokenKind::Name(word),
                    ..
                },
                RToken {
                    kind: RTokenKind::Name(many),
                    ..
                },
            ] if one == variable && word == "in" && many != "c" => Some(many.as_str()),
            _ => None,
        });
        let source = looped.unwrap_or(variable);
        let names = assigned(self.tokens, source, at).map(texts).unwrap_or_default();
        for name in names {
            self.mention(name, MentionForm::Loads, at);
        }
    }

    /// `lapply(c("a", "b"), library, character.only = TRUE)`
    fn mapped(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let loads = arguments.iter().any(|argument| {
            matches!(argument.single(), Some(RTokenKind::Name(name)) if LOADING.contains(&name.as_str()))
        });
        let Some(list) = arguments.first().filter(|_| loads) else {
            return;
        };
        match list.single() {
            Some(RTokenKind::Name(variable)) => self.variable(variable, at),
            _ => {
                for name in list.texts() {
                    self.mention(name, MentionForm::Loads, at);
                }
            }
        }
    }

    fn p_load(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        for argument in arguments {
            match (argument.name, argument.single()) {
                (None, Some(RTokenKind::Name(name) | RTokenKind::Text(name))) => {
                    self.mention(name, MentionForm::Loads, at);
                }
                (None | Some("char"), _) => {
                    for name in argument.texts() {
                        self.mention(name, MentionForm::Loads, at);
                    }
                }
                _ => {}
            }
        }
    }

    /// `box::use(dplyr[filter], short = tibble, ./own, other/module)`: paths are modules of the folder.
    fn box_use(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        for argument in arguments {
            let tokens = argument.tokens.iter().map(|token| &token.kind);
            let mut tokens = tokens.filter(|kind| **kind != RTokenKind::LineEnd);
            let first_two = (tokens.next(), tokens.next());
            if let (Some(RTokenKind::Name(name)), None | Some(RTokenKind::Sign('['))) = first_two {
                self.mention(name, MentionForm::Loads, at);
            }
        }
    }

    /// `librarian::shelf(dplyr, "car", owner/package)`, which installs and loads.
    fn shelf(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        for argument in arguments.iter().filter(|argument| argument.name.is_none()) {
            let tokens = argument.tokens.iter().map(|token| &token.kind);
            let tokens: Vec<_> = tokens.filter(|kind| **kind != RTokenKind::LineEnd).collect();
            match tokens.as_slice() {
                [RTokenKind::Name(name)] => self.mention(name, MentionForm::Loads, at),
                [RTokenKind::Text(name)] if name.contains('/') => self.elsewhere_name(name, at),
                [RTokenKind::Text(name)] => self.mention(name, MentionForm::Loads, at),
                [RTokenKind::Name(_), RTokenKind::Sign('/'), RTokenKind::Name(name)] => {
                    self.mention(name, MentionForm::InstallsElsewhere, at);
                }
                _ => {}
            }
        }
    }

    /// `checkpoint("2019-01-01", R.version = "3.5.2")`
    fn checkpoint(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let is_version = |argument: &&CallArgument<'a>| argument.name == Some("R.version");
        let version = arguments.iter().find(is_version);
        let version = version.and_then(|argument| argument.texts().into_iter().next());
        if let Some(version) = version.filter(|version| VERSION.is_match(version)) {
            let says = format!("The script asks for R {version}.");
            let evidence = Evidence::new(EvidenceKind::ScriptSnapshot, self.file, says);
            let evidence = evidence.at(self.tokens[at].line).naming(Language::R, version);
            self.findings.evidence.push(evidence);
        }
        self.snapshot(arguments, at);
    }

    fn groundhog(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let Some(first) = arguments.first() else { return };
        match first.single() {
            Some(RTokenKind::Name(name)) => match assigned(self.tokens, name, at) {
                Some(list) => {
                    for name in texts(list) {
                        self.mention(name, MentionForm::Loads, at);
                    }
                }
                None => self.mention(name, MentionForm::Loads, at),
            },
            _ => {
                let names: Vec<&str> = first.texts();
                let bare = first.bare_names();
                for name in names.into_iter().chain(bare) {
                    self.mention(name, MentionForm::Loads, at);
                }
            }
        }
        self.snapshot(&arguments[1..], at);
        // The date may stand in a variable.
        for argument in &arguments[1..] {
            if let Some(RTokenKind::Name(variable)) = argument.single() {
                let given = assigned(self.tokens, variable, at).map(texts).unwrap_or_default();
                self.dates(&given, at);
            }
        }
    }

    fn install(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let named = |argument: &&CallArgument<'a>| matches!(argument.name, Some("package" | "pkgs" | "pkg"));
        let first = arguments.iter().find(named);
        let Some(first) = first.or_else(|| arguments.iter().find(|argument| argument.name.is_none())) else {
            return;
        };
        for name in first.texts() {
            if name.contains(['/', ':']) {
                self.elsewhere_name(name, at);
                continue;
            }
            // `pak::pkg_install("dplyr@1.0.2")`
            let (name, version) = name
                .split_once('@')
                .map_or((name, None), |(name, version)| (name, Some(version)));
            self.mention(name, MentionForm::Installs, at);
            if let Some(version) = version {
                self.pin(name, version, at);
            }
        }
    }

    /// `install_version("lme4", version = "1.1-21")`: by names, else in this order.
    fn version(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let text = |argument: &CallArgument<'a>| match argument.single() {
            Some(RTokenKind::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let named = |name: &str| arguments.iter().find(|argument| argument.name == Some(name));
        let mut rest = arguments.iter().filter(|argument| argument.name.is_none());
        let package = named("package").or_else(|| rest.next()).and_then(text);
        let version = named("version").or_else(|| rest.next()).and_then(text);
        if let (Some(package), Some(version)) = (package, version) {
            self.pin(package, version, at);
        }
    }

    fn pin(&mut self, name: &str, version: &str, at: usize) {
        if !PACKAGE.is_match(name) || version.trim().is_empty() {
            return;
        }
        let line = self.tokens[at].line;
        let pin = Pin::new(Language::R, name, EvidenceKind::ScriptSnapshot, self.file, line);
        let version = version.trim();
        self.findings
            .pins
            .push(match version.starts_with(['<', '>', '=', '!']) {
                true => Pin {
                    bounds: Some(version.chars().filter(|letter| !letter.is_whitespace()).collect()),
                    ..pin
                },
                false => pin.with_version(Some(version.to_owned())),
            });
    }

    fn elsewhere(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        for argument in arguments.iter().filter(|argument| argument.name.is_none()) {
            for name in argument.texts() {
                self.elsewhere_name(name, at);
            }
        }
    }

    /// `owner/package@ref`, or an address that ends in the package's name.
    fn elsewhere_name(&mut self, address: &str, at: usize) {
        let bare = address.split(['@', '#']).next().unwrap_or_default();
        let last = bare
            .trim_end_matches('/')
            .rsplit(['/', ':'])
            .next()
            .unwrap_or_default();
        let name = last
            .split('_')
            .next()
            .unwrap_or_default()
            .trim_end_matches(".git");
        self.mention(name, MentionForm::InstallsElsewhere, at);
    }

    /// A day in an address of a repository.
    fn snapshot(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let given: Vec<&str> = arguments.iter().flat_map(CallArgument::texts).collect();
        self.dates(&given, at);
    }

    fn dates(&mut self, given: &[&str], at: usize) {
        for text in given {
            let day = DAY.captures(text).and_then(|found| found[1].parse::<Date>().ok());
            let Some(day) = day else { continue };
            let says = format!("The script asks for packages of {day}.");
            let evidence = Evidence::new(EvidenceKind::ScriptSnapshot, self.file, says);
            let evidence = evidence.at(self.tokens[at].line).dated(Some(day));
            self.findings.evidence.push(evidence);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut findings = ScriptFindings::default();
        read("a.R", text, &mut findings);
        let mentions = findings.mentions.iter();
        mentions
            .map(|mention| format!("{}:{}", mention.place.line, mention.name))
            .collect()
    }

    #[test]
    fn packages_are_loaded_in_many_ways() {
        let text = r##"# library(commented)
library(dplyr); require("lme4")
suppressPackageStartupMessages(library(
  tidyr))
"library(quoted)"
haven::read_dta("x # no comment")
if (!requireNamespace("fixest", quietly = TRUE)) install.packages("fixest")
pacman::p_load(psych, "car", char = c("AER", 'plm'), update = FALSE)
pkgs <- c("sandwich",
          "lmtest")
lapply(pkgs, require, character.only = TRUE)
for (p in pkgs) library(p, character.only = TRUE)
invisible(sapply(c("MASS", "boot"), library, character.only = T))
devtools::install_github("owner/synthdid@v1")
BiocManager::install("multtest")
text <- r"(library(raw))"
library(package = "survey")
import::from(purrr, map)
library()
x$library(y)
"##;
        assert_eq!(
            found(text),
            [
                "2:dplyr",
                "2:lme4",
                "3:tidyr",
                "6:haven",
                "7:fixest",
                "7:fixest",
                "8:pacman",
                "8:psych",
                "8:car",
                "8:AER",
                "8:plm",
                "11:sandwich",
                "11:lmtest",
                "12:sandwich",
                "12:lmtest",
                "13:MASS",
                "13:boot",
                "14:devtools",
                "14:synthdid",
                "15:BiocManager",
                "15:multtest",
                "17:survey",
                "18:import",
                "18:purrr"
            ]
        );
    }

    #[test]
    fn packages_of_box_and_librarian() {
        assert_eq!(
            found(
                "box::use(dplyr[filter, select], tb = tibble,\n  purrr[...], ./own[x], ../other, folder/module, r/core[...])\n"
            ),
            ["1:box", "1:dplyr", "1:tibble", "1:purrr"]
        );
        assert_eq!(
            found("librarian::shelf(lme4, 'car', owner/synthdid, \"o/own\", quiet = TRUE, lib = here)\n"),
            ["1:librarian", "1:lme4", "1:car", "1:synthdid", "1:own"]
        );
        // R's own `use`.
        assert_eq!(found("use('stringr', c('str_sub'))\n"), ["1:stringr"]);
        for text in ["box::use(", "box::use(,)", "shelf()", "shelf(a/)", "checkpoint("] {
            found(text);
        }
    }

    #[test]
    fn a_checkpoint_names_day_and_r() {
        let mut findings = ScriptFindings::default();
        read(
            "a.R",
            "checkpoint('2019-01-01',\n  R.version = \"3.5.2\")\ncheckpoint('2018-01-01', R.version = v)\n",
            &mut findings,
        );
        let shown: Vec<String> = (findings.evidence.iter())
            .map(|one| match (&one.interpreter, one.date) {
                (Some(named), _) => format!("R {}", named.version),
                (None, date) => date.unwrap().to_string(),
            })
            .collect();
        assert_eq!(shown, ["R 3.5.2", "2019-01-01", "2018-01-01"]);
    }

    #[test]
    fn versions_that_are_installed_are_pins() {
        let text = r#"install_version("alpha", version="1.0"); remotes::install_version(version = '1.1-21', package = "lme4")
devtools::install_version("psych", "1.8.12", repos = "https://cran.example.org")
remotes::install_version("mice", ">= 3.0, < 4")
pak::pkg_install("dplyr@1.0.2"); renv::install("owner/own@v1")
install_version(name, "2.0"); install_version("beta", version = chosen); install_version("gamma")
# install_version("commented", "1.0")
"install_version('quoted', '1.0')"
"#;
        let mut findings = ScriptFindings::default();
        read("a.R", text, &mut findings);
        let pins = findings.pins.iter();
        let shown: Vec<String> = pins
            .map(|pin| {
                let version = pin.version.as_deref().unwrap_or("");
                format!(
                    "{}:{}|{version}|{}",
                    pin.line,
                    pin.name,
                    pin.bounds.as_deref().unwrap_or("")
                )
            })
            .collect();
        assert_eq!(
            shown,
            [
                "1:alpha|1.0|",
                "1:lme4|1.1-21|",
                "2:psych|1.8.12|",
                "3:mice||>=3.0,<4",
                "4:dplyr|1.0.2|"
            ]
        );
    }

    #[test]
    fn a_script_can_name_the_day_of_its_packages() {
        let days = |text: &str| {
            let mut findings = ScriptFindings::default();
            read("a.R", text, &mut findings);
            let names: Vec<String> = findings.mentions.into_iter().map(|one| one.name).collect();
            let days = findings.evidence.iter().filter_map(|one| one.date);
            (names, days.map(|day| day.to_string()).collect::<Vec<_>>())
        };
        let (names, found) =
            days("day <- '2021-04-01'\npkgs <- c('dplyr', 'ggplot2')\ngroundhog.library(pkgs, day)\n");
        assert_eq!(
            (names, found),
            (vec!["dplyr".into(), "ggplot2".into()], vec!["2021-04-01".into()])
        );
        let (names, found) = days("groundhog.library(lme4, '2020-01-02')\ncheckpoint('2018-02-30')\n");
        assert_eq!((names, found), (vec!["lme4".into()], vec!["2020-01-02".into()]));
        let (_, found) = days("options(repos = c(CRAN = 'https://example.org/cran/2019-05-06'))");
        assert_eq!(found, ["2019-05-06"]);
    }

    #[test]
    fn damaged_text_ends_nowhere_else() {
        for text in [
            "library(",
            "library('open",
            "r\"(open",
            "`open",
            "c(((((",
            "::",
            "pkg::",
            "lapply(",
            "p_load(,,)",
            "groundhog.library()",
            "R'",
            "'\\",
        ] {
            found(text);
        }
        assert_eq!(found(&format!("{}library(a)", "(".repeat(50_000))), ["1:a"]);
    }
}
