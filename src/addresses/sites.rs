//! Which record an address of a known site is.
//!
//! A DOI in an address says what the page is about; only of resolvers,
//! publishers and repositories that are known here is the page the record.

use super::address::Address;
use super::dataverses;
use super::record::{Record, doi, handle};
use super::repositories;

/// Resolvers whose path is a DOI or a handle.
const RESOLVERS: [&str; 3] = ["doi.org", "dx.doi.org", "hdl.handle.net"];

/// Publishers whose landing pages have `/doi/` in their path, or a DOI as `id` or
/// `doi` of their query; hosts below them count too.
const PUBLISHERS: [&str; 26] = [
    "aeaweb.org",
    "ajph.aphapublications.org",
    "annualreviews.org",
    "ascelibrary.org",
    "ascopubs.org",
    "data.europa.eu",
    "direct.mit.edu",
    "dl.acm.org",
    "emerald.com",
    "epubs.siam.org",
    "journals.aom.org",
    "journals.physiology.org",
    "journals.plos.org",
    "journals.sagepub.com",
    "journals.uchicago.edu",
    "liebertpub.com",
    "nejm.org",
    "onlinelibrary.wiley.com",
    "pnas.org",
    "psychiatryonline.org",
    "psycnet.apa.org",
    "pubs.acs.org",
    "pubsonline.informs.org",
    "royalsocietypublishing.org",
    "science.org",
    "tandfonline.com",
];

/// OSF's preprint servers that have, or had, a host of their own.
const PREPRINTS: [&str; 4] = ["psyarxiv.com", "socarxiv.org", "edarxiv.org", "metaarxiv.org"];

/// Whether a host only leads elsewhere, so that two of its addresses have nothing
/// in common.
pub fn is_resolver(host: &str) -> bool {
    RESOLVERS.contains(&host)
}

/// The DOI of a resolver's address.
pub(super) fn resolved(address: &Address) -> Option<String> {
    let path = address.path.join("/");
    let path = path.strip_prefix("api/handles/").unwrap_or(&path);
    is_resolver(&address.host).then(|| doi(path)).flatten()
}

/// The record of a known site's address; `None` of other sites and other pages.
pub(super) fn record(address: &Address) -> Option<Record> {
    let path: Vec<&str> = address.path.iter().map(String::as_str).collect();
    let from_doi = |text: String| doi(&text).map(|doi| Record::from_doi(&doi));
    match address.host.as_str() {
        "hdl.handle.net" => handle(&format!("hdl:{}", path.join("/"))),
        "api.datacite.org" | "commons.datacite.org" | "search.datacite.org" | "api.crossref.org" => {
            match path.as_slice() {
                ["dois" | "doi.org" | "works", rest @ ..] => from_doi(rest.join("/")),
                _ => None,
            }
        }
        "zenodo.org" => repositories::zenodo(&path),
        "osf.io" | "api.osf.io" | "files.osf.io" => repositories::osf(&address.host, &path),
        "openicpsr.org" => repositories::openicpsr(address, &path),
        "icpsr.umich.edu" => repositories::icpsr(&path),
        "data.mendeley.com" => match path.as_slice() {
            ["datasets", id] => from_doi(format!("10.17632/{id}")),
            ["datasets", id, version, ..] => from_doi(format!("10.17632/{id}.{version}")),
            _ => None,
        },
        "arxiv.org" | "export.arxiv.org" => match path.as_slice() {
            ["abs" | "pdf" | "html", id @ ..] => {
                let id = id.join("/");
                from_doi(format!("10.48550/arxiv.{}", id.trim_end_matches(".pdf")))
            }
            _ => None,
        },
        "datadryad.org" => {
            let at = path.iter().position(|part| part.starts_with("doi:"))?;
            from_doi(path[at..].join("/"))
        }
        "gist.github.com" | "gist.githubusercontent.com" => repositories::gist(&path),
        "github.com" | "raw.githubusercontent.com" | "codeload.github.com" => {
            repositories::github(&address.host, &path)
        }
        host if PREPRINTS.contains(&host) => Record::osf(path.first()?),
        host if host == "figshare.com" || host.ends_with(".figshare.com") => repositories::figshare(&path),
        host if dataverses::is_one(host) => {
            let id = address
                .value("persistentId")
                .or_else(|| address.value("globalId"))?;
            from_doi(id.to_owned()).or_else(|| handle(id))
        }
        host if is_publisher(host) => landing(address, &path),
        _ => None,
    }
}

fn is_publisher(host: &str) -> bool {
    PUBLISHERS.iter().any(|known| {
        let above = host.strip_suffix(known);
        above.is_some_and(|above| above.is_empty() || above.ends_with('.'))
    })
}

/// An article's page. More than a DOI's prefix and suffix is something below the
/// article, and so is a file that a query asks for.
fn landing(address: &Address, path: &[&str]) -> Option<Record> {
    let path = path.join("/");
    let parts: Vec<&str> = path.split('/').collect();
    let in_path = (parts.iter().position(|part| *part == "doi")).and_then(|at| match &parts[at + 1..] {
        ["abs" | "full" | "pdf" | "epdf" | "reader", prefix, suffix] | [prefix, suffix] => {
            doi(&format!("{prefix}/{suffix}"))
        }
        _ => None,
    });
    let in_query = || {
        let given = ["doi", "id"].iter().filter_map(|key| address.value(key));
        given.filter_map(doi).next()
    };
    let record = Record::from_doi(&in_path.or_else(in_query)?);
    Some(match address.value("file") {
        Some(file) => Record {
            part: vec![file.to_owned()],
            ..record
        },
        None => record,
    })
}
