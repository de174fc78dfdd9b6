//! The release of uv that is fetched where a machine or an image has none.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The release, as data.
const RELEASE: &str = include_str!("uv.toml");
/// The setting that names the program, or switches it off.
pub const SETTING: &str = "REPRISE_UV";
pub const OFF: &str = "off";

/// A release by the digests of its wheels.
#[derive(Debug, Deserialize)]
pub struct UvRelease {
    pub version: String,
    /// SHA-256 by architecture.
    pub wheels: BTreeMap<String, String>,
}

impl UvRelease {
    /// The release that this program knows.
    ///
    /// # Errors
    /// A table with a mistake, which a test rules out.
    pub fn known() -> Result<Self, toml::de::Error> {
        toml::from_str(RELEASE)
    }

    /// The line of a requirements file that holds installers to it.
    pub fn requirement(&self, architecture: &str) -> Option<String> {
        let digest = self.wheels.get(architecture)?;
        Some(format!("uv=={} --hash=sha256:{digest}", self.version))
    }
}
