//! The packages that Python and R code uses.

use std::collections::BTreeSet;

use super::code::{Language, language, strip_python, strip_r};

use crate::domain::lazy_regex::LazyRegex;

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

/// Modules of Python's standard library, 3.6 to 3.14.
const STANDARD_LIBRARY: &str = " __future__ _thread abc aifc annotationlib antigravity argparse array ast asynchat asyncio asyncore atexit \
audioop base64 bdb binascii bisect builtins bz2 cProfile calendar cgi cgitb chunk cmath cmd code codecs codeop \
collections colorsys compileall compression concurrent configparser contextlib contextvars copy copyreg crypt csv ctypes curses \
dataclasses datetime dbm decimal difflib dis distutils doctest email encodings ensurepip enum errno \
faulthandler fcntl filecmp fileinput fnmatch formatter fractions ftplib functools gc genericpath getopt getpass \
gettext glob graphlib grp gzip hashlib heapq hmac html http idlelib imaplib imghdr imp importlib inspect io \
ipaddress itertools json keyword lib2to3 linecache locale logging lzma mailbox mailcap marshal math mimetypes \
mmap modulefinder msilib msvcrt multiprocessing netrc nis nntplib nt ntpath nturl2path numbers opcode operator \
optparse os ossaudiodev parser pathlib pdb pickle pickletools pipes pkgutil platform plistlib poplib posix \
posixpath pprint profile pstats pty pwd py_compile pyclbr pydoc pydoc_data pyexpat queue quopri random re \
readline reprlib resource rlcompleter runpy sched secrets select selectors shelve shlex shutil signal site \
smtpd smtplib sndhdr socket socketserver spwd sqlite3 sre_compile sre_constants sre_parse ssl stat statistics \
string stringprep struct subprocess sunau symbol symtable sys sysconfig syslog tabnanny tarfile telnetlib \
tempfile termios textwrap this threading time timeit tkinter token tokenize tomllib trace traceback tracemalloc \
tty turtle turtledemo types typing unicodedata unittest urllib uu uuid venv warnings wave weakref webbrowser \
winreg winsound wsgiref xdrlib xml xmlrpc zipapp zipfile zipimport zlib zoneinfo ";

/// Packages that come with R: base and recommended.
const WITH_R: &str = " base boot class cluster codetools compiler datasets foreign graphics grDevices grid KernSmooth \
lattice MASS Matrix methods mgcv nlme nnet parallel rpart spatial splines stats stats4 survival tcltk tools utils ";

struct Patterns {
    import: LazyRegex,
    from: LazyRegex,
    dynamic: LazyRegex,
    library: LazyRegex,
    load_all: LazyRegex,
    quoted_or_bare: LazyRegex,
    qualified: LazyRegex,
}

static PATTERNS: Patterns = Patterns {
    import: LazyRegex::new(
        r"(?m)(?:^|[;:])[ \t]*import[ \t]+([\w.]+(?:[ \t]+as[ \t]+\w+)?(?:[ \t]*,[ \t]*[\w.]+(?:[ \t]+as[ \t]+\w+)?)*)",
    ),
    from: LazyRegex::new(r"(?m)(?:^|[;:])[ \t]*from[ \t]+(\w[\w.]*)[ \t]+import\b"),
    dynamic: LazyRegex::new(r#"(?:import_module|__import__)\(\s*["'](\w[\w.]*)"#),
    library: LazyRegex::new(
        r#"\b(?:library|require|requireNamespace|loadNamespace|attachNamespace)\s*\(\s*(?:package\s*=\s*)?["']?([A-Za-z][\w.]*)["']?\s*(\)|,)"#,
    ),
    load_all: LazyRegex::new(r"\b(?:p_load|groundhog\.library)\s*\(([^()]*(?:\([^()]*\))?[^()]*)\)"),
    quoted_or_bare: LazyRegex::new(r#"["']([A-Za-z][\w.]*)["']|(?:^|[(,])\s*([A-Za-z][\w.]*)\s*(?:$|[,)])"#),
    qualified: LazyRegex::new(r"([A-Za-z][\w.]*):::?[A-Za-z.`]"),
};

impl Imports {
    /// Scans one file by its extension.
    pub fn scan(&mut self, path: &str, text: &str) {
        match language(path) {
            Language::Python => self.python.extend(python(text)),
            Language::R => self.r.extend(r(text)),
            Language::RMarkdown => self.r.extend(r(&chunks(text))),
            Language::Unscanned => self.unscanned.push(path.to_owned()),
            Language::NotCode => {}
        }
    }
}

/// Top-level modules that Python code imports, relative imports and the
/// standard library left out.
pub fn python(text: &str) -> BTreeSet<String> {
    let patterns = &PATTERNS;
    let code = strip_python(text);
    let mut found = BTreeSet::new();
    for import in patterns.import.captures_iter(&code.without_strings) {
        for module in import[1].split(',') {
            found.extend(module.split_whitespace().next().map(top));
        }
    }
    found.extend(
        patterns
            .from
            .captures_iter(&code.without_strings)
            .map(|from| top(&from[1])),
    );
    found.extend(
        patterns
            .dynamic
            .captures_iter(&code.without_comments)
            .map(|from| top(&from[1])),
    );
    found.retain(|module| !module.is_empty() && !contains(STANDARD_LIBRARY, module));
    found
}

/// Packages that R code uses, those of every installation left out.
pub fn r(text: &str) -> BTreeSet<String> {
    let patterns = &PATTERNS;
    let code = strip_r(text);
    let mut found = BTreeSet::new();
    for call in patterns.library.captures_iter(&code.without_comments) {
        let after = code
            .without_comments
            .get(call.get(0).map_or(0, |whole| whole.end())..);
        let rest: String = after.unwrap_or_default().chars().take(200).collect();
        // With `character.only` the name is a variable, unless it is quoted.
        let is_variable = call[0].ends_with(',')
            && !call[0].contains(['"', '\''])
            && rest
                .split(')')
                .next()
                .is_some_and(|rest| rest.contains("character.only"));
        if !is_variable {
            found.insert(call[1].to_owned());
        }
    }
    for call in patterns.load_all.captures_iter(&code.without_comments) {
        // Dates and options of these calls are no packages.
        for argument in call[1].split(',').filter(|argument| !argument.contains('=')) {
            let names = patterns.quoted_or_bare.captures_iter(argument);
            found.extend(
                names.filter_map(|name| name.get(1).or(name.get(2)).map(|name| name.as_str().to_owned())),
            );
        }
    }
    let qualified = patterns.qualified.captures_iter(&code.without_strings);
    found.extend(qualified.map(|package| package[1].to_owned()));
    found.retain(|package| !contains(WITH_R, package) && !matches!(package.as_str(), "c" | "TRUE" | "FALSE"));
    found
}

/// The R code of an R Markdown document.
fn chunks(text: &str) -> String {
    let mut code = String::new();
    let mut inside = false;
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("```") {
            inside = !inside
                && trimmed
                    .trim_start_matches('`')
                    .trim_start()
                    .to_lowercase()
                    .starts_with("{r");
        } else if inside {
            code.push_str(line);
            code.push('\n');
        }
    }
    code
}

fn top(module: &str) -> String {
    module.split('.').next().unwrap_or_default().to_owned()
}

fn contains(list: &str, name: &str) -> bool {
    list.contains(&format!(" {name} "))
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
