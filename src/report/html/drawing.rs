//! What the plots share.

/// Characters of a name that are drawn.
const LONGEST_NAME: usize = 30;

/// A length of the view box, to a tenth of its unit.
pub fn tenth(value: f64) -> f64 {
    (value * 10.0).round() / 10.0
}

/// A name that fits beside a row.
pub fn shortened(name: &str) -> String {
    if name.chars().count() <= LONGEST_NAME {
        return name.to_owned();
    }
    name.chars().take(LONGEST_NAME - 1).chain(['…']).collect()
}
