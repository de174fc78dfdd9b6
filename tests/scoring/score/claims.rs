//! SCORE's claims, as its table gives them.

use std::collections::HashMap;

use reprise::domain::finding::{Direction, Interval};
use reprise::domain::statistic::StatisticKind;
use reprise::statistics::correlation;
use reprise::verdict::criteria::study::{StudyEstimate, StudyPair};

use crate::need;

/// One claim: its cells by column, empty ones left out.
pub struct Claim {
    cells: HashMap<String, String>,
}

/// The claims; `None`, with a message, where the shared data are absent.
pub fn read() -> Option<Vec<Claim>> {
    let path = need::shared("data/score/claims.csv")?;
    let mut reader = csv::Reader::from_path(&path).unwrap();
    let names = reader.headers().unwrap().clone();
    let claims = reader.records().map(|record| {
        let record = record.unwrap();
        let cells = names.iter().zip(&record).filter(|(_, cell)| !cell.is_empty());
        Claim {
            cells: cells
                .map(|(name, cell)| (name.to_owned(), cell.to_owned()))
                .collect(),
        }
    });
    Some(claims.collect())
}

/// One side's statistic and the correlation that SCORE takes from it.
#[derive(Clone)]
pub struct Side {
    pub kind: Option<StatisticKind>,
    pub value: Option<f64>,
    /// Sample size as reported.
    pub n: Option<f64>,
    pub df: [Option<f64>; 2],
    pub r: Option<f64>,
    pub interval: Option<Interval>,
    /// What the standard error of `r` is by: degrees of freedom of a t, else n.
    pub freedom: Option<f64>,
    pub coefficient: Option<f64>,
}

impl Side {
    /// The correlation as a study, whose test on `freedom` is the correlation's.
    pub fn study(&self) -> Option<StudyEstimate> {
        let (r, freedom) = (self.r?, self.freedom?);
        let study = StudyEstimate::new(r, correlation::standard_error(r, freedom), None).ok()?;
        Some(StudyEstimate {
            df: Some(freedom),
            is_correlation: true,
            ..study
        })
    }

    /// The sign that its numbers show: of a t or z, else of a coefficient; none of
    /// statistics without a sign.
    pub fn sign(&self) -> Option<Direction> {
        let signed = self.kind.as_ref().is_some_and(StatisticKind::is_signed);
        let number = self.value.filter(|_| signed).or(self.coefficient)?;
        Direction::from_value(number)
    }

    fn is(&self, kind: &StatisticKind) -> bool {
        self.kind.as_ref() == Some(kind)
    }

    /// The interval of the correlation from the statistic alone.
    pub fn interval_of_statistic(&self) -> Option<Interval> {
        let (value, r) = (self.value?, self.r?);
        let df = correlation::df_behind(value, r);
        if self.is(&StatisticKind::T) {
            correlation::interval_of_t(value, df, 0.95)
        } else if self.is(&StatisticKind::Z) {
            correlation::interval_of_z(value, df, 0.95)
        } else {
            None
        }
    }
}

impl Claim {
    pub fn id(&self) -> &str {
        &self.cells["claim_id"]
    }

    pub fn text(&self, column: &str) -> Option<&str> {
        self.cells.get(column).map(String::as_str)
    }

    pub fn number(&self, column: &str) -> Option<f64> {
        self.text(column).map(|cell| cell.parse().unwrap())
    }

    pub fn flag(&self, column: &str) -> Option<bool> {
        self.text(column).map(|cell| match cell {
            "TRUE" => true,
            "FALSE" => false,
            other => panic!("{column} of {}: {other}", self.id()),
        })
    }

    /// Whether people judged the claim's pattern to be met.
    pub fn pattern(&self) -> bool {
        self.flag("repli_pattern_criteria_met").unwrap()
    }

    /// The original's side. Its effective degrees of freedom and sample size are
    /// not in the table; they follow from the statistic and the correlation.
    pub fn original(&self) -> Side {
        let side = self.side("orig");
        let behind = |value| Some(correlation::df_behind(value, side.r?));
        let freedom = if side.is(&StatisticKind::T) || side.is(&StatisticKind::Z) {
            side.value.and_then(behind)
        } else if side.kind.is_some() {
            side.n
        } else {
            None
        };
        Side { freedom, ..side }
    }

    /// The replication's side, its effective numbers before the reported ones.
    pub fn replication(&self) -> Side {
        let side = self.side("repli");
        let freedom = if side.is(&StatisticKind::T) {
            self.number("repli_effective_df1").or(side.df[0])
        } else if side.kind.is_some() {
            self.number("repli_effective_sample_size").or(side.n)
        } else {
            None
        };
        Side { freedom, ..side }
    }

    fn side(&self, name: &str) -> Side {
        let number = |column: &str| self.number(&format!("{name}_{column}"));
        Side {
            kind: self
                .text(&format!("{name}_stat_type"))
                .map(|kind| StatisticKind::parse(&kind.replace('_', "-"))),
            value: number("stat_value"),
            n: number("sample_size_value"),
            df: [number("stat_dof_1"), number("stat_dof_2")],
            r: number("conv_r"),
            interval: number("conv_r_lb")
                .zip(number("conv_r_ub"))
                .map(|(lower, upper)| Interval {
                    lower,
                    upper,
                    level: 0.95,
                }),
            freedom: None,
            coefficient: number("coef_value"),
        }
    }

    /// Both correlations with their standard errors.
    pub fn pair(&self) -> Option<StudyPair> {
        Some(StudyPair::new(
            self.original().study()?,
            self.replication().study()?,
        ))
    }

    /// The original's two-sided p where it is exact, and the replication's.
    pub fn p_values(&self) -> Option<[f64; 2]> {
        if self.text("orig_p_value_type") != Some("exact") {
            return None;
        }
        let one_sided = self
            .text("orig_p_value_tails")
            .is_some_and(|tails| tails.starts_with("one"));
        let doubled = if one_sided { 2.0 } else { 1.0 };
        Some([
            doubled * self.number("orig_p_value")?,
            self.number("repli_p_value")?,
        ])
    }
}
