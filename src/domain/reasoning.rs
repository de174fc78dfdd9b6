//! Reasoning of a model, which its provider wants back as it was.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The format of a thought, by the interface that understands it; no other is sent it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ReasoningFormat {
    /// Blocks of Anthropic's Messages: `thinking` with its signature, `redacted_thinking`.
    Messages,
    /// Items of OpenAI's Responses: `reasoning` with its encrypted content.
    Responses,
    /// `extra_content` of Gemini, which carries the signature of a thought.
    Gemini,
    /// `reasoning_details` of OpenRouter.
    OpenRouter,
}

/// One thought: signed or encrypted, so that it is of use only unchanged.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Thought {
    /// How many parts of the answer stand before it. The parts are its text, where
    /// there is any, and then its calls.
    pub behind: usize,
    /// As the provider wrote it.
    pub item: Value,
}

/// The thoughts of one answer. They are no part of what was said: no recording
/// holds them, and no digest of a request covers them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reasoning {
    pub dialect: ReasoningFormat,
    pub items: Vec<Thought>,
}

/// Most thoughts kept of one answer, and most bytes of them as JSON text.
const MOST: usize = 1024;
const MOST_BYTES: usize = 8 << 20;

/// A piece of an answer, in the order in which its provider wrote them.
#[derive(Debug, Clone, Copy)]
pub enum Piece<'a> {
    Text,
    Call,
    Thought(&'a Value),
}

impl Reasoning {
    /// The thoughts among the pieces of an answer. Its text is one part, wherever
    /// its pieces stand, and comes first; `has_text` says whether there is any.
    pub fn among<'a>(
        dialect: ReasoningFormat,
        has_text: bool,
        pieces: impl IntoIterator<Item = Piece<'a>>,
    ) -> Option<Self> {
        let (mut said, mut calls) = (false, 0);
        let mut items = Vec::new();
        for piece in pieces {
            match piece {
                Piece::Text => said = true,
                Piece::Call => calls += 1,
                Piece::Thought(item) => {
                    let behind_text = has_text && (said || calls > 0);
                    items.push(Thought {
                        behind: calls + usize::from(behind_text),
                        item: item.clone(),
                    });
                }
            }
        }
        Self::new(dialect, items)
    }

    /// The thoughts of an answer; `None` where there are none, or more than are kept.
    pub fn new(dialect: ReasoningFormat, items: Vec<Thought>) -> Option<Self> {
        let thoughts = Self { dialect, items };
        let kept = (1..=MOST).contains(&thoughts.items.len()) && thoughts.bytes() <= MOST_BYTES;
        kept.then_some(thoughts)
    }

    /// Their size as JSON text.
    pub fn bytes(&self) -> usize {
        self.items.iter().map(|one| one.item.to_string().len()).sum()
    }

    /// Those that stand right before a part, where `dialect` is theirs.
    pub fn before(&self, dialect: ReasoningFormat, part: usize) -> impl Iterator<Item = &Value> {
        let theirs = self.dialect == dialect;
        self.items
            .iter()
            .filter(move |one| theirs && one.behind == part)
            .map(|one| &one.item)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use crate::domain::reasoning::*;

    #[test]
    fn the_place_of_a_thought_is_counted_in_parts() {
        let (a, b, c) = (json!("a"), json!("b"), json!("c"));
        let pieces = [
            Piece::Thought(&a),
            Piece::Text,
            Piece::Thought(&b),
            Piece::Call,
            Piece::Thought(&c),
            Piece::Call,
        ];
        let places = |has_text| {
            let thoughts = Reasoning::among(ReasoningFormat::Messages, has_text, pieces).unwrap();
            thoughts.items.iter().map(|one| one.behind).collect::<Vec<_>>()
        };
        assert_eq!(places(true), [0, 1, 2]);
        assert_eq!(places(false), [0, 0, 1], "an empty text is no part");
    }

    #[test]
    fn a_thought_is_given_to_its_own_dialect_at_its_place() {
        let one = |behind, name: &str| Thought {
            behind,
            item: json!({ "t": name }),
        };
        let items = vec![one(0, "a"), one(1, "b"), one(1, "c")];
        let thoughts = Reasoning::new(ReasoningFormat::Messages, items).unwrap();
        let at = |dialect, part| thoughts.before(dialect, part).cloned().collect::<Vec<_>>();
        assert_eq!(
            at(ReasoningFormat::Messages, 1),
            [json!({"t": "b"}), json!({"t": "c"})]
        );
        assert!(at(ReasoningFormat::Messages, 2).is_empty());
        assert!(at(ReasoningFormat::Responses, 0).is_empty());
        assert_eq!(thoughts.bytes(), 27);
        assert_eq!(Reasoning::new(ReasoningFormat::Gemini, Vec::new()), None);
        assert_eq!(
            Reasoning::new(ReasoningFormat::Gemini, vec![one(0, ""); MOST + 1]),
            None
        );
    }
}
