//! Access to providers as the settings have it: keys, addresses, and the table of models.

use std::path::PathBuf;

use reqwest::Url;
use serde::Serialize;

use crate::model::capabilities::{Capabilities, ModelTable};
use crate::model::chat::ModelError;
use crate::model::key::Key;
use crate::model::keyring::Keyring;
use crate::model::name::ModelName;
use crate::model::providers::provider::Provider;
use crate::model::served::Serving;
use crate::settings::Settings;

/// A keyring elsewhere than in the user's configuration.
const KEYRING: &str = "REPRISE_KEYRING";
/// A table of models elsewhere than in the user's configuration.
const MODELS: &str = "REPRISE_MODELS";

/// The place that a key is taken from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KeySource {
    Environment,
    Keyring,
}

impl KeySource {
    /// The place in words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Environment => "the environment",
            Self::Keyring => "the keyring",
        }
    }
}

/// Access to every provider that the settings give it to.
#[derive(Debug)]
pub struct Access<'a> {
    settings: &'a Settings,
    keyring: Option<Keyring>,
    table: ModelTable,
}

impl<'a> Access<'a> {
    /// Reads the keyring and the user's table of models, where there are any.
    ///
    /// # Errors
    /// A file that is named and missing, and any that cannot be used.
    pub fn open(settings: &'a Settings) -> Result<Self, ModelError> {
        let named = |variable: &str| settings.secret(variable).map(PathBuf::from);
        let keyring = match named(KEYRING) {
            Some(path) => Some(Keyring::open(&path)?.ok_or_else(|| missing(KEYRING, settings))?),
            None => match settings.configuration("keys.toml") {
                Some(path) => Keyring::open(&path)?,
                None => None,
            },
        };
        let own = match named(MODELS) {
            Some(path) => Some(ModelTable::open(&path)?),
            None => settings
                .configuration("models.toml")
                .filter(|path| path.exists())
                .map(|path| ModelTable::open(&path))
                .transpose()?,
        };
        let built_in = ModelTable::built_in()?;
        Ok(Self {
            settings,
            keyring,
            table: match own {
                Some(own) => built_in.extended(own),
                None => built_in,
            },
        })
    }

    /// What is known of a model, by its full name.
    pub fn capabilities(&self, name: &str) -> Capabilities {
        self.table.get(name)
    }

    /// The rows of the table of models, by name; one that ends in `*` stands for every name that
    /// begins so.
    pub fn known_models(&self) -> impl Iterator<Item = (&str, Capabilities)> {
        self.table.rows()
    }

    /// The day of the prices in the table.
    pub fn prices_as_of(&self) -> Option<&str> {
        self.table.as_of.as_deref()
    }

    /// The place of a provider's key, where there is one.
    pub fn key_source(&self, provider: &Provider) -> Option<KeySource> {
        if self.settings.secret(provider.key_variable).is_some() {
            return Some(KeySource::Environment);
        }
        let ring = self.keyring.as_ref()?;
        ring.holds(provider.prefix).then_some(KeySource::Keyring)
    }

    /// Everything that is needed to ask a model. The key of the environment
    /// stands above that of the keyring.
    ///
    /// # Errors
    /// A keyring that cannot be read, or an address in the environment that is none.
    pub fn serving(&self, name: &ModelName) -> Result<Serving, ModelError> {
        let ModelName::Served { provider, .. } = name else {
            return Ok(Serving::default());
        };
        let variable = provider.key_variable;
        let key = match self.settings.secret(variable) {
            Some(secret) => Some(
                Key::new(secret)
                    .map_err(|error| ModelError::Misconfigured(format!("{variable}: {error}.")))?,
            ),
            None => self.keyring.as_ref().and_then(|ring| ring.key_for(name)).cloned(),
        };
        Ok(Serving {
            key,
            base: self.base(provider)?,
            api_version: provider
                .version_variables
                .iter()
                .find_map(|variable| self.settings.secret(variable))
                .map(str::to_owned),
            capabilities: self.table.get(&name.to_string()),
            ..Serving::default()
        })
    }

    fn base(&self, provider: &Provider) -> Result<Option<Url>, ModelError> {
        let Some((variable, text)) = provider
            .base_variable
            .and_then(|variable| Some((variable, self.settings.secret(variable)?)))
        else {
            return Ok(None);
        };
        let mut base = Url::parse(text).map_err(|error| {
            // The address may hold a password, so it is not shown.
            ModelError::Misconfigured(format!(
                "{variable} is no address ({error}). Give one such as https://HOST/v1."
            ))
        })?;
        if let Some(path) = provider.base_path.filter(|_| base.path() == "/") {
            base.set_path(path);
        }
        Ok(Some(base))
    }
}

fn missing(variable: &str, settings: &Settings) -> ModelError {
    ModelError::Misconfigured(format!(
        "{variable} names `{}`, and there is no such file. Make it, or take the variable away.",
        settings.secret(variable).unwrap_or_default()
    ))
}

#[cfg(test)]
mod tests {
    use std::fs::{Permissions, set_permissions, write};
    use std::os::unix::fs::PermissionsExt as _;
    use std::path::Path;

    use super::*;

    fn settings(variables: &[(&str, &str)]) -> Settings {
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Settings::from_variables(variables).unwrap()
    }

    fn served(settings: &Settings, name: &str) -> Result<Serving, String> {
        Access::open(settings)
            .and_then(|access| access.serving(&name.parse().unwrap()))
            .map_err(|error| error.to_string())
    }

    fn keys(folder: &Path, text: &str) {
        let path = folder.join("keys.toml");
        write(&path, text).unwrap();
        set_permissions(&path, Permissions::from_mode(0o600)).unwrap();
    }

    #[test]
    fn the_environment_stands_above_the_keyring() {
        let home = tempfile::tempdir().unwrap();
        let folder = home.path().join("reprise");
        std::fs::create_dir(&folder).unwrap();
        keys(&folder, "openai = \"from-the-ring\"\n");
        let home = home.path().to_str().unwrap();
        let text = |key: Option<Key>| {
            let said = |key: &Key| match key.masked(b"from-the-ring") {
                Some(masked) => String::from_utf8(masked).unwrap(),
                None => "from-the-ring".to_owned(),
            };
            key.as_ref().map(said)
        };
        let ring = served(&settings(&[("XDG_CONFIG_HOME", home)]), "openai/m").unwrap();
        assert_eq!(text(ring.key).as_deref(), Some("[key]"));
        let both = settings(&[
            ("XDG_CONFIG_HOME", home),
            ("OPENAI_API_KEY", "from-the-environment"),
        ]);
        assert_eq!(
            text(served(&both, "openai/m").unwrap().key).as_deref(),
            Some("from-the-ring")
        );
        assert!(served(&both, "mistral/m").unwrap().key.is_none());
    }

    #[test]
    fn addresses_and_versions_come_from_the_environment() {
        let all = settings(&[
            ("AZURE_OPENAI_ENDPOINT", "https://mine.openai.azure.com"),
            ("OPENAI_API_VERSION", "2025-04-01-preview"),
            ("ANTHROPIC_BASE_URL", "http://127.0.0.1:9"),
            ("OLLAMA_BASE_URL", "http://user:canary@"),
        ]);
        let azure = served(&all, "azure/d").unwrap();
        assert_eq!(azure.base.unwrap().as_str(), "https://mine.openai.azure.com/");
        assert_eq!(azure.api_version.as_deref(), Some("2025-04-01-preview"));
        let anthropic = served(&all, "anthropic/m").unwrap();
        assert_eq!(anthropic.base.unwrap().as_str(), "http://127.0.0.1:9/v1");
        assert_eq!(anthropic.api_version, None);
        let error = served(&all, "ollama/m").err().unwrap();
        assert!(
            error.contains("OLLAMA_BASE_URL") && !error.contains("canary"),
            "{error}"
        );
    }

    #[test]
    fn a_users_table_extends_the_built_in_one() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("mine.toml");
        write(&path, "version = 1\n[models.\"azure/big\"]\nvision = true\nprice = { input = 1.0, cached = 0.5, output = 2.0 }\n").unwrap();
        let own = settings(&[("REPRISE_MODELS", path.to_str().unwrap())]);
        let access = Access::open(&own).unwrap();
        let big = access.capabilities("azure/big");
        assert_eq!((big.vision, big.price.is_some()), (Some(true), true));
        assert!(access.capabilities("openai/gpt-5").price.is_some());
        for variable in ["REPRISE_MODELS", "REPRISE_KEYRING"] {
            let error = Access::open(&settings(&[(variable, "/nowhere/x.toml")])).unwrap_err();
            assert!(error.to_string().contains("/nowhere/x.toml"), "{error}");
        }
    }
}
