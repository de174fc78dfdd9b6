//! The figures of a bench as CSV tables, each a link in its page.

use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use serde::Serialize;

use crate::analysis::bench::cell::TaskKind;
use crate::analysis::bench::contrasts::Contrast;
use crate::analysis::bench::figures::CellFigures;
use crate::analysis::bench::frontier::CostPoint;
use crate::analysis::bench::judged::JudgedFigures;
use crate::analysis::bench::labelled::LabelledFigures;
use crate::analysis::capsule::accuracy::CountedShare;

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
        let row = vec![
            one.name.clone(),
            one.cells.to_string(),
            one.tasks.to_string(),
            one.clusters.to_string(),
            one.unscored.to_string(),
        ];
        with_share(row, &one.success)
    });
    let header = [
        "name",
        "cells",
        "tasks",
        "clusters",
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

/// Verdicts as labelled.
pub fn labels(figures: &LabelledFigures) -> Option<FigureTable> {
    let rows = figures.agents.iter().map(|one| {
        let row = vec![
            one.name.clone(),
            one.predicts.to_string(),
            one.tasks.to_string(),
            one.clusters.to_string(),
        ];
        with_share(row, &one.share)
    });
    let header = [
        "name",
        "claim_only",
        "tasks",
        "clusters",
        "right",
        "counted",
        "share",
        "lower",
        "upper",
    ];
    table("labelled.csv", &header, rows)
}

/// Marks of judges.
pub fn judged(figures: &[JudgedFigures]) -> Option<FigureTable> {
    let rows = figures.iter().map(|one| {
        vec![
            one.agent.clone(),
            one.kind.word().to_owned(),
            one.judge.clone(),
            one.stage.clone(),
            one.cells.to_string(),
            one.scored.to_string(),
            one.clusters.to_string(),
            one.mean.to_string(),
            known(one.interval.map(|interval| interval.lower)),
            known(one.interval.map(|interval| interval.upper)),
            known(one.floor),
            known(one.ceiling),
        ]
    });
    let header = [
        "name", "kind", "judge", "stage", "cells", "scored", "clusters", "mean", "lower", "upper", "floor",
        "ceiling",
    ];
    table("judged.csv", &header, rows)
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
    let header = ["name", "kind", "k", "clusters", "pass_at_k", "pass_hat_k"];
    table("repeats.csv", &header, rows)
}

/// Comparisons of agents or of arms.
pub fn contrasts(found: &[Contrast], file: &str) -> Option<FigureTable> {
    let rows = found.iter().map(|one| {
        let paired = &one.paired;
        vec![
            one.setting.clone().unwrap_or_default(),
            one.kind.word().to_owned(),
            one.first.clone(),
            one.second.clone(),
            paired.pairs.to_string(),
            paired.tasks.to_string(),
            paired.clusters.to_string(),
            known(one.first_success.share()),
            known(one.second_success.share()),
            known(paired.difference),
            known(paired.interval.map(|interval| interval.lower)),
            known(paired.interval.map(|interval| interval.upper)),
            paired.only_first.to_string(),
            paired.only_second.to_string(),
            one.changed.to_string(),
            paired.clusters_down.to_string(),
            paired.clusters_up.to_string(),
            known(paired.p_value),
            paired.least_p_value.to_string(),
            paired.too_few.to_string(),
        ]
    });
    let header = [
        "setting",
        "kind",
        "first",
        "second",
        "pairs",
        "tasks",
        "clusters",
        "first_share",
        "second_share",
        "difference",
        "lower",
        "upper",
        "only_first",
        "only_second",
        "changed",
        "clusters_down",
        "clusters_up",
        "p",
        "least_p",
        "too_few",
    ];
    table(file, &header, rows)
}

/// Consistency over repeats.
pub fn reliabilities(figures: &[CellFigures]) -> Option<FigureTable> {
    let rows = figures.iter().filter_map(|one| {
        let of = one.reliability.as_ref()?;
        let mut row = vec![
            one.name.clone(),
            one.kind.word().to_owned(),
            of.repeats.to_string(),
            of.pass_at_1.tasks.to_string(),
        ];
        let means = [
            Some(&of.pass_at_1),
            Some(&of.pass_once),
            Some(&of.pass_all),
            of.outcome_consistency.as_ref(),
            of.resource_consistency.as_ref(),
        ];
        for mean in means {
            row.push(known(mean.map(|mean| mean.mean)));
            row.push(known(mean.and_then(|mean| mean.standard_error)));
        }
        Some(row)
    });
    let header = [
        "name",
        "kind",
        "repeats",
        "clusters",
        "pass_at_1",
        "pass_at_1_se",
        "at_least_once",
        "at_least_once_se",
        "always",
        "always_se",
        "outcome_consistency",
        "outcome_consistency_se",
        "resource_consistency",
        "resource_consistency_se",
    ];
    table("consistency.csv", &header, rows)
}

/// Success against cost.
pub fn costs(points: &[CostPoint], kind: TaskKind) -> Option<FigureTable> {
    let rows = points.iter().map(|one| {
        vec![
            one.name.clone(),
            one.cost.to_string(),
            one.share.to_string(),
            known(one.interval.map(|interval| interval.lower)),
            known(one.interval.map(|interval| interval.upper)),
            one.is_on_frontier.to_string(),
        ]
    });
    let header = ["name", "cost_mean_usd", "share", "lower", "upper", "on_frontier"];
    table(
        &format!("cost-{}.csv", kind.plural().replace(' ', "-")),
        &header,
        rows,
    )
}

/// A row with a share behind it: successes, counted, share, lower and upper.
pub(super) fn with_share(mut row: Vec<String>, success: &CountedShare) -> Vec<String> {
    let interval = success.interval;
    row.extend([
        success.count.hits.to_string(),
        success.count.of.to_string(),
        known(success.share()),
        known(interval.map(|interval| interval.lower)),
        known(interval.map(|interval| interval.upper)),
    ]);
    row
}

/// A number, or nothing where it is not known.
pub(super) fn known(number: Option<f64>) -> String {
    number.map_or_else(String::new, |number| number.to_string())
}

/// The table; `None` of no rows.
pub(super) fn table(
    file: &str,
    header: &[&str],
    rows: impl Iterator<Item = Vec<String>>,
) -> Option<FigureTable> {
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
    use crate::analysis::bench::paired::{OutcomePair, PairedDifference};

    #[test]
    fn pairs_stand_in_a_table_that_runs_no_formula() {
        let pair = |task, second| OutcomePair {
            task,
            cluster: task,
            first: true,
            second,
        };
        let outcomes = [pair("a", false), pair("a", true), pair("b", true)];
        let contrast = Contrast {
            kind: TaskKind::Study,
            setting: Some("wording".to_owned()),
            first: "=cmd|' /C calc'!A0".to_owned(),
            second: "a, \"b\"".to_owned(),
            first_success: CountedShare::count(outcomes.iter().map(|pair| pair.first)),
            second_success: CountedShare::count([]),
            changed: 2,
            paired: PairedDifference::new(&outcomes),
        };
        let found = contrasts(&[contrast], "pairs.csv").unwrap();
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
            "setting,kind,first,second,pairs,tasks,clusters,first_share,second_share,difference,lower,upper,only_first,\
             only_second,changed,clusters_down,clusters_up,p,least_p,too_few\n\
             wording,study,'=cmd|' /C calc'!A0,\"a, \"\"b\"\"\",3,2,2,1,,-0.25,-1,1,1,0,2,1,0,1,0.5,true\n"
        );
        assert_eq!(harmless("-0.5"), "-0.5");
        assert_eq!(contrasts(&[], "pairs.csv"), None);
    }
}
