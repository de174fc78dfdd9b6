//! Parts of a request that another dialect has no place for.

use crate::domain::proxy_dialect::ProxyDialect;

/// A part that cannot be carried over, by its place in the request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Loss {
    pub place: String,
    /// What stands there, as the rest of a clause.
    pub what: String,
}

impl Loss {
    /// A part at a place, with what it is.
    pub fn new(place: impl Into<String>, what: impl Into<String>) -> Self {
        Self {
            place: place.into(),
            what: what.into(),
        }
    }

    /// The refusal of the request that holds the part.
    pub fn between(self, from: ProxyDialect, into: ProxyDialect) -> NotTranslated {
        NotTranslated {
            from: from.name(),
            into: into.name(),
            place: self.place,
            what: self.what,
        }
    }
}

/// A request that is not translated, since something of it would be lost.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "This call is in {from}, and --translate carries it into {into} only where nothing is lost: `{place}` {what}. Leave that out, or choose a model that is asked in {from}."
)]
pub struct NotTranslated {
    from: &'static str,
    into: &'static str,
    place: String,
    what: String,
}
