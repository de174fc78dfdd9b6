//! `reprise doctor model list`.

use serde::Serialize;

use crate::domain::format;
use crate::domain::price::Price;
use crate::model::access::{Access, KeySource};
use crate::model::providers;
use crate::settings::Settings;

use super::super::exit::{Failure, Status};
use super::super::output::{Printer, paint, printable, styled};
use super::super::text_table::TextTable;
use super::args::ModelListArgs;

/// A provider, and whether it can be asked.
#[derive(Debug, Serialize)]
struct ProviderRow {
    provider: &'static str,
    /// The form of its models' names.
    form: String,
    key: Option<KeySource>,
    key_variable: &'static str,
    needs_key: bool,
}

/// A model that the table knows, or all whose names begin so (`*`).
#[derive(Debug, Serialize)]
struct ModelRow {
    model: String,
    context: Option<u32>,
    output: Option<u32>,
    tools: Option<bool>,
    schema: Option<bool>,
    vision: Option<bool>,
    /// US dollars for a million tokens.
    price: Option<Price>,
}

/// Lists the providers with their keys, and the models that the table knows.
///
/// # Errors
/// A keyring or a table of models that cannot be used.
pub fn list(settings: &Settings, printer: Printer, args: &ModelListArgs) -> Result<Status, Failure> {
    let access = Access::open(settings).map_err(|error| Failure::usage(error.to_string()))?;
    let providers: Vec<ProviderRow> = providers::all()
        .map(|provider| ProviderRow {
            provider: provider.prefix,
            form: match provider.address_in_name() {
                true => format!("{}/HOST[:PORT][/PATH]/MODEL", provider.prefix),
                false => format!("{}/MODEL", provider.prefix),
            },
            key: access.key_source(provider),
            key_variable: provider.key_variable,
            needs_key: provider.needs_key,
        })
        .collect();
    let models: Vec<ModelRow> = access
        .known_models()
        .filter(|(name, _)| name.contains('/'))
        .map(|(name, known)| ModelRow {
            model: name.to_owned(),
            context: known.context,
            output: known.output,
            tools: known.tools,
            schema: known.schema,
            vision: known.vision,
            price: known.price,
        })
        .collect();
    if args.json {
        printer.json(&serde_json::json!({
            "providers": providers,
            "models": models,
            "prices_as_of": access.prices_as_of(),
        }))?;
        return Ok(Status::Done);
    }
    for line in provider_table(&providers) {
        printer.line(line);
    }
    printer.line("");
    for line in model_table(&models) {
        printer.line(line);
    }
    let day = access.prices_as_of().unwrap_or("an unknown day");
    printer.line(format!(
        "Prices in US dollars for a million tokens, as of {}; other models can be named all the same, at an unknown \
         price. ~/.config/reprise/models.toml extends the table; `reprise doctor model test MODEL` tries one out.",
        printable(day)
    ));
    Ok(Status::Done)
}

fn provider_table(providers: &[ProviderRow]) -> Vec<String> {
    let mut table = TextTable::new(["provider", "models", "key"]);
    for row in providers {
        let key = match (row.key, row.needs_key) {
            (Some(source), _) => format!("found in {}", source.words()),
            (None, true) => format!("none: set {}", row.key_variable),
            (None, false) => format!("none; {} where it wants one", row.key_variable),
        };
        table.row([row.provider.to_owned(), row.form.clone(), key]);
    }
    headed(table.with_text_columns(3))
}

fn model_table(models: &[ModelRow]) -> Vec<String> {
    let mut table = TextTable::new([
        "model", "tools", "schema", "pictures", "context", "answer", "in", "cached", "out",
    ]);
    let unknown = || "?".to_owned();
    let able =
        |able: Option<bool>| able.map_or_else(unknown, |able| if able { "yes" } else { "no" }.to_owned());
    let tokens = |tokens: Option<u32>| tokens.map_or_else(unknown, format::count);
    for row in models {
        let dollars =
            |part: fn(Price) -> f64| row.price.map_or_else(unknown, |price| part(price).to_string());
        table.row([
            printable(&row.model),
            able(row.tools),
            able(row.schema),
            able(row.vision),
            tokens(row.context),
            tokens(row.output),
            dollars(|price| price.input),
            dollars(|price| price.cached),
            dollars(|price| price.output),
        ]);
    }
    headed(table)
}

/// The lines of a table, with its heading set off.
fn headed(table: TextTable) -> Vec<String> {
    let mut lines = table.lines();
    if let Some(heading) = lines.first_mut() {
        *heading = styled(paint::STRONG, &heading);
    }
    lines
}
