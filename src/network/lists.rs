//! Allow and block lists of the web for a study's search.

use std::collections::BTreeSet;

use reqwest::Url;

use crate::addresses::address::{Address, decode};
use crate::addresses::identity::Identity;
use crate::addresses::record::Record;
use crate::domain::digest::Digest;
use crate::domain::excerpt;
use crate::domain::lazy_regex::LazyRegex;
use crate::study::manifest::WebTable;

/// Where benchmarks publish the answers to every study at once.
const ANSWERS: [&str; 1] = ["github.com/centerforopenscience/llm-benchmarking"];

/// Bytes of an address that tell what it leads to.
const READ: usize = 4_000;

/// Most parts between slashes that are tried as a DOI.
const DOI_PARTS: usize = 5;

static NAMED: LazyRegex = LazyRegex::new(r"10\.\d{4,9}/[^\s?&#]+");

/// The lists of one study.
#[derive(Debug, Clone, Default)]
pub struct Lists {
    allow: Vec<Pattern>,
    block: Vec<Pattern>,
    references: BTreeSet<Digest>,
}

/// An entry that names no part of the web.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "`[web]` of study.toml: `{0}` is no host, address or DOI; write it like `osf.io` or `https://osf.io/mu4rs`"
)]
pub struct BadEntry(pub String);

#[derive(Debug, Clone)]
struct Pattern {
    address: Option<Address>,
    /// The record that the entry names, of which the version does not matter.
    record: Option<Record>,
}

impl Pattern {
    fn read(entry: &str) -> Result<Self, BadEntry> {
        let Identity { address, record, .. } =
            Identity::read(entry.trim()).ok_or_else(|| BadEntry(entry.to_owned()))?;
        Ok(Self {
            address: address.map(Address::in_lower_case),
            record,
        })
    }

    fn covers(&self, identity: &Identity) -> bool {
        let records = self.record.as_ref().zip(identity.record.as_ref());
        if records.is_some_and(|(own, theirs)| own.holds(theirs)) {
            return true;
        }
        let (Some(pattern), Some(address)) = (&self.address, &identity.address) else {
            return false;
        };
        if pattern.is_bare_host() {
            return address.host == pattern.host
                || address
                    .host
                    .strip_suffix(&pattern.host)
                    .is_some_and(|rest| rest.ends_with('.'));
        }
        let address = address.clone().in_lower_case();
        address.host == pattern.host
            && address.path.starts_with(&pattern.path)
            && pattern.query.iter().all(|pair| address.query.contains(pair))
    }
}

/// What the DOIs in an address name, whichever site it is on. Where a DOI ends
/// and its page's path goes on cannot be told, so every length is tried.
fn named(address: &str) -> Vec<Identity> {
    let decoded = decode(address);
    let found = NAMED.find_iter(&decoded).flat_map(|found| {
        let parts: Vec<&str> = found.as_str().split('/').collect();
        (2..=parts.len().min(DOI_PARTS)).filter_map(move |end| Identity::read(&parts[..end].join("/")))
    });
    found.collect()
}

impl Lists {
    /// The lists of a study's manifest, with the digests of its reference files.
    ///
    /// # Errors
    /// An entry that is no address and no host.
    pub fn new(table: &WebTable, references: BTreeSet<Digest>) -> Result<Self, BadEntry> {
        let read = |entries: &[String]| -> Result<Vec<Pattern>, BadEntry> {
            entries.iter().map(|one| Pattern::read(one)).collect()
        };
        let mut block = read(&table.block)?;
        block.extend(read(&table.replication)?);
        for one in ANSWERS {
            block.push(Pattern::read(one)?);
        }
        Ok(Self {
            allow: read(&table.allow)?,
            block,
            references,
        })
    }

    /// Whether an address is withheld. A copy of a blocked page that carries the
    /// page's address in its own, as archives do, is withheld too.
    pub fn withholds(&self, address: &str) -> bool {
        // One spelling, and no more of it than can be read: what pads an address hides nothing.
        let whole = Url::parse(address).map_or_else(|_| address.to_owned(), String::from);
        let (mut identities, mut rest) = (Vec::new(), excerpt::first_bytes(&whole, READ));
        identities.extend(Identity::read(rest));
        while let Some(at) = rest.get(1..).and_then(|rest| rest.find("http")) {
            rest = &rest[at + 1..];
            let decoded = decode(rest);
            identities.extend(Identity::read(&decoded).filter(|_| decoded.contains(":/")));
        }
        let covered = |list: &[Pattern], identities: &[Identity]| {
            list.iter()
                .any(|pattern| identities.iter().any(|identity| pattern.covers(identity)))
        };
        covered(&self.block, &identities)
            || covered(&self.block, &named(&whole))
            || !self.allow.is_empty() && !covered(&self.allow, &identities)
    }

    /// Whether some content is one of the study's references, wherever it lies.
    pub fn is_reference(&self, content: &[u8]) -> bool {
        !self.references.is_empty() && self.references.contains(&Digest::compute(content))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lists(allow: &[&str], block: &[&str], replication: &[&str]) -> Lists {
        let own = |list: &[&str]| list.iter().map(|one| (*one).to_owned()).collect();
        let table = WebTable {
            allow: own(allow),
            block: own(block),
            replication: own(replication),
        };
        Lists::new(&table, [Digest::compute("the report")].into()).unwrap()
    }

    #[test]
    fn hosts_folders_and_records_are_withheld_in_every_form() {
        let lists = lists(
            &[],
            &["spoilers.org", "example.org/Answers", "10.1234/abc"],
            &["https://osf.io/abcde"],
        );
        for address in [
            "https://mirror.example/doi/full/10.1234/ABC/suppl/x.pdf",
            "https://mirror.example/dataset.xhtml?persistentId=doi:10.1234%2Fabc",
            "https://example.org/%41NSWERS/x",
            "https://osf.io/download/ABCDE",
            "https://spoilers.org/",
            "http://www.Spoilers.ORG:8080/x?y#z",
            "https://deep.spoilers.org/x",
            "https://example.org/answers/4.html",
            "https://osf.io/abcde/",
            "https://api.osf.io/v2/nodes/abcde/",
            "https://doi.org/10.17605/OSF.IO/ABCDE",
            "https://osf.io/abcde/files/osfstorage",
            "https://web.archive.org/web/2020/https://spoilers.org/a",
            "https://mirror.example/get?url=https%3A%2F%2Fspoilers.org%2Fa",
            "https://github.com/CenterForOpenScience/llm-benchmarking/tree/main/data",
            "https://spoilers%2Eorg/x",
            "https://spoilers.org./x",
            &format!("https://spoilers.org/x?{}", "a".repeat(9_000)),
            "https://raw.githubusercontent.com/CenterForOpenScience/llm-benchmarking/main/x.json",
        ] {
            assert!(lists.withholds(address), "{address}");
        }
        for address in [
            "https://notspoilers.org/",
            "https://spoilers.org.example.com/",
            "https://example.org/answersheet",
            "https://osf.io/fghij",
            "https://github.com/CenterForOpenScience/osf.io",
            "https://httpbin.org/https",
        ] {
            assert!(!lists.withholds(address), "{address}");
        }
    }

    #[test]
    fn an_allow_list_leaves_the_rest_out_and_a_block_stands_above_it() {
        let lists = lists(&["zenodo.org"], &["zenodo.org/records/7"], &[]);
        assert!(!lists.withholds("https://zenodo.org/records/8"));
        assert!(lists.withholds("https://zenodo.org/records/7"));
        assert!(lists.withholds("https://osf.io/"));
    }

    #[test]
    fn a_reference_is_known_by_its_content() {
        assert!(lists(&[], &[], &[]).is_reference(b"the report"));
        assert!(!lists(&[], &[], &[]).is_reference(b"another report"));
        let table = WebTable {
            block: vec!["two words".to_owned()],
            ..WebTable::default()
        };
        assert!(
            Lists::new(&table, BTreeSet::new())
                .unwrap_err()
                .to_string()
                .contains("two words")
        );
    }
}
