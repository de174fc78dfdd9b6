//! One mark, and what several of the same field come to.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// A mark; written as a number, `"NA"` or `"unscored"`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    Score(u8),
    /// A half above the number: between the middle two of an even number of marks.
    Half(u8),
    /// There is nothing in the reference to hold the field against.
    NotApplicable,
    /// No mark could be had; the reason stands beside it.
    Unscored,
}

impl Mark {
    /// The number, where it is one.
    pub fn score(self) -> Option<f64> {
        match self {
            Self::Score(score) => Some(f64::from(score)),
            Self::Half(below) => Some(f64::from(below) + 0.5),
            Self::NotApplicable | Self::Unscored => None,
        }
    }

    /// The number, where it is one of the scale's own marks.
    pub fn whole(self) -> Option<u8> {
        match self {
            Self::Score(score) => Some(score),
            Self::Half(_) | Self::NotApplicable | Self::Unscored => None,
        }
    }

    /// Half of a sum of two marks.
    fn halved(sum: u16) -> Self {
        let below = u8::try_from(sum / 2).unwrap_or(u8::MAX);
        match sum % 2 {
            0 => Self::Score(below),
            _ => Self::Half(below),
        }
    }
}

impl Serialize for Mark {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Score(score) => serializer.serialize_u8(*score),
            Self::Half(below) => serializer.serialize_f64(f64::from(*below) + 0.5),
            Self::NotApplicable => serializer.serialize_str("NA"),
            Self::Unscored => serializer.serialize_str("unscored"),
        }
    }
}

impl<'de> Deserialize<'de> for Mark {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Written {
            Score(u8),
            Between(f64),
            Word(String),
        }
        match Written::deserialize(deserializer)? {
            Written::Score(score) => Ok(Self::Score(score)),
            Written::Between(number) if (0.0..=127.0).contains(&number) && (2.0 * number).fract() == 0.0 => {
                Ok(Self::halved((2.0 * number) as u16))
            }
            Written::Between(number) => Err(D::Error::custom(format!(
                "{number} is neither a mark nor half-way between two"
            ))),
            Written::Word(word) if word == "NA" => Ok(Self::NotApplicable),
            Written::Word(_) => Ok(Self::Unscored),
        }
    }
}

/// One marking of one field.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    pub mark: Mark,
    /// The passage that decided, as the judge quotes it.
    #[serde(default)]
    pub evidence: String,
    /// Why this mark, or why none.
    pub explanation: String,
}

impl Given {
    /// A mark that could not be had, and why.
    pub fn unscored(why: impl Into<String>) -> Self {
        Self {
            mark: Mark::Unscored,
            evidence: String::new(),
            explanation: why.into(),
        }
    }
}

/// The median of several marks: not applicable where most say so, unscored only
/// where all are. Of an even number of scores it is the mean of the middle two.
pub fn median(marks: &[Mark]) -> Mark {
    let mut scores: Vec<u8> = marks.iter().filter_map(|mark| mark.whole()).collect();
    let not_applicable = marks.iter().filter(|mark| **mark == Mark::NotApplicable).count();
    if scores.is_empty() && not_applicable == 0 {
        return Mark::Unscored;
    }
    if not_applicable > scores.len() {
        return Mark::NotApplicable;
    }
    scores.sort_unstable();
    let (below, above) = (
        scores.get(scores.len().saturating_sub(1) / 2),
        scores.get(scores.len() / 2),
    );
    match (below, above) {
        (Some(below), Some(above)) => Mark::halved(u16::from(*below) + u16::from(*above)),
        _ => Mark::NotApplicable,
    }
}

/// Highest minus lowest of the scores; `None` of fewer than two.
pub fn spread(marks: &[Mark]) -> Option<u8> {
    let scores = marks.iter().filter_map(|mark| mark.whole());
    let (low, high) = (scores.clone().min()?, scores.clone().max()?);
    (scores.count() > 1).then_some(high - low)
}

/// True if markings of the same field differ; `None` of fewer than two.
pub fn flipped(marks: &[Mark]) -> Option<bool> {
    let decided: Vec<&Mark> = marks.iter().filter(|mark| **mark != Mark::Unscored).collect();
    let first = decided.first()?;
    (decided.len() > 1).then(|| decided.iter().any(|mark| mark != first))
}

#[cfg(test)]
mod tests {
    use crate::grading::judge::mark::*;

    #[test]
    fn a_fault_is_never_a_zero() {
        use Mark::{Half as H, NotApplicable as NA, Score as S, Unscored as U};
        assert_eq!(median(&[U, U]), U);
        assert_eq!(median(&[U, S(3), U]), S(3));
        assert_eq!(median(&[S(0), S(3), S(2)]), S(2));
        assert_eq!(median(&[S(1), S(2)]), H(1));
        assert_eq!((median(&[S(3), S(0)]), median(&[S(0), U, S(3)])), (H(1), H(1)));
        assert_eq!((median(&[S(3), S(1)]), median(&[S(0), S(1)])), (S(2), H(0)));
        assert_eq!(median(&[S(3), S(0), S(2), S(3)]), H(2));
        assert_eq!((H(1).score(), H(1).whole()), (Some(1.5), None));
        assert_eq!(median(&[NA, NA, S(3)]), NA);
        assert_eq!(median(&[NA, S(3)]), S(3));
        assert_eq!(median(&[]), U);
        assert_eq!((spread(&[S(0), U, S(3)]), spread(&[S(1), U])), (Some(3), None));
        assert_eq!(
            (flipped(&[S(1), S(1)]), flipped(&[S(1), NA]), flipped(&[S(1), U])),
            (Some(false), Some(true), None)
        );
    }

    #[test]
    fn marks_are_written_as_words_and_numbers() {
        let all = [Mark::Score(3), Mark::Half(1), Mark::NotApplicable, Mark::Unscored];
        let text = serde_json::to_string(&all).unwrap();
        assert_eq!(text, r#"[3,1.5,"NA","unscored"]"#);
        assert_eq!(serde_json::from_str::<[Mark; 4]>(&text).unwrap(), all);
        assert!(serde_json::from_str::<Mark>("1.2").is_err() && serde_json::from_str::<Mark>("-1").is_err());
    }
}
