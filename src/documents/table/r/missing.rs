//! Missing values that a column of the haven package declares or tags, as SPSS, Stata and SAS do.

use std::collections::BTreeMap;

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::column::{Column, MissingCode, Values};
use crate::documents::table::r::value::{Object, Value};
use crate::documents::table::sav::read::range_words;
use crate::documents::table::string_column::StringColumn;

/// The low word of R's `NA`.
const NA: u64 = 1954;

/// The letter of a tagged `NA` (haven, `tagged_na`).
pub fn tag(number: f64) -> Option<char> {
    let bits = number.to_bits();
    let letter = char::from((bits >> 32) as u8);
    (number.is_nan() && bits & 0xFFFF_FFFF == NA && letter.is_ascii_alphabetic()).then_some(letter)
}

/// Missing codes that `na_values` and `na_range` of a `labelled_spss` declare.
#[derive(Debug, Default)]
pub struct DeclaredMissing {
    numbers: Vec<f64>,
    texts: Vec<String>,
    range: Option<(f64, f64)>,
}

impl DeclaredMissing {
    /// Reads the attributes of a vector.
    pub fn from_object(object: &Object) -> Self {
        let numbers = |name| {
            object
                .attribute(name)
                .and_then(Object::numbers)
                .unwrap_or_default()
        };
        let texts = match object.attribute("na_values").map(|values| &values.value) {
            Some(Value::StringColumn(texts)) => texts.iter().flatten().map(ToOwned::to_owned).collect(),
            _ => Vec::new(),
        };
        let range = match numbers("na_range")[..] {
            [low, high] => Some((low, high)),
            _ => None,
        };
        Self {
            numbers: if texts.is_empty() {
                numbers("na_values")
            } else {
                Vec::new()
            },
            texts,
            range,
        }
    }

    fn is_missing(&self, number: f64) -> bool {
        self.numbers.contains(&number)
            || self
                .range
                .is_some_and(|(low, high)| (low..=high).contains(&number))
    }

    /// Makes the declared values of a column missing, under their codes.
    ///
    /// # Errors
    /// More text than the limit of memory holds.
    pub fn apply(&self, column: &mut Column, budget: &mut MemoryBudget) -> Result<(), ReadError> {
        let mut coded: BTreeMap<String, Vec<u32>> = BTreeMap::new();
        match &mut column.values {
            Values::Numbers(numbers) => {
                for (row, number) in numbers.iter_mut().enumerate() {
                    let code = match tag(*number) {
                        Some(tag) => format!(".{tag}"),
                        None if self.is_missing(*number) => number.to_string(),
                        None => continue,
                    };
                    *number = f64::NAN;
                    coded.entry(code).or_default().push(row as u32);
                }
            }
            Values::Strings(texts) if !self.texts.is_empty() => {
                let mut kept = StringColumn::default();
                for (row, text) in texts.iter().enumerate() {
                    let code = text.filter(|text| self.texts.iter().any(|missing| missing == text));
                    kept.push(text.filter(|_| code.is_none()), budget)?;
                    if let Some(code) = code {
                        coded.entry(code.to_owned()).or_default().push(row as u32);
                    }
                }
                *texts = kept;
            }
            Values::Strings(_) => {}
        }
        column.declared_missing = self
            .range
            .map(|(low, high)| range_words(low, high))
            .into_iter()
            .chain(self.numbers.iter().map(f64::to_string))
            .chain(self.texts.iter().cloned())
            .collect();
        column.coded = coded
            .into_iter()
            .map(|(code, rows)| MissingCode { code, rows })
            .collect();
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::documents::limits::Limits;
    use crate::documents::table::column::DataType;

    fn tagged(letter: u8) -> f64 {
        f64::from_bits(0x7FF0_0000_0000_0000 | u64::from(letter) << 32 | NA)
    }

    #[test]
    fn tags_are_letters_and_other_missing_values_have_none() {
        assert_eq!([tagged(b'a'), tagged(b'z')].map(tag), [Some('a'), Some('z')]);
        assert_eq!([f64::NAN, 1.0, tagged(0)].map(tag), [None; 3]);
    }

    #[test]
    fn declared_values_are_missing_under_their_codes() {
        let mut budget = MemoryBudget::new(&Limits::default());
        let mut column = Column::numbers(
            "x",
            DataType::Number,
            vec![1.0, 9.0, 97.5, tagged(b'b'), f64::NAN, 8.0],
        );
        let declared = DeclaredMissing {
            numbers: vec![9.0],
            texts: Vec::new(),
            range: Some((97.0, f64::INFINITY)),
        };
        declared.apply(&mut column, &mut budget).unwrap();
        assert_eq!(column.values.missing(), 4);
        assert_eq!(column.mean(), Some(4.5));
        let codes: Vec<(&str, &[u32])> = column
            .coded
            .iter()
            .map(|one| (one.code.as_str(), &one.rows[..]))
            .collect();
        assert_eq!(codes, [(".b", &[3][..]), ("9", &[1]), ("97.5", &[2])]);
        assert_eq!(column.declared_missing, ["from 97", "9"]);
        let mut texts = StringColumn::default();
        for text in ["yes", "refused", "no"] {
            texts.push(Some(text), &mut budget).unwrap();
        }
        let mut column = Column::texts("t", texts);
        let declared = DeclaredMissing {
            texts: vec!["refused".to_owned()],
            ..DeclaredMissing::default()
        };
        declared.apply(&mut column, &mut budget).unwrap();
        assert_eq!(
            (column.values.missing(), column.coded[0].rows.as_slice()),
            (1, &[1][..])
        );
    }
}
