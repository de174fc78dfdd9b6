//! Rows of a program's output as findings.

use crate::domain::finding::{Finding, Group, Interval, PValue};
use crate::domain::statistic::{Statistic, StatisticKind};

use super::printed::{PrintedP, PrintedRow, PrintedStatistic, rows};

/// Every row of an output that names a term and holds a result: a row with a
/// standard error alone describes a variable.
pub fn printed_findings(output: &str) -> Vec<Finding> {
    rows(output).into_iter().filter_map(printed_finding).collect()
}

/// A printed row as a finding, if it holds a result.
pub fn printed_finding(row: PrintedRow) -> Option<Finding> {
    Some(finding(row)).filter(|found| {
        found.estimate.is_some()
            || found.statistic.is_some()
            || found.p_value.is_some()
            || found.interval.is_some()
    })
}

fn finding(row: PrintedRow) -> Finding {
    let statistic = row.statistic.as_ref().map(statistic_of);
    Finding {
        estimate: row.estimate.as_ref().map(|printed| printed.value),
        standard_error: row
            .standard_error
            .as_ref()
            .map(|printed| printed.value)
            .filter(|error| *error >= 0.0),
        interval: row.interval.as_ref().and_then(|interval| {
            let (lower, upper) = (interval.lower.as_ref()?.value, interval.upper.as_ref()?.value);
            (lower <= upper).then_some(Interval {
                lower,
                upper,
                level: interval.level.unwrap_or(0.95),
            })
        }),
        p_value: row.p.as_ref().map(p_value),
        n: row.n,
        df: statistic
            .as_ref()
            .filter(|statistic| statistic.kind == StatisticKind::T)
            .and_then(|statistic| statistic.df.last()),
        sides: row.p.as_ref().and_then(|p| p.sides),
        alternative: row.p.as_ref().and_then(|p| p.alternative),
        adjusted: row.p.as_ref().and_then(|p| p.adjusted.clone()),
        statistic,
        scale: row.scale,
        ratio: None,
        groups: row
            .groups
            .iter()
            .map(|group| Group {
                name: group.name.clone(),
                mean: Some(group.mean.value),
                ..Group::default()
            })
            .collect(),
        name: row.term,
        credible: false,
        coefficient: None,
        outcome: None,
        model: None,
    }
}

fn statistic_of(printed: &PrintedStatistic) -> Statistic {
    Statistic {
        kind: printed.kind.into(),
        value: printed.value.value,
        df: printed.df.clone().unwrap_or_default(),
    }
}

fn p_value(p: &PrintedP) -> PValue {
    PValue {
        relation: p.relation,
        value: p.value,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_labelled_line_is_a_finding() {
        let found = printed_findings("dose N 4 estimate 1.94 SE 0.0905539 t 21.4237 p 0.00217167\n");
        let [dose] = &found[..] else {
            panic!("{found:?}");
        };
        assert_eq!(
            (dose.name.as_str(), dose.estimate, dose.n),
            ("dose", Some(1.94), Some(4))
        );
        assert_eq!(dose.statistic.as_ref().unwrap().kind, StatisticKind::T);
        assert_eq!(dose.p_value.unwrap().value, 0.002_171_67);
    }
}
