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

/// Tells the type of a column of text and converts it.
pub fn column(name: String, texts: Texts, commas: bool, budget: &mut Budget) -> Result<Column, ReadError> {
    let present: Vec<&str> = texts
        .distinct()
        .iter()
        .map(String::as_str)
        .filter(|text| !is_missing(text))
        .collect();
    let rows = texts.len() as u64;
    if present.is_empty() {
        budget.take_cells(rows, 1)?;
        return Ok(Column::numbers(name, Sort::Number, vec![f64::NAN; texts.len()]));
    }
    if present
        .iter()
        .all(|text| matches!(*text, "TRUE" | "FALSE" | "True" | "False" | "true" | "false"))
    {
        budget.take_cells(rows, 1)?;
        let truth = |text: &str| Some(f64::from(u8::from(text.eq_ignore_ascii_case("true"))));
        return Ok(Column::numbers(name, Sort::Bool, convert(&texts, truth)));
    }
    let parse: fn(&str) -> Option<f64> = if commas {
        |text| number(text).or_else(|| decimal_comma(text))
    } else {
        number
    };
    if present.iter().all(|text| parse(text).is_some()) {
        budget.take_cells(rows, 1)?;
        let whole = |text: &&str| {
            text.trim()
                .trim_start_matches(['-', '+'])
                .bytes()
                .all(|byte| byte.is_ascii_digit())
        };
        let sort = if present.iter().all(whole) {
            Sort::Integer
        } else {
            Sort::Number
        };
        return Ok(Column::numbers(name, sort, convert(&texts, parse)));
    }
    if present.iter().all(|text| dates::parse_date(text).is_some()) {
        budget.take_cells(rows, 1)?;
        return Ok(Column::numbers(
            name,
            Sort::Date,
            convert(&texts, dates::parse_date),
        ));
    }
    let mut kept = Texts::default();
    for text in texts.iter() {
        kept.push(text.filter(|text| !is_missing(text)), budget)?;
    }
    Ok(Column::texts(name, kept))
}

fn convert(texts: &Texts, parse: impl Fn(&str) -> Option<f64>) -> Vec<f64> {
    texts
        .iter()
        .map(|text| {
            text.filter(|text| !is_missing(text))
                .and_then(&parse)
                .unwrap_or(f64::NAN)
        })
        .collect()
}
