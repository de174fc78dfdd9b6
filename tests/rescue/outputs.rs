//! Comparison of what scripts printed.

/// True if two outputs say the same, numbers by their values.
pub fn same(one: &str, other: &str) -> bool {
    let words = |text: &str| -> Vec<String> {
        text.split(|letter: char| letter.is_whitespace() || "[](),".contains(letter))
            .filter(|word| !word.is_empty())
            .map(str::to_owned)
            .collect()
    };
    let (one, other) = (words(one), words(other));
    one.len() == other.len()
        && one.iter().zip(&other).all(|(one, other)| {
            one == other
                || matches!((one.parse::<f64>(), other.parse::<f64>()), (Ok(one), Ok(other)) if (one - other).abs() < 1e-9)
        })
}
