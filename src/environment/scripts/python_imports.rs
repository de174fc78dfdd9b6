//! Modules that a Python script imports, with the names that it takes from them, which may be modules as well.

use std::collections::BTreeSet;

use super::python_tokens::{PythonToken, PythonTokenKind, tokens};

/// The dotted names that a text imports: `from scipy import stats` gives `scipy` and `scipy.stats`. Imports of a
/// script's own folder by dots are left out.
pub fn imported(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let tokens = tokens(text);
    let mut rest = tokens.as_slice();
    let mut begins = true;
    while let Some(first) = rest.first() {
        let reader = ImportNames { rest: &rest[1..] };
        match &first.kind {
            PythonTokenKind::Name(word) if begins && word == "import" => reader.import(&mut names),
            PythonTokenKind::Name(word) if begins && word == "from" => reader.from(&mut names),
            _ => {}
        }
        begins = matches!(
            first.kind,
            PythonTokenKind::End | PythonTokenKind::Sign(';' | ':')
        );
        rest = &rest[1..];
    }
    names
}

/// The names that stand behind `import` or `from`.
struct ImportNames<'a> {
    rest: &'a [PythonToken],
}

impl<'a> ImportNames<'a> {
    fn name(&mut self) -> Option<&'a str> {
        match self.rest.first().map(|token| &token.kind) {
            Some(PythonTokenKind::Name(name)) => {
                self.rest = &self.rest[1..];
                Some(name)
            }
            _ => None,
        }
    }

    fn sign(&mut self, sign: char) -> bool {
        let is_it = self
            .rest
            .first()
            .is_some_and(|token| token.kind == PythonTokenKind::Sign(sign));
        if is_it {
            self.rest = &self.rest[1..];
        }
        is_it
    }

    fn word(&mut self, word: &str) -> bool {
        let mut next = Self { rest: self.rest };
        let is_it = next.name() == Some(word);
        if is_it {
            self.rest = next.rest;
        }
        is_it
    }

    /// `a.b.c`; empty where no name stands.
    fn dotted(&mut self) -> String {
        let mut parts: Vec<&str> = self.name().into_iter().collect();
        while !parts.is_empty() && self.sign('.') {
            parts.extend(self.name());
        }
        parts.join(".")
    }

    /// `a.b as c, d`
    fn import(mut self, names: &mut BTreeSet<String>) {
        loop {
            let dotted = self.dotted();
            if dotted.is_empty() {
                return;
            }
            names.insert(dotted);
            if self.word("as") {
                self.name();
            }
            if !self.sign(',') {
                return;
            }
        }
    }

    /// `a.b import c as d, e`, in brackets or not
    fn from(mut self, names: &mut BTreeSet<String>) {
        let module = self.dotted();
        if module.is_empty() || !self.word("import") {
            return;
        }
        self.sign('(');
        while let Some(part) = self.name() {
            names.insert(format!("{module}.{part}"));
            if self.word("as") {
                self.name();
            }
            if !self.sign(',') {
                break;
            }
        }
        names.insert(module);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_that_may_be_a_module_is_told() {
        let text = "\
import numpy as np, os.path, pandas
from scipy import stats, optimize as opt
from sklearn.linear_model import (
    LinearRegression,  # a comment
    Lasso as L,
)
from . import local
from .other import local
from x import *
text = 'import quoted'; import nltk
if True: import late
def f():
    from deep.er import one \\
        , two
yield_from = importer
x.import_module('y')
";
        let expected = [
            "deep.er",
            "deep.er.one",
            "deep.er.two",
            "late",
            "nltk",
            "numpy",
            "os.path",
            "pandas",
            "scipy",
            "scipy.optimize",
            "scipy.stats",
            "sklearn.linear_model",
            "sklearn.linear_model.Lasso",
            "sklearn.linear_model.LinearRegression",
            "x",
        ];
        assert_eq!(Vec::from_iter(imported(text)), expected);
        for odd in [
            "",
            "import",
            "from",
            "from x",
            "from x import",
            "import ,a",
            "from x.",
            "import a.",
        ] {
            let names = imported(odd);
            assert!(
                names.iter().all(|name| !name.contains(char::is_whitespace)),
                "{odd}: {names:?}"
            );
        }
        assert!(imported("import").is_empty() && imported("from x").is_empty());
    }
}
