//! The variants of an analysis as rows of a table, under one sentence on all of them.

use serde::Serialize;

use crate::domain::finding::Finding;
use crate::domain::verdict::Outcome;
use crate::verdict::variant::{VariantResult, VariantSummary};

use super::view::View;
use crate::domain::format;

/// The variants as a report shows them.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantTable {
    pub sentence: String,
    pub rows: Vec<VariantRow>,
}

/// One variant.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct VariantRow {
    pub name: String,
    pub changes: String,
    /// Its focal result, or why it has none.
    pub result: String,
    pub outcome: Option<Outcome>,
    /// How it ended, in words.
    pub ended: &'static str,
}

impl VariantTable {
    /// `None` where no variant is registered.
    pub fn from_view(view: &View) -> Option<Self> {
        let results = &view.variants;
        (!results.is_empty()).then(|| Self {
            sentence: sentence(results, view.variant_summary.as_ref()),
            rows: results.iter().map(row).collect(),
        })
    }
}

fn row(one: &VariantResult) -> VariantRow {
    let why = one
        .why
        .as_deref()
        .map(|why| format!("{}: {why}", one.ended.words()));
    VariantRow {
        name: one.name.clone(),
        changes: one.changes.clone(),
        result: match &one.finding {
            Some(finding) => figures(finding),
            None => why.unwrap_or_else(|| one.ended.words().to_owned()),
        },
        outcome: one.outcome,
        ended: one.ended.words(),
    }
}

fn figures(finding: &Finding) -> String {
    let statistic = finding.statistic.as_ref().filter(|_| finding.estimate.is_none());
    let parts = [
        finding.estimate.map(format::estimate),
        statistic.map(ToString::to_string),
        finding
            .standard_error
            .map(|error| format!("SE {}", format::number(error))),
        finding.p_value.map(format::p_value),
        finding.n.map(|n| format!("n = {}", format::count(n))),
    ];
    parts.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

fn sentence(results: &[VariantResult], summary: Option<&VariantSummary>) -> String {
    let registered = format::counted(results.len(), "variant was", "variants were");
    let registered = format!("{registered} registered before any result was seen");
    let Some(summary) = summary else {
        return format!("{registered}. The variants do not decide.");
    };
    let mut text = format!("{registered}.");
    if let Some(share) = summary.share() {
        text.push_str(&format!(
            " Of {} with a comparable number, {} ({:.0} %) {} at least as extreme as the main result: {}.",
            summary.compared,
            summary.extreme,
            100.0 * share,
            format::plural(summary.extreme, "is", "are"),
            summary.toward
        ));
    }
    if summary.judged > 0 {
        text.push_str(&format!(
            " By the registered rule, {} of {} {} the same outcome as the main result ({}).",
            summary.same_outcome,
            summary.judged,
            format::plural(summary.same_outcome, "has", "have"),
            summary.outcome
        ));
    }
    if summary.all_the_same {
        text.push_str(
            " Every variant gave exactly the numbers of the main result, so the code may ignore which variant it is run as.",
        );
    }
    text.push_str(" The variants do not decide.");
    text
}
