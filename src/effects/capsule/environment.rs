//! The environment of a session, by the language of the capsule's code.

use std::collections::BTreeMap;

use crate::domain::execution::EnvironmentSpec;

/// The environment with nothing but the language: agents install the rest.
pub fn plain(language: &str) -> EnvironmentSpec {
    let is_r = language.trim().eq_ignore_ascii_case("r");
    EnvironmentSpec {
        python: (!is_r).then(Vec::new),
        r: is_r.then(BTreeMap::new),
        ..EnvironmentSpec::default()
    }
}
