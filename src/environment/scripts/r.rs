//! Packages that a script of R loads.

use super::super::language::Language;
use super::super::need::{MentionForm, Question};
use super::findings::{ScriptFindings, place};
use super::package_file::PACKAGE;
use super::r_calls::{CallArgument, arguments};
use super::r_syntax::RSyntax;
use super::r_tokens::{RToken, RTokenKind, tokens};
use super::r_values::{self, RNames};

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
/// Functions that go through a list of names.
const MAPPING: [&str; 22] = [
    "lapply",
    "sapply",
    "vapply",
    "mapply",
    "Map",
    "Filter",
    "map",
    "walk",
    "map_lgl",
    "map_chr",
    "map_int",
    "map_dfr",
    "map_vec",
    "imap",
    "mclapply",
    "pblapply",
    "future_lapply",
    "future_map",
    "llply",
    "l_ply",
    "parLapply",
    "parSapply",
];

/// Reads the packages of a text.
pub fn read(file: &str, text: &str, findings: &mut ScriptFindings) {
    let tokens = tokens(text);
    let syntax = RSyntax::new(&tokens);
    let mut reader = CallReader {
        file,
        syntax: &syntax,
        findings,
    };
    for at in 0..tokens.len() {
        reader.token(at);
    }
}

pub(super) struct CallReader<'s, 'a> {
    pub file: &'s str,
    pub syntax: &'s RSyntax<'a>,
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
        match name {
            "use" if self.is_inside("box", at) => self.box_use(&self.arguments(at), at),
            "use" if self.is_inside("renv", at) => self.install(&self.arguments(at), at),
            name if LOADING.contains(&name) => self.load(name, &self.arguments(at), at),
            name if MAPPING.contains(&name) => self.mapped(&self.arguments(at), at),
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
        let Some(argument) = first else { return };
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
    pub fn is_bound(&self, name: &str, at: usize) -> bool {
        let mut loops = self.syntax.loops.iter();
        loops.any(|one| one.variable == name && one.body.contains(&at)) || self.syntax.is_parameter(name, at)
    }

    /// `lapply(c("a", "b"), library, character.only = TRUE)`
    fn mapped(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        let Some(form) = arguments.iter().find_map(form_of) else {
            return;
        };
        let is_named = |one: &&CallArgument<'a>| matches!(one.name, Some("X" | ".x" | "x" | ".l"));
        let is_list = |one: &&CallArgument<'a>| one.name.is_none() && form_of(one).is_none();
        let list = arguments.iter().find(is_named);
        let list = list.or_else(|| arguments.iter().find(is_list));
        let value = list.map_or_else(RNames::unknown, |list| r_values::of_argument(self.syntax, list));
        self.take(&value, form, at);
    }

    /// `do.call("library", list("boot"))`: what it is given is asked about.
    fn do_call(&mut self, arguments: &[CallArgument<'a>], at: usize) {
        if let Some(form) = arguments.iter().find_map(form_of) {
            self.take(&RNames::unknown(), form, at);
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

/// How a function that stands as an argument takes its own first argument: as a package that it loads or installs.
fn form_of(argument: &CallArgument<'_>) -> Option<MentionForm> {
    match function_name(argument)? {
        "install.packages" | "pkg_install" => Some(MentionForm::Installs),
        "p_load" => Some(MentionForm::Loads),
        name => (LOADING.contains(&name) || ATTACHING[..4].contains(&name)).then_some(MentionForm::Loads),
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
