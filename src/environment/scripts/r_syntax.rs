//! The structure of R's tokens: brackets, functions, loops and what variables are given.

use std::collections::HashMap;
use std::ops::Range;

use super::r_calls::{CallArgument, arguments};
use super::r_tokens::{RToken, RTokenKind};

/// Functions, and loops, of one text at most.
const MOST: usize = 10_000;
/// Assignments of one variable that are kept: one that is set more than once is not followed.
const MOST_ASSIGNMENTS: usize = 2;
/// Tokens of one statement at most.
const LONGEST: usize = 20_000;

/// A function as it is written.
#[derive(Debug)]
struct RFunction<'a> {
    parameters: Vec<&'a str>,
    body: Range<usize>,
}

/// The name of a parameter, with a default or without.
fn parameter_name<'a>(parameter: &CallArgument<'a>) -> Option<&'a str> {
    let alone = match parameter.single() {
        Some(RTokenKind::Name(name)) => Some(name.as_str()),
        _ => None,
    };
    parameter.name.or(alone)
}

/// A `for` loop.
#[derive(Debug)]
pub struct RLoop<'a> {
    pub variable: &'a str,
    pub values: Range<usize>,
    pub body: Range<usize>,
}

/// The structure of a text.
#[derive(Debug)]
pub struct RSyntax<'a> {
    pub tokens: &'a [RToken],
    /// The other bracket of each bracket.
    partners: Vec<Option<usize>>,
    /// The innermost bracket that is open at each token.
    inside: Vec<Option<usize>>,
    functions: Vec<RFunction<'a>>,
    pub loops: Vec<RLoop<'a>>,
    /// What each variable is set to; `None` where a part of it is set, as in `x[2] <- "a"`.
    assignments: HashMap<&'a str, Vec<Option<Range<usize>>>>,
}

impl<'a> RSyntax<'a> {
    /// Finds the structure of tokens.
    pub fn new(tokens: &'a [RToken]) -> Self {
        let mut syntax = Self {
            tokens,
            partners: vec![None; tokens.len()],
            inside: vec![None; tokens.len()],
            functions: Vec::new(),
            loops: Vec::new(),
            assignments: HashMap::new(),
        };
        syntax.brackets();
        for at in 0..tokens.len() {
            syntax.note(at);
        }
        syntax
    }

    fn brackets(&mut self) {
        let mut open = Vec::new();
        for (at, token) in self.tokens.iter().enumerate() {
            self.inside[at] = open.last().copied();
            match token.kind {
                RTokenKind::Sign('(' | '[' | '{') => open.push(at),
                RTokenKind::Sign(')' | ']' | '}') => {
                    if let Some(opened) = open.pop() {
                        self.inside[at] = open.last().copied();
                        self.partners[opened] = Some(at);
                        self.partners[at] = Some(opened);
                    }
                }
                _ => {}
            }
        }
    }

    fn note(&mut self, at: usize) {
        match self.kind(at) {
            Some(RTokenKind::Name(word)) if word == "function" => self.function(at),
            Some(RTokenKind::Sign('\\')) => self.function(at),
            Some(RTokenKind::Name(word)) if word == "for" => self.a_loop(at),
            Some(RTokenKind::Assign) => self.assignment(at),
            // `->`
            Some(RTokenKind::Sign('>')) if self.is_sign(at.wrapping_sub(1), '-') => self.right_assignment(at),
            _ => {}
        }
    }

    fn function(&mut self, at: usize) {
        let Some(close) = self.closed(at + 1, '(').filter(|_| self.functions.len() < MOST) else {
            return;
        };
        let parameters = arguments(self.tokens, at + 1);
        self.functions.push(RFunction {
            parameters: parameters.iter().filter_map(parameter_name).collect(),
            body: close + 1..self.statement_end(close + 1),
        });
    }

    fn a_loop(&mut self, at: usize) {
        let Some(close) = self.closed(at + 1, '(').filter(|_| self.loops.len() < MOST) else {
            return;
        };
        let Some(
            [
                RToken {
                    kind: RTokenKind::Name(variable),
                    ..
                },
                RToken {
                    kind: RTokenKind::Name(word),
                    ..
                },
            ],
        ) = self.tokens.get(at + 2..at + 4)
        else {
            return;
        };
        if word == "in" && close >= at + 4 {
            self.loops.push(RLoop {
                variable,
                values: at + 4..close,
                body: close + 1..self.statement_end(close + 1),
            });
        }
    }

    fn assignment(&mut self, at: usize) {
        let Some(before) = at.checked_sub(1) else { return };
        match self.kind(before) {
            Some(RTokenKind::Name(name)) if !self.is_argument(before) && !self.is_part(before) => {
                let value = at + 1..self.statement_end(at + 1);
                self.give(name, Some(value));
            }
            // `x[2] <- "a"`, `x$y <- 1`: the whole is no longer known.
            Some(RTokenKind::Sign(']')) => self.give_part(before),
            _ => {}
        }
    }

    /// `x[["a"]] <- 1`: the name before the outermost bracket.
    fn give_part(&mut self, close: usize) {
        let open = self.partners[close];
        let name = open.and_then(|open| open.checked_sub(1));
        if let Some(at) = name
            && let Some(RTokenKind::Name(name)) = self.kind(at)
        {
            self.give(name, None);
        }
    }

    fn right_assignment(&mut self, at: usize) {
        let name = match self.is_sign(at + 1, '>') {
            true => at + 2,
            false => at + 1,
        };
        if let Some(RTokenKind::Name(variable)) = self.kind(name) {
            let value = self.statement_start(at - 1)..at - 1;
            self.give(variable, Some(value));
        }
    }

    fn give(&mut self, name: &'a str, value: Option<Range<usize>>) {
        let given = self.assignments.entry(name).or_default();
        if given.len() < MOST_ASSIGNMENTS {
            given.push(value);
        }
    }

    /// Whether a name before `=` is that of an argument.
    fn is_argument(&self, at: usize) -> bool {
        let is_call = self.inside[at].is_some_and(|open| self.is_sign(open, '('));
        let before = self.before(at);
        is_call && before.is_some_and(|before| self.is_sign(before, '(') || self.is_sign(before, ','))
    }

    /// Whether a name is that of a part, as in `x$name`.
    fn is_part(&self, at: usize) -> bool {
        at.checked_sub(1)
            .is_some_and(|before| self.is_sign(before, '$') || self.is_sign(before, '@'))
    }

    /// What a variable is set to, the first two times.
    pub fn given(&self, variable: &str) -> &[Option<Range<usize>>] {
        self.assignments.get(variable).map_or(&[], Vec::as_slice)
    }

    /// A token's kind.
    pub fn kind(&self, at: usize) -> Option<&'a RTokenKind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    /// Whether a token is a sign.
    pub fn is_sign(&self, at: usize, sign: char) -> bool {
        self.kind(at) == Some(&RTokenKind::Sign(sign))
    }

    fn is_word(&self, at: usize, words: &[&str]) -> bool {
        matches!(self.kind(at), Some(RTokenKind::Name(name)) if words.contains(&name.as_str()))
    }

    /// The closing bracket of an opening one of this kind.
    pub fn closed(&self, open: usize, sign: char) -> Option<usize> {
        self.partners
            .get(open)
            .copied()
            .flatten()
            .filter(|_| self.is_sign(open, sign))
    }

    /// The opening bracket of a closing one.
    fn opened(&self, close: usize) -> Option<usize> {
        self.partners
            .get(close)
            .copied()
            .flatten()
            .filter(|open| *open < close)
    }

    /// Whether a name is a parameter of a function around a token.
    pub fn is_parameter(&self, name: &str, at: usize) -> bool {
        let mut functions = self.functions.iter();
        functions.any(|one| one.body.contains(&at) && one.parameters.contains(&name))
    }

    /// The token before, line ends left out.
    fn before(&self, at: usize) -> Option<usize> {
        (0..at)
            .rev()
            .find(|at| self.kind(*at) != Some(&RTokenKind::LineEnd))
    }

    /// Whether a closing bracket ends the head of `if`, `for`, `while` or `function`.
    fn is_head(&self, close: usize) -> bool {
        let head = self.opened(close).filter(|open| self.is_sign(*open, '('));
        let word = head.and_then(|open| open.checked_sub(1));
        word.is_some_and(|word| {
            self.is_word(word, &["if", "for", "while", "function"]) || self.is_sign(word, '\\')
        })
    }

    /// The end of the statement that begins at a token.
    fn statement_end(&self, start: usize) -> usize {
        let mut at = start;
        let most = self.tokens.len().min(start.saturating_add(LONGEST));
        let mut is_empty = true;
        while at < most {
            match &self.tokens[at].kind {
                RTokenKind::LineEnd if is_empty || self.goes_on(at) => {}
                RTokenKind::LineEnd | RTokenKind::Sign(';' | ',' | ')' | ']' | '}') => return at,
                RTokenKind::Sign('(' | '[' | '{') => {
                    is_empty = false;
                    at = self.partners[at].unwrap_or(most);
                }
                _ => is_empty = false,
            }
            at += 1;
        }
        at.min(self.tokens.len())
    }

    /// Whether a statement goes on behind a line's end.
    fn goes_on(&self, line_end: usize) -> bool {
        let Some(before) = self.before(line_end) else {
            return false;
        };
        let behind = (line_end..self.tokens.len()).find(|at| self.kind(*at) != Some(&RTokenKind::LineEnd));
        // Between brackets of a call a line's end ends nothing.
        let is_in_call = self.inside[line_end].is_some_and(|open| !self.is_sign(open, '{'));
        let has_operator = match &self.tokens[before].kind {
            RTokenKind::Sign(')') => self.is_head(before),
            RTokenKind::Sign(']' | '}' | ';') => false,
            RTokenKind::Sign(_) | RTokenKind::Assign | RTokenKind::Inside => true,
            _ => self.is_word(before, &["else", "repeat"]),
        };
        is_in_call || has_operator || behind.is_some_and(|at| self.is_word(at, &["else"]))
    }

    /// The begin of the statement that ends before a token.
    fn statement_start(&self, end: usize) -> usize {
        let mut at = end;
        let least = end.saturating_sub(LONGEST);
        while at > least {
            let before = at - 1;
            match &self.tokens[before].kind {
                RTokenKind::LineEnd if self.goes_on(before) => {}
                RTokenKind::LineEnd | RTokenKind::Assign | RTokenKind::Sign(';' | ',' | '(' | '[' | '{') => {
                    break;
                }
                RTokenKind::Sign(')') if self.is_head(before) => break,
                RTokenKind::Sign(')' | ']' | '}') => {
                    at = self.opened(before).unwrap_or(before);
                    continue;
                }
                _ => {}
            }
            at = before;
        }
        at
    }
}
