//! One document against several references of the same study.

use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::document::RegistrationFields;
use super::score::{DocumentScore, compare};

/// A reference by name.
#[derive(Debug, Clone, Copy)]
pub struct NamedReference<'a> {
    pub name: &'a str,
    pub value: &'a Value,
}

/// The score against one of the references.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ReferenceScore {
    pub reference: String,
    pub score: DocumentScore,
}

/// The scores against all references, by lexical overlap over stated fields.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantScores {
    /// In the order given.
    pub each: Vec<ReferenceScore>,
    /// Highest mean over stated fields, and whose it is.
    pub best: Option<(String, f64)>,
    /// Mean of the means over stated fields.
    pub mean: Option<f64>,
    /// Floor to read `mean` against: the all-`not stated` document over all fields.
    pub floor_all: Option<f64>,
    /// The score of the references against one another, each left out in turn and
    /// compared with the rest: the ceiling that people reach. `None` of one.
    pub ceiling: Option<f64>,
}

/// Scores a document against every reference.
pub fn against_each(document: &Value, references: &[NamedReference<'_>]) -> VariantScores {
    let document = RegistrationFields::read(document);
    let read: Vec<_> = references
        .iter()
        .map(|reference| RegistrationFields::read(reference.value))
        .collect();
    let each: Vec<_> = (references.iter().zip(&read))
        .map(|(reference, theirs)| ReferenceScore {
            reference: reference.name.to_owned(),
            score: compare(&document, theirs),
        })
        .collect();
    let stated = |against: &ReferenceScore| against.score.means.stated;
    let best = each
        .iter()
        .filter_map(|against| Some((against.reference.clone(), stated(against)?)))
        .reduce(|best, next| if next.1 > best.1 { next } else { best });
    let pairs = (0..read.len()).flat_map(|out| (0..read.len()).map(move |other| (out, other)));
    let among = pairs
        .filter(|(out, other)| out != other)
        .filter_map(|(out, other)| compare(&read[out], &read[other]).means.stated);
    VariantScores {
        best,
        mean: mean(each.iter().filter_map(stated)),
        floor_all: mean(each.iter().filter_map(|against| against.score.floor.all)),
        ceiling: mean(among),
        each,
    }
}

fn mean(values: impl Iterator<Item = f64>) -> Option<f64> {
    let (sum, count) = values.fold((0.0, 0_u32), |(sum, count), value| (sum + value, count + 1));
    (count > 0).then(|| sum / f64::from(count))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn best_mean_and_ceiling() {
        let document = json!({"claim": {"statement": "a b c d"}});
        let (first, second) = (
            json!({"claim": {"statement": "a b"}}),
            json!({"claim": {"statement": "a b c d"}}),
        );
        let scores = against_each(
            &document,
            &[
                NamedReference {
                    name: "1",
                    value: &first,
                },
                NamedReference {
                    name: "2",
                    value: &second,
                },
            ],
        );
        assert_eq!(scores.best, Some(("2".to_owned(), 1.0)));
        assert!((scores.mean.unwrap() - (2.0 / 3.0 + 1.0) / 2.0).abs() < 1e-12);
        assert!((scores.ceiling.unwrap() - 2.0 / 3.0).abs() < 1e-12);
        assert_eq!(against_each(&document, &[]).best, None);
    }
}
