//! The names that an expression of R comes to, as far as its text says.

use std::ops::Range;

use super::r_calls::{CallArgument, arguments};
use super::r_syntax::RSyntax;
use super::r_tokens::{RToken, RTokenKind};

/// Functions whose value has the names of all their arguments.
const JOINING: [&str; 18] = [
    "c",
    "list",
    "union",
    "append",
    "unique",
    "sort",
    "rev",
    "unlist",
    "as.list",
    "as.vector",
    "as.character",
    "noquote",
    "trimws",
    "invisible",
    "suppressWarnings",
    "suppressMessages",
    "suppressPackageStartupMessages",
    "vec_c",
];
/// Functions that give the text of what a parameter was given.
const QUOTING: [&str; 7] = [
    "substitute",
    "quote",
    "deparse",
    "enquo",
    "ensym",
    "as_name",
    "as_label",
];
/// Functions that go through a list of names.
pub const MAPPING: [&str; 22] = [
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
    "parLapply",
    "parSapply",
    "llply",
    "l_ply",
];
/// Expressions inside one another.
const DEEPEST: usize = 12;
/// Names of one value at most.
const MOST_NAMES: usize = 2_000;

/// A parameter of a function that a value is from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromParameter {
    /// The function, by its number among those of the text.
    pub function: usize,
    pub name: String,
    /// Whether the text of what is given is taken, and not its value.
    pub is_quoted: bool,
}

/// The names in a value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RNames {
    /// Each with the token that says it.
    pub names: Vec<String>,
    pub parameters: Vec<FromParameter>,
    /// Whether there is nothing in it but these.
    pub is_whole: bool,
}

impl RNames {
    fn nothing() -> Self {
        Self {
            names: Vec::new(),
            parameters: Vec::new(),
            is_whole: true,
        }
    }

    /// A value of which nothing is known.
    pub fn unknown() -> Self {
        Self {
            is_whole: false,
            ..Self::nothing()
        }
    }

    fn one(name: &str) -> Self {
        Self {
            names: vec![name.to_owned()],
            ..Self::nothing()
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.names.extend(other.names);
        self.parameters.extend(other.parameters);
        self.is_whole &= other.is_whole && self.names.len() <= MOST_NAMES;
        self.names.truncate(MOST_NAMES);
        self
    }

    fn quoted(mut self) -> Self {
        for parameter in &mut self.parameters {
            parameter.is_quoted = true;
        }
        // What a name that is no parameter would be quoted to is left alone.
        self.is_whole &= self.names.is_empty();
        self.names.clear();
        self
    }
}

/// The names that an argument comes to.
pub fn of_argument(syntax: &RSyntax<'_>, argument: &CallArgument<'_>) -> RNames {
    of_range(syntax, argument.range(), 0)
}

/// The names that tokens come to.
pub fn of(syntax: &RSyntax<'_>, range: Range<usize>) -> RNames {
    of_range(syntax, range, 0)
}

fn of_range(syntax: &RSyntax<'_>, range: Range<usize>, depth: usize) -> RNames {
    let Some(range) = trimmed(syntax, range).filter(|_| depth < DEEPEST) else {
        return RNames::unknown();
    };
    if let Some(pipe) = last_pipe(syntax, &range) {
        return piped(syntax, &range, &pipe, depth);
    }
    let tokens = &syntax.tokens[range.clone()];
    let start = range.start;
    match tokens {
        [
            RToken {
                kind: RTokenKind::Text(text),
                ..
            },
        ] => RNames::one(text),
        [
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
        ] if name == "NULL" => RNames::nothing(),
        [
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
        ] => variable(syntax, name, start, depth),
        [
            RToken {
                kind: RTokenKind::Name(_),
                ..
            },
            RToken {
                kind: RTokenKind::Inside,
                ..
            },
            ..,
        ] => match called(syntax, start + 2, range.end) {
            Some(_) => of_range(syntax, start + 2..range.end, depth + 1),
            None => RNames::unknown(),
        },
        [
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
            ..,
        ] => match called(syntax, start, range.end) {
            Some(arguments) => call(syntax, name, &arguments, depth),
            None => part(syntax, &range, depth),
        },
        [
            RToken {
                kind: RTokenKind::Sign(sign @ ('(' | '{')),
                ..
            },
            ..,
        ] if syntax.closed(start, *sign) == Some(range.end - 1) => {
            of_range(syntax, start + 1..range.end - 1, depth + 1)
        }
        _ => RNames::unknown(),
    }
}

/// The arguments of a call that is all there is.
fn called<'a>(syntax: &RSyntax<'a>, name: usize, end: usize) -> Option<Vec<CallArgument<'a>>> {
    (syntax.closed(name + 1, '(')? == end - 1).then(|| arguments(syntax.tokens, name + 1))
}

fn trimmed(syntax: &RSyntax<'_>, range: Range<usize>) -> Option<Range<usize>> {
    let is_token = |at: &usize| syntax.kind(*at) != Some(&RTokenKind::LineEnd);
    let start = range.clone().find(is_token)?;
    let end = range.rev().find(is_token)?;
    Some(start..end + 1)
}

fn call(syntax: &RSyntax<'_>, name: &str, arguments: &[CallArgument<'_>], depth: usize) -> RNames {
    let value = |argument: &CallArgument<'_>| match argument.tokens.is_empty() {
        true => RNames::nothing(),
        false => of_range(syntax, argument.range(), depth + 1),
    };
    match name {
        "character" | "vector" => RNames::nothing(),
        // What is installed is taken away from what is wanted.
        "setdiff" => arguments.first().map_or_else(RNames::unknown, value),
        "append" => arguments
            .iter()
            .take(2)
            .map(value)
            .fold(RNames::nothing(), RNames::and),
        // Other arguments of these say how, and name nothing.
        "sort" | "rev" | "unique" | "unlist" | "as.character" | "as.vector" | "trimws" | "invisible" => {
            let inner = arguments
                .iter()
                .find(|argument| matches!(argument.name, None | Some("x")));
            inner.map_or_else(RNames::unknown, value)
        }
        name if JOINING.contains(&name) => arguments.iter().map(value).fold(RNames::nothing(), RNames::and),
        name if QUOTING.contains(&name) => arguments
            .first()
            .map_or_else(RNames::unknown, |first| value(first).quoted()),
        _ => RNames::unknown(),
    }
}

/// `packages[!installed]`, and `packages[i]` of a loop over all of them: the names are those of the whole.
fn part(syntax: &RSyntax<'_>, range: &Range<usize>, depth: usize) -> RNames {
    let open = range.start + 1;
    if syntax.closed(open, '[') != Some(range.end - 1) {
        return RNames::unknown();
    }
    let Some(inner) = trimmed(syntax, open + 1..range.end - 1) else {
        return RNames::unknown();
    };
    let inner = match syntax.closed(inner.start, '[') == Some(inner.end - 1) {
        true => trimmed(syntax, inner.start + 1..inner.end - 1).unwrap_or(inner),
        false => inner,
    };
    let tokens = &syntax.tokens[inner.clone()];
    let asks_installed = |token: &RToken| matches!(&token.kind, RTokenKind::Name(name) if matches!(name.as_str(), "installed.packages" | "requireNamespace" | "require"));
    let index = match tokens {
        [
            RToken {
                kind: RTokenKind::Name(index),
                ..
            },
        ] => Some(index.as_str()),
        _ => None,
    };
    let Some(RTokenKind::Name(whole)) = syntax.kind(range.start) else {
        return RNames::unknown();
    };
    let is_all = tokens.iter().any(asks_installed)
        || matches!(
            tokens,
            [
                RToken {
                    kind: RTokenKind::Sign('!'),
                    ..
                },
                ..
            ]
        )
        || index.is_some_and(|index| goes_through(syntax, index, whole, range.start))
        || index.is_some_and(|index| is_of_installed(syntax, index, range.start));
    match is_all {
        true => variable(syntax, whole, range.start, depth + 1),
        false => RNames::unknown(),
    }
}

/// Whether a variable holds which packages are lacking: `lacking <- !pkgs %in% rownames(installed.packages())`.
fn is_of_installed(syntax: &RSyntax<'_>, index: &str, at: usize) -> bool {
    let before = syntax.given(index).iter().rev().find(|given| given.at < at);
    let value = before.and_then(|given| given.value.clone());
    value.is_some_and(|value| {
        let mut tokens = syntax.tokens[value].iter();
        tokens.any(|token| matches!(&token.kind, RTokenKind::Name(name) if name == "installed.packages"))
    })
}

/// Whether a loop's variable goes through every place of a vector: `for (i in seq_along(packages))`.
fn goes_through(syntax: &RSyntax<'_>, index: &str, whole: &str, at: usize) -> bool {
    let holds = |one: &&super::r_syntax::RLoop<'_>| one.variable == index && one.body.contains(&at);
    let Some(found) = syntax.loops.iter().rev().find(holds) else {
        return false;
    };
    let tokens = &syntax.tokens[found.values.clone()];
    let names: Vec<&str> = (tokens.iter())
        .filter_map(|token| match &token.kind {
            RTokenKind::Name(name) => Some(name.as_str()),
            _ => None,
        })
        .collect();
    match names.as_slice() {
        ["seq_along", one]
        | ["seq_len", "length", one]
        | ["1", "length", one]
        | ["seq", "1", "length", one] => *one == whole,
        _ => false,
    }
}

/// A pipe in an expression.
struct Pipe {
    at: usize,
    behind: usize,
}

/// The last pipe outside of brackets.
fn last_pipe(syntax: &RSyntax<'_>, range: &Range<usize>) -> Option<Pipe> {
    let mut at = range.end;
    while at > range.start {
        at -= 1;
        if let Some(opened) = syntax.opened(at) {
            at = opened;
        } else if let Some(begin) = pipe_that_ends_at(syntax, at).filter(|begin| *begin > range.start) {
            return Some(Pipe {
                at: begin,
                behind: at + 1,
            });
        }
    }
    None
}

/// The begin of `|>` or `%>%` whose last sign stands at a token.
fn pipe_that_ends_at(syntax: &RSyntax<'_>, at: usize) -> Option<usize> {
    let is = |back: usize, sign: char| at.checked_sub(back).is_some_and(|at| syntax.is_sign(at, sign));
    if is(0, '>') && is(1, '|') {
        return Some(at - 1);
    }
    (is(0, '%') && is(1, '>') && is(2, '%')).then(|| at - 2)
}

fn piped(syntax: &RSyntax<'_>, range: &Range<usize>, pipe: &Pipe, depth: usize) -> RNames {
    let Some(last) = trimmed(syntax, pipe.behind..range.end) else {
        return RNames::unknown();
    };
    let name = match (syntax.kind(last.start), syntax.kind(last.start + 1)) {
        (Some(RTokenKind::Name(_)), Some(RTokenKind::Inside)) => last.start + 2,
        _ => last.start,
    };
    let passes = matches!(syntax.kind(name), Some(RTokenKind::Name(word)) if JOINING.contains(&word.as_str()))
        && called(syntax, name, last.end)
            .is_none_or(|arguments| arguments.iter().all(|one| one.tokens.is_empty()));
    match passes {
        true => of_range(syntax, range.start..pipe.at, depth + 1),
        false => RNames::unknown(),
    }
}

/// The value that a pipe gives to the call of a name.
pub fn piped_into(syntax: &RSyntax<'_>, name: usize) -> Option<RNames> {
    let begin = match name.checked_sub(1).and_then(|before| syntax.kind(before)) {
        Some(RTokenKind::Inside) => name.checked_sub(2)?,
        _ => name,
    };
    let end = syntax.before(begin)?;
    let pipe = pipe_that_ends_at(syntax, end)?;
    Some(of(syntax, syntax.statement_start(pipe)..pipe))
}

/// The names in a variable at a place.
fn variable(syntax: &RSyntax<'_>, name: &str, at: usize, depth: usize) -> RNames {
    if depth >= DEEPEST {
        return RNames::unknown();
    }
    if matches!(name, ".x" | "." | "_") && !syntax.given(name).iter().any(|given| given.at < at) {
        return mapped_around(syntax, at, depth);
    }
    let mut scope = syntax.function_around(at);
    loop {
        if let Some(found) = in_scope(syntax, name, at, scope, depth) {
            return found;
        }
        let Some(function) = scope else {
            return RNames::unknown();
        };
        scope = syntax.function_around(syntax.functions[function].at);
    }
}

/// The names in a variable of one function, or of none; `None` where it is another's.
fn in_scope(
    syntax: &RSyntax<'_>,
    name: &str,
    at: usize,
    scope: Option<usize>,
    depth: usize,
) -> Option<RNames> {
    let is_here = |other: usize| syntax.function_around(other) == scope;
    let is_same = is_here(at);
    let given = syntax.given(name).iter().filter(|given| is_here(given.at));
    let last = match is_same {
        true => given.clone().rev().find(|given| {
            let is_its_value = given.value.as_ref().is_some_and(|value| value.contains(&at));
            given.at < at && !is_its_value
        }),
        // Code in a function runs later: what is set once is known.
        false if given.clone().count() > 1 => return Some(RNames::unknown()),
        false => given.clone().next(),
    };
    let looped = syntax.loops.iter().rev();
    let looped = looped
        .filter(|one| one.variable == name && one.body.contains(&at) && is_here(one.at))
        .max_by_key(|one| one.at);
    if let Some(looped) = looped.filter(|looped| last.is_none_or(|last| last.at < looped.at)) {
        return Some(of_range(syntax, looped.values.clone(), depth + 1));
    }
    if let Some(last) = last {
        let value = last.value.clone().filter(|_| !syntax.is_conditional(last.at, at));
        return Some(value.map_or_else(RNames::unknown, |value| of_range(syntax, value, depth + 1)));
    }
    let function = scope?;
    let known = &syntax.functions[function];
    let first = known.names().next();
    known.names().any(|parameter| parameter == name).then(|| {
        let mapped = (known.name.is_none() && first == Some(name)).then(|| mapping_call(syntax, known.at));
        match mapped.flatten() {
            Some(call) => list_of(syntax, call, depth),
            None if known.name.is_some() => RNames {
                parameters: vec![FromParameter {
                    function,
                    name: name.to_owned(),
                    is_quoted: false,
                }],
                ..RNames::nothing()
            },
            None => RNames::unknown(),
        }
    })
}

/// The call that goes through a list, of which a token is in an argument: the token of its name.
fn mapping_call(syntax: &RSyntax<'_>, at: usize) -> Option<usize> {
    let open = syntax
        .bracket_around(at)
        .filter(|open| syntax.is_sign(*open, '('))?;
    let name = open.checked_sub(1)?;
    matches!(syntax.kind(name), Some(RTokenKind::Name(word)) if MAPPING.contains(&word.as_str()))
        .then_some(name)
}

/// `walk(packages, ~ library(.x, character.only = TRUE))`
fn mapped_around(syntax: &RSyntax<'_>, at: usize, depth: usize) -> RNames {
    let mut inner = at;
    for _ in 0..DEEPEST {
        if let Some(call) = mapping_call(syntax, inner) {
            return list_of(syntax, call, depth);
        }
        let Some(open) = syntax.bracket_around(inner) else {
            break;
        };
        inner = open;
    }
    RNames::unknown()
}

/// Whether an argument is the function that a list is gone through with.
pub fn is_function(argument: &CallArgument<'_>) -> bool {
    matches!(argument.name, Some("FUN" | "f" | ".f" | "fun" | ".fun"))
        || matches!(
            argument.tokens.first().map(|token| &token.kind),
            Some(RTokenKind::Sign('~' | '\\'))
        )
        || matches!(argument.tokens.first().map(|token| &token.kind), Some(RTokenKind::Name(word)) if word == "function")
}

/// The list that a call goes through, with the call's name at a token.
fn list_of(syntax: &RSyntax<'_>, name: usize, depth: usize) -> RNames {
    let arguments = arguments(syntax.tokens, name + 1);
    let Some(RTokenKind::Name(word)) = syntax.kind(name) else {
        return RNames::unknown();
    };
    list_argument(word, &arguments, is_function).map_or_else(
        || piped_into(syntax, name).unwrap_or_else(RNames::unknown),
        |list| of_range(syntax, list.range(), depth + 1),
    )
}

/// The argument that is the list of a call which goes through one.
pub fn list_argument<'c, 'a>(
    word: &str,
    arguments: &'c [CallArgument<'a>],
    is_function: impl Fn(&CallArgument<'a>) -> bool,
) -> Option<&'c CallArgument<'a>> {
    let named = arguments
        .iter()
        .find(|one| matches!(one.name, Some("X" | ".x" | "x" | ".l" | ".data")));
    let skipped = usize::from(word.starts_with("par"));
    let mut rest = arguments.iter().filter(|one| one.name.is_none());
    let found = named.or_else(|| {
        let mut rest = rest.by_ref().skip(skipped);
        rest.find(|one| !is_function(one))
    });
    // `packages %>% lapply(., library)`
    found.filter(|one| !matches!(one.single(), Some(RTokenKind::Name(name)) if name == "." || name == "_"))
}
