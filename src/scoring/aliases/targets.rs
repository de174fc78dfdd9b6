//! The addresses of one resource, and how close a prediction comes to them.

use super::address::Address;
use super::gold::GoldResource;
use super::levels::{CuratedAlias, Level};
use super::record::Identity;

/// The addresses of one resource.
pub(super) struct Targets {
    /// Each with whether it is a portal, of which only the domain counts.
    own: Vec<(Identity, bool)>,
    curated: Vec<Identity>,
}

impl Targets {
    /// Aliases that are bare hosts count for the domain only: a portal's front
    /// page is not the resource, unless it is all that the gold set gives.
    pub(super) fn of(case: i64, resource: &GoldResource, curated: &[CuratedAlias]) -> Self {
        let recorded = (curated.iter())
            .filter(|alias| alias.case == case && alias.resource == resource.id)
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

    /// Whether any of the resource's addresses is one.
    pub(super) fn are_addresses(&self) -> bool {
        !self.own.is_empty()
    }

    /// How close a prediction comes to the resource.
    pub(super) fn level(&self, predicted: &Identity) -> Option<Level> {
        let recorded = self.curated.iter().any(|target| {
            let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
            target.address.is_some() && target.address == predicted.address
                || same(&target.record, &predicted.record)
        });
        if recorded {
            return Some(Level::Curated);
        }
        self.own
            .iter()
            .filter_map(|(target, is_portal)| {
                let level = level(predicted, target)?;
                Some(if *is_portal { Level::Domain } else { level })
            })
            .min()
    }
}

fn level(predicted: &Identity, target: &Identity) -> Option<Level> {
    let same = |a: &Option<String>, b: &Option<String>| a.is_some() && a == b;
    let addresses = predicted.address.as_ref().zip(target.address.as_ref());
    if addresses.is_some_and(|(ours, theirs)| ours == theirs) {
        return Some(Level::CanonicalUrl);
    }
    if same(&predicted.doi, &target.doi) {
        return Some(Level::Doi);
    }
    if same(&predicted.record, &target.record) {
        return Some(Level::SameRecord);
    }
    if same(&predicted.work, &target.work) {
        return Some(Level::OtherVersion);
    }
    // All DOIs share one host, which says nothing of what they name.
    let (ours, theirs) = addresses.filter(|_| predicted.doi.is_none() && target.doi.is_none())?;
    if ours.is_above_or_below(theirs) {
        return Some(Level::Path);
    }
    let domains = ours.registrable_domain().zip(theirs.registrable_domain());
    domains
        .is_some_and(|(ours, theirs)| ours == theirs)
        .then_some(Level::Domain)
}
