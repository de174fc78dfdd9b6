//! Two raters' marks, counted.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Highest number of categories of a scale.
const MOST_CATEGORIES: usize = 101;

/// One item, marked by up to two raters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rating {
    /// The paper that the item belongs to: what is resampled.
    pub paper: String,
    pub judge: Option<u8>,
    pub human: Option<u8>,
}

/// A mark that the scale does not have.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OffScale {
    #[error("An item of `{paper}` has the mark {mark}, and the scale ends at {highest}.")]
    Mark { paper: String, mark: u8, highest: usize },
    #[error("A scale of {0} categories cannot be used: give 2 to 101.")]
    Categories(usize),
}

/// Items by the judge's mark (row) and the human's (column).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Table {
    counts: Vec<Vec<u64>>,
    /// Items that only one rater, or neither, has marked.
    pub unpaired: u64,
}

impl Table {
    /// An empty table of a scale from 0 to `categories - 1`.
    ///
    /// # Errors
    /// Fewer than two categories, or more than a hundred and one.
    pub fn new(categories: usize) -> Result<Self, OffScale> {
        if !(2..=MOST_CATEGORIES).contains(&categories) {
            return Err(OffScale::Categories(categories));
        }
        Ok(Self {
            counts: vec![vec![0; categories]; categories],
            unpaired: 0,
        })
    }

    /// Counts all items.
    ///
    /// # Errors
    /// A mark that the scale does not have.
    pub fn of(ratings: &[Rating], categories: usize) -> Result<Self, OffScale> {
        let mut table = Self::new(categories)?;
        ratings.iter().try_for_each(|rating| table.add(rating))?;
        Ok(table)
    }

    /// One table a paper, in the papers' order.
    ///
    /// # Errors
    /// As [`Table::of`].
    pub fn by_paper(ratings: &[Rating], categories: usize) -> Result<Vec<Self>, OffScale> {
        let mut papers: BTreeMap<&str, Self> = BTreeMap::new();
        for rating in ratings {
            let table = match papers.entry(&rating.paper) {
                std::collections::btree_map::Entry::Occupied(known) => known.into_mut(),
                std::collections::btree_map::Entry::Vacant(new) => new.insert(Self::new(categories)?),
            };
            table.add(rating)?;
        }
        Ok(papers.into_values().collect())
    }

    fn add(&mut self, rating: &Rating) -> Result<(), OffScale> {
        let highest = self.counts.len() - 1;
        for mark in [rating.judge, rating.human].into_iter().flatten() {
            if usize::from(mark) > highest {
                return Err(OffScale::Mark {
                    paper: rating.paper.clone(),
                    mark,
                    highest,
                });
            }
        }
        match rating.judge.zip(rating.human) {
            Some((judge, human)) => self.counts[usize::from(judge)][usize::from(human)] += 1,
            None => self.unpaired += 1,
        }
        Ok(())
    }

    /// Adds another table of the same scale.
    pub fn merge(&mut self, other: &Self) {
        for (ours, theirs) in self
            .counts
            .iter_mut()
            .flatten()
            .zip(other.counts.iter().flatten())
        {
            *ours += theirs;
        }
        self.unpaired += other.unpaired;
    }

    /// The counts, judge by human.
    pub fn counts(&self) -> &[Vec<u64>] {
        &self.counts
    }

    /// Number of categories.
    pub fn categories(&self) -> usize {
        self.counts.len()
    }

    /// Items that both have marked.
    pub fn n(&self) -> u64 {
        self.counts.iter().flatten().sum()
    }

    /// Items by the judge's mark, and by the human's.
    pub fn margins(&self) -> (Vec<u64>, Vec<u64>) {
        let judge = self.counts.iter().map(|row| row.iter().sum()).collect();
        let human = (0..self.categories())
            .map(|column| self.counts.iter().map(|row| row[column]).sum())
            .collect();
        (judge, human)
    }

    /// Every cell with its count: judge's mark, human's mark, items.
    pub fn cells(&self) -> impl Iterator<Item = (usize, usize, u64)> + '_ {
        let rows = self.counts.iter().enumerate();
        rows.flat_map(|(judge, row)| {
            row.iter()
                .enumerate()
                .map(move |(human, count)| (judge, human, *count))
        })
    }
}
