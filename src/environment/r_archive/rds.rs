//! Values that R has saved: as much of the format as tables of files need.
//!
//! The format is that of "R Internals", section 1.8 (serialization), in its binary big-endian form.
//! Libraries for all of it build longer than the rest of this crate's readers together.

use std::io::Read as _;

use flate2::read::MultiGzDecoder;

/// Bytes that a saved value may unpack to, and values inside one another.
const LARGEST: u64 = 512 << 20;
const DEEPEST: usize = 64;

/// A value of R.
#[derive(Debug, Clone, PartialEq)]
pub enum RValue {
    Null,
    Symbol(String),
    /// `None` is NA.
    Text(Option<String>),
    Texts(Vec<Option<String>>),
    Numbers(Vec<f64>),
    Integers(Vec<i32>),
    List(Vec<RObject>),
    /// A list of pairs, such as attributes.
    Pairs(Vec<RPair>),
}

/// A pair of a list of pairs.
#[derive(Debug, Clone, PartialEq)]
pub struct RPair {
    pub tag: String,
    pub value: RObject,
}

/// A value with its attributes.
#[derive(Debug, Clone, PartialEq)]
pub struct RObject {
    pub value: RValue,
    pub attributes: Vec<RPair>,
}

impl RObject {
    fn bare(value: RValue) -> Self {
        Self {
            value,
            attributes: Vec::new(),
        }
    }

    /// An attribute by its name.
    pub fn attribute(&self, name: &str) -> Option<&RValue> {
        let found = self.attributes.iter().find(|pair| pair.tag == name);
        found.map(|pair| &pair.value.value)
    }

    /// The texts of an attribute such as `names`.
    pub fn texts_of(&self, name: &str) -> Vec<&str> {
        match self.attribute(name) {
            Some(RValue::Texts(texts)) => texts
                .iter()
                .map(|text| text.as_deref().unwrap_or_default())
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The element of a list with a name.
    pub fn element(&self, name: &str) -> Option<&RObject> {
        let RValue::List(elements) = &self.value else {
            return None;
        };
        let at = self.texts_of("names").iter().position(|known| *known == name)?;
        elements.get(at)
    }
}

/// A file that holds no value that can be read.
#[derive(Debug, thiserror::Error)]
pub enum RdsFault {
    #[error("it cannot be unpacked: {0}")]
    Packed(std::io::Error),
    #[error("it unpacks to more than {LARGEST} bytes")]
    TooLarge,
    #[error("it is no saved value of R in its binary form")]
    NoRds,
    #[error("it ends too early")]
    Short,
    #[error("values lie too deep inside one another")]
    TooDeep,
    #[error("it holds a value of the kind {0}, which no table of files has")]
    Kind(u8),
}

/// Reads a saved value, packed by gzip or not at all.
///
/// # Errors
/// A damaged file, or one with values that no table of files has.
pub fn read(file: &[u8]) -> Result<RObject, RdsFault> {
    let mut unpacked = Vec::new();
    let bytes = if file.starts_with(&[0x1f, 0x8b]) {
        let read = MultiGzDecoder::new(file)
            .take(LARGEST + 1)
            .read_to_end(&mut unpacked);
        read.map_err(RdsFault::Packed)?;
        unpacked.as_slice()
    } else {
        file
    };
    if bytes.len() as u64 > LARGEST {
        return Err(RdsFault::TooLarge);
    }
    let mut reader = RdsReader {
        rest: bytes,
        references: Vec::new(),
    };
    if reader.bytes(2)? != b"X\n" {
        return Err(RdsFault::NoRds);
    }
    let version = reader.integer()?;
    reader.bytes(8)?;
    match version {
        2 => {}
        3 => {
            let length = reader.length()?;
            reader.bytes(length)?;
        }
        _ => return Err(RdsFault::NoRds),
    }
    reader.object(0)
}

struct RdsReader<'a> {
    rest: &'a [u8],
    /// Symbols, to which later places refer.
    references: Vec<String>,
}

/// Bits of a value's head.
const HAS_ATTRIBUTES: i32 = 1 << 9;
const HAS_TAG: i32 = 1 << 10;

impl<'a> RdsReader<'a> {
    fn bytes(&mut self, length: usize) -> Result<&'a [u8], RdsFault> {
        let (bytes, rest) = self.rest.split_at_checked(length).ok_or(RdsFault::Short)?;
        self.rest = rest;
        Ok(bytes)
    }

    fn integer(&mut self) -> Result<i32, RdsFault> {
        let bytes = self.bytes(4)?.try_into().map_err(|_| RdsFault::Short)?;
        Ok(i32::from_be_bytes(bytes))
    }

    /// A number of elements, each of which takes a byte at least.
    fn length(&mut self) -> Result<usize, RdsFault> {
        let length = usize::try_from(self.integer()?).map_err(|_| RdsFault::Short)?;
        match length <= self.rest.len() {
            true => Ok(length),
            false => Err(RdsFault::Short),
        }
    }

    fn numbers(&mut self) -> Result<Vec<f64>, RdsFault> {
        let length = self.length()?;
        let bytes = self.bytes(length.checked_mul(8).ok_or(RdsFault::Short)?)?;
        let number = |eight: &[u8]| eight.try_into().map_or(f64::NAN, f64::from_be_bytes);
        Ok(bytes.chunks_exact(8).map(number).collect())
    }

    fn integers(&mut self) -> Result<Vec<i32>, RdsFault> {
        let length = self.length()?;
        let bytes = self.bytes(length.checked_mul(4).ok_or(RdsFault::Short)?)?;
        let number = |four: &[u8]| four.try_into().map_or(i32::MIN, i32::from_be_bytes);
        Ok(bytes.chunks_exact(4).map(number).collect())
    }

    fn object(&mut self, depth: usize) -> Result<RObject, RdsFault> {
        if depth > DEEPEST {
            return Err(RdsFault::TooDeep);
        }
        let head = self.integer()?;
        let kind = u8::try_from(head & 0xff).unwrap_or_default();
        let value = match kind {
            // NULL, and environments that stand for themselves.
            254 | 251 | 253 | 242 | 241 => return Ok(RObject::bare(RValue::Null)),
            1 => {
                let name = self.text(depth)?.unwrap_or_default();
                self.references.push(name.clone());
                return Ok(RObject::bare(RValue::Symbol(name)));
            }
            255 => {
                let at = usize::try_from(head >> 8).unwrap_or_default();
                let at = match at {
                    0 => usize::try_from(self.integer()?).map_err(|_| RdsFault::Short)?,
                    at => at,
                };
                let name = at.checked_sub(1).and_then(|at| self.references.get(at));
                return Ok(RObject::bare(RValue::Symbol(name.cloned().unwrap_or_default())));
            }
            2 => {
                return self
                    .pairs(head, depth)
                    .map(|pairs| RObject::bare(RValue::Pairs(pairs)));
            }
            9 => return Ok(RObject::bare(RValue::Text(self.characters()?))),
            10 | 13 => RValue::Integers(self.integers()?),
            14 => RValue::Numbers(self.numbers()?),
            16 => {
                let length = self.length()?;
                let texts = (0..length).map(|_| self.text(depth));
                RValue::Texts(texts.collect::<Result<_, _>>()?)
            }
            19 | 20 => {
                let length = self.length()?;
                let mut elements = Vec::new();
                for _ in 0..length {
                    elements.push(self.object(depth + 1)?);
                }
                RValue::List(elements)
            }
            238 => return self.alternative(depth),
            kind => return Err(RdsFault::Kind(kind)),
        };
        let attributes = match head & HAS_ATTRIBUTES {
            0 => Vec::new(),
            _ => self.attributes(depth)?,
        };
        Ok(RObject { value, attributes })
    }

    fn attributes(&mut self, depth: usize) -> Result<Vec<RPair>, RdsFault> {
        match self.object(depth + 1)?.value {
            RValue::Pairs(pairs) => Ok(pairs),
            _ => Ok(Vec::new()),
        }
    }

    /// A list of pairs, each behind the other, whose first head has been read.
    fn pairs(&mut self, head: i32, depth: usize) -> Result<Vec<RPair>, RdsFault> {
        let mut pairs = Vec::new();
        let mut head = head;
        loop {
            if head & HAS_ATTRIBUTES != 0 {
                self.object(depth + 1)?;
            }
            let tag = match head & HAS_TAG {
                0 => String::new(),
                _ => match self.object(depth + 1)?.value {
                    RValue::Symbol(name) => name,
                    _ => String::new(),
                },
            };
            let value = self.object(depth + 1)?;
            pairs.push(RPair { tag, value });
            head = self.integer()?;
            match head & 0xff {
                2 => {}
                254 => return Ok(pairs),
                _ => return Err(RdsFault::NoRds),
            }
        }
    }

    /// Values that R keeps in another form: sequences, and ones that wrap another.
    fn alternative(&mut self, depth: usize) -> Result<RObject, RdsFault> {
        let class = match self.object(depth + 1)?.value {
            RValue::Pairs(pairs) => pairs.into_iter().next().map(|pair| pair.value.value),
            _ => None,
        };
        let state = self.object(depth + 1)?;
        let attributes = self.attributes(depth)?;
        let Some(RValue::Symbol(class)) = class else {
            return Err(RdsFault::Kind(238));
        };
        let value = match (class.as_str(), state.value) {
            ("compact_intseq" | "compact_realseq", RValue::Numbers(three)) => sequence(&three)?,
            (class, RValue::List(parts)) if class.starts_with("wrap_") => {
                parts.into_iter().next().map_or(RValue::Null, |part| part.value)
            }
            (class, RValue::Pairs(pairs)) if class.starts_with("wrap_") => pairs
                .into_iter()
                .next()
                .map_or(RValue::Null, |pair| pair.value.value),
            _ => return Err(RdsFault::Kind(238)),
        };
        Ok(RObject { value, attributes })
    }

    /// A text of its own head.
    fn text(&mut self, depth: usize) -> Result<Option<String>, RdsFault> {
        match self.object(depth + 1)?.value {
            RValue::Text(text) => Ok(text),
            _ => Err(RdsFault::NoRds),
        }
    }

    fn characters(&mut self) -> Result<Option<String>, RdsFault> {
        let length = self.integer()?;
        if length == -1 {
            return Ok(None);
        }
        let length = usize::try_from(length).map_err(|_| RdsFault::Short)?;
        Ok(Some(String::from_utf8_lossy(self.bytes(length)?).into_owned()))
    }
}

/// A sequence by its length, first value and step.
fn sequence(three: &[f64]) -> Result<RValue, RdsFault> {
    let [length, first, step] = three else {
        return Err(RdsFault::NoRds);
    };
    if !(0.0..=10_000_000.0).contains(length) {
        return Err(RdsFault::TooLarge);
    }
    let mut numbers = Vec::new();
    let mut at = 0.0;
    while at < *length {
        numbers.push(first + at * step);
        at += 1.0;
    }
    Ok(RValue::Numbers(numbers))
}
