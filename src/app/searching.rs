//! The search engine of a run.

use crate::engine::error::EngineError;
use crate::network::search::name::SearchName;
use crate::settings::Settings;

/// The variable that names the search engine.
const SEARCH: &str = "REPRISE_SEARCH";

/// The search engine that a flag or the environment names, for a model that is
/// not a recording: a recording answers for the network too.
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
    let is_recording = model.starts_with("recorded:") || model.starts_with("scripted:");
    if is_recording {
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
