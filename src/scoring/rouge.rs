//! ROUGE-L: how much of one text's word order is found in another.
//!
//! It measures lexical overlap and judges nothing: a wrong sentence in the
//! reference's words scores high, a right one in other words scores low.
//!
//! A token is a maximal run of letters and digits after NFKC and lower-casing;
//! signs, decimal points and punctuation separate. On ASCII text this is the
//! tokenisation of Google's `rouge_score` without stemming, so `-0.41` and
//! `0.41` are the same two tokens.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};
use unicode_normalization::UnicodeNormalization as _;

/// Most tokens of one text that are compared; the rest is left out.
pub const MAX_TOKENS: usize = 20_000;

/// Overlap of a candidate text with a reference, each number between 0 and 1.
///
/// Source: Lin (2004), section 3: longest common subsequence over the
/// candidate's length (precision) and the reference's (recall), with F1.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct RougeL {
    pub precision: f64,
    pub recall: f64,
    pub f1: f64,
}

/// The tokens of a text, at most [`MAX_TOKENS`].
pub fn tokens(text: &str) -> Vec<String> {
    let folded: String = text.nfkc().flat_map(char::to_lowercase).collect();
    folded
        .split(|character: char| !character.is_alphanumeric())
        .filter(|token| !token.is_empty())
        .take(MAX_TOKENS)
        .map(str::to_owned)
        .collect()
}

/// ROUGE-L of `candidate` against `reference`; all zero when either has no token.
pub fn rouge_l(candidate: &str, reference: &str) -> RougeL {
    score_tokens(&tokens(candidate), &tokens(reference))
}

/// ROUGE-L of token lists.
pub fn score_tokens(candidate: &[String], reference: &[String]) -> RougeL {
    let common = longest_common_subsequence(candidate, reference);
    if common == 0 {
        return RougeL::default();
    }
    let precision = common as f64 / candidate.len() as f64;
    let recall = common as f64 / reference.len() as f64;
    RougeL {
        precision,
        recall,
        f1: 2.0 * precision * recall / (precision + recall),
    }
}

/// Length of the longest common subsequence.
///
/// Bit-parallel (Hyyrö 2004): time `|a| |b| / 64`, memory linear, so that two
/// texts at the cap still compare in well under a second.
fn longest_common_subsequence(a: &[String], b: &[String]) -> usize {
    let mut positions: HashMap<&str, Vec<usize>> = HashMap::new();
    for (position, token) in a.iter().enumerate() {
        positions.entry(token).or_default().push(position);
    }
    let mut row = vec![u64::MAX; a.len().div_ceil(64)];
    let mut matches = vec![0_u64; row.len()];
    for token in b {
        let Some(found) = positions.get(token.as_str()) else {
            continue;
        };
        for position in found {
            matches[position / 64] |= 1 << (position % 64);
        }
        let mut carry = false;
        for (word, mask) in row.iter_mut().zip(&matches) {
            let hit = *word & mask;
            let (sum, first) = word.overflowing_add(hit);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            carry = first || second;
            *word = sum | (*word & !mask);
        }
        for position in found {
            matches[position / 64] = 0;
        }
    }
    (0..a.len())
        .filter(|position| row[position / 64] & (1 << (position % 64)) == 0)
        .count()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn naive(a: &[String], b: &[String]) -> usize {
        let mut table = vec![vec![0_usize; b.len() + 1]; a.len() + 1];
        for (i, left) in a.iter().enumerate() {
            for (j, right) in b.iter().enumerate() {
                table[i + 1][j + 1] = if left == right {
                    table[i][j] + 1
                } else {
                    table[i][j + 1].max(table[i + 1][j])
                };
            }
        }
        table[a.len()][b.len()]
    }

    #[test]
    fn lins_example() {
        // Lin (2004), section 3.1: S1 against S2 and S3 has F 3/4 and 2/4.
        let close = rouge_l("police kill the gunman", "police killed the gunman");
        let other = rouge_l("the gunman kill police", "police killed the gunman");
        assert_eq!(close.f1, 0.75);
        assert_eq!(other.f1, 0.5);
    }

    #[test]
    fn tokens_fold_case_and_width_and_drop_signs() {
        assert_eq!(
            tokens("β = −0.41, N＝3,037; p<.001"),
            ["β", "0", "41", "n", "3", "037", "p", "001"]
        );
        assert_eq!(rouge_l("...", "a").f1, 0.0);
        assert_eq!(rouge_l("a b", "a b c d").recall, 0.5);
    }

    #[test]
    fn texts_at_the_cap_finish() {
        let long = "a b c d ".repeat(6_000);
        let score = rouge_l(&long, &long);
        assert_eq!(score.f1, 1.0);
        assert_eq!(tokens(&long).len(), MAX_TOKENS);
    }

    proptest! {
        #[test]
        fn bits_agree_with_the_table(a in "[ab c]{0,200}", b in "[abc ]{0,200}") {
            let (a, b) = (tokens(&a), tokens(&b));
            prop_assert_eq!(longest_common_subsequence(&a, &b), naive(&a, &b));
        }

        #[test]
        fn single_letters_cross_word_borders(a in "([ab] ){0,150}", b in "([ab] ){0,150}") {
            let (a, b) = (tokens(&a), tokens(&b));
            prop_assert_eq!(longest_common_subsequence(&a, &b), naive(&a, &b));
        }
    }
}
