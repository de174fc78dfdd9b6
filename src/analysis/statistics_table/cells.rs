//! The cells of one row, read into an effect.

use crate::domain::excerpt;
use crate::domain::finding::{Direction, Finding, Interval, PValue};
use crate::domain::number_text;
use crate::domain::scale::Scale;
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::verdict::coherence::reported::Rounded;

use super::row::{StatisticsRow, TableFault, WrittenNumbers, printed};

/// Both limits as they are written.
type Bounds = (Rounded, Rounded);

/// One row's cells by their column.
pub struct Cells<'a> {
    pub line: u64,
    pub names: &'a [String],
    pub record: &'a csv::StringRecord,
}

impl Cells<'_> {
    /// The row; `position` names it where it has no term.
    pub fn row(&self, position: usize) -> Result<StatisticsRow, TableFault> {
        let number = "write a number such as 0.42, or leave it empty";
        let estimate = self.number("estimate", number)?;
        let error = self.number("se", number)?;
        if error.is_some_and(|error| error.value < 0.0) {
            return Err(self.fault("se", "a standard error is not below zero"));
        }
        let (p_value, p) = self.p_value()?;
        let (interval, bounds) = self.interval()?;
        let (statistic, size) = self.statistic()?;
        let n = self.number("n", "write a whole number such as 120")?;
        if n.is_some_and(|n| n.value < 0.0 || n.value.fract() != 0.0) {
            return Err(self.fault("n", "write a whole number such as 120"));
        }
        let sides = self.sides()?;
        let finding = Finding {
            name: self
                .cell("term")
                .map_or_else(|| format!("row {position}"), ToOwned::to_owned),
            estimate: estimate.map(|number| number.value),
            standard_error: error.map(|number| number.value),
            interval,
            p_value,
            n: n.map(|n| n.value as u64),
            df: statistic
                .as_ref()
                .filter(|statistic| statistic.kind == StatisticKind::T)
                .and_then(|statistic| statistic.df.last())
                .or(self
                    .freedom()?
                    .filter(|_| statistic.is_none())
                    .and_then(|df| df.last())),
            statistic,
            sides,
            alternative: estimate
                .filter(|_| sides == Some(1))
                .and_then(|number| Direction::from_value(number.value)),
            scale: self.scale()?,
            ..Finding::default()
        };
        let written = WrittenNumbers {
            estimate,
            error,
            statistic: size,
            p,
            bounds,
        };
        Ok(StatisticsRow {
            line: self.line,
            printed: printed(&finding, &written),
            finding,
        })
    }

    /// A cell that holds something.
    fn cell(&self, column: &str) -> Option<&str> {
        let at = self.names.iter().position(|name| name == column)?;
        let text = self.record.get(at)?.trim();
        let absent = matches!(
            text.to_lowercase().as_str(),
            "" | "na" | "n/a" | "nan" | "." | "-" | "–"
        );
        (!absent).then_some(text)
    }

    fn fault(&self, column: &'static str, way_out: impl Into<String>) -> TableFault {
        TableFault::Cell {
            line: self.line,
            column,
            value: self.cell(column).map_or_else(
                || "empty".to_owned(),
                |text| format!("`{}`", excerpt::shortened(text, 60)),
            ),
            way_out: way_out.into(),
        }
    }

    fn number(&self, column: &'static str, way_out: &str) -> Result<Option<Rounded>, TableFault> {
        self.cell(column)
            .map(|text| Rounded::parse(text).ok_or_else(|| self.fault(column, way_out)))
            .transpose()
    }

    fn p_value(&self) -> Result<(Option<PValue>, Option<Rounded>), TableFault> {
        let Some(text) = self.cell("p") else {
            return Ok((None, None));
        };
        let wrong = || self.fault("p", "write a p-value from 0 to 1 such as .03 or <.001");
        let p = number_text::p_value(text).ok_or_else(wrong)?;
        let digits = text.trim_start_matches(|mark: char| !mark.is_ascii_digit() && mark != '.');
        let digits = digits.trim_end_matches(['*', ' ']);
        let written = Rounded::parse(digits).filter(|written| written.value == p.value);
        let exact = Rounded {
            value: p.value,
            decimals: 17,
        };
        Ok((Some(p), Some(written.unwrap_or(exact))))
    }

    fn interval(&self) -> Result<(Option<Interval>, Option<Bounds>), TableFault> {
        let bound = "write both limits of the interval, the lower one first";
        let limits = (self.number("lower", bound)?, self.number("upper", bound)?);
        let (lower, upper) = match limits {
            (None, None) => return Ok((None, None)),
            (Some(lower), Some(upper)) if lower.value <= upper.value => (lower, upper),
            (None, Some(_)) => return Err(self.fault("lower", bound)),
            _ => return Err(self.fault("upper", bound)),
        };
        let level = match self.number("level", "write a coverage such as 0.95")? {
            None => 0.95,
            Some(level) if level.value > 0.0 && level.value < 1.0 => level.value,
            Some(percent) if percent.value > 1.0 && percent.value < 100.0 => percent.value / 100.0,
            Some(_) => return Err(self.fault("level", "write a coverage such as 0.95")),
        };
        let interval = Interval {
            lower: lower.value,
            upper: upper.value,
            level,
        };
        Ok((Some(interval), Some((lower, upper))))
    }

    fn statistic(&self) -> Result<(Option<Statistic>, Option<Rounded>), TableFault> {
        let Some(value) = self.number("statistic", "write the value of the test statistic, such as 2.31")?
        else {
            return Ok((None, None));
        };
        let Some(kind) = self.cell("kind") else {
            return Err(self.fault(
                "kind",
                "say which statistic it is: t, z, F, chi2, r or another letter",
            ));
        };
        let kind = StatisticKind::parse(kind);
        let df = self.freedom()?.unwrap_or_default();
        if kind == StatisticKind::F && df.0.len() != 2 {
            return Err(self.fault("df", "write both degrees of freedom of F, such as 1;204"));
        }
        if kind == StatisticKind::ChiSquared && df.0.len() != 1 {
            return Err(self.fault("df", "write the degrees of freedom of chi2, such as 2"));
        }
        let statistic = Statistic {
            kind,
            value: value.value,
            df,
        };
        Ok((Some(statistic), Some(value)))
    }

    fn freedom(&self) -> Result<Option<DegreesOfFreedom>, TableFault> {
        let Some(text) = self.cell("df") else {
            return Ok(None);
        };
        let wrong = || self.fault("df", "write numbers above zero, such as 98, or 1;204 for F");
        let parts: Option<Vec<f64>> = text
            .trim_matches(['(', ')', '[', ']'])
            .split([',', ';', '/', ' '])
            .filter(|part| !part.is_empty())
            .map(|part| part.parse().ok().filter(|df: &f64| *df > 0.0 && df.is_finite()))
            .collect();
        match parts {
            Some(df) if (1..=2).contains(&df.len()) => Ok(Some(DegreesOfFreedom(df))),
            _ => Err(wrong()),
        }
    }

    fn sides(&self) -> Result<Option<u8>, TableFault> {
        match self.cell("sides").map(str::to_lowercase).as_deref() {
            None => Ok(None),
            Some("1" | "one" | "one-sided" | "one-tailed") => Ok(Some(1)),
            Some("2" | "two" | "two-sided" | "two-tailed") => Ok(Some(2)),
            Some(_) => Err(self.fault("sides", "write 1 or 2, or leave it empty")),
        }
    }

    fn scale(&self) -> Result<Option<Scale>, TableFault> {
        let keys = || Scale::all().map(Scale::key).collect::<Vec<_>>().join(", ");
        self.cell("scale")
            .map(|text| {
                Scale::parse(text).ok_or_else(|| self.fault("scale", format!("write one of {}", keys())))
            })
            .transpose()
    }
}
