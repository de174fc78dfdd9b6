//! Columns whose type has to be told from their text.

use crate::documents::document::ReadError;
use crate::documents::table::budget::Budget;
use crate::documents::table::column::{Column, Sort};
use crate::documents::table::dates;
use crate::documents::table::texts::Texts;

/// Text that stands for a missing value; the list that pandas reads as missing.
const MISSING: [&str; 18] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "None", "n/a", "nan",
];

/// Whether text stands for a missing value.
pub fn is_missing(text: &str) -> bool {
    MISSING.contains(&text) || text == "null"
}

/// A number as data files write them; hexadecimal and words are none.
pub fn number(text: &str) -> Option<f64> {
    let text = text.trim();
    let first = text.trim_start_matches(['+', '-']).bytes().next()?;
    if !(first.is_ascii_digit()
        || first == b'.'
        || text.trim_start_matches(['+', '-']).eq_ignore_ascii_case("inf"))
    {
        return None;
    }
    text.parse().ok()
}

/// A number with a comma for the decimal point.
pub fn decimal_comma(text: &str) -> Option<f64> {
    if text.matches(',').count() > 1 || text.contains('.') {
        return None;
    }
    number(&text.replacen(',', ".", 1))
}

/// What the values of a column of text have been so far.
#[derive(Debug, Clone, Copy)]
pub struct Evidence {
    commas: bool,
    any: bool,
    numbers: bool,
    whole: bool,
    truths: bool,
    dates: bool,
    padded: bool,
}

impl Evidence {
    /// No value yet; `commas` lets a comma be the decimal point.
    pub fn new(commas: bool) -> Self {
        Self {
            commas,
            any: false,
            numbers: true,
            whole: true,
            truths: true,
            dates: true,
            padded: false,
        }
    }

    /// Takes one value into account.
    pub fn observe(&mut self, text: &str) {
        if is_missing(text) {
            return;
        }
        self.any = true;
        self.numbers = self.numbers && self.number(text).is_some();
        let digits = text.trim().trim_start_matches(['-', '+']);
        self.whole = self.whole && digits.bytes().all(|byte| byte.is_ascii_digit());
        self.padded |=
            digits.len() > 1 && digits.starts_with('0') && digits.bytes().all(|byte| byte.is_ascii_digit());
        self.truths = self.truths && matches!(text, "TRUE" | "FALSE" | "True" | "False" | "true" | "false");
        self.dates = self.dates && dates::parse_date(text).is_some();
    }

    /// The type that fits every value; a column without any is one of numbers.
    pub fn sort(self) -> Sort {
        match self {
            Self { any: false, .. } => Sort::Number,
            Self { truths: true, .. } => Sort::Bool,
            Self {
                numbers: true,
                whole: true,
                ..
            } => Sort::Integer,
            Self { numbers: true, .. } => Sort::Number,
            Self { dates: true, .. } => Sort::Date,
            _ => Sort::Text,
        }
    }

    /// Whether numbers with zeros before them were seen, as codes have them.
    pub fn is_padded(self) -> bool {
        self.padded && matches!(self.sort(), Sort::Integer | Sort::Number)
    }

    fn number(self, text: &str) -> Option<f64> {
        number(text).or_else(|| if self.commas { decimal_comma(text) } else { None })
    }
}

/// A column that is filled once its type is settled.
#[derive(Debug)]
pub struct Filling {
    evidence: Evidence,
    sort: Sort,
    numbers: Vec<f64>,
    texts: Texts,
}

impl Filling {
    /// An empty column of the type that the evidence tells.
    pub fn new(evidence: Evidence) -> Self {
        Self {
            evidence,
            sort: evidence.sort(),
            numbers: Vec::new(),
            texts: Texts::default(),
        }
    }

    /// Adds a value; `None` where the record has no such field.
    pub fn push(&mut self, text: Option<&str>, budget: &mut Budget) -> Result<(), ReadError> {
        let text = text.filter(|text| !is_missing(text));
        let number = match self.sort {
            Sort::Text => return self.texts.push(text, budget),
            Sort::Bool => text.map(|text| f64::from(u8::from(text.eq_ignore_ascii_case("true")))),
            Sort::Date => text.and_then(dates::parse_date),
            _ => text.and_then(|text| self.evidence.number(text)),
        };
        budget.take(8)?;
        self.numbers.push(number.unwrap_or(f64::NAN));
        Ok(())
    }

    /// The column.
    pub fn finish(self, name: String) -> Column {
        match self.sort {
            Sort::Text => Column::texts(name, self.texts),
            sort => Column::numbers(name, sort, self.numbers),
        }
    }
}
