//! Changes of the data files that a trial makes.

use crate::domain::probe::{ProbeKind, Trial};
use crate::verdict::probe::case::Case;
use crate::verdict::probe::permuted;

use super::table_file::{TableFile, Writer};

/// One change of data files.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrialChange<'a> {
    /// A column is put into another order: row by row, or by the groups of another column.
    Permute(&'a str, Option<&'a str>),
    /// A share of the rows goes.
    Drop,
    /// The numbers of a column are put in the order of another one's.
    Align {
        column: &'a str,
        by: &'a str,
        rising: bool,
    },
}

impl<'a> TrialChange<'a> {
    /// What a trial changes; `None` where it leaves the content as it is.
    pub fn for_trial(case: &'a Case, trial: Trial) -> Option<Self> {
        let outcome = case.planned.outcome.as_ref();
        match trial.kind {
            ProbeKind::Without | ProbeKind::Unchanged => None,
            ProbeKind::Dropped => Some(Self::Drop),
            ProbeKind::Permuted => {
                let column = permuted::column_of(case, trial.repetition)?;
                let is_focal = case.column.name() == Some(column);
                let groups = case.planned.assigned.as_deref().filter(|_| is_focal);
                Some(Self::Permute(column, groups))
            }
            ProbeKind::Outcome => Some(Self::Permute(&outcome?.name, None)),
            ProbeKind::Aligned => Some(Self::Align {
                column: &outcome?.name,
                by: case.column.name()?,
                rising: trial.repetition % 2 == 1,
            }),
        }
    }

    /// Whether it changes a file.
    pub fn touches(self, file: &TableFile) -> bool {
        match self {
            Self::Drop => true,
            Self::Permute(column, _) => file.has(column),
            // What has the column alone cannot be put in order, and is read all the same.
            Self::Align { column, by, .. } => {
                file.has(column) && (file.has(by) || matches!(file.writer, Writer::Nothing(_)))
            }
        }
    }

    /// Whether it is none at all where one of the files that it touches stays as it is:
    /// the code may read the column from that one.
    pub fn takes_every_file(self) -> bool {
        self != Self::Drop
    }

    /// The word that the programs know it by.
    pub fn word(self) -> &'static str {
        match self {
            Self::Permute(..) => "permuted",
            Self::Drop => "dropped",
            Self::Align { rising: true, .. } => "rising",
            Self::Align { rising: false, .. } => "falling",
        }
    }

    /// The column that moves, and the one whose order it takes.
    pub fn columns(self) -> [&'a str; 2] {
        match self {
            Self::Permute(column, groups) => [column, groups.unwrap_or_default()],
            Self::Drop => ["", ""],
            Self::Align { column, by, .. } => [column, by],
        }
    }
}

/// A trial with its folder's name, its seed and its change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlannedTrial<'a> {
    pub trial: Trial,
    pub name: String,
    pub seed: u64,
    pub change: TrialChange<'a>,
}
