//! The wording in which a claim is put to the agent that is to replicate it.

use serde::{Deserialize, Serialize};

/// The wording: an arm of a comparison, since expectations move verdicts.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimWording {
    /// As the study has it.
    #[default]
    AsGiven,
    /// Said to be open.
    Neutral,
    /// Said to be expected.
    Confirmatory,
}

impl ClaimWording {
    /// Whether nothing is added.
    pub fn is_as_given(&self) -> bool {
        *self == Self::AsGiven
    }

    /// The claim as the agent is given it.
    pub fn put(self, statement: &str) -> String {
        match self {
            Self::AsGiven => statement.to_owned(),
            Self::Neutral => {
                format!("Whether this holds is open, and either answer is of the same worth: {statement}")
            }
            Self::Confirmatory => {
                format!("This was found before and is expected to be confirmed: {statement}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_claim_itself_stays_as_it_is() {
        for wording in [
            ClaimWording::AsGiven,
            ClaimWording::Neutral,
            ClaimWording::Confirmatory,
        ] {
            assert!(wording.put("b > 0.").ends_with("b > 0."));
        }
        assert_eq!(ClaimWording::AsGiven.put("b > 0."), "b > 0.");
        assert!(ClaimWording::default().is_as_given());
    }
}
