//! Intervals by resampling whole papers.

use rand::{Rng, RngExt as _};
use serde::{Deserialize, Serialize};

use super::chance::{alpha_of_table, quadratic_kappa};
use super::measures::bias;
use super::rank::{kendall, spearman};
use super::table::{AgreementTable, OffScale, Rating};
use crate::domain::finding::Interval;
use crate::statistics::resampling::percentile_interval;

/// Most resamples that are drawn.
const MOST_REPLICATES: usize = 100_000;

/// Papers below which percentile intervals are known to be too narrow.
pub const FEW_PAPERS: usize = 10;

/// Percentile intervals; each `None` where fewer than half of the resamples
/// define the measure, and where there is one paper, which has no spread.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Papers with an item that both have marked, which are resampled: the
    /// number that the width depends on.
    pub papers: usize,
    pub replicates: usize,
    pub exact: Option<Interval>,
    #[serde(default)]
    pub within_one: Option<Interval>,
    pub bias: Option<Interval>,
    pub quadratic_kappa: Option<Interval>,
    pub ordinal_alpha: Option<Interval>,
    pub spearman: Option<Interval>,
    pub kendall: Option<Interval>,
}

type Measure = fn(&AgreementTable) -> Option<f64>;

/// Resamples papers with replacement, since fields of one paper are not
/// independent; at most 100,000 times.
///
/// # Errors
/// A scale that cannot be used, or a mark that it does not have.
pub fn by_paper(
    ratings: &[Rating],
    categories: usize,
    replicates: usize,
    level: f64,
    rng: &mut impl Rng,
) -> Result<Intervals, OffScale> {
    let papers = marked_by_both(ratings, categories)?;
    let measures: [Measure; 7] = [
        exact,
        within_one,
        bias,
        quadratic_kappa,
        alpha_of_table,
        spearman,
        kendall,
    ];
    let (replicates, drawn) = resample(&papers, measures, replicates, rng)?;
    let [
        exact,
        within_one,
        bias,
        quadratic_kappa,
        ordinal_alpha,
        spearman,
        kendall,
    ] = drawn.map(|values| percentiles(values, replicates, level));
    Ok(Intervals {
        papers: papers.len(),
        replicates,
        exact,
        within_one,
        bias,
        quadratic_kappa,
        ordinal_alpha,
        spearman,
        kendall,
    })
}

/// As [`by_paper`], of the two rank correlations alone: what remains
/// meaningful between scales of different length.
///
/// # Errors
/// As [`by_paper`].
pub fn ranks_by_paper(
    ratings: &[Rating],
    categories: usize,
    replicates: usize,
    level: f64,
    rng: &mut impl Rng,
) -> Result<Intervals, OffScale> {
    let papers = marked_by_both(ratings, categories)?;
    let measures: [Measure; 2] = [spearman, kendall];
    let (replicates, drawn) = resample(&papers, measures, replicates, rng)?;
    let [spearman, kendall] = drawn.map(|values| percentiles(values, replicates, level));
    Ok(Intervals {
        papers: papers.len(),
        replicates,
        spearman,
        kendall,
        ..Intervals::default()
    })
}

/// One table a paper, of papers with an item that both have marked.
fn marked_by_both(ratings: &[Rating], categories: usize) -> Result<Vec<AgreementTable>, OffScale> {
    let mut papers = AgreementTable::by_paper(ratings, categories)?;
    papers.retain(|paper| paper.n() > 0);
    Ok(papers)
}

/// How often was drawn, and the measures of resampled papers, each only where
/// it is defined; nothing of fewer than two papers.
fn resample<const N: usize>(
    papers: &[AgreementTable],
    measures: [Measure; N],
    replicates: usize,
    rng: &mut impl Rng,
) -> Result<(usize, [Vec<f64>; N]), OffScale> {
    let mut drawn = [const { Vec::new() }; N];
    let replicates = if papers.len() < 2 {
        0
    } else {
        replicates.min(MOST_REPLICATES)
    };
    let categories = papers.first().map_or(2, AgreementTable::categories);
    let mut table = AgreementTable::new(categories)?;
    for _ in 0..replicates {
        table.clear();
        for _ in 0..papers.len() {
            table.merge(&papers[rng.random_range(0..papers.len())]);
        }
        for (values, measure) in drawn.iter_mut().zip(measures) {
            values.extend(measure(&table));
        }
    }
    Ok((replicates, drawn))
}

fn exact(table: &AgreementTable) -> Option<f64> {
    share_within(table, 0)
}

fn within_one(table: &AgreementTable) -> Option<f64> {
    share_within(table, 1)
}

/// The share of items whose marks are at most so many steps apart.
fn share_within(table: &AgreementTable, steps: usize) -> Option<f64> {
    let near = table
        .cells()
        .filter(|cell| cell.judge.abs_diff(cell.human) <= steps);
    let near: u64 = near.map(|cell| cell.count).sum();
    (table.n() > 0).then(|| near as f64 / table.n() as f64)
}

fn percentiles(values: Vec<f64>, replicates: usize, level: f64) -> Option<Interval> {
    let is_defined = 2 * values.len() >= replicates;
    is_defined.then(|| percentile_interval(values, level)).flatten()
}

#[cfg(test)]
mod tests {
    use rand::SeedableRng as _;
    use rand::rngs::StdRng;

    use super::*;
    use crate::scoring::agreement::measures::Agreement;

    fn ratings(papers: usize) -> Vec<Rating> {
        let one = |item: usize| Rating {
            paper: format!("paper {}", item % papers),
            judge: Some(((item * 7 + item % papers) % 4) as u8),
            human: (!item.is_multiple_of(11)).then_some(((item * 7) % 4) as u8),
        };
        (0..60).map(one).collect()
    }

    #[test]
    fn the_same_seed_draws_the_same_intervals() {
        let draw = |seed| by_paper(&ratings(6), 4, 500, 0.95, &mut StdRng::seed_from_u64(seed)).unwrap();
        assert_eq!(draw(1), draw(1));
        assert_ne!(draw(1), draw(2));
        let (intervals, agreement) = (
            draw(1),
            Agreement::from_table(AgreementTable::from_ratings(&ratings(6), 4).unwrap()),
        );
        assert_eq!(intervals.papers, 6);
        let (kappa, interval) = (
            agreement.quadratic_kappa.unwrap(),
            intervals.quadratic_kappa.unwrap(),
        );
        assert!(interval.lower < kappa && kappa < interval.upper);
        assert_eq!(agreement.table.unpaired, 6);
    }

    #[test]
    fn one_paper_has_no_spread_and_so_no_interval() {
        let draw =
            |ratings: &[Rating]| by_paper(ratings, 4, 100, 0.95, &mut StdRng::seed_from_u64(1)).unwrap();
        let one = Intervals {
            papers: 1,
            ..Intervals::default()
        };
        assert_eq!(draw(&ratings(1)), one);
        assert_eq!(draw(&[]), Intervals::default());
        assert!(by_paper(&ratings(1), 3, 1, 0.95, &mut StdRng::seed_from_u64(1)).is_err());
    }

    #[test]
    fn papers_without_an_item_of_both_are_not_drawn() {
        let draw =
            |ratings: &[Rating]| by_paper(ratings, 4, 200, 0.95, &mut StdRng::seed_from_u64(1)).unwrap();
        let (few, mut many) = (ratings(5), ratings(5));
        many.extend((0..40).map(|at| Rating {
            paper: format!("unmarked {at}"),
            judge: Some(1),
            human: None,
        }));
        assert_eq!(draw(&many), draw(&few));
        let within = draw(&few).within_one.unwrap();
        assert!(within.lower < within.upper, "{within:?}");
    }
}
