//! SPSS portable files in ASCII, after the PSPP developers' guide ("Portable File Format").

use encoding_rs::WINDOWS_1252;

use crate::documents::limits::{Limits, ReadError};
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, DataType, Key, Table};
use crate::documents::table::dates;
use crate::documents::table::string_column::StringColumn;

/// Bytes before the records: splash, character table and tag.
const HEAD: usize = 464;
/// Most variables.
const MOST: usize = 100_000;

/// The characters of a file without its line ends; short lines count as 80.
struct Characters {
    bytes: Vec<u8>,
    at: usize,
}

/// A variable and what its missing values are.
#[derive(Default)]
struct Variable {
    name: String,
    width: usize,
    format: usize,
    label: Option<String>,
    missing: Vec<Bound>,
    labels: Vec<(Key, String)>,
}

enum Bound {
    Number(f64),
    Text(String),
    Range(f64, f64),
}

/// Reads a portable file.
///
/// # Errors
/// A header or case that is damaged, more than 100,000 variables, or more data than the limit of memory
/// holds.
pub fn read(bytes: &[u8], limits: &Limits) -> Result<Table, ReadError> {
    let mut budget = MemoryBudget::new(limits);
    budget.take(2 * bytes.len() as u64)?;
    let mut characters = Characters::new(bytes);
    characters.at = HEAD + 1;
    characters.string()?;
    characters.string()?;
    let mut variables: Vec<Variable> = Vec::new();
    loop {
        match characters.next()? {
            b'1' | b'2' | b'3' | b'6' => {
                characters.string()?;
            }
            b'4' | b'5' => {
                characters.number()?;
            }
            b'7' => {
                let width = characters.count()?;
                let mut variable = Variable {
                    name: characters.string()?,
                    width,
                    ..Variable::default()
                };
                variable.format = characters.count()?;
                for _ in 0..5 {
                    characters.number()?;
                }
                variables.push(variable);
                if variables.len() > MOST {
                    return Err(ReadError::Unsupported(format!("more than {MOST} variables")));
                }
            }
            tag @ (b'8' | b'9' | b'A' | b'B' | b'C') => {
                if let Some(variable) = variables.last_mut() {
                    describe(tag, variable, &mut characters)?;
                }
            }
            b'D' => labels(&mut variables, &mut characters)?,
            b'E' => {
                for _ in 0..characters.count()? {
                    characters.string()?;
                }
            }
            b'F' => break,
            tag => return Err(characters.damaged(&format!("there is no record `{}`", char::from(tag)))),
        }
    }
    cases(variables, &mut characters, &mut budget)
}

fn describe(tag: u8, variable: &mut Variable, characters: &mut Characters) -> Result<(), ReadError> {
    match tag {
        b'8' if variable.width > 0 => variable.missing.push(Bound::Text(characters.string()?)),
        b'8' => variable.missing.push(Bound::Number(characters.number()?)),
        b'9' => variable
            .missing
            .push(Bound::Range(f64::NEG_INFINITY, characters.number()?)),
        b'A' => variable
            .missing
            .push(Bound::Range(characters.number()?, f64::INFINITY)),
        b'B' => variable
            .missing
            .push(Bound::Range(characters.number()?, characters.number()?)),
        _ => variable.label = Some(characters.string()?),
    }
    Ok(())
}

fn labels(variables: &mut [Variable], characters: &mut Characters) -> Result<(), ReadError> {
    let mut named = Vec::new();
    for _ in 0..characters.count()? {
        named.push(characters.string()?);
    }
    let text = variables
        .iter()
        .any(|variable| variable.width > 0 && named.contains(&variable.name));
    let mut labels = Vec::new();
    for _ in 0..characters.count()? {
        let key = if text {
            Key::Text(characters.string()?)
        } else {
            Key::Number(characters.number()?)
        };
        labels.push((key, characters.string()?));
    }
    for variable in variables
        .iter_mut()
        .filter(|variable| named.contains(&variable.name))
    {
        variable.labels.clone_from(&labels);
    }
    Ok(())
}

fn cases(
    variables: Vec<Variable>,
    characters: &mut Characters,
    budget: &mut MemoryBudget,
) -> Result<Table, ReadError> {
    let mut numbers: Vec<Vec<f64>> = variables.iter().map(|_| Vec::new()).collect();
    let mut texts: Vec<StringColumn> = variables.iter().map(|_| StringColumn::default()).collect();
    let mut coded: Vec<(usize, u32, String)> = Vec::new();
    let mut rows = 0;
    while !variables.is_empty() && characters.peek().is_some_and(|byte| byte != b'Z') {
        budget.take_cells(1, variables.len() as u64)?;
        for (index, variable) in variables.iter().enumerate() {
            if variable.width > 0 {
                let text = characters.string()?;
                let text = text.trim_end();
                let missing = variable
                    .missing
                    .iter()
                    .any(|bound| matches!(bound, Bound::Text(code) if code == text));
                texts[index].push((!missing).then_some(text), budget)?;
                continue;
            }
            let number = characters.number()?;
            let missing = variable.missing.iter().any(|bound| match bound {
                Bound::Number(code) => *code == number,
                Bound::Range(low, high) => number >= *low && number <= *high,
                Bound::Text(_) => false,
            });
            if missing {
                coded.push((index, rows as u32, number.to_string()));
            }
            numbers[index].push(if missing {
                f64::NAN
            } else {
                convert(number, variable.format)
            });
        }
        rows += 1;
    }
    let mut table = Table {
        rows,
        ..Table::default()
    };
    for ((variable, numbers), texts) in variables.into_iter().zip(numbers).zip(texts) {
        let mut column = if variable.width > 0 {
            Column::texts(variable.name, texts)
        } else {
            let whole = numbers
                .iter()
                .all(|number| number.is_nan() || number.fract() == 0.0);
            let plain = if whole {
                DataType::Integer
            } else {
                DataType::Number
            };
            Column::numbers(variable.name, meaning(variable.format).unwrap_or(plain), numbers)
        };
        column.label = variable.label;
        column.labels = variable.labels;
        column.declared_missing = variable.missing.iter().map(Bound::words).collect();
        table.columns.push(column);
    }
    for (index, row, code) in coded {
        table.columns[index].code_missing(&code, row);
    }
    Ok(table)
}

impl Bound {
    fn words(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text.clone(),
            Self::Range(low, high) if low.is_infinite() => format!("up to {high}"),
            Self::Range(low, high) if high.is_infinite() => format!("from {low}"),
            Self::Range(low, high) => format!("{low} through {high}"),
        }
    }
}

fn meaning(format: usize) -> Option<DataType> {
    match format {
        20 | 23 | 24 | 28 | 29 | 30 | 38 | 39 => Some(DataType::Date),
        22 | 41 => Some(DataType::DateTime),
        21 | 25 | 40 => Some(DataType::Time),
        _ => None,
    }
}

fn convert(number: f64, format: usize) -> f64 {
    match meaning(format) {
        Some(DataType::Date) => ((number - dates::SECONDS_1582) / dates::DAY).floor(),
        Some(DataType::DateTime) => number - dates::SECONDS_1582,
        _ => number,
    }
}

impl Characters {
    fn new(bytes: &[u8]) -> Self {
        let mut plain = Vec::with_capacity(bytes.len());
        let mut length = 0;
        for byte in bytes {
            match byte {
                b'\r' => {}
                b'\n' => {
                    plain.extend(std::iter::repeat_n(b' ', 80usize.saturating_sub(length)));
                    length = 0;
                }
                byte => {
                    plain.push(*byte);
                    length += 1;
                }
            }
        }
        Self { bytes: plain, at: 0 }
    }

    fn damaged(&self, what: &str) -> ReadError {
        ReadError::Damaged(format!("{what} at character {} of the portable file", self.at))
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn next(&mut self) -> Result<u8, ReadError> {
        let byte = self.peek().ok_or_else(|| self.damaged("it ends"))?;
        self.at += 1;
        Ok(byte)
    }

    fn string(&mut self) -> Result<String, ReadError> {
        let length = self.count()?;
        let end = self.at.saturating_add(length);
        let bytes = self
            .bytes
            .get(self.at..end)
            .ok_or_else(|| self.damaged("a string runs past the end"))?;
        let text = match std::str::from_utf8(bytes) {
            Ok(text) => text.to_owned(),
            Err(_) => WINDOWS_1252.decode_without_bom_handling(bytes).0.into_owned(),
        };
        self.at = end;
        Ok(text)
    }

    fn count(&mut self) -> Result<usize, ReadError> {
        let number = self.number()?;
        if !(0.0..1e9).contains(&number) {
            return Err(self.damaged(&format!("{number} is no count")));
        }
        Ok(number as usize)
    }

    /// A number in base 30; `*.` is the system's missing value.
    fn number(&mut self) -> Result<f64, ReadError> {
        while self.peek() == Some(b' ') {
            self.at += 1;
        }
        if self.peek() == Some(b'*') {
            self.at += 2;
            return Ok(f64::NAN);
        }
        let negative = self.peek() == Some(b'-');
        self.at += usize::from(negative);
        let (mut mantissa, mut scale, mut point) = (0.0f64, 0i32, false);
        let mut exponent = 0i32;
        loop {
            match self.next()? {
                b'/' => break,
                b'.' => point = true,
                sign @ (b'+' | b'-') => {
                    let mut power = 0i32;
                    while let Some(digit) = self.peek().and_then(digit) {
                        power = power.saturating_mul(30).saturating_add(digit);
                        self.at += 1;
                    }
                    exponent = if sign == b'-' { -power } else { power };
                }
                byte => {
                    let digit =
                        digit(byte).ok_or_else(|| self.damaged("a number holds a foreign character"))?;
                    mantissa = mantissa * 30.0 + f64::from(digit);
                    scale += i32::from(point);
                }
            }
        }
        let power = exponent.saturating_sub(scale);
        let value = if power < 0 {
            mantissa / 30f64.powi(power.saturating_neg())
        } else {
            mantissa * 30f64.powi(power)
        };
        Ok(if negative { -value } else { value })
    }
}

fn digit(byte: u8) -> Option<i32> {
    match byte {
        b'0'..=b'9' => Some(i32::from(byte - b'0')),
        b'A'..=b'T' => Some(i32::from(byte - b'A') + 10),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_in_base_thirty() {
        let number = |text: &str| {
            Characters {
                bytes: text.as_bytes().to_vec(),
                at: 0,
            }
            .number()
            .unwrap()
        };
        assert_eq!(
            (number("10/"), number("-T/"), number("0.F/"), number("1+2/")),
            (30.0, -29.0, 0.5, 900.0)
        );
        assert!(number("*.").is_nan());
    }

    #[test]
    fn an_exponent_of_any_length_is_a_number() {
        let digits = "T".repeat(12);
        for (text, expected) in [
            (format!("1.1-{digits}/"), 0.0),
            (format!("1.1+{digits}/"), f64::INFINITY),
        ] {
            let mut characters = Characters {
                bytes: text.into_bytes(),
                at: 0,
            };
            assert_eq!(characters.number().unwrap(), expected);
        }
    }
}
