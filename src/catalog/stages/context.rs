//! Variables of a prompt's template.

use minijinja::Value;

use crate::domain::claim::Claim;
use crate::domain::mode::{CodeAccess, CodeMode, Setting};

/// An answer of an earlier stage.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EarlierAnswer {
    /// The file's name.
    pub name: String,
    /// Its text, already capped by the caller.
    pub json: String,
}

/// The limits that remain to a stage.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RemainingLimits {
    pub turns: u32,
    pub output_tokens: u32,
    /// A sentence about other limits, such as time or money; may be empty.
    pub notes: String,
}

/// Everything that a stage's templates can name. The answer's shape (`schema`)
/// and the stage's name are added from the definition.
#[derive(Debug, Clone, PartialEq)]
pub struct PromptContext {
    pub claim: Claim,
    pub mode: CodeMode,
    pub access: CodeAccess,
    /// The workspace's files, one a line, already capped by the caller.
    pub folder: String,
    /// The paper's text with page marks, or `None` to point to the file.
    pub paper: Option<String>,
    pub artifacts: Vec<EarlierAnswer>,
    /// The tools in text form, for the text protocol.
    pub tools: String,
    /// Whether tools are called in text instead of natively.
    pub text_protocol: bool,
    pub limits: RemainingLimits,
    /// The level of a capsule in a word; empty of other tasks.
    pub level: &'static str,
}

/// The variables of a system or task template, with the parts of each record.
pub const VARIABLES: [&str; 22] = [
    "stage",
    "claim",
    "claim.statement",
    "claim.hypotheses",
    "claim.criterion",
    "claim.variants",
    "hypotheses",
    "setting",
    "mode",
    "access",
    "folder",
    "paper",
    "artifacts",
    "schema",
    "tools",
    "text_protocol",
    "protocol",
    "limits",
    "limits.turns",
    "limits.output_tokens",
    "limits.notes",
    "level",
];

fn record<const N: usize>(pairs: [(&str, Value); N]) -> Value {
    Value::from_object(std::collections::BTreeMap::from(
        pairs.map(|(key, value)| (key.to_owned(), value)),
    ))
}

impl PromptContext {
    /// The rule that the study fixes as JSON; none where it fixes none.
    fn fixed_criterion(&self) -> Value {
        let fixed = self.claim.criterion.as_ref();
        let text = fixed.and_then(|fixed| serde_json::to_string(fixed).ok());
        text.map_or(Value::from(()), Value::from)
    }

    /// The variants that the study fixes as JSON; none where it fixes none.
    fn fixed_variants(&self) -> Value {
        let fixed = Some(&self.claim.variants).filter(|variants| !variants.is_empty());
        let text = fixed.and_then(|fixed| serde_json::to_string(fixed).ok());
        text.map_or(Value::from(()), Value::from)
    }

    /// The context as template values.
    pub(super) fn values(&self, stage: &str, schema: &str, protocol: &str) -> Value {
        let mode = match self.mode {
            CodeMode::Native => "native",
            CodeMode::Python => "python",
        };
        let access = match self.access {
            CodeAccess::Code => "code",
            CodeAccess::DataOnly => "data-only",
        };
        let artifacts: Vec<Value> = self
            .artifacts
            .iter()
            .map(|one| {
                record([
                    ("name", Value::from(one.name.as_str())),
                    ("json", Value::from(one.json.as_str())),
                ])
            })
            .collect();
        record([
            ("stage", Value::from(stage)),
            (
                "claim",
                record([
                    ("statement", Value::from(self.claim.statement.as_str())),
                    ("hypotheses", Value::from(self.claim.hypotheses.as_str())),
                    ("criterion", self.fixed_criterion()),
                    ("variants", self.fixed_variants()),
                ]),
            ),
            ("hypotheses", Value::from(self.claim.hypotheses.as_str())),
            (
                "setting",
                Value::from(Setting::new(self.mode, self.access).name()),
            ),
            ("mode", Value::from(mode)),
            ("access", Value::from(access)),
            ("folder", Value::from(self.folder.as_str())),
            (
                "paper",
                self.paper.as_deref().map_or(Value::from(()), Value::from),
            ),
            ("artifacts", Value::from(artifacts)),
            ("schema", Value::from(schema)),
            ("tools", Value::from(self.tools.as_str())),
            ("text_protocol", Value::from(self.text_protocol)),
            ("protocol", Value::from(protocol)),
            ("level", Value::from(self.level)),
            (
                "limits",
                record([
                    ("turns", Value::from(self.limits.turns)),
                    ("output_tokens", Value::from(self.limits.output_tokens)),
                    ("notes", Value::from(self.limits.notes.as_str())),
                ]),
            ),
        ])
    }
}
