//! Matches of predicted addresses with resources by level, and scores at three limits.

use std::collections::{BTreeMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::addresses::identity::Identity;
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::{PredictedUrl, Prediction};
use crate::scoring::url_match::gold::GoldCase;
use crate::scoring::url_match::level::{CuratedAlias, Level};
use crate::scoring::url_match::limit::Limit;
use crate::scoring::url_match::metrics::{Counts, ModelScore};
use crate::scoring::url_match::runs::scored;
use crate::scoring::url_match::targets::Targets;

/// One case: for each distinct resource its closest prediction.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct CaseMatches {
    pub case: CaseId,
    pub resources: Vec<ResourceMatch>,
    /// The distinct predictions, by position in the answer; two addresses of one
    /// record are one.
    pub predictions: Vec<usize>,
}

/// A resource and the prediction closest to it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ResourceMatch {
    pub resource: String,
    pub required: bool,
    /// True if any of its addresses is one; prose can never be matched.
    pub addressable: bool,
    /// Position of the prediction in the answer, and how close it is.
    pub closest: Option<(usize, Level)>,
}

/// A prediction and the resource that it comes closest to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PredictionMatch {
    /// Position in the answer.
    pub position: usize,
    /// The resource's id and the level; `None` of a page near no resource.
    pub closest: Option<(String, Level)>,
}

/// Matches one answer with one case.
pub fn matches(gold: &GoldCase, urls: &[PredictedUrl], curated: &[CuratedAlias]) -> CaseMatches {
    let predictions = distinct_predictions(urls);
    let mut resources: Vec<ResourceMatch> = Vec::new();
    for resource in &gold.resources {
        let targets = Targets::new(&gold.id, resource, curated);
        let closest = (predictions.iter())
            .filter_map(|(position, identity)| Some((targets.level(identity.as_ref()?)?, *position)))
            .min()
            .map(|(level, position)| (position, level));
        let addressable = targets.are_addresses();
        match resources.iter_mut().find(|known| known.resource == resource.id) {
            Some(known) => {
                known.required |= resource.required;
                known.addressable |= addressable;
                known.closest = closer(known.closest, closest);
            }
            None => resources.push(ResourceMatch {
                resource: resource.id.clone(),
                required: resource.required,
                addressable,
                closest,
            }),
        }
    }
    CaseMatches {
        case: gold.id.clone(),
        resources,
        predictions: predictions.into_iter().map(|(position, _)| position).collect(),
    }
}

/// The distinct predictions of one answer, each with what it comes closest to.
pub fn by_prediction(
    gold: &GoldCase,
    urls: &[PredictedUrl],
    curated: &[CuratedAlias],
) -> Vec<PredictionMatch> {
    let targets: Vec<(&str, Targets)> = (gold.resources.iter())
        .map(|resource| (resource.id.as_str(), Targets::new(&gold.id, resource, curated)))
        .collect();
    let closest = |identity: &Identity| {
        (targets.iter())
            .filter_map(|(id, targets)| Some((*id, targets.level(identity)?)))
            .reduce(|best, next| if next.1 < best.1 { next } else { best })
            .map(|(id, level)| (id.to_owned(), level))
    };
    (distinct_predictions(urls).into_iter())
        .map(|(position, identity)| PredictionMatch {
            position,
            closest: identity.as_ref().and_then(closest),
        })
        .collect()
}

/// The predictions by position, two addresses of one record taken for one.
fn distinct_predictions(urls: &[PredictedUrl]) -> Vec<(usize, Option<Identity>)> {
    let mut records = HashSet::new();
    (urls.iter().enumerate())
        .filter(|(_, predicted)| !predicted.url.trim().is_empty())
        .map(|(position, predicted)| (position, Identity::read(&predicted.url)))
        .filter(|(position, identity)| {
            let own = urls.get(*position).map_or("", |predicted| predicted.url.trim());
            records.insert(identity.as_ref().map_or_else(|| own.to_owned(), distinct))
        })
        .collect()
}

impl CaseMatches {
    /// Right, wrong, found and missed at a limit.
    ///
    /// A prediction is right when it is the closest to a required resource, so
    /// that more pages of the same domain count as wrong; one that is closest
    /// only to an optional resource counts as neither.
    pub fn count(&self, limit: Limit) -> Counts {
        let within = |found: &ResourceMatch| {
            let (position, level) = found.closest?;
            limit.admits(level).then_some(position)
        };
        let closest_to = |required: bool| -> HashSet<usize> {
            let of_kind = self.resources.iter().filter(|found| found.required == required);
            of_kind.filter_map(within).collect()
        };
        let (right, optional) = (closest_to(true), closest_to(false));
        let required = self.resources.iter().filter(|found| found.required);
        let found = required.clone().filter(|found| within(found).is_some()).count();
        let neither = optional.difference(&right).count();
        Counts {
            right: right.len(),
            wrong: self.predictions.len() - right.len() - neither,
            found,
            missed: required.count() - found,
        }
    }
}

/// Counts of required resources by the level at which they were met.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LevelCounts {
    pub by_level: BTreeMap<Level, usize>,
    /// Those that were met at none.
    pub unmet: usize,
}

/// Counts the required resources by the level at which they were met.
pub fn by_level(cases: &[CaseMatches]) -> LevelCounts {
    let mut counts = LevelCounts::default();
    for resource in cases
        .iter()
        .flat_map(|case| &case.resources)
        .filter(|resource| resource.required)
    {
        match resource.closest {
            Some((_, level)) => *counts.by_level.entry(level).or_default() += 1,
            None => counts.unmet += 1,
        }
    }
    counts
}

/// Scores all predictions at a limit. A case of the gold set that a run does
/// not have counts as one with nothing found.
pub fn score(
    gold: &[GoldCase],
    predictions: &[Prediction],
    curated: &[CuratedAlias],
    limit: Limit,
) -> Vec<ModelScore> {
    scored(predictions, |model, run| {
        gold.iter()
            .map(|case| {
                let answer = model.run(run).find(|prediction| prediction.case == case.id);
                let urls = answer.map_or(&[][..], |prediction| &prediction.urls);
                matches(case, urls, curated).count(limit)
            })
            .collect()
    })
}

/// The identity by which two predictions are one: the record, else the page.
fn distinct(identity: &Identity) -> String {
    match (&identity.record, &identity.address) {
        (Some(record), _) => record.to_string(),
        (None, Some(address)) => format!("host:{}", address.host),
        (None, None) => String::new(),
    }
}

fn closer(first: Option<(usize, Level)>, second: Option<(usize, Level)>) -> Option<(usize, Level)> {
    let order = |(position, level): &(usize, Level)| (*level, *position);
    first.into_iter().chain(second).min_by_key(order)
}

#[cfg(test)]
mod tests {
    use crate::scoring::url_match::gold::GoldResource;
    use crate::scoring::url_match::levels::*;

    fn gold(url: &str, aliases: &[&str]) -> GoldCase {
        GoldCase {
            id: 1.into(),
            resources: vec![GoldResource {
                id: "a".into(),
                kind: "data".into(),
                required: true,
                filename: String::new(),
                url: url.into(),
                aliases: aliases.iter().map(|alias| (*alias).to_owned()).collect(),
            }],
        }
    }

    fn urls(addresses: &[&str]) -> Vec<PredictedUrl> {
        let one = |url: &&str| PredictedUrl {
            url: (*url).to_owned(),
            ..PredictedUrl::default()
        };
        addresses.iter().map(one).collect()
    }

    fn level_of(gold: &GoldCase, address: &str) -> Option<Level> {
        matches(gold, &urls(&[address]), &[]).resources[0]
            .closest
            .map(|(_, level)| level)
    }

    #[test]
    fn each_level_by_name() {
        let dataverse = gold(
            "https://dataverse.harvard.edu/dataset.xhtml?persistentId=doi:10.7910/DVN/VOQCHQ",
            &[
                "https://electionlab.mit.edu/data",
                "https://doi.org/10.7910/DVN/VOQCHQ",
                "https://osf.io",
            ],
        );
        let level = |address| level_of(&dataverse, address);
        assert_eq!(
            level("http://www.electionlab.mit.edu/data/"),
            Some(Level::CanonicalUrl)
        );
        assert_eq!(level("doi:10.7910/dvn/voqchq"), Some(Level::Doi));
        assert_eq!(
            level("https://dataverse.nl/citation?persistentId=doi:10.7910/DVN/VOQCHQ"),
            Some(Level::SameRecord)
        );
        assert_eq!(level("https://electionlab.mit.edu/data/2016"), Some(Level::Path));
        assert_eq!(level("https://web.mit.edu"), Some(Level::Domain));
        assert_eq!(
            level("https://dataverse.harvard.edu/dataset.xhtml?persistentId=doi:10.7910/DVN/LYWX3D"),
            Some(Level::Domain)
        );
        assert_eq!(level("https://osf.io/"), Some(Level::FrontPage));
        assert_eq!(level("https://ELECTIONLAB.mit.edu/Data"), Some(Level::OtherCase));
        assert_eq!(level("https://electionlab.mit.edu/Data?x=1"), Some(Level::Domain));
        assert_eq!(level("https://osf.io/w38cn"), Some(Level::Domain));
        assert_eq!(level("https://doi.org/10.7910/DVN/OTHER"), None);
        assert_eq!(
            level("https://evil.org/x?persistentId=doi:10.7910/DVN/VOQCHQ"),
            None
        );
        assert_eq!(
            level("https://doi.org/10.7910/DVN/VOQCHQ/HWHXQY"),
            Some(Level::Path)
        );
        let file = gold("https://github.com/torvalds/linux/blob/master/README", &[]);
        for (address, expected) in [
            (
                "https://github.com/Torvalds/Linux/raw/master/README",
                Level::SameRecord,
            ),
            (
                "https://github.com/torvalds/linux/blob/v6.1/README",
                Level::OtherVersion,
            ),
            (
                "https://raw.githubusercontent.com/torvalds/linux/master/README",
                Level::SameRecord,
            ),
            ("https://github.com/torvalds/linux", Level::Path),
            (
                "https://raw.githubusercontent.com/torvalds/linux/master/COPYING",
                Level::SameRepository,
            ),
            (
                "https://github.com/torvalds/linux/blob/master/readme",
                Level::OtherCase,
            ),
            ("https://github.com/torvalds/test", Level::Domain),
        ] {
            assert_eq!(level_of(&file, address), Some(expected), "{address}");
        }
        let host = gold("http://127.0.0.1/a", &[]);
        assert_eq!(level_of(&host, "http://10.0.0.1/a"), None);
        let handle = gold("https://hdl.handle.net/1902.1/21447", &[]);
        assert_eq!(level_of(&handle, "hdl:1902.1/21447"), Some(Level::SameRecord));
        assert_eq!(level_of(&handle, "https://hdl.handle.net/1902.1/21448"), None);
        let icpsr = gold("https://doi.org/10.3886/E100V1", &[]);
        assert_eq!(level_of(&icpsr, "10.3886/E100V3"), Some(Level::OtherVersion));
    }

    #[test]
    fn each_limit_admits_what_it_names() {
        let admitted = |limit: Limit| {
            let levels = [
                Level::Curated,
                Level::SameRecord,
                Level::OtherCase,
                Level::OtherVersion,
                Level::Path,
                Level::FrontPage,
                Level::SameRepository,
                Level::Domain,
            ];
            levels.iter().filter(|level| limit.admits(**level)).count()
        };
        assert_eq!(Limit::ALL.map(admitted), [2, 6, 8]);
    }

    #[test]
    fn a_curated_alias_wins() {
        let gold = gold("https://a.org/x", &[]);
        let alias = CuratedAlias {
            case: 1.into(),
            resource: "a".into(),
            address: "https://mirror.net/y".into(),
        };
        let found = matches(&gold, &urls(&["https://a.org/x", "mirror.net/y/"]), &[alias]);
        assert_eq!(found.resources[0].closest, Some((1, Level::Curated)));
    }

    #[test]
    fn more_pages_of_a_domain_cost_precision() {
        let gold = gold("https://a.org/x", &[]);
        let answer = urls(&["https://a.org/y", "https://a.org/z", "https://a.org/z/", "prose"]);
        let counts = matches(&gold, &answer, &[]).count(Limit::Domain);
        assert_eq!(
            (counts.right, counts.wrong, counts.found, counts.missed),
            (1, 2, 1, 0)
        );
        let strict = matches(&gold, &answer, &[]).count(Limit::Strict);
        assert_eq!((strict.right, strict.wrong, strict.missed), (0, 3, 1));
    }

    #[test]
    fn an_optional_resource_neither_helps_nor_hurts() {
        let mut gold = gold("https://a.org/x", &[]);
        let mut optional = gold.resources[0].clone();
        optional.id = "b".into();
        optional.url = "https://b.org/y".into();
        optional.required = false;
        gold.resources.push(optional);
        let counts = matches(&gold, &urls(&["https://b.org/y", "https://a.org/x"]), &[]).count(Limit::Strict);
        assert_eq!(
            (counts.right, counts.wrong, counts.found, counts.missed),
            (1, 0, 1, 0)
        );
    }

    #[test]
    fn one_address_can_answer_several_resources() {
        let mut gold = gold("https://data.census.gov/cedsci/", &[]);
        let mut second = gold.resources[0].clone();
        second.id = "b".into();
        gold.resources.push(second);
        let counts = matches(&gold, &urls(&["https://data.census.gov/cedsci"]), &[]).count(Limit::Strict);
        assert_eq!(
            (counts.right, counts.wrong, counts.found, counts.missed),
            (1, 0, 2, 0)
        );
    }
}
