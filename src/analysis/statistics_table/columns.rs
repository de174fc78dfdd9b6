//! The columns of a table of statistics, by the names that programs and people give them.

use crate::domain::scale::Scale;
use crate::domain::statistic::StatisticKind;
use crate::verdict::printed::PrintedKind;
use crate::verdict::printed::label::Meaning;
use crate::verdict::printed::meaning::classify;

use super::row::COLUMNS;

/// A column that is read.
#[derive(Debug, Clone, PartialEq)]
pub struct StatisticsColumn {
    /// One of [`COLUMNS`], or `df1` and `df2` of F.
    pub key: &'static str,
    /// The statistic that the name tells, as `z value` does.
    pub kind: Option<StatisticKind>,
    pub scale: Option<Scale>,
    pub sides: Option<u8>,
    /// Coverage of the interval that the bound is of, between 0 and 1.
    pub level: Option<f64>,
}

impl StatisticsColumn {
    fn plain(key: &'static str) -> Self {
        Self {
            key,
            kind: None,
            scale: None,
            sides: None,
            level: None,
        }
    }
}

/// The columns of a header, and the names of those that are not read.
pub fn columns(names: &[String]) -> (Vec<Option<StatisticsColumn>>, Vec<String>) {
    let lower: Vec<String> = names.iter().map(|name| name.trim().to_lowercase()).collect();
    // `broom` calls the degrees of freedom of a test `parameter`.
    let is_broom = lower.iter().any(|name| name == "p.value") && lower.iter().any(|name| name == "statistic");
    let mut found: Vec<Option<StatisticsColumn>> = Vec::new();
    let mut unknown = Vec::new();
    for (at, name) in lower.iter().enumerate() {
        let column = match name.as_str() {
            "" | "(row names)" | "unnamed: 0" if at == 0 => Some(StatisticsColumn::plain("term")),
            "parameter" if is_broom => Some(StatisticsColumn::plain("df")),
            name => COLUMNS
                .into_iter()
                .find(|key| *key == name)
                .map(StatisticsColumn::plain)
                .or_else(|| by_label(&names[at])),
        };
        // Of two columns with one meaning the first is read.
        let is_new = column
            .as_ref()
            .is_some_and(|column| !found.iter().flatten().any(|other| other.key == column.key));
        if !is_new && !name.is_empty() && !is_aside(name) {
            unknown.push(names[at].trim().to_owned());
        }
        found.push(column.filter(|_| is_new));
    }
    (found, unknown)
}

/// Columns without a number to compare.
fn is_aside(name: &str) -> bool {
    matches!(
        name,
        "method"
            | "alternative"
            | "group"
            | "model"
            | "outcome"
            | "response"
            | "component"
            | "stars"
            | "signif"
    )
}

fn by_label(name: &str) -> Option<StatisticsColumn> {
    let label = classify(name);
    let mut column = StatisticsColumn::plain(match label.meaning {
        Meaning::Term => "term",
        Meaning::Estimate(_) => "estimate",
        Meaning::StandardError => "se",
        Meaning::Statistic(_) => "statistic",
        Meaning::Df => "df",
        Meaning::NumeratorDf => "df1",
        Meaning::DenominatorDf => "df2",
        Meaning::P(_) => "p",
        Meaning::Lower => "lower",
        Meaning::Upper => "upper",
        Meaning::Count => "n",
        Meaning::AdjustedP | Meaning::Bounds | Meaning::Outcome | Meaning::Model | Meaning::Unknown => {
            return None;
        }
    });
    column.level = label.level;
    match label.meaning {
        Meaning::Estimate(scale) => column.scale = scale,
        Meaning::P(sides) => column.sides = sides,
        Meaning::Statistic(kind) if kind != PrintedKind::Other => column.kind = Some(kind.into()),
        _ => {}
    }
    Some(column)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys(header: &str) -> (String, Vec<String>) {
        // A bar is a part of R's names.
        let names: Vec<String> = header.split(';').map(ToOwned::to_owned).collect();
        let (columns, unknown) = columns(&names);
        let keys: Vec<&str> = columns
            .iter()
            .map(|column| column.as_ref().map_or("", |column| column.key))
            .collect();
        (keys.join(" "), unknown)
    }

    #[test]
    fn columns_of_programs_are_known_and_others_are_named() {
        for (header, right) in [
            (
                "term;estimate;std.error;statistic;p.value;conf.low;conf.high",
                "term estimate se statistic p lower upper",
            ),
            (
                ";Estimate;Std. Error;t value;Pr(>|t|)",
                "term estimate se statistic p",
            ),
            (
                ";coef;std err;z;pvalue;[0.025;0.975]",
                "term estimate se statistic p lower upper",
            ),
            ("var;Coef.;Std. Err.;t;p-value", "term estimate se statistic p"),
            (
                "Variable;B;Std. Error;Beta;t;Sig.",
                "term estimate se  statistic p",
            ),
            (
                "estimate;statistic;p.value;parameter;method",
                "estimate statistic p df ",
            ),
            ("source;F;num Df;den Df;Pr(>F)", "term statistic df1 df2 p"),
        ] {
            assert_eq!(keys(header).0, right, "{header}");
        }
        assert_eq!(keys("term;estimate;sd.resid;p").1, ["sd.resid"]);
    }
}
