//! The rows of a table of attempts that count together.

use std::collections::BTreeSet;

use crate::cli::column_table::{ColumnError, ColumnTable, TableRow};

/// Columns whose values part a table into sets of tasks, by the last part of their names.
const PARTS: [&str; 8] = [
    "split",
    "subset",
    "level",
    "benchmark",
    "dataset",
    "partition",
    "setting",
    "difficulty",
];
/// Values that are named.
const NAMED: usize = 8;

/// The reason for which it is not known which rows count.
#[derive(Debug, thiserror::Error)]
pub enum TableRowFault {
    #[error("--where {0}: write COLUMN=VALUE, such as split=test")]
    NoValue(String),
    #[error(transparent)]
    Column(#[from] ColumnError),
    #[error(
        "the rows have {count} values in the column `{column}` ({named}), whose attempts do not belong together: \
         choose with --where {column}={first}, or take all with --where '{column}=*'"
    )]
    SeveralSets {
        count: usize,
        column: String,
        /// The first values.
        named: String,
        first: String,
    },
}

/// The rows that are taken.
#[derive(Debug, Default)]
pub struct TableRowFilter {
    /// Columns with the value that they have to have; `None` takes all.
    wanted: Vec<(usize, Option<String>)>,
}

impl TableRowFilter {
    /// Reads conditions such as `split=test`.
    ///
    /// # Errors
    /// A text without `=`, or a column that the table does not have.
    pub fn parse(conditions: &[String], table: &ColumnTable) -> Result<Self, TableRowFault> {
        let one = |condition: &String| {
            let (name, value) = condition
                .split_once('=')
                .ok_or_else(|| TableRowFault::NoValue(condition.clone()))?;
            let at = table.named("where", name.trim())?;
            Ok((at, Some(value.trim().to_owned()).filter(|value| value != "*")))
        };
        let wanted = conditions.iter().map(one).collect::<Result<_, TableRowFault>>()?;
        Ok(Self { wanted })
    }

    /// Whether a row has every value that is asked for.
    pub fn takes(&self, row: &TableRow) -> bool {
        let has = |(at, value): &(usize, Option<String>)| {
            value.as_ref().is_none_or(|value| row.field(*at) == value)
        };
        self.wanted.iter().all(has)
    }
}

/// The values by which the rows of a table fall apart, and nobody has chosen among.
#[derive(Debug)]
pub struct TableSplits {
    columns: Vec<(usize, BTreeSet<String>)>,
}

impl TableSplits {
    /// The columns to look at: those that neither a condition nor the figures name.
    pub fn find(table: &ColumnTable, chosen: &TableRowFilter, used: [usize; 3]) -> Self {
        let is_open =
            |at: &usize| !used.contains(at) && !chosen.wanted.iter().any(|(wanted, _)| wanted == at);
        let is_part = |name: &str| {
            let last = name.rsplit(['.', '/']).next().unwrap_or(name).to_lowercase();
            PARTS.contains(&last.as_str())
        };
        let columns = (0..table.header.len())
            .filter(|at| is_part(&table.header[*at]))
            .filter(is_open);
        Self {
            columns: columns.map(|at| (at, BTreeSet::new())).collect(),
        }
    }

    /// Looks at a row that counts.
    pub fn note(&mut self, row: &TableRow) {
        for (at, values) in &mut self.columns {
            values.insert(row.field(*at).to_owned());
        }
    }

    /// Asks which of several values is meant.
    ///
    /// # Errors
    /// A column with several values.
    pub fn ask(&self, table: &ColumnTable) -> Result<(), TableRowFault> {
        let Some((at, values)) = self.columns.iter().find(|(_, values)| values.len() > 1) else {
            return Ok(());
        };
        let named: Vec<String> = values
            .iter()
            .take(NAMED)
            .map(|value| format!("`{value}`"))
            .collect();
        let more = if values.len() > NAMED { " and others" } else { "" };
        Err(TableRowFault::SeveralSets {
            count: values.len(),
            column: table.header[*at].clone(),
            named: format!("{}{more}", named.join(", ")),
            first: values.first().cloned().unwrap_or_default(),
        })
    }
}
