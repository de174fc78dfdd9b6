//! Calls in R's tokens.

use std::ops::Range;

use super::r_tokens::{RToken, RTokenKind};

/// Tokens of one call at most.
const MOST: usize = 20_000;

/// An argument of a call.
#[derive(Debug)]
pub struct CallArgument<'a> {
    pub name: Option<&'a str>,
    pub tokens: &'a [RToken],
    /// The first of its tokens among those of the text.
    pub at: usize,
}

impl<'a> CallArgument<'a> {
    /// The place of its tokens among those of the text.
    pub fn range(&self) -> Range<usize> {
        self.at..self.at + self.tokens.len()
    }

    /// The argument's only token, if it has one.
    pub fn single(&self) -> Option<&'a RTokenKind> {
        let mut kinds = self.tokens.iter().map(|token| &token.kind);
        let first = kinds.find(|kind| **kind != RTokenKind::LineEnd)?;
        kinds.all(|kind| *kind == RTokenKind::LineEnd).then_some(first)
    }

    /// The texts in it: of `"a"`, of `c("a", "b")`.
    pub fn texts(&self) -> Vec<&'a str> {
        texts(self.tokens)
    }

    /// Names that stand alone in it, as in `c(a, b)`.
    pub fn bare_names(&self) -> Vec<&'a str> {
        let tokens = self.tokens;
        let names = tokens
            .iter()
            .enumerate()
            .filter_map(|(at, token)| match &token.kind {
                RTokenKind::Name(name) if !is_open(tokens.get(at + 1)) => Some(name.as_str()),
                _ => None,
            });
        names.collect()
    }
}

fn is_open(token: Option<&RToken>) -> bool {
    token.is_some_and(|token| token.kind == RTokenKind::Sign('('))
}

/// The texts among some tokens.
pub fn texts(tokens: &[RToken]) -> Vec<&str> {
    let texts = tokens.iter().filter_map(|token| match &token.kind {
        RTokenKind::Text(text) => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}

/// The arguments of the call whose opening bracket stands at `open`; empty where there is none.
pub fn arguments(tokens: &[RToken], open: usize) -> Vec<CallArgument<'_>> {
    if !is_open(tokens.get(open)) {
        return Vec::new();
    }
    let mut found = Vec::new();
    let mut depth = 0_usize;
    let mut begins = open + 1;
    for (at, token) in tokens.iter().enumerate().skip(open).take(MOST) {
        match token.kind {
            RTokenKind::Sign('(' | '[' | '{') => depth += 1,
            RTokenKind::Sign(')' | ']' | '}') => depth = depth.saturating_sub(1),
            _ => {}
        }
        let ends = depth == 0;
        if ends || (depth == 1 && token.kind == RTokenKind::Sign(',')) {
            found.push(argument(tokens, begins, at));
            begins = at + 1;
        }
        if ends {
            break;
        }
    }
    found
}

fn argument(all: &[RToken], begins: usize, ends: usize) -> CallArgument<'_> {
    let tokens = &all[begins..ends];
    let begin = tokens.iter().position(|token| token.kind != RTokenKind::LineEnd);
    let begin = begin.unwrap_or(tokens.len());
    let tokens = &tokens[begin..];
    match tokens {
        [
            RToken {
                kind: RTokenKind::Name(name),
                ..
            },
            RToken {
                kind: RTokenKind::Assign,
                ..
            },
            rest @ ..,
        ] => CallArgument {
            name: Some(name),
            tokens: rest,
            at: begins + begin + 2,
        },
        _ => CallArgument {
            name: None,
            tokens,
            at: begins + begin,
        },
    }
}
