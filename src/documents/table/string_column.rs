//! A column of text, each distinct value stored once.

use std::collections::HashMap;
use std::hash::BuildHasher;

use foldhash::fast::RandomState;
use serde::{Deserialize, Serialize};

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;

/// The place of a missing value.
const MISSING: u32 = u32::MAX;

/// Text values, some of them missing.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
pub struct StringColumn {
    rows: Vec<u32>,
    distinct: Vec<String>,
    /// The position of a distinct value by its hash, or the next free number after that.
    #[serde(skip)]
    places: HashMap<u64, u32, RandomState>,
}

/// Equal where the rows hold the same values, numbered alike.
impl PartialEq for StringColumn {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows && self.distinct == other.distinct
    }
}

impl Eq for StringColumn {}

impl StringColumn {
    /// Adds a value.
    ///
    /// # Errors
    /// More text than the limit of memory holds.
    pub fn push(&mut self, value: Option<&str>, budget: &mut MemoryBudget) -> Result<(), ReadError> {
        budget.take(4)?;
        let Some(value) = value else {
            self.rows.push(MISSING);
            return Ok(());
        };
        let place = self.place(value, budget)?;
        self.rows.push(place);
        Ok(())
    }

    /// The position of a value among the distinct ones, which it joins if it is new.
    ///
    /// # Errors
    /// More text than the limit of memory holds.
    pub fn place(&mut self, value: &str, budget: &mut MemoryBudget) -> Result<u32, ReadError> {
        let mut hash = self.places.hasher().hash_one(value);
        while let Some(place) = self.places.get(&hash) {
            if self
                .distinct
                .get(*place as usize)
                .is_some_and(|known| known == value)
            {
                return Ok(*place);
            }
            hash = hash.wrapping_add(1);
        }
        budget.take(value.len() as u64 + 64)?;
        let place = self.distinct.len() as u32;
        self.distinct.push(value.to_owned());
        self.places.insert(hash, place);
        Ok(place)
    }

    /// Gives up what only adding needs.
    pub fn finish(mut self) -> Self {
        self.places = HashMap::default();
        self
    }

    /// The value of a row; `None` where it is missing or past the end.
    pub fn get(&self, row: usize) -> Option<&str> {
        let place = *self.rows.get(row)?;
        self.distinct.get(place as usize).map(String::as_str)
    }

    /// Rows.
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// All rows from the first.
    pub fn iter(&self) -> impl Iterator<Item = Option<&str>> {
        (0..self.len()).map(|row| self.get(row))
    }

    /// The distinct values, in the order of their first row.
    pub fn distinct(&self) -> &[String] {
        &self.distinct
    }

    /// The position of each row's value among the distinct ones, which have an
    /// order of their own in every column; `u32::MAX` where it is missing.
    pub fn places(&self) -> &[u32] {
        &self.rows
    }

    /// Bytes that the values take in memory, near enough.
    pub fn bytes(&self) -> u64 {
        let texts: usize = self.distinct.iter().map(|text| text.len() + 24).sum();
        (4 * self.rows.len() + texts) as u64
    }

    /// Rows without a value.
    pub fn missing(&self) -> usize {
        self.rows.iter().filter(|place| **place == MISSING).count()
    }
}
