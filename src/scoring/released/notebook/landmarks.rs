//! The published search for landmarks.

use super::pattern::{GaveUp, PythonPattern};

/// A landmark whose search was given up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("landmark {place}: {gave_up}")]
pub struct LandmarkGaveUp {
    /// Counted from 1.
    pub place: usize,
    pub gave_up: GaveUp,
}

/// The share of patterns that some observation, by itself and with its line feeds as blanks, holds;
/// `None` of no pattern.
///
/// # Errors
/// A pattern whose search was given up.
pub fn landmarks<'a>(
    patterns: &[PythonPattern],
    observations: impl Iterator<Item = &'a str>,
) -> Result<Option<f64>, LandmarkGaveUp> {
    if patterns.is_empty() {
        return Ok(None);
    }
    let flat: Vec<String> = observations.map(flattened).collect();
    let mut hits = 0_usize;
    for (place, pattern) in patterns.iter().enumerate() {
        for observation in &flat {
            if pattern.is_found(observation).map_err(|gave_up| LandmarkGaveUp {
                place: place + 1,
                gave_up,
            })? {
                hits += 1;
                break;
            }
        }
    }
    Ok(Some(hits as f64 / patterns.len() as f64))
}

/// An observation as patterns see it.
pub fn flattened(observation: &str) -> String {
    observation.replace('\n', " ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_observation_stands_alone_and_on_one_line() {
        let share = |patterns: &[&str], observations: &[&str]| {
            let patterns: Vec<_> = patterns
                .iter()
                .map(|one| PythonPattern::new(one).unwrap())
                .collect();
            landmarks(&patterns, observations.iter().copied()).unwrap()
        };
        assert_eq!(share(&[], &["a"]), None);
        assert_eq!(share(&["loss"], &[]), Some(0.0));
        assert_eq!(share(&["a.b", "A"], &["a\nb"]), Some(0.5));
        assert_eq!(share(&["^a.*c$"], &["a\nb\nc"]), Some(1.0));
        assert_eq!(share(&["^b"], &["a\nb"]), Some(0.0));
        assert_eq!(share(&["a.*b"], &["a", "b"]), Some(0.0));
        assert_eq!(share(&["a.b"], &["a\r\nb"]), Some(0.0));
        assert_eq!(share(&["a\\r b"], &["a\r\nb"]), Some(1.0));
        assert_eq!(share(&["(?m)^b$"], &["a\nb"]), Some(0.0));
        assert_eq!(share(&["x", "y", "z", "a", "b"], &["a", "b"]), Some(0.4));
    }
}
