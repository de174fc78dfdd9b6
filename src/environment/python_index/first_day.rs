//! The instant at which a version came.

use std::str::FromStr as _;

use jiff::Timestamp;
use pep508_rs::pep440_rs::Version;

use super::file_name::parse;
use super::page::IndexPage;

/// A version that the evidence gives, with the instant at which it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PinnedDay {
    pub name: String,
    pub version: String,
    pub came: Timestamp,
}

impl PinnedDay {
    /// The instant of the first file of a version; `None` where the page has none with a date.
    pub fn of(name: &str, version: &str, page: &IndexPage) -> Option<Self> {
        let wanted = Version::from_str(version).ok()?;
        let files = page.files.iter();
        let files = files.filter(|file| parse(&file.name, name).is_some_and(|read| read.version == wanted));
        let came = files.filter_map(|file| file.uploaded).min()?;
        Some(Self {
            name: name.to_owned(),
            version: version.to_owned(),
            came,
        })
    }
}
