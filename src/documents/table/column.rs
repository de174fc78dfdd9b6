//! The one shape of a table.

use serde::{Deserialize, Serialize};

use crate::documents::table::string_column::StringColumn;

/// The data type of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum DataType {
    Number,
    Integer,
    /// 0 and 1.
    Bool,
    /// Days since 1970-01-01.
    Date,
    /// Seconds since 1970-01-01 00:00.
    DateTime,
    /// Seconds since midnight, or a duration in seconds.
    Time,
    Text,
    /// Positions from 1 in the column's labels.
    Factor {
        ordered: bool,
    },
}

impl DataType {
    /// The name as shown to people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Number => "number",
            Self::Integer => "integer",
            Self::Bool => "true/false",
            Self::Date => "date",
            Self::DateTime => "date and time",
            Self::Time => "time",
            Self::Text => "text",
            Self::Factor { ordered: true } => "ordered factor",
            Self::Factor { ordered: false } => "factor",
        }
    }
}

/// The values of a column, one a row.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Values {
    /// NaN where missing.
    Numbers(Vec<f64>),
    Strings(StringColumn),
}

impl Values {
    /// Rows.
    pub fn len(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.len(),
            Self::Strings(texts) => texts.len(),
        }
    }

    /// Whether there is no row.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Rows without a value.
    pub fn missing(&self) -> usize {
        match self {
            Self::Numbers(numbers) => numbers.iter().filter(|number| number.is_nan()).count(),
            Self::Strings(texts) => texts.missing(),
        }
    }
}

/// A value that carries a label.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum Key {
    Number(f64),
    Text(String),
    /// A missing-value code such as Stata's `.a`.
    Missing(String),
}

/// Rows whose value is missing for a stated reason.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MissingCode {
    /// The code as written: `.a`, `99`, `NA`.
    pub code: String,
    pub rows: Vec<u32>,
}

/// One variable.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Column {
    pub name: String,
    pub label: Option<String>,
    pub sort: DataType,
    pub values: Values,
    /// Labels of values; the levels, in order, of a factor.
    pub labels: Vec<(Key, String)>,
    /// Values that are missing under a code of their own.
    pub coded: Vec<MissingCode>,
    /// What the file declares as missing, in words: `99`, `90 through 99`.
    pub declared_missing: Vec<String>,
}

impl Column {
    /// A numeric column without labels.
    pub fn numbers(name: impl Into<String>, sort: DataType, values: Vec<f64>) -> Self {
        Self {
            name: name.into(),
            label: None,
            sort,
            values: Values::Numbers(values),
            labels: Vec::new(),
            coded: Vec::new(),
            declared_missing: Vec::new(),
        }
    }

    /// A column of text without labels.
    pub fn texts(name: impl Into<String>, texts: StringColumn) -> Self {
        Self {
            name: name.into(),
            label: None,
            sort: DataType::Text,
            values: Values::Strings(texts.finish()),
            labels: Vec::new(),
            coded: Vec::new(),
            declared_missing: Vec::new(),
        }
    }

    /// Records that a row's value is missing under a code.
    pub fn code_missing(&mut self, code: &str, row: u32) {
        match self.coded.iter_mut().find(|known| known.code == code) {
            Some(known) => known.rows.push(row),
            None => self.coded.push(MissingCode {
                code: code.to_owned(),
                rows: vec![row],
            }),
        }
    }

    /// The label of a number.
    pub fn label_of(&self, number: f64) -> Option<&str> {
        if let DataType::Factor { .. } = self.sort {
            let position = (number as usize).checked_sub(1)?;
            return self.labels.get(position).map(|(_, label)| label.as_str());
        }
        self.labels
            .iter()
            .find(|(key, _)| *key == Key::Number(number))
            .map(|(_, label)| label.as_str())
    }

    /// Mean over the rows with a value; `None` for text and for no rows.
    pub fn mean(&self) -> Option<f64> {
        let Values::Numbers(numbers) = &self.values else {
            return None;
        };
        // Neumaier's compensated sum: means near zero keep their digits.
        let (mut sum, mut lost, mut count) = (0.0f64, 0.0, 0u64);
        for &number in numbers.iter().filter(|number| !number.is_nan()) {
            let next = sum + number;
            lost += if sum.abs() >= number.abs() {
                (sum - next) + number
            } else {
                (number - next) + sum
            };
            sum = next;
            count += 1;
        }
        // Infinite values leave no correction.
        let sum = if lost.is_finite() { sum + lost } else { sum };
        (count > 0).then(|| sum / count as f64)
    }
}

/// Rows and columns under a name.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Table {
    /// The sheet's, data frame's or variable's name; empty where there is one table.
    pub name: String,
    pub label: Option<String>,
    pub columns: Vec<Column>,
    pub rows: usize,
    /// What could not be read, or had to be decided.
    pub notes: Vec<String>,
}

impl Table {
    /// Bytes that the values take in memory, near enough.
    pub fn bytes(&self) -> u64 {
        let values = self.columns.iter().map(|column| match &column.values {
            Values::Numbers(numbers) => 8 * numbers.len() as u64,
            Values::Strings(texts) => texts.bytes(),
        });
        values.sum()
    }

    /// The column of that name, or else the one whose name differs only in case.
    pub fn column(&self, name: &str) -> Option<&Column> {
        self.columns
            .iter()
            .find(|column| column.name == name)
            .or_else(|| {
                self.columns
                    .iter()
                    .find(|column| column.name.eq_ignore_ascii_case(name))
            })
    }
}
