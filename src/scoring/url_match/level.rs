//! The levels at which an address can match a resource.

use serde::{Deserialize, Serialize};

use crate::scoring::url_match::case::CaseId;

/// The level of a match between a predicted address and a resource, the closest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Level {
    /// A person has recorded that the address is the resource.
    Curated,
    /// The same address in canonical form.
    CanonicalUrl,
    /// The same DOI, given as a DOI by both.
    Doi,
    /// The same record under another address.
    SameRecord,
    /// The same address but for the case of its path: one page on many servers, two on others.
    OtherCase,
    /// Another version of the same work.
    OtherVersion,
    /// Above or below the resource: a page on the same host, or what lies in a
    /// record or holds it.
    Path,
    /// A host's front page which the gold set itself lists among the resource's aliases.
    FrontPage,
    /// Another part of the same repository or data set.
    SameRepository,
    /// Somewhere on the same registrable domain.
    Domain,
}

impl Level {
    /// The level's meaning, in a few words.
    pub fn words(self) -> &'static str {
        match self {
            Self::Curated => "a recorded alias",
            Self::CanonicalUrl => "the same address",
            Self::Doi => "the same DOI",
            Self::SameRecord => "the same record elsewhere",
            Self::OtherCase => "the same address in another case",
            Self::OtherVersion => "another version of the work",
            Self::Path => "a page above or below it",
            Self::FrontPage => "a front page that the gold set lists",
            Self::SameRepository => "elsewhere in the same repository",
            Self::Domain => "only the same domain",
        }
    }
}

/// An address that a person has recorded as a resource of a case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CuratedAlias {
    pub case: CaseId,
    pub resource: String,
    pub address: String,
}
