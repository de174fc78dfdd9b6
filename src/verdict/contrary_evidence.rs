//! Evidence in a run against its focal number.

use crate::domain::doubt::{Doubt, DoubtCause};
use crate::domain::finding::{Finding, Relation};

use super::figure::{figure, quoted};
use super::plan_words::PlanWords;
use super::trace::WrittenNumber;

/// The facts of the data behind a result.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct DataFacts {
    /// The data files that the plan names.
    pub planned: Vec<String>,
    /// Whether the plan lists them as all that its code opens.
    pub listed: bool,
    /// The planned ones that were opened.
    pub opened: Vec<String>,
    /// Opened data files that the plan does not name.
    pub unplanned: Vec<String>,
    /// Whether the record of opened files has no gaps.
    pub complete: bool,
    /// Whether the study ships data at all.
    pub has_data: bool,
    /// Rows that the plan expects its model to use.
    pub expected: Option<u64>,
    /// How many rows more or fewer still follow the plan.
    pub tolerance: Option<u64>,
}

/// The share of the expected rows that may be missing where the plan names no tolerance.
const TOLERANCE: f64 = 0.05;

/// Planned data that were not opened, and other data that were.
pub fn data(facts: &DataFacts) -> Option<Doubt> {
    if !facts.complete || !facts.has_data {
        return None;
    }
    let names = |files: &[String]| quoted(files.iter().take(5).map(String::as_str));
    if facts.opened.is_empty() && facts.unplanned.is_empty() {
        return Some(Doubt::deciding(
            DoubtCause::Data,
            "The execution that gave the number opened no data file.",
        ));
    }
    if facts.planned.is_empty() {
        return (facts.listed && !facts.unplanned.is_empty()).then(|| {
            Doubt::deciding(
                DoubtCause::Data,
                format!(
                    "No data file has a name that the plan lists, and the execution opened {}.",
                    names(&facts.unplanned)
                ),
            )
        });
    }
    if facts.opened.is_empty() {
        return Some(Doubt::deciding(
            DoubtCause::Data,
            format!(
                "The plan names {}, and the execution opened {} instead.",
                names(&facts.planned),
                names(&facts.unplanned)
            ),
        ));
    }
    if facts.unplanned.is_empty() {
        let untouched: Vec<String> = facts
            .planned
            .iter()
            .filter(|file| !facts.opened.contains(file))
            .cloned()
            .collect();
        return (!untouched.is_empty()).then(|| {
            Doubt::beside(
                DoubtCause::Data,
                format!(
                    "The plan names {}, which the execution did not open.",
                    names(&untouched)
                ),
            )
        });
    }
    Some(Doubt::new(
        DoubtCause::Data,
        format!(
            "The plan names {}, and the execution opened {} as well.",
            names(&facts.planned),
            names(&facts.unplanned)
        ),
        facts.listed,
    ))
}

/// Rows of the model against rows read and what the plan expects.
pub fn sample_size(finding: &Finding, facts: &DataFacts, plan: &PlanWords) -> Option<Doubt> {
    let n = finding.n?;
    let table = match plan.tables.as_slice() {
        [one] => Some(one),
        _ => None,
    };
    if let Some(table) = table
        && n > table.rows
        && facts.expected.is_none_or(|expected| expected <= table.rows)
    {
        return Some(Doubt::deciding(
            DoubtCause::SampleSize,
            format!(
                "The model used {n} rows, and `{}` has {}. A plan that reshapes or joins data has to give the number of rows that it expects.",
                table.path, table.rows
            ),
        ));
    }
    let usual = |rows: u64| (rows as f64 * TOLERANCE).ceil() as u64;
    let Some(expected) = facts.expected else {
        return table.filter(|table| n != table.rows).map(|table| {
            let left_out = table.complete.filter(|complete| complete.saturating_sub(n) > usual(*complete));
            let rows = match left_out {
                Some(complete) => format!("{complete} complete ones"),
                None => table.rows.to_string(),
            };
            Doubt::new(
                DoubtCause::SampleSize,
                format!(
                    "The model used {n} rows of the {rows} in `{}`, and the plan does not say how many rows are left out.",
                    table.path
                ),
                left_out.is_some(),
            )
        });
    };
    let tolerance = facts.tolerance.unwrap_or_else(|| usual(expected));
    let off = n.abs_diff(expected);
    if off > tolerance {
        return Some(Doubt::deciding(
            DoubtCause::SampleSize,
            format!("The model used {n} rows, and the plan expects {expected} (± {tolerance})."),
        ));
    }
    if off <= usual(expected) {
        return None;
    }
    // Rows that lack nothing were left out, and the plan says of none that it would be.
    let left_out = table
        .and_then(|table| table.complete)
        .filter(|complete| complete.saturating_sub(n) > usual(*complete));
    Some(Doubt::new(
        DoubtCause::SampleSize,
        match left_out {
            Some(complete) => format!(
                "The model used {n} of {complete} complete rows. The plan expects {expected} with a tolerance of {tolerance}, and names no rows to leave out."
            ),
            None => format!(
                "The model used {n} rows, and the plan expects {expected}: within its own tolerance of {tolerance}."
            ),
        },
        left_out.is_some() && !plan.names_exclusions(),
    ))
}

/// More degrees of freedom than rows.
pub fn degrees(finding: &Finding) -> Option<Doubt> {
    let statistic = finding
        .statistic
        .as_ref()
        .and_then(|statistic| statistic.df.last());
    let (df, n) = (finding.df.or(statistic)?, finding.n?);
    (df >= n as f64).then(|| {
        Doubt::deciding(
            DoubtCause::SampleSize,
            format!(
                "The test has {} degrees of freedom, and the model used {n} rows.",
                figure(df)
            ),
        )
    })
}

/// The agent's report against what the code recorded or printed.
pub fn report(finding: &Finding, reported: &Finding) -> Option<Doubt> {
    let differs = |reported: Option<f64>, found: Option<f64>| match (reported, found) {
        (Some(reported), Some(found)) => {
            WrittenNumber::from_value(reported).is_some_and(|written| !written.is_of(found))
        }
        _ => false,
    };
    let exact = |finding: &Finding| {
        finding
            .p_value
            .filter(|p| p.relation == Relation::Equal)
            .map(|p| p.value)
    };
    let pairs = [
        ("estimate", reported.estimate, finding.estimate),
        ("standard error", reported.standard_error, finding.standard_error),
        ("p-value", exact(reported), exact(finding)),
        ("n", reported.n.map(|n| n as f64), finding.n.map(|n| n as f64)),
        ("number of degrees of freedom", reported.df, finding.df),
    ];
    let different: Vec<String> = pairs
        .into_iter()
        .filter(|(_, reported, found)| differs(*reported, *found))
        .filter_map(|(name, reported, found)| {
            Some(format!(
                "the {name} {}, not {}",
                figure(reported?),
                figure(found?)
            ))
        })
        .collect();
    (!different.is_empty()).then(|| {
        Doubt::beside(
            DoubtCause::Report,
            format!("The report gives {}.", different.join(", ")),
        )
    })
}

/// The original's own figures as the replication's: estimate and one more number,
/// at the precision that the original is published with.
pub fn original_numbers(finding: &Finding, original: &Finding, from_data: bool) -> Option<Doubt> {
    let same = |published: Option<f64>, found: Option<f64>| match (published, found) {
        (Some(published), Some(found)) => {
            significant(published) >= 2
                && WrittenNumber::from_value(published).is_some_and(|written| written.is_of(found))
        }
        _ => false,
    };
    let statistic = |finding: &Finding| finding.statistic.as_ref().map(|statistic| statistic.value);
    let estimate = same(original.estimate, finding.estimate);
    let error = same(original.standard_error, finding.standard_error);
    let test = same(statistic(original), statistic(finding));
    if !(estimate && (error || test)) {
        return None;
    }
    let detail = format!(
        "The estimate {} {} the original's own, to the digits published.",
        figure(finding.estimate?),
        if error {
            format!("and its standard error {} are", figure(finding.standard_error?))
        } else {
            "and its statistic are".to_owned()
        }
    );
    Some(Doubt::new(DoubtCause::OriginalNumbers, detail, !from_data))
}

/// The significant digits that a number is given with.
fn significant(value: f64) -> usize {
    let text = format!("{:e}", value.abs());
    let mantissa = text.split('e').next().unwrap_or_default();
    mantissa.chars().filter(char::is_ascii_digit).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::domain::data_table::DataTable;

    fn facts() -> DataFacts {
        DataFacts {
            planned: vec!["replication_data/a.csv".to_owned()],
            opened: vec!["replication_data/a.csv".to_owned()],
            complete: true,
            has_data: true,
            ..DataFacts::default()
        }
    }

    #[test]
    fn other_data_than_planned_are_named() {
        assert_eq!(data(&facts()), None);
        let none = DataFacts {
            opened: Vec::new(),
            ..facts()
        };
        assert!(data(&none).unwrap().detail.contains("opened no data file"));
        let other = DataFacts {
            unplanned: vec!["replication_data/b.csv".to_owned()],
            ..none.clone()
        };
        let found = data(&other).unwrap();
        assert!(
            found.decides && found.detail.contains("opened `replication_data/b.csv` instead"),
            "{found:?}"
        );
        let unknown = DataFacts {
            planned: Vec::new(),
            listed: true,
            ..other.clone()
        };
        let found = data(&unknown).unwrap();
        assert!(
            found.decides && found.detail.contains("No data file has a name"),
            "{found:?}"
        );
        let part = DataFacts {
            planned: vec![
                "replication_data/a.csv".to_owned(),
                "replication_data/c.csv".to_owned(),
            ],
            ..facts()
        };
        let found = data(&part).unwrap();
        assert!(
            !found.decides && found.detail.contains("c.csv`, which"),
            "{found:?}"
        );
        let gaps = DataFacts {
            complete: false,
            ..none
        };
        assert_eq!(data(&gaps), None);
    }

    fn plan(rows: &str) -> PlanWords {
        PlanWords {
            rows: rows.to_owned(),
            tables: vec![DataTable {
                path: "replication_data/a.csv".to_owned(),
                rows: 102,
                columns: Vec::new(),
                complete: Some(98),
            }],
            ..PlanWords::default()
        }
    }

    #[test]
    fn rows_are_held_against_the_plan() {
        let of = |n, facts: &DataFacts| {
            let finding = Finding {
                n: Some(n),
                ..Finding::default()
            };
            sample_size(&finding, facts, &plan(""))
        };
        assert_eq!(of(102, &facts()), None);
        assert!(!of(98, &facts()).unwrap().decides);
        let chosen = of(60, &facts()).unwrap();
        assert!(
            chosen.decides && chosen.detail.contains("98 complete ones"),
            "{chosen:?}"
        );
        let doubled = of(204, &facts()).unwrap();
        assert!(
            doubled.decides && doubled.detail.contains("204 rows"),
            "{doubled:?}"
        );
        let planned = DataFacts {
            expected: Some(98),
            ..facts()
        };
        assert_eq!(of(98, &planned), None);
        assert_eq!(of(94, &planned), None);
        let found = of(60, &planned).unwrap();
        assert!(
            found.decides
                && found
                    .detail
                    .contains("used 60 rows, and the plan expects 98 (± 5)"),
            "{found:?}"
        );
        let reshaped = DataFacts {
            expected: Some(204),
            ..facts()
        };
        assert_eq!(of(204, &reshaped), None);
    }

    #[test]
    fn a_wide_tolerance_covers_rows_that_the_plan_leaves_out() {
        let wide = DataFacts {
            expected: Some(98),
            tolerance: Some(40),
            ..facts()
        };
        let of = |n, all: &str| {
            let finding = Finding {
                n: Some(n),
                ..Finding::default()
            };
            sample_size(&finding, &wide, &plan(all)).map(|doubt| doubt.decides)
        };
        assert_eq!(of(70, "All occupations are used."), Some(true));
        assert_eq!(of(70, "Rows that lack a value are dropped."), Some(true));
        assert_eq!(of(70, "Occupations below 100 people are excluded."), Some(false));
        assert_eq!(of(96, "All occupations are used."), None);
    }

    #[test]
    fn the_original_s_numbers_are_known_again() {
        let original = Finding {
            estimate: Some(0.599),
            standard_error: Some(0.12),
            ..Finding::default()
        };
        let copied = original_numbers(&original, &original, false).unwrap();
        assert!(copied.decides && copied.cause == DoubtCause::OriginalNumbers);
        assert!(!original_numbers(&original, &original, true).unwrap().decides);
        let other = Finding {
            standard_error: Some(0.2),
            ..original.clone()
        };
        assert_eq!(original_numbers(&other, &original, false), None);
    }

    #[test]
    fn a_report_is_compared_at_its_own_precision() {
        let found = Finding {
            estimate: Some(0.001_361_17),
            ..Finding::default()
        };
        let reported = |estimate| Finding {
            estimate: Some(estimate),
            ..Finding::default()
        };
        assert_eq!(report(&found, &reported(0.00136)), None);
        assert!(
            report(&found, &reported(0.00146))
                .unwrap()
                .detail
                .contains("0.00146, not 0.00136117")
        );
    }
}
