//! Prompt templates: strict, checked when they are loaded, and fenced.

use minijinja::{Environment, UndefinedBehavior, Value};
use serde::Serialize;

use crate::catalog::stages::context::VARIABLES;
use crate::catalog::stages::fault::CatalogError;
use crate::domain::digest::Digest;
use crate::domain::text_place::line_of;

/// The longest template that is read, in bytes.
const LONGEST: usize = 256 * 1024;

/// A template's source, with the name that errors are reported under.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Template {
    /// No part of a digest: a file of the same text is the same template.
    #[serde(skip)]
    pub file: String,
    pub source: String,
}

fn environment() -> Environment<'static> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_auto_escape_callback(|_| minijinja::AutoEscape::None);
    environment.add_filter("fence", |text: String, name: String| fence(&name, &text));
    environment
}

/// Untrusted text between markers that it cannot forge: their tag is taken
/// from the digest of the text itself.
pub fn fence(name: &str, text: &str) -> String {
    let digest = Digest::compute(text).to_string();
    let tag: String = digest.chars().rev().take(12).collect();
    let name: String = name.chars().filter(|c| !c.is_control()).take(80).collect();
    format!("<<<DATA {tag} {name}\n{}\n<<<END {tag}", text.trim_end())
}

impl Template {
    /// Checks the syntax and that every variable is one that prompts know.
    ///
    /// # Errors
    /// A mistake in the syntax, a variable that prompts do not know, or more than 256 KiB.
    pub fn check(&self) -> Result<(), CatalogError> {
        self.check_for(&VARIABLES)
    }

    /// The same, with the variables that its prompts know.
    pub(in crate::catalog) fn check_for(&self, known: &[&str]) -> Result<(), CatalogError> {
        if self.source.len() > LONGEST {
            return Err(CatalogError::Template {
                file: self.file.clone(),
                line: 1,
                problem: format!(
                    "it has {} bytes, and at most {LONGEST} are read",
                    self.source.len()
                ),
            });
        }
        let environment = environment();
        let parsed = environment
            .template_from_named_str(&self.file, &self.source)
            .map_err(|error| self.error(&error))?;
        let mut unknown: Vec<String> = parsed
            .undeclared_variables(true)
            .into_iter()
            .filter(|name| !known.contains(&name.as_str()))
            .collect();
        unknown.sort();
        match unknown.into_iter().next() {
            None => Ok(()),
            Some(name) => Err(CatalogError::UnknownVariable {
                file: self.file.clone(),
                line: line_of_block(&self.source, &name),
                name,
                known: known.join(", "),
            }),
        }
    }

    /// Renders the template.
    pub(in crate::catalog) fn render(&self, values: &Value) -> Result<String, CatalogError> {
        let environment = environment();
        let parsed = environment
            .template_from_named_str(&self.file, &self.source)
            .map_err(|error| self.error(&error))?;
        let text = parsed
            .render(values.clone())
            .map_err(|error| self.error(&error))?;
        Ok(text.trim().to_owned())
    }

    /// The line, from 1, on which a word first stands anywhere.
    pub(super) fn line_of_word(&self, word: &str) -> usize {
        self.line_where(|line| line.contains(word))
    }

    /// The line, from 1, on which a key of TOML stands; of a word that is no key, the first
    /// with it.
    pub(super) fn line_of_key(&self, key: &str) -> usize {
        let is_key = |line: &str| {
            let rest = line.trim_start().strip_prefix(key);
            rest.is_some_and(|rest| rest.trim_start().starts_with('='))
        };
        if self.source.lines().any(is_key) {
            return self.line_where(is_key);
        }
        self.line_of_word(key)
    }

    fn line_where(&self, is_it: impl Fn(&str) -> bool) -> usize {
        let mut lines = self.source.lines();
        lines.position(is_it).map_or(1, |index| index + 1)
    }

    /// A mistake in a file of TOML, at one of its keys.
    pub(super) fn wrong(&self, key: &str, problem: String) -> CatalogError {
        CatalogError::Toml {
            file: self.file.clone(),
            line: self.line_of_key(key),
            problem,
        }
    }

    /// A file that is no TOML, or not that of its kind.
    pub(super) fn in_toml(&self, error: &toml::de::Error) -> CatalogError {
        CatalogError::Toml {
            file: self.file.clone(),
            line: line_of(&self.source, error.span().map_or(0, |span| span.start)),
            problem: error.message().to_owned(),
        }
    }

    fn error(&self, error: &minijinja::Error) -> CatalogError {
        CatalogError::Template {
            file: self.file.clone(),
            line: error.line().unwrap_or(1),
            problem: error
                .detail()
                .map_or_else(|| error.kind().to_string(), str::to_owned),
        }
    }
}

/// The line, from 1, on which a word first stands in an expression or a block.
fn line_of_block(source: &str, word: &str) -> usize {
    source
        .lines()
        .position(|line| (line.contains("{{") || line.contains("{%")) && line.contains(word))
        .map_or(1, |index| index + 1)
}
