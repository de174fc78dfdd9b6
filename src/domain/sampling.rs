//! Sampling of a model's answers, where its provider lets one choose.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::stop_texts::StopTexts;

/// The reasoning effort of a model, in the words that providers share. Which of
/// them a model takes is in the table of models.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, clap::ValueEnum,
)]
#[serde(rename_all = "lowercase")]
pub enum Effort {
    /// Not at all.
    None,
    Minimal,
    Low,
    Medium,
    High,
    Xhigh,
    Max,
}

impl Effort {
    /// Every effort, from the least.
    pub const ALL: [Self; 7] = [
        Self::None,
        Self::Minimal,
        Self::Low,
        Self::Medium,
        Self::High,
        Self::Xhigh,
        Self::Max,
    ];

    /// The word that is sent.
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minimal => "minimal",
            Self::Low => "low",
            Self::Medium => "medium",
            Self::High => "high",
            Self::Xhigh => "xhigh",
            Self::Max => "max",
        }
    }
}

impl fmt::Display for Effort {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.pad(self.word())
    }
}

/// The sampling parameters of a model; those that are `None` are left to the provider.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Sampling {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub temperature: Option<f64>,
    /// The share of likely words that an answer is drawn from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub top_p: Option<f64>,
    #[serde(skip_serializing_if = "StopTexts::is_empty")]
    pub stop: StopTexts,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seed: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub effort: Option<Effort>,
}

impl Sampling {
    /// Whether everything is left to the provider.
    pub fn is_default(&self) -> bool {
        *self == Self::default()
    }

    /// This with another laid over it.
    pub fn overlaid(self, over: Self) -> Self {
        Self {
            temperature: over.temperature.or(self.temperature),
            top_p: over.top_p.or(self.top_p),
            stop: if over.stop.is_empty() {
                self.stop
            } else {
                over.stop
            },
            seed: over.seed.or(self.seed),
            effort: over.effort.or(self.effort),
        }
    }
}

impl fmt::Display for Sampling {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let parts = [
            self.effort.map(|effort| format!("effort {effort}")),
            self.temperature
                .map(|temperature| format!("temperature {temperature}")),
            self.top_p.map(|top_p| format!("top_p {top_p}")),
            (!self.stop.is_empty()).then(|| format!("stop {}", self.stop)),
            self.seed.map(|seed| format!("seed {seed}")),
        ];
        let parts: Vec<_> = parts.into_iter().flatten().collect();
        if parts.is_empty() {
            return formatter.write_str("the provider's own settings");
        }
        formatter.write_str(&parts.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_laid_over_stands_and_what_is_not_said_stays() {
        let asked = Sampling {
            temperature: Some(0.5),
            effort: Some(Effort::Low),
            ..Sampling::default()
        };
        let over = Sampling {
            effort: Some(Effort::High),
            ..Sampling::default()
        };
        assert_eq!(asked.overlaid(over).to_string(), "effort high, temperature 0.5");
        let published = Sampling {
            top_p: Some(0.5),
            stop: vec!["</content>".to_owned()].try_into().unwrap(),
            ..over
        };
        assert_eq!(
            published.overlaid(asked).to_string(),
            "effort low, temperature 0.5, top_p 0.5, stop `</content>`"
        );
        let kept = serde_json::to_string(&asked).unwrap();
        assert_eq!(kept, r#"{"temperature":0.5,"effort":"low"}"#, "as before");
        assert_eq!(asked.overlaid(Sampling::default()), asked);
        assert!(Sampling::default().is_default());
    }

    #[test]
    fn the_word_of_an_effort_is_how_it_is_kept() {
        for effort in Effort::ALL {
            let kept = serde_json::to_string(&effort).unwrap();
            assert_eq!(kept, format!("\"{}\"", effort.word()));
        }
    }
}
