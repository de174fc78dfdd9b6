//! A provider of models: prefix, address, version and key.

use std::fmt;
use std::hash::{Hash, Hasher};

/// A service that answers for models. Each is known by its prefix.
pub struct Provider {
    /// The part of a model's name before the first slash.
    pub prefix: &'static str,
    /// Where it is found unless a setting says otherwise; `None` where every customer
    /// has an address of their own.
    pub base: Option<&'static str>,
    /// The environment variable with an address in place of `base`; `None` where the
    /// model's name holds it.
    pub base_variable: Option<&'static str>,
    /// The path of an address in `base_variable` that has none.
    pub base_path: Option<&'static str>,
    /// The environment variables with the version of the interface, first come first.
    pub version_variables: &'static [&'static str],
    /// The environment variable that the key is customarily kept in. Only the settings
    /// layer reads it. An address in a name has one of its own, so that nobody else's
    /// key goes there.
    pub key_variable: &'static str,
    /// Whether every request without a key is turned down.
    pub needs_key: bool,
    /// The highest temperature it takes, where that is known for all of its models.
    pub max_temperature: Option<f64>,
}

impl Provider {
    /// Whether the address is a part of the model's name, `PREFIX/HOST[:PORT][/PATH]/MODEL`.
    pub fn address_in_name(&self) -> bool {
        self.base.is_none() && self.base_variable.is_none()
    }
}

impl PartialEq for Provider {
    fn eq(&self, other: &Self) -> bool {
        self.prefix == other.prefix
    }
}

impl Eq for Provider {}

impl Hash for Provider {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.prefix.hash(state);
    }
}

impl fmt::Debug for Provider {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.prefix)
    }
}
