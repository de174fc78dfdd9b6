//! Imports of a Python script.

use super::super::evidence::{Evidence, EvidenceKind};
use super::super::language::Language;
use super::super::need::MentionForm;
use super::findings::{ScriptFindings, place};
use super::import_statement::{ImportStatement, is_sign, name};
use super::installs;
use super::python_tokens::{PythonToken, PythonTokenKind, tokens};

/// Words that open a block in which an import may fail.
const TRYING: [&str; 2] = ["try", "except"];

/// Reads the imports of a text.
pub fn read(file: &str, text: &str, findings: &mut ScriptFindings) {
    let tokens = tokens(text);
    let mut reader = ImportReader {
        file,
        findings,
        blocks: Vec::new(),
        has_told_python_2: false,
        has_told_python_3: false,
    };
    let mut at = 0;
    let mut before = Some(&PythonTokenKind::End);
    while let Some(token) = tokens.get(at) {
        let begins_line = before == Some(&PythonTokenKind::End);
        // What stands behind `try:` on its line is a statement as well.
        let begins = begins_line || matches!(before, Some(PythonTokenKind::Sign(';' | ':')));
        let used = match begins {
            true => reader.statement(&tokens[at..], begins_line),
            false => 0,
        };
        if used == 0 {
            reader.inside(&tokens[at..]);
        }
        before = Some(&token.kind).filter(|_| used == 0);
        at += used.max(1);
    }
}

struct Block {
    indent: usize,
    is_trying: bool,
}

struct ImportReader<'a> {
    file: &'a str,
    findings: &'a mut ScriptFindings,
    blocks: Vec<Block>,
    has_told_python_2: bool,
    has_told_python_3: bool,
}

impl ImportReader<'_> {
    /// Reads a statement; how many tokens it took, 0 of one that is no import.
    fn statement(&mut self, tokens: &[PythonToken], begins_line: bool) -> usize {
        let Some(first) = tokens.first() else { return 0 };
        while begins_line
            && self
                .blocks
                .last()
                .is_some_and(|block| block.indent >= first.indent)
        {
            self.blocks.pop();
        }
        let Some(word) = name(Some(first)) else { return 0 };
        match word {
            "import" => self.import(tokens),
            "from" => self.from(tokens),
            "print" => {
                self.print(tokens);
                0
            }
            word if is_block(word) => {
                self.blocks.push(Block {
                    indent: first.indent,
                    is_trying: TRYING.contains(&word),
                });
                0
            }
            _ => 0,
        }
    }

    fn form(&self) -> MentionForm {
        match self.blocks.iter().any(|block| block.is_trying) {
            true => MentionForm::Tries,
            false => MentionForm::Loads,
        }
    }

    fn mention(&mut self, module: &str, line: usize) {
        let form = self.form();
        self.findings
            .mention(Language::Python, module, form, place(self.file, line));
    }

    fn import(&mut self, tokens: &[PythonToken]) -> usize {
        let statement = ImportStatement::import(tokens);
        for module in &statement.modules {
            self.mention(&module.name, module.line);
        }
        statement.length
    }

    /// Those that begin with a dot lead to files of the folder.
    fn from(&mut self, tokens: &[PythonToken]) -> usize {
        let Some(statement) = ImportStatement::from(tokens) else {
            return 0;
        };
        for module in statement
            .modules
            .iter()
            .filter(|module| module.name != "__future__")
        {
            // A distribution can hold one part of a shared name: `from google import protobuf`.
            let part = name(tokens.get(statement.length)).filter(|_| module.name == "google");
            let whole = part.map_or_else(|| module.name.clone(), |part| format!("google.{part}"));
            self.mention(&whole, module.line);
        }
        statement.length
    }

    fn print(&mut self, tokens: &[PythonToken]) {
        let is_statement = matches!(
            tokens.get(1).map(|token| &token.kind),
            Some(PythonTokenKind::Text { .. } | PythonTokenKind::Name(_))
        );
        let is_operator = matches!(name(tokens.get(1)), Some("in" | "is" | "and" | "or" | "if"));
        if is_statement && !is_operator && !self.has_told_python_2 {
            self.has_told_python_2 = true;
            let says = "`print` stands as a statement, which only Python 2 has.";
            let evidence = Evidence::new(EvidenceKind::Syntax, self.file, says);
            let evidence = evidence.at(tokens[0].line).naming(Language::Python, "2.7");
            self.findings.evidence.push(evidence);
        }
    }

    /// What is told inside of statements: modules that are loaded by a function, and syntax.
    fn inside(&mut self, tokens: &[PythonToken]) {
        let line = tokens[0].line;
        match &tokens[0].kind {
            PythonTokenKind::Name(word) if matches!(word.as_str(), "import_module" | "__import__") => {
                let text = tokens.get(2).map(|token| &token.kind);
                if let (true, Some(PythonTokenKind::Text { content, .. })) =
                    (is_sign(tokens.get(1), '('), text)
                {
                    let is_module = !content.is_empty()
                        && content.chars().all(|c| c.is_alphanumeric() || "_.".contains(c));
                    if is_module && !content.starts_with('.') {
                        self.mention(content, line);
                    }
                }
            }
            PythonTokenKind::Name(_) => {
                for install in installs::of_call(tokens) {
                    installs::take(&place(self.file, line), &install, self.findings);
                }
            }
            PythonTokenKind::Text { formatted: true, .. } => self.least("3.6", "an f-string", line),
            _ => {}
        }
    }

    fn least(&mut self, version: &str, what: &str, line: usize) {
        if std::mem::replace(&mut self.has_told_python_3, true) {
            return;
        }
        let says = format!("It holds {what}, which Python has since {version}.");
        let evidence = Evidence::new(EvidenceKind::Syntax, self.file, says).at(line);
        let evidence = evidence.naming(Language::Python, &format!(">={version}"));
        self.findings.evidence.push(evidence);
    }
}

fn is_block(word: &str) -> bool {
    matches!(
        word,
        "try"
            | "except"
            | "finally"
            | "if"
            | "elif"
            | "else"
            | "for"
            | "while"
            | "with"
            | "def"
            | "class"
            | "async"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut findings = ScriptFindings::default();
        read("a.py", text, &mut findings);
        let mentions = findings.mentions.iter();
        mentions
            .map(|mention| {
                let mark = if mention.form == MentionForm::Tries {
                    "?"
                } else {
                    ""
                };
                format!("{}:{}{mark}", mention.place.line, mention.name)
            })
            .collect()
    }

    #[test]
    fn imports_are_statements_and_nothing_else() {
        let text = r#"# import commented
"""A docstring
import quoted
"""
import numpy as np, os.path, pandas
from sklearn.linear_model import (
    LinearRegression,
    Lasso)
from . import local
from .other import local
from __future__ import division
text = 'import inside'; import scipy
if True: import nltk
x = {"import": 1, 'a': importer}
import a.b \
    , c
s = "not \" import ended"
important = 1
raise ValueError from error
r'''
import raw
'''
"#;
        assert_eq!(
            found(text),
            [
                "5:numpy",
                "5:os.path",
                "5:pandas",
                "6:sklearn.linear_model",
                "12:scipy",
                "13:nltk",
                "15:a.b",
                "16:c"
            ]
        );
    }

    #[test]
    fn what_may_fail_is_marked_and_functions_are_followed() {
        let text = "try:\n    import cPickle as pickle\nexcept ImportError:\n    import pickle\nimport json\n\
                    m = importlib.import_module(\"statsmodels.api\")\n__import__(name)\n__import__('six')\n\
                    try: import lxml\nexcept: pass\nimport bs4\n";
        assert_eq!(
            found(text),
            [
                "2:cPickle?",
                "4:pickle?",
                "5:json",
                "6:statsmodels.api",
                "8:six",
                "9:lxml?",
                "11:bs4"
            ]
        );
    }

    #[test]
    fn the_syntax_tells_an_interpreter() {
        let versions = |text: &str| {
            let mut findings = ScriptFindings::default();
            read("a.py", text, &mut findings);
            let named = findings.evidence.into_iter();
            named
                .filter_map(|one| one.interpreter.map(|it| it.version))
                .collect::<Vec<_>>()
        };
        assert_eq!(versions("print 'a'\nprint x\n"), ["2.7"]);
        assert_eq!(versions("print('a')\nprint\nx = f'{a}'\n"), [">=3.6"]);
        assert_eq!(versions("print = 1\nprint('f\"')\n"), Vec::<String>::new());
    }

    #[test]
    fn damaged_text_ends_nowhere_else() {
        for text in [
            "import",
            "from",
            "from x",
            "import ,",
            "'''open",
            "import a as",
            "(((",
            "\\",
            "f'{",
            "import a.",
            "from a import",
        ] {
            found(text);
        }
        assert_eq!(found("x = 'open\nimport a\n"), ["2:a"]);
        let deep = "(".repeat(100_000);
        assert_eq!(found(&format!("import a\n{deep}")), ["1:a"]);
    }
}
