//! Hints on a table that a careful reader would notice before analysing it.

use std::collections::{BTreeMap, HashMap};
use std::hash::{BuildHasher, Hasher};

use foldhash::fast::FixedState;

use crate::documents::table::column::{Column, DataType, Table, Values};
use crate::documents::table::dates;
use crate::documents::table::describe::cells::cell;
use crate::documents::table::moments::distinct;
use crate::documents::table::number::{self, Dress, Style};
use crate::documents::table::personal::{Privacy, is_personal};

/// What a careful reader would notice of some columns before analysing.
pub fn hints(table: &Table, chosen: &[&Column], privacy: &Privacy) -> Vec<String> {
    let mut hints = Vec::new();
    for column in chosen {
        hints.extend(
            column_hints(column, privacy)
                .into_iter()
                .map(|hint| format!("`{}`: {hint}", cell(&column.name))),
        );
    }
    let mut seen: HashMap<u64, &Column> = HashMap::new();
    for column in chosen.iter().filter(|_| table.rows > 1) {
        let first = *seen.entry(fingerprint(column)).or_insert(column);
        if !std::ptr::eq(first, *column) && repeats(first, column) {
            hints.push(format!(
                "`{}` repeats `{}` in every row.",
                cell(&column.name),
                cell(&first.name)
            ));
        }
    }
    hints
}

/// What is notable of one column.
pub fn column_hints(column: &Column, privacy: &Privacy) -> Vec<String> {
    let mut hints = Vec::new();
    let is_hidden = privacy.hides(column);
    let numbers = match &column.values {
        // A hint quotes values.
        Values::Strings(_) if is_hidden => None,
        Values::Strings(texts) => numbers_as_text(texts.distinct()),
        Values::Numbers(_) => None,
    };
    let measured = matches!(numbers, Some((_, false)));
    let (rows, missing, different) = (column.values.len(), column.values.missing(), distinct(column));
    let blank = matches!(&column.values, Values::Strings(texts) if texts.distinct().iter().all(|text| text.trim().is_empty()));
    if rows > 0 && (missing == rows || blank) {
        hints.push("no row has a value.".to_owned());
    } else if different == 1 && rows > 1 && missing == 0 {
        hints.push("the same value in every row.".to_owned());
    } else if different == rows
        && rows > 10
        && !measured
        && matches!(column.sort, DataType::Integer | DataType::Text)
    {
        hints.push("a different value in every row: likely an identifier.".to_owned());
    }
    if is_hidden {
        hints.push("likely personal data; its values are not shown and should not be quoted.".to_owned());
    } else if privacy.allows(column) && is_personal(column) {
        hints.push("likely personal data; a person has allowed that its values are shown.".to_owned());
    }
    match &column.values {
        Values::Numbers(_) if is_hidden => {}
        Values::Numbers(numbers) if matches!(column.sort, DataType::Number | DataType::Integer) => {
            hints.extend(coded_missing(numbers, column));
        }
        Values::Strings(texts) if !is_hidden && numbers.is_none() => {
            hints.extend(days_as_text(texts.distinct()))
        }
        _ => hints.extend(numbers.map(|(hint, _)| hint)),
    }
    hints
}

/// What text that consists of numbers is, and whether they are too long for a
/// double, as identifiers are; `None` where more than two values in five are none.
fn numbers_as_text(values: &[String]) -> Option<(String, bool)> {
    let (mut filled, mut foreign, mut first) = (0, 0, None);
    let (mut decimal, mut thousands, mut long) = (None, None, false);
    let mut dresses: BTreeMap<Dress, &str> = BTreeMap::new();
    for value in values
        .iter()
        .map(|value| value.trim())
        .filter(|value| !value.is_empty())
    {
        filled += 1;
        if let Some(number) = number::plain(value) {
            long |= number.inexact;
            continue;
        }
        match number::style(value) {
            Some(Style::DecimalComma) => decimal = decimal.or(Some(value)),
            Some(Style::Thousands | Style::Either) => thousands = thousands.or(Some(value)),
            Some(Style::Minus) => {}
            None if let Some(dress) = number::dress(value) => {
                dresses.entry(dress).or_insert(value);
            }
            None => {
                first = first.or(Some(value));
                foreign += 1;
                if foreign * 5 > values.len() * 2 {
                    return None;
                }
            }
        }
    }
    if filled < 2 || foreign * 5 > filled * 2 {
        return None;
    }
    let mut hint = if long {
        "whole numbers too long for a double, kept as text".to_owned()
    } else {
        "numbers stored as text".to_owned()
    };
    if let Some(value) = decimal {
        hint += &format!(", with decimal commas such as \"{}\"", cell(value));
    }
    if let Some(value) = thousands {
        hint += &format!(", with commas between thousands such as \"{}\"", cell(value));
    }
    for (dress, value) in dresses {
        hint += &format!(", with {} such as \"{}\"", dress.words(), cell(value));
    }
    if let Some(value) = first {
        hint += &format!(", but for values such as \"{}\"", cell(value));
    }
    Some((hint + ".", long))
}

/// Which part of dates that are written as text is the day, as far as the values tell.
fn days_as_text(values: &[String]) -> Option<String> {
    let (mut dates, mut others) = (0, 0);
    let mut seen: [Option<&str>; 2] = [None; 2];
    let filled = values
        .iter()
        .map(|value| value.trim())
        .filter(|value| !value.is_empty());
    for value in filled {
        match dates::day_and_month(value) {
            Some((first, second)) => {
                dates += 1;
                if first > 12 {
                    seen[0] = seen[0].or(Some(value));
                } else if second > 12 {
                    seen[1] = seen[1].or(Some(value));
                }
            }
            None => others += 1,
        }
    }
    if dates < 2 || others * 10 > dates {
        return None;
    }
    let example = |value: &str| cell(value);
    Some(match seen {
        [Some(day), None] => format!(
            "dates with the day first, such as \"{}\": pandas needs `dayfirst=True`, R `format=\"%d/%m/%Y\"`.",
            example(day)
        ),
        [None, Some(month)] => format!("dates with the month first, such as \"{}\".", example(month)),
        [Some(day), Some(month)] => format!(
            "dates in two orders: \"{}\" has the day first, \"{}\" the month. No reader can tell them apart below 13.",
            example(day),
            example(month)
        ),
        [None, None] => {
            "dates of which no value tells whether the day or the month is first: look it up in the \
                         codebook."
                .to_owned()
        }
    })
}

/// Values such as -9 or 999 far outside all others, which often stand for missing.
fn coded_missing(numbers: &[f64], column: &Column) -> Option<String> {
    const CODES: [f64; 14] = [
        -1.0, -7.0, -8.0, -9.0, -66.0, -77.0, -88.0, -99.0, -999.0, -9999.0, 99.0, 999.0, 9999.0, 99999.0,
    ];
    let mut found = Vec::new();
    let (mut low, mut high) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut counts = [0usize; CODES.len()];
    for number in numbers.iter().filter(|number| !number.is_nan()) {
        let between = *number > -1.0 && *number < 99.0;
        match CODES.iter().position(|code| !between && code == number) {
            Some(place) => counts[place] += 1,
            None => {
                low = low.min(*number);
                high = high.max(*number);
            }
        }
    }
    for (code, count) in CODES.into_iter().zip(counts) {
        let outside = if code < 0.0 {
            low >= 0.0
        } else {
            high < code / 2.0 && low >= 0.0
        };
        if count > 0 && outside && low.is_finite() {
            let label = column
                .label_of(code)
                .map_or_else(String::new, |label| format!(" (\"{}\")", cell(label)));
            found.push(format!("{code}{label} in {count} rows"));
        }
    }
    (!found.is_empty()).then(|| {
        format!(
            "{} may be coded missing values: other values lie between {low} and {high}.",
            found.join(", ")
        )
    })
}

fn fingerprint(column: &Column) -> u64 {
    let mut hasher = FixedState::default().build_hasher();
    match &column.values {
        Values::Numbers(numbers) => numbers
            .iter()
            .for_each(|number| hasher.write_u64(number.to_bits())),
        Values::Strings(texts) => {
            hasher.write_u8(1);
            let places = texts.places().iter();
            places.for_each(|place| hasher.write_u32(*place));
        }
    }
    hasher.finish()
}

/// Whether two columns hold the same in every row.
fn repeats(first: &Column, second: &Column) -> bool {
    match (&first.values, &second.values) {
        (Values::Numbers(first), Values::Numbers(second)) => {
            let bits = |numbers: &[f64]| numbers.iter().map(|number| number.to_bits()).collect::<Vec<_>>();
            bits(first) == bits(second)
        }
        (Values::Strings(first), Values::Strings(second)) => first == second,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::delimited;

    fn table() -> Table {
        let text = "id,age,group,age2,score\n1,20,a,20,1\n2,30,b,30,x\n3,-9,a,-9,3\n4,41,b,41,4\n5,,a,,5\n";
        delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap()
    }

    #[test]
    fn hints_name_what_to_check_first() {
        let table = table();
        let hints = hints(
            &table,
            &table.columns.iter().collect::<Vec<_>>(),
            &Privacy::default(),
        )
        .join("\n");
        assert!(
            hints.contains("`age`: -9 in 1 rows may be coded missing"),
            "{hints}"
        );
        assert!(hints.contains("`age2` repeats `age`"), "{hints}");
        assert!(
            hints.contains("`score`: numbers stored as text, but for values such as \"x\""),
            "{hints}"
        );
    }

    #[test]
    fn dressed_numbers_and_the_order_of_dates_are_named() {
        let text = "amount;share;change;german;american;either;both\n\
                    $1,234.50;12%;(45.00);31.12.2020;12/31/20;01/02/2020;31/01/2020\n\
                    $7.00;3%;5.00;01.02.2021;01/02/21;03/04/2020;01/31/2020\n\
                    ;4%;(6.00);02.02.2021 10:30;01/03/21;05/06/2020;02/02/2020\n";
        let table = delimited::read(text.as_bytes(), b';', &Limits::default()).unwrap();
        let hints: Vec<String> = table
            .columns
            .iter()
            .map(|column| column_hints(column, &Privacy::default()).join(" "))
            .collect();
        assert!(
            hints[0].contains("with currency signs such as \"$1,234.50\""),
            "{hints:?}"
        );
        assert!(
            hints[1].contains("with percent signs such as \"12%\""),
            "{hints:?}"
        );
        assert!(
            hints[2].contains("stand for a minus, such as \"(45.00)\""),
            "{hints:?}"
        );
        assert!(
            hints[3].contains("the day first, such as \"31.12.2020\""),
            "{hints:?}"
        );
        assert!(
            hints[4].contains("the month first, such as \"12/31/20\""),
            "{hints:?}"
        );
        assert!(hints[5].contains("no value tells"), "{hints:?}");
        assert!(hints[6].contains("in two orders"), "{hints:?}");
    }

    #[test]
    fn numbers_with_commas_are_numbers_and_no_identifiers() {
        let mut text = "id,x,pop\n".to_owned();
        for row in 1..100 {
            text.push_str(&format!("{},\"{row},5\",\"{row},234\"\n", u64::MAX - row));
        }
        let table = delimited::read(text.as_bytes(), b',', &Limits::default()).unwrap();
        let hints: Vec<String> = table
            .columns
            .iter()
            .map(|column| column_hints(column, &Privacy::default()).join(" "))
            .collect();
        assert!(hints[0].contains("likely an identifier"), "{hints:?}");
        assert_eq!(
            hints[1],
            "numbers stored as text, with decimal commas such as \"1,5\"."
        );
        assert_eq!(
            hints[2],
            "numbers stored as text, with commas between thousands such as \"1,234\"."
        );
    }
}
