//! A comparison as lines of text for a terminal.

use crate::analysis::parity::align::UnpairedCause;
use crate::analysis::parity::comparison::{Comparison, Run};
use crate::analysis::parity::data::Opened;
use crate::analysis::parity::pair::Pair;
use crate::analysis::parity::reason::Which;
use crate::analysis::parity::used::DataFile;
use crate::domain::excerpt;
use crate::domain::finding::{Finding, PValue, Relation};

/// Pairs, and unpaired findings, that are printed.
const SHOWN: usize = 20;
const LONGEST_NAME: usize = 28;
const HEAD: [&str; 8] = [
    "finding",
    "run",
    "estimate",
    "SE",
    "p",
    "N",
    "difference",
    "as printed",
];

/// The pairs as a table of two lines each, its columns aligned.
pub fn findings(comparison: &Comparison) -> Vec<String> {
    let labels = comparison.labels();
    let mut rows = vec![HEAD.map(str::to_owned)];
    for pair in comparison.pairs.iter().take(SHOWN) {
        rows.extend(pair_rows(pair, &labels));
    }
    let mut lines = if rows.len() == 1 {
        Vec::new()
    } else {
        aligned(&rows)
    };
    if comparison.pairs.iter().any(|pair| pair.focal) {
        lines.push("* what a verdict is about; the difference is relative to the first run".to_owned());
    }
    for pair in comparison.pairs.iter().take(SHOWN) {
        for (missing, label) in pair.missing().iter().zip(&labels) {
            if !missing.is_empty() {
                lines.push(format!(
                    "missing in the {label} run: {} of {}",
                    missing.join(", "),
                    name(&pair.first.name)
                ));
            }
        }
    }
    let more = comparison.pairs.len().saturating_sub(SHOWN);
    if more > 0 {
        lines.push(format!("{more} further pairs are in the output of --json."));
    }
    let missing = |run: Which| comparison.unpaired.iter().filter(move |one| one.run == run);
    for (run, label) in [(Which::First, &labels[0]), (Which::Second, &labels[1])] {
        for one in missing(run).take(SHOWN) {
            lines.push(format!(
                "only in the {label} run: {} ({}): {}",
                name(&one.finding.name),
                figures(&one.finding),
                why(one.why)
            ));
        }
        let more = missing(run).count().saturating_sub(SHOWN);
        if more > 0 {
            lines.push(format!(
                "only in the {label} run: {more} more, in the output of --json"
            ));
        }
    }
    lines
}

fn pair_rows(pair: &Pair, labels: &[String; 2]) -> [[String; 8]; 2] {
    let focal = if pair.focal { " *" } else { "" };
    let second = if pair.second.name == pair.first.name {
        String::new()
    } else {
        format!("= {}", name(&pair.second.name))
    };
    let difference = match (pair.relative_difference, pair.signs_differ()) {
        (Some(difference), false) => percent(difference),
        (Some(difference), true) => format!("{}, other sign", percent(difference)),
        (None, true) => "other sign".to_owned(),
        (None, false) => "–".to_owned(),
    };
    let row = |title: String, label: &str, finding: &Finding, difference: String, agree: &str| {
        [
            title,
            label.to_owned(),
            number(finding.estimate),
            number(finding.standard_error),
            tested(finding),
            finding.n.map_or_else(|| "–".to_owned(), |n| n.to_string()),
            difference,
            agree.to_owned(),
        ]
    };
    let agree = if pair.agrees() { "agree" } else { "differ" };
    [
        row(
            format!("{}{focal}", name(&pair.first.name)),
            &labels[0],
            &pair.first,
            String::new(),
            "",
        ),
        row(second, &labels[1], &pair.second, difference, agree),
    ]
}

/// Columns padded to their widest cell; numbers to the right.
fn aligned(rows: &[[String; 8]]) -> Vec<String> {
    let width = |column: usize| {
        rows.iter()
            .map(|row| row[column].chars().count())
            .max()
            .unwrap_or(0)
    };
    let widths: Vec<usize> = (0..HEAD.len()).map(width).collect();
    let line = |row: &[String; 8]| {
        let cells = row.iter().enumerate().map(|(column, cell)| match column {
            2..=5 => format!("{cell:>width$}", width = widths[column]),
            _ => format!("{cell:<width$}", width = widths[column]),
        });
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned()
    };
    rows.iter().map(line).collect()
}

/// The data files, side by side, and the scripts.
pub fn files(comparison: &Comparison) -> Vec<String> {
    let labels = comparison.labels();
    let Opened {
        both,
        only_first,
        only_second,
    } = &comparison.opened;
    let mut lines = Vec::new();
    let mut list = |label: &str, files: &[DataFile]| {
        for file in files.iter().take(SHOWN) {
            let own = if file.agents { ", written by the agent" } else { "" };
            let content = file
                .digest
                .map_or_else(String::new, |digest| format!(" ({}{own})", digest.short()));
            lines.push(format!("opened by {label}: {}{content}", file.path));
        }
        let more = files.len().saturating_sub(SHOWN);
        if more > 0 {
            lines.push(format!("opened by {label}: {more} more files"));
        }
    };
    list("both", both);
    list(&format!("the {} run alone", labels[0]), only_first);
    list(&format!("the {} run alone", labels[1]), only_second);
    for path in comparison.given_otherwise.iter().take(SHOWN) {
        lines.push(format!("given with other contents: {path}"));
    }
    lines.extend([&comparison.first, &comparison.second].map(scripts));
    lines
}

fn scripts(run: &Run) -> String {
    let scripts: Vec<String> = run
        .used
        .scripts
        .iter()
        .take(SHOWN)
        .map(|script| {
            let version = script
                .version
                .as_ref()
                .map_or_else(String::new, |one| format!(" {one}"));
            format!(
                "{} ({}{version}, {})",
                script.path, script.interpreter, script.execution
            )
        })
        .collect();
    if scripts.is_empty() {
        format!("run by {}: nothing that succeeded", run.label)
    } else {
        format!("run by {}: {}", run.label, scripts.join(", "))
    }
}

/// A share in per cent with its sign: `+4.8%`, `−12%`, `0%`.
pub fn percent(share: f64) -> String {
    let percent = share * 100.0;
    let size = percent.abs();
    let sign = if percent < 0.0 { "−" } else { "+" };
    match size {
        0.0 => "0%".to_owned(),
        size if !size.is_finite() || size >= 1e6 => format!("{sign}{size:.1e}%"),
        size if size < 0.001 => format!("{sign}{size:.0e}%"),
        size if size < 0.1 => format!("{sign}{size:.3}%"),
        size if size < 10.0 => format!("{sign}{size:.1}%"),
        size => format!("{sign}{size:.0}%"),
    }
}

fn number(value: Option<f64>) -> String {
    match value {
        None => "–".to_owned(),
        Some(value) if value != 0.0 && !(1e-4..1e12).contains(&value.abs()) => format!("{value:e}"),
        Some(value) => value.to_string(),
    }
}

fn p_value(p: PValue) -> String {
    let value = number(Some(p.value));
    match p.relation {
        Relation::Equal => value,
        Relation::Less => format!("< {value}"),
        Relation::Greater => format!("> {value}"),
    }
}

/// A name in one line and no longer than a column.
fn name(name: &str) -> String {
    excerpt::fitted(&name.replace(['\n', '\r', '\t'], " "), LONGEST_NAME)
}

/// A p-value, with the degrees of freedom of its test where they are known.
fn tested(finding: &Finding) -> String {
    let p = finding.p_value.map_or_else(|| "–".to_owned(), p_value);
    let df = finding.df.map_or_else(String::new, |df| format!(" (df {df})"));
    p + &df
}

fn figures(finding: &Finding) -> String {
    match finding.n {
        Some(n) => format!("{}, N = {n}", number(finding.estimate)),
        None => number(finding.estimate),
    }
}

fn why(why: UnpairedCause) -> &'static str {
    match why {
        UnpairedCause::NoCounterpart => "nothing there has its name or numbers",
        UnpairedCause::SharedName => "several there could be meant by its name",
        UnpairedCause::SharedNumbers => "several there could be it by their numbers",
    }
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use crate::analysis::parity::comparison::Side;
    use crate::analysis::parity::printed::Reported;
    use crate::analysis::parity::used::Used;
    use crate::domain::mode::Setting;
    use crate::domain::verdict::{Outcome, Verdict};

    /// A comparison with one pair and one unpaired finding a side.
    pub fn comparison() -> Comparison {
        let side = |setting, estimate, other: &str| {
            let finding = |name: &str, estimate| Finding {
                name: name.to_owned(),
                estimate: Some(estimate),
                n: Some(40),
                ..Finding::default()
            };
            Side {
                run: "run".to_owned(),
                setting,
                model: "recorded".to_owned(),
                verdict: Verdict {
                    finding: Some(finding("rain", estimate)),
                    ..Verdict::plain(Outcome::Met, "")
                },
                findings: vec![
                    Reported::from_finding(finding("rain", estimate)),
                    Reported::from_finding(finding(other, estimate * 3.0)),
                ],
                used: Used::default(),
                given: Vec::new(),
            }
        };
        Comparison::new([
            side(Setting::Native, 0.251, "sun"),
            side(Setting::Python, 0.263, "wind"),
        ])
    }

    #[test]
    fn the_table_is_aligned() {
        let mut comparison = comparison();
        comparison.unpaired.clear();
        insta::assert_snapshot!(findings(&comparison).join("\n"), @r"
        finding  run     estimate  SE  p   N  difference  as printed
        rain *   native     0.251   –  –  40
                 python     0.263   –  –  40  +4.8%       differ
        * what a verdict is about; the difference is relative to the first run
        ");
    }

    #[test]
    fn what_one_run_lacks_is_named() {
        let mut comparison = comparison();
        comparison.pairs[0].second.n = None;
        let lines = findings(&comparison);
        assert!(
            lines.contains(&"missing in the python run: N of rain".to_owned()),
            "{lines:?}"
        );
    }

    #[test]
    fn shares_are_short_at_every_size() {
        let written = [0.0, 0.048, -0.12, 3e-6, 1e-9, 0.5, 1e12, -2.5].map(percent);
        assert_eq!(
            written,
            [
                "0%", "+4.8%", "−12%", "+3e-4%", "+1e-7%", "+50%", "+1.0e14%", "−250%"
            ]
        );
    }

    #[test]
    fn a_table_has_a_hard_cap() {
        let mut comparison = comparison();
        comparison.pairs[0].first.estimate = Some(-1e308);
        comparison.pairs[0].first.name = "x\n".repeat(1000);
        comparison.pairs = vec![comparison.pairs[0].clone(); 10_000];
        comparison.unpaired = vec![comparison.unpaired[0].clone(); 10_000];
        let lines = findings(&comparison);
        assert!(
            lines.len() < 100 && lines.iter().all(|line| line.chars().count() < 200),
            "{lines:?}"
        );
        assert!(lines.contains(&"9980 further pairs are in the output of --json.".to_owned()));
    }
}
