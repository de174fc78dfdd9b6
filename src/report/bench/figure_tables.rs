//! The figures of a bench as CSV tables, each a link in its page.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::analysis::bench::cell::TaskKind;
use crate::analysis::bench::figures::{CellFigures, PairedArms};

/// A table to be downloaded.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FigureTable {
    /// The name of the file.
    pub file: String,
    /// Its content as an address.
    pub address: String,
}

/// The shares of a kind: of agents or of arms.
pub fn shares(figures: &[CellFigures], kind: TaskKind, of: &str) -> Option<FigureTable> {
    let rows = figures.iter().filter(|one| one.kind == kind).map(|one| {
        let interval = one.success.interval;
        vec![
            one.name.clone(),
            one.cells.to_string(),
            one.tasks.to_string(),
            one.unscored.to_string(),
            one.success.count.hits.to_string(),
            one.success.count.of.to_string(),
            known(one.success.share()),
            known(interval.map(|interval| interval.lower)),
            known(interval.map(|interval| interval.upper)),
        ]
    });
    let header = [
        "name",
        "cells",
        "tasks",
        "unscored",
        "successes",
        "counted",
        "share",
        "lower",
        "upper",
    ];
    let file = format!("{of}-{}.csv", kind.plural().replace(' ', "-"));
    table(&file, &header, rows)
}

/// Money, time and tokens.
pub fn amounts(figures: &[CellFigures]) -> Option<FigureTable> {
    let rows = figures.iter().map(|one| {
        vec![
            one.name.clone(),
            one.kind.word().to_owned(),
            one.cells.to_string(),
            one.cost.known.to_string(),
            known(one.cost.mean),
            known(one.cost.sum),
            known(one.seconds.median),
            known(one.tokens.mean),
        ]
    });
    let header = [
        "name",
        "kind",
        "cells",
        "cost_known",
        "cost_mean_usd",
        "cost_sum_usd",
        "seconds_median",
        "tokens_mean",
    ];
    table("amounts.csv", &header, rows)
}

/// Chances over repeats.
pub fn passes(figures: &[CellFigures]) -> Option<FigureTable> {
    let rows = figures.iter().flat_map(|one| {
        one.passes.iter().map(|of| {
            vec![
                one.name.clone(),
                one.kind.word().to_owned(),
                of.k.to_string(),
                of.tasks.to_string(),
                of.at_least_one.to_string(),
                of.all.to_string(),
            ]
        })
    });
    let header = ["name", "kind", "k", "tasks", "pass_at_k", "pass_hat_k"];
    table("repeats.csv", &header, rows)
}

/// Pairs of arms.
pub fn pairs(paired: &[PairedArms]) -> Option<FigureTable> {
    let rows = paired.iter().map(|one| {
        vec![
            one.setting.clone(),
            one.kind.word().to_owned(),
            one.first.clone(),
            one.second.clone(),
            one.pairs.to_string(),
            one.only_first.to_string(),
            one.only_second.to_string(),
            one.changed.to_string(),
            known(one.p_value),
        ]
    });
    let header = [
        "setting",
        "kind",
        "first",
        "second",
        "pairs",
        "only_first",
        "only_second",
        "changed",
        "p",
    ];
    table("pairs.csv", &header, rows)
}

/// A number, or nothing where it is not known.
fn known(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// The table; `None` of no rows.
fn table(file: &str, header: &[&str], rows: impl Iterator<Item = Vec<String>>) -> Option<FigureTable> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(header).ok()?;
    let mut is_empty = true;
    for row in rows {
        is_empty = false;
        writer
            .write_record(row.iter().map(|field| harmless(field)))
            .ok()?;
    }
    let text = String::from_utf8(writer.into_inner().ok()?).ok()?;
    (!is_empty).then(|| FigureTable {
        file: file.to_owned(),
        address: format!(
            "data:text/csv;charset=utf-8,{}",
            utf8_percent_encode(&text, NON_ALPHANUMERIC)
        ),
    })
}

/// A field that no spreadsheet takes for a formula; numbers stay as they are.
fn harmless(field: &str) -> String {
    let is_formula = field.starts_with(['=', '+', '-', '@', '\t', '\r']) && field.parse::<f64>().is_err();
    if is_formula {
        format!("'{field}")
    } else {
        field.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use percent_encoding::percent_decode_str;

    use super::*;

    #[test]
    fn pairs_stand_in_a_table_that_runs_no_formula() {
        let pair = PairedArms {
            kind: TaskKind::Study,
            setting: "wording".to_owned(),
            first: "=cmd|' /C calc'!A0".to_owned(),
            second: "a, \"b\"".to_owned(),
            pairs: 7,
            only_first: 6,
            only_second: 0,
            changed: 6,
            p_value: None,
        };
        let found = pairs(&[pair]).unwrap();
        let text = percent_decode_str(
            found
                .address
                .strip_prefix("data:text/csv;charset=utf-8,")
                .unwrap(),
        )
        .decode_utf8()
        .unwrap();
        assert_eq!(
            text,
            "setting,kind,first,second,pairs,only_first,only_second,changed,p\n\
             wording,study,'=cmd|' /C calc'!A0,\"a, \"\"b\"\"\",7,6,0,6,\n"
        );
        assert_eq!(harmless("-0.5"), "-0.5");
        assert_eq!(pairs(&[]), None);
    }
}
