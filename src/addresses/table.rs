//! The table of sites, `sites.toml`.

use std::collections::HashMap;
use std::sync::LazyLock;

use serde::Deserialize;

use super::pattern::{Pattern, PatternError, RecordText};

/// The table that comes with the program, read once. Its test holds that it can be read.
pub static TABLE: LazyLock<SiteTable> =
    LazyLock::new(|| SiteTable::parse(include_str!("sites.toml")).unwrap_or_default());

/// The error of a table of sites that cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    #[error("the table is not as it should be: {0}")]
    Form(#[from] toml::de::Error),
    #[error("`{site}`: the pattern `{pattern}`: {why}")]
    Pattern {
        site: String,
        pattern: String,
        why: PatternError,
    },
    #[error("`{site}`: the page `{pattern}` says which record it is by none of its values")]
    NoRecord { site: String, pattern: String },
    #[error("`{0}` has either pages or code, and one of them")]
    PagesOrCode(String),
    #[error("the host `{0}` stands in two rows, or is no host in lower case without `www.`")]
    Host(String),
}

/// Readers of sites that patterns do not reach.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Code {
    OpenIcpsr,
    Github,
    Gist,
    /// A publisher's landing page.
    Article,
}

/// One row: a site by its hosts, and how its pages name records.
#[derive(Debug)]
pub struct Site {
    takes_subdomains: bool,
    pub pages: Vec<SitePage>,
    pub code: Option<Code>,
}

/// Pages of one form, and the text of their record where no value is the record.
#[derive(Debug)]
pub struct SitePage {
    pub pattern: Pattern,
    pub record: Option<RecordText>,
}

/// All rows, and the lists beside them.
#[derive(Debug, Default)]
pub struct SiteTable {
    noise: Vec<String>,
    git: Vec<String>,
    resolvers: Vec<String>,
    sites: Vec<Site>,
    /// The row of each host.
    hosts: HashMap<String, usize>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenTable {
    noise: Vec<String>,
    git: Vec<String>,
    resolvers: Vec<String>,
    sites: Vec<WrittenSite>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenSite {
    name: String,
    hosts: Vec<String>,
    #[serde(default)]
    subdomains: bool,
    #[serde(default)]
    pages: Vec<WrittenPage>,
    record: Option<String>,
    code: Option<Code>,
}

#[derive(Deserialize)]
#[serde(untagged, deny_unknown_fields)]
enum WrittenPage {
    Plain(String),
    WithRecord { pattern: String, record: String },
}

/// Values that are a record by themselves.
const RECORDS: [&str; 3] = ["doi", "identifier", "guid"];

impl SiteTable {
    /// Reads and checks a table.
    ///
    /// # Errors
    /// Text that is no table, a pattern or a host that cannot be, and a page that names no record.
    pub fn parse(text: &str) -> Result<Self, TableError> {
        let written: WrittenTable = toml::from_str(text)?;
        let mut table = Self {
            noise: written.noise,
            git: written.git,
            resolvers: written.resolvers,
            ..Self::default()
        };
        for site in written.sites {
            for host in &site.hosts {
                let is_host = host.contains('.') && !host.starts_with("www.") && *host == host.to_lowercase();
                if !is_host || table.hosts.insert(host.clone(), table.sites.len()).is_some() {
                    return Err(TableError::Host(host.clone()));
                }
            }
            table.sites.push(Site::try_from(site)?);
        }
        Ok(table)
    }

    /// The row of a host, or of one above it that takes the hosts below.
    pub fn site(&self, host: &str) -> Option<&Site> {
        if let Some(row) = self.hosts.get(host) {
            return Some(&self.sites[*row]);
        }
        let mut above = host;
        while let Some((_, rest)) = above.split_once('.') {
            above = rest;
            let site = self.hosts.get(above).map(|row| &self.sites[*row]);
            if let Some(site) = site.filter(|site| site.takes_subdomains) {
                return Some(site);
            }
        }
        None
    }

    /// Whether a host only leads elsewhere.
    pub fn is_resolver(&self, host: &str) -> bool {
        self.resolvers.iter().any(|known| known == host)
    }

    /// Whether a host of code is reached by `ssh` and `git` too.
    pub fn is_git(&self, host: &str) -> bool {
        self.git.iter().any(|known| known == host)
    }

    /// Whether a query key never says which resource is meant.
    pub fn is_noise(&self, key: &str) -> bool {
        let key = key.to_ascii_lowercase();
        key.is_empty()
            || (self.noise.iter()).any(|noise| match noise.strip_suffix('*') {
                Some(start) => key.starts_with(start),
                None => key == *noise,
            })
    }
}

impl TryFrom<WrittenSite> for Site {
    type Error = TableError;

    fn try_from(written: WrittenSite) -> Result<Self, TableError> {
        let name = written.name;
        if written.pages.is_empty() == written.code.is_none() {
            return Err(TableError::PagesOrCode(name));
        }
        let page = |page: WrittenPage| {
            let (pattern, record) = match page {
                WrittenPage::Plain(pattern) => (pattern, written.record.clone()),
                WrittenPage::WithRecord { pattern, record } => (pattern, Some(record)),
            };
            SitePage::new(&name, &pattern, record.as_deref())
        };
        Ok(Self {
            takes_subdomains: written.subdomains,
            pages: written.pages.into_iter().map(page).collect::<Result<_, _>>()?,
            code: written.code,
        })
    }
}

impl SitePage {
    fn new(site: &str, written: &str, record: Option<&str>) -> Result<Self, TableError> {
        let wrong = |why| TableError::Pattern {
            site: site.to_owned(),
            pattern: written.to_owned(),
            why,
        };
        let pattern = Pattern::parse(written).map_err(wrong)?;
        let record = record.map(RecordText::parse).transpose().map_err(wrong)?;
        let has = |name: &str| pattern.names().any(|known| known == name);
        let is_record = RECORDS.iter().any(|name| has(name));
        let is_filled = record.as_ref().is_some_and(|record| record.names().all(has));
        if !is_record && !is_filled {
            return Err(TableError::NoRecord {
                site: site.to_owned(),
                pattern: written.to_owned(),
            });
        }
        Ok(Self { pattern, record })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LISTS: &str = "noise = [\"ref\", \"utm_*\"]\ngit = []\nresolvers = []\n";

    fn table(site: &str) -> Result<SiteTable, TableError> {
        SiteTable::parse(&format!("{LISTS}[[sites]]\n{site}"))
    }

    #[test]
    fn the_table_of_the_program_can_be_read() {
        let table = SiteTable::parse(include_str!("sites.toml")).unwrap();
        assert!(table.hosts.len() > 100 && !table.noise.is_empty());
        assert!(!table.git.is_empty() && !table.resolvers.is_empty());
        assert!(!TABLE.sites.is_empty());
    }

    #[test]
    fn one_row_is_one_more_repository() {
        let table =
            table("name = 'A'\nhosts = ['a.org']\nrecord = '10.1234/{number}'\npages = ['r/{number}']");
        assert_eq!(table.unwrap().site("a.org").unwrap().pages.len(), 1);
    }

    #[test]
    fn hosts_below_count_only_where_the_row_says_so() {
        let below = |subdomains| {
            let row = format!("name = 'A'\nhosts = ['a.org']\ncode = 'gist'\nsubdomains = {subdomains}");
            let table = table(&row).unwrap();
            assert!(table.site("a.org").is_some());
            assert!(table.site("a.org.evil.org").is_none() && table.site("evil-a.org").is_none());
            table.site("x.y.a.org").is_some()
        };
        assert!(below(true) && !below(false));
    }

    #[test]
    fn keys_are_noise_whole_or_by_their_start() {
        let table = table("name = 'A'\nhosts = ['a.org']\ncode = 'gist'").unwrap();
        for (key, noise) in [
            ("REF", true),
            ("refs", false),
            ("utm_x", true),
            ("utm", false),
            ("", true),
        ] {
            assert_eq!(table.is_noise(key), noise, "{key}");
        }
    }

    #[test]
    fn a_row_with_a_mistake_is_refused_by_name() {
        for (site, word) in [
            ("name = 'A'\nhosts = ['a.org']", "`A` has either pages or code"),
            (
                "name = 'A'\nhosts = ['a.org']\ncode = 'gist'\npages = ['{doi}']",
                "`A` has either pages or code",
            ),
            ("name = 'A'\nhosts = ['a.org']\ncode = 'hats'", "hats"),
            ("name = 'A'\nhosts = ['a.org']\nhats = 1", "hats"),
            ("name = 'A'\nhosts = ['a.org', 'a.org']\ncode = 'gist'", "`a.org`"),
            ("name = 'A'\nhosts = ['A.org']\ncode = 'gist'", "`A.org`"),
            ("name = 'A'\nhosts = ['a.org']\npages = ['r/{id']", "`r/{id`"),
            (
                "name = 'A'\nhosts = ['a.org']\npages = ['r/{id}']",
                "none of its values",
            ),
            (
                "name = 'A'\nhosts = ['a.org']\nrecord = '10.1/{id}'\npages = ['r/{number}']",
                "none of its values",
            ),
            (
                "name = 'A'\nhosts = ['a.org']\nrecord = '10.1/{id'\npages = ['r/{id}']",
                "`10.1/{id`",
            ),
        ] {
            let error = table(site).unwrap_err().to_string();
            assert!(error.contains(word), "{site}: {error}");
        }
    }
}
