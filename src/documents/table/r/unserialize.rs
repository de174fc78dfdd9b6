//! The grammar of R's serialisation.

use std::io::Read;

use encoding_rs::WINDOWS_1252;

use crate::documents::limits::ReadError;
use crate::documents::table::budget::MemoryBudget;
use crate::documents::table::r::source::Source;
use crate::documents::table::r::value::{Object, Value};
use crate::documents::table::string_column::StringColumn;

/// Deepest nesting of values.
const DEEPEST: u32 = 250;

/// Reads one value after another.
pub struct Reader<'budget, R> {
    pub(super) source: Source<R>,
    /// Symbols and environments that later items point back to.
    references: Vec<Option<String>>,
    pub(super) depth: u32,
    pub budget: &'budget mut MemoryBudget,
}

/// The word before an item.
#[derive(Debug, Clone, Copy)]
struct Flags(i32);

impl Flags {
    fn kind(self) -> i32 {
        self.0 & 0xFF
    }

    fn has_attributes(self) -> bool {
        self.0 & 0x200 != 0
    }

    fn has_tag(self) -> bool {
        self.0 & 0x400 != 0
    }

    fn levels(self) -> i32 {
        self.0 >> 12
    }
}

impl<'budget, R: Read> Reader<'budget, R> {
    /// Reads the header; the next item is the value.
    pub fn new(reader: R, budget: &'budget mut MemoryBudget) -> Result<Self, ReadError> {
        let mut source = Source::new(reader)?;
        let version = source.integer()?;
        source.integer()?;
        source.integer()?;
        match version {
            2 => {}
            3 => {
                let length = source.integer()?;
                source.string(usize::try_from(length).unwrap_or(0).min(64))?;
            }
            other => {
                return Err(ReadError::Unsupported(format!(
                    "version {other} of R's serialisation"
                )));
            }
        }
        Ok(Self {
            source,
            references: Vec::new(),
            depth: 0,
            budget,
        })
    }

    /// Reads one item.
    pub fn item(&mut self) -> Result<Object, ReadError> {
        let flags = Flags(self.source.integer()?);
        self.deeper()?;
        let object = self.flagged(flags);
        self.depth -= 1;
        object
    }

    pub(super) fn deeper(&mut self) -> Result<(), ReadError> {
        self.depth += 1;
        if self.depth > DEEPEST {
            return Err(ReadError::Unsupported(format!(
                "R values nested more than {DEEPEST} deep"
            )));
        }
        Ok(())
    }

    fn flagged(&mut self, flags: Flags) -> Result<Object, ReadError> {
        let value = match flags.kind() {
            241 | 242 | 247 | 253 => Value::Other("environment"),
            251 | 252 | 254 => Value::Null,
            255 => return self.reference(flags),
            248..=250 => {
                self.source.integer()?;
                self.texts()?;
                self.references.push(None);
                Value::Other("environment")
            }
            4 => return self.environment(),
            1 => {
                let name = self.text()?.unwrap_or_default();
                self.budget.take(32 + name.len() as u64)?;
                self.references.push(Some(name.clone()));
                Value::Symbol(name)
            }
            2 | 3 | 5 | 6 | 17 => return self.pairs(flags),
            22 => {
                self.references.push(None);
                self.item()?;
                self.item()?;
                Value::Other("externalptr")
            }
            23 => {
                self.references.push(None);
                Value::Other("weakref")
            }
            7 | 8 => {
                let length = self.source.integer()?;
                self.source.string(usize::try_from(length).unwrap_or(0))?;
                Value::Other("function")
            }
            9 => Value::Symbol(self.characters(flags)?.unwrap_or_default()),
            10 | 13 => {
                let integers = self.integers()?;
                if flags.kind() == 10 {
                    Value::Logicals(integers)
                } else {
                    Value::Integers(integers)
                }
            }
            14 => Value::Reals(self.reals(1)?),
            15 => {
                self.reals(2)?;
                Value::Other("complex")
            }
            16 => Value::StringColumn(self.texts()?),
            19 | 20 => Value::List(self.list()?),
            21 => {
                self.source.integer()?;
                self.bytecode()?;
                Value::Other("function")
            }
            24 => {
                let length = self.length()?;
                self.budget.take(length as u64)?;
                self.source.string(length)?;
                Value::Other("raw")
            }
            25 => Value::Slots,
            238 => return self.alternative(),
            other => return Err(ReadError::Damaged(format!("there is no R value type {other}"))),
        };
        let attributes = if flags.has_attributes() && flags.kind() != 9 {
            self.attributes()?
        } else {
            Vec::new()
        };
        Ok(Object { value, attributes })
    }

    pub(super) fn attributes(&mut self) -> Result<Vec<(String, Object)>, ReadError> {
        match self.item()?.value {
            Value::Pairs(pairs) => Ok(pairs),
            _ => Ok(Vec::new()),
        }
    }

    fn reference(&mut self, flags: Flags) -> Result<Object, ReadError> {
        let packed = flags.0 >> 8;
        let index = if packed == 0 {
            self.source.integer()?
        } else {
            packed
        };
        let known = usize::try_from(index)
            .ok()
            .and_then(|index| self.references.get(index.checked_sub(1)?));
        let value = match known {
            Some(Some(name)) => Value::Symbol(name.clone()),
            Some(None) => Value::Other("environment"),
            None => {
                return Err(ReadError::Damaged(format!(
                    "an R value points to value {index}, which is not there"
                )));
            }
        };
        Ok(Object {
            value,
            attributes: Vec::new(),
        })
    }

    fn environment(&mut self) -> Result<Object, ReadError> {
        self.source.integer()?;
        self.references.push(None);
        // The enclosing environment, the variables, the same hashed, and the attributes.
        self.item()?;
        let (frame, hashed) = (self.item()?, self.item()?);
        let attributes = self.attributes()?;
        let mut variables = Vec::new();
        let chains = match hashed.value {
            Value::List(chains) => chains,
            _ => Vec::new(),
        };
        for chain in std::iter::once(frame).chain(chains) {
            if let Value::Pairs(pairs) = chain.value {
                variables.extend(pairs);
            }
        }
        Ok(Object {
            value: Value::Environment(variables),
            attributes,
        })
    }

    /// A pairlist; its rest is read in a loop, as lists can be long.
    fn pairs(&mut self, first: Flags) -> Result<Object, ReadError> {
        let mut flags = first;
        let mut pairs = Vec::new();
        let mut attributes = Vec::new();
        loop {
            self.budget.take(64)?;
            let own = if flags.has_attributes() {
                self.attributes()?
            } else {
                Vec::new()
            };
            if pairs.is_empty() {
                attributes = own;
            }
            let tag = if flags.has_tag() {
                self.item()?.value
            } else {
                Value::Null
            };
            let name = match tag {
                Value::Symbol(name) => name,
                _ => String::new(),
            };
            pairs.push((name, self.item()?));
            flags = Flags(self.source.integer()?);
            if !matches!(flags.kind(), 2 | 3 | 5 | 6 | 17) {
                self.deeper()?;
                let rest = self.flagged(flags);
                self.depth -= 1;
                rest?;
                break;
            }
        }
        let value = match first.kind() {
            2 => Value::Pairs(pairs),
            3 => Value::Other("function"),
            _ => Value::Other("call"),
        };
        Ok(Object { value, attributes })
    }

    fn length(&mut self) -> Result<usize, ReadError> {
        let length = self.source.integer()?;
        if length == -1 {
            let (upper, lower) = (self.source.integer()?, self.source.integer()?);
            let whole = u64::from(upper as u32) << 32 | u64::from(lower as u32);
            return usize::try_from(whole).map_err(|_| ReadError::Damaged("a vector is too long".to_owned()));
        }
        usize::try_from(length).map_err(|_| ReadError::Damaged(format!("a vector has length {length}")))
    }

    fn integers(&mut self) -> Result<Vec<i32>, ReadError> {
        let length = self.length()?;
        self.budget.take((length as u64).saturating_mul(4))?;
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(self.source.integer()?);
        }
        Ok(values)
    }

    fn reals(&mut self, each: usize) -> Result<Vec<f64>, ReadError> {
        let length = self.length()?.saturating_mul(each);
        self.budget.take((length as u64).saturating_mul(8))?;
        let mut values = Vec::new();
        for _ in 0..length {
            values.push(self.source.real()?);
        }
        Ok(values)
    }

    fn list(&mut self) -> Result<Vec<Object>, ReadError> {
        let length = self.length()?;
        let mut values = Vec::new();
        for _ in 0..length {
            self.budget.take(64)?;
            values.push(self.item()?);
        }
        Ok(values)
    }

    fn texts(&mut self) -> Result<StringColumn, ReadError> {
        let length = self.length()?;
        let mut texts = StringColumn::default();
        for _ in 0..length {
            let text = self.text()?;
            texts.push(text.as_deref(), self.budget)?;
        }
        Ok(texts.finish())
    }

    /// A string item with its flags.
    fn text(&mut self) -> Result<Option<String>, ReadError> {
        let flags = Flags(self.source.integer()?);
        match flags.kind() {
            9 => self.characters(flags),
            254 => Ok(None),
            other => Err(ReadError::Damaged(format!(
                "a string was wanted, and type {other} is there"
            ))),
        }
    }

    fn characters(&mut self, flags: Flags) -> Result<Option<String>, ReadError> {
        let length = self.source.integer()?;
        let Ok(length) = usize::try_from(length) else {
            return Ok(None);
        };
        if length as u64 > self.budget.left() {
            self.budget.take(length as u64)?;
        }
        let bytes = self.source.string(length)?;
        let latin = flags.levels() & 4 != 0;
        Ok(Some(match String::from_utf8(bytes) {
            Ok(text) if !latin || text.is_ascii() => text,
            Ok(text) => WINDOWS_1252
                .decode_without_bom_handling(text.as_bytes())
                .0
                .into_owned(),
            Err(error) => WINDOWS_1252
                .decode_without_bom_handling(error.as_bytes())
                .0
                .into_owned(),
        }))
    }
}
