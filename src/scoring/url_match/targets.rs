//! The addresses of one resource, and how close a prediction comes to them.

use crate::addresses::address::Address;
use crate::addresses::identity::Identity;
use crate::addresses::record::Kinship;
use crate::addresses::sites::is_resolver;
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::gold::GoldResource;
use crate::scoring::url_match::level::{CuratedAlias, Level};

/// The addresses of one resource.
pub(super) struct Targets {
    /// Each with whether it is a portal, a host's front page among the aliases.
    own: Vec<(Identity, bool)>,
    curated: Vec<Identity>,
}

impl Targets {
    /// An alias that is a bare host is matched by that front page, at a level of its
    /// own, and else counts for the domain only: it is not the resource, unless it is
    /// all that the gold set gives.
    pub(super) fn new(case: &CaseId, resource: &GoldResource, curated: &[CuratedAlias]) -> Self {
        let recorded = (curated.iter())
            .filter(|alias| alias.case == *case && alias.resource == resource.id)
            .filter_map(|alias| Identity::read(&alias.address));
        let own = std::iter::once(&resource.url)
            .chain(&resource.aliases)
            .enumerate()
            .filter_map(|(position, raw)| {
                let identity = Identity::read(raw)?;
                let bare = identity.address.as_ref().is_some_and(Address::is_bare_host);
                Some((identity, position > 0 && bare))
            });
        Self {
            own: own.collect(),
            curated: recorded.collect(),
        }
    }

    /// True if any of the resource's addresses is one.
    pub(super) fn are_addresses(&self) -> bool {
        !self.own.is_empty()
    }

    /// How close a prediction comes to the resource.
    pub(super) fn level(&self, predicted: &Identity) -> Option<Level> {
        let recorded = self.curated.iter().any(|target| {
            target.address.is_some() && target.address == predicted.address
                || target.record.is_some() && target.record == predicted.record
        });
        if recorded {
            return Some(Level::Curated);
        }
        self.own
            .iter()
            .filter_map(|(target, is_portal)| {
                let level = level(predicted, target)?;
                Some(match (is_portal, level) {
                    (true, Level::CanonicalUrl) => Level::FrontPage,
                    (true, _) => Level::Domain,
                    (false, level) => level,
                })
            })
            .min()
    }
}

fn level(predicted: &Identity, target: &Identity) -> Option<Level> {
    let addresses = predicted.address.as_ref().zip(target.address.as_ref());
    if addresses.is_some_and(|(ours, theirs)| ours == theirs) {
        return Some(Level::CanonicalUrl);
    }
    if predicted.doi.is_some() && predicted.doi == target.doi {
        return Some(Level::Doi);
    }
    let records = predicted.record.as_ref().zip(target.record.as_ref());
    let of_records = records.and_then(|(ours, theirs)| {
        Some(match ours.kinship(theirs)? {
            Kinship::Same => Level::SameRecord,
            Kinship::OtherVersion => Level::OtherVersion,
            Kinship::Within => Level::Path,
            Kinship::Beside => Level::SameRepository,
        })
    });
    let of_addresses = addresses.and_then(|(ours, theirs)| level_of_addresses(ours, theirs));
    of_records.into_iter().chain(of_addresses).min()
}

fn level_of_addresses(ours: &Address, theirs: &Address) -> Option<Level> {
    // All DOIs share one host, which says nothing of what they name.
    if is_resolver(&ours.host) || is_resolver(&theirs.host) {
        return None;
    }
    if is_but_for_case(ours, theirs) {
        return Some(Level::OtherCase);
    }
    if ours.is_above_or_below(theirs) {
        return Some(Level::Path);
    }
    let domains = ours.registrable_domain().zip(theirs.registrable_domain());
    let is_one = ours.host == theirs.host || domains.is_some_and(|(ours, theirs)| ours == theirs);
    is_one.then_some(Level::Domain)
}

/// True if the case of the path is all that two addresses differ by.
fn is_but_for_case(ours: &Address, theirs: &Address) -> bool {
    let lower =
        |address: &Address| -> Vec<String> { address.path.iter().map(|part| part.to_lowercase()).collect() };
    ours.host == theirs.host && ours.query == theirs.query && lower(ours) == lower(theirs)
}
