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
#[serde(try_from = "Written", into = "Written")]
pub struct AgreementTable {
    /// Row by row.
    counts: Vec<u64>,
    /// Items by the judge's mark, and by the human's: every measure asks for them.
    margins: [Vec<u64>; 2],
    n: u64,
    /// Items that only one rater, or neither, has marked.
    pub unpaired: u64,
}

/// The items with one pair of marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AgreementCell {
    pub judge: usize,
    pub human: usize,
    pub count: u64,
}

/// A table as it is written.
#[derive(Serialize, Deserialize)]
struct Written {
    counts: Vec<Vec<u64>>,
    unpaired: u64,
}

impl From<AgreementTable> for Written {
    fn from(table: AgreementTable) -> Self {
        Self {
            counts: table.rows().map(<[u64]>::to_vec).collect(),
            unpaired: table.unpaired,
        }
    }
}

impl TryFrom<Written> for AgreementTable {
    type Error = OffScale;

    fn try_from(written: Written) -> Result<Self, OffScale> {
        let categories = written.counts.len();
        let mut table = Self::new(categories)?;
        table.unpaired = written.unpaired;
        for (judge, row) in written.counts.iter().enumerate() {
            if row.len() != categories {
                return Err(OffScale::Categories(row.len()));
            }
            for (human, count) in row.iter().enumerate() {
                table.count(judge, human, *count);
            }
        }
        Ok(table)
    }
}

impl AgreementTable {
    /// An empty table of a scale from 0 to `categories - 1`.
    ///
    /// # Errors
    /// Fewer than two categories, or more than a hundred and one.
    pub fn new(categories: usize) -> Result<Self, OffScale> {
        if !(2..=MOST_CATEGORIES).contains(&categories) {
            return Err(OffScale::Categories(categories));
        }
        Ok(Self {
            counts: vec![0; categories * categories],
            margins: [vec![0; categories], vec![0; categories]],
            n: 0,
            unpaired: 0,
        })
    }

    /// Counts all items.
    ///
    /// # Errors
    /// A mark that the scale does not have.
    pub fn from_ratings(ratings: &[Rating], categories: usize) -> Result<Self, OffScale> {
        let mut table = Self::new(categories)?;
        ratings.iter().try_for_each(|rating| table.add(rating))?;
        Ok(table)
    }

    /// One table a paper, in the papers' order.
    ///
    /// # Errors
    /// As [`AgreementTable::from_ratings`].
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
        let highest = self.categories() - 1;
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
            Some((judge, human)) => self.count(usize::from(judge), usize::from(human), 1),
            None => self.unpaired += 1,
        }
        Ok(())
    }

    fn count(&mut self, judge: usize, human: usize, items: u64) {
        let at = judge * self.categories() + human;
        self.counts[at] = self.counts[at].saturating_add(items);
        for (margin, mark) in self.margins.iter_mut().zip([judge, human]) {
            margin[mark] = margin[mark].saturating_add(items);
        }
        self.n = self.n.saturating_add(items);
    }

    /// Adds another table of the same scale.
    pub fn merge(&mut self, other: &Self) {
        let [judge, human] = &mut self.margins;
        let [their_judge, their_human] = &other.margins;
        for (ours, theirs) in [
            (&mut self.counts, &other.counts),
            (judge, their_judge),
            (human, their_human),
        ] {
            for (ours, theirs) in ours.iter_mut().zip(theirs) {
                *ours += theirs;
            }
        }
        self.n += other.n;
        self.unpaired += other.unpaired;
    }

    /// Takes all items out.
    pub fn clear(&mut self) {
        self.counts.fill(0);
        self.margins.iter_mut().for_each(|margin| margin.fill(0));
        self.n = 0;
        self.unpaired = 0;
    }

    /// The counts by the judge's mark, each by the human's.
    pub fn rows(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.counts.chunks_exact(self.categories())
    }

    /// The counts row by row.
    pub fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// Number of categories.
    pub fn categories(&self) -> usize {
        self.margins[0].len()
    }

    /// Items that both have marked.
    pub fn n(&self) -> u64 {
        self.n
    }

    /// Items by the judge's mark, and by the human's.
    pub fn margins(&self) -> (&[u64], &[u64]) {
        let [judge, human] = &self.margins;
        (judge, human)
    }

    /// Every cell with its count.
    pub fn cells(&self) -> impl Iterator<Item = AgreementCell> + '_ {
        let rows = self.rows().enumerate();
        rows.flat_map(|(judge, row)| {
            row.iter().enumerate().map(move |(human, count)| AgreementCell {
                judge,
                human,
                count: *count,
            })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_read_as_it_was_written_or_not_at_all() {
        let ratings = [(0, 1), (1, 1), (1, 2)].map(|(judge, human)| Rating {
            paper: "p".to_owned(),
            judge: Some(judge),
            human: Some(human),
        });
        let table = AgreementTable::from_ratings(&ratings, 3).unwrap();
        let written = serde_json::to_string(&table).unwrap();
        assert_eq!(written, r#"{"counts":[[0,1,0],[0,1,1],[0,0,0]],"unpaired":0}"#);
        assert_eq!(serde_json::from_str::<AgreementTable>(&written).unwrap(), table);
        assert_eq!(table.margins(), (&[1, 2, 0][..], &[0, 2, 1][..]));
        for damaged in [
            r#"{"counts":[[1,2],[3]],"unpaired":0}"#,
            r#"{"counts":[[1]],"unpaired":0}"#,
        ] {
            assert!(
                serde_json::from_str::<AgreementTable>(damaged).is_err(),
                "{damaged}"
            );
        }
    }
}
