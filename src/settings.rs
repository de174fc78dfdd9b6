//! Settings: the only reader of the environment.

use std::collections::BTreeMap;
use std::fmt;
use std::path::PathBuf;

use jiff::Timestamp;
use strum::IntoEnumIterator as _;

use crate::domain::plan::Interpreter;

/// The settings of the environment. Flags come on top, verb by verb.
#[derive(Clone)]
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
    ///
    /// # Errors
    /// A variable that cannot be read as what it sets.
    pub fn from_environment() -> Result<Self, BadSetting> {
        Self::from_variables(
            std::env::vars_os()
                .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?))),
        )
    }

    /// Settings from given variables.
    ///
    /// # Errors
    /// A variable that cannot be read as what it sets.
    pub fn from_variables(variables: impl IntoIterator<Item = (String, String)>) -> Result<Self, BadSetting> {
        let operator: BTreeMap<String, String> = variables.into_iter().collect();
        let get = |name: &str| operator.get(name).filter(|value| !value.is_empty());
        let cache = get("REPRISE_CACHE")
            .map(PathBuf::from)
            .or_else(|| get("XDG_CACHE_HOME").map(|folder| PathBuf::from(folder).join("reprise")))
            .or_else(|| get("HOME").map(|home| PathBuf::from(home).join(".cache/reprise")))
            .unwrap_or_else(|| std::env::temp_dir().join("reprise"));
        Ok(Self {
            cache,
            python: get("REPRISE_PYTHON").map(PathBuf::from),
            fixed_time: read("REPRISE_FIXED_TIME", get("REPRISE_FIXED_TIME"))?,
            die_after_event: read("REPRISE_DIE_AFTER_EVENT", get("REPRISE_DIE_AFTER_EVENT"))?,
            log: get("REPRISE_LOG").cloned(),
            operator,
        })
    }

    /// The images that the operator names for licensed programs, such as
    /// `REPRISE_STATA_IMAGE` for Stata.
    pub fn images(&self) -> BTreeMap<Interpreter, String> {
        Interpreter::iter()
            .filter_map(|one| Some((one, self.secret(one.image_setting()?)?.to_owned())))
            .collect()
    }

    /// A file of the user's configuration, whether or not it is there; `None`
    /// where the environment names no place for it.
    pub fn configuration(&self, name: &str) -> Option<PathBuf> {
        let folder = match self.secret("XDG_CONFIG_HOME") {
            Some(folder) => PathBuf::from(folder),
            None => PathBuf::from(self.secret("HOME")?).join(".config"),
        };
        Some(folder.join("reprise").join(name))
    }

    /// The name of the person who works with this program: `REPRISE_AUTHOR`, else the user's.
    pub fn author(&self) -> Option<&str> {
        ["REPRISE_AUTHOR", "USER", "LOGNAME"]
            .into_iter()
            .find_map(|variable| self.secret(variable))
    }

    /// The command of the person's editor, as `VISUAL` or `EDITOR` names it.
    pub fn editor(&self) -> Option<&str> {
        self.secret("VISUAL").or_else(|| self.secret("EDITOR"))
    }

    /// The command that shows what is longer than a screen, as `PAGER` names it.
    pub fn pager(&self) -> &str {
        self.secret("PAGER").unwrap_or("less")
    }

    /// A secret of the environment, by its variable.
    pub fn secret(&self, variable: &str) -> Option<&str> {
        self.operator
            .get(variable)
            .map(String::as_str)
            .filter(|value| !value.is_empty())
    }
}

/// The environment holds secrets, so none of it is shown.
impl fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Settings")
            .field("cache", &self.cache)
            .finish_non_exhaustive()
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
        assert_eq!(settings.secret("OPENAI_API_KEY"), Some("sk-canary"));
        assert!(!format!("{settings:?}").contains("canary"));
        let settings = Settings::from_variables(set("REPRISE_STATA_IMAGE", "ours/stata:18")).unwrap();
        assert_eq!(settings.images()[&Interpreter::Stata], "ours/stata:18");
        let settings = Settings::from_variables(set("REPRISE_SPSS_IMAGE", "")).unwrap();
        assert!(settings.images().is_empty());
    }
}
