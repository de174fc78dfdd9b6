//! Workbooks: xlsx, xls and ods, every sheet a table.

use std::io::Cursor;

use calamine::{CellErrorType, Data, DataRef, ExcelDateTime, Ods, Reader, Sheets, Xls, Xlsx};

use crate::documents::document::{Limits, ReadError};
use crate::documents::kind::Kind;
use crate::documents::table::budget::Budget;
use crate::documents::table::column::Table;
use crate::documents::table::dates;
use crate::documents::table::grid::{Cell, Grid};
use crate::documents::zip_size;

/// Days from Excel's day 0 of the 1900 system to 1970-01-01.
const DAYS_1900: f64 = 25_569.0;
/// Most cells of the rectangle around a sheet's used cells, in the formats
/// that are not read cell by cell.
const MOST_CELLS: usize = 1 << 26;

/// Reads every sheet of a workbook.
pub fn read(bytes: &[u8], kind: &Kind, limits: &Limits) -> Result<Vec<Table>, ReadError> {
    if *kind != Kind::Xls {
        zip_size::check(bytes, limits)?;
    }
    let mut budget = Budget::new(limits);
    let source = Cursor::new(bytes);
    match kind {
        Kind::Xls => ranges(Sheets::Xls(Xls::new(source).map_err(damaged)?), &mut budget),
        Kind::Ods => ranges(Sheets::Ods(Ods::new(source).map_err(damaged)?), &mut budget),
        _ => cells(Xlsx::new(source).map_err(damaged)?, &mut budget),
    }
}

fn damaged(error: impl std::fmt::Display) -> ReadError {
    let text = error.to_string();
    if text.to_ascii_lowercase().contains("password") {
        return ReadError::Encrypted("the workbook has a password".to_owned());
    }
    ReadError::Damaged(format!("the workbook cannot be read: {text}"))
}

fn cells(mut workbook: Xlsx<Cursor<&[u8]>>, budget: &mut Budget) -> Result<Vec<Table>, ReadError> {
    let mut tables = Vec::new();
    for name in workbook.sheet_names() {
        let mut grid = Grid::default();
        // Chart sheets have no cells.
        let Ok(mut reader) = workbook.worksheet_cells_reader(&name) else {
            continue;
        };
        while let Some(cell) = reader.next_cell().map_err(damaged)? {
            let (row, column) = cell.get_position();
            let value = match cell.get_value() {
                DataRef::Int(value) => Some(Cell::Number(*value as f64)),
                DataRef::Float(value) => Some(Cell::Number(*value)),
                DataRef::String(text) => Some(Cell::Text(text.clone())),
                DataRef::SharedString(text) => Some(Cell::Text((*text).to_owned())),
                DataRef::Bool(value) => Some(Cell::Bool(*value)),
                DataRef::DateTime(value) => Some(moment(value)),
                DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => Some(Cell::Text(text.clone())),
                DataRef::Error(error) => Some(failed(error)),
                DataRef::Empty => None,
            };
            if let Some(value) = value {
                grid.put(row, column, value, budget)?;
            }
        }
        tables.push(grid.table(&name, budget)?);
    }
    Ok(tables)
}

fn ranges(mut workbook: Sheets<Cursor<&[u8]>>, budget: &mut Budget) -> Result<Vec<Table>, ReadError> {
    let mut tables = Vec::new();
    for name in workbook.sheet_names() {
        let range = workbook.worksheet_range(&name).map_err(damaged)?;
        let (height, width) = range.get_size();
        if height.saturating_mul(width) > MOST_CELLS {
            return Err(ReadError::Unsupported(format!(
                "sheet `{name}` has {height} rows of {width} cells"
            )));
        }
        let (top, left) = range.start().unwrap_or_default();
        let mut grid = Grid::default();
        for (row, column, value) in range.used_cells() {
            let value = match value {
                Data::Int(value) => Cell::Number(*value as f64),
                Data::Float(value) => Cell::Number(*value),
                Data::String(text) | Data::DurationIso(text) => Cell::Text(text.clone()),
                Data::Bool(value) => Cell::Bool(*value),
                Data::DateTime(value) => moment(value),
                Data::DateTimeIso(text) => iso(text),
                Data::Error(error) => failed(error),
                Data::Empty => continue,
            };
            grid.put(top + row as u32, left + column as u32, value, budget)?;
        }
        tables.push(grid.table(&name, budget)?);
    }
    Ok(tables)
}

fn moment(value: &ExcelDateTime) -> Cell {
    if value.is_duration() {
        Cell::Duration(value.as_f64() * dates::DAY)
    } else {
        // Serial days carry rounding of the last digits: seconds are whole to a millisecond.
        Cell::DateTime(((value.as_f64() - DAYS_1900) * dates::DAY * 1000.0).round() / 1000.0)
    }
}

fn iso(text: &str) -> Cell {
    let day = text.get(..10).and_then(dates::parse_date);
    match day {
        Some(day) if text.len() == 10 => Cell::DateTime(day * dates::DAY),
        _ => match text.parse::<jiff::civil::DateTime>() {
            Ok(moment) => Cell::DateTime(
                moment
                    .duration_since(jiff::civil::datetime(1970, 1, 1, 0, 0, 0, 0))
                    .as_secs_f64(),
            ),
            Err(_) => Cell::Text(text.to_owned()),
        },
    }
}

fn failed(error: &CellErrorType) -> Cell {
    Cell::Error(error.to_string())
}
