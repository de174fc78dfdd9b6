//! Columns whose type has to be told from their text.

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType};
use crate::documents::table::dates;
use crate::documents::table::number::{self, Plain, Point, Style};
use crate::documents::table::string_column::StringColumn;

/// Text that stands for a missing value; the list that pandas reads as missing.
const MISSING: [&str; 18] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A",
    "NA", "NULL", "NaN", "None", "n/a", "nan",
];
/// Bytes of the longest of them.
const LONGEST: usize = 9;

/// Whether text stands for a missing value.
pub fn is_missing(text: &str) -> bool {
    text.len() <= LONGEST && (MISSING.contains(&text) || text == "null")
}

/// The notation of a column's numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Notation {
    Plain,
    /// A comma before the decimals, points or blanks between thousands.
    DecimalComma,
    /// U+2212 before negative numbers.
    Minus,
}

/// The evidence on the type of a column of text so far.
#[derive(Debug, Clone, Copy)]
pub struct ColumnEvidence {
    any: bool,
    /// Every value is a plain number.
    plain: bool,
    /// Every value is a number in some style.
    styled: bool,
    whole: bool,
    inexact: bool,
    padded: bool,
    truths: bool,
    dates: bool,
    /// A point that is one of decimals; one that may part thousands.
    decimal_points: bool,
    either_points: bool,
    /// A comma before decimals; one that cannot part thousands; one that can only do that.
    commas: bool,
    decimal_commas: bool,
    thousands: bool,
    minus: bool,
}

impl Default for ColumnEvidence {
    fn default() -> Self {
        Self {
            any: false,
            plain: true,
            styled: true,
            whole: true,
            inexact: false,
            padded: false,
            truths: true,
            dates: true,
            decimal_points: false,
            either_points: false,
            commas: false,
            decimal_commas: false,
            thousands: false,
            minus: false,
        }
    }
}

impl ColumnEvidence {
    fn observe_number(&mut self, number: Plain) {
        self.any = true;
        self.truths = false;
        self.dates = false;
        self.whole &= number.whole;
        self.inexact |= number.inexact;
        self.padded |= number.padded;
        self.decimal_points |= number.point == Point::Decimal;
        self.either_points |= number.point == Point::Either;
    }

    fn observe_other(&mut self, text: &str) {
        self.any = true;
        self.plain = false;
        self.truths &= is_truth(text);
        self.dates = self.dates && dates::parse_date(text).is_some();
        if !self.styled {
            return;
        }
        let style = number::style(text);
        self.styled = style.is_some();
        self.commas |= matches!(style, Some(Style::DecimalComma | Style::Either));
        self.decimal_commas |= style == Some(Style::DecimalComma);
        self.either_points |= style == Some(Style::DecimalComma) && text.contains('.');
        self.thousands |= style == Some(Style::Thousands);
        self.minus |= style == Some(Style::Minus);
        self.whole &= !text.contains(['.', 'e', 'E']);
        self.decimal_points |= style == Some(Style::Minus) && text.contains('.');
    }

    /// The type that fits every value; a column without any is one of numbers.
    /// Whole numbers that no double can hold stay text.
    pub fn infer_type(self, notation: Notation) -> DataType {
        let numbers = self.plain || notation != Notation::Plain;
        let whole = match notation {
            Notation::DecimalComma => !self.commas,
            _ => self.whole,
        };
        match self {
            Self { any: false, .. } => DataType::Number,
            Self { truths: true, .. } => DataType::Bool,
            Self { inexact: true, .. } if numbers && whole => DataType::Text,
            _ if numbers && whole => DataType::Integer,
            _ if numbers => DataType::Number,
            Self { dates: true, .. } => DataType::Date,
            _ => DataType::Text,
        }
    }

    /// Whether numbers with zeros before them were seen, as codes have them.
    pub fn is_padded(self) -> bool {
        self.padded
            && matches!(
                self.infer_type(Notation::Plain),
                DataType::Integer | DataType::Number
            )
    }

    /// Whether the values are whole numbers, some of which no double can hold.
    pub fn is_too_long(self) -> bool {
        self.any && self.plain && self.whole && self.inexact
    }

    /// Whether points part thousands where the decimals follow a comma.
    pub fn is_grouped(self) -> bool {
        self.either_points
    }

    fn may_have_decimal_commas(self) -> bool {
        self.any && self.styled && self.commas && !self.decimal_points && !self.thousands
    }
}

/// The notation of each column of a file, decided over all of its columns.
///
/// Commas are decimal ones between semicolons. Between tabs, blanks and bars
/// they are where one of the column cannot part thousands and no number of
/// the file has a decimal point. Between commas they never are: quoted lists
/// of chosen answers (`"1,3"`) look alike. In a file of decimal commas a
/// column of points that can all part thousands has no decimal points.
pub fn notations(columns: &[ColumnEvidence], delimiter: u8) -> Vec<Notation> {
    let points = columns
        .iter()
        .any(|column| column.any && column.plain && column.decimal_points);
    let decimal = |column: &ColumnEvidence| {
        column.may_have_decimal_commas()
            && match delimiter {
                b',' => false,
                b';' => true,
                _ => column.decimal_commas && !points,
            }
    };
    let continental = columns.iter().any(decimal);
    let notation = |column: &ColumnEvidence| {
        let grouped = column.any && column.plain && column.either_points && !column.decimal_points;
        if decimal(column) || (continental && !points && grouped) {
            Notation::DecimalComma
        } else if column.any && column.styled && column.minus && !column.commas && !column.thousands {
            Notation::Minus
        } else {
            Notation::Plain
        }
    };
    columns.iter().map(notation).collect()
}

fn is_truth(text: &str) -> bool {
    matches!(text, "TRUE" | "FALSE" | "True" | "False" | "true" | "false")
}

/// The stored values of a draft, by the first of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stored {
    /// No value but missing ones.
    Nothing,
    Numbers,
    Truths,
    Dates,
    StringColumn,
    /// A later value was of another type.
    Spoilt,
}

/// A column that is filled as its first value suggests, while evidence gathers.
#[derive(Debug)]
pub struct ColumnDraft {
    pub evidence: ColumnEvidence,
    stored: Stored,
    numbers: Vec<f64>,
    texts: StringColumn,
}

impl Default for ColumnDraft {
    fn default() -> Self {
        Self {
            evidence: ColumnEvidence::default(),
            stored: Stored::Nothing,
            numbers: Vec::new(),
            texts: StringColumn::default(),
        }
    }
}

impl ColumnDraft {
    /// Adds a value; `None` where the record has no such field.
    ///
    /// # Errors
    /// More text than the limit of memory holds.
    pub fn push(&mut self, text: Option<&str>, budget: &mut MemoryBudget) -> Result<(), ReadError> {
        let text = text.unwrap_or_default();
        if let Some(number) = number::plain(text) {
            self.evidence.observe_number(number);
            return self.store(Stored::Numbers, number.value, text, budget);
        }
        if is_missing(text) {
            return match self.stored {
                Stored::StringColumn => self.texts.push(None, budget),
                Stored::Spoilt => Ok(()),
                _ => self.number(f64::NAN, budget),
            };
        }
        self.evidence.observe_other(text);
        if self.evidence.truths {
            let truth = f64::from(u8::from(text.eq_ignore_ascii_case("true")));
            return self.store(Stored::Truths, truth, text, budget);
        }
        if self.evidence.dates {
            let date = dates::parse_date(text).unwrap_or(f64::NAN);
            return self.store(Stored::Dates, date, text, budget);
        }
        self.store(Stored::StringColumn, f64::NAN, text, budget)
    }

    fn store(
        &mut self,
        kind: Stored,
        number: f64,
        text: &str,
        budget: &mut MemoryBudget,
    ) -> Result<(), ReadError> {
        if self.stored == Stored::Nothing {
            self.stored = match kind {
                // It may turn out to be a number once the whole file is known.
                Stored::StringColumn if self.evidence.styled => Stored::Spoilt,
                kind => kind,
            };
            if self.stored == Stored::StringColumn {
                for _ in 0..self.numbers.len() {
                    self.texts.push(None, budget)?;
                }
            }
            if matches!(self.stored, Stored::StringColumn | Stored::Spoilt) {
                self.drop_numbers(budget);
            }
        }
        match self.stored {
            Stored::StringColumn => self.texts.push(Some(text), budget),
            Stored::Spoilt => Ok(()),
            stored if stored == kind => self.number(number, budget),
            _ => {
                self.stored = Stored::Spoilt;
                self.drop_numbers(budget);
                Ok(())
            }
        }
    }

    fn number(&mut self, number: f64, budget: &mut MemoryBudget) -> Result<(), ReadError> {
        budget.take(8)?;
        self.numbers.push(number);
        Ok(())
    }

    fn drop_numbers(&mut self, budget: &mut MemoryBudget) {
        budget.give(8 * self.numbers.len() as u64);
        self.numbers = Vec::new();
    }

    /// The column in its type: full, or to be filled from the first row.
    pub fn settle(mut self, notation: Notation, budget: &mut MemoryBudget) -> Filling {
        let sort = self.evidence.infer_type(notation);
        let full = match self.stored {
            Stored::Nothing => true,
            Stored::Numbers => {
                notation == Notation::Plain && matches!(sort, DataType::Number | DataType::Integer)
            }
            Stored::Truths => sort == DataType::Bool,
            Stored::Dates => sort == DataType::Date,
            Stored::StringColumn => sort == DataType::Text,
            Stored::Spoilt => false,
        };
        if !full {
            self.drop_numbers(budget);
            self.texts = StringColumn::default();
        }
        Filling {
            sort,
            notation,
            full,
            numbers: self.numbers,
            texts: self.texts,
        }
    }
}

/// A column of a settled type.
#[derive(Debug)]
pub struct Filling {
    sort: DataType,
    notation: Notation,
    /// Whether every row has been added.
    pub full: bool,
    numbers: Vec<f64>,
    texts: StringColumn,
}

impl Filling {
    /// Adds a value; `None` where the record has no such field.
    ///
    /// # Errors
    /// More values than the limit of memory holds.
    pub fn push(&mut self, text: Option<&str>, budget: &mut MemoryBudget) -> Result<(), ReadError> {
        let text = text.filter(|text| !is_missing(text));
        let number = match self.sort {
            DataType::Text => return self.texts.push(text, budget),
            DataType::Bool => text.map(|text| f64::from(u8::from(text.eq_ignore_ascii_case("true")))),
            DataType::Date => text.and_then(dates::parse_date),
            _ => text.and_then(|text| match self.notation {
                Notation::Plain => number::plain(text).map(|number| number.value),
                Notation::DecimalComma => number::with_comma(text),
                Notation::Minus => number::with_minus(text),
            }),
        };
        budget.take(8)?;
        self.numbers.push(number.unwrap_or(f64::NAN));
        Ok(())
    }

    /// The column.
    pub fn finish(self, name: String) -> Column {
        match self.sort {
            DataType::Text => Column::texts(name, self.texts),
            sort => Column::numbers(name, sort, self.numbers),
        }
    }
}
