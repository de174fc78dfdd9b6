//! The texts at which a model's answer ends.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The most of them that every provider takes.
pub const MOST: usize = 4;
/// The most bytes of one.
pub const LONGEST: usize = 32;

/// At most [`MOST`] texts of 1 to [`LONGEST`] bytes; an answer ends before the first of them, which is no part
/// of it.
#[derive(Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "Vec<String>", into = "Vec<String>")]
pub struct StopTexts {
    /// Each filled up with zeros; one of zeros alone is none.
    texts: [[u8; LONGEST]; MOST],
}

/// Texts that cannot all end answers.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("at most {MOST} texts of 1 to {LONGEST} bytes, without NUL, end an answer: {0}")]
pub struct NoStopTexts(String);

impl StopTexts {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        self.texts.iter().filter_map(|text| {
            let length = text.iter().position(|byte| *byte == 0).unwrap_or(LONGEST);
            let text = std::str::from_utf8(&text[..length]).unwrap_or_default();
            (!text.is_empty()).then_some(text)
        })
    }
}

impl TryFrom<Vec<String>> for StopTexts {
    type Error = NoStopTexts;

    fn try_from(given: Vec<String>) -> Result<Self, NoStopTexts> {
        if given.len() > MOST {
            return Err(NoStopTexts(format!("{} are given", given.len())));
        }
        let mut texts = [[0; LONGEST]; MOST];
        for (place, text) in texts.iter_mut().zip(&given) {
            let fits = (1..=LONGEST).contains(&text.len()) && !text.contains('\0');
            let Some(beginning) = place.get_mut(..text.len()).filter(|_| fits) else {
                return Err(NoStopTexts(format!("`{text}` is none")));
            };
            beginning.copy_from_slice(text.as_bytes());
        }
        Ok(Self { texts })
    }
}

impl From<StopTexts> for Vec<String> {
    fn from(texts: StopTexts) -> Self {
        texts.iter().map(str::to_owned).collect()
    }
}

impl fmt::Display for StopTexts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let texts: Vec<String> = self.iter().map(|text| format!("`{text}`")).collect();
        formatter.write_str(&texts.join(" "))
    }
}

impl fmt::Debug for StopTexts {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_list().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_come_back_as_they_were_given() {
        let published = ["</content>", "Observation:"].map(str::to_owned).to_vec();
        let texts = StopTexts::try_from(published.clone()).unwrap();
        assert_eq!(Vec::from(texts), published);
        assert_eq!(
            serde_json::to_string(&texts).unwrap(),
            r#"["</content>","Observation:"]"#
        );
        assert_eq!(texts.to_string(), "`</content>` `Observation:`");
        let longest = vec!["é".repeat(LONGEST / 2)];
        assert_eq!(Vec::from(StopTexts::try_from(longest.clone()).unwrap()), longest);
        assert!(StopTexts::default().is_empty() && !texts.is_empty());
    }

    #[test]
    fn what_providers_do_not_take_is_refused() {
        for given in [
            vec!["a"; MOST + 1],
            vec![""],
            vec!["a\0b"],
            vec!["a stop text that is much too long to be one"],
        ] {
            let given: Vec<String> = given.into_iter().map(str::to_owned).collect();
            let refused = StopTexts::try_from(given.clone());
            assert!(refused.is_err(), "{given:?}");
        }
        assert!(serde_json::from_str::<StopTexts>(r#"[""]"#).is_err());
    }
}
