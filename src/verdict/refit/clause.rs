//! The clauses of a plan's text next to its equation.

/// Words after which a clause says what its columns are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Clause {
    Cluster,
    FixedEffects,
    RandomIntercept,
    Weights,
    Instruments,
    Exposure,
    Event,
}

impl Clause {
    pub(super) fn from_text(text: &str) -> Option<Self> {
        const NAMES: [(&str, Clause); 15] = [
            ("cluster", Clause::Cluster),
            ("fixed effect", Clause::FixedEffects),
            ("fixed-effect", Clause::FixedEffects),
            ("dummies", Clause::FixedEffects),
            ("indicators", Clause::FixedEffects),
            ("random intercept", Clause::RandomIntercept),
            ("random-intercept", Clause::RandomIntercept),
            ("random effect", Clause::RandomIntercept),
            ("instrument", Clause::Instruments),
            ("exposure", Clause::Exposure),
            ("offset", Clause::Exposure),
            ("event", Clause::Event),
            ("weights", Clause::Weights),
            ("weighted", Clause::Weights),
            ("groups", Clause::RandomIntercept),
        ];
        let text = text
            .to_lowercase()
            .replace("unweighted", "")
            .replace("reweighted", "");
        NAMES
            .iter()
            .find(|(word, _)| text.contains(word))
            .map(|(_, clause)| *clause)
    }
}

/// Whether a text says of missing values that they are imputed.
pub(super) fn imputes(text: &str) -> bool {
    const NONE: [&str; 5] = ["not", "no", "never", "without", "nothing"];
    text.to_lowercase().split(['.', ';']).any(|sentence| {
        let mut words = sentence.split(|one: char| !one.is_alphanumeric());
        words.clone().any(|word| word.starts_with("imput")) && !words.any(|word| NONE.contains(&word))
    })
}

/// The clauses of a text; what is in the brackets of a logarithm stays in its clause.
pub(super) fn clauses(text: &str) -> Vec<String> {
    let text = text.replace("log(", "log ");
    text.split([',', ';', '\n', '(', ')'])
        .flat_map(|part| part.split(". "))
        .map(ToOwned::to_owned)
        .collect()
}
