//! The addresses of indexes, as the operator's settings name them.

use reqwest::Url;

use super::error::IndexError;
use crate::environment::r_archive::resolution::ADDRESS as R_SETTING;
use crate::sandbox::session::indexes::{PYTHON_ADDRESS, PYTHON_SETTINGS};
use crate::settings::Settings;

/// The archive of R where nobody names another.
const R: &str = "https://cran.r-project.org";

/// An index's address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IndexAddress {
    pub url: Url,
    /// Whether each day has an address of its own.
    pub is_snapshot: bool,
}

impl IndexAddress {
    /// Python's index: what was given, else what the settings name.
    ///
    /// # Errors
    /// An address that cannot be asked.
    pub fn python(given: Option<&str>, settings: &Settings) -> Result<Self, IndexError> {
        let set = PYTHON_SETTINGS.iter().find_map(|name| settings.secret(name));
        Self::parse(given.or(set).unwrap_or(PYTHON_ADDRESS), "")
    }

    /// R's archive: what was given, else what the settings name; `{date}` is the day.
    ///
    /// # Errors
    /// An address that cannot be asked.
    pub fn r(given: Option<&str>, settings: &Settings, day: &str) -> Result<Self, IndexError> {
        Self::parse(given.or(settings.secret(R_SETTING)).unwrap_or(R), day)
    }

    fn parse(text: &str, day: &str) -> Result<Self, IndexError> {
        let is_snapshot = text.contains("{date}");
        let text = text.replace("{date}", day);
        let fault = |shown: String, reason: &str| IndexError::Address {
            address: shown,
            reason: reason.to_owned(),
        };
        let mut url = Url::parse(text.trim_end_matches('/'))
            .map_err(|error| fault("of the settings".to_owned(), &error.to_string()))?;
        let host = url.host_str().unwrap_or_default().to_owned();
        if !url.username().is_empty() || url.password().is_some() {
            return Err(fault(
                host,
                "it holds a user or a password, which a lock would keep",
            ));
        }
        if !matches!(url.scheme(), "http" | "https") {
            return Err(fault(
                url.scheme().to_owned(),
                "it does not begin with http:// or https://",
            ));
        }
        if url.query().is_some() || url.fragment().is_some() {
            return Err(fault(host, "it holds a query or a fragment"));
        }
        if !url.path().ends_with('/') {
            url.set_path(&format!("{}/", url.path()));
        }
        Ok(Self { url, is_snapshot })
    }

    /// The address as a lock has it.
    pub fn shown(&self) -> &str {
        self.url.as_str().trim_end_matches('/')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(pairs: &[(&str, &str)]) -> Settings {
        let pairs = pairs
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
        Settings::from_variables(pairs).unwrap()
    }

    #[test]
    fn what_is_given_stands_above_what_is_set() {
        let none = settings(&[]);
        assert_eq!(
            IndexAddress::python(None, &none).unwrap().shown(),
            "https://pypi.org/simple"
        );
        let set = settings(&[("PIP_INDEX_URL", "https://packages.example.org/simple/")]);
        assert_eq!(
            IndexAddress::python(None, &set).unwrap().shown(),
            "https://packages.example.org/simple"
        );
        let given = IndexAddress::python(Some("http://127.0.0.1:1/x"), &set).unwrap();
        assert_eq!(given.url.as_str(), "http://127.0.0.1:1/x/");
        let dated = settings(&[(R_SETTING, "https://packages.example.org/cran/{date}")]);
        let dated = IndexAddress::r(None, &dated, "2020-01-02").unwrap();
        assert!(dated.is_snapshot);
        assert_eq!(dated.shown(), "https://packages.example.org/cran/2020-01-02");
    }

    #[test]
    fn a_password_is_refused_and_not_shown() {
        let set = settings(&[(
            "PIP_INDEX_URL",
            "https://user:hunter2@packages.example.org/simple",
        )]);
        let refused = IndexAddress::python(None, &set).unwrap_err().to_string();
        assert!(
            refused.contains("packages.example.org") && !refused.contains("hunter2"),
            "{refused}"
        );
        for other in ["ftp://example.org", "nonsense", "https://example.org/?x=1"] {
            assert!(
                IndexAddress::python(Some(other), &settings(&[])).is_err(),
                "{other}"
            );
        }
    }
}
