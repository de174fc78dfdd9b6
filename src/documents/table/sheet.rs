//! Workbooks: xlsx, xls and ods, every sheet a table.

use std::io::Cursor;

use calamine::{
    CellErrorType, Data, DataRef, ExcelDateTime, Ods, Reader, Sheet, SheetVisible, Sheets, Xls, Xlsx,
};

use crate::documents::kind::Kind;
use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::Table;
use crate::documents::table::dates;
use crate::documents::table::grid::{Cell, Grid};
use crate::documents::table::written;
use crate::documents::zip_size;

/// Days from Excel's day 0 of the 1900 system to 1970-01-01.
const DAYS_1900: f64 = 25_569.0;
/// The first whole number that a double shares with its neighbour.
const FIRST_SHARED: f64 = 9_007_199_254_740_992.0;
/// Most cells of the rectangle around a sheet's used cells, in the formats
/// that are not read cell by cell.
const MOST_CELLS: usize = 1 << 26;

/// Reads every sheet of a workbook.
///
/// # Errors
/// A damaged or encrypted workbook, or more cells than the limit of memory holds.
pub fn read(bytes: &[u8], kind: &Kind, limits: &Limits) -> Result<Vec<Table>, ReadError> {
    if *kind != Kind::Xls {
        zip_size::check(bytes, limits)?;
    }
    let mut budget = MemoryBudget::new(limits);
    let source = Cursor::new(bytes);
    match kind {
        Kind::Xls => ranges(Sheets::Xls(Xls::new(source).map_err(damaged)?), &mut budget),
        Kind::Ods => ranges(Sheets::Ods(Ods::new(source).map_err(damaged)?), &mut budget),
        _ => cells(Xlsx::new(source).map_err(damaged)?, bytes, limits, &mut budget),
    }
}

fn damaged(error: impl std::fmt::Display) -> ReadError {
    let text = error.to_string();
    if text.to_ascii_lowercase().contains("password") {
        return ReadError::Encrypted("the workbook has a password".to_owned());
    }
    ReadError::Damaged(format!("the workbook cannot be read: {text}"))
}

fn cells(
    mut workbook: Xlsx<Cursor<&[u8]>>,
    bytes: &[u8],
    limits: &Limits,
    budget: &mut MemoryBudget,
) -> Result<Vec<Table>, ReadError> {
    let mut tables = Vec::new();
    for name in workbook.sheet_names() {
        let mut grid = Grid::default();
        let mut doubtful = false;
        let hidden = hidden(&name, workbook.sheets_metadata());
        // Chart sheets have no cells.
        let Ok(mut reader) = workbook.worksheet_cells_reader(&name) else {
            continue;
        };
        while let Some(cell) = reader.next_cell().map_err(damaged)? {
            let (row, column) = cell.get_position();
            doubtful |= match cell.get_value() {
                DataRef::Empty => true,
                DataRef::Float(value) => value.abs() >= FIRST_SHARED,
                DataRef::Int(value) => value.unsigned_abs() as f64 >= FIRST_SHARED,
                _ => false,
            };
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
        let written = Some(limits.memory / 4)
            .filter(|_| doubtful)
            .and_then(|most| written::read(bytes, &name, most))
            .unwrap_or_default();
        grid.spell(&written.long);
        let mut table = grid.table(&name, budget)?;
        table.notes.extend(hidden);
        if written.uncomputed > 0 {
            table.notes.push(format!(
                "{} formulas hold no stored result and count as missing: open the workbook in a spreadsheet \
                 program and save it, or compute them from the other columns.",
                written.uncomputed
            ));
        }
        tables.push(table);
    }
    Ok(tables)
}

/// Says of a sheet that people do not see it.
fn hidden(name: &str, sheets: &[Sheet]) -> Option<String> {
    let sheet = sheets.iter().find(|sheet| sheet.name == name)?;
    (sheet.visible != SheetVisible::Visible).then(|| {
        format!("The sheet `{name}` is hidden in the workbook: a person who opens it does not see it.")
    })
}

fn ranges(mut workbook: Sheets<Cursor<&[u8]>>, budget: &mut MemoryBudget) -> Result<Vec<Table>, ReadError> {
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
        let mut table = grid.table(&name, budget)?;
        table.notes.extend(hidden(&name, workbook.sheets_metadata()));
        tables.push(table);
    }
    Ok(tables)
}

fn moment(value: &ExcelDateTime) -> Cell {
    if value.is_duration() {
        return Cell::Duration(value.as_f64() * dates::DAY);
    }
    // The calendar date knows of the workbook's epoch, 1900 or 1904; serial days alone do not.
    let (year, month, day, hour, minute, second, milli) = value.to_ymd_hms_milli();
    let time =
        f64::from(hour) * 3600.0 + f64::from(minute) * 60.0 + f64::from(second) + f64::from(milli) / 1000.0;
    match dates::days(year.into(), month.into(), day.into()) {
        Some(days) if value.as_f64() >= 1.0 => Cell::DateTime(days * dates::DAY + time),
        // Serial days carry rounding of the last digits: seconds are whole to a millisecond.
        _ => Cell::DateTime(((value.as_f64() - DAYS_1900) * dates::DAY * 1000.0).round() / 1000.0),
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

#[cfg(test)]
mod tests {
    use std::io::Write;

    use calamine::ExcelDateTimeType;
    use zip::write::SimpleFileOptions;

    use super::*;
    use crate::documents::table::moments::distinct;

    const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
    const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
    const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";

    /// A workbook of one sheet, of the 1904 date system; style 1 is that of dates.
    fn workbook(rows: &str) -> Vec<u8> {
        let relation = |id: &str, kind: &str, target: &str| {
            format!("<Relationship Id=\"{id}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"/>")
        };
        let parts = [
            (
                "_rels/.rels",
                format!(
                    "<Relationships xmlns=\"{PACKAGE}\">{}</Relationships>",
                    relation("a", "officeDocument", "xl/workbook.xml")
                ),
            ),
            (
                "xl/workbook.xml",
                format!(
                    "<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><workbookPr date1904=\"1\"/><sheets>\
                     <sheet name=\"data\" sheetId=\"1\" r:id=\"b\"/></sheets></workbook>"
                ),
            ),
            (
                "xl/_rels/workbook.xml.rels",
                format!(
                    "<Relationships xmlns=\"{PACKAGE}\">{}{}</Relationships>",
                    relation("b", "worksheet", "worksheets/one.xml"),
                    relation("c", "styles", "styles.xml")
                ),
            ),
            (
                "xl/styles.xml",
                format!(
                    "<styleSheet xmlns=\"{MAIN}\"><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
                ),
            ),
            (
                "xl/worksheets/one.xml",
                format!("<worksheet xmlns=\"{MAIN}\"><sheetData>{rows}</sheetData></worksheet>"),
            ),
        ];
        let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, text) in parts {
            archive.start_file(name, SimpleFileOptions::default()).unwrap();
            archive.write_all(text.as_bytes()).unwrap();
        }
        archive.finish().unwrap().into_inner()
    }

    #[test]
    fn a_workbook_keeps_its_days_its_digits_and_tells_of_formulas() {
        let name = |place: &str, text: &str| format!("<c r=\"{place}\" t=\"str\"><v>{text}</v></c>");
        let mut rows = format!(
            "<row r=\"1\">{}{}{}</row>",
            name("A1", "when"),
            name("B1", "id"),
            name("C1", "sum")
        );
        for (row, id) in [(2, "12345678901234567"), (3, "12345678901234568")] {
            rows += &format!(
                "<row r=\"{row}\"><c r=\"A{row}\" s=\"1\"><v>42369</v></c><c r=\"B{row}\"><v>{id}</v></c>\
                 <c r=\"C{row}\"><f>A{row}+1</f><v></v></c></row>"
            );
        }
        let table = read(&workbook(&rows), &Kind::Xlsx, &Limits::default())
            .unwrap()
            .remove(0);
        let day = table.columns[0].mean().and_then(dates::date);
        assert_eq!(day.as_deref(), Some("2020-01-01"));
        assert_eq!((table.rows, distinct(&table.columns[1])), (2, 2));
        assert!(
            table.notes[0].starts_with("`id` holds whole numbers past 2^53"),
            "{:?}",
            table.notes
        );
        assert!(
            table.notes[1].starts_with("2 formulas hold no stored result"),
            "{:?}",
            table.notes
        );
    }

    #[test]
    fn a_hidden_sheet_is_named() {
        let visible = |visible| Sheet {
            name: "codes".to_owned(),
            typ: calamine::SheetType::WorkSheet,
            visible,
        };
        for (sheet, is_named) in [
            (SheetVisible::Hidden, true),
            (SheetVisible::VeryHidden, true),
            (SheetVisible::Visible, false),
        ] {
            assert_eq!(hidden("codes", &[visible(sheet)]).is_some(), is_named);
        }
        let shown = workbook("<row r=\"1\"><c r=\"A1\" t=\"str\"><v>x</v></c></row>");
        assert_eq!(
            read(&shown, &Kind::Xlsx, &Limits::default()).unwrap()[0].notes,
            [""; 0]
        );
    }

    #[test]
    fn both_epochs_of_excel_give_the_same_day() {
        let day = |serial: f64, is_1904| {
            let Cell::DateTime(seconds) =
                moment(&ExcelDateTime::new(serial, ExcelDateTimeType::DateTime, is_1904))
            else {
                panic!("a date is no date")
            };
            dates::date_time(seconds)
        };
        assert_eq!(day(43_831.75, false).as_deref(), Some("2020-01-01 18:00:00"));
        assert_eq!(day(42_369.75, true).as_deref(), Some("2020-01-01 18:00:00"));
    }
}
