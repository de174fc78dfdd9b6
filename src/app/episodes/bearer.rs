//! Tokens of those who may ask.

/// Whether two texts are the same, in a time that does not tell how far they are.
pub fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len()
        && one
            .bytes()
            .zip(other.bytes())
            .fold(0, |sum, (a, b)| sum | (a ^ b))
            == 0
}
