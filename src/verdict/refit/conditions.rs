//! Rows that a plan keeps by simple conditions, such as `age >= 18`.

use super::equation_tokens::{Token, tokens};

/// A comparison of a column with a number.
#[derive(Debug, Clone, PartialEq)]
pub struct RowCondition {
    pub column: String,
    pub comparison: Comparison,
    pub value: f64,
}

/// The sign of a condition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Comparison {
    Less,
    AtMost,
    Greater,
    AtLeast,
}

impl RowCondition {
    /// Whether a value fulfils it.
    pub fn holds(&self, value: f64) -> bool {
        match self.comparison {
            Comparison::Less => value < self.value,
            Comparison::AtMost => value <= self.value,
            Comparison::Greater => value > self.value,
            Comparison::AtLeast => value >= self.value,
        }
    }
}

/// The conditions that a text states on columns.
pub fn conditions(text: &str, is_column: &dyn Fn(&str) -> bool) -> Vec<RowCondition> {
    let text = text.replace('≥', ">=").replace('≤', "<=");
    let placed = tokens(&text);
    let mut found: Vec<RowCondition> = Vec::new();
    for (at, one) in placed.iter().enumerate() {
        let Token::Name(column) = one.token else { continue };
        let next = |step: usize| placed.get(at + step).map(|one| one.token);
        let is_equal = next(2) == Some(Token::Sign('='));
        let comparison = match (next(1), is_equal) {
            (Some(Token::Sign('<')), false) => Comparison::Less,
            (Some(Token::Sign('<')), true) => Comparison::AtMost,
            (Some(Token::Sign('>')), false) => Comparison::Greater,
            (Some(Token::Sign('>')), true) => Comparison::AtLeast,
            _ => continue,
        };
        let Some(Token::Number(number)) = next(if is_equal { 3 } else { 2 }) else {
            continue;
        };
        let Some(value) = number.parse().ok().filter(|_| is_column(column)) else {
            continue;
        };
        let condition = RowCondition {
            column: column.to_owned(),
            comparison,
            value,
        };
        if !found.contains(&condition) {
            found.push(condition);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_on_columns_are_read() {
        let found = conditions("Keep adults (age >= 18) with income < 9.5; p < .05", &|name| {
            name != "p"
        });
        let shown: Vec<_> = found
            .iter()
            .map(|one| (one.column.as_str(), one.comparison, one.value))
            .collect();
        assert_eq!(
            shown,
            [
                ("age", Comparison::AtLeast, 18.0),
                ("income", Comparison::Less, 9.5)
            ]
        );
        assert!(found[0].holds(18.0) && !found[1].holds(9.5));
    }
}
