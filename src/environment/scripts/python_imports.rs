//! Modules that a Python script imports, with the names that it takes from them, which may be modules as well.

use std::collections::BTreeSet;

use super::import_statement::{ImportStatement, name, taken_names};
use super::python_tokens::{PythonToken, PythonTokenKind, tokens};

/// The dotted names that a text imports: `from scipy import stats` gives `scipy` and `scipy.stats`. Imports of a
/// script's own folder by dots are left out.
pub fn imported(text: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let tokens = tokens(text);
    let mut begins = true;
    for (at, token) in tokens.iter().enumerate() {
        let statement = &tokens[at..];
        match name(Some(token)).filter(|_| begins) {
            Some("import") => {
                let modules = ImportStatement::import(statement).modules.into_iter();
                names.extend(modules.map(|module| module.name));
            }
            Some("from") => from(statement, &mut names),
            _ => {}
        }
        begins = matches!(
            token.kind,
            PythonTokenKind::End | PythonTokenKind::Sign(';' | ':')
        );
    }
    names
}

fn from(tokens: &[PythonToken], names: &mut BTreeSet<String>) {
    let Some(statement) = ImportStatement::from(tokens) else {
        return;
    };
    let taken = taken_names(&tokens[statement.length..]);
    for module in statement.modules {
        names.extend(taken.iter().map(|part| format!("{}.{part}", module.name)));
        names.insert(module.name);
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
