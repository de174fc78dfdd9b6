//! Identity of an address: its normal form, its DOI, and the repository's record that it names.

use super::address::{Address, written};
use super::record::{Record, doi, handle};
use super::sites;

/// The identity of an address, in the parts that it gives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Absent of a bare DOI.
    pub address: Option<Address>,
    /// A DOI given as such: bare, `doi:`, or an address of a DOI resolver.
    pub doi: Option<String>,
    pub record: Option<Record>,
}

impl Identity {
    /// Reads an address, a DOI or a handle; `None` of prose.
    pub fn read(raw: &str) -> Option<Self> {
        let text = written(raw)?;
        if let Some(doi) = doi(&text) {
            let record = Some(Record::from_doi(&doi));
            return Some(Self {
                address: None,
                doi: Some(doi),
                record,
            });
        }
        if let Some(record) = handle(&text) {
            return Some(Self {
                address: None,
                doi: None,
                record: Some(record),
            });
        }
        let address = Address::read(&text)?;
        let (doi, record) = if let Some(inner) = archived(&address, &text) {
            let inner = Self::read(inner)?;
            (
                None,
                inner.record.or_else(|| inner.address.as_ref().map(Record::page)),
            )
        } else if let Some(doi) = sites::resolved(&address) {
            let record = Record::from_doi(&doi);
            (Some(doi), Some(record))
        } else {
            let has_page = !address.is_bare_host();
            let page = || has_page.then(|| Record::page(&address));
            (None, sites::record(&address).or_else(page))
        };
        Some(Self {
            address: Some(address),
            doi,
            record,
        })
    }
}

/// The address inside one of the Internet Archive's.
fn archived<'a>(address: &Address, text: &'a str) -> Option<&'a str> {
    if address.host != "web.archive.org" || address.path.first()? != "web" {
        return None;
    }
    let after = text.split_once("/web/")?.1;
    Some(after.split_once('/')?.1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::addresses::record::Kinship;

    fn record_of(text: &str) -> Record {
        Identity::read(text).and_then(|identity| identity.record).unwrap()
    }

    fn kinship(one: &str, other: &str) -> Option<Kinship> {
        record_of(one).kinship(&record_of(other))
    }

    #[test]
    fn one_record_many_addresses() {
        for (record, addresses) in [
            (
                "10.7910/dvn/voqchq",
                &[
                    "https://dataverse.harvard.edu/dataset.xhtml?persistentId=doi:10.7910/DVN/VOQCHQ",
                    "https://dataverse.harvard.edu/api/access/dataset/:persistentId/?persistentId=doi%3A10.7910%2FDVN%2FVOQCHQ",
                    "https://doi.org/10.7910/DVN/VOQCHQ",
                    "https://api.datacite.org/dois/10.7910/dvn/voqchq",
                    "doi:10.7910/DVN/VOQCHQ.",
                    "hdl:10.7910/DVN/VOQCHQ",
                ][..],
            ),
            (
                "10.7910/dvn/voqchq/hwhxqy",
                &[
                    "https://dataverse.harvard.edu/file.xhtml?persistentId=doi:10.7910/DVN/VOQCHQ/HWHXQY&version=1.0",
                    "10.7910/DVN/VOQCHQ/HWHXQY",
                ],
            ),
            (
                "10.5281/zenodo.123",
                &[
                    "https://zenodo.org/records/123",
                    "https://zenodo.org/record/123#.X",
                    "10.5281/zenodo.123",
                ],
            ),
            (
                "10.5281/zenodo.123/a.csv",
                &[
                    "https://zenodo.org/records/123/files/a.csv?download=1",
                    "https://zenodo.org/api/records/123/files/a.csv/content",
                ],
            ),
            (
                "osf:ab3de",
                &[
                    "osf.io/ab3de/",
                    "https://api.osf.io/v2/nodes/AB3DE/",
                    "https://doi.org/10.17605/OSF.IO/AB3DE",
                    "https://osf.io/download/ab3de/",
                    "https://osf.io/ab3de/download",
                    "https://osf.io/p2hvy/files/ab3de",
                    "https://files.osf.io/v1/resources/ab3de/providers/osfstorage/?zip=",
                    "10.31234/osf.io/ab3de",
                    "https://osf.io/preprints/psyarxiv/ab3de",
                    "https://psyarxiv.com/ab3de/",
                ],
            ),
            (
                "osf:ab3de@v2",
                &["10.31234/osf.io/ab3de_v2", "osf.io/preprints/psyarxiv/ab3de_v2"],
            ),
            (
                "10.5061/dryad.59p4111",
                &[
                    "https://datadryad.org/dataset/doi:10.5061/dryad.59p4111",
                    "https://datadryad.org/stash/dataset/doi%3A10.5061%2Fdryad.59p4111",
                ],
            ),
            (
                "10.3886/e100@v2",
                &[
                    "https://www.openicpsr.org/openicpsr/project/100/version/V2/view",
                    "10.3886/E100V2",
                ],
            ),
            (
                "10.3886/icpsr01234@v3",
                &["https://www.icpsr.umich.edu/web/ICPSR/studies/1234/versions/V3"],
            ),
            (
                "10.6084/m9.figshare.77@v2",
                &["https://figshare.com/articles/dataset/A_title/77/2"],
            ),
            (
                "github:o/r@main/a/B.csv",
                &[
                    "https://github.com/O/r/blob/main/a/B.csv",
                    "https://raw.githubusercontent.com/o/R/main/a/B.csv",
                    "https://raw.githubusercontent.com/o/r/refs/heads/main/a/B.csv",
                ],
            ),
            (
                "github:o/r",
                &["git@github.com:o/r.git", "https://github.com/O/R.git"],
            ),
            (
                "github:o/r@v1",
                &[
                    "https://github.com/o/r/archive/refs/tags/v1.zip",
                    "https://github.com/o/r/tree/v1",
                ],
            ),
            (
                "gist:0a1b@77/x.R",
                &["https://gist.githubusercontent.com/o/0a1b/raw/77/x.R"],
            ),
            (
                "gist:0a1b",
                &["https://gist.github.com/o/0a1b", "git@gist.github.com:0a1b.git"],
            ),
            (
                "handle:1902.1/21919",
                &[
                    "hdl.handle.net/1902.1/21919",
                    "hdl:1902.1/21919",
                    "https://dataverse.unc.edu/dataset.xhtml?persistentId=hdl:1902.1/21919",
                ],
            ),
            ("10.2766/34160", &["https://data.europa.eu/doi/10.2766/34160"]),
            (
                "10.1177/000312",
                &["https://journals.sagepub.com/doi/abs/10.1177/000312"],
            ),
            (
                "10.1371/journal.pone.0123456",
                &["https://journals.plos.org/plosone/article?id=10.1371/journal.pone.0123456"],
            ),
            (
                "10.48550/arxiv.hep-th/9901001@v2",
                &["https://arxiv.org/pdf/hep-th/9901001v2.pdf"],
            ),
        ] {
            for address in addresses {
                assert_eq!(record_of(address).to_string(), record, "{address}");
            }
        }
    }

    #[test]
    fn another_sites_page_is_not_the_record_that_it_names() {
        for page in [
            "https://journals.sagepub.com/doi/suppl/10.1177/000312/suppl_file/a.pdf",
            "https://evil.org/doi/10.1000/182",
            "https://evil.org/dataset.xhtml?persistentId=doi:10.7910/DVN/VOQCHQ",
            "https://evil.org/10.17605/OSF.IO/ABCDE",
            "https://evil.org/?id=10.1371/journal.pone.0123456",
            "https://dataverse.harvard.edu.evil.org/dataset.xhtml?persistentId=doi:10.7910/DVN/VOQCHQ",
        ] {
            let record = record_of(page);
            assert!(record.work.starts_with("page:"), "{page}: {record}");
        }
    }

    #[test]
    fn versions_share_a_work() {
        for (one, other) in [
            (
                "10.3886/E100V1",
                "https://www.openicpsr.org/openicpsr/project/100/version/V2/view",
            ),
            (
                "10.6084/m9.figshare.77.v2",
                "https://figshare.com/articles/dataset/t/77",
            ),
            (
                "https://github.com/o/r",
                "https://github.com/o/r/archive/main.zip",
            ),
            (
                "https://github.com/o/r/blob/v1/a.csv",
                "https://github.com/o/r/blob/v2/a.csv",
            ),
            ("10.1234/abc", "10.1234/abc.v2"),
            ("10.12688/f1000research.1234.1", "10.12688/f1000research.1234.2"),
            ("10.31234/osf.io/abcde", "10.31234/osf.io/abcde_v2"),
            ("10.5255/UKDA-SN-1234-1", "10.5255/UKDA-SN-1234-2"),
            ("10.18128/D010.V10.0", "10.18128/D010.V9.0"),
            ("arxiv.org/abs/2504.10506v2", "arxiv.org/pdf/2504.10506"),
        ] {
            assert_eq!(kinship(one, other), Some(Kinship::OtherVersion), "{one} {other}");
        }
        for (one, other) in [
            ("10.5281/zenodo.123", "10.5281/zenodo.124"),
            ("10.3886/E100", "10.3886/E101"),
            ("10.1234/abc-1", "10.1234/abc-2"),
            ("arxiv.org/abs/hep-th/9901001", "arxiv.org/abs/hep-th/9901002"),
        ] {
            assert_eq!(kinship(one, other), None, "{one} {other}");
        }
    }

    #[test]
    fn a_part_is_within_its_work_and_beside_other_parts() {
        let file = "https://github.com/o/r/blob/main/data/a.csv";
        for whole in ["https://github.com/o/r", "https://github.com/o/r/tree/main/data"] {
            assert_eq!(kinship(file, whole), Some(Kinship::Within), "{whole}");
        }
        for other in [
            "https://github.com/o/r/blob/main/data/A.csv",
            "https://raw.githubusercontent.com/o/r/v2/data/b.csv",
        ] {
            assert_eq!(kinship(file, other), Some(Kinship::Beside), "{other}");
        }
        assert_eq!(
            kinship("10.7910/DVN/VOQCHQ", "10.7910/DVN/VOQCHQ/HWHXQY"),
            Some(Kinship::Within)
        );
        assert!(record_of("github.com/O/R").holds(&record_of(file)));
        assert!(!record_of(file).holds(&record_of("github.com/o/r")));
    }

    #[test]
    fn an_archived_page_is_the_page() {
        let archived = "https://web.archive.org/web/20150905135247/http:/a-forum.com/x/show/";
        assert_eq!(record_of(archived), record_of("http://a-forum.com/x/show"));
    }
}
