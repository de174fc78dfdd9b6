//! Packages that a script of R loads.

use std::collections::BTreeMap;

use super::super::language::Language;
use super::super::need::{MentionForm, Question};
use super::findings::{ScriptFindings, place};
use super::package_file::PACKAGE;
use super::r_calls::{self, CallArgument, arguments};
use super::r_own_functions::{LoadedParameter, OwnFunction, OwnFunctions};
use super::r_syntax::{RSyntax, parameter_name};
use super::r_tokens::{RToken, RTokenKind, tokens};
use super::r_values::{self, MAPPING, RNames};

/// Functions that load what their first argument names, or is.
const LOADING: [&str; 6] = [
    "library",
    "require",
    "requireNamespace",
    "loadNamespace",
    "attachNamespace",
    "use",
];
/// Functions that load the packages that all their arguments give as texts.
const ATTACHING: [&str; 6] = [
    "pkg_attach",
    "pkg_attach2",
    "pkg_load",
    "pkg_load2",
    "libraries",
    "packages",
];
/// Functions that need the package of their first argument there.
const ASKING: [&str; 5] = [
    "packageVersion",
    "asNamespace",
    "getNamespace",
    "with_package",
    "local_package",
];
/// Functions with an argument `package` whose files they take.
const TAKING: [&str; 4] = ["data", "system.file", "vignette", "demo"];
/// Words of the language, which name no package.
const RESERVED: [&str; 16] = [
    "if", "else", "repeat", "while", "function", "for", "next", "break", "T", "TRUE", "F", "FALSE", "NULL",
    "Inf", "NaN", "NA",
];
/// Times that functions which call one another are gone through.
const MOST_ROUNDS: usize = 3;

/// Reads the packages of a text; `folder` has the functions of other scripts.
pub fn read(file: &str, text: &str, folder: &OwnFunctions, findings: &mut ScriptFindings) {
    let tokens = tokens(text);
    let syntax = RSyntax::new(&tokens);
    let mut own = folder.clone();
    own.extend(own_functions(&syntax, folder));
    reading(file, &syntax, &own, findings);
}

/// The functions that a text defines.
pub fn functions(text: &str) -> OwnFunctions {
    let tokens = tokens(text);
    own_functions(&RSyntax::new(&tokens), &OwnFunctions::new())
}

fn own_functions(syntax: &RSyntax<'_>, folder: &OwnFunctions) -> OwnFunctions {
    let named = syntax.functions.iter().filter_map(|function| {
        let names: Vec<String> = function.names().map(str::to_owned).collect();
        let defaults = function
            .parameters
            .iter()
            .filter(|parameter| parameter.name.is_some());
        let defaults = defaults.filter_map(|parameter| {
            let value = r_values::of_argument(syntax, parameter);
            let name = parameter_name(parameter).filter(|_| value.is_whole)?;
            Some((name.to_owned(), value.names))
        });
        let own = OwnFunction {
            parameters: names,
            defaults: defaults.collect(),
            loads: Vec::new(),
        };
        Some((function.name?.to_owned(), own))
    });
    let mut own: OwnFunctions = named.collect();
    if own.is_empty() {
        return own;
    }
    for _ in 0..MOST_ROUNDS {
        let mut known = folder.clone();
        known.extend(own.clone());
        let mut findings = ScriptFindings::default();
        let loads = reading("", syntax, &known, &mut findings);
        let before = own.clone();
        for (name, loads) in loads {
            if let Some(function) = own.get_mut(name) {
                function.loads = loads;
            }
        }
        if own == before {
            break;
        }
    }
    own
}

/// Goes through a text; what its functions load of their parameters, by name.
fn reading<'a>(
    file: &str,
    syntax: &RSyntax<'a>,
    own: &OwnFunctions,
    findings: &mut ScriptFindings,
) -> BTreeMap<&'a str, Vec<LoadedParameter>> {
    let mut reader = CallReader {
        file,
        syntax,
        own,
        loads: BTreeMap::new(),
        findings,
    };
    for at in 0..syntax.tokens.len() {
        reader.token(at);
    }
    reader.loads
}

pub(super) struct CallReader<'s, 'a> {
    pub file: &'s str,
    pub syntax: &'s RSyntax<'a>,
    own: &'s OwnFunctions,
    loads: BTreeMap<&'a str, Vec<LoadedParameter>>,
    pub findings: &'s mut ScriptFindings,
}

impl<'a> CallReader<'_, 'a> {
    pub fn mention(&mut self, name: &str, form: MentionForm, at: usize) {
        if PACKAGE.is_match(name) && !RESERVED.contains(&name) {
            let place = place(self.file, self.line(at));
            self.findings.mention(Language::R, name, form, place);
        }
    }

    pub fn line(&self, at: usize) -> usize {
        self.syntax.tokens[at].line
    }

    /// Takes the names of a value as packages.
    pub fn take(&mut self, value: &RNames, form: MentionForm, at: usize) {
        for name in &value.names {
            self.mention(name, form, at);
        }
        for parameter in &value.parameters {
            let function = &self.syntax.functions[parameter.function];
            let loaded = LoadedParameter {
                name: parameter.name.clone(),
                is_quoted: parameter.is_quoted,
                form,
            };
            let loads = function.name.map(|name| self.loads.entry(name).or_default());
            if let Some(loads) = loads.filter(|loads| !loads.contains(&loaded)) {
                loads.push(loaded);
            }
        }
        if !value.is_whole && form == MentionForm::Loads {
            self.ask(at);
        }
    }

    /// Asks which packages a call loads that its text does not name.
    fn ask(&mut self, at: usize) {
        let RTokenKind::Name(function) = &self.syntax.tokens[at].kind else {
            return;
        };
        let line = self.line(at);
        self.findings.questions.push(Question {
            language: Language::R,
            name: function.clone(),
            question: format!(
                "`{function}` in {}, line {line} loads packages whose names are computed: which are they? Name them in a \
                 `DESCRIPTION` in the folder (`Imports:`); none is guessed.",
                self.file
            ),
            places: vec![place(self.file, line)],
        });
    }

    fn token(&mut self, at: usize) {
        let name = match &self.syntax.tokens[at].kind {
            RTokenKind::Name(name) => name,
            RTokenKind::Text(text) => return self.address(text, at),
            _ => return,
        };
        match self.syntax.kind(at + 1) {
            Some(RTokenKind::Inside) => self.mention(name, MentionForm::Calls, at),
            Some(RTokenKind::Sign('(')) if !self.is_member(at) => self.call(name, at),
            _ => {}
        }
    }

    /// Whether a name is that of a part of something, as in `x$library(y)`.
    fn is_member(&self, at: usize) -> bool {
        let is = |sign| {
            at.checked_sub(1)
                .is_some_and(|before| self.syntax.is_sign(before, sign))
        };
        is('$') || is('@')
    }

    fn call(&mut self, name: &str, at: usize) {
        let is_plain =
            at.checked_sub(1).and_then(|before| self.syntax.kind(before)) != Some(&RTokenKind::Inside);
        if let Some(own) = self.own.get(name).filter(|_| is_plain) {
            return self.own_call(&own.clone(), &self.arguments(at), at);
        }
        match name {
            "use" if self.is_inside("box", at) => self.box_use(&self.arguments(at), at),
            "use" if self.is_inside("renv", at) => self.install(&self.arguments(at), at),
            name if LOADING.contains(&name) => self.load(name, &self.arguments(at), at),
            name if MAPPING.contains(&name) => self.mapped(name, &self.arguments(at), at),
            "do.call" => self.do_call(&self.arguments(at), at),
            "libraries" | "packages" if !self.has_name("easypackages") => {}
            name if ATTACHING.contains(&name) => self.attach(&self.arguments(at), at),
            name if ASKING.contains(&name) => self.asked(self.arguments(at).first(), at),
            name if TAKING.contains(&name) => {
                let arguments = self.arguments(at);
                let package = arguments.iter().find(|one| one.name == Some("package"));
                self.asked(package, at);
            }
            "p_load" | "p_library" => self.p_load(&self.arguments(at), at),
            "groundhog.library" | "groundhog" | "meta.groundhog" => self.groundhog(&self.arguments(at), at),
            "shelf" | "stock" => self.shelf(&self.arguments(at), at),
            "checkpoint" => self.checkpoint(&self.arguments(at), at),
            // `import::from(dplyr, filter)`
            "from" if self.is_inside("import", at) => self.load("library", &self.arguments(at), at),
            name => self.installing(name, at),
        }
    }

    /// The arguments of a call; asked for where the function matters alone, since most do not.
    pub fn arguments(&self, at: usize) -> Vec<CallArgument<'a>> {
        arguments(self.syntax.tokens, at + 1)
    }

    pub fn is_inside(&self, package: &str, at: usize) -> bool {
        let before = at
            .checked_sub(2)
            .and_then(|before| self.syntax.tokens.get(before..at));
        matches!(before, Some([RToken { kind: RTokenKind::Name(name), .. }, RToken { kind: RTokenKind::Inside, .. }]) if name == package)
    }

    fn has_name(&self, name: &str) -> bool {
        let mut kinds = self.syntax.tokens.iter().map(|token| &token.kind);
        kinds.any(|kind| matches!(kind, RTokenKind::Name(one) if one == name))
    }

    /// `if (!require(x))` installs what is lacking, so the package is needed all the same.
    fn load(&mut self, function: &str, arguments: &[CallArgument<'a>], at: usize) {
        let by_name = ["package", "pkg"].iter().find_map(|name| {
            let mut all = arguments.iter();
            all.find(|argument| argument.name == Some(name))
        });
        let unnamed = || arguments.iter().find(|argument| argument.name.is_none());
        let first = by_name
            .or_else(unnamed)
            .filter(|argument| !argument.tokens.is_empty());
        let Some(argument) = first else {
            if let Some(piped) = r_values::piped_into(self.syntax, at) {
                self.take(&piped, MentionForm::Loads, at);
            }
            return;
        };
        let is_text = arguments.iter().any(|argument| {
            let value = argument.single();
            let is_it = argument.name.is_some_and(|name| name.starts_with("char"));
            is_it && matches!(value, Some(RTokenKind::Name(yes)) if yes == "TRUE" || yes == "T")
        });
        let takes_value =
            is_text || matches!(function, "requireNamespace" | "loadNamespace" | "attachNamespace");
        match argument.single() {
            Some(RTokenKind::Text(name)) => self.mention(name, MentionForm::Loads, at),
            Some(RTokenKind::Name(name)) if !takes_value && !self.is_bound(name, at) => {
                self.mention(name, MentionForm::Loads, at);
            }
            _ => self.take(
                &r_values::of_argument(self.syntax, argument),
                MentionForm::Loads,
                at,
            ),
        }
    }

    /// Whether a name is a loop's variable, or a parameter of a function around it.
    fn is_bound(&self, name: &str, at: usize) -> bool {
        let mut loops = self.syntax.loops.iter();
        let mut functions = self.syntax.functions.iter();
        loops.any(|one| one.variable == name && one.body.contains(&at))
            || functions.any(|one| one.body.contains(&at) && one.names().any(|known| known == name))
    }

    /// `lapply(c("a", "b"), library, character.only = TRUE)`
    fn mapped(&mut self, word: &str, arguments: &[CallArgument<'a>], at: usize) {
        let Some(function) = arguments.iter().find_map(|argument| self.form_of(argument)) else {
            return;
        };
        let is_function = |one: &CallArgument<'a>| r_values::is_function(one) || self.form_of(one).is_some();
        let list = r_values::list_argument(word, arguments, is_function);
        let value = match list {
            Some(list) => r_values::of_argument(self.syntax, list),
            None => r_values::piped_into(self.syntax, at).unwrap_or_else(RNames::unknown),
        };
        self.take(&value, function, at);
    }

    /// How a function that stands as an argument takes its own first argument: as a package that it loads or installs.
    fn form_of(&self, argument: &CallArgument<'a>) -> Option<MentionForm> {
        let name = function_name(argument)?;
        if let Some(own) = self.own.get(name) {
            let first = own.parameters.first()?;
            return own
                .loads
                .iter()
                .find(|load| load.name == *first)
                .map(|load| load.form);
        }
        match name {
            "install.packages" | "pkg_install" => Some(MentionForm::Installs),
            "p_load" => Some(MentionForm::Loads),
            name => (LOADING.contains(&name) || ATTACHING[..4].contains(&name)).then_some(MentionForm::Loads),
        }
    }

    /// `do.call("library", list("boot"))`
    fn do_call(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let named = |name| arguments.iter().find(|one| one.name == Some(name));
        let mut rest = arguments.iter().filter(|one| one.name.is_none());
        let function = named("what").or_else(|| rest.next());
        let list = named("args").or_else(|| rest.next());
        let Some(form) = function.and_then(|function| self.form_of(function)) else {
            return;
        };
        let Some(list) = list else {
            return self.take(&RNames::unknown(), form, at);
        };
        let is_listed = matches!(list.tokens.first().map(|token| &token.kind), Some(RTokenKind::Name(name)) if name == "list");
        let inner = match is_listed {
            true => r_calls::arguments(self.syntax.tokens, list.at + 1),
            false => Vec::new(),
        };
        let is_package =
            |one: &&CallArgument<'a>| matches!(one.name, None | Some("package" | "pkgs" | "char"));
        let mut packages = inner.iter().filter(is_package).peekable();
        if packages.peek().is_none() {
            return self.take(&r_values::of_argument(self.syntax, list), form, at);
        }
        for package in packages {
            self.take(&r_values::of_argument(self.syntax, package), form, at);
        }
    }

    fn attach(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let given = arguments
            .iter()
            .filter(|one| one.name.is_none() && !one.tokens.is_empty());
        for argument in given {
            self.take(
                &r_values::of_argument(self.syntax, argument),
                MentionForm::Loads,
                at,
            );
        }
    }

    /// A package of which something is asked; one whose name is computed is passed over, since nothing is loaded.
    fn asked(&mut self, argument: Option<&CallArgument<'a>>, at: usize) {
        if let Some(argument) = argument {
            let value = r_values::of_argument(self.syntax, argument);
            let value = RNames {
                is_whole: true,
                ..value
            };
            self.take(&value, MentionForm::Calls, at);
        }
    }

    /// A call of a function of the script's own, or of another script's.
    fn own_call(&mut self, own: &OwnFunction, arguments: &[CallArgument<'a>], at: usize) {
        let is_named = |argument: &CallArgument<'a>| {
            let name = argument.name;
            name.is_some_and(|name| own.parameters.iter().any(|parameter| parameter == name))
        };
        let unnamed: Vec<&CallArgument<'a>> = (arguments.iter())
            .filter(|one| !is_named(one) && !one.tokens.is_empty())
            .collect();
        let taken = |parameter: &String| arguments.iter().any(|one| one.name == Some(parameter));
        let free: Vec<&String> = own.parameters.iter().filter(|one| !taken(one)).collect();
        for load in &own.loads {
            let by_name = arguments.iter().find(|one| one.name == Some(&load.name));
            let place = free.iter().position(|one| **one == load.name);
            let given: Vec<&CallArgument<'a>> = match (by_name, place) {
                (Some(argument), _) => vec![argument],
                (None, Some(place)) if load.name == "..." => unnamed.iter().skip(place).copied().collect(),
                (None, Some(place)) => unnamed.get(place).copied().into_iter().collect(),
                (None, None) => Vec::new(),
            };
            if given.is_empty() {
                self.not_given(own, load, at);
            }
            for argument in given {
                match argument.single() {
                    Some(RTokenKind::Name(name)) if load.is_quoted => self.mention(name, load.form, at),
                    _ => self.take(&r_values::of_argument(self.syntax, argument), load.form, at),
                }
            }
        }
    }

    /// A parameter that a call gives nothing: its default, or what a pipe gives.
    fn not_given(&mut self, own: &OwnFunction, load: &LoadedParameter, at: usize) {
        let piped = r_values::piped_into(self.syntax, at);
        if let Some(piped) = piped.filter(|_| own.parameters.first() == Some(&load.name)) {
            return self.take(&piped, load.form, at);
        }
        for name in own.defaults.get(&load.name).into_iter().flatten() {
            self.mention(name, load.form, at);
        }
    }

    fn p_load(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let is_text = arguments.iter().any(|argument| {
            let is_it = argument
                .name
                .is_some_and(|name| name.starts_with("char") && name != "char");
            is_it && matches!(argument.single(), Some(RTokenKind::Name(yes)) if yes == "TRUE" || yes == "T")
        });
        for argument in arguments.iter().filter(|one| !one.tokens.is_empty()) {
            match (argument.name, argument.single()) {
                (None, Some(RTokenKind::Name(name))) if !is_text => {
                    self.mention(name, MentionForm::Loads, at)
                }
                (None | Some("char"), _) => {
                    self.take(
                        &r_values::of_argument(self.syntax, argument),
                        MentionForm::Loads,
                        at,
                    );
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
}

/// The name of a function that stands as an argument: `library`, `base::library`, `"library"`.
fn function_name<'a>(argument: &CallArgument<'a>) -> Option<&'a str> {
    match argument.tokens {
        [
            RToken {
                kind: RTokenKind::Name(_),
                ..
            },
            RToken {
                kind: RTokenKind::Inside,
                ..
            },
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
        ] => Some(name),
        _ => match argument.single()? {
            RTokenKind::Name(name) | RTokenKind::Text(name) => Some(name),
            _ => None,
        },
    }
}

#[cfg(test)]
#[path = "r_tests.rs"]
mod tests;
