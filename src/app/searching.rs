//! The search engine of a run.

use std::collections::BTreeSet;
use std::sync::Arc;

use crate::engine::error::EngineError;
use crate::engine::request::{Approve, RunRequest};
use crate::model::access::Access;
use crate::model::name::is_recording;
use crate::network;
use crate::network::lists::Lists;
use crate::network::search::name::SearchName;
use crate::settings::Settings;
use crate::study::manifest::WebTable;
use crate::study::open::Study;

use super::clock::clock;
use super::run_models::RunModels;
use crate::app::toolset::document_helper;

/// The variable that names the search engine.
pub const SEARCH: &str = "REPRISE_SEARCH";

/// The search engine that a flag or the environment names, for a model that is
/// not a recording: a recording answers for the network too.
///
/// # Errors
/// A name that no engine has, or an engine for a recording.
pub fn search_name(
    settings: &Settings,
    flag: Option<&str>,
    model: &str,
) -> Result<Option<SearchName>, EngineError> {
    // Read here and not by the command line's parser, which would print an address whole.
    let read = |from: &str, name: &str| {
        name.parse::<SearchName>()
            .map_err(|error| EngineError::Unusable(format!("{from}: {error}")))
    };
    let flag = flag.map(|name| read("--search", name)).transpose()?;
    if is_recording(model) {
        return match flag {
            None | Some(SearchName::None) => Ok(None),
            Some(name) => Err(EngineError::Unusable(format!(
                "--search {name}: the model {model} is a recording, which answers for the web too; leave --search out, or choose a model that is asked"
            ))),
        };
    }
    let name = match flag {
        Some(name) => Some(name),
        None => settings
            .secret(SEARCH)
            .map(|name| read(SEARCH, name))
            .transpose()?,
    };
    Ok(name.filter(|name| *name != SearchName::None))
}

/// Puts the engine of that name behind a run's network tools; one that a provider
/// hosts is paid from the run's account.
pub(super) fn attach(
    settings: &Settings,
    request: &RunRequest,
    name: &str,
    models: &mut RunModels,
) -> Result<(), EngineError> {
    let unusable = |error: &dyn std::fmt::Display| EngineError::Unusable(error.to_string());
    let name: SearchName = name
        .parse()
        .map_err(|error| EngineError::Unusable(format!("--search: {error}")))?;
    let lists = match &request.track {
        None => {
            let study = Study::open(&request.study)?;
            Lists::new(study.web(), study.reference_digests()?)
        }
        // A task that is no study has no lists of its own.
        Some(_) => Lists::new(&WebTable::default(), BTreeSet::new()),
    };
    let lists = lists.map_err(|error| unusable(&error))?;
    // Where each host needs an approval of its own, no page leads on to another.
    let across = matches!(request.approve, Approve::Auto);
    let helper = document_helper()?;
    let web = network::configured::web(settings, &name, lists, helper, &clock(settings), across)
        .map_err(|error| unusable(&error))?;
    if let Some(web) = web {
        models.network = Arc::new(web);
    }
    let hosted = matches!(name, SearchName::OpenAi(_) | SearchName::Anthropic(_));
    if hosted {
        let name = name.to_string();
        let known = Access::open(settings)?.capabilities(&name);
        if known.price.is_none() && request.budget.caps_money() {
            return Err(EngineError::Unusable(format!(
                "--max-cost cannot be kept: no price is known for {name}, which searches. Cap --max-tokens instead, or choose another --search."
            )));
        }
        let account = models.account.at(known.price).charging(known.search_fee());
        models.accounts.insert(name, account);
    }
    Ok(())
}
