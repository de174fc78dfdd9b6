//! The rubric of a conversation's review: closed fields, and what has to hold between them.

use std::collections::BTreeMap;

use minijinja::context;
use serde::Deserialize;

use crate::catalog::stages::definition::Rendered;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::digest::Digest;

/// The variables of the templates.
pub(super) const TRACE_VARIABLES: [&str; 6] = ["task", "fields", "invariants", "settled", "trace", "shape"];

/// A field that takes one of a few values.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedField {
    pub name: String,
    /// One sentence.
    pub about: String,
    /// Whether it guesses at what a program knows; such a field is asked for all the same, is told
    /// nothing, and decides nothing.
    #[serde(default)]
    pub guess: bool,
    pub values: Vec<ClosedValue>,
}

/// A value of a field.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ClosedValue {
    pub name: String,
    pub means: String,
}

/// A rule between fields: where all of `when` is so, all of `then` is, and nothing of
/// `never`.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldInvariant {
    pub when: BTreeMap<String, String>,
    #[serde(default)]
    pub then: BTreeMap<String, String>,
    #[serde(default)]
    pub never: BTreeMap<String, String>,
}

/// The rubric's file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TraceRubricFile {
    pub version: u32,
    pub explanation: String,
    pub fields: Vec<ClosedField>,
    #[serde(default)]
    pub invariants: Vec<FieldInvariant>,
}

/// The rubric of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TraceRubric {
    pub version: u32,
    /// What the explanation has to say.
    pub explanation: String,
    pub fields: Vec<ClosedField>,
    pub invariants: Vec<FieldInvariant>,
    pub(super) system: Template,
    pub(super) prompt: Template,
}

/// The material of the prompt; `task` and `trace` are untrusted.
#[derive(Debug, Clone, Copy)]
pub struct TraceMaterial<'a> {
    pub task: &'a str,
    pub trace: &'a str,
    /// What code settled, in lines.
    pub settled: &'a str,
}

/// A field as one question shows it: its values in an order of their own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AskedField<'a> {
    pub field: &'a ClosedField,
    /// Those that may be given.
    pub values: Vec<&'a ClosedValue>,
}

impl ClosedField {
    /// The names of its values.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.values.iter().map(|value| value.name.as_str())
    }
}

impl FieldInvariant {
    /// The fields that it speaks of.
    pub fn fields(&self) -> impl Iterator<Item = &str> {
        let all = self.when.keys().chain(self.then.keys()).chain(self.never.keys());
        all.map(String::as_str)
    }

    /// It in words.
    pub fn words(&self) -> String {
        let all = |pairs: &BTreeMap<String, String>, is: &str| {
            let told = pairs
                .iter()
                .map(|(field, value)| format!("`{field}` {is} `{value}`"));
            told.collect::<Vec<_>>().join(" and ")
        };
        let mut then = Vec::new();
        if !self.then.is_empty() {
            then.push(all(&self.then, "is"));
        }
        if !self.never.is_empty() {
            then.push(all(&self.never, "is not"));
        }
        format!("where {}, {}", all(&self.when, "is"), then.join(" and "))
    }
}

impl TraceRubric {
    /// The field of a name.
    pub fn field(&self, name: &str) -> Option<&ClosedField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Digest over everything that a judge is told besides the material.
    pub fn digest(&self) -> Digest {
        let fields: Vec<_> = (self.fields.iter())
            .map(|field| {
                let values = field.values.iter().map(|value| (&value.name, &value.means));
                (&field.name, &field.about, field.guess, values.collect::<Vec<_>>())
            })
            .collect();
        let invariants: Vec<String> = self.invariants.iter().map(FieldInvariant::words).collect();
        let texts = (&self.system.source, &self.prompt.source, &self.explanation);
        Digest::compute_json(&(self.version, texts, fields, invariants))
    }

    /// The first two messages that ask for some fields.
    ///
    /// # Errors
    /// A template that names what it is not given.
    pub fn render(
        &self,
        asked: &[AskedField<'_>],
        material: &TraceMaterial<'_>,
    ) -> Result<Rendered, CatalogError> {
        let values = context! {
            task => material.task,
            trace => material.trace,
            settled => material.settled,
            fields => fields_in_words(asked),
            invariants => self.invariants_in_words(),
            shape => self.shape(asked),
        };
        Ok(Rendered {
            system: self.system.render(&values)?,
            user: self.prompt.render(&values)?,
        })
    }

    fn invariants_in_words(&self) -> String {
        let lines = self.invariants.iter().map(|one| format!("- {}", one.words()));
        let lines: Vec<String> = lines.collect();
        match lines.is_empty() {
            true => "- nothing".to_owned(),
            false => lines.join("\n"),
        }
    }

    fn shape(&self, asked: &[AskedField<'_>]) -> String {
        let members = asked.iter().map(|one| {
            let values: Vec<&str> = one.values.iter().map(|value| value.name.as_str()).collect();
            format!("\"{}\": \"<one of {}>\"", one.field.name, values.join(", "))
        });
        let members: Vec<String> = members.collect();
        format!(
            "One JSON object and nothing else: {{\"explanation\": \"<{}>\", {}}}.",
            self.explanation.trim_end_matches('.'),
            members.join(", ")
        )
    }
}

fn fields_in_words(asked: &[AskedField<'_>]) -> String {
    let told = asked.iter().map(|one| {
        let values = one
            .values
            .iter()
            .map(|value| format!("  - `{}`: {}", value.name, value.means));
        let values: Vec<String> = values.collect();
        format!(
            "- `{}`: {}\n{}",
            one.field.name,
            one.field.about,
            values.join("\n")
        )
    });
    told.collect::<Vec<_>>().join("\n")
}
