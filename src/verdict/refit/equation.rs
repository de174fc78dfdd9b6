//! The equation of a model, in the names of the data's columns.

use serde::Serialize;

/// The form in which a column enters a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Form {
    Number,
    /// A dummy variable for each level but one.
    Factor,
    Log,
    Log1p,
    Sqrt,
    Square,
    Center,
    Standardize,
}

/// A column in one form.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Factor {
    pub column: String,
    #[serde(rename = "as")]
    pub form: Form,
}

/// A product of columns; one of them alone is a main effect.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct Term {
    pub factors: Vec<Factor>,
}

impl Term {
    /// The columns of its factors.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.factors.iter().map(|factor| factor.column.as_str())
    }
}

/// An equation such as `log(wage) ~ schooling + age | county`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Equation {
    pub outcome: Factor,
    /// The column of events, from `Surv(time, event)`.
    pub event: Option<String>,
    pub terms: Vec<Term>,
    pub intercept: bool,
    /// The groups of a random intercept, from `(1 | group)`.
    pub groups: Option<String>,
    /// What follows each bar: absorbed effects or instruments.
    pub bars: Vec<Vec<Term>>,
    /// Endogenous predictors and their instruments, from `[x ~ z]` or a part `x ~ z`.
    pub instrumented: Option<(Vec<Term>, Vec<Term>)>,
    pub exposure: Option<String>,
}

impl Equation {
    /// Every column that it has.
    pub fn columns(&self) -> Vec<&str> {
        let instrumented = self
            .instrumented
            .iter()
            .flat_map(|(left, right)| left.iter().chain(right));
        let terms = self
            .terms
            .iter()
            .chain(self.bars.iter().flatten())
            .chain(instrumented);
        let named = [&self.event, &self.groups, &self.exposure].into_iter().flatten();
        let outcome = std::iter::once(self.outcome.column.as_str());
        outcome
            .chain(terms.flat_map(Term::columns))
            .chain(named.map(String::as_str))
            .collect()
    }
}

/// The reason for which a text gives no equation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoEquation {
    #[error("the plan gives no equation")]
    Missing,
    #[error("the plan gives more than one equation")]
    Several,
    #[error("`{0}` in the plan's equation is not a column of the data")]
    NoColumn(String),
    #[error("the part `{0}` of the plan's equation cannot be read")]
    Unread(String),
}
