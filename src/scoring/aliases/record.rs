//! The record that an address leads to, whatever the address.
//!
//! The patterns are those of the repositories that replication material is kept
//! in. Nothing is looked up: two addresses that only a registry could tell to be
//! one record stay two.

use std::sync::LazyLock;

use regex::Regex;

use super::address::{Address, bare, decode};

/// What an address says of itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Identity {
    /// Absent of a bare DOI.
    pub address: Option<Address>,
    /// A DOI given as such: bare, `doi:`, or an address of a DOI resolver.
    pub doi: Option<String>,
    /// The record's key: a DOI, or `handle:`, `github:` and the like.
    pub record: Option<String>,
    /// The record's key without its version.
    pub work: Option<String>,
}

static DOI: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"^10\.\d{4,9}/\S+$").ok());
static VERSIONS: LazyLock<Vec<Regex>> = LazyLock::new(|| {
    // openICPSR, ICPSR, figshare, Mendeley Data, arXiv.
    [
        r"^(10\.3886/e\d+)v\d+$",
        r"^(10\.3886/icpsr\d+)\.v\d+$",
        r"^(10\.6084/m9\.figshare\.\d+)\.v\d+$",
        r"^(10\.17632/[a-z0-9]+)\.\d+$",
        r"^(10\.48550/arxiv\.[\d.]+)v\d+$",
    ]
    .iter()
    .filter_map(|pattern| Regex::new(pattern).ok())
    .collect()
});

impl Identity {
    /// Reads an address or a DOI; `None` of prose.
    pub fn read(raw: &str) -> Option<Self> {
        let text = bare(raw)?;
        if let Some(doi) = doi(text) {
            return Some(Self::of(None, Some(doi.clone()), Some(doi)));
        }
        let address = Address::read(text)?;
        if let Some(inner) = archived(&address, text) {
            let inner = Self::read(inner)?;
            let record = inner.record.or_else(|| inner.address.as_ref().map(page));
            return Some(Self::of(Some(address), None, record));
        }
        let explicit = ["doi.org", "dx.doi.org"]
            .contains(&address.host.as_str())
            .then(|| doi(&address.path.join("/")))
            .flatten();
        let record = explicit.clone().or_else(|| record(&address)).or_else(|| {
            let has_page = !address.is_bare_host();
            has_page.then(|| page(&address))
        });
        Some(Self::of(Some(address), explicit, record))
    }

    fn of(address: Option<Address>, doi: Option<String>, record: Option<String>) -> Self {
        let work = record.as_deref().map(work);
        Self {
            address,
            doi,
            record,
            work,
        }
    }
}

/// A DOI in lower case from `10.x/y`, `doi:10.x/y` or `info:doi/10.x/y`.
fn doi(text: &str) -> Option<String> {
    let text = decode(text).to_lowercase();
    let text = text
        .trim_start_matches("info:")
        .trim_start_matches("doi:")
        .trim_start_matches("doi/")
        .trim();
    let text = text.trim_end_matches('/');
    DOI.as_ref()?.is_match(text).then(|| text.to_owned())
}

/// A record without its version: the DOI's suffix, or the repository's ref.
fn work(record: &str) -> String {
    if let Some(found) = VERSIONS.iter().find_map(|version| version.captures(record)) {
        return found[1].to_owned();
    }
    match record
        .strip_prefix("github:")
        .and_then(|rest| rest.split_once('@'))
    {
        Some((repository, _)) => format!("github:{repository}"),
        None => record.to_owned(),
    }
}

fn page(address: &Address) -> String {
    let query: Vec<_> = address
        .query
        .iter()
        .map(|(key, value)| format!("{key}={value}"))
        .collect();
    format!(
        "page:{}/{}?{}",
        address.host,
        address.path.join("/"),
        query.join("&")
    )
}

/// The address inside one of the Internet Archive's.
fn archived<'a>(address: &Address, text: &'a str) -> Option<&'a str> {
    if address.host != "web.archive.org" || address.path.first()? != "web" {
        return None;
    }
    let after = text.split_once("/web/")?.1;
    Some(after.split_once('/')?.1)
}

fn record(address: &Address) -> Option<String> {
    let path: Vec<&str> = address.path.iter().map(String::as_str).collect();
    persistent(address).or_else(|| match address.host.as_str() {
        "zenodo.org" => match path.as_slice() {
            ["record" | "records", number, ..] | ["api", "records", number, ..] => {
                digits(number).map(|number| format!("10.5281/zenodo.{number}"))
            }
            ["doi", rest @ ..] => doi(&rest.join("/")),
            _ => None,
        },
        "osf.io" => match path.as_slice() {
            [guid] | [guid, "overview" | "download"] => osf(guid),
            _ => None,
        },
        "api.osf.io" => match path.as_slice() {
            ["v2", "nodes" | "registrations" | "preprints", guid] => osf(guid),
            _ => None,
        },
        "openicpsr.org" => match path.as_slice() {
            ["openicpsr", "project", number, "version", version, ..] => {
                let version = digits(version.trim_start_matches('v'))?;
                digits(number).map(|number| format!("10.3886/e{number}v{version}"))
            }
            ["openicpsr", "project", number, ..] => digits(number).map(|number| format!("10.3886/e{number}")),
            _ => None,
        },
        "icpsr.umich.edu" => {
            let at = path.iter().position(|part| *part == "studies")?;
            let number: u32 = path.get(at + 1)?.parse().ok()?;
            let version = match (path.get(at + 2), path.get(at + 3)) {
                (Some(&"versions"), Some(version)) => digits(version.trim_start_matches('v')),
                _ => None,
            };
            let version = version.map_or_else(String::new, |version| format!(".v{version}"));
            Some(format!("10.3886/icpsr{number:05}{version}"))
        }
        "github.com" | "raw.githubusercontent.com" | "codeload.github.com" => github(&address.host, &path),
        "data.mendeley.com" => match path.as_slice() {
            ["datasets", id] => Some(format!("10.17632/{id}")),
            ["datasets", id, version, ..] => Some(format!("10.17632/{id}.{version}")),
            _ => None,
        },
        "arxiv.org" => match path.as_slice() {
            ["abs" | "pdf" | "html", id, ..] => {
                Some(format!("10.48550/arxiv.{}", id.trim_end_matches(".pdf")))
            }
            _ => None,
        },
        host if host == "figshare.com" || host.ends_with(".figshare.com") => figshare(&path),
        _ => None,
    })
}

/// DOIs and handles that a page names: Dataverse's `persistentId`, Dryad's
/// `dataset/doi:`, resolvers of other hosts, and a publisher's landing page.
fn persistent(address: &Address) -> Option<String> {
    if let Some(id) = address.value("persistentid") {
        return doi(id).or_else(|| handle(id));
    }
    if address.host == "hdl.handle.net" {
        let id = address.path.join("/");
        return doi(&id).or_else(|| handle(&format!("hdl:{id}")));
    }
    let path = address.path.join("/");
    let parts: Vec<&str> = path.split('/').collect();
    let at = parts
        .iter()
        .position(|part| *part == "doi" || part.starts_with("doi:"))?;
    let landing = match &parts[at..] {
        ["doi", "abs" | "full" | "pdf" | "epdf", rest @ ..] | ["doi", rest @ ..] | rest => rest,
    };
    // More than prefix and suffix is something below the record, not the record.
    (landing.len() == 2).then(|| doi(&landing.join("/"))).flatten()
}

fn handle(id: &str) -> Option<String> {
    let id = id.to_lowercase();
    let id = id.strip_prefix("hdl:")?;
    id.contains('/').then(|| format!("handle:{id}"))
}

fn digits(text: &str) -> Option<&str> {
    (!text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())).then_some(text)
}

fn osf(guid: &str) -> Option<String> {
    let is_guid = guid.len() == 5 && guid.bytes().all(|byte| byte.is_ascii_alphanumeric());
    is_guid.then(|| format!("10.17605/osf.io/{guid}"))
}

fn figshare(path: &[&str]) -> Option<String> {
    let at = path.iter().position(|part| *part == "articles")?;
    let mut numbers = path[at + 1..].iter().rev().map_while(|part| digits(part));
    match (numbers.next(), numbers.next()) {
        (Some(version), Some(number)) => Some(format!("10.6084/m9.figshare.{number}.v{version}")),
        (Some(number), None) => Some(format!("10.6084/m9.figshare.{number}")),
        _ => None,
    }
}

fn github(host: &str, path: &[&str]) -> Option<String> {
    let (owner, repository, rest) = match path {
        [owner, repository, rest @ ..] => (owner, repository.trim_end_matches(".git"), rest),
        _ => return None,
    };
    let root = format!("github:{owner}/{repository}");
    let at = |reference: &str, file: &[&str]| {
        let reference = reference.trim_end_matches(".zip").trim_end_matches(".tar.gz");
        let mut key = format!("{root}@{reference}");
        for part in file {
            key.push('/');
            key.push_str(part);
        }
        key
    };
    match (host, rest) {
        (_, []) => Some(root),
        ("raw.githubusercontent.com", ["refs", "heads" | "tags", reference, file @ ..])
        | ("raw.githubusercontent.com", [reference, file @ ..])
        | ("github.com", ["blob" | "tree" | "raw", reference, file @ ..]) => Some(at(reference, file)),
        ("github.com", ["archive", "refs", "heads" | "tags", reference])
        | ("github.com", ["archive", reference] | ["releases", "tag", reference])
        | ("codeload.github.com", ["zip" | "tar.gz", "refs", "heads" | "tags", reference])
        | ("codeload.github.com", ["zip" | "tar.gz", reference]) => Some(at(reference, &[])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record_of(text: &str) -> String {
        Identity::read(text)
            .and_then(|identity| identity.record)
            .unwrap_or_default()
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
                    "doi:10.7910/DVN/VOQCHQ.",
                ][..],
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
                "10.17605/osf.io/ab3de",
                &[
                    "osf.io/ab3de/",
                    "https://api.osf.io/v2/nodes/AB3DE/",
                    "https://doi.org/10.17605/OSF.IO/AB3DE",
                ],
            ),
            (
                "10.5061/dryad.59p4111",
                &[
                    "https://datadryad.org/dataset/doi:10.5061/dryad.59p4111",
                    "https://datadryad.org/stash/dataset/doi%3A10.5061%2Fdryad.59p4111",
                ],
            ),
            (
                "10.3886/e100v2",
                &["https://www.openicpsr.org/openicpsr/project/100/version/V2/view"],
            ),
            (
                "10.3886/icpsr01234.v3",
                &["https://www.icpsr.umich.edu/web/ICPSR/studies/1234/versions/V3"],
            ),
            (
                "10.6084/m9.figshare.77.v2",
                &["https://figshare.com/articles/dataset/A_title/77/2"],
            ),
            (
                "github:o/r@main/a/b.csv",
                &[
                    "https://github.com/o/r/blob/main/a/b.csv",
                    "https://raw.githubusercontent.com/o/r/main/a/b.csv",
                ],
            ),
            (
                "github:o/r@v1",
                &[
                    "https://github.com/o/r/archive/refs/tags/v1.zip",
                    "https://github.com/o/r/tree/v1",
                ],
            ),
            (
                "handle:1902.1/21919",
                &[
                    "hdl.handle.net/1902.1/21919",
                    "https://d.org/dataset.xhtml?persistentId=hdl:1902.1/21919",
                ],
            ),
            ("10.2766/34160", &["https://data.europa.eu/doi/10.2766/34160"]),
            (
                "10.1177/000312",
                &["https://journals.sagepub.com/doi/abs/10.1177/000312"],
            ),
        ] {
            for address in addresses {
                assert_eq!(record_of(address), record, "{address}");
            }
        }
    }

    #[test]
    fn a_supplement_is_not_its_article() {
        let supplement = record_of("https://journals.sagepub.com/doi/suppl/10.1177/000312/suppl_file/a.pdf");
        assert!(supplement.starts_with("page:"), "{supplement}");
    }

    #[test]
    fn versions_share_a_work() {
        let work = |text: &str| Identity::read(text).unwrap().work.unwrap();
        assert_eq!(
            work("10.3886/E100V1"),
            work("https://www.openicpsr.org/openicpsr/project/100/version/V2/view")
        );
        assert_eq!(
            work("10.6084/m9.figshare.77.v2"),
            work("https://figshare.com/articles/dataset/t/77")
        );
        assert_eq!(
            work("https://github.com/o/r"),
            work("https://github.com/o/r/archive/main.zip")
        );
        assert_ne!(work("10.5281/zenodo.123"), work("10.5281/zenodo.124"));
        assert_ne!(work("10.3886/E100"), work("10.3886/E101"));
    }

    #[test]
    fn an_archived_page_is_the_page() {
        let archived = "https://web.archive.org/web/20150905135247/http:/a-forum.com/x/show/";
        assert_eq!(record_of(archived), record_of("http://a-forum.com/x/show"));
    }
}
