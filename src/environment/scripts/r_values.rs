//! The names that an expression of R holds: literals, `c()`, and variables that are set once to them.

use std::ops::Range;

use super::r_calls::{CallArgument, arguments};
use super::r_syntax::{RLoop, RSyntax};
use super::r_tokens::{RToken, RTokenKind};

/// Functions whose value has the names of all their arguments.
const JOINING: [&str; 2] = ["c", "list"];
/// Expressions inside one another: a text in a list in a variable that a loop goes through.
const DEEPEST: usize = 4;
/// Names of one value at most.
const MOST_NAMES: usize = 2_000;

/// The names in a value.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RNames {
    pub names: Vec<String>,
    /// Whether there is nothing in it but these.
    pub is_whole: bool,
}

impl RNames {
    /// A value of which nothing is known.
    pub fn unknown() -> Self {
        Self::default()
    }

    fn of(names: Vec<String>) -> Self {
        Self {
            names,
            is_whole: true,
        }
    }

    fn and(mut self, other: Self) -> Self {
        self.names.extend(other.names);
        self.is_whole &= other.is_whole;
        self
    }
}

/// The names in an argument.
pub fn of_argument(syntax: &RSyntax<'_>, argument: &CallArgument<'_>) -> RNames {
    of_range(syntax, argument.range(), 0)
}

/// The names in the value of some tokens.
pub fn of(syntax: &RSyntax<'_>, range: Range<usize>) -> RNames {
    of_range(syntax, range, 0)
}

fn of_range(syntax: &RSyntax<'_>, range: Range<usize>, depth: usize) -> RNames {
    let is_token = |at: &usize| syntax.kind(*at) != Some(&RTokenKind::LineEnd);
    let (first, last) = (range.clone().find(is_token), range.rev().find(is_token));
    let (Some(start), Some(last), true) = (first, last, depth < DEEPEST) else {
        return RNames::unknown();
    };
    match &syntax.tokens[start..=last] {
        [
            RToken {
                kind: RTokenKind::Text(text),
                ..
            },
        ] => RNames::of(vec![text.clone()]),
        [
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
        ] if name == "NULL" => RNames::of(Vec::new()),
        [
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
        ] => variable(syntax, name, start, depth),
        [
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
            ..,
        ] if JOINING.contains(&name.as_str()) && syntax.closed(start + 1, '(') == Some(last) => {
            let mut joined = RNames::of(Vec::new());
            for part in arguments(syntax.tokens, start + 1) {
                if joined.names.len() > MOST_NAMES {
                    return RNames::unknown();
                }
                if !part.tokens.is_empty() {
                    joined = joined.and(of_range(syntax, part.range(), depth + 1));
                }
            }
            joined
        }
        _ => RNames::unknown(),
    }
}

/// The names in a variable: of the list that a loop goes through at the place, else of what it is set to once.
fn variable(syntax: &RSyntax<'_>, name: &str, at: usize, depth: usize) -> RNames {
    let is_of = |one: &&RLoop<'_>| one.variable == name;
    let mut around = syntax.loops.iter().rev().filter(is_of);
    if let Some(looped) = around.find(|one| one.body.contains(&at)) {
        return of_range(syntax, looped.values.clone(), depth + 1);
    }
    let is_parameter = syntax.is_parameter(name, at);
    let is_looped = syntax.loops.iter().any(|one| is_of(&one));
    match syntax.given(name) {
        [once] if !is_parameter && !is_looped => once
            .clone()
            .map_or_else(RNames::unknown, |value| of_range(syntax, value, depth + 1)),
        _ => RNames::unknown(),
    }
}
