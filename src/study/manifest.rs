//! `study.toml`: what a study says of itself.

use std::path::Path;
use std::sync::LazyLock;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use toml::de::DeTable;

use super::error::StudyError;
use super::manifest_faults::{criterion_fault, reference_fault};
use super::reference::Reference;
use crate::domain::criterion::FixedCriterion;
use crate::domain::json_schema::inline_schema;
use crate::domain::r_defaults::RDefaults;
use crate::domain::study_kind::{CodeOrigin, DataOrigin, Origins};
use crate::domain::text_place::{line_of, with_quotes};
use crate::domain::unknown_keys::unknown_keys;
use crate::domain::variant::{self, Variant};

static SCHEMA: LazyLock<Value> = LazyLock::new(inline_schema::<Manifest>);

/// The format that is written.
pub const FORMAT: u64 = 1;

/// The whole file. Its [`Reference`] part is never shown to an agent.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Manifest {
    /// The version of this file's format: 1.
    pub format: u64,
    #[serde(flatten)]
    pub about: About,
    /// Corrections of what counts as code, and whose it is.
    #[serde(default)]
    pub code: CodeTable,
    /// What of the web the search stage may see.
    #[serde(default, skip_serializing_if = "WebTable::is_empty")]
    pub web: WebTable,
    /// Values that may be shown although they are likely personal.
    #[serde(default, skip_serializing_if = "PersonalTable::is_empty")]
    pub personal: PersonalTable,
    /// What the study's scripts expect of their interpreters.
    #[serde(default, skip_serializing_if = "EnvironmentTable::is_empty")]
    pub environment: EnvironmentTable,
    /// The rule by which the claim's replication is to be judged.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub criterion: Option<FixedCriterion>,
    /// Further analyses that run after the main one and decide nothing.
    #[serde(default, rename = "variant", skip_serializing_if = "Vec::is_empty")]
    pub variants: Vec<Variant>,
    #[serde(flatten)]
    pub reference: Reference,
}

#[derive(Deserialize)]
struct Version {
    format: u64,
}

/// The public part of a study.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct About {
    /// The study's name in runs and scores: up to 64 letters, digits, `-`, `_` and `.`.
    pub id: String,
    pub title: String,
    /// The paper's DOI.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub doi: Option<String>,
    /// How the paper is cited.
    pub citation: String,
    /// Where the data come from.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub data: Option<DataNotes>,
}

/// The notes on a study's data: licence, source and description.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct DataNotes {
    /// The licence of the data.
    pub licence: String,
    /// The place from which the data were obtained.
    pub source: String,
    /// The content of a row, the number of rows, and their time.
    pub description: String,
    /// Whose observations they are; decides the kind of the study.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<DataOrigin>,
}

/// Corrections of the split into data and code; paths are relative to `replication_data/`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CodeTable {
    /// Further extensions of code.
    #[serde(default)]
    pub extensions: Vec<String>,
    /// Files that look like code and are data.
    #[serde(default)]
    pub data: Vec<String>,
    /// Files that look like data and are code.
    #[serde(default)]
    pub code: Vec<String>,
    /// Whose code it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub origin: Option<CodeOrigin>,
}

/// The part of the web that a search may see. Each entry is a host, which stands for its subdomains
/// too, an address, which stands for what lies below it, or a DOI.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct WebTable {
    /// Hosts and addresses to which searches are limited; no limit if empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub allow: Vec<String>,
    /// Hosts and addresses that are withheld.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub block: Vec<String>,
    /// The replication that this one is compared with: its report, its plan and
    /// its materials, which are withheld because they give the answer.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub replication: Vec<String>,
}

/// Expectations of scripts that are older than their interpreter.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentTable {
    /// The series of R whose defaults the scripts are run under.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub r_defaults: Option<RDefaults>,
}

impl EnvironmentTable {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// Columns that a person has looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct PersonalTable {
    /// Names of columns whose values agents may see although they are likely personal.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub show: Vec<String>,
}

impl PersonalTable {
    fn is_empty(&self) -> bool {
        self.show.is_empty()
    }

    /// Why a name cannot be one of a column.
    fn fault(&self) -> Option<String> {
        let twice = |at: usize| self.show[..at].contains(&self.show[at]);
        (0..self.show.len()).find_map(|at| match self.show[at].as_str() {
            name if name.trim().is_empty() => {
                Some("`personal.show` has an empty name: name a column as its file does".to_owned())
            }
            name if twice(at) => Some(format!("`personal.show` names `{name}` twice: leave one out")),
            _ => None,
        })
    }
}

impl WebTable {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

impl Manifest {
    /// Where data and code come from, as far as it is said.
    pub fn origins(&self) -> Origins {
        Origins {
            data: self.about.data.as_ref().and_then(|data| data.origin),
            code: self.code.origin,
        }
    }

    /// Reads the text of `file`, and what is to be warned about.
    ///
    /// An unknown key is an error, or a warning in a newer format.
    ///
    /// # Errors
    /// TOML that cannot be read, a format that does not exist, in format 1 an unknown key, or an id,
    /// criterion, variant or reference that cannot be used.
    pub fn parse(file: &Path, text: &str) -> Result<(Self, Vec<String>), StudyError> {
        let bad = |offset: usize, problem: String| StudyError::BadManifest {
            file: file.to_owned(),
            line: line_of(text, offset),
            problem,
        };
        let failed = |error: toml::de::Error| {
            let offset = error.span().map_or(0, |span| span.start);
            bad(
                offset,
                with_quotes(text, offset, &error.message().replace('\n', "; ")),
            )
        };
        let tree = DeTable::parse(text).map_err(failed)?;
        let unknown = unknown_keys(tree.get_ref(), &SCHEMA);
        let Version { format } = toml::from_str(text).map_err(failed)?;
        let mut warnings = Vec::new();
        match (format, unknown.first()) {
            (0, _) => {
                return Err(bad(
                    0,
                    "`format = 0` does not exist: write `format = 1`".to_owned(),
                ));
            }
            (FORMAT, None) => {}
            (FORMAT, Some(unknown)) => return Err(bad(unknown.offset, unknown.to_string())),
            (newer, _) => {
                warnings.push(format!(
                    "It has format {newer}, and only format {FORMAT} is known here."
                ));
                warnings.extend(
                    unknown
                        .iter()
                        .map(|one| format!("`{}` is not known and not used.", one.key)),
                );
            }
        }
        let manifest: Self = toml::from_str(text).map_err(failed)?;
        manifest.validate().map_err(|problem| bad(0, problem))?;
        Ok((manifest, warnings))
    }

    fn validate(&self) -> Result<(), String> {
        let id = &self.about.id;
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte);
        if id.is_empty() || id.len() > 64 || id.starts_with('.') || !id.bytes().all(fits) {
            return Err(format!(
                "`id = \"{id}\"` is not usable as a name: take up to 64 letters, digits, `-`, `_` and `.`"
            ));
        }
        if let Some(fault) = self.criterion.as_ref().and_then(criterion_fault) {
            return Err(fault);
        }
        if let Some(fault) = self.personal.fault() {
            return Err(fault);
        }
        if let Some(fault) = variant::faults(&self.variants).first() {
            return Err(format!("`[[variant]]`: {fault}"));
        }
        reference_fault(&self.reference).map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::claimed_effect::ClaimedEffect;

    const GOOD: &str = r#"format = 1
id = "duncan-1961"
title = "t"
citation = "c"
[data]
licence = "CC0"
source = "s"
description = "d"
[outcome]
label = "met"
[original]
term = "income"
estimate = 0.59
standard_error = 0.12
n = 45
p_value = 0.001
[code]
extensions = ["lst"]
[personal]
show = ["Name"]
[environment]
r_defaults = "3"
[web]
block = ["example.org"]
replication = ["10.17605/osf.io/abcde"]
[[resources]]
id = "r"
kind = "data"
"#;

    fn parse(text: &str) -> Result<(Manifest, Vec<String>), StudyError> {
        Manifest::parse(Path::new("study.toml"), text)
    }

    #[test]
    fn the_whole_format_is_read_and_written_back() {
        let (manifest, warnings) = parse(GOOD).unwrap();
        assert!(warnings.is_empty() && manifest.reference.resources[0].required);
        assert_eq!(manifest.reference.original.as_ref().unwrap().n, 45);
        assert_eq!(parse(&toml::to_string(&manifest).unwrap()).unwrap().0, manifest);
    }

    #[test]
    fn unknown_keys_and_values_are_named_with_their_line() {
        for (text, line, word) in [
            (format!("{GOOD}licence = \"x\"\n"), 29, "resources.licence"),
            (GOOD.replace("block =", "blocks ="), 24, "web.blocks"),
            (GOOD.replace("source =", "sauce ="), 7, "data.sauce"),
            (GOOD.replace("title =", "titel = \"x\"\ntitle ="), 3, "titel"),
            (
                GOOD.replace(
                    "p_value = 0.001",
                    "interval = { lower = 0, uper = 1, level = 0.9 }",
                ),
                16,
                "original.interval.uper",
            ),
            (GOOD.replace("\"met\"", "\"maybe\""), 10, "maybe"),
            (GOOD.replace("duncan-1961", "../x"), 1, "../x"),
            (GOOD.replace("n = 45", "n = \"many\""), 15, ""),
        ] {
            let error = parse(&text).unwrap_err();
            let StudyError::BadManifest { line: found, .. } = &error else {
                panic!("{error}")
            };
            assert!(error.to_string().contains(word), "{error}");
            // A flattened part loses its position, and then the file is named alone.
            assert!(*found == line || *found == 1, "{error}: expected line {line}");
        }
    }

    #[test]
    fn every_part_of_a_fixed_criterion_can_be_written() {
        let text = format!(
            "{GOOD}[criterion]\ntest = \"non_inferiority\"\nnull = 1.0\nmargin = 0.2\n\
             [[variant]]\nname = \"a\"\nchanges = \"b\"\nvariables = {{ ANY = \"1\" }}\n"
        );
        let fixed = parse(&text).unwrap().0.criterion.unwrap();
        assert_eq!((fixed.null, fixed.margin), (Some(1.0), Some(0.2)));
    }

    #[test]
    fn a_claim_of_no_effect_is_fixed_with_a_rule_that_decides_it() {
        let with =
            |criterion: &str| parse(&format!("{GOOD}[criterion]\ndirection = \"none\"\n{criterion}\n"));
        let (manifest, _) = with("rule = \"equivalence\"\nsesoi = 0.1\nunit = \"r\"").unwrap();
        let fixed = manifest.criterion.unwrap();
        assert_eq!(fixed.direction, Some(ClaimedEffect::NoEffect));
        with("rule = \"prediction_interval\"").unwrap();
        for (criterion, words) in [
            (
                "",
                "`criterion.rule`: a claim of no effect cannot be decided by significance and direction",
            ),
            (
                "rule = \"sceptical_p\"",
                "which asks for the claim's sign; take equivalence with a `sesoi`",
            ),
            (
                "rule = \"equivalence\"\nsesoi = 0.1\ntwo_sided = false",
                "`criterion.two_sided`: a claim of no effect has no side",
            ),
            ("rule = \"equivalence\"", "cannot be computed without `sesoi`"),
        ] {
            let told = with(criterion).unwrap_err().to_string();
            assert!(told.contains(words), "{told}");
        }
    }

    #[test]
    fn the_origin_of_data_and_code_is_read() {
        assert!(parse(GOOD).unwrap().0.origins().is_empty());
        let said = GOOD
            .replace("[data]\n", "[data]\norigin = \"authors\"\n")
            .replace("[code]\n", "[code]\norigin = \"replicators\"\n");
        let origins = parse(&said).unwrap().0.origins();
        assert_eq!(origins.data, Some(DataOrigin::Authors));
        assert_eq!(origins.code, Some(CodeOrigin::Replicators));
        let told = parse(&said.replace("authors", "somebody"))
            .unwrap_err()
            .to_string();
        assert!(told.contains("somebody") && told.contains("secondary"), "{told}");
    }

    #[test]
    fn degrees_of_freedom_are_a_number_above_zero() {
        let with = |df: &str| parse(&GOOD.replace("n = 45", &format!("n = 45\ndf = {df}")));
        let (manifest, _) = with("42").unwrap();
        assert_eq!(manifest.reference.original.unwrap().df, Some(42.0));
        for df in ["0.0", "-1.0", "inf", "nan"] {
            let told = with(df).unwrap_err().to_string();
            assert!(
                told.contains("is no number of degrees of freedom"),
                "{df}: {told}"
            );
        }
    }

    #[test]
    fn a_newer_format_is_read_with_warnings() {
        let newer = GOOD.replace("format = 1", "format = 2\nmood = \"good\"");
        let (_, warnings) = parse(&newer).unwrap();
        assert!(warnings[0].contains("format 2") && warnings[1].contains("mood"));
    }
}
