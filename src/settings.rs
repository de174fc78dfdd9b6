//! Settings: the only reader of the environment.

use std::collections::BTreeMap;
use std::path::PathBuf;

use jiff::Timestamp;

use crate::model::key::Key;
use crate::model::name::Provider;

/// What the environment says. Flags come on top, verb by verb.
#[derive(Debug, Clone)]
pub struct Settings {
    /// Where environments are kept, for every run of this user.
    pub cache: PathBuf,
    /// The Python that environments are made with; `None` looks along `PATH`.
    pub python: Option<PathBuf>,
    /// The whole environment, for the build step, which picks what pip needs.
    pub operator: BTreeMap<String, String>,
    /// A time that stands still, for byte-identical journals.
    pub fixed_time: Option<Timestamp>,
    /// For tests: the process dies right behind this event of the journal.
    pub die_after_event: Option<u64>,
    /// Log filter in the form of `RUST_LOG`.
    pub log: Option<String>,
    keys: BTreeMap<&'static str, String>,
}

/// A variable that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{variable}={value}: {reason}")]
pub struct BadSetting {
    pub variable: &'static str,
    pub value: String,
    pub reason: String,
}

impl Settings {
    /// Settings from the process's environment.
    pub fn from_environment() -> Result<Self, BadSetting> {
        Self::from_variables(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
        )
    }

    /// Settings from given variables.
    pub fn from_variables(variables: impl IntoIterator<Item = (String, String)>) -> Result<Self, BadSetting> {
        let operator: BTreeMap<String, String> = variables.into_iter().collect();
        let get = |name: &str| operator.get(name).filter(|value| !value.is_empty());
        let cache = get("REPRISE_CACHE")
            .map(PathBuf::from)
            .or_else(|| get("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("reprise")))
            .or_else(|| get("HOME").map(|home| PathBuf::from(home).join(".cache/reprise")))
            .unwrap_or_else(|| std::env::temp_dir().join("reprise"));
        let providers = [
            Provider::OpenAi,
            Provider::OpenRouter,
            Provider::Vllm,
            Provider::Ollama,
            Provider::Azure,
            Provider::Anthropic,
            Provider::Compatible,
        ];
        let keys = providers
            .into_iter()
            .filter_map(|provider| {
                let name = provider.key_variable();
                Some((name, get(name)?.clone()))
            })
            .collect();
        Ok(Self {
            cache,
            python: get("REPRISE_PYTHON").map(PathBuf::from),
            fixed_time: read("REPRISE_FIXED_TIME", get("REPRISE_FIXED_TIME"))?,
            die_after_event: read("REPRISE_DIE_AFTER_EVENT", get("REPRISE_DIE_AFTER_EVENT"))?,
            log: get("REPRISE_LOG").cloned(),
            keys,
            operator,
        })
    }

    /// The key of a provider, where the environment holds one.
    pub fn key(&self, provider: Provider) -> Result<Option<Key>, BadSetting> {
        let variable = provider.key_variable();
        let Some(value) = self.keys.get(variable) else {
            return Ok(None);
        };
        // The value itself is never part of the message.
        Key::new(value).map(Some).map_err(|error| BadSetting {
            variable,
            value: "(hidden)".to_owned(),
            reason: error.to_string(),
        })
    }
}

fn read<T>(variable: &'static str, value: Option<&String>) -> Result<Option<T>, BadSetting>
where
    T: std::str::FromStr,
    T::Err: std::fmt::Display,
{
    let parse = |value: &String| {
        value.parse().map_err(|error: T::Err| BadSetting {
            variable,
            value: value.clone(),
            reason: error.to_string(),
        })
    };
    value.map(parse).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_variable_is_named_with_its_value() {
        let set = |name: &str, value: &str| [(name.to_owned(), value.to_owned())];
        let error = Settings::from_variables(set("REPRISE_FIXED_TIME", "yesterday"))
            .unwrap_err()
            .to_string();
        assert!(error.starts_with("REPRISE_FIXED_TIME=yesterday:"), "{error}");
        let settings = Settings::from_variables(set("HOME", "/home/x")).unwrap();
        assert_eq!(settings.cache, PathBuf::from("/home/x/.cache/reprise"));
        let settings = Settings::from_variables(set("OPENAI_API_KEY", "sk-canary")).unwrap();
        assert!(!format!("{:?}", settings.key(Provider::OpenAi)).contains("canary"));
    }
}
