//! The density of a prompt, in tokens a byte, learnt from those that a provider counted.
//!
//! A cap is kept before a call, so the guess is rather too high than too low; it
//! would stop runs early if it stayed as high as it has to be before anything
//! was counted. What is learnt is a fold over the answered calls in any order but
//! for the last of each stage, so that a resumed run guesses as the one before it.

use crate::domain::stage::Stage;
use indexmap::IndexMap;

/// A prompt's size in bytes, and the tokens that were counted for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    bytes: u64,
    tokens: u64,
}

/// Before anything was counted: a token for every two bytes. English text and
/// code have three to four bytes a token.
const UNSEEN: Seen = Seen { bytes: 2, tokens: 1 };
/// The smallest prompt, and addition to one, that says something of the rest:
/// beside less, what a provider adds of its own weighs too much.
const TELLING: u64 = 4_000;
/// What is expected beyond the densest text that was seen: one part in this many.
const MARGIN: u64 = 5;

/// The density of the counted prompts of one run.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Density {
    last: IndexMap<Stage, Seen>,
    densest: Option<Seen>,
}

impl Density {
    /// Takes in what a provider counted for a prompt; no tokens tell nothing.
    pub fn counted(&mut self, stage: Stage, bytes: u64, tokens: u64) {
        if tokens == 0 {
            return;
        }
        let seen = Seen { bytes, tokens };
        self.note(seen);
        if let Some(before) = self.last.insert(stage, seen)
            && bytes > before.bytes
            && tokens > before.tokens
        {
            self.note(Seen {
                bytes: bytes - before.bytes,
                tokens: tokens - before.tokens,
            });
        }
    }

    fn note(&mut self, seen: Seen) {
        let denser = |other: Seen| {
            u128::from(seen.tokens) * u128::from(other.bytes)
                > u128::from(other.tokens) * u128::from(seen.bytes)
        };
        if seen.bytes >= TELLING && self.densest.is_none_or(denser) {
            self.densest = Some(seen);
        }
    }

    /// The tokens of a stage's next prompt, of so many bytes: what was counted
    /// for the one before it, and those of what was added.
    pub fn prompt(&self, stage: Stage, bytes: u64) -> u64 {
        match self.last.get(&stage) {
            Some(seen) if seen.bytes <= bytes => seen.tokens.saturating_add(self.text(bytes - seen.bytes)),
            _ => self.text(bytes),
        }
    }

    /// The tokens of so many bytes of text.
    pub fn text(&self, bytes: u64) -> u64 {
        let (seen, margin) = self.densest.map_or((UNSEEN, 0), |densest| (densest, 1));
        let parts = u128::from(bytes) * u128::from(seen.tokens) * u128::from(MARGIN + margin);
        let tokens = parts.div_ceil(u128::from(seen.bytes) * u128::from(MARGIN));
        u64::try_from(tokens).unwrap_or(u64::MAX)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn what_was_counted_takes_the_place_of_two_bytes_a_token() {
        let mut density = Density::default();
        assert_eq!(density.prompt(Stage::DESIGN, 10_001), 5_001);
        density.counted(Stage::DESIGN, 10_000, 2_500);
        // Four bytes a token, and a fifth more.
        assert_eq!(density.prompt(Stage::DESIGN, 10_000), 2_500);
        assert_eq!(density.prompt(Stage::DESIGN, 14_000), 3_700);
        assert_eq!(density.prompt(Stage::EXECUTE, 20_000), 6_000);
        // After a shrinking the prompt is guessed from its size.
        assert_eq!(density.prompt(Stage::DESIGN, 8_000), 2_400);
        // A table of numbers is denser than the whole that it stands in.
        density.counted(Stage::DESIGN, 15_000, 5_000);
        assert_eq!(density.prompt(Stage::EXECUTE, 20_000), 12_000);
    }

    #[test]
    fn nothing_is_learnt_from_silence_and_little_from_little() {
        let mut density = Density::default();
        density.counted(Stage::SEARCH, 50_000, 0);
        density.counted(Stage::SEARCH, 300, 290);
        assert_eq!(density.prompt(Stage::EXECUTE, 1_000), 500);
        assert_eq!(density.prompt(Stage::SEARCH, 400), 340);
        assert_eq!(
            density.prompt(Stage::SEARCH, u64::MAX),
            u64::MAX / 2 + 1 - 150 + 290
        );
    }

    proptest! {
        #[test]
        fn a_text_no_denser_than_what_was_seen_is_never_guessed_too_low(
            prompts in prop::collection::vec((4_000_u64..400_000, 20_u64..60), 1..20),
            next in 0_u64..1_000_000,
        ) {
            let mut density = Density::default();
            for (bytes, percent) in &prompts {
                density.counted(Stage::DESIGN, *bytes, bytes * percent / 100);
            }
            let densest = prompts.iter().map(|(_, percent)| *percent).max().unwrap();
            prop_assert!(density.prompt(Stage::EXECUTE, next) >= next * densest / 100);
        }
    }
}
