//! Blocks of a conversation, and their labels in a review.

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize, Serializer};

use crate::domain::lazy_regex::LazyRegex;

/// Labels between brackets, such as `[T0B12]`, `[T0B1, T0B4]` and `[T0B1-B4]`.
static LABELS: LazyRegex =
    LazyRegex::new(r"\[\s*(T\d{1,6}B\d{1,6}(?:\s*[,;–-]\s*(?:T\d{1,6})?B\d{1,6})*)\s*\]");
/// One of them.
static LABEL: LazyRegex = LazyRegex::new(r"(?:T(\d{1,6}))?B(\d{1,6})");

/// A block by its part of the conversation and its place in it, both from 0.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct BlockId {
    pub part: u32,
    pub block: u32,
}

impl fmt::Display for BlockId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "T{}B{}", self.part, self.block)
    }
}

impl Serialize for BlockId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for BlockId {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let cited = cited(&format!("[{text}]"));
        match cited.first() {
            Some(block) if cited.len() == 1 => Ok(*block),
            _ => Err(serde::de::Error::custom(format!(
                "`{text}` is no label of a block"
            ))),
        }
    }
}

/// The blocks that a text cites, each once. A range names its two ends.
pub fn cited(text: &str) -> BTreeSet<BlockId> {
    let mut blocks = BTreeSet::new();
    for labels in LABELS.captures_iter(text).filter_map(|found| found.get(1)) {
        let mut part = 0;
        for label in LABEL.captures_iter(labels.as_str()) {
            let number = |at: usize| label.get(at).and_then(|found| found.as_str().parse::<u32>().ok());
            part = number(1).unwrap_or(part);
            blocks.extend(number(2).map(|block| BlockId { part, block }));
        }
    }
    blocks
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_read_alone_in_lists_and_in_ranges() {
        let of = |text: &str| cited(text).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(of("It ran [T0B12]."), ["T0B12"]);
        assert_eq!(
            of("[T0B3, T1B0] and [T0B3-B7; B9]"),
            ["T0B3", "T0B7", "T0B9", "T1B0"]
        );
        assert!(of("T0B12 without brackets, [B1], [T1], [T0B99999999]").is_empty());
        let block = BlockId { part: 2, block: 5 };
        let text = serde_json::to_string(&block).unwrap();
        assert_eq!(
            (text.as_str(), serde_json::from_str::<BlockId>(&text).unwrap()),
            ("\"T2B5\"", block)
        );
        assert!(serde_json::from_str::<BlockId>("\"T2\"").is_err());
    }
}
