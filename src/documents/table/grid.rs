//! Cells of a sheet, gathered one by one, and the table that they make.

use std::collections::{BTreeMap, HashMap};

use crate::documents::limits::ReadError;
use crate::documents::table::around::sheet::{self, FIRST_ROWS};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType, Table};
use crate::documents::table::dates;
use crate::documents::table::guess;
use crate::documents::table::string_column::StringColumn;

/// Most rows that a sheet can have in the formats read here.
const MOST_ROWS: u32 = 1 << 20;

/// Up to here doubles hold every whole number.
const MOST_EXACT: f64 = 9_007_199_254_740_992.0;

/// One value of a sheet.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell {
    Number(f64),
    /// The digits of a whole number that no double holds.
    Digits(String),
    Bool(bool),
    /// Seconds since 1970-01-01.
    DateTime(f64),
    /// Seconds.
    Duration(f64),
    Text(String),
    /// A formula's error, such as `#DIV/0!`.
    Error(String),
}

/// The used cells of a sheet.
#[derive(Debug, Default)]
pub struct Grid {
    columns: BTreeMap<u32, Vec<(u32, Cell)>>,
    last_row: u32,
}

impl Grid {
    /// Adds a cell by its row and column from 0.
    ///
    /// # Errors
    /// More cells than the limit of memory holds, or a row past the last one of a sheet.
    pub fn put(
        &mut self,
        row: u32,
        column: u32,
        cell: Cell,
        budget: &mut MemoryBudget,
    ) -> Result<(), ReadError> {
        let length = match &cell {
            Cell::Text(text) | Cell::Error(text) | Cell::Digits(text) => text.len() as u64,
            _ => 0,
        };
        budget.take(48 + length)?;
        if row >= MOST_ROWS {
            return Err(ReadError::Damaged(format!(
                "a cell stands in row {row}, past the last row of a sheet"
            )));
        }
        self.last_row = self.last_row.max(row);
        self.columns.entry(column).or_default().push((row, cell));
        Ok(())
    }

    /// The texts of the first used rows, column by column.
    fn first_rows(&self, first: u32) -> Vec<(u32, Vec<String>)> {
        let last = self.last_row.min(first.saturating_add(FIRST_ROWS as u32));
        let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
        for (at, cells) in self.columns.values().enumerate() {
            for (row, cell) in cells.iter().filter(|(row, _)| *row <= last) {
                let texts = rows
                    .entry(*row)
                    .or_insert_with(|| vec![String::new(); self.columns.len()]);
                texts[at] = text(cell);
            }
        }
        rows.into_iter().collect()
    }

    /// Puts digits in the place of the numbers that they were rounded to.
    pub fn spell(&mut self, digits: &HashMap<(u32, u32), String>) {
        if digits.is_empty() {
            return;
        }
        for (column, cells) in &mut self.columns {
            for (row, cell) in cells {
                if let (Cell::Number(_), Some(digits)) = (&*cell, digits.get(&(*row, *column))) {
                    *cell = Cell::Digits(digits.clone());
                }
            }
        }
    }

    /// Makes a table: the first used row names the columns.
    ///
    /// # Errors
    /// More cells than the limit of memory holds.
    pub fn table(self, name: &str, budget: &mut MemoryBudget) -> Result<Table, ReadError> {
        let first = self.columns.values().flatten().map(|(row, _)| *row).min();
        let Some(first) = first else {
            return Ok(Table {
                name: name.to_owned(),
                ..Table::default()
            });
        };
        let around = sheet::of_sheet(self.first_rows(first));
        let header = around.header.max(first);
        let first = around.first.max(header + 1);
        let rows = (self.last_row + 1).saturating_sub(first) as usize;
        let mut table = Table {
            name: name.to_owned(),
            rows,
            notes: around.notes,
            ..Table::default()
        };
        let mut errors = 0;
        for (at, (place, cells)) in self.columns.into_iter().enumerate() {
            let mut named = format!("(column {})", letters(place));
            let mut values: Vec<(usize, Cell)> = Vec::new();
            for (row, cell) in cells {
                if row == header {
                    named = text(&cell);
                } else if row >= first {
                    values.push(((row - first) as usize, cell));
                }
            }
            budget.take_cells(rows as u64, 2)?;
            errors += values
                .iter()
                .filter(|(_, cell)| matches!(cell, Cell::Error(_)))
                .count();
            table.notes.extend(too_long(&named, &values));
            let mut column = column(named, &values, rows, budget)?;
            column.label = around.labels.get(at).filter(|label| !label.is_empty()).cloned();
            table.columns.push(column);
        }
        if errors > 0 {
            table.notes.push(format!(
                "{errors} cells hold the error of a formula and count as missing."
            ));
        }
        Ok(table)
    }
}

/// Says what became of whole numbers that a double shares with its neighbours.
fn too_long(name: &str, cells: &[(usize, Cell)]) -> Option<String> {
    if cells.iter().any(|(_, cell)| matches!(cell, Cell::Digits(_))) {
        return Some(format!(
            "`{name}` holds whole numbers past 2^53, which doubles (and Excel itself) cannot tell apart: \
             they are kept as text."
        ));
    }
    let whole = |cell: &Cell| !matches!(cell, Cell::Number(value) if value.fract() != 0.0);
    let long =
        |cell: &Cell| matches!(cell, Cell::Number(value) if value.abs() > MOST_EXACT && value.is_finite());
    (cells.iter().any(|(_, cell)| long(cell)) && cells.iter().all(|(_, cell)| whole(cell))).then(|| {
        format!(
            "`{name}` holds whole numbers past 2^53, and the workbook stores them rounded: different \
             identifiers may have become one."
        )
    })
}

fn column(
    name: String,
    cells: &[(usize, Cell)],
    rows: usize,
    budget: &mut MemoryBudget,
) -> Result<Column, ReadError> {
    let present: Vec<&(usize, Cell)> = cells.iter().filter(|(_, cell)| !is_missing(cell)).collect();
    let all = |test: fn(&Cell) -> bool| !present.is_empty() && present.iter().all(|(_, cell)| test(cell));
    let fill = |sort: DataType, value: &dyn Fn(&Cell) -> f64| {
        let mut numbers = vec![f64::NAN; rows];
        for (row, cell) in &present {
            if let Some(place) = numbers.get_mut(*row) {
                *place = value(cell);
            }
        }
        Column::numbers(name.clone(), sort, numbers)
    };
    if all(|cell| matches!(cell, Cell::Bool(_))) {
        return Ok(fill(DataType::Bool, &amount));
    }
    if present.is_empty() || all(|cell| matches!(cell, Cell::Number(_))) {
        let whole = all(|cell| amount(cell).fract() == 0.0);
        return Ok(fill(
            if whole {
                DataType::Integer
            } else {
                DataType::Number
            },
            &amount,
        ));
    }
    if all(|cell| matches!(cell, Cell::DateTime(seconds) if seconds % dates::DAY == 0.0)) {
        return Ok(fill(DataType::Date, &|cell| amount(cell) / dates::DAY));
    }
    if all(|cell| matches!(cell, Cell::DateTime(_))) {
        return Ok(fill(DataType::DateTime, &amount));
    }
    if all(|cell| matches!(cell, Cell::Duration(_))) {
        return Ok(fill(DataType::Time, &amount));
    }
    let mut spelled: Vec<Option<String>> = vec![None; rows];
    for (row, cell) in present {
        if let Some(place) = spelled.get_mut(*row) {
            *place = Some(text(cell));
        }
    }
    let mut texts = StringColumn::default();
    for value in &spelled {
        texts.push(value.as_deref(), budget)?;
    }
    Ok(Column::texts(name, texts))
}

fn is_missing(cell: &Cell) -> bool {
    match cell {
        Cell::Error(_) => true,
        Cell::Text(text) => guess::is_missing(text),
        _ => false,
    }
}

fn amount(cell: &Cell) -> f64 {
    match cell {
        Cell::Number(value) | Cell::DateTime(value) | Cell::Duration(value) => *value,
        Cell::Bool(value) => f64::from(u8::from(*value)),
        Cell::Text(_) | Cell::Error(_) | Cell::Digits(_) => f64::NAN,
    }
}

fn text(cell: &Cell) -> String {
    match cell {
        Cell::Number(value) => value.to_string(),
        Cell::Bool(value) => value.to_string(),
        Cell::DateTime(seconds) if seconds % dates::DAY == 0.0 => {
            dates::date(seconds / dates::DAY).unwrap_or_default()
        }
        Cell::DateTime(seconds) => dates::date_time(*seconds).unwrap_or_default(),
        Cell::Duration(seconds) => dates::time(*seconds),
        Cell::Text(text) | Cell::Error(text) | Cell::Digits(text) => text.clone(),
    }
}

/// The letters of a sheet's column: A, B, ..., Z, AA.
fn letters(column: u32) -> String {
    let mut left = column + 1;
    let mut letters = Vec::new();
    while left > 0 {
        letters.push(b'A' + ((left - 1) % 26) as u8);
        left = (left - 1) / 26;
    }
    letters.iter().rev().map(|letter| char::from(*letter)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;

    #[test]
    fn columns_are_lettered_as_in_a_sheet() {
        assert_eq!(
            (letters(0), letters(25), letters(26), letters(701)),
            ("A".into(), "Z".into(), "AA".into(), "ZZ".into())
        );
    }

    #[test]
    fn rounded_identifiers_are_told() {
        let cells = |values: &[f64]| -> Vec<(usize, Cell)> {
            values.iter().map(|value| (0, Cell::Number(*value))).collect()
        };
        assert!(too_long("id", &cells(&[12_345_678_901_234_570.0, 3.0])).is_some());
        assert_eq!(too_long("mass", &cells(&[1.9e30, 0.5])), None);
        assert_eq!(too_long("id", &cells(&[1.0, 2.0])), None);
    }

    #[test]
    fn titles_and_units_of_a_sheet_are_no_records() {
        let mut budget = MemoryBudget::new(&Limits::default());
        let mut grid = Grid::default();
        let mut put = |row, column, cell| grid.put(row, column, cell, &mut budget).unwrap();
        let text = |text: &str| Cell::Text(text.to_owned());
        put(0, 0, text("Table 2: harvest"));
        for (column, name) in [(0, "plot"), (1, "mass"), (2, "area")] {
            put(2, column, text(name));
        }
        put(3, 1, text("(kg)"));
        put(3, 2, text("(m2)"));
        for row in 4..8 {
            put(row, 0, text("a"));
            put(row, 1, Cell::Number(f64::from(row)));
            put(row, 2, Cell::Number(10.0));
        }
        let table = grid.table("s", &mut budget).unwrap();
        let column = &table.columns[1];
        assert_eq!(
            (table.rows, column.name.as_str(), column.mean()),
            (4, "mass", Some(5.5))
        );
        assert_eq!(column.label.as_deref(), Some("(kg)"));
        assert!(
            table.notes[0].contains("in row 3: the rows above (\"Table 2: harvest\")"),
            "{:?}",
            table.notes
        );
        assert!(table.notes[0].contains("`header=2`"));
    }

    #[test]
    fn mixed_cells_are_text_and_dates_stay_dates() {
        let mut budget = MemoryBudget::new(&Limits::default());
        let mut grid = Grid::default();
        let mut put = |row, column, cell| grid.put(row, column, cell, &mut budget).unwrap();
        put(1, 0, Cell::Text("mixed".into()));
        put(2, 0, Cell::Number(1.5));
        put(3, 0, Cell::Text("x".into()));
        put(2, 2, Cell::DateTime(86_400.0));
        let table = grid.table("s", &mut budget).unwrap();
        assert_eq!(table.rows, 2);
        assert_eq!(table.columns[0].sort, DataType::Text);
        assert_eq!(
            (table.columns[1].name.as_str(), table.columns[1].sort),
            ("(column C)", DataType::Date)
        );
    }
}
