//! Reviews of conversations as CSV tables.

use super::figure_tables::{FigureTable, known, table, with_share};
use crate::analysis::bench::reviews::ReviewFigures;

/// The values of each field, by judge and agent.
pub fn values(figures: &[ReviewFigures]) -> Option<FigureTable> {
    let mut rows = Vec::new();
    for judge in figures {
        for field in &judge.fields {
            for agent in &field.agents {
                for one in &agent.values {
                    rows.push(vec![
                        judge.judge.clone(),
                        field.field.clone(),
                        agent.agent.clone(),
                        one.value.clone(),
                        one.share.count.hits.to_string(),
                        one.share.count.of.to_string(),
                        known(one.share.interval.map(|interval| interval.lower)),
                        known(one.share.interval.map(|interval| interval.upper)),
                    ]);
                }
            }
        }
    }
    let header = [
        "judge", "field", "agent", "value", "cells", "of", "lower", "upper",
    ];
    table("reviews.csv", &header, rows.into_iter())
}

/// How far the repeats of each judge agree, field by field.
pub fn agreement(figures: &[ReviewFigures]) -> Option<FigureTable> {
    let rows = figures.iter().flat_map(|judge| {
        judge.fields.iter().map(|field| {
            vec![
                judge.judge.clone(),
                field.field.clone(),
                field.known.count.hits.to_string(),
                field.known.count.of.to_string(),
                field.by_code.to_string(),
                known(field.agreement),
                known(field.alpha),
            ]
        })
    });
    let header = ["judge", "field", "known", "of", "by_code", "agreement", "alpha"];
    table("review-agreement.csv", &header, rows)
}

/// Success by how an obstacle was resolved.
pub fn resolutions(figures: &[ReviewFigures]) -> Option<FigureTable> {
    let mut rows = Vec::new();
    for judge in figures {
        for one in &judge.by_resolution {
            rows.push((judge, "all", one.value.as_str(), one.success));
        }
        if let Some(both) = &judge.fix_or_rewrite {
            rows.push((judge, "with both", "direct_fix", both.fix));
            rows.push((judge, "with both", "alternative_code", both.rewrite));
        }
    }
    let rows = rows.into_iter().map(|(judge, tasks, value, success)| {
        let row = vec![judge.judge.clone(), tasks.to_owned(), value.to_owned()];
        with_share(row, &success)
    });
    let header = [
        "judge",
        "tasks",
        "resolution",
        "successes",
        "counted",
        "share",
        "lower",
        "upper",
    ];
    table("resolutions.csv", &header, rows)
}
