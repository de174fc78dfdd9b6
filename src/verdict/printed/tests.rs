//! Outputs of the programs, whole, and what may never be read from them.

use std::fmt::Write;

use proptest::prelude::*;

use super::printed_row::{Printed, PrintedRow};
use super::rows::{MOST_ROWS, rows};
use super::source_line::{LONGEST_LINE, source_lines};
use crate::domain::finding::Relation;
use crate::verdict::term::{TermMatch, best, matches};

/// Each output with the rows that a person found in it.
macro_rules! fixtures {
    ($($name:literal),+ $(,)?) => {
        [$(($name, include_str!(concat!("fixtures/", $name, ".txt")), include_str!(concat!("fixtures/", $name, ".rows")))),+]
    };
}

const FIXTURES: [(&str, &str, &str); 35] = fixtures![
    "labelled",
    "pspp",
    "pspp_regression",
    "py_base",
    "py_linearmodels",
    "py_scipy",
    "py_statsmodels",
    "py_summary_col",
    "py_tables",
    "r_anova",
    "r_base",
    "r_coxph",
    "r_emmeans",
    "r_lme",
    "r_lmer",
    "r_more",
    "r_survreg",
    "r_tests",
    "spss_coef",
    "spss_correlations",
    "spss_logistic",
    "spss_ttest",
    "spss_unianova",
    "stata_esttab",
    "stata_lincom",
    "stata_logistic",
    "stata_margins",
    "stata_mixed",
    "stata_mlogit",
    "stata_ologit",
    "stata_pwcorr",
    "stata_reghdfe",
    "stata_regress",
    "stata_ttest",
    "stata_xtreg_old",
];

/// One row on one line: only what it holds.
fn shown(row: &PrintedRow) -> String {
    let mut text = format!("{} {}", row.line, row.term);
    let mut add = |name: &str, value: String| {
        let _ = write!(text, " | {name} {value}");
    };
    if let Some(estimate) = &row.estimate {
        let scale = row
            .scale
            .map_or_else(String::new, |scale| format!(" ({scale:?})"));
        add("estimate", format!("{}{scale}", estimate.text));
    }
    if let Some(error) = &row.standard_error {
        add("se", error.text.clone());
    }
    if let Some(statistic) = &row.statistic {
        let df = match &statistic.df {
            Some(df) => {
                let df: Vec<String> = df.0.iter().map(f64::to_string).collect();
                format!(" ({})", df.join(", "))
            }
            None => String::new(),
        };
        add(
            &statistic.kind.to_string(),
            format!("{}{df}", statistic.value.text),
        );
    }
    if let Some(p) = &row.p {
        let relation = match p.relation {
            Relation::Equal => "=",
            Relation::Less => "<",
            Relation::Greater => ">",
        };
        let sides = p
            .sides
            .map_or_else(String::new, |sides| format!(" {sides}-sided"));
        let alternative = p.alternative.map_or_else(String::new, |side| format!(" {side}"));
        let stars = if p.from_stars { " by stars" } else { "" };
        add(
            "p",
            format!("{relation} {:?}{sides}{alternative}{stars}", p.value),
        );
    }
    if let Some(interval) = &row.interval {
        let bound = |bound: &Option<Printed>| {
            bound
                .as_ref()
                .map_or_else(|| "none".to_owned(), |bound| bound.text.clone())
        };
        let level = interval
            .level
            .map_or_else(String::new, |level| format!(" at {level}"));
        add(
            "interval",
            format!("{} to {}{level}", bound(&interval.lower), bound(&interval.upper)),
        );
    }
    for group in &row.groups {
        add("mean", format!("{} = {}", group.name, group.mean.text));
    }
    for (name, value) in [
        ("n", row.n.map(|n| n.to_string())),
        ("of", row.outcome.clone()),
        ("in", row.model.clone()),
    ] {
        if let Some(value) = value {
            add(name, value);
        }
    }
    text
}

#[test]
fn outputs_of_the_programs_are_read() {
    for (name, output, expected) in FIXTURES {
        let found: Vec<String> = rows(output).iter().map(shown).collect();
        if std::env::var_os("SHOW_PRINTED_ROWS").is_some() {
            let path = format!("{}/{name}.rows", std::env::var("SHOW_PRINTED_ROWS").unwrap());
            std::fs::write(path, found.join("\n") + "\n").unwrap();
            continue;
        }
        let expected: Vec<&str> = expected.lines().collect();
        assert_eq!(found, expected, "{name}");
    }
}

/// The texts of all numbers of a row that stand in its lines.
fn numbers(row: &PrintedRow) -> Vec<&str> {
    let interval = row
        .interval
        .iter()
        .flat_map(|interval| [&interval.lower, &interval.upper])
        .flatten();
    row.estimate
        .iter()
        .chain(&row.standard_error)
        .chain(row.statistic.iter().map(|statistic| &statistic.value))
        .chain(interval)
        .chain(row.groups.iter().map(|group| &group.mean))
        .map(|printed| printed.text.as_str())
        .chain(row.p.iter().filter(|p| !p.from_stars).map(|p| p.text.as_str()))
        .collect()
}

fn stands_in_its_lines(output: &str) -> Result<(), TestCaseError> {
    let lines = source_lines(output);
    for row in rows(output) {
        prop_assert!(
            row.lines.contains(&row.line) && row.lines.iter().all(|line| (1..=lines.len()).contains(line))
        );
        let text: String = row
            .lines
            .iter()
            .map(|line| lines[line - 1].text.split_whitespace().collect::<String>())
            .collect();
        for number in numbers(&row) {
            let number: String = number.split_whitespace().collect();
            prop_assert!(text.contains(&number), "{number} is not on the lines of {row:?}");
        }
        let interval = row
            .interval
            .iter()
            .flat_map(|interval| [&interval.lower, &interval.upper])
            .flatten();
        let values: Vec<f64> = row
            .estimate
            .iter()
            .chain(interval)
            .map(|printed| printed.value)
            .collect();
        prop_assert!(values.iter().all(|value| value.is_finite()));
        prop_assert!(
            row.p
                .is_none_or(|p| p.value.is_finite() && (0.0..=1.0).contains(&p.value))
        );
    }
    Ok(())
}

/// Lines of all fixtures and of nothing, in any order and cut anywhere.
fn scrambled() -> impl Strategy<Value = String> {
    let lines: Vec<&'static str> = FIXTURES
        .iter()
        .flat_map(|(_, output, _)| output.lines())
        .collect();
    let line =
        (proptest::sample::select(lines), 0_usize..120, any::<bool>()).prop_map(|(line, at, is_whole)| {
            if is_whole {
                line.to_owned()
            } else {
                line.chars().skip(at / 8).take(at).collect()
            }
        });
    proptest::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #[test]
    fn any_text_is_read(text in "(?s).{0,400}") {
        stands_in_its_lines(&text)?;
    }

    #[test]
    fn scrambled_output_gives_only_numbers_of_its_lines(text in scrambled()) {
        stands_in_its_lines(&text)?;
        let _ = best("x", &rows(&text), |row| &row.term);
    }
}

fn p_of(output: &str, term: &str) -> Option<f64> {
    let found = rows(output);
    // A sentence that holds the word is no row of the term.
    let is_row = |row: &&PrintedRow| matches(term, &row.term) <= Some(TermMatch::Decorated);
    let of: Vec<_> = best(term, &found, |row| &row.term)
        .into_iter()
        .filter(is_row)
        .collect();
    assert!(of.len() <= 1, "{of:?}");
    of.first().and_then(|row| row.p.as_ref()).map(|p| p.value)
}

#[test]
fn a_p_of_another_row_or_column_is_not_taken() {
    let table = "        coef   se     p\nincome  0.50 0.10 0.020\nage     0.10 0.20 0.640\n";
    assert_eq!(
        (p_of(table, "income"), p_of(table, "age")),
        (Some(0.02), Some(0.64))
    );
    // The row lacks its p.
    assert_eq!(
        p_of(
            "        coef   se     p\nincome  0.50 0.10      \nage     0.10 0.20 0.640\n",
            "income"
        ),
        None
    );
    // The column is of another kind.
    assert_eq!(
        p_of("        coef   se    r2\nincome  0.50 0.10 0.020\n", "income"),
        None
    );
    // Another table follows without a line between.
    let pandas = "          coef        se         p\nx     0.500000  0.100000  0.020000\n              0         1\nx      0.300000  0.700000\n";
    assert_eq!(rows(pandas).len(), 1);
    // Two columns that could both be meant.
    assert_eq!(
        p_of("        coef     p     p\nincome  0.50 0.020 0.640\n", "income"),
        None
    );
    assert_eq!(
        p_of("        coef     p p_adj\nincome  0.50 0.020 0.640\n", "income"),
        Some(0.02)
    );
    // A main effect is not an interaction's part.
    assert_eq!(
        p_of("          coef   se     p\nx:income  0.50 0.10 0.020\n", "income"),
        None
    );
    assert_eq!(p_of("The p of income is small: 0.5 0.1 0.02\n", "income"), None);
    assert_eq!(p_of("income 0.5 0.1 0.02\n", "income"), None);
}

#[test]
fn columns_are_found_without_alignment_where_they_are_complete() {
    let found = rows("term coef se p\nincome 0.5 0.1 0.02\nage 12.25 3.125 0.0001\n");
    let shown: Vec<String> = found.iter().map(shown).collect();
    assert_eq!(
        shown,
        [
            "2 income | estimate 0.5 | se 0.1 | p = 0.02",
            "3 age | estimate 12.25 | se 3.125 | p = 0.0001"
        ]
    );
}

#[test]
fn several_models_stay_several_rows_in_order() {
    let table = "        coef   se     p\nincome  0.50 0.10 0.020\n";
    let found = rows(&format!("{table}\n{table}"));
    assert_eq!(
        best("Income", &found, |row| &row.term)
            .iter()
            .map(|row| row.line)
            .collect::<Vec<_>>(),
        [2, 5]
    );
}

#[test]
fn output_without_measure_is_cut() {
    let row = "x: b = 1, p = 0.5\ny: b = 2, p = 0.5\n";
    assert_eq!(rows(&row.repeat(MOST_ROWS)).len(), MOST_ROWS);
    let long = format!("x: b = 1{}, p = 0.5", " ".repeat(LONGEST_LINE));
    assert!(rows(&long).is_empty());
}

#[test]
fn a_p_that_was_raised_for_its_family_says_so() {
    let means = " contrast  estimate   SE df t.ratio p.value\n bc - wc      -2.20 1.00 95  -2.200  0.0765\n\n\
                 P value adjustment: tukey method for comparing a family of 3 estimates \n";
    let [row] = &rows(means)[..] else {
        panic!("one row");
    };
    let by = row.p.as_ref().unwrap().adjusted.as_deref();
    assert_eq!(by, Some("tukey method for comparing a family of 3 estimates"));
    let honest = "          diff   lwr   upr p adj\nwc-bc     2.20 -0.19  4.59 0.077\n";
    let [row] = &rows(honest)[..] else {
        panic!("one row");
    };
    assert!(row.p.as_ref().unwrap().adjusted.is_some());
}
