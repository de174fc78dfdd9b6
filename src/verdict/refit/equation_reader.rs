//! The reader of an equation's sides, token by token.

use std::collections::BTreeMap;

use super::equation::{Equation, Factor, Form, NoEquation, Term};
use super::equation_tokens::{Placed, Token};

/// The names of an intercept, a coefficient or an error in equations.
const SYMBOLS: [&str; 18] = [
    "a",
    "b",
    "c",
    "e",
    "u",
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "error",
    "intercept",
    "const",
    "constant",
    "α",
    "β",
    "γ",
    "ε",
];

/// Indices of rows that equations write after a name.
const INDICES: [&str; 6] = ["_it", "_ij", "_i", "_t", "_j", "_st"];

/// Whether a word is a symbol, with a number or without: `b1`, `beta_2`, `e`.
fn is_symbol(name: &str) -> bool {
    let bare = INDICES
        .iter()
        .find_map(|index| name.strip_suffix(index))
        .unwrap_or(name);
    let head =
        bare.trim_end_matches(|character: char| character.is_numeric() || matches!(character, '_' | '.'));
    SYMBOLS.iter().any(|symbol| symbol.eq_ignore_ascii_case(head))
}

/// Variables that a text defines by one column: `log_wage = log(wage)`.
pub fn definitions<'a>(placed: &[Placed<'a>], is_column: &dyn Fn(&str) -> bool) -> BTreeMap<&'a str, Factor> {
    let token = |at: usize| placed.get(at).map(|one| one.token);
    let at = |at: usize| match [0, 1, 2, 3, 4, 5].map(|step| token(at + step)) {
        [
            Some(Token::Name(name)),
            Some(Token::Sign('=')),
            Some(Token::Name(made)),
            Some(Token::Sign('(')),
            Some(Token::Name(column)),
            Some(Token::Sign(')')),
        ] if !is_column(name) && is_column(column) => {
            let form = function(made)??;
            let column = column.to_owned();
            Some((name, Factor { column, form }))
        }
        _ => None,
    };
    (0..placed.len()).filter_map(at).collect()
}

/// Reads an equation from the mark between its sides on.
pub struct Reader<'a> {
    placed: &'a [Placed<'a>],
    is_column: &'a dyn Fn(&str) -> bool,
    defined: &'a BTreeMap<&'a str, Factor>,
    mark: usize,
    /// The place of the next token.
    pub at: usize,
    pub found: Equation,
}

impl<'a> Reader<'a> {
    /// A reader of the equation around the token `mark`.
    pub fn new(
        placed: &'a [Placed<'a>],
        is_column: &'a dyn Fn(&str) -> bool,
        defined: &'a BTreeMap<&'a str, Factor>,
        mark: usize,
    ) -> Self {
        let found = Equation {
            outcome: Factor {
                column: String::new(),
                form: Form::Number,
            },
            event: None,
            terms: Vec::new(),
            intercept: true,
            groups: None,
            bars: Vec::new(),
            instrumented: None,
            exposure: None,
        };
        Self {
            placed,
            is_column,
            defined,
            mark,
            at: mark,
            found,
        }
    }

    /// Reads both sides; the place in the text where the left one begins.
    ///
    /// # Errors
    /// The part that cannot be read.
    pub fn equation(&mut self) -> Result<usize, NoEquation> {
        let start = self.left()?;
        self.at = self.mark + 1;
        self.found.terms = self.sum()?;
        while self.takes('|') {
            let part = self.sum()?;
            if self.takes('~') {
                self.found.instrumented = Some((part, self.sum()?));
            } else {
                self.found.bars.push(part);
            }
        }
        match self.found.terms.is_empty() && self.found.instrumented.is_none() {
            true => Err(NoEquation::Missing),
            false => Ok(start),
        }
    }

    fn peek(&self) -> Option<Token<'a>> {
        self.placed.get(self.at).map(|one| one.token)
    }

    fn takes(&mut self, sign: char) -> bool {
        let is_next = self.peek() == Some(Token::Sign(sign));
        self.at += usize::from(is_next);
        is_next
    }

    fn expect(&mut self, sign: char) -> Result<(), NoEquation> {
        self.takes(sign).then_some(()).ok_or_else(|| self.unread())
    }

    fn unread(&self) -> NoEquation {
        NoEquation::Unread(match self.peek() {
            Some(Token::Name(text) | Token::Number(text)) => text.to_owned(),
            Some(Token::Sign(sign)) => sign.to_string(),
            None => "its end".to_owned(),
        })
    }

    /// The outcome before the mark: a column, a function of one, or `Surv(time, event)`.
    fn left(&mut self) -> Result<usize, NoEquation> {
        let before = &self.placed[..self.mark];
        let closes = before.last().map(|one| one.token) == Some(Token::Sign(')'));
        let opening = before.iter().rposition(|one| one.token == Token::Sign('('));
        let first = match (closes, opening) {
            (true, Some(opening)) => opening.checked_sub(1).ok_or(NoEquation::Missing)?,
            _ => self.mark.checked_sub(1).ok_or(NoEquation::Missing)?,
        };
        self.at = first;
        let is_survival = matches!(self.peek(), Some(Token::Name(name)) if name.eq_ignore_ascii_case("surv"));
        if is_survival {
            self.at += 1;
            self.expect('(')?;
            self.found.outcome = self.factor()?;
            self.expect(',')?;
            self.found.event = Some(self.factor()?.column);
            self.expect(')')?;
        } else {
            self.found.outcome = self.factor()?;
        }
        match self.at == self.mark {
            true => Ok(self.placed[first].start),
            false => Err(self.unread()),
        }
    }

    /// Terms with plus signs between them.
    fn sum(&mut self) -> Result<Vec<Term>, NoEquation> {
        let mut terms: Vec<Term> = Vec::new();
        loop {
            for term in self.product()? {
                if !terms.contains(&term) {
                    terms.push(term);
                }
            }
            if self.takes('+') {
                continue;
            }
            if self.peek() == Some(Token::Sign('-')) {
                self.at += 1;
                match self.peek() {
                    Some(Token::Number("1")) => self.found.intercept = false,
                    _ => return Err(self.unread()),
                }
                self.at += 1;
                if self.takes('+') {
                    continue;
                }
            }
            if matches!(self.peek(), Some(Token::Sign('^' | '/' | '%' | '…'))) {
                return Err(self.unread());
            }
            return Ok(terms);
        }
    }

    /// One term, or the three of `a * b`; none of an intercept or an error.
    fn product(&mut self) -> Result<Vec<Term>, NoEquation> {
        match self.peek() {
            Some(Token::Number(number)) => {
                self.found.intercept &= number != "0";
                self.at += 1;
                return Ok(Vec::new());
            }
            Some(Token::Sign('(')) => return self.random_intercept(),
            Some(Token::Sign('[')) => return self.bracket(),
            _ => {}
        }
        if self.symbol()? {
            return Ok(Vec::new());
        }
        if self.offset()? {
            return Ok(Vec::new());
        }
        let mut terms = vec![Term {
            factors: vec![self.factor()?],
        }];
        loop {
            let crosses = match self.peek() {
                Some(Token::Sign('*' | '×')) => true,
                Some(Token::Sign(':')) => false,
                _ => return Ok(terms),
            };
            self.at += 1;
            let next = Term {
                factors: vec![self.factor()?],
            };
            let joined = |term: &Term| Term {
                factors: term.factors.iter().chain(&next.factors).cloned().collect(),
            };
            let products: Vec<Term> = terms.iter().map(joined).collect();
            if crosses {
                terms.push(next.clone());
                terms.extend(products);
            } else {
                terms = products;
            }
        }
    }

    /// Passes a coefficient before a column; true if the symbol is a whole term.
    fn symbol(&mut self) -> Result<bool, NoEquation> {
        let Some(Token::Name(name)) = self.peek() else {
            return Ok(false);
        };
        if !is_symbol(name) || self.column(name).is_some() {
            // A column with the name of a symbol may be either.
            let next = self.placed.get(self.at + 1).map(|one| one.token);
            let is_both = is_symbol(name) && matches!(next, Some(Token::Name(_) | Token::Sign('*')));
            return if is_both { Err(self.unread()) } else { Ok(false) };
        }
        let opens = self.placed.get(self.at + 1).map(|one| one.token) == Some(Token::Sign('('));
        if opens && function(name).is_some() {
            return Ok(false);
        }
        self.at += 1;
        let times = matches!(self.peek(), Some(Token::Sign('*' | '·' | '×')));
        self.at += usize::from(times);
        match self.peek() {
            Some(Token::Name(next)) => Ok(!times && self.column(next).is_none() && function(next).is_none()),
            _ if times => Err(self.unread()),
            _ => Ok(true),
        }
    }

    /// `offset(log(column))`.
    fn offset(&mut self) -> Result<bool, NoEquation> {
        let is_offset = matches!(self.peek(), Some(Token::Name(name)) if name.eq_ignore_ascii_case("offset"));
        if !is_offset || self.placed.get(self.at + 1).map(|one| one.token) != Some(Token::Sign('(')) {
            return Ok(false);
        }
        self.at += 2;
        let factor = self.factor()?;
        if factor.form != Form::Log {
            return Err(NoEquation::Unread(format!("offset({})", factor.column)));
        }
        self.expect(')')?;
        self.found.exposure = Some(factor.column);
        Ok(true)
    }

    /// `(1 | group)`.
    fn random_intercept(&mut self) -> Result<Vec<Term>, NoEquation> {
        self.at += 1;
        if self.peek() != Some(Token::Number("1")) {
            return Err(self.unread());
        }
        self.at += 1;
        self.expect('|')?;
        let group = self.factor()?;
        self.expect(')')?;
        match self.found.groups.replace(group.column) {
            None => Ok(Vec::new()),
            Some(first) => Err(NoEquation::Unread(format!("(1 | {first})"))),
        }
    }

    /// `[endogenous ~ instruments]`.
    fn bracket(&mut self) -> Result<Vec<Term>, NoEquation> {
        self.at += 1;
        let endogenous = self.sum()?;
        self.expect('~')?;
        let instruments = self.sum()?;
        self.expect(']')?;
        self.found.instrumented = Some((endogenous, instruments));
        Ok(Vec::new())
    }

    /// A column, or a function of one.
    fn factor(&mut self) -> Result<Factor, NoEquation> {
        let Some(Token::Name(name)) = self.peek() else {
            return Err(self.unread());
        };
        let opens = self.placed.get(self.at + 1).map(|one| one.token) == Some(Token::Sign('('));
        if let Some(column) = self.column(name).filter(|_| !opens) {
            self.at += 1;
            return Ok(Factor {
                column,
                form: Form::Number,
            });
        }
        if let Some(factor) = self.defined.get(name).filter(|_| !opens) {
            self.at += 1;
            return Ok(factor.clone());
        }
        // Stata's `i.region`.
        if let Some(column) = name.strip_prefix("i.").and_then(|name| self.column(name)) {
            self.at += 1;
            return Ok(Factor {
                column,
                form: Form::Factor,
            });
        }
        if !opens {
            return Err(NoEquation::NoColumn(name.to_owned()));
        }
        let form = function(name).ok_or_else(|| NoEquation::Unread(format!("{name}(...)")))?;
        self.at += 2;
        let Some(Token::Name(inner)) = self.peek() else {
            return Err(self.unread());
        };
        let column = self
            .column(inner)
            .ok_or_else(|| NoEquation::NoColumn(inner.to_owned()))?;
        self.at += 1;
        let form = match form {
            Some(form) => form,
            None => self.square()?,
        };
        self.expect(')')?;
        Ok(Factor { column, form })
    }

    /// `^2` or `**2`, inside of R's `I(...)`.
    fn square(&mut self) -> Result<Form, NoEquation> {
        let raised = self.takes('^') || (self.takes('*') && self.takes('*'));
        if !raised || self.peek() != Some(Token::Number("2")) {
            return Err(self.unread());
        }
        self.at += 1;
        Ok(Form::Square)
    }

    /// The column of a name, also of one with an index: `wage_it`.
    fn column(&self, name: &str) -> Option<String> {
        let bare = INDICES.iter().filter_map(|index| name.strip_suffix(index));
        std::iter::once(name)
            .chain(bare)
            .find(|name| (self.is_column)(name))
            .map(ToOwned::to_owned)
    }
}

/// What a function makes of a column; `Some(None)` is R's `I(...)`.
fn function(name: &str) -> Option<Option<Form>> {
    let name = name.rsplit('.').next().unwrap_or(name).to_lowercase();
    Some(Some(match name.as_str() {
        "i" => return Some(None),
        "c" | "factor" => Form::Factor,
        "log" | "ln" => Form::Log,
        "log1p" => Form::Log1p,
        "sqrt" => Form::Sqrt,
        "square" => Form::Square,
        "center" => Form::Center,
        "scale" | "standardize" | "z" => Form::Standardize,
        _ => return None,
    }))
}
