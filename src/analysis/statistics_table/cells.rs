//! The cells of one row, read into an effect.

use crate::domain::bare_number::{BareNumber, NumberForm};
use crate::domain::excerpt;
use crate::domain::finding::{Direction, Finding, Interval, PValue};
use crate::domain::number_text;
use crate::domain::scale::Scale;
use crate::domain::statistic::{DegreesOfFreedom, Statistic, StatisticKind};
use crate::verdict::coherence::reported::Rounded;

use super::columns::StatisticsColumn;
use super::row::{StatisticsRow, TableFault, WrittenNumbers, printed};

/// Both limits as they are written.
type Bounds = (Rounded, Rounded);

/// One row's cells by their column.
pub struct Cells<'a> {
    pub line: u64,
    pub columns: &'a [Option<StatisticsColumn>],
    pub record: &'a csv::StringRecord,
    pub comma: CommaRole,
}

/// Meaning of a comma before three digits in a table: `1,234`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CommaRole {
    Thousands,
    Decimal,
    /// Other cells have both, or neither.
    Unknown,
}

impl CommaRole {
    /// The role that the other numbers of a table tell.
    pub fn of_cells<'a>(cells: impl Iterator<Item = &'a str>) -> Self {
        let (mut points, mut commas) = (false, false);
        for cell in cells {
            let digits = undressed(cell);
            let Some(number) = BareNumber::parse(digits, NumberForm::Printed).filter(|one| !one.is_ambiguous)
            else {
                continue;
            };
            let is_comma = digits.rfind(',') > digits.rfind('.') && number.decimals > 0;
            commas |= is_comma;
            points |= digits.contains('.') && !is_comma;
        }
        match (points, commas) {
            (true, false) => Self::Thousands,
            (false, true) => Self::Decimal,
            _ => Self::Unknown,
        }
    }
}

/// The digits of a cell without brackets, and without marks of significance.
fn undressed(text: &str) -> &str {
    let marks = |one: char| matches!(one, '*' | '†' | '‡' | '§' | '+' | '^') || one.is_whitespace();
    text.trim()
        .trim_end_matches(marks)
        .trim_start_matches(['(', '['])
        .trim_end_matches([')', ']'])
        .trim()
}

impl Cells<'_> {
    /// The row; `position` names it where it has no term.
    pub fn row(&self, position: usize) -> Result<StatisticsRow, TableFault> {
        let number = "write a number such as 0.42, or leave it empty";
        let estimate = self.number("estimate", number)?;
        let labelled = self.column("estimate").and_then(|column| column.scale);
        // Next to a ratio programs print errors on either scale.
        let is_ratio = labelled == Some(Scale::Ratio) && self.scale()?.is_none();
        let error = self.number("se", number)?.filter(|_| !is_ratio);
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
                    .freedom(Some(&StatisticKind::T))?
                    .filter(|df| statistic.is_none() && size.is_none() && df.0.len() == 1)
                    .and_then(|df| df.last())),
            statistic: statistic.clone(),
            sides,
            alternative: estimate
                .filter(|_| sides == Some(1))
                .and_then(|number| Direction::from_value(number.value)),
            scale: self.scale()?.or(labelled),
            ..Finding::default()
        };
        let written = WrittenNumbers {
            estimate,
            error,
            is_t: size.is_some() && statistic.is_none(),
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

    fn place(&self, column: &str) -> Option<usize> {
        self.columns
            .iter()
            .position(|one| one.as_ref().is_some_and(|one| one.key == column))
    }

    fn column(&self, key: &str) -> Option<&StatisticsColumn> {
        self.columns.get(self.place(key)?)?.as_ref()
    }

    /// A cell that holds something.
    fn cell(&self, column: &str) -> Option<&str> {
        let text = self.record.get(self.place(column)?)?.trim();
        let absent = matches!(
            text.to_lowercase().as_str(),
            "" | "na" | "n/a" | "nan" | "." | "-" | "–" | "—"
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
        let Some(text) = self.cell(column) else {
            return Ok(None);
        };
        if column != "se" && text.starts_with('(') {
            return Err(self.fault(column, "brackets may be a minus: write the sign"));
        }
        let digits = undressed(text);
        let number =
            BareNumber::parse(digits, NumberForm::Printed).ok_or_else(|| self.fault(column, way_out))?;
        let read = Rounded {
            value: number.value,
            decimals: number.decimals,
        };
        // Counts have no decimals.
        if !number.is_ambiguous || column == "n" || !digits.contains(',') {
            return Ok(Some(read));
        }
        let with_comma = Rounded::parse(&digits.replace(',', "."));
        match (self.comma, with_comma) {
            (CommaRole::Decimal, Some(decimal)) => Ok(Some(decimal)),
            (CommaRole::Unknown, Some(decimal)) => Err(self.fault(
                column,
                format!(
                    "it may be {} or {}: write it with a point or without the comma",
                    read.value, decimal.value
                ),
            )),
            _ => Ok(Some(read)),
        }
    }

    fn p_value(&self) -> Result<(Option<PValue>, Option<Rounded>), TableFault> {
        let Some(text) = self.cell("p") else {
            return Ok((None, None));
        };
        let wrong = || self.fault("p", "write a p-value from 0 to 1 such as .03 or <.001");
        if matches!(text.to_lowercase().as_str(), "ns" | "n.s." | "n.s") {
            return Ok((None, None));
        }
        let bare = undressed(text);
        let p = number_text::p_value(bare).ok_or_else(wrong)?;
        let digits =
            bare.trim_start_matches(|mark: char| !mark.is_ascii_digit() && !matches!(mark, '.' | ',' | '·'));
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
        let named = self.column("lower").and_then(|column| column.level);
        let level = match self.number("level", "write a coverage such as 0.95")? {
            None => named.unwrap_or(0.95),
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
        let named = self.column("statistic").and_then(|column| column.kind.clone());
        let kind = self.cell("kind").map(StatisticKind::parse).or(named);
        let df = self.freedom(kind.as_ref())?.unwrap_or_default();
        let is_complete = match &kind {
            // Its p-value hangs on degrees of freedom, which only the number of rows tells else.
            Some(StatisticKind::T) => !df.is_empty() || self.cell("n").is_some(),
            Some(StatisticKind::F) => df.0.len() == 2,
            Some(StatisticKind::ChiSquared) => df.0.len() == 1,
            Some(_) => true,
            None => false,
        };
        let size = Some(value).filter(|_| is_complete || kind == Some(StatisticKind::T));
        let statistic = kind.filter(|_| is_complete).map(|kind| Statistic {
            kind,
            value: value.value,
            df,
        });
        Ok((statistic, size))
    }

    /// The degrees of freedom; only those of F are two.
    fn freedom(&self, kind: Option<&StatisticKind>) -> Result<Option<DegreesOfFreedom>, TableFault> {
        let way_out = "write numbers above zero, such as 98, or 1;204 for F";
        if let (Some(numerator), Some(denominator)) = (self.cell("df1"), self.cell("df2")) {
            let read = df(numerator).zip(df(denominator));
            let (numerator, denominator) = read.ok_or_else(|| self.fault("df", way_out))?;
            return Ok(Some(DegreesOfFreedom::two(numerator, denominator)));
        }
        let Some(text) = self.cell("df").or_else(|| self.cell("df2")) else {
            return Ok(None);
        };
        let bare = text.trim_matches(['(', ')', '[', ']']);
        let one = df(bare).filter(|_| kind != Some(&StatisticKind::F) || !bare.contains([',', ' ']));
        if let Some(one) = one {
            return Ok(Some(DegreesOfFreedom::one(one)));
        }
        let parted = bare
            .split_once([';', '/'])
            .or_else(|| bare.split_once(", "))
            .or_else(|| bare.split_once([',', ' ']));
        parted
            .and_then(|(numerator, denominator)| {
                Some(DegreesOfFreedom::two(df(numerator)?, df(denominator)?))
            })
            .map(Some)
            .ok_or_else(|| self.fault("df", way_out))
    }

    fn sides(&self) -> Result<Option<u8>, TableFault> {
        match self.cell("sides").map(str::to_lowercase).as_deref() {
            None => Ok(self.column("p").and_then(|column| column.sides)),
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

/// One number of degrees of freedom, whose comma parts thousands: `1,998`.
fn df(text: &str) -> Option<f64> {
    BareNumber::parse(text.trim(), NumberForm::Printed)
        .map(|number| number.value)
        .filter(|df| *df > 0.0)
}
