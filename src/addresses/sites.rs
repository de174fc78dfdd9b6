//! The records that addresses of known sites lead to.
//!
//! A DOI in an address says what the page is about; only of resolvers,
//! publishers and repositories that are known here is the page the record.

use super::address::Address;
use super::pattern::Values;
use super::record::{Record, doi, handle};
use super::repositories;
use super::table::{Code, Site, TABLE};

/// Whether a host only leads elsewhere, so that two of its addresses have nothing
/// in common.
pub fn is_resolver(host: &str) -> bool {
    TABLE.is_resolver(host)
}

/// The DOI of a resolver's address.
pub(super) fn resolved(address: &Address) -> Option<String> {
    let path = address.path.join("/");
    let path = path.strip_prefix("api/handles/").unwrap_or(&path);
    is_resolver(&address.host).then(|| doi(path)).flatten()
}

/// The record of a known site's address; `None` of other sites and other pages.
pub(super) fn record(address: &Address) -> Option<Record> {
    let site = TABLE.site(&address.host)?;
    match site.code {
        Some(code) => by_code(code, address),
        None => by_pages(site, address),
    }
}

fn by_code(code: Code, address: &Address) -> Option<Record> {
    let path: Vec<&str> = address.path.iter().map(String::as_str).collect();
    match code {
        Code::OpenIcpsr => repositories::openicpsr(address, &path),
        Code::Github => repositories::github(&address.host, &path),
        Code::Gist => repositories::gist(&path),
        Code::Article => repositories::article(address, &path),
    }
}

/// The record of the first page that an address is one of.
fn by_pages(site: &Site, address: &Address) -> Option<Record> {
    site.pages.iter().find_map(|page| {
        let values = page.pattern.values(&address.path, |key| address.value(key))?;
        let text = page.record.as_ref().and_then(|record| record.fill(&values));
        let whole = named(&values).or_else(|| identified(&text?))?;
        let part = values.file();
        Some(Record {
            version: (values.get("version"))
                .map(|version| format!("v{version}"))
                .or(whole.version),
            part: if part.is_empty() {
                whole.part
            } else {
                part.to_vec()
            },
            work: whole.work,
        })
    })
}

/// The record that a page's values name.
fn named(values: &Values<'_>) -> Option<Record> {
    if let Some(text) = values.get("doi") {
        return doi(text).map(|doi| Record::from_doi(&doi));
    }
    if let Some(text) = values.get("identifier") {
        return identified(text);
    }
    Record::osf(values.get("guid")?)
}

/// The record of a DOI or a handle.
fn identified(text: &str) -> Option<Record> {
    (doi(text).map(|doi| Record::from_doi(&doi))).or_else(|| handle(text))
}
