//! Claimed orders of group means, or of the estimates of terms.

use crate::domain::finding::Finding;

use super::figure::figure;
use super::term::findings_for_term;

/// A claimed order, judged; the means in words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pattern {
    Holds(String),
    Fails(String),
    /// The name whose mean is not given.
    Unknown(String),
}

/// Whether the means of the named groups fall strictly from first to last: the
/// groups of the finding itself, else of other findings, else estimates of terms.
pub fn holds(order: &[String], finding: &Finding, all: &[Finding]) -> Pattern {
    let mut means = Vec::new();
    for name in order {
        match mean(name, finding, all) {
            Some(mean) => means.push(mean),
            None => return Pattern::Unknown(format!("`{name}`")),
        }
    }
    let words: Vec<String> = order
        .iter()
        .zip(&means)
        .map(|(name, mean)| format!("{name} {}", figure(*mean)))
        .collect();
    let words = words.join(", ");
    if means.windows(2).all(|pair| pair[0] > pair[1]) {
        Pattern::Holds(words)
    } else {
        Pattern::Fails(words)
    }
}

fn mean(name: &str, finding: &Finding, all: &[Finding]) -> Option<f64> {
    let same = |other: &str| other.trim().eq_ignore_ascii_case(name.trim());
    let of = |finding: &Finding| {
        let group = finding.groups.iter().find(|group| same(&group.name))?;
        group.mean.filter(|mean| mean.is_finite())
    };
    if let Some(mean) = of(finding) {
        return Some(mean);
    }
    let mut elsewhere: Vec<f64> = all.iter().filter_map(of).collect();
    elsewhere.dedup();
    match elsewhere.as_slice() {
        [mean] => return Some(*mean),
        [] => {}
        // Two models give the group different means.
        _ => return None,
    }
    match findings_for_term(name, all).as_slice() {
        [one] => one.estimate.filter(|estimate| estimate.is_finite()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::finding::Group;

    fn groups(means: &[(&str, f64)]) -> Finding {
        Finding {
            groups: means
                .iter()
                .map(|(name, mean)| Group {
                    name: (*name).to_owned(),
                    mean: Some(*mean),
                    ..Group::default()
                })
                .collect(),
            ..Finding::default()
        }
    }

    #[test]
    fn means_stand_in_the_claimed_order_or_not() {
        let order = ["a".to_owned(), "b".to_owned(), "c".to_owned()];
        let found = |means: &[(&str, f64)]| holds(&order, &groups(means), &[]);
        assert_eq!(
            found(&[("C", 1.0), ("A", 3.0), ("B", 2.0)]),
            Pattern::Holds("a 3, b 2, c 1".to_owned())
        );
        assert!(matches!(
            found(&[("c", 1.0), ("a", 2.0), ("b", 2.0)]),
            Pattern::Fails(_)
        ));
        assert_eq!(
            found(&[("c", 1.0), ("a", 2.0)]),
            Pattern::Unknown("`b`".to_owned())
        );
    }

    #[test]
    fn estimates_of_terms_stand_in_where_no_means_are_given() {
        let term = |name: &str, estimate| Finding {
            name: name.to_owned(),
            estimate: Some(estimate),
            ..Finding::default()
        };
        let all = [term("slope_women", 0.4), term("slope_men", 0.1)];
        let order = ["slope_women".to_owned(), "slope_men".to_owned()];
        assert!(matches!(
            holds(&order, &Finding::default(), &all),
            Pattern::Holds(_)
        ));
    }
}
