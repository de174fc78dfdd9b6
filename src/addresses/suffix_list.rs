//! Domains by the public suffix list (<https://publicsuffix.org/>); names are in ASCII, as the name system has them.

use public_suffix::{DEFAULT_PROVIDER, EffectiveTLDProvider as _, ListProvider, Table};

/// The domain of a host that can be registered; `None` of a suffix itself.
pub fn registrable(host: &str) -> Option<&str> {
    DEFAULT_PROVIDER.effective_tld_plus_one(host).ok()
}

/// True of a host under a top-level domain of the list. To [`registrable`] any other word is one too.
pub fn has_listed_top(host: &str) -> bool {
    let top = host.rsplit('.').next().unwrap_or(host);
    is_listed(&DEFAULT_PROVIDER, top)
}

/// The list gives out its table by its type alone.
fn is_listed<T: Table>(_: &ListProvider<T>, top: &str) -> bool {
    let length_mask = (1 << T::NODES_BITS_TEXT_LENGTH) - 1;
    let offset_mask = (1 << T::NODES_BITS_TEXT_OFFSET) - 1;
    T::NODES.iter().take(T::NUM_TLD as usize).any(|node| {
        let length = (node & length_mask) as usize;
        let offset = (node >> T::NODES_BITS_TEXT_LENGTH & offset_mask) as usize;
        T::TEXT.get(offset..offset + length) == Some(top)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suffixes_of_every_kind_are_known() {
        for (host, domain) in [
            ("data.bts.gov", Some("bts.gov")),
            ("a.b.bbc.co.uk", Some("bbc.co.uk")),
            ("someone.github.io", Some("someone.github.io")),
            // `*.ck`, but for `www.ck`.
            ("a.b.ck", Some("a.b.ck")),
            ("b.ck", None),
            ("a.www.ck", Some("www.ck")),
            ("xn--85x722f.xn--55qx5d.cn", Some("xn--85x722f.xn--55qx5d.cn")),
            ("a.local-name", Some("a.local-name")),
            ("gov", None),
            ("", None),
            ("a..gov", None),
        ] {
            assert_eq!(registrable(host), domain, "{host}");
        }
    }

    #[test]
    fn a_file_name_is_under_no_listed_top() {
        for host in ["a.org", "a.co.uk", "b.ck", "a.xn--p1ai", "aaa", "a.zw"] {
            assert!(has_listed_top(host), "{host}");
        }
        for host in ["paper.pdf", "data.csv", "a.local-name", "a.orgs", "a.or", ""] {
            assert!(!has_listed_top(host), "{host}");
        }
    }
}
