//! One rubric, ready to be shown to a judge.

use minijinja::context;
use serde::Deserialize;

use crate::catalog::stages::definition::Rendered;
use crate::catalog::stages::fault::CatalogError;
use crate::catalog::stages::template::Template;
use crate::domain::digest::Digest;
use crate::domain::stage::Stage;

/// The variables of a rubric's templates.
pub const VARIABLES: [&str; 11] = [
    "claim",
    "levels",
    "examples",
    "scores",
    "reference",
    "swapped",
    "meanings",
    "fields",
    "shape",
    "protocol",
    "tools",
];

/// The meaning of one mark.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Level {
    pub score: u8,
    pub means: String,
}

/// A field of a made-up study with the mark that it earns.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Example {
    pub field: String,
    pub reference: String,
    pub document: String,
    pub score: u8,
    pub because: String,
}

/// A rubric's file.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RubricFile {
    pub stage: Stage,
    pub version: u32,
    pub scores: Vec<u8>,
    #[serde(default)]
    pub graded_scores: Option<Vec<u8>>,
    #[serde(default)]
    pub not_applicable: Option<String>,
    pub levels: Vec<Level>,
    #[serde(default)]
    pub examples: Vec<Example>,
}

/// The rubric of one stage's document: scale, prompts and protocol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rubric {
    pub stage: Stage,
    pub version: u32,
    /// The marks that may be given, ascending.
    pub scores: Vec<u8>,
    /// When a field may be called not applicable; `None`: never.
    pub not_applicable: Option<String>,
    pub(super) file: RubricFile,
    pub(super) system: Template,
    pub(super) prompt: Template,
    pub(super) protocol: Template,
}

/// The material of a rubric's prompt; all of it is untrusted but `meanings` and `tools`.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    pub claim: &'a str,
    pub reference: &'a str,
    /// Whether the reference and what is held against it change places.
    pub swapped: bool,
    /// What belongs in each field, a line each.
    pub meanings: &'a str,
    /// The fields as JSON in which no `<` occurs.
    pub fields: &'a str,
    /// The tools in text form, for models that call none natively.
    pub tools: Option<&'a str>,
}

impl Rubric {
    /// The highest mark.
    pub fn highest(&self) -> u8 {
        self.scores.iter().copied().max().unwrap_or(1)
    }

    /// The marks that may be given, such as `0 or 3` or `0 to 3`.
    pub fn scale(&self) -> String {
        match self.scores.as_slice() {
            [lowest, highest] => format!("{lowest} or {highest}"),
            [lowest, .., highest] => format!("{lowest} to {highest}"),
            _ => String::new(),
        }
    }

    /// The same rubric with the finer scale, where it has one.
    pub fn graded(mut self) -> Self {
        if let Some(finer) = self.file.graded_scores.clone() {
            self.scores = finer;
        }
        self
    }

    /// Digest over everything that the judge is told besides the material.
    pub fn digest(&self) -> Digest {
        let texts = (
            &self.system.source,
            &self.prompt.source,
            self.levels(),
            self.examples(),
        );
        Digest::compute_json(&(texts, &self.scores, &self.not_applicable, self.version))
    }

    /// The first two messages.
    ///
    /// # Errors
    /// A template that names what it is not given.
    pub fn render(&self, material: &Material<'_>) -> Result<Rendered, CatalogError> {
        let protocol = match material.tools {
            Some(tools) => self.protocol.render(&context! { tools => tools })?,
            None => String::new(),
        };
        let scores: Vec<String> = self.scores.iter().map(u8::to_string).collect();
        let values = context! {
            claim => material.claim,
            reference => material.reference,
            swapped => material.swapped,
            meanings => material.meanings,
            fields => material.fields,
            levels => self.levels(),
            examples => self.examples(),
            scores => scores.join(" and "),
            shape => self.shape(),
            protocol => protocol,
        };
        Ok(Rendered {
            system: self.system.render(&values)?,
            user: self.prompt.render(&values)?,
        })
    }

    fn levels(&self) -> String {
        let mut lines: Vec<String> = (self.file.levels.iter())
            .map(|level| {
                let given = if self.scores.contains(&level.score) {
                    ""
                } else {
                    " (not given on this scale)"
                };
                format!("- {}{given}: {}", level.score, level.means)
            })
            .collect();
        if let Some(when) = &self.not_applicable {
            lines.push(format!("- \"NA\": {when}."));
        }
        lines.join("\n")
    }

    fn examples(&self) -> String {
        let shown = self.file.examples.iter().map(|one| {
            format!(
                "- `{}`; reference: {}; document: {} -> {}. {}",
                one.field, one.reference, one.document, one.score, one.because
            )
        });
        shown.collect::<Vec<_>>().join("\n")
    }

    /// The answer's shape in words.
    fn shape(&self) -> String {
        let mut marks: Vec<String> = self.scores.iter().map(u8::to_string).collect();
        if self.not_applicable.is_some() {
            marks.push("\"NA\"".to_owned());
        }
        marks.push("\"cannot_judge\"".to_owned());
        format!(
            "One JSON object and nothing else. Its keys are the fields above, each once and none left out; each \
             value is {{\"evidence\": \"<the passage that decides, quoted, at most 40 words>\", \"explanation\": \
             \"<one or two sentences>\", \"score\": <one of {}>}}.",
            marks.join(", ")
        )
    }
}
