//! Compact and wrapped vectors, which R 3.5 and later write in the place of plain ones.

use std::io::Read;

use crate::documents::limits::ReadError;
use crate::documents::table::r::unserialize::Reader;
use crate::documents::table::r::value::{Object, Value};
use crate::documents::table::string_column::StringColumn;

impl<R: Read> Reader<'_, R> {
    /// A vector by its class and what that class keeps of it.
    pub(super) fn alternative(&mut self) -> Result<Object, ReadError> {
        let class = match self.item()?.value {
            Value::Pairs(pairs) => match pairs.into_iter().next() {
                Some((
                    _,
                    Object {
                        value: Value::Symbol(name),
                        ..
                    },
                )) => name,
                _ => String::new(),
            },
            _ => String::new(),
        };
        let state = self.item()?;
        let attributes = self.attributes()?;
        let mut object = match (class.as_str(), state.value) {
            ("compact_intseq" | "compact_realseq", Value::Reals(state)) => {
                let [count, first, step] = state[..] else {
                    return Err(ReadError::Damaged(
                        "a compact sequence lacks its bounds".to_owned(),
                    ));
                };
                let count = count.clamp(0.0, 1e15) as u64;
                self.budget.take(count.saturating_mul(8))?;
                let values = (0..count).map(|index| first + step * index as f64);
                Object {
                    value: if class == "compact_intseq" {
                        Value::Integers(values.map(|value| value as i32).collect())
                    } else {
                        Value::Reals(values.collect())
                    },
                    attributes: Vec::new(),
                }
            }
            ("deferred_string", Value::Pairs(pairs)) => {
                let numbers = pairs.first().map(|(_, object)| object);
                Object {
                    value: Value::StringColumn(self.spelled(numbers)?),
                    attributes: Vec::new(),
                }
            }
            (class, Value::List(mut parts)) if class.starts_with("wrap_") && !parts.is_empty() => {
                parts.swap_remove(0)
            }
            (class, Value::Pairs(mut parts)) if class.starts_with("wrap_") && !parts.is_empty() => {
                parts.swap_remove(0).1
            }
            (class, _) => {
                return Err(ReadError::Unsupported(format!(
                    "R's compact vectors of class `{class}`"
                )));
            }
        };
        if !attributes.is_empty() {
            object.attributes = attributes;
        }
        Ok(object)
    }

    /// Numbers as the strings that R would make of them.
    fn spelled(&mut self, numbers: Option<&Object>) -> Result<StringColumn, ReadError> {
        let mut texts = StringColumn::default();
        for number in numbers.and_then(Object::numbers).unwrap_or_default() {
            let text = (!number.is_nan()).then(|| number.to_string());
            texts.push(text.as_deref(), self.budget)?;
        }
        Ok(texts.finish())
    }
}
