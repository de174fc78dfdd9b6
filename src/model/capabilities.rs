//! The table of models: limits, capabilities and prices.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::domain::answer_patience::AnswerPatience;
use crate::domain::price::{self, Price};
use crate::domain::usage::MicroDollars;
use crate::model::chat::ModelError;
use crate::model::efforts::Efforts;
use crate::model::text_file;

/// Most bytes of a user's table.
const LARGEST: u64 = 1 << 20;

/// The version of the table's form.
const VERSION: u32 = 1;

/// The tables that come with the program.
const CAPABILITIES: &str = include_str!("capabilities.toml");
const PRICES: &str = include_str!("prices.toml");

/// The table of models, by full name or by a prefix that ends in `*`.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ModelTable {
    version: u32,
    /// The day that the prices were looked up, for people.
    #[serde(default)]
    pub as_of: Option<String>,
    #[serde(default)]
    models: BTreeMap<String, Capabilities>,
}

/// One model; what is `None` is unknown.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Capabilities {
    /// Most tokens of a request and its answer together.
    pub context: Option<u32>,
    /// Most tokens of an answer.
    pub output: Option<u32>,
    /// Whether the model takes native tool calls; most do.
    pub tools: Option<bool>,
    /// Whether one answer may hold several calls.
    pub parallel_tools: Option<bool>,
    /// Whether an answer can be held to a JSON Schema.
    pub schema: Option<bool>,
    /// Whether the model sees pictures.
    pub vision: Option<bool>,
    /// How hard it can be told to think.
    pub reasoning_effort: Option<Efforts>,
    /// Whether it is told so by a budget of tokens, rather than by a word.
    pub thinking_budget: Option<bool>,
    /// Whether the provider counts the tokens that its cache served.
    pub cache_reporting: Option<bool>,
    /// Whether a temperature may be chosen; reasoning models refuse one.
    pub temperature: Option<bool>,
    /// Whether the model is asked through the Responses interface, rather than
    /// chat completions.
    pub responses: Option<bool>,
    /// How long its answers are waited for.
    pub patience: Option<AnswerPatience>,
    pub price: Option<Price>,
    /// What the provider charges for one hosted search beside its tokens, in US dollars.
    pub search: Option<f64>,
}

impl ModelTable {
    /// The table that comes with the program.
    ///
    /// # Errors
    /// A mistake in this program's own table.
    pub fn built_in() -> Result<Self, ModelError> {
        let capabilities = Self::parse("the built-in table of models", CAPABILITIES)?;
        Ok(capabilities.extended(Self::parse("the built-in table of prices", PRICES)?))
    }

    /// Reads a user's table from a file of at most 1 MiB.
    ///
    /// # Errors
    /// A file that cannot be read, is too large, or is no table of models.
    pub fn open(path: &Path) -> Result<Self, ModelError> {
        let name = path.display().to_string();
        let text = text_file::read(path, LARGEST).map_err(|error| {
            ModelError::Misconfigured(format!("The table of models `{name}` cannot be read: {error}."))
        })?;
        Self::parse(&name, &text)
    }

    /// Reads a table; `name` is what errors call it.
    ///
    /// # Errors
    /// TOML that cannot be read, or a row that says what it cannot.
    pub fn parse(name: &str, text: &str) -> Result<Self, ModelError> {
        let unusable = |why: String| {
            ModelError::Misconfigured(format!(
                "{name} cannot be used: {why}. Mend the file; its form is that of the built-in table."
            ))
        };
        let table: Self = toml::from_str(text).map_err(|error| unusable(error.to_string()))?;
        if table.version != VERSION {
            return Err(unusable(format!(
                "it has the version {}, and this program reads {VERSION}",
                table.version
            )));
        }
        for (model, capabilities) in &table.models {
            let searches = capabilities.search.is_none_or(price::is_sound);
            if !searches || capabilities.price.is_some_and(|price| !price.is_sound()) {
                return Err(unusable(format!(
                    "a price of `{model}` is negative, no number, or above 1000000"
                )));
            }
        }
        Ok(table)
    }

    /// This table with another laid over it, field by field.
    pub fn extended(mut self, over: Self) -> Self {
        for (name, capabilities) in over.models {
            let under = self.models.get(&name).copied().unwrap_or_default();
            self.models.insert(name, capabilities.or(under));
        }
        self.as_of = over.as_of.or(self.as_of);
        self
    }

    /// Every row by its name, with what rows of prefixes say of it.
    pub fn rows(&self) -> impl Iterator<Item = (&str, Capabilities)> {
        self.models.keys().map(|name| (name.as_str(), self.get(name)))
    }

    /// What is known of a model, by its full name. A snapshot's date at the end
    /// of a name is passed over where the name as it is has no row.
    pub fn get(&self, name: &str) -> Capabilities {
        let exact = self
            .models
            .get(name)
            .or_else(|| self.models.get(undated(name)?))
            .copied()
            .unwrap_or_default();
        let mut covering: Vec<_> = self
            .models
            .iter()
            .filter_map(|(row, capabilities)| Some((row.strip_suffix('*')?, *capabilities)))
            .filter(|(prefix, _)| name.starts_with(prefix))
            .collect();
        covering.sort_by_key(|(prefix, _)| std::cmp::Reverse(prefix.len()));
        covering
            .into_iter()
            .fold(exact, |known, (_, capabilities)| known.or(capabilities))
    }
}

impl Capabilities {
    /// What one hosted search costs beside its tokens, where that is known.
    pub fn search_fee(&self) -> Option<MicroDollars> {
        self.search.map(price::charge)
    }

    fn or(self, under: Self) -> Self {
        Self {
            context: self.context.or(under.context),
            output: self.output.or(under.output),
            tools: self.tools.or(under.tools),
            parallel_tools: self.parallel_tools.or(under.parallel_tools),
            schema: self.schema.or(under.schema),
            vision: self.vision.or(under.vision),
            reasoning_effort: self.reasoning_effort.or(under.reasoning_effort),
            thinking_budget: self.thinking_budget.or(under.thinking_budget),
            cache_reporting: self.cache_reporting.or(under.cache_reporting),
            temperature: self.temperature.or(under.temperature),
            responses: self.responses.or(under.responses),
            patience: self
                .patience
                .map(|own| under.patience.unwrap_or_default().overlaid(own))
                .or(under.patience),
            price: self.price.or(under.price),
            search: self.search.or(under.search),
        }
    }
}

/// The name without `-2025-08-07` or `-20250929` at its end.
fn undated(name: &str) -> Option<&str> {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (rest, last) = name.rsplit_once('-')?;
    if last.len() == 8 && digits(last) {
        return Some(rest);
    }
    let (rest, month) = rest.rsplit_once('-')?;
    let (rest, year) = rest.rsplit_once('-')?;
    let dated = [(year, 4), (month, 2), (last, 2)]
        .into_iter()
        .all(|(text, length)| text.len() == length && digits(text));
    dated.then_some(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_none_and_not_zero() {
        let table = ModelTable::built_in().unwrap();
        assert_eq!(table.get("openai/gpt-99").price, None);
        assert_eq!(table.get("openai/gpt-5-mystery").price, None);
        assert_eq!(table.get("azure/deployment").price, None);
        assert!(table.get("recorded:python").price.is_some());
        assert!(table.get("anthropic/claude-sonnet-4-5-20250929").price.is_some());
    }

    #[test]
    fn a_users_table_is_laid_over_field_by_field() {
        let over = r#"
            version = 1
            [models."openai/gpt-5"]
            price = { input = 1.0, cached = 0.1, output = 2.0 }
            [models."azure/*"]
            tools = false
            [models."azure/big"]
            context = 7
        "#;
        let table = ModelTable::built_in()
            .unwrap()
            .extended(ModelTable::parse("mine.toml", over).unwrap());
        let gpt = table.get("openai/gpt-5");
        assert_eq!((gpt.context, gpt.price.unwrap().output), (Some(400_000), 2.0));
        let big = table.get("azure/big");
        assert_eq!((big.context, big.tools), (Some(7), Some(false)));
    }

    #[test]
    fn what_a_family_can_do_is_known_for_each_of_its_models() {
        let table = ModelTable::built_in().unwrap();
        let gpt = table.get("openai/gpt-5-mini");
        assert_eq!(
            (gpt.vision, gpt.schema, gpt.temperature),
            (Some(true), Some(true), Some(false))
        );
        let older = table.get("openai/gpt-4o-2024-08-06");
        assert_eq!(
            (older.reasoning_effort, older.temperature),
            (Some(Efforts::NONE), Some(true))
        );
        let claude = table.get("anthropic/claude-haiku-4-5-20251001");
        assert_eq!((claude.vision, claude.thinking_budget), (Some(true), Some(true)));
        let unknown = table.get("ollama/anything");
        assert_eq!((unknown.vision, unknown.price.is_some()), (None, true));
        assert!(table.get("gemini/gemini-99").price.is_none());
    }

    #[test]
    fn an_unusable_table_is_named_with_its_fault() {
        let cases = [
            ("version = 2", "version 2"),
            ("version = 1\n[models.x]\npirce = 1", "pirce"),
            (
                "version = 1\n[models.x]\nprice = { input = -1.0, cached = 0.0, output = 0.0 }",
                "`x`",
            ),
            ("version = 1\n[models.y]\nsearch = -0.01", "`y`"),
        ];
        for (text, part) in cases {
            let error = ModelTable::parse("mine.toml", text).unwrap_err().to_string();
            assert!(error.contains(part) && error.contains("mine.toml"), "{error}");
        }
    }
}
