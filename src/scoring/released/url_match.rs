//! ReplicatorBench's web-search score, to the letter.
//!
//! Source: `data/results/web-search/evaluate.py` of the released benchmark,
//! which gives Table 3 of the paper. Its prefix test ignores host and path
//! boundaries, pages under a matched prefix are free, and a bare portal earns
//! full credit: `levels` tells those apart.

use std::collections::{HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::scoring::released::address_keys::{Keys, keys};
use crate::scoring::released::averages::scored;
use crate::scoring::url_match::case::CaseId;
use crate::scoring::url_match::files::{PredictedUrl, Prediction};
use crate::scoring::url_match::gold::{GoldCase, GoldResource};
use crate::scoring::url_match::metrics::{Counts, ModelScore};

/// The plain string prefixes that count where no key is equal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Prefixes {
    /// The released rule: either address may begin with the other.
    EitherWay,
    /// Only a predicted page below a gold address.
    PredictionBelow,
    /// None: equal keys only.
    Neither,
}

/// Scores all predictions, model by model and run by run; cases without gold
/// are left out, and so are cases of the gold set that a run does not have.
///
/// [`Prefixes::EitherWay`] is the released rule; the others show what it gives away.
pub fn score(gold: &[GoldCase], predictions: &[Prediction], prefixes: Prefixes) -> Vec<ModelScore> {
    let gold: HashMap<&CaseId, Case<'_>> = (gold.iter())
        .map(|case| (&case.id, Case::new(case, prefixes)))
        .collect();
    scored(predictions, |prediction| {
        Some(gold.get(&prediction.case)?.count(&prediction.urls).0)
    })
}

/// One predicted address as the rule credits it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Credit {
    /// Position in the answer.
    pub position: usize,
    /// The resource that it was credited to; `None` of a spurious address.
    pub resource: Option<String>,
}

/// Scores one case.
pub fn count(gold: &GoldCase, urls: &[PredictedUrl], prefixes: Prefixes) -> Counts {
    trace(gold, urls, prefixes).0
}

/// Scores one case and says what became of each address; repeated and empty ones
/// are left out, as the rule drops them.
pub fn trace(gold: &GoldCase, urls: &[PredictedUrl], prefixes: Prefixes) -> (Counts, Vec<Credit>) {
    Case::new(gold, prefixes).count(urls)
}

struct Case<'a> {
    resources: Vec<(&'a GoldResource, Vec<String>)>,
    prefixes: Prefixes,
}

impl<'a> Case<'a> {
    fn new(gold: &'a GoldCase, prefixes: Prefixes) -> Self {
        let resources = gold
            .resources
            .iter()
            .map(|resource| (resource, gold_keys(resource)));
        Self {
            resources: resources.collect(),
            prefixes,
        }
    }

    fn count(&self, urls: &[PredictedUrl]) -> (Counts, Vec<Credit>) {
        let mut credits = Vec::new();
        let mut seen = HashSet::new();
        let mut matched: HashSet<&str> = HashSet::new();
        let mut spurious = HashSet::new();
        for (position, predicted) in urls.iter().enumerate() {
            let Some(keys) = keys(&predicted.url) else {
                continue;
            };
            let key = if keys.strict.is_empty() {
                &keys.loose
            } else {
                &keys.strict
            };
            if key.is_empty() || !seen.insert(key.clone()) {
                continue;
            }
            let chosen = choose(&self.candidates(&keys), predicted, &matched);
            credits.push(Credit {
                position,
                resource: chosen.map(|resource| resource.id.clone()),
            });
            match chosen {
                Some(resource) => {
                    matched.insert(&resource.id);
                }
                None => {
                    spurious.insert(key.clone());
                }
            }
        }
        let required = |(resource, _): &&(&'a GoldResource, Vec<String>)| resource.required;
        let ids: HashSet<&str> = (self.resources.iter().filter(required))
            .map(|(resource, _)| &*resource.id)
            .collect();
        let found = ids.iter().filter(|id| matched.contains(*id)).count();
        let counts = Counts {
            right: found,
            wrong: spurious.len(),
            found,
            missed: ids.len() - found,
        };
        (counts, credits)
    }

    /// Resources with the key itself, else with a key that begins with it or
    /// that it begins with.
    fn candidates(&self, keys: &Keys) -> Vec<(&'a GoldResource, usize)> {
        let holding = |test: &dyn Fn(&String) -> bool| {
            let holders = self.resources.iter().filter(|(_, held)| held.iter().any(test));
            holders
                .map(|(resource, held)| (*resource, held.len()))
                .collect::<Vec<_>>()
        };
        let mut exact = holding(&|held| *held == keys.strict);
        exact.extend(holding(&|held| !keys.loose.is_empty() && *held == keys.loose));
        if exact.is_empty() {
            let below = |held: &String| keys.both().iter().any(|ours| ours.starts_with(held.as_str()));
            let above = |held: &String| keys.both().iter().any(|ours| held.starts_with(ours));
            exact = match self.prefixes {
                Prefixes::EitherWay => holding(&|held| below(held) || above(held)),
                Prefixes::PredictionBelow => holding(&below),
                Prefixes::Neither => exact,
            };
        }
        let mut ids = HashSet::new();
        exact.retain(|(resource, _)| ids.insert(&resource.id));
        exact
    }
}

/// The candidate with most signs of being meant, one not yet matched if there
/// is any; the first wins ties.
fn choose<'a>(
    candidates: &[(&'a GoldResource, usize)],
    predicted: &PredictedUrl,
    matched: &HashSet<&str>,
) -> Option<&'a GoldResource> {
    let words = format!("{} {} {}", predicted.name, predicted.why, predicted.url).to_lowercase();
    let kind = predicted.kind.trim().to_lowercase();
    let mentions = |name: &str| !name.is_empty() && words.contains(&name.to_lowercase());
    let rank = |resource: &GoldResource, keys: usize| {
        let mut rank = 0.0;
        if resource.required {
            rank += 0.2;
        }
        if !kind.is_empty() && kind == resource.kind.to_lowercase() {
            rank += 0.2;
        }
        if mentions(&resource.filename) {
            rank += 1.0;
        }
        if mentions(&resource.id) {
            rank += 0.5;
        }
        rank - 0.01 * keys as f64
    };
    let is_free = |resource: &GoldResource| !matched.contains(&*resource.id);
    let any_free = candidates.iter().any(|(resource, _)| is_free(resource));
    let mut best: Option<(&GoldResource, f64)> = None;
    for (resource, keys) in candidates {
        if any_free && !is_free(resource) {
            continue;
        }
        let rank = rank(resource, *keys);
        if best.is_none_or(|(_, highest)| rank > highest) {
            best = Some((resource, rank));
        }
    }
    best.map(|(resource, _)| resource)
}

/// The distinct keys of a resource: of its address, and of aliases that look like one.
fn gold_keys(resource: &GoldResource) -> Vec<String> {
    let looks_like_url = |text: &&String| {
        let text = text.trim();
        ["http://", "https://", "www."]
            .iter()
            .any(|start| text.starts_with(start))
    };
    let addresses = std::iter::once(&resource.url).chain(resource.aliases.iter().filter(looks_like_url));
    let mut held: Vec<String> = Vec::new();
    for keys in addresses.filter_map(|address| keys(address)) {
        for key in [keys.strict, keys.loose] {
            if !key.is_empty() && !held.contains(&key) {
                held.push(key);
            }
        }
    }
    held
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gold(id: &str, url: &str) -> GoldResource {
        GoldResource {
            id: id.into(),
            kind: "data".into(),
            required: true,
            filename: String::new(),
            url: url.into(),
            aliases: Vec::new(),
        }
    }

    fn counts(resources: Vec<GoldResource>, urls: &[&str]) -> (usize, usize, usize) {
        let urls: Vec<_> = (urls.iter())
            .map(|url| PredictedUrl {
                url: (*url).to_owned(),
                ..PredictedUrl::default()
            })
            .collect();
        let found = count(
            &GoldCase {
                id: 1.into(),
                resources,
            },
            &urls,
            Prefixes::EitherWay,
        );
        (found.found, found.wrong, found.missed)
    }

    #[test]
    fn prefixes_ignore_boundaries() {
        assert_eq!(
            counts(vec![gold("a", "https://osf.io")], &["https://osf.io.evil.org/x"]),
            (1, 0, 0)
        );
        assert_eq!(
            counts(
                vec![gold("a", "https://a.org/data")],
                &["a.org/database", "a.org/data1"]
            ),
            (1, 0, 0)
        );
        assert_eq!(
            counts(vec![gold("a", "https://a.org/x")], &["https://b.org", "b.org/"]),
            (0, 2, 1)
        );
    }

    #[test]
    fn the_resource_with_most_signs_is_meant() {
        let entry = |id: &str, filename: &str| GoldResource {
            filename: filename.into(),
            ..gold(id, "https://a.org/x")
        };
        let chosen = |resources: [GoldResource; 2], predicted: PredictedUrl| {
            let candidates = resources
                .each_ref()
                .map(|resource| (resource, gold_keys(resource).len()));
            choose(&candidates, &predicted, &HashSet::new()).map(|resource| resource.id.clone())
        };
        let said = |name: &str| PredictedUrl {
            name: name.into(),
            kind: "Data".into(),
            ..PredictedUrl::default()
        };
        // A file's name outweighs id, kind and requirement together.
        let optional = GoldResource {
            required: false,
            kind: "code".into(),
            ..entry("b", "Wave5.dta")
        };
        let both = [entry("named", ""), optional];
        assert_eq!(chosen(both, said("named wave5.DTA")), Some("b".into()));
        let many = GoldResource {
            aliases: vec!["https://a.org/y".into()],
            ..entry("a", "")
        };
        assert_eq!(chosen([many, entry("b", "")], said("")), Some("b".into()));
        assert_eq!(
            chosen([entry("a", ""), entry("b", "")], said("")),
            Some("a".into())
        );
    }

    #[test]
    fn a_free_resource_is_preferred() {
        let two = vec![gold("a", "https://a.org/x"), gold("b", "https://a.org/x")];
        assert_eq!(counts(two.clone(), &["a.org/x"]), (1, 0, 1));
        assert_eq!(counts(two, &["a.org/x", "a.org/x?q=1"]), (2, 0, 0));
    }
}
