//! The efforts that a model takes.

use std::fmt;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer};

use crate::domain::sampling::Effort;

/// A set of efforts. In the table it is a list, `true` for any, or `false` for none.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Efforts(u8);

impl Efforts {
    /// Whatever is asked for.
    pub const ANY: Self = Self(u8::MAX);
    /// The model takes no effort at all.
    pub const NONE: Self = Self(0);

    /// Whether the model takes this one.
    pub fn has(self, effort: Effort) -> bool {
        self.0 & bit(effort) != 0
    }

    /// Whether the model takes any.
    pub fn is_empty(self) -> bool {
        self == Self::NONE
    }
}

fn bit(effort: Effort) -> u8 {
    1 << effort as u8
}

impl FromIterator<Effort> for Efforts {
    fn from_iter<I: IntoIterator<Item = Effort>>(efforts: I) -> Self {
        Self(efforts.into_iter().fold(0, |set, effort| set | bit(effort)))
    }
}

impl fmt::Display for Efforts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let taken: Vec<_> = (Effort::ALL.into_iter())
            .filter(|effort| self.has(*effort))
            .map(Effort::word)
            .collect();
        formatter.write_str(&taken.join(", "))
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Written {
    Any(bool),
    Listed(Vec<String>),
}

impl<'de> Deserialize<'de> for Efforts {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let listed = match Written::deserialize(deserializer)? {
            Written::Any(true) => return Ok(Self::ANY),
            Written::Any(false) => return Ok(Self::NONE),
            Written::Listed(listed) => listed,
        };
        let known = |word: &String| {
            Effort::ALL
                .into_iter()
                .find(|effort| effort.word() == word)
                .ok_or_else(|| {
                    D::Error::custom(format!("`{word}` is no effort; the efforts are {}", Self::ANY))
                })
        };
        listed.iter().map(known).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_is_written_as_a_list_or_as_all_or_nothing() {
        #[derive(Deserialize)]
        struct Row {
            efforts: Efforts,
        }
        let read = |text: &str| toml::from_str::<Row>(text).map(|row| row.efforts);
        let two = read(r#"efforts = ["high", "low"]"#).unwrap();
        assert_eq!(two.to_string(), "low, high");
        assert!(two.has(Effort::Low) && !two.has(Effort::Medium));
        assert_eq!(read("efforts = true").unwrap(), Efforts::ANY);
        assert!(read("efforts = false").unwrap().is_empty());
        let error = read(r#"efforts = ["hihg"]"#).err().unwrap().to_string();
        assert!(error.contains("hihg"), "{error}");
    }
}
