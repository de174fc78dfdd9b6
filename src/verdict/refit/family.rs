//! The family of a planned model, by the name that the plan gives it.

use serde::Serialize;
use strum::{EnumIter, IntoEnumIterator};

/// A family of models that is fitted again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumIter, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Family {
    Linear,
    Logit,
    Probit,
    Poisson,
    NegativeBinomial,
    Multinomial,
    Cox,
    /// Two-stage least squares.
    Iv,
    /// Least squares with absorbed fixed effects.
    Absorbed,
    RandomIntercept,
}

impl Family {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Linear => "least squares",
            Self::Logit => "logit",
            Self::Probit => "probit",
            Self::Poisson => "Poisson regression",
            Self::NegativeBinomial => "negative binomial regression",
            Self::Multinomial => "multinomial logit",
            Self::Cox => "Cox regression",
            Self::Iv => "two-stage least squares",
            Self::Absorbed => "least squares with absorbed fixed effects",
            Self::RandomIntercept => "a linear model with a random intercept",
        }
    }

    /// The names of the family in plans and programs, in lower case. A name that is part of
    /// another's comes after it in [`Family::from_words`].
    fn words(self) -> &'static [&'static str] {
        match self {
            Self::Linear => &[
                "ols",
                "wls",
                "lm",
                "least squares",
                "linear regression",
                "linear model",
                "linear probability",
            ],
            Self::Logit => &["logit", "logistic"],
            Self::Probit => &["probit"],
            Self::Poisson => &["poisson"],
            Self::NegativeBinomial => &["negative binomial", "nbreg", "negbin", "glm.nb"],
            Self::Multinomial => &["multinomial", "mlogit", "mnlogit"],
            Self::Cox => &["cox", "proportional hazards", "coxph", "phreg"],
            Self::Iv => &[
                "2sls",
                "two-stage least squares",
                "instrumental",
                "ivreg",
                "ivregress",
            ],
            Self::Absorbed => &["feols", "reghdfe", "areg", "absorbing"],
            Self::RandomIntercept => &[
                "mixed",
                "mixedlm",
                "lmer",
                "random intercept",
                "random-intercept",
                "random intercepts",
                "multilevel",
                "hierarchical linear",
            ],
        }
    }

    /// The family that a text names; none if it names none, or two of which neither is a kind of the other.
    pub fn from_words(text: &str) -> Option<Self> {
        let words = normal(text);
        let has = |family: Self| family.words().iter().any(|name| words.contains(&normal(name)));
        let mut named: Vec<Self> = Self::iter().filter(|family| has(*family)).collect();
        for special in [Self::Multinomial, Self::Iv, Self::Absorbed, Self::RandomIntercept] {
            if named.contains(&special) {
                // "Multinomial logit", "a mixed linear model".
                let general = match special {
                    Self::Multinomial => Self::Logit,
                    _ => Self::Linear,
                };
                named.retain(|family| *family != general);
            }
        }
        match named.as_slice() {
            [one] => Some(*one),
            _ => None,
        }
    }

    /// The family of a fitted object, by the name of its class in Python or R; none of a class
    /// that fits several, such as `GLM`.
    pub fn from_class(name: &str) -> Option<Self> {
        Some(match name.to_ascii_lowercase().as_str() {
            "ols" | "wls" | "lm" | "lm_robust" => Self::Linear,
            "logit" | "binarylogit" => Self::Logit,
            "probit" => Self::Probit,
            "poisson" => Self::Poisson,
            "negativebinomial" | "negativebinomialp" | "negbin" => Self::NegativeBinomial,
            "mnlogit" | "multinom" => Self::Multinomial,
            "phreg" | "coxph" => Self::Cox,
            "iv2sls" | "ivreg" | "iv_robust" => Self::Iv,
            "absorbingls" => Self::Absorbed,
            "mixedlm" | "lmermod" | "lmermodlmertest" => Self::RandomIntercept,
            _ => return None,
        })
    }

    /// Whether two names can be of one fit: fixed effects may be absorbed or dummies.
    pub fn is_same_fit(self, other: Self) -> bool {
        let dummies = [Self::Linear, Self::Absorbed];
        self == other || (dummies.contains(&self) && dummies.contains(&other))
    }

    /// Whether a plan's words are of an estimate that no fit here can give.
    pub fn is_other(text: &str) -> bool {
        const OTHER: [&str; 35] = [
            "bayesian",
            "posterior",
            "quantile",
            "median regression",
            "tobit",
            "lasso",
            "ridge",
            "elastic net",
            "gee",
            "generalized estimating",
            "generalised estimating",
            "heckman",
            "zero-inflated",
            "hurdle",
            "firth",
            "conditional logit",
            "fractional",
            "robust regression",
            "m-estimation",
            "random slope",
            "random slopes",
            "gmm",
            "ordered probit",
            "ordered logit",
            "ordered logistic",
            "ordinal",
            "ologit",
            "polr",
            "liml",
            "bivariate probit",
            "multinomial probit",
            "conditional logistic",
            "mixed logit",
            "rank-ordered",
            "weighted average",
        ];
        let words = normal(text);
        OTHER.iter().any(|name| words.contains(&normal(name)))
    }
}

/// The words of a text in lower case; a hyphen parts two.
pub fn words(text: &str) -> Vec<String> {
    text.to_lowercase()
        .split(|one: char| !(one.is_alphanumeric() || matches!(one, '_' | '.')))
        .map(|word| word.trim_matches('.').to_owned())
        .filter(|word| !word.is_empty())
        .collect()
}

/// The words of a text, each between blanks.
fn normal(text: &str) -> String {
    format!(" {} ", words(text).join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_family_is_the_one_that_is_named() {
        for (text, family) in [
            ("Logit: y ~ x", Some(Family::Logit)),
            ("Multinomial logistic regression", Some(Family::Multinomial)),
            ("MixedLM: y ~ x", Some(Family::RandomIntercept)),
            ("A linear mixed model, REML", Some(Family::RandomIntercept)),
            ("OLS", Some(Family::Linear)),
            ("Two-stage least squares", Some(Family::Iv)),
            ("Poisson; a logit as a check", None),
            ("a comparison of Coxsackie cases with Olson's", None),
            ("the Wilcoxon test", None),
        ] {
            assert_eq!(Family::from_words(text), family, "{text}");
        }
        assert!(Family::is_other("Bayesian logistic regression") && !Family::is_other("a bridge"));
    }
}
