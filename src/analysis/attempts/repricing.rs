//! Costs of attempts, corrected as the published analysis of CORE-Bench v1.1 corrects them: a scaffold
//! that counts its calls wrongly is priced anew from its tokens.

/// The scaffold whose own costs are not believed.
pub const REPRICED: &str = "core_agent";

/// US dollars for a million tokens: fresh input, cached input, output; by the beginning of a model's name.
const RATES: [(&str, [f64; 3]); 4] = [
    ("gpt-5", [1.25, 0.125, 10.0]),
    ("claude-opus-4", [5.0, 0.5, 25.0]),
    ("claude-haiku-4", [1.0, 0.1, 5.0]),
    ("haiku-4", [1.0, 0.1, 5.0]),
];

/// The tokens of an attempt, by what they cost.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct TokenCounts {
    /// Neither cached nor written to a cache.
    pub input: f64,
    pub cached: f64,
    /// Written to a cache: paid as fresh input here.
    pub cache_creation: f64,
    pub output: f64,
}

impl TokenCounts {
    fn is_empty(self) -> bool {
        self.input + self.cached + self.cache_creation + self.output <= 0.0
    }
}

/// The cost that counts: the attempt's own, unless its scaffold is the repriced one, its tokens are known
/// and its model has a rate.
pub fn corrected(scaffold: &str, model: &str, own: Option<f64>, tokens: TokenCounts) -> Option<f64> {
    if scaffold != REPRICED || tokens.is_empty() {
        return own;
    }
    match rate(model) {
        Some([fresh, cached, output]) => {
            let fresh = (tokens.input + tokens.cache_creation) * fresh;
            Some((fresh + tokens.cached * cached + tokens.output * output) / 1e6)
        }
        None => own,
    }
}

/// The rate of a model, without the name of its provider.
fn rate(model: &str) -> Option<[f64; 3]> {
    let name = model.rsplit('/').next().unwrap_or(model);
    let known = RATES.iter().find(|(beginning, _)| name.starts_with(beginning));
    known.map(|(_, rate)| *rate)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_scaffold_is_priced_from_its_tokens() {
        let tokens = TokenCounts {
            input: 1e6,
            cached: 2e6,
            cache_creation: 0.0,
            output: 1e5,
        };
        let close = |found: Option<f64>, wanted: f64| (found.unwrap() - wanted).abs() < 1e-12;
        assert!(close(
            corrected("core_agent", "openai/gpt-5.1", Some(9.0), tokens),
            1.25 + 0.25 + 1.0
        ));
        assert!(close(
            corrected("core_agent", "claude-opus-4-5", None, tokens),
            5.0 + 1.0 + 2.5
        ));
        assert_eq!(corrected("codex", "gpt-5", Some(9.0), tokens), Some(9.0));
        assert_eq!(
            corrected("core_agent", "gpt-5", Some(9.0), TokenCounts::default()),
            Some(9.0)
        );
        assert_eq!(corrected("core_agent", "llama", None, tokens), None);
    }
}
