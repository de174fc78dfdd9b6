//! Intervals by resampling whole papers.

use rand::{Rng, RngExt as _};
use serde::{Deserialize, Serialize};

use super::chance::{alpha_of_table, quadratic_kappa};
use super::measures::bias;
use super::rank::{kendall, spearman};
use super::table::{OffScale, Rating, Table};
use crate::domain::finding::Interval;

/// Most resamples that are drawn.
const MOST_REPLICATES: usize = 100_000;

/// Percentile intervals; each `None` where fewer than half of the resamples
/// define the measure.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Intervals {
    /// Papers that were resampled: the number that the width depends on.
    pub papers: usize,
    pub replicates: usize,
    pub exact: Option<Interval>,
    pub bias: Option<Interval>,
    pub quadratic_kappa: Option<Interval>,
    pub ordinal_alpha: Option<Interval>,
    pub spearman: Option<Interval>,
    pub kendall: Option<Interval>,
}

type Measure = fn(&Table) -> Option<f64>;

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
    let papers = Table::by_paper(ratings, categories)?;
    if papers.is_empty() {
        return Ok(Intervals::default());
    }
    let measures: [Measure; 6] = [exact, bias, quadratic_kappa, alpha_of_table, spearman, kendall];
    let replicates = replicates.min(MOST_REPLICATES);
    let [exact, bias, quadratic_kappa, ordinal_alpha, spearman, kendall] =
        resample(&papers, measures, replicates, rng)?.map(|values| percentiles(values, replicates, level));
    Ok(Intervals {
        papers: papers.len(),
        replicates,
        exact,
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
    let papers = Table::by_paper(ratings, categories)?;
    if papers.is_empty() {
        return Ok(Intervals::default());
    }
    let measures: [Measure; 2] = [spearman, kendall];
    let replicates = replicates.min(MOST_REPLICATES);
    let [spearman, kendall] =
        resample(&papers, measures, replicates, rng)?.map(|values| percentiles(values, replicates, level));
    Ok(Intervals {
        papers: papers.len(),
        replicates,
        spearman,
        kendall,
        ..Intervals::default()
    })
}

/// The measures of resampled papers, each only where it is defined.
fn resample<const N: usize>(
    papers: &[Table],
    measures: [Measure; N],
    replicates: usize,
    rng: &mut impl Rng,
) -> Result<[Vec<f64>; N], OffScale> {
    let mut drawn = [const { Vec::new() }; N];
    let categories = papers.first().map_or(2, Table::categories);
    for _ in 0..replicates {
        let mut table = Table::new(categories)?;
        for _ in 0..papers.len() {
            table.merge(&papers[rng.random_range(0..papers.len())]);
        }
        for (values, measure) in drawn.iter_mut().zip(measures) {
            values.extend(measure(&table));
        }
    }
    Ok(drawn)
}

fn exact(table: &Table) -> Option<f64> {
    let same = table.cells().filter(|(judge, human, _)| judge == human);
    let same: u64 = same.map(|(_, _, count)| count).sum();
    (table.n() > 0).then(|| same as f64 / table.n() as f64)
}

fn percentiles(mut values: Vec<f64>, replicates: usize, level: f64) -> Option<Interval> {
    if values.is_empty() || 2 * values.len() < replicates || !(0.0..1.0).contains(&level) {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let at = |probability: f64| {
        let place = probability * (values.len() - 1) as f64;
        let (low, share) = (place.floor() as usize, place.fract());
        let next = values.get(low + 1).copied().unwrap_or(values[low]);
        values[low] + share * (next - values[low])
    };
    Some(Interval {
        lower: at((1.0 - level) / 2.0),
        upper: at(f64::midpoint(1.0, level)),
        level,
    })
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
        let (intervals, agreement) = (draw(1), Agreement::of(Table::of(&ratings(6), 4).unwrap()));
        assert_eq!(intervals.papers, 6);
        let (kappa, interval) = (
            agreement.quadratic_kappa.unwrap(),
            intervals.quadratic_kappa.unwrap(),
        );
        assert!(interval.lower < kappa && kappa < interval.upper);
        assert_eq!(agreement.table.unpaired, 6);
    }

    #[test]
    fn one_paper_has_no_spread_and_none_no_interval() {
        let draw =
            |ratings: &[Rating]| by_paper(ratings, 4, 100, 0.95, &mut StdRng::seed_from_u64(1)).unwrap();
        let one = draw(&ratings(1)).spearman.unwrap();
        assert!((one.upper - one.lower).abs() < 1e-12);
        assert_eq!(draw(&[]), Intervals::default());
        assert!(by_paper(&ratings(1), 3, 1, 0.95, &mut StdRng::seed_from_u64(1)).is_err());
    }
}
