//! Results of Python that are printed as objects: `TtestResult(statistic=...)` of
//! scipy and `<F test: F=...>` of statsmodels.

use super::aligned::ReadRows;
use super::labelled_term::clean_term;
use super::number::{self, NumberCell};
use super::printed_row::{PrintedKind, PrintedRow, PrintedStatistic};
use super::source_line::SourceLine;
use crate::domain::lazy_regex::LazyRegex;
use crate::domain::scale::Scale;
use crate::domain::statistic::DegreesOfFreedom;

static OBJECT: LazyRegex =
    LazyRegex::new(r"^(.*?)(?:\b([A-Za-z]\w*(?:Result|_result))\((.*)|<([FTZ]|Wald) test[^:]*:(.*)>)");
static FIELD: LazyRegex =
    LazyRegex::new(r"(\w+)=(?:(?:np\.)?float\d*\()?(?:array\(\[\[)?(-?[\d.]+(?:[eE][-+]?\d+)?)");

/// Reads the object printed at `at`.
pub fn read(lines: &[SourceLine], at: usize) -> Option<ReadRows> {
    let line = lines.get(at)?;
    let captures = OBJECT.captures(&line.text)?;
    let class = captures.get(2).or(captures.get(4))?.as_str();
    let body = captures.get(3).or(captures.get(5))?.as_str();
    let prefix = clean_term(captures.get(1).map_or("", |prefix| prefix.as_str()));
    let fields: Vec<(&str, NumberCell)> = FIELD
        .captures_iter(body)
        .filter_map(|field| Some((field.get(1)?.as_str(), number::parse(field.get(2)?.as_str())?)))
        .collect();
    let field = |names: &[&str]| {
        fields
            .iter()
            .find(|(name, _)| names.contains(name))
            .map(|(_, cell)| cell)
    };
    let exact = |names: &[&str]| field(names).and_then(NumberCell::exact);
    let value = |names: &[&str]| exact(names).map(|printed| printed.value);
    let statistic = exact(&["statistic", "F", "t", "z", "chi2"]);
    let df = match (value(&["df_num"]), value(&["df_denom"])) {
        (Some(numerator), Some(denominator)) => Some(DegreesOfFreedom::two(numerator, denominator)),
        _ => value(&["df", "dof"]).map(DegreesOfFreedom::one),
    };
    let is_correlation = matches!(
        class,
        "PearsonRResult" | "SignificanceResult" | "SpearmanrResult" | "KendalltauResult"
    );
    let mut row = PrintedRow {
        term: if prefix.is_empty() {
            class.to_owned()
        } else {
            prefix
        },
        model: Some(class.to_owned()),
        p: field(&["pvalue", "p"]).and_then(|cell| cell.p_value(None)),
        line: line.number,
        lines: vec![line.number],
        ..PrintedRow::default()
    };
    if is_correlation {
        row.estimate = exact(&["statistic", "correlation"]);
        row.scale = Some(Scale::Correlation);
    } else if class == "LinregressResult" {
        row.estimate = exact(&["slope"]);
        row.standard_error = exact(&["stderr"]);
    } else {
        row.statistic = statistic.map(|value| PrintedStatistic {
            kind: kind_of(class, &fields),
            value,
            df,
        });
    }
    row.has_result().then(|| ReadRows {
        rows: vec![row],
        next: at + 1,
    })
}

fn kind_of(class: &str, fields: &[(&str, NumberCell)]) -> PrintedKind {
    let has = |name: &str| fields.iter().any(|(field, _)| *field == name);
    match class {
        "F" | "F_onewayResult" => PrintedKind::F,
        "T" | "TtestResult" | "Ttest_indResult" | "Ttest_relResult" | "Ttest_1sampResult" => PrintedKind::T,
        "Z" => PrintedKind::Z,
        "Wald" if has("F") => PrintedKind::F,
        "MannwhitneyuResult" => PrintedKind::U,
        "KruskalResult" => PrintedKind::H,
        "Chi2ContingencyResult" | "Power_divergenceResult" | "FriedmanchisquareResult" | "Wald" => {
            PrintedKind::ChiSquared
        }
        "ShapiroResult" => PrintedKind::W,
        _ => PrintedKind::Other,
    }
}
