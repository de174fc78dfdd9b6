//! The planned outcome by value of the focal column, as the data file has it.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::verdict::probe::case::FocalColumn;
use crate::verdict::probe::planned::{FocalLevel, OutcomeColumn};

use super::delimited::Delimited;
use super::table_file::{TableFile, Writer};

/// Values with which a column makes groups.
const MOST: usize = 20;

/// The rows and the mean of the outcome of every value of the focal column, from the
/// first delimited file that has both; none where that has too many values.
pub fn measure(
    workspace: &Path,
    tables: &[TableFile],
    focal: &FocalColumn,
    outcome: Option<&OutcomeColumn>,
) -> Vec<FocalLevel> {
    let (Some(focal), Some(outcome)) = (focal.name(), outcome) else {
        return Vec::new();
    };
    let file = tables
        .iter()
        .find(|file| file.writer == Writer::Text && file.has(focal) && file.has(&outcome.name));
    let bytes = file.and_then(|file| fs::read(file.path.below(workspace)).ok());
    let table = bytes.as_deref().and_then(Delimited::read);
    table.map_or_else(Vec::new, |table| by_value(&table, focal, &outcome.name))
}

fn by_value(table: &Delimited<'_>, focal: &str, outcome: &str) -> Vec<FocalLevel> {
    let at = |column: &str| table.header().iter().position(|one| one == column);
    let (Some(focal), Some(outcome)) = (at(focal), at(outcome)) else {
        return Vec::new();
    };
    let mut values: BTreeMap<String, (u64, f64)> = BTreeMap::new();
    for (name, number) in table.pairs(focal, outcome) {
        let missing = matches!(name.trim(), "" | "NA" | "NaN" | "nan" | ".");
        let Some(number) = number.trim().parse::<f64>().ok().filter(|_| !missing) else {
            continue;
        };
        let entry = values.entry(name.trim().to_owned()).or_default();
        entry.0 += 1;
        entry.1 += number;
        if values.len() > MOST {
            return Vec::new();
        }
    }
    values
        .into_iter()
        .map(|(name, (n, sum))| FocalLevel {
            name,
            n,
            mean: sum / n as f64,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_are_of_the_rows_that_have_both() {
        let text = "type,y\nbc,10\nprof,30\nbc,14\nNA,99\nprof,NA\n";
        let table = Delimited::read(text.as_bytes()).unwrap();
        let level = |name: &str, n, mean| FocalLevel {
            name: name.into(),
            n,
            mean,
        };
        assert_eq!(
            by_value(&table, "type", "y"),
            [level("bc", 2, 12.0), level("prof", 1, 30.0)]
        );
        assert!(by_value(&table, "type", "z").is_empty());
    }
}
