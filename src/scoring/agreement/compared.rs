//! Two raters on the items of one stage, with intervals.

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use serde::{Deserialize, Serialize};

use super::bootstrap::{Intervals, by_paper};
use super::measures::Agreement;
use super::table::{AgreementTable, OffScale, Rating};

/// Coverage of the intervals.
const LEVEL: f64 = 0.95;

/// The agreement over one stage's items.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compared {
    pub stage: String,
    pub agreement: Agreement,
    pub intervals: Intervals,
}

/// The number of resamples of papers, and their seed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Resampling {
    pub resamples: usize,
    pub seed: u64,
}

impl Compared {
    /// Compares on a scale from 0 to `categories - 1`; what is off it is left
    /// out, and counted beside.
    ///
    /// # Errors
    /// A scale of too few or too many categories.
    pub fn measure(
        stage: &str,
        ratings: &[Rating],
        categories: usize,
        resampling: Resampling,
    ) -> Result<(Self, usize), OffScale> {
        let on_scale = |mark: Option<u8>| mark.is_none_or(|mark| usize::from(mark) < categories);
        let kept: Vec<Rating> = (ratings.iter())
            .filter(|one| on_scale(one.judge) && on_scale(one.human))
            .cloned()
            .collect();
        let table = AgreementTable::from_ratings(&kept, categories)?;
        let mut rng = StdRng::seed_from_u64(resampling.seed);
        let compared = Self {
            stage: stage.to_owned(),
            agreement: Agreement::from_table(table),
            intervals: by_paper(&kept, categories, resampling.resamples, LEVEL, &mut rng)?,
        };
        Ok((compared, ratings.len() - kept.len()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_off_the_scale_costs_its_item_and_no_other() {
        let rating = |paper: &str, judge, human| Rating {
            paper: paper.to_owned(),
            judge,
            human,
        };
        let ratings = [
            rating("a", Some(3), Some(3)),
            rating("b", Some(0), Some(1)),
            rating("b", Some(9), Some(1)),
            rating("b", None, Some(2)),
        ];
        let resampling = Resampling {
            resamples: 50,
            seed: 1,
        };
        let (compared, off) = Compared::measure("extract", &ratings, 4, resampling).unwrap();
        assert_eq!((compared.agreement.table.n(), off), (2, 1));
        assert_eq!(compared.agreement.exact.to_string(), "1/2");
        assert_eq!(compared.intervals.papers, 2);
        assert!(Compared::measure("extract", &ratings, 1, resampling).is_err());
    }
}
