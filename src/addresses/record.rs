//! The record that an address leads to, whatever the address.
//!
//! The patterns are those of the repositories that replication material is kept
//! in. Nothing is looked up: two addresses that only a registry could tell to be
//! one record stay two.

use std::fmt;

use super::address::{Address, decode};

use crate::domain::lazy_regex::LazyRegex;

/// A record in a repository, or a part of one.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Record {
    /// A DOI without its version, or `handle:`, `osf:`, `github:`, `gist:` or
    /// `page:` with what names it there.
    pub work: String,
    /// Absent where the address leads to whichever version is the latest.
    pub version: Option<String>,
    /// A file or folder within the work; empty of the whole.
    pub part: Vec<String>,
}

/// The relation of two records of one work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kinship {
    Same,
    /// The same part of another version.
    OtherVersion,
    /// One lies within the other.
    Within,
    /// Two parts of which neither lies within the other.
    Beside,
}

static DOI: LazyRegex = LazyRegex::new(r"^10\.\d{4,9}/\S+$");
static OSF: LazyRegex = LazyRegex::new(r"^10\.\d{4,9}/osf\.io/([a-z0-9]{5}(?:_v\d+)?)$");
/// A Dataverse file: the DOI of its data set and six characters more.
static FILE: LazyRegex = LazyRegex::new(r"^(10\.\d{4,9}/(?:[a-z0-9]{2,5}/)?[a-z0-9]{6})/([a-z0-9]{6})$");
static VERSIONS: [LazyRegex; 8] = [
    // openICPSR, PeerJ Preprints and arXiv write no sign before the version.
    LazyRegex::new(r"^(10\.3886/e\d+)(v\d+)$"),
    LazyRegex::new(r"^(10\.7287/peerj\.preprints\.\d+)(v\d+)$"),
    LazyRegex::new(r"^(10\.48550/arxiv\.\S+?)(v\d+)$"),
    // Mendeley Data, F1000's platforms, UK Data Service and the AEA's registry
    // write a number alone.
    LazyRegex::new(r"^(10\.17632/[a-z0-9]+)\.(\d+)$"),
    LazyRegex::new(r"^(10\.12688/[a-z0-9]+\.\d+)\.(\d+)$"),
    LazyRegex::new(r"^(10\.5255/ukda-sn-\d+)-(\d+)$"),
    LazyRegex::new(r"^(10\.1257/rct\.\d+)-(\d+(?:\.\d+)*)$"),
    // ICPSR, figshare, preprint servers and most others.
    LazyRegex::new(r"^(10\.\d{4,9}/\S+?)[._/-](v\d{1,3}(?:\.\d+)*)$"),
];

impl Record {
    /// A whole work at no certain version.
    pub fn whole(work: impl Into<String>) -> Self {
        Self {
            work: work.into(),
            version: None,
            part: Vec::new(),
        }
    }

    /// The record of a DOI in lower case. OSF's DOIs are its short names with a
    /// prefix for each of its services.
    pub(super) fn from_doi(doi: &str) -> Self {
        if let Some(guid) = OSF.captures(doi).and_then(|found| Self::osf(&found[1])) {
            return guid;
        }
        if let Some(found) = FILE.captures(doi) {
            return Self {
                part: vec![found[2].to_owned()],
                ..Self::whole(&found[1])
            };
        }
        match VERSIONS.iter().find_map(|version| version.captures(doi)) {
            Some(found) => Self {
                version: Some(found[2].to_owned()),
                ..Self::whole(&found[1])
            },
            None => Self::whole(doi),
        }
    }

    /// The record of one of OSF's short names, with or without `_v2`.
    pub(super) fn osf(name: &str) -> Option<Self> {
        let name = name.to_ascii_lowercase();
        let (guid, version) = match name.split_once("_v") {
            Some((guid, version)) => (guid, Some(digits(version)?)),
            None => (name.as_str(), None),
        };
        let is_guid = guid.len() == 5 && guid.bytes().all(|byte| byte.is_ascii_alphanumeric());
        is_guid.then(|| Self {
            version: version.map(|version| format!("v{version}")),
            ..Self::whole(format!("osf:{guid}"))
        })
    }

    /// A page that is its own record.
    pub fn page(address: &Address) -> Self {
        let query: Vec<_> = (address.query.iter())
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        let path = address.path.join("/");
        Self::whole(format!("page:{}/{path}?{}", address.host, query.join("&")))
    }

    /// How another record stands to this one; `None` of another work.
    pub fn kinship(&self, other: &Self) -> Option<Kinship> {
        if self.work != other.work {
            return None;
        }
        let is_within = self.part.starts_with(&other.part) || other.part.starts_with(&self.part);
        Some(match (self.part == other.part, self.version == other.version) {
            (true, true) => Kinship::Same,
            (true, false) => Kinship::OtherVersion,
            _ if is_within => Kinship::Within,
            _ => Kinship::Beside,
        })
    }

    /// Whether another record is this one or a part of it, at any version and
    /// whatever the case.
    pub fn holds(&self, other: &Self) -> bool {
        let same = |one: &str, other: &str| one.to_lowercase() == other.to_lowercase();
        same(&self.work, &other.work)
            && self.part.len() <= other.part.len()
            && (self.part.iter().zip(&other.part)).all(|(one, other)| same(one, other))
    }
}

impl fmt::Display for Record {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.work)?;
        if let Some(version) = &self.version {
            write!(formatter, "@{version}")?;
        }
        self.part.iter().try_for_each(|part| write!(formatter, "/{part}"))
    }
}

/// A DOI in lower case from `10.x/y`, `doi:10.x/y`, `hdl:10.x/y` or `info:doi/10.x/y`.
pub(super) fn doi(text: &str) -> Option<String> {
    let text = decode(text).to_lowercase();
    let text = text
        .trim_start_matches("info:")
        .trim_start_matches("doi:")
        .trim_start_matches("hdl:")
        .trim_start_matches("doi/")
        .trim();
    let text = text.trim_end_matches('/');
    DOI.is_match(text).then(|| text.to_owned())
}

/// The record of a handle from `hdl:x/y` or `info:hdl/x/y`.
pub(super) fn handle(text: &str) -> Option<Record> {
    let text = decode(text).to_lowercase();
    let rest = (text.strip_prefix("hdl:")).or_else(|| text.strip_prefix("info:hdl/"))?;
    let rest = rest.trim().trim_matches('/');
    rest.contains('/')
        .then(|| Record::whole(format!("handle:{rest}")))
}

pub(super) fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

/// The number of a version such as `V2`.
pub(super) fn version(text: &str) -> Option<&str> {
    digits(text.trim_start_matches(['v', 'V']))
}
