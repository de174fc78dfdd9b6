//! `reprise doctor model test`.

use std::sync::Arc;

use serde_json::json;

use crate::app;
use crate::domain::price::Price;
use crate::engine::error::EngineError;
use crate::engine::watch::Watch;
use crate::model::chat::ModelError;
use crate::model::conformance::{self, Check, Conformance, Feature};
use crate::model::refusal::Refusal;
use crate::settings::Settings;

use super::super::exit::{Failure, Status};
use super::super::output::{Printer, paint, printable, styled};
use super::super::progress::Progress;
use super::args::ModelTestArgs;

/// Tries out what a model can do.
///
/// # Errors
/// A model that is not known or cannot be reached.
pub async fn test(settings: &Settings, printer: Printer, args: ModelTestArgs) -> Result<Status, Failure> {
    let progress = Arc::new(Progress::new(printer, false));
    let watch: Arc<dyn Watch> = progress.clone();
    let tried = app::served::on_trial(settings, &args.model, args.stream, &watch)?;
    let price = tried.known.price;
    let most = conformance::estimate();
    printer.note(format!(
        "{}: {} calls, at most about {} tokens in and {} out; {}.",
        printable(&args.model),
        conformance::calls(),
        most.input,
        most.output,
        match price {
            Some(price) => format!("at most about {}", price.cost(most)),
            None => "no price is known for it, so what they cost is not known either".to_owned(),
        }
    ));
    let found = conformance::conform(&*tried.model, &tried.known).await;
    progress.finish();
    let found = found.map_err(failure)?;
    if args.json {
        printer.json(&json!({
            "format": "reprise-model-test/1",
            "model": args.model,
            "streamed": args.stream,
            "estimate": { "usage": most, "cost": price.map(|price| price.cost(most)) },
            "checks": found.checks,
            "calls": found.calls,
            "usage": found.usage,
            "cost": price.map(|price| price.cost(found.usage)),
        }))?;
    } else {
        table(printer, &found, price);
    }
    let fails = found
        .checks
        .iter()
        .any(|check| check.disappoints() || (check.feature == Feature::Text && check.works != Some(true)));
    Ok(if fails { Status::Differs } else { Status::Done })
}

/// Nobody can mend a wrong key or name but whoever typed it.
fn failure(error: ModelError) -> Failure {
    match &error {
        ModelError::Rejected {
            why: Refusal::Key | Refusal::Account | Refusal::Missing | Refusal::Request,
            ..
        } => Failure::usage(error.to_string()),
        _ => EngineError::from(error).into(),
    }
}

fn table(printer: Printer, found: &Conformance, price: Option<Price>) {
    for check in &found.checks {
        let works = match check.works {
            Some(true) => styled(paint::GOOD, "works"),
            Some(false) => styled(paint::BAD, "fails"),
            None => styled(paint::WARN, "?    "),
        };
        let remark = remark(check);
        printer.line(format!(
            "{:<15} {works}  {}{remark}",
            check.feature.name(),
            printable(&check.found)
        ));
    }
    let usage = found.usage;
    printer.line(format!(
        "{} calls, {} tokens in and {} out, {}",
        found.calls,
        usage.input,
        usage.output,
        match price {
            Some(price) => price.cost(usage).to_string(),
            None => "at an unknown price".to_owned(),
        }
    ));
}

/// Where the table of models says something else.
fn remark(check: &Check) -> &'static str {
    match (check.works, check.claimed) {
        (Some(false), Some(true)) => " (the table of models says that it works)",
        (Some(true), Some(false)) => " (the table of models says that it does not)",
        _ => "",
    }
}
