//! The packages that Python and R code uses.

use std::collections::BTreeSet;

use super::code::scanned;
use crate::domain::code_file::{CodeFile, CodeForm, CodeLanguage};
use crate::environment;
use crate::environment::need::MentionForm;
use crate::environment::scripts::findings::ScriptFindings;
use crate::environment::scripts::{self, documents};
use crate::environment::tables::{r_packages, standard_library};

/// Packages by language, as the code names them.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Imports {
    /// Top-level Python modules, the standard library left out.
    pub python: BTreeSet<String>,
    /// R packages, those of every installation left out.
    pub r: BTreeSet<String>,
    /// Files in languages that are not scanned.
    pub unscanned: Vec<String>,
}

/// The oldest Python whose own modules are left out.
const OLDEST: (u32, u32) = (3, 6);

impl Imports {
    /// Scans one file by its extension.
    pub fn scan(&mut self, path: &str, text: &str) {
        let Some(file) = CodeFile::of(path) else {
            return;
        };
        match scanned(file) {
            Some(CodeLanguage::Python) => self.python.extend(python(text)),
            Some(_) if file.form == CodeForm::Document => self.r.extend(r(&chunks(text))),
            Some(_) => self.r.extend(r(text)),
            None => self.unscanned.push(path.to_owned()),
        }
    }
}

/// Top-level modules that Python code imports, relative imports and the standard library left out.
fn python(text: &str) -> BTreeSet<String> {
    let mut findings = ScriptFindings::default();
    scripts::python::read("", text, &mut findings);
    let tops = used(&findings).filter_map(|name| name.split('.').next());
    let is_package = |module: &&str| {
        let span = standard_library::span(module);
        !module.is_empty() && span.is_none_or(|span| span.last.is_some_and(|last| last < OLDEST))
    };
    tops.filter(is_package).map(str::to_owned).collect()
}

/// Packages that R code uses, those of every installation left out.
fn r(text: &str) -> BTreeSet<String> {
    let mut findings = ScriptFindings::default();
    scripts::r::read("", text, &mut findings);
    let names = used(&findings).filter(|package| !r_packages::comes_with_r(package));
    names.map(str::to_owned).collect()
}

/// What code loads or calls; what it installs alone is left out.
fn used(findings: &ScriptFindings) -> impl Iterator<Item = &str> {
    let is_used = |form: MentionForm| !matches!(form, MentionForm::Installs | MentionForm::InstallsElsewhere);
    let mentions = findings
        .mentions
        .iter()
        .filter(move |mention| is_used(mention.form));
    mentions.map(|mention| mention.name.as_str())
}

/// The R code of an R Markdown document.
fn chunks(text: &str) -> String {
    let parts = documents::chunks(text).into_iter();
    let of_r = parts.filter(|part| part.language == environment::language::Language::R);
    of_r.map(|part| part.text).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(found: BTreeSet<String>) -> Vec<String> {
        found.into_iter().collect()
    }

    #[test]
    fn python_imports_in_every_form() {
        let code = r#"
"""A docstring that says
import nothing
"""
import os, numpy as np, pandas.core  # import commented
from sklearn.linear_model import (
    LinearRegression,
)
from . import local
from .sibling import thing
import statsmodels.api as sm; import yaml
try: import pyreadstat
except ImportError: pass
text = "import quoted"
module = importlib.import_module("linearmodels.panel")
    from scipy import stats
"#;
        assert_eq!(
            names(python(code)),
            [
                "linearmodels",
                "numpy",
                "pandas",
                "pyreadstat",
                "scipy",
                "sklearn",
                "statsmodels",
                "yaml"
            ]
        );
    }

    #[test]
    fn r_packages_in_every_form() {
        let code = r#"
library(dplyr) # library(commented)
suppressPackageStartupMessages(require("lme4"))
if (!requireNamespace('haven', quietly = TRUE)) stop("readr::read_csv is not meant")
pacman::p_load(psych, "car", install = FALSE)
groundhog::groundhog.library(c("rio", "lmtest"), "2020-05-01")
for (p in packages) library(p, character.only = TRUE)
library(stats); fit <- lmerTest::lmer(y ~ x); MASS::rlm(y ~ x)
"#;
        assert_eq!(
            names(r(code)),
            [
                "car",
                "dplyr",
                "groundhog",
                "haven",
                "lme4",
                "lmerTest",
                "lmtest",
                "pacman",
                "psych",
                "rio"
            ]
        );
    }

    #[test]
    fn only_the_chunks_of_a_document_count() {
        let mut imports = Imports::default();
        imports.scan(
            "a.Rmd",
            "library(prose)\n```{r setup}\nlibrary(psych)\n```\n```{python}\nimport x\n```\n",
        );
        imports.scan("b.do", "ssc install reghdfe");
        assert_eq!(names(imports.r), ["psych"]);
        assert_eq!(imports.unscanned, ["b.do"]);
    }
}
