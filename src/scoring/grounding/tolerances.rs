//! Tolerances of lookups in a paper.

/// The bounds within which a number or a quotation counts as found.
///
/// `tests/documents/grounding.rs` holds the values to what human references of one half of
/// the shared studies ask for, and measures them on the other half.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerances {
    /// The highest chance at which a number is found by its digits alone.
    pub chance: f64,
    /// Topic words that a number and its line have to share.
    pub shared: usize,
    /// The share of a quotation's words that an altered one keeps.
    pub kept: f64,
}

impl Default for Tolerances {
    fn default() -> Self {
        Self {
            chance: 0.03,
            shared: 2,
            kept: 0.8,
        }
    }
}
