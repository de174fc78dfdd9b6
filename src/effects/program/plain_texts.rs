//! Texts that hold nothing that varies, known again: with each call a program sends its whole conversation once
//! more, and looking through it costs more than all else that is done with it.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::sync::{Mutex, MutexGuard, PoisonError};

use foldhash::quality::RandomState;

/// The shortest text that is remembered, in bytes.
const LONG: usize = 1_000;
/// Most texts that are remembered.
const MOST: usize = 10_000;

/// A text by its length and two hashes, whose seeds no program can know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct TextKey {
    length: usize,
    hashes: [u64; 2],
}

/// The long texts of one program's requests that hold nothing that varies.
#[derive(Debug, Default)]
pub struct PlainTexts {
    seeds: [RandomState; 2],
    known: Mutex<HashSet<TextKey>>,
}

impl PlainTexts {
    /// What a text is known by; `None` of one that is looked through sooner than it is found.
    pub fn key(&self, text: &str) -> Option<TextKey> {
        (text.len() >= LONG).then(|| TextKey {
            length: text.len(),
            hashes: self.seeds.each_ref().map(|seed| seed.hash_one(text)),
        })
    }

    /// Whether a text was found to hold nothing that varies.
    pub fn knows(&self, key: &TextKey) -> bool {
        self.lock().contains(key)
    }

    /// Remembers that a text holds nothing that varies.
    pub fn remember(&self, key: TextKey) {
        let mut known = self.lock();
        if known.len() >= MOST {
            known.clear();
        }
        known.insert(key);
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<TextKey>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_known_again_and_none_that_differs_in_a_byte() {
        let texts = PlainTexts::default();
        let long = "a".repeat(LONG);
        let other = format!("{}b", &long[1..]);
        let key = texts.key(&long).unwrap();
        assert!(!texts.knows(&key));
        texts.remember(key);
        assert!(texts.knows(&texts.key(&long).unwrap()));
        assert!(!texts.knows(&texts.key(&other).unwrap()));
        assert_eq!(texts.key(&long[1..]), None);
    }

    #[test]
    fn a_program_that_sends_ever_other_texts_fills_no_memory() {
        let texts = PlainTexts::default();
        for number in 0..2 * MOST + 1 {
            texts.remember(texts.key(&format!("{number:0LONG$}")).unwrap());
        }
        assert!(texts.lock().len() <= MOST);
    }
}
